// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// searchTools are the names of hosts' own tools that search the text of files.
var searchTools = lazyregexp.New(`(?i)^(grep|grep_?search|search_file_content|file_?grep|rip_?grep|search_?files?)$`)

// searchOf returns the search of a host's own tool as a command of ripgrep, which most hosts run, with hidden files. Nil searches nothing, or prints
// names alone, as Grep does by default.
func searchOf(e hook.Event) *simple {
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
	s := &simple{dir: e.Dir, words: []stepWord{{text: "rg"}, {text: "--hidden"}, {text: "--regexp=" + first("pattern query regex")}}}
	if given["-i"] == true {
		s.words = append(s.words, stepWord{text: "-i"})
	}
	if kind := first("type file_type fileType"); kind != "" {
		s.words = append(s.words, stepWord{text: "--type=" + kind})
	}
	for _, glob := range globsIn(first("glob include include_pattern includePattern glob_pattern file_pattern filePattern")) {
		s.words = append(s.words, stepWord{text: "--glob=" + glob})
	}
	for _, lines := range []string{"-A", "-B", "-C", "context"} {
		if n, ok := given[lines].(float64); ok && n > 0 {
			s.words = append(s.words, stepWord{text: "--context"}, stepWord{text: "1"})
		}
	}
	if place := first("path dir_path directory"); place != "" {
		s.words = append(s.words, stepWord{text: "--"}, stepWord{text: place})
	}
	return s
}
