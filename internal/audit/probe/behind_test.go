// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/npm"
)

// behind is the command of a server whose tool reaches its hole only after something has answered.
func behind(t testing.TB, name string, args ...string) []string {
	t.Helper()
	node := need.Node.Program(t, "node")
	script, err := filepath.Abs(filepath.Join("testdata", "behind", name+".mjs"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{node, script}, args...)
}

// graded are the proven weaknesses of a result that count, of files, addresses and commands.
func graded(r *Result) []string {
	var list []string
	for _, f := range r.Facts {
		if c := f.Tool + f.Param + " " + string(f.Class); f.Verdict == audit.Vulnerable && f.Confidence == audit.Proven && f.Class != audit.Output && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// TestBehindAPI holds that a hole behind an API is found if requests get made-up answers, and only then; and that these make up no
// hole of the guarded twin.
func TestBehindAPI(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	for name, want := range map[string][]string{
		"download": {"save_asset/folder path"},
		"lookup":   {"restart_host/name command"},
		"login":    {"read_report/path path"},
		"fallback": {"fetch_design/file command"},
	} {
		for variant, want := range map[string][]string{"open": want, "guarded": nil, "unanswered": nil} {
			if name == "fallback" && variant == "unanswered" {
				want = []string{"fetch_design/file command"} // a service that fails is all that it takes
			}
			t.Run(name+" "+variant, func(t *testing.T) {
				t.Parallel()
				cfg := Config{Command: behind(t, name, variant)}
				if variant == "unanswered" {
					cfg.Replay = answersOf(t, recorded) // of other hosts
				}
				r := run(t, cfg)
				if diff := cmp.Diff(want, graded(r)); diff != "" {
					t.Errorf("%s\n%v\n%v", diff, inAll(r.Facts), r.Notes)
				}
			})
		}
	}
}

// TestBehindService holds that a hole behind a connection to a database or a mail server is found, with the real client, and none in the
// guarded twin.
func TestBehindService(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	for name, want := range map[string]struct {
		client, note  string
		proven, added []string
	}{
		"postgres": {"pg", "PostgreSQL", []string{"export_user/file path", "export_user/name command"}, []string{"export_user/name the text becomes part of a statement for a database"}},
		"mysql":    {"mysql2", "MySQL", []string{"greet_user/greeting command", "greet_user/name command"}, []string{"greet_user/name the text becomes part of a statement for a database"}},
		"redis":    {"ioredis", "Redis", []string{"read_note/path path"}, nil},
		"mail":     {"nodemailer", "SMTP", []string{"send_report/attachment path"}, nil},
	} {
		for _, variant := range []string{"open", "guarded", "secure"} {
			t.Run(name+" "+variant, func(t *testing.T) {
				t.Parallel()
				packages := npm.Program(t, want.client+"/package.json")[1]
				r := run(t, Config{Command: behind(t, name, packages, variant)})
				var statements []string
				for _, f := range r.Facts {
					if f.Kind == "sql" {
						statements = append(statements, f.Tool+f.Param+" "+f.Why)
					}
				}
				proven, added := want.proven, want.added
				if variant == "guarded" {
					proven, added = nil, nil
				}
				if diff := cmp.Diff(proven, graded(r)) + cmp.Diff(added, statements); diff != "" {
					t.Errorf("%s\n%v\n%v", diff, inAll(r.Facts), r.Notes)
				}
				if !slices.Contains(r.Notes, "stand-ins answered for services: "+want.note) {
					t.Errorf("%s is not noted: %v", want.note, r.Notes)
				}
				explained(t, r.Facts)
			})
		}
	}
}

// TestNoToken holds that random names are in no proof, so that two reports are the same.
func TestNoToken(t *testing.T) {
	t.Parallel()
	a, name := new(auditor), token()
	a.fact(audit.Fact{Proof: &audit.Proof{Arguments: `{"path":"/` + name + `"}`, Seen: "the system call open with the path /data/outside/" + name}})
	want := &audit.Proof{Arguments: `{"path":"/RANDOM"}`, Seen: "the system call open with the path /data/outside/RANDOM"}
	if diff := cmp.Diff(want, a.result.Facts[0].Proof); diff != "" {
		t.Error(diff)
	}
}

// TestIsService holds that nothing made up answers at an address or a name that a probe leads to.
func TestIsService(t *testing.T) {
	t.Parallel()
	c := newCanary()
	c.avoids("Docs.Example.org.evil-twin.com")
	for host, want := range map[string]bool{
		"api.example.com": true, serviceHost: true, "api.example.com.": true,
		publicHost: false, "x." + publicHost: false, loopbackHost: false, privateHost: false, token() + "." + rebindOnce: false, "a." + evilHost: false,
		"docs.example.org.evil-twin.com": false, token() + ".example.com": false,
		"localhost": false, "audit.localhost": false, "db": false, "127.0.0.1": false, "169.254.169.254": false, "::1": false, "93.184.216.1": false, "": false,
	} {
		if got := c.isService(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
