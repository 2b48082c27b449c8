// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/policy"
)

// An authGate authenticates HTTP requests as the policy in force demands.
type authGate struct {
	passes bool // the header Authorization of clients goes to the server
	log    *slog.Logger
	now    atomic.Pointer[asking] // nil before the first policy
}

// An asking is what one policy says; without authorization its resource is nil.
type asking struct {
	policy   *policy.Authorization
	resource *auth.Resource
	ctx      context.Context // until another policy says something else
	end      context.CancelFunc
}

func newAuthGate(passHeaders []string, log *slog.Logger) *authGate {
	passes := slices.ContainsFunc(passHeaders, func(h string) bool { return strings.EqualFold(h, "Authorization") })
	return &authGate{passes: passes, log: log}
}

// set has the door go by a policy from now on. What verified tokens and keys it has stay, if
// authorization does. On an error all stays as it was.
func (d *authGate) set(a *policy.Authorization) error {
	before := d.now.Load()
	switch {
	case before != nil && reflect.DeepEqual(before.policy, a):
		return nil
	case before != nil && a == nil:
		return errors.New("the policy has no authorization any more, and everybody could come in: start toolvet again if that is meant")
	case a != nil && d.passes:
		return withHint(errors.New("a token is shown to toolvet alone where the policy has authorization, and cannot be passed on"),
			"leave out --pass-header Authorization, and give the server credentials in the policy")
	}
	next := &asking{policy: a}
	next.ctx, next.end = context.WithCancel(context.Background())
	if a != nil {
		var err error
		if next.resource, err = auth.New(a, auth.Options{Logger: d.log}); err != nil {
			return err
		}
	}
	d.now.Store(next)
	if before != nil {
		before.end() // whoever has a stream open is asked again
	}
	return nil
}

// authorization is what the policy of the moment says.
func (d *authGate) authorization() *policy.Authorization { return d.now.Load().policy }

// asks is what asks for tokens at the moment; nil: nothing does.
func (d *authGate) asks() *auth.Resource { return d.now.Load().resource }

// hosts are the names of this machine that the policy tells clients.
func (d *authGate) hosts() []string {
	if a := d.authorization(); a != nil {
		if u, err := url.Parse(a.Resource); err == nil && u.Hostname() != "" {
			return []string{u.Hostname()}
		}
	}
	return nil
}

// handler lets those in that the policy of the moment does.
func (d *authGate) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := d.now.Load()
		if now.resource == nil {
			next.ServeHTTP(w, r)
			return
		}
		now.resource.Handler(now.bound(next)).ServeHTTP(w, r)
	})
}

// bound ends streams that have no end of their own when the token expires, or the policy asks
// for others. Other requests are answered.
func (a *asking) bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Both proxies refuse a request of 2026-07-28 whose header does not name its method.
		if r.Method == http.MethodGet || r.Header.Get(mcpheader.Method) == "subscriptions/listen" {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(a.ctx, cancel)()
			if p := auth.FromContext(ctx); !p.Expires.IsZero() {
				defer time.AfterFunc(time.Until(p.Expires), cancel).Stop()
			}
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// who is who makes a request: whoever the token names, else what is known of everybody.
func who(r *http.Request, known call.Session) call.Session {
	known.Transport = "http"
	known.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	if p := auth.FromContext(r.Context()); p != nil {
		known.Subject, known.Claims = p.Identity(), p.Claims
	}
	return known
}
