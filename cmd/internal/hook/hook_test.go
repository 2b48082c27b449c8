// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/semantics"
)

var update = flag.Bool("update", false, "write the events and replies of testdata/*.txtar")

// answers are given to every event.
var answers = []struct {
	name string
	hook.Answer
}{
	{"none", hook.Answer{Decision: hook.None}},
	{"allow", hook.Answer{Decision: hook.Allow, Reason: "It only reads."}},
	{"ask", hook.Answer{Decision: hook.Ask, Reason: "It sends <files> away."}},
	{"deny", hook.Answer{Decision: hook.Deny, Reason: "It deletes files & more.", Notice: "toolvet refused a call."}},
	{"mute", hook.Answer{}},
	{"hint", hook.Answer{Decision: hook.None, Notice: "toolvet only observes.", Context: "Paths are relative to /repo."}},
}

// A golden file is testdata/HOST.txtar. Its comment begins with what was verified. Sections:
//
//	NAME/input.json  what the host sends
//	NAME/env         the environment, as lines KEY=VALUE; optional
//	NAME/event.json  the event, or error with the text of the error
//	NAME/replies     what the process prints, for each answer
func TestHosts(t *testing.T) {
	for _, h := range hook.Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			file := filepath.Join("testdata", h.Name+".txtar")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: comment(h)}
			for _, f := range archive.Files {
				name, kind, _ := strings.Cut(f.Name, "/")
				if kind == "input.json" {
					got.Files = append(got.Files, f)
					env := section(archive, name+"/env")
					if env != nil {
						got.Files = append(got.Files, txtar.File{Name: name + "/env", Data: env})
					}
					got.Files = append(got.Files, replies(t, h, name, f.Data, env)...)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); d != "" {
				t.Error(d)
			}
		})
	}
}

