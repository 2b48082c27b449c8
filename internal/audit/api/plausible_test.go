// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func madeUp(t testing.TB, method, target, accept string) (status int, kind, body string) {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	if !(Plausible{}).Answer(w, r) {
		t.Fatal("no answer")
	}
	return w.Code, w.Header().Get("Content-Type"), w.Body.String()
}

// TestPlausibleForm holds that the path and the method decide the form of an answer.
func TestPlausibleForm(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"GET /v1/projects":               "array of 1, id 1",
		"GET /v1/projects?page=1":        "array of 1, id 1",
		"GET /v1/projects?page=2":        "array of 0",
		"GET /repos?per_page=5&after=x":  "array of 0",
		"GET /v1/projects.json":          "array of 1, id 1",
		"POST /v1/projects":              "object, id 1",
		"GET /v1/projects/17":            "object, id 17",
		"GET /v1/users/ab-12":            "object, id ab-12",
		"GET /v1/users/me":               "object, id 1",
		"GET /v2/status":                 "object, id 1",
		"GET /":                          "object, id 1",
		"POST /api/search":               "object of 1, id 1",
		"GET /api/search?start_cursor=x": "object of 0, id 1",
		"GET /api/chat.list":             "object of 1, id 1",
	} {
		method, target, _ := strings.Cut(request, " ")
		_, kind, body := madeUp(t, method, target, "")
		if kind != "application/json" {
			t.Errorf("%s: the type %s", request, kind)
		}
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		got := ""
		switch v := v.(type) {
		case []any:
			got = fmt.Sprintf("array of %d", len(v))
			if len(v) > 0 {
				got += fmt.Sprintf(", id %v", v[0].(map[string]any)["id"])
			}
		case map[string]any:
			got = "object"
			if list, ok := v["data"].([]any); ok {
				got += fmt.Sprintf(" of %d", len(list))
			}
			got += fmt.Sprintf(", id %v", v["id"])
		}
		if got != want {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}

// TestPlausibleRepeats holds that an answer repeats nothing of a request that can be an attack, or the audit's evidence.
func TestPlausibleRepeats(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"$(id)1", "..%2f1", "a;b1", "1'--", "abcdefghijklmnopqrstuvwxyz2345", "1%20-x", "%3Cb1%3E", "1%00"} {
		_, _, body := madeUp(t, "GET", "/things/"+text+"?q="+text, "")
		var v struct{ ID any }
		if err := json.Unmarshal([]byte(body), &v); err != nil || v.ID != 1.0 {
			t.Errorf("%s: the id %v (%v)", text, v.ID, err)
		}
		if strings.Contains(body, text) {
			t.Errorf("%s is repeated: %s", text, body)
		}
	}
}

// TestPlausibleAccept holds that an answer has a type that the request accepts.
func TestPlausibleAccept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ target, accept, want string }{
		{"/x", "application/json, text/plain, */*", "application/json"},
		{"/x", "application/vnd.github+json", "application/vnd.github+json"},
		{"/x", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html"},
		{"/x", "image/avif,image/webp;q=0.9", "image/png"},
		{"/x.png", "*/*", "image/png"},
		{"/x.txt", "", "text/plain"},
		{"/x", "application/xml", "application/xml"},
		{"/x", "no type;;", "application/json"},
	} {
		if _, kind, body := madeUp(t, http.MethodGet, tt.target, tt.accept); kind != tt.want || body == "" {
			t.Errorf("%s %s: %s, want %s", tt.target, tt.accept, kind, tt.want)
		}
	}
}
