// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"strconv"
	"sync"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed style.css
var style []byte

//go:embed icon.svg
var icon []byte

// assets are the files that all pages refer to, by name.
var assets = map[string]struct {
	kind string
	text []byte
}{
	"style.css": {"text/css; charset=utf-8", style},
	"icon.svg":  {"image/svg+xml", icon},
}

func asset(name string) http.HandlerFunc {
	a := assets[name]
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", a.kind)
		if r.URL.RawQuery == "v="+edition() {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		_, _ = w.Write(a.text) // the client may be gone
	}
}

// edition changes with the assets, so that browsers do not use those of another version.
var edition = sync.OnceValue(func() string {
	sum := sha256.Sum256(append(append([]byte{}, style...), icon...))
	return hex.EncodeToString(sum[:6])
})

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(templates, "templates/*.html"))
})

// A frame is the part around every page.
type frame struct {
	Base    string // prefix of all addresses
	Edition string
	Title   string
	At      string // the current page, for the navigation
	Who     string // the visitor
	Login   bool   // the visitor has a login and can end it
	Form    string // proves that a form was made here
	Refresh int    // the browser reloads the page after so many seconds; 0: never
	Done    string // the last act of the visitor
	Idle    bool   // no scheduler is running
	Apart   bool   // the visitor sees only jobs of the own subject
}

// frame returns the frame of a public page.
func (s *site) frame(title, at string) frame {
	return frame{Base: s.base, Edition: edition(), Title: title, At: at, Form: s.forms.word("")}
}

// frame returns the frame of a page for a visitor.
func (v *visit) frame(title, at string) frame {
	f := v.site.frame(title, at)
	f.Who, f.Login, f.Form = v.who.Subject, v.key != "", v.forms.word(v.key)
	f.Apart = v.apart
	f.Done = done[v.r.URL.Query().Get("done")]
	workers, err := inside.Of(v.jobs).Workers(v.ctx())
	f.Idle = err == nil && len(workers) == 0 // if the store fails, the page itself says so
	return f
}

func (v *visit) show(name string, view any) error {
	v.render(v.w, http.StatusOK, name, view)
	return nil
}

// render writes a whole page or nothing.
func (s *site) render(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, view); err != nil {
		s.cfg.Logger.Error("a page of the scheduler could not be written", "page", name, "err", err)
		http.Error(w, "this page could not be written: the log of toolvet says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the client may be gone
}

// message writes a page with one message.
func (s *site) message(w http.ResponseWriter, status int, title, text string) {
	s.render(w, status, "message", struct {
		frame
		Text string
	}{s.frame(title, ""), text})
}
