// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/api"
)

const recorded = `{"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [
	{"request": {"method": "POST", "url": "https://api.example.com/v1/session"},
	 "response": {"status": 201, "headers": [], "content": {"mimeType": "application/json", "text": "{\"token\": \"t\"}"}}},
	{"request": {"method": "GET", "url": "https://api.example.com/v1/projects?page=1"},
	 "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "[{\"id\": 7, \"name\": \"seven\"}]"}}},
	{"request": {"method": "GET", "url": "http://127.0.0.1/"},
	 "response": {"status": 200, "headers": [], "content": {"mimeType": "text/html", "text": "recorded"}}},
	{"request": {"method": "GET", "url": "http://169.254.169.254/latest/meta-data/"},
	 "response": {"status": 200, "headers": [], "content": {"mimeType": "text/html", "text": "recorded"}}}
]}}`

// described is the same API in OpenAPI.
const described = `openapi: 3.1.0
info: {title: Projects, version: "1"}
servers:
  - url: https://{host}/v1
    variables: {host: {default: api.example.com}}
paths:
  /session:
    post:
      responses:
        "401": {description: no}
        "201":
          description: yes
          content:
            application/json:
              schema:
                type: object
                required: [token]
                properties: {token: {type: string, minLength: 8}}
  /projects:
    get:
      responses:
        200:
          description: a page
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/project"}}
components:
  schemas:
    project:
      type: object
      required: [id, name]
      properties:
        id: {type: integer}
        name: {type: string}
        parent: {$ref: "#/components/schemas/project"}
`

func answersOf(t testing.TB, text string) *api.File {
	t.Helper()
	f, err := api.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReplay tries tools that ask an API before they open a file. Only with answers does an audit see whether they guard the file.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fixture, file string
		proven, asked bool
		notes         []string
	}{
		"no file":            {"read-api", "", true, true, nil},
		"no file, guarded":   {"read-api-in", "", false, true, nil},
		"recorded":           {"read-api", recorded, true, true, []string{"the file of --replay answered 2 different requests"}},
		"recorded, guarded":  {"read-api-in", recorded, false, true, []string{"the file of --replay answered 2 different requests"}},
		"described":          {"read-api", described, true, true, []string{"the file of --replay answered 2 different requests"}},
		"described, guarded": {"read-api-in", described, false, true, []string{"the file of --replay answered 2 different requests"}},
		"another host": {"read-api", strings.ReplaceAll(recorded, "api.example.com", "api.example.org"), false, false,
			[]string{"the file of --replay answered 0 different requests", "the file of --replay has no answer to 1 request: POST api.example.com/v1/session"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Command: fixtureServer(t, tt.fixture)}
			if tt.file != "" {
				cfg.Replay = answersOf(t, tt.file)
			}
			r := run(t, cfg)
			proven := slices.ContainsFunc(r.Facts, func(f audit.Fact) bool {
				return f.Class == audit.Path && f.Verdict == audit.Vulnerable && f.Confidence == audit.Proven
			})
			guarded := slices.ContainsFunc(r.Facts, func(f audit.Fact) bool { return f.Class == audit.Path && f.Verdict == audit.Guarded })
			if proven != tt.proven || guarded != (tt.asked && !tt.proven) {
				t.Errorf("proven: %v, guarded: %v: %v", proven, guarded, inAll(r.Facts))
			}
			var notes []string
			for _, n := range r.Notes {
				if strings.Contains(n, "the file of --replay") {
					notes = append(notes, n)
				}
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReplayProbes holds that recorded answers of the addresses of probes change no judgement of requests.
func TestReplayProbes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fetch-open", "fetch-redirect", "fetch-guarded"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			without := run(t, Config{Command: fixtureServer(t, name)})
			with := run(t, Config{Command: fixtureServer(t, name), Replay: answersOf(t, recorded)})
			if diff := cmp.Diff(inAll(without.Facts), inAll(with.Facts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
