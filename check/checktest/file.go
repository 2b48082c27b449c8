// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// A file is a case file that has been read.
type file struct {
	demand *check.Demand // that the check answers, or nil
	work   string        // the directory that is written $WORK

	listed   bool // it has a list of tools, perhaps an empty one
	tools    []*call.Tool
	server   string // the text of the last section "server"
	sections []*section
	names    map[string]bool // of sections below the last section "server"
}

// A section is one that has cases.
type section struct {
	name    string
	at      int // which file of the archive it is
	cases   []testCase
	end     string // comments and blank lines behind the last case
	server  *policy.Server
	policy  string // the text of what the policy says; no secret
	refused string // the faults of the policy, as expected; or ""
	params  func(value json.RawMessage) []byte
	within  string // where the value is in the arguments
	method  string // that is answered, if the values are results
}

const workDir = "$WORK"

// readFile reads the sections of a case file, and writes the files among them.
func readFile(archive *txtar.Archive, demand *check.Demand, work string) (f *file, faults []string) {
	f = &file{demand: demand, work: work, names: make(map[string]bool)}
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(string(archive.Comment)) == "" {
		fail("the file does not say what it shows: begin it with a sentence")
	}
	for i, part := range archive.Files {
		if err := f.add(i, part.Name, string(part.Data)); err != nil {
			fail("the section %q: %v", part.Name, err)
		}
	}
	if len(f.sections) == 0 {
		fail(`the file has no case: add a section such as "call NAME"`)
	}
	return f, faults
}

func (f *file) expand(text string) string   { return strings.ReplaceAll(text, workDir, f.work) }
func (f *file) collapse(text string) string { return strings.ReplaceAll(text, f.work, workDir) }

// add reads a section.
func (f *file) add(at int, name, text string) error {
	kind, rest, _ := strings.Cut(name, " ")
	s := &section{name: name, at: at}
	switch {
	case name == "tool" || name == "tools":
		return f.addTools(kind, []byte(f.expand(text)))
	case name == "server":
		f.server, f.names = f.expand(text), make(map[string]bool)
		return nil
	case strings.HasPrefix(name, "files/"):
		return writeFile(f.work, f.expand(strings.TrimPrefix(name, "files/")), f.expand(text))
	case kind == "call" && rest != "":
		if len(f.tools) != 1 {
			return errors.New(`which tool? Put "tool" before it, or use "params"`)
		}
		s.params = callOf(f.tools[0].Name)
		return f.addCalls(s, text)
	case kind == "params" && rest != "":
		if !f.listed {
			return errors.New(`the file has no tool: put a section "tool" before it`)
		}
		s.params = func(value json.RawMessage) []byte { return value }
		return f.addCalls(s, text)
	case kind == "result" && rest != "":
		var err error
		if s.method, err = methodOf(rest); err != nil {
			return err
		}
		return f.addResults(s, text)
	case f.demand != nil && kind == f.demand.Name+":" && f.demand.Results:
		s.method = toolResult
		return f.addResultDemand(s, text)
	case f.demand != nil && kind == f.demand.Name+":":
		return f.addDemand(s, text)
	}
	other := ""
	if f.demand != nil {
		other = fmt.Sprintf(`, or what a policy demands, such as "%s: {}"`, f.demand.Name)
	}
	return fmt.Errorf(`must be "tool", "tools", "server", "call NAME", "params NAME", "result NAME" or "files/NAME"%s`, other)
}

// callOf returns how the params of a call of a tool are made of its arguments.
func callOf(tool string) func(arguments json.RawMessage) []byte {
	name, _ := json.Marshal(tool) // no string fails
	return func(arguments json.RawMessage) []byte {
		return fmt.Appendf(nil, `{"name": %s, "arguments": %s}`, name, arguments)
	}
}

func (f *file) addTools(kind string, data []byte) error {
	if f.listed {
		return errors.New("the file has tools already")
	}
	f.listed = true
	if kind == "tool" {
		tool, err := call.DecodeTool(data, call.Limits{})
		if err != nil {
			return err
		}
		f.tools = []*call.Tool{tool}
		return nil
	}
	tools, _, faults, err := call.DecodeTools(data, call.Limits{})
	f.tools = tools
	return errors.Join(append(faults, err)...)
}

// addCalls adds cases that are whole calls.
func (f *file) addCalls(s *section, text string) error {
	if err := f.addCases(s, text); err != nil {
		return err
	}
	if len(s.cases) == 0 || s.cases[0].value == nil {
		return errors.New("has no arguments: begin it with a JSON object")
	}
	if f.demand != nil && f.server == "" {
		return errors.New(`nothing is demanded: put a section "server" before it`)
	}
	if f.server == "" {
		return nil
	}
	return f.readServer(s)
}

// addDemand adds cases that are values of an argument, or without a value calls.
func (f *file) addDemand(s *section, text string) error {
	if err := f.addCases(s, text); err != nil {
		return err
	}
	if len(s.cases) == 0 {
		s.cases, s.end = []testCase{{text: s.end}}, ""
	}
	whole := s.cases[0].value == nil
	if !whole {
		s.within = "/" + argument
	}
	inTool := callOf("tool")
	s.params = func(value json.RawMessage) []byte {
		if whole {
			return inTool([]byte("{}"))
		}
		return inTool(fmt.Appendf(nil, `{%q: %s}`, argument, value))
	}
	if err := f.readDemand(s, whole); err != nil {
		return err
	}
	if s.refused != "" && !whole {
		return errors.New("the policy refuses what is demanded, so there must be no value: " + s.refused)
	}
	return nil
}

func (f *file) addCases(s *section, text string) (err error) {
	if f.names[s.name] {
		return errors.New("the file has a section of this name already")
	}
	f.names[s.name] = true
	f.sections = append(f.sections, s)
	s.cases, s.end, err = readCases(text, f.expand)
	return err
}
