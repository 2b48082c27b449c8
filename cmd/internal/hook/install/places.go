// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// A Scope is whose configuration is meant.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
	Managed Scope = "managed" // the whole machine's, which users cannot change
)

// Scopes are all scopes.
var Scopes = []Scope{User, Project, Managed}

// A Machine is where hosts are looked for.
type Machine struct {
	GOOS     string
	Home     string // of the user
	Config   string // of the user's settings, as from os.UserConfigDir
	Dir      string // of the project
	Root     string // before the paths of managed configurations; "" but in tests
	Getenv   func(string) string
	LookPath func(string) (string, error)
	Version  func(program string) string // what PROGRAM --version prints; nil: no program is asked
}

// A Command is what hosts are told to run.
type Command struct {
	Program string // toolvet, as a rule with its absolute path
	Policy  string // absolute path; "" leaves the choice to toolvet
}

func (c Command) words(host string) []string {
	words := []string{c.Program, "hook", host}
	if c.Policy != "" {
		words = append(words, "--policy", c.Policy)
	}
	return words
}

// timeout is what a host gives toolvet, which answers within 8 seconds by itself.
const timeout = 10 * time.Second

// ampProgram is the name under which Amp finds toolvet: it takes no arguments.
const ampProgram = "toolvet-amp"

// mark is in every file that toolvet writes as a whole.
const mark = `Written by "toolvet hook install"; "toolvet hook uninstall" deletes it.`

// A piece is one file of a host's configuration. Its functions are pure.
type piece interface {
	path() string
	mode() uint32 // of a new file
	// install returns the text with toolvet in it.
	install(text []byte, existed bool, programs []string) ([]byte, error)
	// uninstall returns the text without toolvet; empty says that nothing of somebody else's is left. was is the text before
	// toolvet came, nil if it is not known.
	uninstall(text []byte, programs []string, was []byte) (_ []byte, empty bool, err error)
	hooks(text []byte, programs []string) ([]Handler, error)
}

// A need is a member that a file must have.
type need struct {
	key   string
	value any
}

// A jsonPiece is a file of JSON, perhaps with comments.
type jsonPiece struct {
	file    string
	key     string
	shape   shape
	unit    time.Duration // of timeouts
	goos    string
	needs   []need
	entries []entry
}

func (p *jsonPiece) path() string { return p.file }

func (p *jsonPiece) mode() uint32 { return 0o644 }

func (p *jsonPiece) hooks(text []byte, programs []string) ([]Handler, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, nil
	}
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	return p.handlers(d, programs), nil
}

// A Place is the configuration of a host in one scope.
type Place struct {
	Host  *hook.Host
	Scope Scope
	Notes []string // what the user has to know or do, a sentence each

	pieces []piece
	others []piece // further files with hooks that the host runs
}

// errNowhere says that a host has no configuration in a scope.
var errNowhere = errors.New("toolvet knows no such configuration of this host")

// place returns the configuration of a host.
func (m *Machine) place(h *hook.Host, scope Scope, c Command) (*Place, error) {
	make, ok := layouts[h.Name]
	if !ok {
		return nil, errNowhere
	}
	p := &Place{Host: h, Scope: scope}
	b := &builder{Machine: m, Place: p, words: c.words(h.Name), command: c}
	if err := make(b); err != nil {
		return nil, err
	}
	if len(p.pieces) == 0 {
		return nil, errNowhere
	}
	return p, nil
}

// A builder makes a Place.
type builder struct {
	*Machine
	*Place
	command Command
	words   []string
}

func (b *builder) home(parts ...string) string {
	return filepath.Join(append([]string{b.Home}, parts...)...)
}

func (b *builder) dir(parts ...string) string {
	return filepath.Join(append([]string{b.Dir}, parts...)...)
}

// variable is a directory that the environment may name.
func (b *builder) variable(name string, otherwise ...string) string {
	if v := b.Getenv(name); filepath.IsAbs(v) {
		return v
	}
	return b.home(otherwise...)
}

