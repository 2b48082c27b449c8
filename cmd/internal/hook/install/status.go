// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// A Status is what is known about a host on this machine.
type Status struct {
	Host   *hook.Host
	Found  string    // by what the host was found; "" if it was not
	Own    []Handler // toolvet's, with their scopes
	Scopes []Scope   // of Own, one for each
	Others []Handler // other programs' hooks, which run on every call as well
	Faults []error   // files that could not be read
	Off    []string  // files that tell the host to run no hooks
}

// Status looks at the configurations of a host in all scopes.
func (in *Installer) Status(h *hook.Host) *Status {
	s := &Status{Host: h, Found: in.Machine.found(h.Name)}
	seen := map[string]bool{}
	own := map[string]bool{}
	var places []*Place
	for _, scope := range Scopes {
		place, err := in.Machine.place(h, scope, Command{})
		if err != nil {
			continue
		}
		places = append(places, place)
		for _, p := range place.pieces {
			own[p.path()] = true
			s.look(in, p, scope, seen)
		}
	}
	for _, place := range places {
		for _, p := range place.others {
			if !own[p.path()] {
				s.look(in, p, "", seen)
			}
		}
	}
	return s
}

// look reads the hooks of one file. Toolvet's own count only in a file where it is installed: elsewhere they are another
// host's, with answers that this one may not understand.
func (s *Status) look(in *Installer, p piece, scope Scope, seen map[string]bool) {
	if seen[p.path()] {
		return
	}
	seen[p.path()] = true
	target, err := follow(p.path())
	if err != nil {
		s.Faults = append(s.Faults, err)
		return
	}
	text, err := readFile(target)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Faults = append(s.Faults, err)
		}
		return
	}
	var programs []string
	if r, err := in.remembered(target); err == nil && r != nil {
		programs = r.Programs
	}
	list, err := p.hooks(text, programs)
	if j, ok := p.(*jsonPiece); ok && j.off(text) {
		s.Off = append(s.Off, p.path())
	}
	if err != nil {
		s.Faults = append(s.Faults, fmt.Errorf("%s: %w", p.path(), err))
		return
	}
	for _, h := range list {
		switch {
		case h.own && scope != "":
			s.Own, s.Scopes = append(s.Own, h), append(s.Scopes, scope)
		case h.Line != "":
			s.Others = append(s.Others, h)
		}
	}
}

// off reports whether a file switches hooks off.
func (p *jsonPiece) off(text []byte) bool {
	d, err := parse(text)
	if err != nil {
		return false
	}
	if all, ok := d.at("disableAllHooks"); ok && d.value(all) == true {
		return true
	}
	enabled, ok := d.at(p.key, "enabled")
	return ok && d.value(enabled) == false
}

// In returns toolvet's handlers of one scope.
func (s *Status) In(scope Scope) []Handler {
	var out []Handler
	for i, h := range s.Own {
		if s.Scopes[i] == scope {
			out = append(out, h)
		}
	}
	return out
}

// Policy returns the policy that a handler of toolvet names; "" if it names none.
func (h *Handler) Policy() string { return policyOf(h.Command) }

// A trace is what a host leaves on a machine.
type trace struct {
	dirs     []string // below the home directory
	config   []string // below the directory of settings
	programs []string
}

var traces = map[string]trace{
	"claude-code": {dirs: []string{".claude"}, programs: []string{"claude"}},
	"codex":       {dirs: []string{".codex"}, programs: []string{"codex"}},
	"gemini":      {dirs: []string{".gemini/settings.json"}, programs: []string{"gemini"}},
	"antigravity": {dirs: []string{".gemini/antigravity-cli", ".gemini/config"}, programs: []string{"agy"}},
	"copilot":     {dirs: []string{".copilot/config.json", ".copilot/settings.json"}, programs: []string{"copilot"}},
	"vscode":      {dirs: []string{".vscode"}, config: []string{"Code/User"}, programs: []string{"code"}},
	"cursor":      {dirs: []string{".cursor"}, programs: []string{"cursor", "cursor-agent"}},
	"windsurf":    {dirs: []string{".codeium/windsurf"}, programs: []string{"windsurf"}},
	"cline":       {dirs: []string{"Documents/Cline", ".cline"}, programs: []string{"cline"}},
	"goose":       {dirs: []string{".config/goose"}, config: []string{"goose"}, programs: []string{"goose"}},
	"kiro":        {dirs: []string{".kiro"}, programs: []string{"kiro", "kiro-cli"}},
	"amp":         {dirs: []string{".config/amp"}, programs: []string{"amp"}},
	"opencode":    {dirs: []string{".config/opencode"}, programs: []string{"opencode"}},
	"grok":        {dirs: []string{".grok"}, programs: []string{"grok"}},
	"qwen":        {dirs: []string{".qwen"}, programs: []string{"qwen"}},
	"kimi":        {dirs: []string{".kimi-code"}, programs: []string{"kimi"}},
	"droid":       {dirs: []string{".factory"}, programs: []string{"droid"}},
}

// found returns by what a host is known to be on the machine, "" if it is not.
func (m *Machine) found(host string) string {
	t := traces[host]
	for _, p := range t.programs {
		if file, err := m.LookPath(p); err == nil {
			return file
		}
	}
	var files []string
	for _, d := range t.dirs {
		files = append(files, filepath.Join(m.Home, filepath.FromSlash(d)))
	}
	for _, d := range t.config {
		files = append(files, filepath.Join(m.Config, filepath.FromSlash(d)))
	}
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			return f
		}
	}
	return ""
}

// Found returns the hosts that are on the machine.
func (m *Machine) Found() []*hook.Host {
	return slices.DeleteFunc(hook.Hosts(), func(h *hook.Host) bool { return m.found(h.Name) == "" })
}

// Events returns the events of handlers, each once.
func Events(list []Handler) []string {
	var out []string
	for _, h := range list {
		if !slices.Contains(out, h.Event) {
			out = append(out, h.Event)
		}
	}
	return out
}

// Before returns the handler of toolvet that judges a shell's commands, and whether there is one.
func Before(list []Handler) (Handler, bool) {
	for _, want := range []string{"beforeShellExecution", "pre_run_command", "PreToolUse", "preToolUse", "BeforeTool", "delegate", "tool.execute.before"} {
		for _, h := range list {
			if strings.EqualFold(h.Event, want) && h.Command != nil {
				return h, true
			}
		}
	}
	return Handler{}, false
}
