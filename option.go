// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/schema"
)

// An Option changes what [New] makes.
type Option interface{ apply(*config) }

type config struct {
	checks  []*check.Check
	more    []*check.Check
	limiter Limiter
	visible func(context.Context, *call.Call) bool
	listed  func(context.Context, *call.Call) bool
	policy  *policy.Policy
	tools   []policy.Tool
	schema  schema.Limits
	timeout time.Duration
	logger  *slog.Logger
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithChecks replaces the default suite. The order is kept within each stage. To
// add a check, append it to a copy of suite.Default. An empty list refuses every
// call: nothing was looked at.
func WithChecks(checks ...*check.Check) Option {
	return optionFunc(func(c *config) { c.checks = checks })
}

// WithMoreChecks adds checks to those of the Gate.
func WithMoreChecks(checks ...*check.Check) Option {
	return optionFunc(func(c *config) { c.more = append(c.more, checks...) })
}

// WithVisibility says of which tools a session may know. See [Gate.Visible].
func WithVisibility(visible func(context.Context, *call.Call) bool) Option {
	return optionFunc(func(c *config) { c.visible = visible })
}

// WithListing says which definitions may stand in a list, where a model reads them. A call of
// a tool that is left out is judged as any other. See [Gate.Lists].
func WithListing(listed func(context.Context, *call.Call) bool) Option {
	return optionFunc(func(c *config) { c.listed = listed })
}

// WithLimiter bounds how many calls a caller may make.
func WithLimiter(l Limiter) Option {
	return optionFunc(func(c *config) { c.limiter = l })
}

// WithPolicy says which checks run, and what their findings do. The default, nil,
// leaves every check as it documents itself.
func WithPolicy(p *policy.Policy) Option {
	return optionFunc(func(c *config) { c.policy = p })
}

// WithSchemaLimits bounds the schemas that are compiled and the time to judge
// arguments by them. The default is schema.DefaultLimits.
func WithSchemaLimits(l schema.Limits) Option {
	return optionFunc(func(c *config) { c.schema = l })
}

// WithTimeout bounds each stage of a judgement. The default is one second; zero
// and less mean the default. The review of a result has five times as long, and that time again for
// each MiB of the result.
func WithTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d > 0 {
			c.timeout = d
		}
	})
}

// WithLogger says where broken checks are reported. Logs hold the tool, the check
// and its error, which may quote an argument. The default, and nil, discard.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(c *config) {
		if l != nil {
			c.logger = l
		}
	})
}
