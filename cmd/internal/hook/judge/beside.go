// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/builtin"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/workdir"
)

// An implied call is part of what another call does: a shell line in a cell of a notebook, a URL in a prompt. The preset judges it beside the call.
type implied struct {
	arguments map[string]any
	secrets   bool // only whether it names a secret counts
	code      bool // it may be in another language than a shell's, so what no shell can read is asked about
	script    bool // it is only written, and judged again when it runs
}

// besides judges what a call implies: of a host's own tool, or of an MCP server's. A policy that has demands on the tool knows better. The second
// result asks without a verdict. An error refuses the call.
func (j *Judge) besides(ctx context.Context, host *hook.Host, p *policyFile, e hook.Event, c *call.Call, memory policy.Memory) (worst toolvet.Verdict, question string, err error) {
	worst.Go = true
	if s := p.all.Server(c.Server); s != nil {
		for i := range s.Tools {
			if ok, _ := path.Match(s.Tools[i].Pattern, c.Name); ok && len(s.Tools[i].Arguments) > 0 {
				return worst, "", nil
			}
		}
	}
	own, name := c.Server == host.Name, "implied"
	var calls []implied
	if own {
		listed, err := builtin.Catalog(host.Name)
		calls, question = implies(e, err == nil && listed.Tool(e.Tool) != nil)
	} else {
		calls, name = impliedByNames(c.Arguments), c.Name
	}
	if text := scriptOf(e); text != "" && p.preset == "strict" {
		calls = append(calls, implied{arguments: map[string]any{"command": text}, script: true})
	}
	// told puts the answer's words into the log's record, too. Without a record, the call is refused.
	told := func(gate *toolvet.Gate, about *call.Call, v toolvet.Verdict) toolvet.Verdict {
		d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Server: c.Server, Point: toolvet.PointProxy, Observer: p.observer(), Logger: j.log}
		return d.Asks(ctx, about, door.Request{ID: e.Call}, v)
	}
	if len(calls) == 0 {
		if question != "" {
			worst = told(nil, c, asking(question))
		}
		return worst, question, nil
	}
	gate, err := p.aside(c.Server).gate(c.Server, e, own, memory)
	if err != nil {
		return toolvet.Verdict{}, "", err
	}
	dirs := maps.Clone(c.Arguments) // where the commands begin
	maps.DeleteFunc(dirs, func(name string, _ any) bool { return !workdir.Names(name) })
	var asked *call.Call
	for _, one := range calls {
		for name, dir := range dirs {
			if one.arguments["command"] != nil && one.arguments[name] == nil {
				one.arguments[name] = dir
			}
		}
		raw, err := json.Marshal(one.arguments)
		if err != nil {
			return toolvet.Verdict{}, "", err
		}
		also := &call.Call{Server: c.Server, Name: name, Session: c.Session}
		_ = also.Read(raw, call.Limits{}) // the verdict tells
		tools, err := catalog("", also, false)
		if err != nil {
			return toolvet.Verdict{}, "", err
		}
		also.Resolve(tools)
		v := gate.Judge(ctx, also, toolvet.PointValidate)
		switch {
		case v.Go, one.secrets && !blockedFor(v, "secret"):
		case one.script:
			if slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Blocks() && f.Source != "" }) { // not of a program that strict does not list
				question = "it writes a script with commands that this preset does not let pass"
			}
		case one.code && !v.Ask && !blockedFor(v, "secret", "piped", "system"):
			question = "it holds code"
		case !v.Ask:
			d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Server: c.Server, Point: toolvet.PointProxy, Observer: p.observer(), Logger: j.log}
			passage := d.Enter(ctx, also, door.Request{ID: e.Call}) // the log has it
			passage.Abandon()
			return v, "", nil
		case worst.Go:
			worst, asked = v, also
		}
	}
	switch {
	case asked != nil:
		worst = told(gate, asked, worst)
	case question != "":
		worst = told(gate, c, asking(question))
	}
	return worst, question, nil
}

// asking is the verdict that a person has to consent, for a reason that no check has.
func asking(why string) toolvet.Verdict {
	return toolvet.Verdict{Ask: true, Findings: []check.Finding{{Check: "implied", Stage: check.Policy, Level: check.SecurityLevel, Severity: check.Ask, Message: why}}}
}

// blockedFor reports whether a verdict refuses for one of some kinds of things that commands do.
func blockedFor(v toolvet.Verdict, kinds ...string) bool {
	for _, f := range v.Findings {
		if f.Blocks() && slices.Contains(kinds, f.Source) {
			return true
		}
	}
	return false
}

