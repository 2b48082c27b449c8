// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
)

// steered are tools of which a parameter takes effect with one choice of another alone, tools that give a value to a program as an
// operand, and such that put it into the path of a request.
var steered = map[string]fixture{
	"steer-enum": {`{"name":"repo","description":"Works on a repository.","inputSchema":{"type":"object","properties":{"action":{"type":"string","enum":["status","tag"]},"name":{"type":"string"}},"required":["action"]}}`,
		func(_ string, a map[string]any) (string, error) {
			if text(a, "action") != "tag" {
				return "clean", nil
			}
			return output("sh", "-c", "echo "+text(a, "name"))
		}},
	"steer-words": {`{"name":"repo","description":"Works on a repository.","inputSchema":{"type":"object","properties":{"action":{"type":"string","description":"What to do. One of: status, tag, log"},"name":{"type":"string"},"message":{"type":"string"}},"required":["action"]}}`,
		func(_ string, a map[string]any) (string, error) {
			switch {
			case !slices.Contains([]string{"status", "tag", "log"}, text(a, "action")):
				return "", errors.New("unknown action")
			case text(a, "action") != "tag" || text(a, "message") == "":
				return "clean", nil
			}
			return output("sh", "-c", "echo "+text(a, "name"))
		}},
	"code-design": {`{"name":"run","description":"Runs a snippet.","inputSchema":{"type":"object","properties":{"code":{"type":"string"},"languageId":{"type":"string","enum":["perl","shellscript","javascript"]}},"required":["code","languageId"]}}`,
		func(_ string, a map[string]any) (string, error) {
			if text(a, "languageId") != "shellscript" {
				return "", errors.New("no such program here")
			}
			file := filepath.Join(os.TempDir(), "tmp.sh")
			if err := os.WriteFile(file, []byte(text(a, "code")), 0o600); err != nil {
				return "", err
			}
			return output("sh", file)
		}},
	// What it takes for a code is none.
	"code-guarded": {tool1("country", "code", "Tells the name of a country."), func(_ string, a map[string]any) (string, error) {
		return "", errors.New("unknown country: " + text(a, "code"))
	}},
	// The list is not enforced, and the error of a missing file is worded as one of a wrong value.
	"list-worded": {closedTool, func(root string, a map[string]any) (string, error) {
		if raw, err := readFile(filepath.Join(root, "guides", text(a, "guideName")+".md")); err == nil {
			return raw, nil
		}
		return "", errors.New("invalid value: guideName must be one of the guides")
	}},
	"option-open": {tool1("show", "commit", "Shows a commit."), func(_ string, a map[string]any) (string, error) {
		return output("frobnicate", "show", text(a, "commit"))
	}},
	"option-guarded": {tool1("show", "commit", "Shows a commit."), func(_ string, a map[string]any) (string, error) {
		if strings.HasPrefix(text(a, "commit"), "-") {
			return "", errors.New("invalid commit: it must not begin with -")
		}
		return output("frobnicate", "show", text(a, "commit"))
	}},
	"option-design": {tool1("show", "flags", "Shows with more flags."), func(_ string, a map[string]any) (string, error) {
		return output("frobnicate", "show", text(a, "flags"))
	}},
	// A program that knows no options, and a server that complains of whatever it is given.
	"option-text": {tool1("show", "commit", "Shows a commit."), func(_ string, a map[string]any) (string, error) {
		if _, err := output("true", "show", text(a, "commit")); err != nil {
			return "", err
		}
		return "", errors.New("unknown option: " + text(a, "commit"))
	}},
	"option-complains": {tool1("show", "commit", "Shows a commit."), func(_ string, a map[string]any) (string, error) {
		_, err := output("frobnicate", "-n", text(a, "commit"))
		return "", errors.Join(errors.New("invalid argument: "+text(a, "commit")), err)
	}},
	"request-open":    {tool1("get_item", "ref", "Gets an item of the service."), item(func(s string) string { return s })},
	"request-guarded": {tool1("get_item", "ref", "Gets an item of the service."), item(url.PathEscape)},
	"request-design":  {`{"name":"get_item","description":"Gets an item of the service.","inputSchema":{"type":"object","properties":{"ref":{"type":"string","description":"The API route below the items"}},"required":["ref"]}}`, item(func(s string) string { return s })},
	// The dots are taken out, and a plain value is asked for in both places.
	"request-strips": {tool1("get_item", "ref", "Gets an item of the service."), func(root string, a map[string]any) (string, error) {
		part := func(s string) string { return strings.NewReplacer("../", "", "x/", "").Replace(s) }
		if _, err := item(func(s string) string { return "../" + part(s) })(root, a); err != nil {
			return "", err
		}
		return item(part)(root, a)
	}},
	// What is behind a slash is asked for in another place.
	"request-slash": {tool1("get_item", "ref", "Gets an item of the service."), item(func(s string) string {
		if at := strings.LastIndexByte(s, '/'); at >= 0 {
			return "../" + s[at+1:]
		}
		return s
	})},
}

// item gets an item of a service.
func item(part func(string) string) func(string, map[string]any) (string, error) {
	return func(_ string, a map[string]any) (string, error) {
		u, err := url.Parse("http://service.example-api.org")
		if err != nil {
			return "", err
		}
		r, err := http.Get(u.JoinPath("v1", "items", part(text(a, "ref"))).String())
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		raw, err := io.ReadAll(r.Body)
		return string(raw), err
	}
}

