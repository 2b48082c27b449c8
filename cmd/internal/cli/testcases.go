// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// loadedTests are ready to run.
type loadedTests struct {
	checks enforce.Checks
	*policy.Tests
	file   string
	policy *policy.Policy           // as in its file
	tools  map[string]*call.Catalog // by server; "" stands for any
	gates  map[string]*offlineGate  // by name of the server in the policy
	cases  []loadedCase
}

type loadedCase struct {
	policy.Case
	tool  string // without the server
	gate  *offlineGate
	tools *call.Catalog
}

// loadTests reads tests, their policy and their tools. An error with a place in the file is a
// policy.Errors.
func (a *app) loadTests(file string) (*loadedTests, error) {
	data, err := readAtMost(file, maxTests)
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	t := &loadedTests{checks: a.checks, file: file, tools: map[string]*call.Catalog{}, gates: map[string]*offlineGate{}}
	if t.Tests, err = policy.ParseTests(file, data); err != nil {
		return nil, err
	}
	if t.policy, err = policy.LoadEach(t.beside(t.Policy), a.checks.Demands()...); err != nil {
		return nil, err
	}
	if err := a.loadTestTools(t); err != nil {
		return nil, err
	}
	if err := t.loadCases(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *loadedTests) loadCases() error {
	var errs policy.Errors
	for _, c := range t.Cases {
		errs = append(errs, t.wrongNames(c)...)
		loaded, err := t.load(c)
		var wrong *policy.Error
		switch {
		case errors.As(err, &wrong) && wrong.File == t.file:
			errs = append(errs, wrong)
		case err != nil:
			return err // of the policy
		}
		t.cases = append(t.cases, loaded)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// maxTests exceeds the limit of policy.ParseTests, so that its error is the one about a large file.
const maxTests = 1<<20 + 1

func readAtMost(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// beside resolves a file name in the tests relative to their directory.
func (t *loadedTests) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(t.file), name)
}

func (a *app) loadTestTools(t *loadedTests) error {
	for _, said := range t.Tools {
		if _, err := policyServer(t.policy, said.Server); err != nil && said.Server != "" {
			return said.Errorf("", 1, 1, "the tools: %v", err)
		}
		if said.File != "" {
			catalog, err := a.savedTools(t.beside(said.File))
			if err != nil {
				return err
			}
			t.tools[said.Server] = catalog
			continue
		}
		result, err := listResult(said.List)
		if err != nil {
			return said.Errorf("", 1, 1, "the tools: %v", err)
		}
		tools, _, faults, err := call.DecodeTools(result, call.Limits{})
		if err != nil {
			return said.Errorf("", 1, 1, "the tools: %v", err)
		}
		for _, fault := range faults {
			return said.Errorf("", 1, 1, "the tools: %v", fault)
		}
		t.tools[said.Server] = call.NewCatalog(tools)
	}
	return nil
}

// load finds the gate and the tools of a case. A fault of the case is a *policy.Error.
func (t *loadedTests) load(c policy.Case) (loadedCase, error) {
	asked := cmp.Or(c.Tool, c.Request)
	server, tool, named := strings.Cut(asked, ":")
	if !named {
		server, tool = "", asked
	}
	l := loadedCase{Case: c, tool: tool}
	var err error
	if server == daemon.SchedulerName && t.policy.Schedule != nil {
		l.gate, l.tools, err = t.scheduler()
	} else {
		l.gate, l.tools, err = t.server(server, c.Request == "")
	}
	var unknown unknownServer
	switch {
	case errors.As(err, &unknown):
		return l, c.Errorf("tool", 1, 1, "%v", err)
	case err != nil:
		return l, err
	}
	if l.Session == nil {
		session := enforce.Source{}.Session(l.gate.policy)
		l.Session = &session
	}
	return l, nil
}

// An unknownServer is the fault of a case that calls tools of an unknown server.
type unknownServer struct{ error }

// server returns the gate and the tools of a server that a case names, "" for the only one. A case of a
// request needs no tools.
func (t *loadedTests) server(name string, needsTools bool) (gate *offlineGate, tools *call.Catalog, err error) {
	known, err := policyServer(t.policy, name)
	if err != nil {
		return nil, nil, unknownServer{fmt.Errorf("%w: a call's tool is TOOL or SERVER:TOOL", err)}
	}
	if t.gates[known] == nil {
		if t.gates[known], err = newOfflineGate(enforce.Source{Checks: t.checks, Policy: t.beside(t.Policy), Server: known}, t.Runtime); err != nil {
			return nil, nil, err
		}
	}
	gate = t.gates[known]
	for _, name := range []string{name, gate.server, ""} {
		tools = cmp.Or(tools, t.tools[name])
	}
	if tools == nil && needsTools {
		return nil, nil, unknownServer{errors.New("the tests give no tools for this server")}
	}
	return gate, tools, nil
}

// wrongNames reports expected checks and rules that do not exist.
func (t *loadedTests) wrongNames(c policy.Case) (errs policy.Errors) {
	p := t.policy
	var checks, rules []string
	for _, k := range t.checks {
		checks = append(checks, k.Name)
	}
	if len(p.Rules) > 0 {
		checks = append(checks, ruleCheck)
	}
	if p.Schedule != nil {
		checks = append(checks, server.JobCheck)
	}
	for _, r := range p.Rules {
		rules = append(rules, r.Name)
	}
	for _, want := range []struct {
		what, name string
		known      []string
	}{{"check", c.Want.Check, checks}, {"rule", c.Want.Rule, rules}} {
		if want.name == "" || slices.Contains(want.known, want.name) {
			continue
		}
		errs = append(errs, c.Errorf(want.what, 1, 1, "there is no %s of this name%s", want.what, nearest(want.name, want.known)))
	}
	return errs
}