// scriptOf returns the text of a shell script that a call writes; "" if it writes none.
func scriptOf(e hook.Event) string {
	var given map[string]any
	if json.Unmarshal(e.Input, &given) != nil {
		return ""
	}
	text, named := "", false
	for name, v := range given {
		s, ok := v.(string)
		switch name = strings.ToLower(strings.ReplaceAll(name, "_", "")); {
		case !ok:
		case slices.Contains(strings.Fields("content contents filetext newstring text"), name):
			text = s
		case strings.Contains(name, "file") || strings.Contains(name, "path"):
			named = named || scriptName.MatchString(s)
		}
	}
	if named || shebang.MatchString(text) {
		return text
	}
	return ""
}

// maxImplied bounds what a call may imply. Beyond it the user is asked.
const maxImplied = 200

// implies returns what a call of a host's own tool implies, and a question if it needs a person whatever it says.
func implies(e hook.Event, listed bool) (calls []implied, question string) {
	var given map[string]any
	if json.Unmarshal(e.Input, &given) != nil {
		return nil, ""
	}
	if why := questions[e.Tool]; why != "" {
		question = why
	}
	for _, name := range []string{"dangerouslyDisableSandbox", "elevated"} {
		if given[name] == true {
			question = "it leaves the sandbox that the host has for commands"
		}
	}
	if host, ok := given["host"].(string); ok && lineOf(given) != "" && host != "" && host != "sandbox" && host != "auto" {
		question = "it runs on another machine than the sandbox"
	}
	line := func(s string) { calls = append(calls, implied{arguments: map[string]any{"command": s}}) }
	env, _ := given["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, ok := env[name].(string); ok && variable.MatchString(name) && lineOf(given) != "" {
			line("export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'")
		}
	}
	if operation, ok := given["operation_name"].(string); ok && e.Tool == "use_aws" && !looks.MatchString(operation) {
		question = "it changes something of an account at AWS"
	}
	searches := finds.MatchString(e.Tool)
	var walk func(name string, v any, depth int)
	walk = func(name string, v any, depth int) {
		if len(calls) > maxImplied {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			if depth > 0 && !listed {
				calls = append(calls, implied{arguments: v})
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(key, v[key], depth+1)
			}
		case []any:
			for _, one := range v {
				if list, ok := one.([]any); ok {
					walk(name, list, depth+1)
				} else {
					walk(name, one, depth+1)
				}
			}
		case string:
			impliesText(e.Tool, name, v, depth, listed, searches, &calls)
		}
	}
	walk("", given, 0)
	if len(calls) > maxImplied {
		return calls[:maxImplied], "it holds more than toolvet reads"
	}
	return calls, question
}

