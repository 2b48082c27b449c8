// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/web"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schedule"
)

// Tokens of two people.
const (
	annToken = "ann-token-0123456789"
	bobToken = "bob-token-0123456789"
)

// withTokens admits ann and bob.
func withTokens(t *testing.T, tokens map[string]string) func(*web.Config) {
	t.Helper()
	a := &policy.Authorization{}
	for subject, token := range tokens {
		a.Tokens = append(a.Tokens, policy.Token{Subject: subject, SHA256: auth.Digest(token)})
	}
	resource, err := auth.New(a, auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *web.Config) {
		cfg.Authorization = func() *auth.Resource { return resource }
		cfg.Who = func(r *http.Request) call.Session {
			return call.Session{Subject: auth.FromContext(r.Context()).Identity()}
		}
	}
}

func (f *fixture) login(token, to string) page {
	f.t.Helper()
	return f.post("/schedule/login", "/schedule/login", "token", token, "to", to)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withTokens(t, map[string]string{"ann": annToken, "bob": bobToken}))
	ann := f.createAs(&call.Session{Subject: "ann"}, schedule.Spec{Name: "ann's job"}, nil)
	bob := f.createAs(&call.Session{Subject: "bob"}, schedule.Spec{Name: "bob's job"}, nil)
	bobRun := f.run(bob, schedule.Run{Fire: now})
	pages := []string{"/schedule/", "/schedule/calendar", "/schedule/jobs/" + ann.ID, "/schedule/jobs/nobody", "/schedule/runs/" + bobRun.ID}
	for _, path := range pages {
		p := f.get(path)
		f.wants(p, http.StatusUnauthorized, "Bearer token", "!ann's job", "!bob's job")
		if p.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %v", path, p.header)
		}
	}
	p := f.post("/schedule/login", "/schedule/jobs/"+ann.ID+"/pause")
	f.wants(p, http.StatusUnauthorized, "Bearer token")

	for _, wrong := range []string{"", "wrong", bobToken + "x", "x y", "a\r\nX-Evil: 1", strings.Repeat("x", 20<<10)} {
		p := f.login(wrong, "/schedule/")
		f.wants(p, http.StatusUnauthorized, "Refused: ")
		if p.header.Get("Set-Cookie") != "" || wrong != "" && strings.Contains(p.body, wrong) {
			t.Errorf("a wrong token: %v", p.header)
		}
	}
	p = f.login(" "+annToken+"\n", "/schedule/jobs/"+ann.ID)
	cookie := p.header.Get("Set-Cookie")
	for _, want := range []string{"Path=/schedule/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if p.status != http.StatusSeeOther || p.header.Get("Location") != "/schedule/jobs/"+ann.ID || strings.Contains(cookie, annToken) || strings.Contains(cookie, "Secure") {
		t.Errorf("a login: %d %v", p.status, p.header)
	}
	first := f.get("/schedule/")
	f.wants(first, 200, "ann's job", "!bob's job", "1 all jobs")
	if !strings.Contains(first.body, "Sign out") || strings.Contains(first.body, annToken) {
		t.Error("the page of a visitor who is known")
	}
	f.wants(f.get("/schedule/calendar"), 200, "ann's job", "!bob's job")
	for _, path := range []string{"jobs/" + bob.ID, "jobs/bob%27s%20job", "runs/" + bobRun.ID} {
		f.wants(f.get("/schedule/"+path), http.StatusNotFound, "!bob's")
	}
	for _, act := range []string{"validate", "pause", "trigger"} {
		f.wants(f.post("/schedule/", "/schedule/jobs/"+bob.ID+"/"+act), http.StatusNotFound)
	}
	if p := f.post("/schedule/", "/schedule/jobs/"+ann.ID+"/pause"); p.status != http.StatusSeeOther {
		t.Errorf("ann's own job: %d %s", p.status, p.plainText())
	}

	// The proof in a form belongs to a login: bob cannot make ann send his form.
	annWord := f.word("/schedule/")
	annBrowser := f.client
	f.client = f.browser()
	f.login(bobToken, "/schedule/")
	f.wants(f.get("/schedule/"), 200, "bob's job", "!ann's job")
	f.wants(f.do(f.request(http.MethodPost, "/schedule/jobs/"+bob.ID+"/pause", "form="+annWord)), http.StatusForbidden, "out of date")

	// After signing out, the cookie is worthless.
	f.client = annBrowser
	at, err := url.Parse(f.server.URL + "/schedule/")
	if err != nil {
		t.Fatal(err)
	}
	kept := f.client.Jar.Cookies(at)
	if p := f.post("/schedule/", "/schedule/logout"); p.status != http.StatusSeeOther || p.header.Get("Location") != "/schedule/login" {
		t.Errorf("signing out: %d %v", p.status, p.header)
	}
	f.wants(f.get("/schedule/"), http.StatusUnauthorized)
	f.client.Jar.SetCookies(at, kept)
	f.wants(f.get("/schedule/"), http.StatusUnauthorized)
}

func TestHeaderToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withTokens(t, map[string]string{"ann": annToken}))
	f.createAs(&call.Session{Subject: "ann"}, schedule.Spec{Name: "ann's job"}, nil)
	for token, want := range map[string]int{"Bearer " + annToken: 200, "Bearer wrong": 401, "Basic YTpi": 401} {
		r := f.request(http.MethodGet, "/schedule/", "")
		r.Header.Set("Authorization", token)
		f.wants(f.do(r), want)
	}
}

// TestLoginLeads: a login leads only to pages of this site.
func TestLoginLeads(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withTokens(t, map[string]string{"ann": annToken}))
	for to, want := range map[string]string{
		"":                                 "/schedule/",
		"/schedule/calendar?zone=UTC":      "/schedule/calendar?zone=UTC",
		"/schedule":                        "/schedule/",
		"/schedule/?q=a b&done=%0d%0a":     "/schedule/?done=%0D%0A&q=a+b",
		"https://evil.example/schedule/":   "/schedule/",
		"//evil.example/schedule/":         "/schedule/",
		"/\\evil.example/schedule/":        "/schedule/",
		"/schedule/../../evil":             "/schedule/",
		"/schedule/..//evil.example":       "/schedule/",
		"/schedule/%2e%2e/%2f/evil":        "/schedule/",
		"/schedule/\\evil.example":         "/schedule/",
		"/schedulex":                       "/schedule/",
		"javascript:alert(1)":              "/schedule/",
		"/schedule/x\r\nSet-Cookie: a=b":   "/schedule/",
		"/schedule/x%0d%0aSet-Cookie: a=b": "/schedule/",
		"/mcp":                             "/schedule/",
	} {
		p := f.login(annToken, to)
		if got := p.header.Get("Location"); got != want || p.status != http.StatusSeeOther {
			t.Errorf("%q: a login leads to %q, want %q", to, got, want)
		}
		f.client = f.browser()
	}
	// A page that asks for a login has its own address in the form.
	if p := f.get("/schedule/jobs/x?state=lost&before=%22%3E"); !strings.Contains(p.body, `name="to" value="/schedule/jobs/x?before=%22%3E&amp;state=lost"`) {
		t.Error(p.body)
	}
}

func TestSecureCookie(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withTokens(t, map[string]string{"ann": annToken}))
	form := url.Values{"form": {f.word("/schedule/login")}, "token": {annToken}}
	r := f.request(http.MethodPost, "/schedule/login", form.Encode())
	r.Header.Set("Origin", strings.Replace(f.server.URL, "http:", "https:", 1)) // what ends TLS stands between
	if cookie := f.do(r).header.Get("Set-Cookie"); !strings.Contains(cookie, "Secure") {
		t.Errorf("a cookie of a page over TLS: %q", cookie)
	}
}

// TestManyLogins: a principal has twenty logins, and more log nobody else out.
func TestManyLogins(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withTokens(t, map[string]string{"ann": annToken, "bob": bobToken}))
	word := f.word("/schedule/login") // all visitors without a login have the same
	login := func(token string) *http.Client {
		f.client = f.browser()
		form := url.Values{"form": {word}, "token": {token}}
		if p := f.do(f.request(http.MethodPost, "/schedule/login", form.Encode())); p.status != http.StatusSeeOther {
			t.Fatal(p.status, p.plainText())
		}
		return f.client
	}
	bob := login(bobToken)
	oldest := login(annToken)
	login(annToken)
	second := f.client
	for range 18 {
		login(annToken)
	}
	for n, want := range map[*http.Client]int{bob: 200, oldest: 200, second: 200} {
		f.client = n
		f.wants(f.get("/schedule/"), want)
	}
	login(annToken)
	for n, want := range map[*http.Client]int{f.client: 200, bob: 200, oldest: 401, second: 200} {
		f.client = n
		f.wants(f.get("/schedule/"), want)
	}
	for range 1001 {
		login(annToken)
	}
	f.client = bob
	f.wants(f.get("/schedule/"), 200)
}

