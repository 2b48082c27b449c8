// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/classes/suite"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

var update = flag.Bool("update", false, "write what is found into the cases of the classes")

// TestCases tries the servers in audit/classes/*/testdata/tried.txtar: each open tool is caught with the
// right kinds, and its guarded twin is not.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../classes/*/testdata/tried.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(file))), func(t *testing.T) {
			t.Parallel()
			if *update {
				t.Cleanup(func() { save(t, file, archive) })
			}
			for i := range archive.Files {
				if race.Enabled && i%5 != 0 && !*update {
					continue // the same code with other servers
				}
				c := &archive.Files[i]
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					r := run(t, Config{Command: fixtureServer(t, strings.Fields(c.Name)...)})
					got := strings.Join(inAll(r.Facts), "\n") + "\n"
					if *update {
						c.Data = []byte(got)
					}
					if diff := cmp.Diff(string(c.Data), got); diff != "" {
						t.Errorf("%s\n%v", diff, r)
					}
					explained(t, r.Facts)
				})
			}
		})
	}
}

func save(t *testing.T, file string, archive *txtar.Archive) {
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Error(err)
	}
}

// explained holds that what is found has a proof, a reason, and a kind that is documented.
func explained(t *testing.T, facts []audit.Fact) {
	t.Helper()
	for _, f := range facts {
		if f.Verdict == audit.Vulnerable && f.Proof == nil || f.Why == "" {
			t.Errorf("without a proof or a reason: %+v", f)
		}
		if c := suite.Find(string(f.Class)); f.Verdict == audit.Vulnerable && (c == nil || c.Kind(f.Kind) == nil) {
			t.Errorf("the kind %q is not in audit/classes/%s: document it there", f.Kind, f.Class)
		}
	}
}

// TestHostile audits servers that do not want to be audited: the result is partial and clear.
func TestHostile(t *testing.T) {
	race.Skip(t)
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
		"many":     {"many-1000 read-guarded+", []string{"the first 300 were tried"}, ""},
		"delete":   {"delete read-guarded+", nil, ""},
		"keyed":    {"keyed read-guarded+", []string{"FIXTURE_API_KEY"}, ""},
		"dead":     {"dead", nil, "there is no hope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Command: fixtureServer(t, strings.Fields(tt.fixtures)...), CallTimeout: 2 * time.Second, StartTimeout: 10 * time.Second}
			r, err := try(t, cfg)
			if name == "dead" {
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
			if tool := name; slices.ContainsFunc(r.Facts, func(f audit.Fact) bool { return f.Tool == tool && f.Class == audit.Command }) {
				t.Errorf("the start of the server was taken for a program of the tool: %q", inAll(r.Facts))
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

// TestInterrupted holds that an audit that is interrupted says so, and not that it had no time.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, Config{Command: fixtureServer(t, "flood", "read-guarded+"), Init: []string{selfPath(t), "as-sandbox"}, Stderr: onWrite(cancel)})
	var missing *sandbox.UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	if err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "was interrupted") {
		t.Errorf("got %+v, %v", r, err)
	}
}

// onWrite is done when something is written.
type onWrite func()

func (w onWrite) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

// TestTold holds that a report says so if a server had no way of knowing its root.
func TestTold(t *testing.T) {
	t.Parallel()
	const note = "was not told which directory"
	command := fixtureServer(t, "read-open+")
	r := run(t, Config{Command: command})
	if strings.Contains(strings.Join(r.Notes, "\n"), note) {
		t.Errorf("it was told: %q", r.Notes)
	}
	r = run(t, Config{Command: append(command[:2:2], "-", "read-open+")})
	if !strings.Contains(strings.Join(r.Notes, "\n"), note) || !slices.ContainsFunc(r.Facts, func(f audit.Fact) bool { return f.Class == audit.Path && f.Verdict == audit.Vulnerable }) {
		t.Errorf("it was not told: %q, %q", r.Notes, inAll(r.Facts))
	}
}

// TestOpenFiles holds that a server may have so many files open as Node.js has when it loads a large one.
func TestOpenFiles(t *testing.T) {
	t.Parallel()
	if r := run(t, Config{Command: fixtureServer(t, "open-start", "shell-guarded+")}); len(r.Tools) != 1 {
		t.Errorf("got %v", r)
	}
}

// TestNoStandIn holds that the program of a payload is no stand-in.
func TestNoStandIn(t *testing.T) {
	t.Parallel()
	if r := run(t, Config{Command: fixtureServer(t, "shell-open+")}); len(r.Notes) > 0 || !slices.Contains(inAll(r.Facts), "greet /name command proven shell") {
		t.Errorf("got %q, %q", r.Notes, inAll(r.Facts))
	}
}

// TestOwn holds that a server which was told of no root may take the user's directory for one, but not what is hidden there. One that was
// told of a root may not.
func TestOwn(t *testing.T) {
	t.Parallel()
	command := fixtureServer(t, "read-own+")
	for name, tt := range map[string]struct {
		command []string
		want    string
	}{
		"not told": {append(command[:2:2], "-", "read-own+"), "import_report /path path guarded"},
		"told":     {command, "import_report /path path proven home"},
	} {
		if got := inAll(run(t, Config{Command: tt.command}).Facts); !slices.Contains(got, tt.want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	got := inAll(run(t, Config{Command: append(command[:2:2], "-", "read-open+")}).Facts)
	if want := "read_file /path path proven absolute, dot-dot, home, sibling-prefix, symlink"; !slices.Contains(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDestructive(t *testing.T) {
	t.Parallel()
	r := run(t, Config{Command: fixtureServer(t, "delete+")})
	want := []string{"delete_file /path path proven absolute, dot-dot, home, sibling-prefix, symlink", "delete_file schema guarded"}
	if diff := cmp.Diff(want, inAll(r.Facts)); diff != "" {
		t.Error(diff)
	}
	r = run(t, Config{Command: fixtureServer(t, "delete+"), SkipDestructive: true})
	want = []string{"delete_file /path path skipped", "delete_file schema skipped"}
	if diff := cmp.Diff(want, inAll(r.Facts)); diff != "" {
		t.Error(diff)
	}
}

// TestBatch holds that a server which a batch of JSON-RPC stops is found out.
func TestBatch(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	for how, seen := range map[string]string{"end": "the server ended", "hang": "the server answers no more"} {
		r := run(t, Config{Command: fixtureServer(t, "shell-guarded+"), Env: []string{"FIXTURE_BATCH=" + how}, CallTimeout: 8 * time.Second})
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

// TestProgress holds that an audit tells which tools it tries, and counts its steps.
func TestProgress(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	tools, last, all := map[string]bool{}, 0, 0
	run(t, Config{Command: fixtureServer(t, "read-open", "shell-guarded"), Progress: func(tool string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		tools[tool], last, all = true, max(last, done), of
	}})
	if len(tools) != 2 || last == 0 || last >= all {
		t.Errorf("tools %v, %d of %d steps done when the last began", tools, last, all)
	}
}
