// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package web shows the scheduler's jobs, their next runs and their records on web pages, and lets
// people validate, pause, resume and trigger jobs.
//
// The pages are rendered here and hold no scripts. What jobs, tools and servers say is shown as
// text, and characters that cannot be seen are shown by their code points. A form is taken only
// from a page that this process made for the same visitor, and only from the same origin.
package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// Path is where the pages are, unless a [Config] says otherwise.
const Path = "/schedule/"

// A Config says what the pages show, and to whom. Scheduler is required.
type Config struct {
	Scheduler *schedule.Scheduler
	// Path is that of the pages, to which the handler must be mounted with all that is below;
	// default [Path].
	Path string
	// Authorization decides who may come in, as the policy of the moment says. A visitor shows a
	// token in a form, once, or in the header of each request. Nil, or a nil Resource: everybody
	// who reaches the handler, so that it must listen on a loopback address alone.
	Authorization func() *auth.Resource
	// Who is who makes a request that was taken.
	Who func(*http.Request) call.Session
	// Apart reports whether visitors see the jobs of their own subject alone. Nil: they do where
	// Authorization asks who they are.
	Apart func() bool
	// Permit is asked before a page is shown or something is done, in the words of the
	// scheduler's MCP server: whether a visitor may call one of its tools. The error is shown.
	// Nil: whoever may come in may do everything.
	Permit func(ctx context.Context, who call.Session, tool string, arguments any) error
	// Zone is that of the calendar, where a visitor names no other; default time.Local.
	Zone   *time.Location
	Now    func() time.Time // default time.Now
	Logger *slog.Logger     // nil discards
}

// A site is the handler of all pages.
type site struct {
	cfg    Config
	base   string
	mux    *http.ServeMux
	logins logins
	forms  forms
	origin *http.CrossOriginProtection
}

// New makes the handler of the pages. It must stand behind something that refuses requests
// for hosts that are not this machine's, such as internal/httpguard.
func New(cfg Config) http.Handler {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Who == nil {
		cfg.Who = func(*http.Request) call.Session { return call.Session{} }
	}
	if cfg.Permit == nil {
		cfg.Permit = func(context.Context, call.Session, string, any) error { return nil }
	}
	cfg.Zone = cmp.Or(cfg.Zone, time.Local)
	s := &site{cfg: cfg, base: "/" + strings.Trim(cmp.Or(cfg.Path, Path), "/") + "/", mux: http.NewServeMux(), forms: newForms(), origin: http.NewCrossOriginProtection()}
	if s.base == "//" {
		s.base = "/"
	}
	for pattern, h := range map[string]func(*visit) error{
		"GET {$}":               (*visit).jobsPage,
		"GET calendar":          (*visit).calendarPage,
		"GET jobs/{job}":        (*visit).jobPage,
		"GET runs/{run}":        (*visit).runPage,
		"POST jobs/{job}/{act}": (*visit).act,
		"POST logout":           (*visit).logout,
	} {
		s.mux.HandleFunc(s.pattern(pattern), s.admitted(h))
	}
	s.mux.HandleFunc(s.pattern("GET login"), s.loginPage)
	s.mux.HandleFunc(s.pattern("POST login"), s.login)
	for name := range assets {
		s.mux.HandleFunc(s.pattern("GET "+name), asset(name))
	}
	return s
}

// pattern is a pattern of the multiplexer: a method, and a path below the base.
func (s *site) pattern(short string) string {
	method, path, _ := strings.Cut(short, " ")
	return method + " " + s.base + path
}

// ServeHTTP implements [http.Handler].
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if _, pattern := s.mux.Handler(r); pattern == "" {
		s.nothing(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// harden says what a browser may make of an answer: show it, with the style of this site, and
// send its forms back here.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// nothing answers requests for which there is no page.
func (s *site) nothing(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if allowed != nil {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.message(w, http.StatusMethodNotAllowed, "This cannot be done here", "Nothing was changed.")
		return
	}
	s.message(w, http.StatusNotFound, "There is no such page", "It may have moved, or the address is mistyped.")
}
