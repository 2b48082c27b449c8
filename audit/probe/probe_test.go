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

// TestPairs holds that each open tool is caught with the right rule, and its guarded twin is not.
func TestPairs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"read-open+":      {"path read_file/path vulnerable proven absolute", "output read_file vulnerable proven control-characters", "schema read_file guarded"},
		"read-prefix+":    {"path read_file/path vulnerable proven sibling-prefix", "output read_file vulnerable proven control-characters", "schema read_file guarded"},
		"read-link+":      {"path read_file/path vulnerable proven symlink", "output read_file vulnerable proven control-characters", "schema read_file guarded"},
		"read-encoded+":   {"path read_file/path vulnerable proven encoded", "output read_file vulnerable proven control-characters", "schema read_file guarded"},
		"read-guarded+":   {"path read_file/path guarded", "output read_file guarded", "schema read_file guarded"},
		"read-name+":      {"path read_note/name vulnerable proven dot-dot", "output read_note vulnerable proven control-characters", "schema read_note guarded"},
		"read-base64+":    {"path read_file/path vulnerable proven absolute", "schema read_file guarded"},
		"read-empty":      {"path read_file/path vulnerable proven absolute", "output read_file vulnerable proven control-characters", "schema read_file no-evidence"},
		"list-open+":      {"path list_directory/path vulnerable proven absolute", "schema list_directory guarded"},
		"write-open+":     {"path write_file/path vulnerable proven absolute", "schema write_file guarded"},
		"write-guarded+":  {"path write_file/path guarded", "schema write_file guarded"},
		"echo+":           {"path read_file/path inconclusive", "schema read_file guarded"},
		"fetch-open+":     {"url fetch/url vulnerable proven ssrf-loopback", "output fetch vulnerable proven control-characters", "schema fetch guarded"},
		"fetch-words+":    {"url fetch/url vulnerable proven ssrf-loopback", "output fetch vulnerable proven control-characters", "schema fetch guarded"},
		"fetch-redirect+": {"url fetch/url vulnerable proven ssrf-redirect", "output fetch vulnerable proven control-characters", "schema fetch guarded"},
		"fetch-guarded+":  {"url fetch/url guarded", "output fetch vulnerable proven control-characters", "schema fetch guarded"},
		"fetch-list+":     {"url fetch_docs/url vulnerable proven allow-list-prefix", "output fetch_docs vulnerable proven control-characters", "schema fetch_docs guarded"},
		"shell-open+":     {"command greet/name vulnerable proven shell", "schema greet guarded"},
		"shell-quoted+":   {"command greet/name vulnerable proven shell", "schema greet guarded"},
		"shell-split+":    {"command greet/name vulnerable proven argument-split", "schema greet guarded"},
		"shell-guarded+":  {"command greet/name guarded", "schema greet guarded"},
		"shell-lead+":     {"command greet/name vulnerable metadata argument-lead", "command greet/name guarded", "schema greet guarded"},
		"shell-design+":   {"command run/command vulnerable metadata command-by-design", "schema run guarded"},
		"shell-guarded":   {"command greet/name guarded", "schema greet vulnerable proven missing-required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, Config{Command: fixtureServer(t, name)})
			var got []string
			for _, f := range r.Facts {
				got = append(got, inShort(f))
			}
			slices.Sort(got)
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
	if got := inShort(r.Facts[0]); got != "path delete_file/path skipped" {
		t.Errorf("got %s", got)
	}
	r = run(t, Config{Command: fixtureServer(t, "delete+"), Destructive: true})
	if got := inShort(r.Facts[0]); got != "path delete_file/path vulnerable proven absolute" {
		t.Errorf("got %s", got)
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
