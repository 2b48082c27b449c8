// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schedule"
)

// A visit is a request of an admitted visitor.
type visit struct {
	*site
	w    http.ResponseWriter
	r    *http.Request
	jobs *schedule.Scheduler // limited to the visitor's view
	who  call.Session
	key  string // of the visitor's login; "" for none
	// apart means that the visitor sees only jobs of the own subject.
	apart bool
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// maxForm bounds a form of an admitted visitor, in bytes, and maxLogin that of a login: a token has at most 16 KiB.
const (
	maxForm  = 4 * maxFormArguments
	maxLogin = 32 << 10
)

// formTime bounds the time that a browser takes to send a form.
const formTime = 30 * time.Second

// admitted wraps a page so that only admitted visitors reach it.
func (s *site) admitted(h func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.admit(w, r)
		if err != nil {
			s.askLogin(w, r, err)
			return
		}
		if r.Method == http.MethodPost && !s.genuine(w, r, v.key, maxForm) {
			return
		}
		if err := h(v); err != nil {
			s.fail(w, r, err)
		}
	}
}

// errNoLogin reports a visitor with neither a token nor a login.
var errNoLogin = errors.New("")

// admit identifies the visitor behind a request. The error is the reason to turn the visitor away.
func (s *site) admit(w http.ResponseWriter, r *http.Request) (*visit, error) {
	v := &visit{site: s, w: w, r: r, jobs: s.cfg.Scheduler}
	resource := s.resource()
	if resource == nil {
		return v.known(false), nil
	}
	if r.Header.Get("Authorization") == "" {
		key, token := s.logins.of(r, s.cfg.Now())
		if token == "" {
			return nil, errNoLogin
		}
		v.key, r = key, bearing(r, token)
	}
	taken, err := resource.Take(r)
	if err != nil {
		return nil, err
	}
	v.r = taken
	return v.known(true), nil
}

// known sets the visitor's view. Asked means that the visitor had to show an identity.
func (v *visit) known(asked bool) *visit {
	v.who = v.cfg.Who(v.r)
	if v.cfg.Apart != nil {
		asked = v.cfg.Apart()
	}
	if v.apart = asked; asked {
		v.jobs = v.cfg.Scheduler.Of(v.who.Subject)
	}
	return v
}

// A forbidden is the reason why the visitor may not do something.
type forbidden struct{ error }

// may reports whether the visitor may use one of the scheduler's tools.
func (v *visit) may(tool string, arguments any) error {
	if err := v.cfg.Permit(v.ctx(), v.who, tool, arguments); err != nil {
		return forbidden{err}
	}
	return nil
}

// job returns the job in the address if the visitor may use a tool on it.
func (v *visit) job(tool string) (*schedule.Job, error) {
	id := speakable(v.r.PathValue("job"))
	if err := v.may(tool, map[string]string{"job": id}); err != nil {
		return nil, err
	}
	return v.jobs.Get(v.ctx(), id)
}

// genuine reports whether a form comes from a page of this site. If not, it answers the request.
func (s *site) genuine(w http.ResponseWriter, r *http.Request, key string, most int64) bool {
	if err := s.origin.Check(r); err != nil {
		s.message(w, http.StatusForbidden, "This form comes from another site", "Nothing was changed.")
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(formTime)) // where there is a connection
	err := r.ParseForm()
	_ = connection.SetReadDeadline(time.Time{})
	if err != nil {
		s.message(w, http.StatusBadRequest, "The form cannot be read", "Nothing was changed.")
		return false
	}
	if !s.forms.genuine(r.PostForm.Get("form"), key) {
		s.message(w, http.StatusForbidden, "This form is out of date", "Nothing was changed. Load its page again, and try once more.")
		return false
	}
	return true
}

// A conflict is an error with a message for the visitor.
type conflict struct{ error }

// fail tells the visitor about a failure.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	var told conflict
	var may forbidden
	switch {
	case errors.As(err, &may):
		s.message(w, http.StatusForbidden, "You may not do this", err.Error())
	case errors.Is(err, schedule.ErrNotFound):
		s.message(w, http.StatusNotFound, "There is no such job or run", "It may have been deleted.")
	case errors.As(err, &told):
		s.message(w, http.StatusConflict, "That did not work", err.Error())
	case r.Context().Err() != nil: // nobody reads the answer
	default:
		s.cfg.Logger.Error("a page of the scheduler could not be made", "path", r.URL.Path, "err", err)
		s.message(w, http.StatusInternalServerError, "This page could not be made", "The log of toolvet says why.")
	}
}