// impliedByNames returns what the names in the arguments of an MCP server's tool imply: the names of files with their texts behind them, a
// program that stands beside its words, and the line of a shell.
func impliedByNames(arguments any) (calls []implied) {
	var files, others []any
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(name, one)
			}
		case map[string]any:
			line := []any{nil}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				list, isList := v[key].([]any)
				text, isText := v[key].(string)
				if part, _ := v[key].(map[string]any); part["content"] != nil || part["contents"] != nil || part["text"] != nil || part["data"] != nil {
					isText = true
				}
				switch {
				case text != "" && programKeys.MatchString(key):
					line[0] = text
				case isList && wordKeys.MatchString(key) && !slices.ContainsFunc(list, func(one any) bool { _, ok := one.(string); return !ok }):
					line = append(line, list...)
				case strings.Contains(strings.TrimSpace(text), " ") && shellKeys.MatchString(key):
					calls = append(calls, implied{arguments: map[string]any{"command": text}})
				case isText && fileKeys.MatchString(name):
					files = append(files, key)
				case strings.ContainsAny(key, `/\`):
					others = append(others, key)
				}
				walk(key, v[key])
			}
			if line[0] != nil && len(line) > 1 {
				calls = append(calls, implied{arguments: map[string]any{"command": line}})
			}
		}
	}
	walk("", arguments)
	if files != nil {
		calls = append(calls, implied{arguments: map[string]any{"paths": files}})
	}
	if others != nil {
		calls = append(calls, implied{arguments: map[string]any{"names": []any{others}}}) // as data: names may be those of anything
	}
	return calls
}

var (
	programKeys = lazyregexp.New(`(?i)^(command|cmd|program|executable|binary)$`)
	shellKeys   = lazyregexp.New(`(?i)^((ba|z)?sh|shell|powershell|cmd_?line|commandline)$`)
	wordKeys    = lazyregexp.New(`(?i)^(args|argv|arguments|parameters|params)$`)
	fileKeys    = lazyregexp.New(`(?i)^(files?|paths?|edits|changes|writes|patches|uploads|documents)$`)
)

// impliesText adds what a text among the arguments implies.
func impliesText(tool, name, text string, depth int, listed, searches bool, calls *[]implied) {
	line := func(s string) { *calls = append(*calls, implied{arguments: map[string]any{"command": s}}) }
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	switch {
	case strings.TrimSpace(text) == "":
	case slices.Contains(globNames, name) && (searches || reading.MatchString(tool)):
		if (name == "pattern" || name == "patterns") && searchTools.MatchString(tool) {
			break // an expression
		}
		for _, pattern := range globsIn(text) {
			if pattern = strings.TrimPrefix(pattern, "./"); !plainGlob.MatchString(pattern) || strings.HasPrefix(pattern, "!") {
				continue
			}
			*calls = append(*calls, implied{arguments: map[string]any{"command": "cat " + pattern}, secrets: true})
			if base := path.Base(pattern); base != pattern { // whatever directories stand before it
				*calls = append(*calls, implied{arguments: map[string]any{"command": "cat " + base}, secrets: true})
			}
		}
	case searches && (name == "path" || name == "dirpath" || name == "directory") && plainGlob.MatchString(text):
		line("grep -r x " + text)
	case typing.MatchString(tool) && slices.Contains(strings.Fields("chars text input keys data sequence"), name), tool == "run_vscode_command" && name == "text":
		if letters.MatchString(text) {
			line(strings.TrimRight(text, "\r\n\x04"))
		}
	case name == "newsource" || name == "newcode" || listed && name == "cellsource":
		for _, m := range cellLine.FindAllStringSubmatch(text, -1) {
			line(m[1])
		}
		if m := cellShell.FindStringSubmatch(text); m != nil {
			line(m[1])
		}
	case name == "prompt" && strings.Contains(strings.ReplaceAll(tool, "_", ""), "fetch"):
		for _, u := range addresses.FindAllString(text, 20) {
			*calls = append(*calls, implied{arguments: map[string]any{"url": strings.TrimRight(u, ".,;:!?)]}")}})
		}
	case (name == "url" || name == "urls" || name == "uri") && !strings.Contains(text, "://") && strings.Contains(text, "."):
		*calls = append(*calls, implied{arguments: map[string]any{"url": "https://" + strings.TrimLeft(text, "/")}})
	case !listed && slices.Contains(strings.Fields("script code shell bash sh chars cmdline commandline"), name):
		*calls = append(*calls, implied{arguments: map[string]any{"command": text}, code: name == "code" || name == "script"})
	case !listed && (name == "targetfile" || name == "target"):
		*calls = append(*calls, implied{arguments: map[string]any{"file_path": text}})
	case !listed && depth > 1 && (name == "commands" || name == "command" || name == "cmd"):
		line(text)
	}
}

// questions are tools of hosts that need a person with any arguments: they start something later, or change the host.
var questions = map[string]string{
	"CronCreate":         "it starts something later",
	"RemoteTrigger":      "it starts something elsewhere",
	"Config":             "it changes the host's own settings",
	"install_extension":  "it installs code into the editor",
	"run_vscode_command": "it runs a command of the editor",
}

var globNames = strings.Fields("glob globs include includes includepattern globpattern filepattern paths pattern patterns files")

var (
	variable   = lazyregexp.New(`^[A-Za-z_]\w*$`)
	looks      = lazyregexp.New(`^(get|list|describe|head|lookup|search|batch-get|filter|query|scan|select|estimate|validate|test|wait)([A-Z_-]|$)`)
	finds      = lazyregexp.New(`(?i)grep|search`)
	reading    = lazyregexp.New(`(?i)read_?many|grep|search`)
	typing     = lazyregexp.New(`(?i)stdin|terminal|repl$|send_?keys`)
	letters    = lazyregexp.New(`[A-Za-z0-9]{2}`)
	plainGlob  = lazyregexp.New(`^[\w./*?\[\]{},~@+^-]+$`)
	scriptName = lazyregexp.New(`(?i)\.(?:ba|da|k|z)?sh$`)
	shebang    = lazyregexp.New(`^#![^\n]*\b(?:ba|da|k|z)?sh\b`)
	cellLine   = lazyregexp.New(`(?m)^[ \t]*(?:[\w, ]+=[ \t]*)?!+[ \t]*(.+)$`)
	cellShell  = lazyregexp.New(`(?s)^\s*%%(?:bash|sh|script (?:ba)?sh)[^\n]*\n(.+)`)
	addresses  = lazyregexp.New(`(?i)\bhttps?://[^\s"'<>` + "`" + `]+`)
)