func TestChoicesIn(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"What to do. One of: status, tag, log":                    {"status", "tag", "log"},
		"one of a, b or c":                                        {"a", "b", "c"},
		"Action: 'start' | 'stop'":                                {"start", "stop"},
		`The format, "json" (default) or "text".`:                 {"json", "text"},
		"list|get|delete":                                         {"list", "get", "delete"},
		"Mode (fast, slow)":                                       {"fast", "slow"},
		"The name of the branch":                                  nil,
		"The type of the project, such as a library or a program": nil,
		"Options: see the manual of the program for a list":       nil,
		"":                        nil,
		strings.Repeat("(", 9000): nil,
	} {
		if got := choicesIn(said); !slices.Equal(got, want) {
			t.Errorf("%.60q: %q, want %q", said, got, want)
		}
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]bool{
		"/v1/fresh":             true,
		"/v1/items/../fresh":    true,
		"/fresh":                true,
		"/v1/items/fresh":       false,
		"/v1/items/..%2Ffresh":  false,
		"/v1/items/sub/fresh":   false,
		"/v2/other/items/fresh": false,
		"/v1/items":             false,
	} {
		if got := leaves("/v1/items/plain", "plain", after, "fresh"); got != want {
			t.Errorf("%s: %v", after, got)
		}
	}
}

func TestStandsBelow(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{"/items/plain": true, "/items/plain/rest": true, "/plain": false, "/plain/items": false, "/items/plain.json": false, "plain": false} {
		if got := standsBelow(at, "plain"); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

// TestPathShown holds the path of a report against what may be another one with each start of a server.
func TestPathShown(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"/v1/items/../x": "/v1/x",
		"/sessions/" + "6f1e2d3c-0a1b-4c2d-8e9f-001122334455/x": "/sessions/RANDOM/x",
		"/at/1764455000/x":      "/at/RANDOM/x",
		"/deadbeef0123456789/x": "/RANDOM/x",
		"/rest/api/3/issue/10":  "/rest/api/3/issue/10",
	} {
		if got := (servicePath{"host", at}).shown(); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if n := len((servicePath{"host", "/" + strings.Repeat("a b/", 2000)}).shown()); n > 300 {
		t.Errorf("%d bytes of a path are in a report", n)
	}
}

// TestPathsBounded makes endless requests to a service: they take bounded room, and none of the room for an expected name.
func TestPathsBounded(t *testing.T) {
	t.Parallel()
	c := newCanary()
	name, other := token(), token()
	c.expectPath(name)
	for range 3 * maxPaths {
		c.notePath("host", "/v1/"+token()+"/"+other)
		c.notePath("host", "/v1/"+name+"/"+strings.Repeat("x", maxPathLength))
	}
	c.notePath("host", "/v1/"+name)
	if got := c.pathsWith(name); len(got) != 1 || len(c.paths) != 1 {
		t.Errorf("%d paths, want one: %.200v", len(got), got)
	}
	for range 3 * maxPaths {
		c.notePath("host", "/v1/"+token()+"/"+name)
	}
	if got := len(c.pathsWith(name)); got != maxPaths {
		t.Errorf("%d paths are kept", got)
	}
	if c.forgetPath(name); c.requestsWith(name) {
		t.Error("a forgotten name is kept")
	}
}

// TestWaysBounded asks for the ways of a tool with a very large schema. Required choices come first, and such that delete something can be left out.
func TestWaysBounded(t *testing.T) {
	t.Parallel()
	choices := make([]any, 500)
	for i := range choices {
		choices[i] = "choice" + token()
	}
	properties := map[string]any{"zone": map[string]any{"type": "string", "enum": []any{"show", "delete"}}}
	for range 3000 {
		properties["a"+token()] = map[string]any{"type": "string", "enum": choices}
	}
	u := &tool{Tool: &call.Tool{Name: "big"}, required: []string{"zone"}, schema: map[string]any{"properties": properties}}
	if got := u.ways(nil, parameter{name: "name"}, false); len(got) < maxSteered || len(got) > maxSteered+1 {
		t.Errorf("%d ways", len(got))
	}
	small := &tool{Tool: &call.Tool{Name: "small"}, required: []string{"zone"}, schema: map[string]any{"properties": map[string]any{
		"also": map[string]any{"type": "string", "enum": []any{"one"}}, "zone": properties["zone"]}}}
	for harmless, want := range map[bool][]any{false: {"show", "show", "delete", "delete", nil}, true: {"show", "show", nil}} {
		var got []any
		for _, way := range small.ways(nil, parameter{name: "name"}, harmless) {
			got = append(got, way["zone"])
		}
		if !slices.Equal(got, want) {
			t.Errorf("harmless %v: %v, want %v", harmless, got, want)
		}
	}
}

func TestRefusesOption(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"fatal: unrecognized argument: --abcde":                                        true,
		"$ show --abcde" + strings.Repeat(".", 100) + "\nunknown option --abcde":       true,
		strings.Repeat("--abcde"+strings.Repeat(".", 100), 9000):                       false,
		"error: unknown option `abcde'":                                                true,
		"flag provided but not defined: -abcde":                                        true,
		"unknown branch abcde":                                                         false,
		"fatal: bad revision '--abcde'":                                                false,
		"unknown option: --other. The rest is " + strings.Repeat("x", 200) + "--abcde": false,
	} {
		if got := refusesOption(said, "--abcde"); got != want {
			t.Errorf("%.60q: %v", said, got)
		}
	}
}