func comment(h *hook.Host) []byte {
	return fmt.Appendf(nil, "%s. Verified: %s.\n\n", h.Title, h.Verified)
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func replies(t *testing.T, h *hook.Host, name string, input, env []byte) []txtar.File {
	vars := map[string]string{}
	for line := range strings.Lines(string(env)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		vars[k] = v
	}
	e, err := h.Decode(bytes.TrimSpace(input), func(k string) string { return vars[k] })
	if err != nil {
		refused(t, h, err.Error())
		return []txtar.File{{Name: name + "/error", Data: []byte(err.Error() + "\n")}}
	}
	if e.Host != h.Name {
		t.Errorf("%s: the event is of the host %q", name, e.Host)
	}
	var b strings.Builder
	for _, a := range answers {
		r := h.Encode(e, a.Answer)
		write(&b, a.name, r)
		if e.Kind == hook.BeforeTool && !observes(h, e) {
			obeyed(t, h, name, a.Decision, r)
		}
	}
	if e.Kind == hook.AfterTool && e.Output != nil {
		write(&b, "replace", h.Encode(e, hook.Answer{Decision: hook.Allow, Output: bytes.ReplaceAll(e.Output, []byte("SECRET"), []byte("[redacted]"))}))
	}
	return []txtar.File{
		{Name: name + "/event.json", Data: eventJSON(t, e)},
		{Name: name + "/replies", Data: []byte(b.String())},
	}
}

// observes reports an event before a tool in which nothing can be said. No host has one yet.
func observes(*hook.Host, hook.Event) bool { return false }

func write(b *strings.Builder, name string, r hook.Reply) {
	fmt.Fprintf(b, "%s: exit %d\n", name, r.Exit)
	for _, s := range []struct {
		name string
		text []byte
	}{{"stdout", r.Stdout}, {"stderr", r.Stderr}} {
		for line := range strings.Lines(string(s.text)) {
			fmt.Fprintf(b, "    %s: %s\n", s.name, strings.TrimSuffix(line, "\n"))
		}
	}
}

// eventJSON is an event with the fields that are set.
func eventJSON(t *testing.T, e hook.Event) []byte {
	all, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(all, &fields); err != nil {
		t.Fatal(err)
	}
	fields["Kind"] = fmt.Appendf(nil, "%q", kinds[e.Kind])
	for k, v := range fields {
		if slices.Contains([]string{`""`, "null", "false"}, string(v)) {
			delete(fields, k)
		}
	}
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

var kinds = []string{"BeforeTool", "Permission", "AfterTool", "Prompt", "SessionStart", "SessionEnd", "SubagentStart", "SubagentEnd", "Other"}

// obeyed checks that the host does what the answer says.
func obeyed(t *testing.T, h *hook.Host, name string, d hook.Decision, r hook.Reply) {
	t.Helper()
	got := semantics.Run(h.Name, semantics.Result{Reply: r}, false)
	switch {
	case d == hook.Deny && got != semantics.Blocked,
		d == hook.Ask && got != semantics.Blocked && (got != semantics.Asked || !h.Asks),
		d == hook.Allow && got != semantics.Allowed,
		d == hook.None && got == semantics.Blocked:
		t.Errorf("%s: a call with the decision %d is %s: %s%s (exit %d)", name, d, got, r.Stdout, r.Stderr, r.Exit)
	}
}

func refused(t *testing.T, h *hook.Host, reason string) {
	t.Helper()
	for _, closed := range []bool{false, true} {
		if got := semantics.Run(h.Name, semantics.Result{Reply: h.Refuse(reason)}, closed); got != semantics.Blocked {
			t.Errorf("%s: a refused call is %s", h.Name, got)
		}
	}
}

// TestEveryHost: the table is complete, and a host with the name is found.
func TestEveryHost(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range hook.Hosts() {
		if h.Name == "" || h.Title == "" || h.Verified == "" || h.Decode == nil || h.Encode == nil || h.Refuse == nil || seen[h.Name] {
			t.Errorf("%+v is incomplete, or there twice", h)
		}
		seen[h.Name] = true
		if found, ok := hook.Lookup(h.Name); !ok || found.Title != h.Title {
			t.Errorf("Lookup(%q) finds %v", h.Name, found)
		}
		for _, reason := range []string{"", " \n", "why"} {
			refused(t, h, reason)
		}
		// The zero answer to the zero event denies.
		if got := semantics.Run(h.Name, semantics.Result{Reply: h.Encode(hook.Event{}, hook.Answer{})}, false); got != semantics.Blocked {
			t.Errorf("%s: the zero answer: %s", h.Name, got)
		}
	}
	if _, ok := hook.Lookup("emacs"); ok {
		t.Error("there is a host that nobody knows")
	}
}

// TestBrokenOutput: where a new output is no JSON, neither it nor the tool's own comes through.
func TestBrokenOutput(t *testing.T) {
	e := hook.Event{Kind: hook.AfterTool, Name: "PostToolUse", Tool: "Bash", Output: json.RawMessage(`{"stdout":"SECRET","code":1}`)}
	for _, h := range hook.Hosts() {
		if !h.ReplacesOutput {
			continue
		}
		r := h.Encode(e, hook.Answer{Decision: hook.Allow, Output: json.RawMessage(`{"stdout":"NEW`)})
		if len(r.Stdout) == 0 || bytes.Contains(r.Stdout, []byte("SECRET")) || bytes.Contains(r.Stdout, []byte("NEW")) || !bytes.Contains(r.Stdout, []byte("refuses")) {
			t.Errorf("%s: %s", h.Name, r.Stdout)
		}
	}
}

// FuzzDecode: no input panics a decoder; what cannot be decoded is refused, and a denial of what can be is obeyed.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, a := range archive.Files {
			if strings.HasSuffix(a.Name, "/input.json") {
				f.Add(a.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, h := range hook.Hosts() {
			e, err := h.Decode(raw, func(string) string { return "tool" })
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r\x1b") {
					t.Errorf("%s: the error has control characters: %q", h.Name, err)
				}
				refused(t, h, err.Error())
				continue
			}
			var object map[string]json.RawMessage
			tool := e.Kind == hook.BeforeTool || e.Kind == hook.AfterTool || e.Kind == hook.Permission
			if err := json.Unmarshal(e.Input, &object); tool && (err != nil || e.Tool == "") {
				t.Errorf("%s: the event has no tool or no object of arguments: %q %s", h.Name, e.Tool, e.Input)
			}
			for _, a := range answers {
				r := h.Encode(e, a.Answer)
				if e.Kind == hook.BeforeTool {
					obeyed(t, h, "fuzz", a.Decision, r)
				}
			}
		}
	})
}
