// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/audit"
)

// What a tool that passes on all that it reads, or reads every file, is found out to do.
const (
	readsAsIs   = "output read_file vulnerable proven control-characters, invisible, unbounded"
	fetchesAsIs = "output fetch vulnerable proven control-characters, hidden-text, invisible, unbounded"
	readsAll    = "path read_file/path vulnerable proven absolute, dot-dot, home, sibling-prefix, symlink"
)

// TestPairs holds that each open tool is caught with the right rule, and its guarded twin is not.
func TestPairs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"read-open+":      {readsAll, readsAsIs, "schema read_file guarded"},
		"read-prefix+":    {"path read_file/path vulnerable proven sibling-prefix, symlink", readsAsIs, "schema read_file guarded"},
		"read-link+":      {"path read_file/path vulnerable proven symlink", readsAsIs, "schema read_file guarded"},
		"read-encoded+":   {"path read_file/path vulnerable proven encoded, symlink", readsAsIs, "schema read_file guarded"},
		"read-guarded+":   {"path read_file/path guarded", "output read_file guarded", "schema read_file guarded"},
		"read-name+":      {"path read_note/name vulnerable proven dot-dot, sibling-prefix, symlink", "output read_note vulnerable proven control-characters, invisible, unbounded", "schema read_note guarded"},
		"read-base64+":    {readsAll, "schema read_file guarded"},
		"read-empty":      {readsAll, readsAsIs, "schema read_file no-evidence"},
		"list-open+":      {"path list_directory/path vulnerable proven absolute, dot-dot, sibling-prefix, symlink", "schema list_directory guarded"},
		"write-open+":     {"path write_file/path vulnerable proven absolute, dot-dot, sibling-prefix, symlink", "schema write_file guarded"},
		"write-guarded+":  {"path write_file/path guarded", "schema write_file guarded"},
		"echo+":           {"path read_file/path inconclusive", "schema read_file guarded"},
		"fetch-open+":     {"url fetch/url vulnerable proven ssrf-dns, ssrf-loopback, ssrf-metadata, ssrf-private, ssrf-redirect, ssrf-spelling", fetchesAsIs, "schema fetch guarded"},
		"fetch-words+":    {"url fetch/url vulnerable proven ssrf-dns, ssrf-loopback, ssrf-metadata, ssrf-private, ssrf-redirect, ssrf-spelling", fetchesAsIs, "schema fetch guarded"},
		"fetch-redirect+": {"url fetch/url vulnerable proven ssrf-rebinding, ssrf-redirect", fetchesAsIs, "schema fetch guarded"},
		"fetch-rebind+":   {"url fetch/url vulnerable proven ssrf-rebinding", fetchesAsIs, "schema fetch guarded"},
		"fetch-guarded+":  {"url fetch/url guarded", fetchesAsIs, "schema fetch guarded"},
		"fetch-list+":     {"url fetch_docs/url vulnerable proven allow-list-prefix", "output fetch_docs vulnerable proven control-characters, hidden-text, invisible, unbounded", "schema fetch_docs guarded"},
		"fetch-relay+":    {"url fetch/url no-evidence", "schema fetch guarded"},
		"file-relay+":     {"path fetch_file/path no-evidence", "schema fetch_file guarded"},
		"shell-open+":     {"command greet/name vulnerable proven shell", "schema greet guarded"},
		"shell-quoted+":   {"command greet/name vulnerable proven shell", "schema greet guarded"},
		"shell-split+":    {"command greet/name vulnerable proven argument-split", "schema greet guarded"},
		"shell-guarded+":  {"command greet/name guarded", "schema greet guarded"},
		"shell-lead+":     {"command greet/name vulnerable metadata argument-lead", "command greet/name guarded", "schema greet guarded"},
		"shell-design+":   {"command run/command vulnerable metadata command-by-design", "schema run guarded"},
		"shell-guarded":   {"command greet/name guarded", "schema greet vulnerable proven missing-required, wrong-type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, Config{Command: fixtureServer(t, name)})
			got := inAll(r.Facts)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%v", diff, r)
			}
			for _, f := range r.Facts {
				if f.Verdict == audit.Vulnerable && f.Proof == nil || f.Why == "" {
					t.Errorf("without a proof or a reason: %+v", f)
				}
			}
		})
	}
}

