// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
)

// ruled makes a server with rules for its own tools.
func ruled(t *testing.T, rules string) *Server {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\nservers: {schedule: {}}\nrules:\n"+rules), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, false)
	s.cfg.Name = "schedule"
	s.cfg.Gate = func(more ...toolvet.Option) (*toolvet.Gate, error) {
		options, err := (&access.Enforcer{Server: "schedule", View: s.View}).Options(p)
		if err != nil {
			return nil, err
		}
		return toolvet.New(append(append(more, options...), toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("schedule"), toolvet.WithElsewhere("preset"))...)
	}
	return s
}

// TestRulesReadNames: a rule for a job holds for its name, its id and its runs, in a dry run and live.
func TestRulesReadNames(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string]string{
		"deny":       `  - {name: keep, effect: deny, tools: "schedule:*", when: 'has(args.job) && args.job == "payroll"', message: hands off}`,
		"deny typed": `  - {name: keep, effect: deny, tools: ["schedule:get", "schedule:pause", "schedule:resume", "schedule:trigger", "schedule:update", "schedule:executions", "schedule:delete"], when: 'args.job == "payroll"', message: hands off}` + "\n  - {name: runs, effect: deny, tools: [\"schedule:retriev*\", \"schedule:cancel\", \"schedule:replay\"], when: 'args.job == \"payroll\"', message: hands off}",
		"allow":      `  - {name: mine, effect: allow, tools: "schedule:*", when: '!has(args.job) || args.job == "backup"'}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ruled(t, rules)
			client := connectAs(t, s, "ann")
			for _, job := range []string{"payroll", "backup"} {
				id, run := made(t, s, job)
				for _, call := range [][2]string{
					{"get", `{"job":"ID"}`}, {"executions", `{"job":"ID"}`}, {"retrieve", `{"run":"RUN"}`}, {"cancel", `{"run":"RUN"}`}, {"replay", `{"run":"RUN"}`}, {"trigger", `{"job":"ID"}`}, {"pause", `{"job":"ID"}`},
					{"resume", `{"job":"ID"}`}, {"update", `{"job":"ID","changes":{"tags":["x"]}}`}, {"delete", `{"job":"ID"}`},
				} {
					for _, word := range []string{job, id} {
						arguments := strings.NewReplacer("ID", word, "RUN", run).Replace(call[1])
						dry, _ := use(t, client, "validate", `{"tool":"`+call[0]+`","arguments":`+arguments+`}`)
						if got := strings.Contains(dry, `"valid":false`); got != (job == "payroll") {
							t.Errorf("validate %s %s: %s", call[0], arguments, dry)
						}
						if call[0] == "cancel" && job == "backup" && word == id {
							continue // it has ended
						}
						if call[0] == "delete" && job == "backup" && word == job {
							continue // the id is next
						}
						if text, failed := use(t, client, call[0], arguments); failed != (job == "payroll") {
							t.Errorf("%s %s: %s", call[0], arguments, text)
						}
					}
				}
			}
		})
	}
}

// made makes a job that has run, without any rules.
func made(t *testing.T, s *Server, name string) (job, run string) {
	t.Helper()
	past := New(s.cfg)
	past.cfg.Gate = gate
	client := connectAs(t, past, "ann")
	for _, tool := range []string{"create", "trigger"} {
		arguments, into := `{"name":"`+name+`","tool":"files:read","schedule":"every hour"}`, &job
		if tool == "trigger" {
			arguments, into = `{"job":"`+name+`"}`, &run
		}
		text, failed := use(t, client, tool, arguments)
		var answer struct{ ID string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || failed {
			t.Fatal(text)
		}
		*into = answer.ID
	}
	return job, run
}

// TestReadingIsPermitted: a session may read a resource if the tool would answer it.
func TestReadingIsPermitted(t *testing.T) {
	t.Parallel()
	s := newServer(t, false)
	job, run := made(t, s, "payroll")
	var asked []string
	s.cfg.Permit = func(_ context.Context, who call.Session, tool string, arguments any) error {
		said, _ := json.Marshal(arguments)
		asked = append(asked, who.Subject+" "+tool+" "+string(said))
		return errors.New("hands off")
	}
	client := connectAs(t, s, "ann")
	for _, uri := range []string{jobURI + job, jobURI + "payroll", runURI + run} {
		if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "hands off") {
			t.Errorf("%s is read: %v", uri, err)
		}
	}
	want := `ann get {"job":"` + job + `"}, ann get {"job":"payroll"}, ann retrieve {"run":"` + run + `"}`
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked was %s, want %s", got, want)
	}
}
