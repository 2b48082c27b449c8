// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

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

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// An authGate authenticates HTTP requests as the policy in force demands.
type authGate struct {
	passes  bool // the server receives the clients' Authorization header
	log     *slog.Logger
	current atomic.Pointer[authentication] // nil before the first policy
}

// An authentication is what one policy demands of requests.
type authentication struct {
	policy   *policy.Authorization // nil: nothing
	resource *auth.Resource        // nil: nothing
	ctx      context.Context       // done when a policy demands something else
	end      context.CancelFunc
}

func newAuthGate(passHeaders []string, log *slog.Logger) *authGate {
	passes := slices.ContainsFunc(passHeaders, func(h string) bool { return strings.EqualFold(h, "Authorization") })
	return &authGate{passes: passes, log: log}
}

// set applies a policy from now on. If the section authorization is unchanged, verified tokens and
// fetched keys stay. On an error everything stays as it was.
func (d *authGate) set(a *policy.Authorization) error {
	next, err := d.prepare(a)
	if err == nil {
		d.put(next)
	}
	return err
}

// prepare returns what a policy demands, for put.
func (d *authGate) prepare(a *policy.Authorization) (*authentication, error) {
	before := d.current.Load()
	switch {
	case before != nil && reflect.DeepEqual(before.policy, a):
		return before, nil
	case before != nil && a == nil:
		return nil, errors.New("the policy no longer has authorization, so anybody could connect: restart toolvet if you want that")
	case a != nil && d.passes:
		return nil, enforce.WithHint(errors.New("with authorization in the policy, tokens are for toolvet alone and cannot be passed on"),
			"leave out --pass-header Authorization, and give the server credentials in the policy")
	}
	next := &authentication{policy: a}
	next.ctx, next.end = context.WithCancel(context.Background())
	if a != nil {
		var err error
		if next.resource, err = auth.New(a, auth.Options{Logger: d.log}); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// put applies what was prepared.
func (d *authGate) put(next *authentication) {
	if before := d.current.Swap(next); before != nil && before != next {
		before.end() // clients with an open stream must authenticate again
	}
}

// authorization returns the section of the policy in force.
func (d *authGate) authorization() *policy.Authorization { return d.current.Load().policy }

// resource asks for tokens at the moment; nil lets everybody in.
func (d *authGate) resource() *auth.Resource { return d.current.Load().resource }

// hosts returns the names by which the policy tells clients to reach this machine.
func (d *authGate) hosts() []string {
	if a := d.authorization(); a != nil {
		if u, err := url.Parse(a.Resource); err == nil && u.Hostname() != "" {
			return []string{u.Hostname()}
		}
	}
	return nil
}

// handler serves the requests that the policy in force lets in.
func (d *authGate) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current := d.current.Load()
		if current.resource == nil {
			next.ServeHTTP(w, r)
			return
		}
		current.resource.Handler(current.bound(next)).ServeHTTP(w, r)
	})
}

// bound ends endless streams when their token expires, or when another policy takes over. Other
// requests get their answers.
func (a *authentication) bound(next http.Handler) http.Handler {
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

// callerOf identifies the principal behind a request by its token. Without a token it is the
// given session.
func callerOf(r *http.Request, session call.Session) call.Session {
	session.Transport = "http"
	session.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	if p := auth.FromContext(r.Context()); p != nil {
		session.Subject, session.Claims, session.Authenticated = p.Identity(), p.Claims, true
	}
	return session
}
