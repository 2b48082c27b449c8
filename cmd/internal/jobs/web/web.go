// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package web shows the scheduler's jobs, their next runs and their records on web pages. People can make, change,
// validate, pause, resume and trigger jobs there.
//
// The server renders the pages, and they have no scripts. Words of jobs, tools and servers appear as text, with code
// points in place of invisible characters. The server accepts a form only from a page that this process made for the
// same visitor, and only from the same origin.
package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/schedule"
)

// Path is the default place of the pages.
const Path = "/schedule/"

// A Config configures the pages. Scheduler is required.
type Config struct {
	Scheduler *schedule.Scheduler
	// Path is the place of the pages. The handler must be mounted there and on everything below. Default [Path].
	Path string
	// Authorization returns the rules of admission in force. A visitor shows a token in a form, once, or in the
	// header of each request. Nil, or a nil Resource, admits everybody who reaches the handler; it must listen on a
	// loopback address only then.
	Authorization func() *auth.Resource
	// The function Who identifies the principal behind an admitted request.
	Who func(*http.Request) call.Session
	// Apart reports whether visitors see only the jobs of their own subject. Nil means: if Authorization identifies
	// them.
	Apart func() bool
	// Permit decides whether a visitor may call a tool of the scheduler's MCP server. The pages ask it before they
	// show or do the same as that tool, and show its error. Nil permits everything.
	Permit func(ctx context.Context, who call.Session, tool string, arguments any) error
	// Zone is the time zone of the calendar unless a visitor names another. Default time.Local.
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
	wrong  wrongLogins
	forms  forms
	origin *http.CrossOriginProtection
}

// New makes the handler of the pages. It must stand behind a guard that refuses requests for other hosts than this
// machine, such as internal/wire/httpguard.
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
		"GET workers":           (*visit).workersPage,
		"GET new":               (*visit).newPage,
		"POST new":              (*visit).create,
		"GET jobs/{job}":        (*visit).jobPage,
		"GET jobs/{job}/edit":   (*visit).editPage,
		"POST jobs/{job}/edit":  (*visit).edit,
		"GET runs/{run}":        (*visit).runPage,
		"POST jobs/{job}/{act}": (*visit).act,
		"POST runs/{run}/{act}": (*visit).actOnRun,
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

// harden restricts a browser: it may show the answer with the style of this site, and send forms back here.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// nothing answers requests for pages that do not exist.
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