// TestHostile audits servers that do not want to be audited: the result is partial and clear.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fixtures string
		notes    []string // parts of them
		fails    string
	}{
		"crash":    {"crash read-guarded+", []string{"was started again"}, ""},
		"hang":     {"hang read-guarded+", []string{"was started again"}, ""},
		"flood":    {"flood read-guarded+", nil, ""},
		"large":    {"large read-guarded+", nil, ""},
		"lying":    {"lying read-guarded+", nil, ""},
		"controls": {"controls read-guarded+", nil, ""},
		"schema":   {"schema-huge schema-circular read-guarded+", nil, ""},
		"many":     {"many read-guarded+", []string{"the first 300 were tried"}, ""},
		"delete":   {"delete read-guarded+", nil, ""},
		"keyed":    {"keyed read-guarded+", []string{"FIXTURE_API_KEY"}, ""},
		"dead":     {"dead", nil, "there is no hope"},
		"mute":     {"mute", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Command: fixtureServer(t, strings.Fields(tt.fixtures)...), CallTimeout: 2 * time.Second, StartTimeout: 10 * time.Second}
			if name == "mute" {
				cfg.StartTimeout = 2 * time.Second
			}
			r, err := try(t, cfg)
			if name == "dead" || name == "mute" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if name != "many" && !slices.ContainsFunc(r.Facts, func(f audit.Fact) bool { return inShort(f) == "path read_file/path guarded" }) {
				t.Errorf("the tool beside it was not audited: %v", r)
			}
			for _, want := range tt.notes {
				if !strings.Contains(strings.Join(r.Notes, "\n"), want) {
					t.Errorf("got notes %q, want %q", r.Notes, want)
				}
			}
			for _, s := range append(slices.Clone(r.Notes), append(r.Tools, r.Server)...) {
				if strings.ContainsAny(s, "\x1b\u202e\x07") {
					t.Errorf("a control character came through: %q", s)
				}
			}
			for _, f := range r.Facts {
				if strings.ContainsAny(f.Tool+f.Param+f.Why, "\x1b\u202e\x07") {
					t.Errorf("a control character came through: %+v", f)
				}
			}
		})
	}
}

func TestDestructive(t *testing.T) {
	t.Parallel()
	r := run(t, Config{Command: fixtureServer(t, "delete+")})
	want := []string{"path delete_file/path vulnerable proven absolute, dot-dot, home, sibling-prefix, symlink", "schema delete_file guarded"}
	if diff := cmp.Diff(want, inAll(r.Facts)); diff != "" {
		t.Error(diff)
	}
	r = run(t, Config{Command: fixtureServer(t, "delete+"), SkipDestructive: true})
	want = []string{"path delete_file/path skipped", "schema delete_file skipped"}
	if diff := cmp.Diff(want, inAll(r.Facts)); diff != "" {
		t.Error(diff)
	}
}

// TestBatch holds that a server which a batch of JSON-RPC stops is found out.
func TestBatch(t *testing.T) {
	t.Parallel()
	for how, seen := range map[string]string{"end": "the server ended", "hang": "the server answers no more"} {
		r := run(t, Config{Command: fixtureServer(t, "shell-guarded+"), Env: []string{"FIXTURE_BATCH=" + how}, CallTimeout: 2 * time.Second})
		if !slices.ContainsFunc(r.Facts, func(f audit.Fact) bool {
			return inShort(f) == "schema  vulnerable proven batch" && f.Proof.Seen == seen
		}) {
			t.Errorf("%s: got %q", how, inAll(r.Facts))
		}
	}
}

// fixtureServer is the command of the server of the tests.
func fixtureServer(t testing.TB, fixtures ...string) []string {
	return append([]string{selfPath(t), "as-server", Root}, fixtures...)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]string{
		`[{"expected":"array","code":"x","path":["paths"],"message":"m"},{"expected":"string","path":["a"]}]`: {"paths": "array", "a": "string"},
		"1 validation error for call[x]\npath\n  Field required [type=missing]":                               {"path": "string"},
		"Input validation error: 'url' is a required property":                                                {"url": "string"},
		"Missing required parameter: query":                                                                   {"query": "string"},
		"path is required":                                                                                    {"path": "string"},
		"no such file":                                                                                        {},
	} {
		if diff := cmp.Diff(want, missing(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestMatching(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^[A-Z]{2,4}-\d+$`:                 "AA-1",
		`^I?\d+[:|-]\d+(?:;\d+[:|-]\d+)*$`: "1-1",
		`^[a-zA-Z0-9_.-]+\.(png|svg)$`:     "a.png",
		`^(?:https?)://x`:                  "http://x",
		`^[^a]+$`:                          "1",
		`(`:                                "",
		`^(?=x)a`:                          "",
		`\bx{900}`:                         "",
		strings.Repeat("a", 2000):          "",
		`(((((a{99}){99}){99}){99}){99})`:  "",
	} {
		got, ok := matching(pattern)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%.40s: got %q, want %q", pattern, got, want)
		}
	}
}
