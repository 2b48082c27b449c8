// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/cmd/command"
)

// own makes a check that finds nothing.
func own(name string, demand *check.Demand) *check.Check {
	return &check.Check{
		Name: name, Doc: "# " + name + "\n\nIt finds nothing.\n", Stage: check.Semantic, Level: check.SyntaxLevel, Demand: demand,
		Run: func(context.Context, *check.Pass) error { return nil },
	}
}

// programs are programs with checks of their own, each with what it says on standard error.
var programs = map[string]struct {
	checks []*check.Check
	want   string // "" if it runs
}{
	"none":           {nil, ""},
	"two":            {[]*check.Check{own("a", nil), own("b", nil)}, ""},
	"shareddemand":   {[]*check.Check{own("a", path.Demand)}, ""},
	"builtin":        {[]*check.Check{own("a", nil), own("path", nil)}, `check "path" has the name of a check of toolvet: choose another name`},
	"ofdatabases":    {[]*check.Check{own("sql-state", nil)}, `check "sql-state" has the name of a check of toolvet: choose another name`},
	"ofaccess":       {[]*check.Check{own("rule", nil)}, `check "rule" has the name of a check of toolvet: choose another name`},
	"ofrehearsals":   {[]*check.Check{own("rehearsal", nil)}, `check "rehearsal" has the name of a check of toolvet: choose another name`},
	"ofthescheduler": {[]*check.Check{own("schedule-name", nil)}, `check "schedule-name" has the name of a check of toolvet: choose another name`},
	"twice":          {[]*check.Check{own("a", nil), own("a", nil)}, `check "a" is listed twice`},
	"nil":            {[]*check.Check{nil}, " is nil"},
	"unready":        {[]*check.Check{{Name: "a"}}, `check "a" needs documentation`},
	"otherdemand": {[]*check.Check{own("a", &check.Demand{Name: "path", Options: func() any { return new(struct{}) }})},
		`check "a" has a demand "path", as a check before it: choose another name, or share the *Demand`},
}

func TestMain(m *testing.M) {
	commands := map[string]func(){}
	for name, p := range programs {
		commands["toolvet-"+name] = func() { command.Main(context.Background(), p.checks...) }
	}
	testscript.Main(m, commands)
}

// TestChecks holds that own checks stand behind toolvet's and replace none, and that faulty ones stop every command.
func TestChecks(t *testing.T) {
	t.Parallel()
	for name, tt := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, argument := range []string{"explain", "version", "supervise"} {
				var stderr strings.Builder
				cmd := exec.CommandContext(t.Context(), "toolvet-"+name, argument)
				cmd.Stderr = &stderr
				stdout, err := cmd.Output()
				code := 0
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					code = exit.ExitCode()
				} else if err != nil {
					t.Fatal(err)
				}
				if tt.want != "" {
					if said := stderr.String(); code != 2 || len(stdout) > 0 || !strings.HasPrefix(said, "toolvet: error: ") || !strings.Contains(said, tt.want) {
						t.Errorf("%s: exit code %d, %q and %q, want 2 and %q", argument, code, stdout, said, tt.want)
					}
					continue
				}
				if argument != "explain" {
					continue
				}
				if code != 0 || stderr.Len() > 0 {
					t.Errorf("exit code %d: %s", code, &stderr)
				}
				rest := string(stdout)
				for _, c := range append([]*check.Check{own("path", nil), own("sql-state", nil)}, tt.checks...) {
					before, after, found := strings.Cut(rest, "\n"+c.Name+" ")
					if !found || strings.Contains(before, "\nAUDIT ") {
						t.Errorf("%s is not listed in its place:\n%s", c.Name, stdout)
					}
					rest = after
				}
			}
		})
	}
}
