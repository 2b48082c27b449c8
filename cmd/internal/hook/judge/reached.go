// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/reach"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
)

// reached asks about a line or a search of a host's tool that reaches too many of the files where it runs.
func (j *Judge) reached(ctx context.Context, p *policyFile, e hook.Event, c *call.Call, memory policy.Memory) (v toolvet.Verdict) {
	asks := func(kind string) bool { return p.asksAbout(c.Server, kind) }
	place := &reach.Place{Dir: e.Dir, Roots: append([]string{e.Dir}, e.Roots...), Asks: asks, Secret: func(path string) bool {
		gate, err := p.aside(c.Server).gate(c.Server, e, true, memory)
		if err != nil {
			return true
		}
		named := &call.Call{Server: c.Server, Name: "implied", Session: c.Session}
		raw, _ := json.Marshal(map[string]any{"command": []string{"cat", path}})
		_ = named.Read(raw, call.Limits{}) // the verdict tells
		tools, err := catalog("", named, false)
		if err != nil {
			return true
		}
		named.Resolve(tools)
		return blockedFor(gate.Judge(ctx, named, toolvet.PointValidate), "secret")
	}}
	at, kind, what := "/command", "", ""
	if line := lineIn(e); line != "" {
		kind, what = place.Line(line)
	} else if search := searchOf(e); search != nil {
		at = "/pattern"
		kind, what = place.Command(search...)
	}
	if kind == "" {
		return v
	}
	v = asking(at + ": " + what)
	v.Findings[0].Check, v.Findings[0].Source = "command", kind
	return v
}

// searchTools are the names of hosts' own tools that search the text of files.
var searchTools = lazyregexp.New(`(?i)^(grep|grep_?search|search_file_content|file_?grep|rip_?grep|search_?files?)$`)

// searchOf returns the search of a host's own tool as the words of ripgrep, which most hosts run, with hidden files. Nil searches nothing, or prints
// names alone, as Grep does by default.
func searchOf(e hook.Event) []string {
	var given map[string]any
	if !searchTools.MatchString(e.Tool) || json.Unmarshal(e.Input, &given) != nil {
		return nil
	}
	first := func(names string) string {
		for _, name := range strings.Fields(names) {
			if text, ok := given[name].(string); ok && text != "" {
				return text
			}
		}
		return ""
	}
	mode := first("output_mode outputMode")
	if mode != "" && mode != "content" || mode == "" && e.Tool == "Grep" || given["names_only"] == true {
		return nil
	}
	words := []string{"rg", "--hidden", "--regexp=" + first("pattern query regex")}
	if given["multiline"] == true {
		words = append(words, "--multiline")
	}
	if given["-i"] == true {
		words = append(words, "-i")
	}
	if kind := first("type file_type fileType"); kind != "" {
		words = append(words, "--type="+kind)
	}
	for _, glob := range globsIn(first("glob include include_pattern includePattern glob_pattern file_pattern filePattern")) {
		words = append(words, "--glob="+glob)
	}
	for _, lines := range []string{"-A", "-B", "-C", "context"} {
		if n, ok := given[lines].(float64); ok && n > 0 {
			words = append(words, "--context", "1")
		}
	}
	if place := first("path dir_path directory"); place != "" {
		words = append(words, "--", place)
	}
	return words
}

// globsIn divides the globs of a host's own search, as hosts do: at blanks, and at commas outside braces.
func globsIn(text string) (all []string) {
	for _, glob := range strings.Fields(text) {
		if strings.Contains(glob, "{") {
			all = append(all, glob)
			continue
		}
		all = append(all, strings.FieldsFunc(glob, func(c rune) bool { return c == ',' })...)
	}
	return all
}