// TestManyPrincipals: where there is no more room, it is the principal with the most logins who loses one.
func TestManyPrincipals(t *testing.T) {
	t.Parallel()
	tokens := map[string]string{"ann": annToken}
	for n := range 60 {
		tokens[fmt.Sprint("p", n)] = fmt.Sprintf("token-of-principal-%04d", n)
	}
	f := newFixture(t, withTokens(t, tokens))
	word := f.word("/schedule/login")
	login := func(token string) *http.Client {
		f.client = f.browser()
		form := url.Values{"form": {word}, "token": {token}}
		f.do(f.request(http.MethodPost, "/schedule/login", form.Encode()))
		return f.client
	}
	ann := login(annToken)
	for range 20 {
		for n := range 60 {
			login(tokens[fmt.Sprint("p", n)])
		}
	}
	f.wants(f.get("/schedule/"), 200)
	f.client = ann
	f.wants(f.get("/schedule/"), 200)
}

// TestWrongLogins: after ten wrong tokens, an address waits, and its tokens are not looked at.
func TestWrongLogins(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	at := now
	f := newFixture(t, func(cfg *web.Config) {
		withTokens(t, map[string]string{"ann": annToken})(cfg)
		cfg.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return at }
	})
	word := f.word("/schedule/login")
	login := func(token string) page {
		form := url.Values{"form": {word}, "token": {token}}
		return f.do(f.request(http.MethodPost, "/schedule/login", form.Encode()))
	}
	for range 20 { // right ones cost nothing
		if p := login(annToken); p.status != http.StatusSeeOther {
			t.Fatal(p.status)
		}
	}
	ann := f.client
	f.client = f.browser()
	for n := range 10 {
		if p := login(fmt.Sprint("wrong", n)); p.status != http.StatusUnauthorized {
			t.Fatalf("wrong token %d: %d", n, p.status)
		}
	}
	for _, token := range []string{"wrong", annToken} {
		p := login(token)
		f.wants(p, http.StatusTooManyRequests, "Too many wrong tokens")
		if p.header.Get("Retry-After") == "" || p.header.Get("Set-Cookie") != "" {
			t.Errorf("after too many wrong tokens: %v", p.header)
		}
	}
	mu.Lock()
	at = at.Add(7 * time.Second)
	mu.Unlock()
	if p := login("wrong"); p.status != http.StatusUnauthorized {
		t.Errorf("one pause later, a wrong token: %d", p.status)
	}
	f.wants(login(annToken), http.StatusTooManyRequests)
	f.client = ann // who is logged in stays so
	f.wants(f.get("/schedule/"), 200)
	mu.Lock()
	at = at.Add(7 * time.Second)
	mu.Unlock()
	if p := login(annToken); p.status != http.StatusSeeOther {
		t.Errorf("one pause later, a right token: %d", p.status)
	}
}

// TestPermit: a visitor does and sees only permitted things.
func TestPermit(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	f := newFixture(t, func(cfg *web.Config) {
		cfg.Who = func(*http.Request) call.Session { return call.Session{Subject: "ann"} }
		cfg.Permit = func(_ context.Context, who call.Session, tool string, _ any) error {
			asked[who.Subject+" "+tool] = true
			if tool == "trigger" || tool == "retrieve" {
				return errors.New("the policy does not allow this")
			}
			return nil
		}
	})
	j := f.create(schedule.Spec{Name: "job"}, nil)
	run := f.run(j, schedule.Run{Fire: now})
	f.wants(f.get("/schedule/jobs/"+j.ID), 200)
	f.wants(f.get("/schedule/runs/"+run.ID), http.StatusForbidden, "You may not do this", "the policy does not allow this", "!succeeded")
	f.wants(f.post("/schedule/", "/schedule/jobs/"+j.ID+"/trigger"), http.StatusForbidden)
	if p := f.post("/schedule/", "/schedule/jobs/"+j.ID+"/pause"); p.status != http.StatusSeeOther {
		t.Error(p.status)
	}
	if runs, err := f.jobs.Runs(t.Context(), schedule.RunFilter{}); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
	for _, want := range []string{"list", "get", "executions", "retrieve", "trigger", "pause"} {
		if !asked["ann "+want] {
			t.Errorf("nobody asked whether %s is permitted", want)
		}
	}
}
