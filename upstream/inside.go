// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/toolvet/toolvet/call"
)

// innerSet is a Set with the methods that only toolvet's own packages use. Package internal/servers documents them.
type innerSet struct{ *Set }

// Inside is for toolvet's own packages: the type of its value is internal.
func (s *Set) Inside() any { return innerSet{s} }

// toolkit is the rest that only toolvet's own packages use.
type toolkit struct{}

// Inside is for toolvet's own packages: the type of its value is internal.
func Inside() any { return toolkit{} }

func (toolkit) Connect(ctx context.Context, d Dialer, stderr io.Writer, timeout time.Duration, limits call.Limits, h Handler, capabilities json.RawMessage) (any, error) {
	c, err := connect(ctx, d, options{stderr, timeout, limits, h, capabilities})
	if err != nil {
		return nil, err // not c: a nil *client would be a client that is not nil
	}
	return c, nil
}

func (toolkit) WithoutTimeout() CallOption {
	return callOptionFunc(func(o *callOptions) { o.patient = true })
}

func (toolkit) WithErrorText(text func(error) string) CallOption {
	return callOptionFunc(func(o *callOptions) { o.text = text })
}
