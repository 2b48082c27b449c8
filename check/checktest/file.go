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
)

// A file is a case file that has been read: tools, and calls of them.
type file struct {
	listed bool // it has a list of tools, perhaps an empty one
	tools  []*call.Tool
	cases  []testCase
}

type testCase struct {
	name   string
	params []byte  // of the tools/call
	want   *string // the text of what the check finds; nil without a section
}

// wanted is the text of the want section, "" without one.
func (tc *testCase) wanted() string {
	if tc.want == nil {
		return ""
	}
	return *tc.want
}

// readFile reads the sections of a case file.
func readFile(archive *txtar.Archive) (f *file, faults []string) {
	f = &file{}
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(string(archive.Comment)) == "" {
		fail("the file does not say what it shows: begin it with a sentence")
	}
	for _, section := range archive.Files {
		kind, name, _ := strings.Cut(section.Name, " ")
		if err := f.add(kind, name, section.Data); err != nil {
			fail("the section %q: %v", section.Name, err)
		}
	}
	if !f.listed {
		fail(`the file has no tool: begin with a section "tool"`)
	}
	if len(f.cases) == 0 {
		fail(`the file has no case: add a section "call NAME"`)
	}
	return f, faults
}

func (f *file) add(kind, name string, data []byte) error {
	switch {
	case (kind == "tool" || kind == "tools") && name == "":
		return f.addTools(kind, data)
	case kind == "call" && name != "":
		if len(f.tools) != 1 {
			return errors.New(`which tool? Put "tool" before it, or use "params"`)
		}
		tool, _ := json.Marshal(f.tools[0].Name) // no string fails
		return f.addCase(name, fmt.Appendf(nil, `{"name": %s, "arguments": %s}`, tool, data))
	case kind == "params" && name != "":
		return f.addCase(name, data)
	case kind == "want" && name != "":
		return f.expect(name, string(data))
	}
	return errors.New(`must be "tool", "tools", "call NAME", "params NAME" or "want NAME"`)
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

func (f *file) addCase(name string, params []byte) error {
	if f.find(name) != nil {
		return errors.New("the file has a case of this name already")
	}
	f.cases = append(f.cases, testCase{name: name, params: params})
	return nil
}

func (f *file) find(name string) *testCase {
	for i := range f.cases {
		if f.cases[i].name == name {
			return &f.cases[i]
		}
	}
	return nil
}

func (f *file) expect(name, text string) error {
	switch tc := f.find(name); {
	case tc == nil:
		return errors.New("no case of this name stands before it")
	case tc.want != nil:
		return errors.New("the case has a want section already")
	default:
		tc.want = &text
		return nil
	}
}

// renew returns the archive with what the cases find now.
func renew(archive *txtar.Archive, got map[string]string) *txtar.Archive {
	renewed := &txtar.Archive{Comment: archive.Comment}
	for _, section := range archive.Files {
		kind, name, _ := strings.Cut(section.Name, " ")
		if kind == "want" {
			continue
		}
		renewed.Files = append(renewed.Files, section)
		if got[name] != "" && kind != "tool" && kind != "tools" {
			renewed.Files = append(renewed.Files, txtar.File{Name: "want " + name, Data: []byte(got[name])})
		}
	}
	return renewed
}