// managed is a directory of the whole machine, by operating system; "" if there is none.
func (b *builder) managed(linux, darwin, windows string) string {
	switch b.GOOS {
	case "darwin":
		return b.Root + darwin
	case "windows":
		return b.Root + windows
	}
	return b.Root + linux
}

// file returns the file of the scope, "" if the host has none.
func (b *builder) file(user, project, managed string) string {
	return map[Scope]string{User: user, Project: project, Managed: managed}[b.Scope]
}

// json adds a file of JSON; none if file is "".
func (b *builder) json(file, key string, s shape, entries ...entry) *jsonPiece {
	p := &jsonPiece{file: file, key: key, shape: s, unit: time.Second, goos: b.GOOS, entries: entries}
	if file != "" {
		b.pieces = append(b.pieces, p)
	}
	return p
}

// reads adds files that the host reads as well. They may be patterns.
func (b *builder) reads(key string, s shape, files ...string) {
	for _, pattern := range files {
		list := []string{pattern}
		if strings.Contains(filepath.Base(pattern), "*") {
			list, _ = filepath.Glob(pattern)
		}
		for _, f := range list {
			own := slices.ContainsFunc(b.pieces, func(p piece) bool { return p.path() == f })
			if !own {
				b.others = append(b.others, &jsonPiece{file: f, key: key, shape: s, unit: time.Second, goos: b.GOOS})
			}
		}
	}
}

func (b *builder) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// grouped makes the entries of Claude Code and of the hosts that follow it.
func (b *builder) grouped(matcher string, events []string, of func(event string) handlerJSON) []entry {
	var out []entry
	for _, e := range events {
		g := groupJSON{Hooks: []handlerJSON{of(e)}}
		if strings.Contains(e, "Tool") {
			g.Matcher = matcher
		}
		out = append(out, entry{e, g})
	}
	return out
}

// shell is a handler that the host gives to a shell.
func (b *builder) shell(event string) handlerJSON {
	return handlerJSON{Type: "command", Command: b.line(event), Timeout: int(timeout.Seconds())}
}

func (b *builder) flat(events []string, of func(event string) handlerJSON) []entry {
	var out []entry
	for _, e := range events {
		out = append(out, entry{e, of(e)})
	}
	return out
}

// mirrored are the events of hosts that follow Claude Code.
var mirrored = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit",
	"SessionStart", "SessionEnd", "SubagentStart", "SubagentStop",
}

func without(events []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return slices.Contains(names, e) })
}

var layouts = map[string]func(*builder) error{
	"claude-code": (*builder).claude,
	"codex":       (*builder).codex,
	"gemini":      (*builder).gemini,
	"antigravity": (*builder).antigravity,
	"copilot":     (*builder).copilot,
	"vscode":      (*builder).vscode,
	"cursor":      (*builder).cursor,
	"windsurf":    (*builder).windsurf,
	"cline":       (*builder).cline,
	"goose":       (*builder).goose,
	"kiro":        (*builder).kiro,
	"amp":         (*builder).amp,
	"opencode":    (*builder).opencode,
	"grok":        (*builder).grok,
	"qwen":        (*builder).qwen,
	"kimi":        (*builder).kimi,
	"droid":       (*builder).droid,
}

// claudeFiles are Claude Code's settings, which other hosts read as well.
func (b *builder) claudeFiles() []string {
	config := b.variable("CLAUDE_CONFIG_DIR", ".claude")
	return []string{filepath.Join(config, "settings.json"), b.dir(".claude", "settings.json"), b.dir(".claude", "settings.local.json")}
}

