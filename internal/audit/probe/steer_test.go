// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	"request-open":    {tool1("get_item", "ref", "Gets an item of the service."), item(func(s string) string { return s })},
	"request-guarded": {tool1("get_item", "ref", "Gets an item of the service."), item(url.PathEscape)},
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

func TestRefusesOption(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"fatal: unrecognized argument: --abcde":                                        true,
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