func (b *builder) claude() error {
	files := b.claudeFiles()
	managed := filepath.Join(b.managed("/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`), "managed-settings.json")
	// Without the switch a session's beginning and end, and a subagent's end, cannot be blocked anyway.
	events := slices.Insert(slices.Clone(mirrored), 1, "PreSkillShellCommand")
	b.json(b.file(files[0], files[1], managed), "hooks", grouped, b.grouped("", events, func(e string) handlerJSON {
		h := handlerJSON{Type: "command", Timeout: int(timeout.Seconds())}
		h.Command, h.Args = b.exec(e)
		if !strings.HasPrefix(e, "Session") && !strings.HasPrefix(e, "Subagent") {
			h.OnFailure = "block"
		}
		return h
	})...)
	b.reads("hooks", grouped, append(files, managed)...)
	return nil
}

func (b *builder) codex() error {
	config := b.variable("CODEX_HOME", ".codex")
	user, project := filepath.Join(config, "hooks.json"), b.dir(".codex", "hooks.json")
	if b.Scope == Managed {
		return unsupported("managed hooks of Codex are in its requirements.toml, which toolvet does not write")
	}
	b.json(b.file(user, project, ""), "hooks", grouped, b.grouped("", without(mirrored, "PostToolUseFailure"), b.shell)...)
	b.reads("hooks", grouped, user, project)
	for _, f := range []string{filepath.Join(config, "config.toml"), b.dir(".codex", "config.toml")} {
		b.others = append(b.others, &tomlPiece{file: f, shape: grouped, goos: b.GOOS})
	}
	b.note("Codex runs a new hook only once you trust it: enter /hooks.")
	return nil
}

func (b *builder) gemini() error {
	user, project := b.home(".gemini", "settings.json"), b.dir(".gemini", "settings.json")
	managed := filepath.Join(b.managed("/etc/gemini-cli", "/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`), "settings.json")
	events := []string{"BeforeTool", "AfterTool", "BeforeAgent", "SessionStart", "SessionEnd"}
	b.json(b.file(user, project, managed), "hooks", grouped, b.grouped("", events, func(event string) handlerJSON {
		return handlerJSON{Type: "command", Name: "toolvet", Command: b.line(event), Timeout: int(timeout.Milliseconds())}
	})...).unit = time.Millisecond
	b.reads("hooks", grouped, user, project, managed)
	for _, p := range b.others {
		p.(*jsonPiece).unit = time.Millisecond
	}
	return nil
}

// antigravity keeps hooks below their names, and reads strict JSON.
func (b *builder) antigravity() error {
	user, project := b.home(".gemini", "config", "hooks.json"), b.dir(".agents", "hooks.json")
	b.json(b.file(user, project, ""), "toolvet", grouped, b.grouped("*", []string{"PreToolUse", "PostToolUse"}, b.shell)...)
	for _, f := range []string{user, project} {
		b.others = append(b.others, &namedPiece{jsonPiece{file: f, shape: grouped, unit: time.Second, goos: b.GOOS}})
	}
	b.note("Antigravity CLI 1.1.11 was seen to run hooks of plugins alone: look at /hooks.")
	return nil
}

func (b *builder) copilot() error {
	config := b.variable("COPILOT_HOME", ".copilot")
	managed := b.managed("/etc/github-copilot/policy.d", "/etc/github-copilot/policy.d", `C:\ProgramData\GitHub\Copilot\policy.d`)
	events := []string{"preToolUse", "postToolUse", "postToolUseFailure", "userPromptSubmitted", "sessionStart", "sessionEnd", "subagentStart", "subagentStop"}
	p := b.json(filepath.Join(b.file(filepath.Join(config, "hooks"), b.dir(".github", "hooks"), managed), "toolvet.json"), "hooks", flat,
		b.flat(events, func(event string) handlerJSON {
			h := handlerJSON{Type: "command", TimeoutSec: int(timeout.Seconds())}
			if b.Scope == Project { // the cloud agent knows no exec
				h.Command = b.line(event)
			} else {
				h.Exec, h.Args = b.exec(event)
			}
			return h
		})...)
	p.needs = []need{{"version", 1}}
	b.reads("hooks", flat, filepath.Join(config, "hooks", "*.json"), filepath.Join(config, "settings.json"), b.dir(".github", "hooks", "*.json"),
		b.dir(".github", "copilot", "settings.json"), b.dir(".github", "copilot", "settings.local.json"), filepath.Join(managed, "*.json"))
	b.reads("hooks", grouped, b.claudeFiles()[1:]...)
	b.note("Visual Studio Code does not understand these answers: if you use its agent, install vscode as well.")
	return nil
}

func (b *builder) vscode() error {
	config := b.home(".copilot", "hooks")
	if b.Scope == Managed {
		return nil
	}
	events := without(mirrored, "PostToolUseFailure", "SessionEnd")
	b.json(filepath.Join(b.file(config, b.dir(".github", "hooks"), ""), "toolvet-vscode.json"), "hooks", flat, b.flat(events, b.shell)...).
		needs = []need{{"version", 1}} // Copilot CLI reads the file as well
	b.reads("hooks", flat, filepath.Join(config, "*.json"), b.dir(".github", "hooks", "*.json"))
	b.reads("hooks", grouped, b.claudeFiles()...)
	b.note("Copilot CLI runs these hooks as well, and does not understand their answers: if you use it, install copilot as well.")
	return nil
}

// cursor has events of their own for a shell's commands, MCP and reading, in which it can ask. They are left out of the
// general event, so that each call is judged once.
func (b *builder) cursor() error {
	user, project := b.home(".cursor", "hooks.json"), b.dir(".cursor", "hooks.json")
	managed := filepath.Join(b.managed("/etc/cursor", "/Library/Application Support/Cursor", `C:\ProgramData\Cursor`), "hooks.json")
	events := []string{
		"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "preToolUse", "postToolUse", "postToolUseFailure",
		"beforeSubmitPrompt", "sessionStart", "sessionEnd", "subagentStart", "subagentStop",
	}
	b.json(b.file(user, project, managed), "hooks", flat, b.flat(events, func(e string) handlerJSON {
		h := handlerJSON{Command: b.line(e), Timeout: int(timeout.Seconds())}
		h.FailClosed = strings.HasPrefix(e, "before") || e == "preToolUse" || e == "subagentStart"
		if e == "preToolUse" {
			h.Matcher = "^(?!(Shell|Read)$|MCP:)"
		}
		return h
	})...).needs = []need{{"version", 1}}
	b.reads("hooks", flat, user, project, managed)
	b.reads("hooks", grouped, b.claudeFiles()...)
	return nil
}

func (b *builder) windsurf() error {
	user, project := b.home(".codeium", "windsurf", "hooks.json"), b.dir(".windsurf", "hooks.json")
	managed := filepath.Join(b.managed("/etc/windsurf", "/Library/Application Support/Windsurf", `C:\ProgramData\Windsurf`), "hooks.json")
	events := []string{
		"pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use", "pre_user_prompt",
		"post_run_command", "post_write_code", "post_read_code", "post_mcp_tool_use",
	}
	b.json(b.file(user, project, managed), "hooks", flat, b.flat(events, func(event string) handlerJSON {
		return handlerJSON{Command: b.line(event)} // Windsurf has no timeouts
	})...)
	b.reads("hooks", flat, user, project, managed)
	return nil
}

// cline runs files with the names of events.
func (b *builder) cline() error {
	if b.GOOS == "windows" {
		return unsupported("hooks of Cline on Windows are PowerShell scripts, which toolvet does not write")
	}
	if b.Scope == Managed {
		return nil
	}
	dir := b.file(b.home("Documents", "Cline", "Hooks"), b.dir(".clinerules", "hooks"), "")
	for _, e := range []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskComplete"} {
		b.pieces = append(b.pieces, &textPiece{file: filepath.Join(dir, e), text: b.script(), event: e, command: b.words, perm: 0o755})
	}
	for _, d := range []string{b.home("Documents", "Cline", "Hooks"), b.dir(".clinerules", "hooks"), b.dir(".cline", "hooks")} {
		for _, e := range []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskCancel", "TaskComplete", "PreCompact"} {
			b.others = append(b.others, &textPiece{file: filepath.Join(d, e), event: e})
		}
	}
	b.note("Cline runs hooks only once they are enabled: in its settings, or with 'cline config set hooks-enabled=true'.")
	return nil
}

func (b *builder) script() string {
	return "#!/bin/sh\n# " + mark + "\n" + Guard(b.Host, line(b.words, b.GOOS)) + "\n"
}

// goose takes hooks from plugins.
func (b *builder) goose() error {
	if b.Scope == Managed {
		return nil
	}
	dirs := []string{b.home(".agents", "plugins"), b.dir(".agents", "plugins")}
	dir := filepath.Join(b.file(dirs[0], dirs[1], ""), "toolvet")
	b.pieces = append(b.pieces, &textPiece{
		file: filepath.Join(dir, "plugin.json"), perm: 0o644,
		text: "{\n  \"name\": \"toolvet\",\n  \"version\": \"1.0.0\",\n  \"description\": " + string(encode("Judges tool calls. "+mark)) + "\n}\n",
	})
	events := without(mirrored, "SubagentStart", "SubagentStop")
	b.json(filepath.Join(dir, "hooks", "hooks.json"), "hooks", grouped, b.grouped("", events, func(e string) handlerJSON {
		h := b.shell(e)
		if e == "PreToolUse" {
			h.OnFailed = "block"
		}
		return h
	})...)
	for _, d := range dirs {
		b.reads("hooks", grouped, globbed(filepath.Join(d, "*", "hooks", "hooks.json"))...)
	}
	return nil
}

func globbed(pattern string) []string {
	list, _ := filepath.Glob(pattern)
	return list
}

func (b *builder) kiro() error {
	if b.Scope == Managed {
		return nil
	}
	dirs := []string{b.home(".kiro", "hooks"), b.dir(".kiro", "hooks")}
	var entries []entry
	for _, e := range []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart"} {
		k := kiroJSON{Name: "toolvet-" + e, Trigger: e, Timeout: int(timeout.Seconds()), Enabled: true}
		k.Action.Type, k.Action.Command = "command", b.line(e)
		entries = append(entries, entry{e, k})
	}
	b.json(filepath.Join(b.file(dirs[0], dirs[1], ""), "toolvet.json"), "hooks", listed, entries...).needs = []need{{"version", "v1"}}
	b.reads("hooks", listed, filepath.Join(dirs[0], "*.json"), filepath.Join(dirs[1], "*.json"))
	b.reads("hooks", flat, globbed(b.home(".kiro", "agents", "*.json"))...)
	b.reads("hooks", flat, globbed(b.dir(".kiro", "agents", "*.json"))...)
	b.note("This is the format of Kiro's IDE 1.x and CLI 3; older versions keep hooks in the files of agents, which toolvet leaves alone.")
	return nil
}

// amp asks a program on PATH, by its name alone.
func (b *builder) amp() error {
	if b.GOOS == "windows" {
		return unsupported("Amp runs a program without arguments, for which toolvet writes a shell script: there is none on Windows")
	}
	file := func(dir string) string {
		f := filepath.Join(dir, "settings.json")
		if _, err := statFile(f); err != nil {
			if _, err := statFile(f + "c"); err == nil {
				return f + "c"
			}
		}
		return f
	}
	managed := filepath.Join(b.managed("/etc/ampcode", "/Library/Application Support/ampcode", ""), "managed-settings.json")
	settings := b.file(file(b.home(".config", "amp")), file(b.dir(".amp")), managed)
	dir := b.binDir()
	if dir == "" && b.command == (Command{}) { // to look for what is there
		dir = b.home(".local", "bin")
	}
	if dir == "" {
		return unsupported("Amp looks for %s on PATH, and none of its directories is yours: add ~/.local/bin to PATH", ampProgram)
	}
	b.pieces = append(b.pieces, &textPiece{file: filepath.Join(dir, ampProgram), text: b.script(), event: "delegate", command: b.words, perm: 0o755})
	b.json(settings, "amp.permissions", rules, entry{"delegate", ruleJSON{"*", "delegate", ampProgram}})
	b.note("The first rule of amp.permissions wins, so toolvet decides about every call, and rules below it have no effect.")
	return nil
}

// binDir is a directory of PATH in which the user may write.
func (b *builder) binDir() string {
	if b.Scope == Managed {
		return b.Root + "/usr/local/bin"
	}
	on := filepath.SplitList(b.Getenv("PATH"))
	for _, d := range []string{b.home(".local", "bin"), b.home("bin")} {
		if slices.ContainsFunc(on, func(p string) bool { return filepath.Clean(p) == d }) {
			return d
		}
	}
	return ""
}

func (b *builder) opencode() error {
	if b.Scope == Managed {
		return nil
	}
	dirs := []string{b.home(".config", "opencode", "plugins"), b.dir(".opencode", "plugins")}
	old, now := `spawn(process.env.TOOLVET ?? "toolvet", ["hook", "opencode"],`, fmt.Sprintf("spawn(%s, %s,", encode(b.words[0]), encode(b.words[1:]))
	if strings.Count(string(hook.Plugin), old) != 1 {
		return errors.New("toolvet's own plugin has changed: this is a fault of toolvet")
	}
	b.pieces = append(b.pieces, &textPiece{
		file: filepath.Join(b.file(dirs[0], dirs[1], ""), "toolvet.js"), perm: 0o644, event: "tool.execute.before", command: b.words, closed: true,
		text: "// " + mark + "\n" + strings.Replace(string(hook.Plugin), old, now, 1),
	})
	for _, d := range dirs {
		for _, f := range append(globbed(filepath.Join(d, "*.js")), globbed(filepath.Join(d, "*.ts"))...) {
			b.others = append(b.others, &textPiece{file: f, event: "plugin"})
		}
	}
	b.note("Pi takes the same file in ~/.pi/agent/extensions, OpenClaw as a plugin: toolvet writes OpenCode's alone.")
	return nil
}

func (b *builder) grok() error {
	if b.Scope == Managed {
		return nil
	}
	dirs := []string{b.home(".grok", "hooks"), b.dir(".grok", "hooks")}
	b.json(filepath.Join(b.file(dirs[0], dirs[1], ""), "toolvet.json"), "hooks", grouped, b.grouped("", mirrored, b.shell)...)
	b.reads("hooks", grouped, filepath.Join(dirs[0], "*.json"), filepath.Join(dirs[1], "*.json"))
	b.reads("hooks", grouped, b.claudeFiles()...)
	b.reads("hooks", flat, b.home(".cursor", "hooks.json"), b.dir(".cursor", "hooks.json"))
	if b.Scope == Project {
		b.note("Grok runs hooks of a project only once you trust them: enter /hooks-trust.")
	}
	return nil
}

func (b *builder) qwen() error {
	user, project := b.home(".qwen", "settings.json"), b.dir(".qwen", "settings.json")
	managed := filepath.Join(b.managed("/etc/qwen-code", "/Library/Application Support/QwenCode", `C:\ProgramData\qwen-code`), "settings.json")
	b.json(b.file(user, project, managed), "hooks", grouped, b.grouped("", mirrored, b.shell)...)
	b.reads("hooks", grouped, user, project, managed)
	return nil
}

func (b *builder) droid() error {
	user, project := b.home(".factory", "settings.json"), b.dir(".factory", "settings.json")
	managed := filepath.Join(b.managed("/etc/factory", "/Library/Application Support/Factory", `C:\ProgramData\Factory`), "settings.json")
	events := without(mirrored, "PostToolUseFailure", "SubagentStart")
	b.json(b.file(user, project, managed), "hooks", grouped, b.grouped("", events, b.shell)...)
	b.reads("hooks", grouped, user, project, b.dir(".factory", "settings.local.json"), managed)
	for _, f := range []string{b.home(".factory", "hooks.json"), b.dir(".factory", "hooks.json")} {
		b.reads("hooks", grouped, f)
	}
	return nil
}

func (b *builder) kimi() error {
	if b.Scope != User {
		return nil
	}
	p := &tomlPiece{file: filepath.Join(b.variable("KIMI_CODE_HOME", ".kimi-code"), "config.toml"), shape: listed, goos: b.GOOS}
	for _, e := range mirrored {
		p.tables = append(p.tables, tomlHook{e, b.line(e), int(timeout.Seconds())})
	}
	b.pieces = append(b.pieces, p)
	return nil
}
