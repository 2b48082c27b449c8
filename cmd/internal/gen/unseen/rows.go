// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

func always(label string) func(string) string { return func(string) string { return label } }

func lines(text string) []string { return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") }

func names(text string) []string { return strings.Split(text, "\x00") }

func beforeTab(text string) (found []string) {
	for line := range strings.Lines(text) {
		query, _, _ := strings.Cut(line, "\t")
		found = append(found, query)
	}
	return found
}

var (
	link    = regexp.MustCompile("https?://[^\\s<>\"'`()\\[\\]]+")
	literal = regexp.MustCompile(`(?m)^\s+r?"((?:[^"\\]|\\.)*)",?$`)
)

// detected is a text with a secret in the test of a detector: the first that it must find.
var firstInput = regexp.MustCompile("input:\\s*`([^`]*)`,\\s*want:\\s*\\[\\]string\\{\"")

func detected(text string) (found []string) {
	if m := firstInput.FindStringSubmatch(text); m != nil {
		found = append(found, m[1])
	}
	return found
}

func links(text string) []string { return link.FindAllString(text, -1) }

// literals are the strings of a list in Python.
func literals(text string) (found []string) {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]))
	}
	return found
}

// whole is a document as one row.
func whole(text string) []string { return []string{text} }

// examples are those of a rule of noseyparker that finds secrets, and no names or hosts.
func examples(text string) (found []string) {
	var file struct {
		Rules []struct {
			Examples, Categories []string
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil
	}
	for _, r := range file.Rules {
		if slices.Contains(r.Categories, "secret") {
			found = append(found, r.Examples...)
		}
	}
	return found
}

// kingfisher are the examples of a rule of kingfisher that finds secrets: one without "visible: false", which names a part of another.
func kingfisher(text string) (found []string) {
	var file struct {
		Rules []struct {
			Examples []string
			Visible  *bool
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil
	}
	for _, r := range file.Rules {
		if r.Visible == nil || *r.Visible {
			found = append(found, r.Examples...)
		}
	}
	return found
}

// lineMembers are the members of a name in lines of JSON.
func lineMembers(name string) func(text string) []string {
	return func(text string) (found []string) {
		for line := range strings.Lines(text) {
			found = append(found, objectMembers(name)("["+line+"]")...)
		}
		return found
	}
}

// objectMembers are the members of a name in the objects of an array. Of one that is an array, it is the first element.
func objectMembers(name string) func(text string) []string {
	return func(text string) (found []string) {
		var rows []map[string]any
		if json.Unmarshal([]byte(text), &rows) != nil {
			return nil
		}
		for _, row := range rows {
			value := row[name]
			if all, ok := value.([]any); ok && len(all) > 0 {
				value = all[0]
			}
			if s, ok := value.(string); ok {
				found = append(found, s)
			}
		}
		return found
	}
}

// texts are the strings of a JSON document's arrays, and the members "content" of objects.
func texts(text string) (found []string) {
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil
	}
	var walk func(v any, counts bool)
	walk = func(v any, counts bool) {
		switch v := v.(type) {
		case string:
			if counts {
				found = append(found, v)
			}
		case []any:
			for _, e := range v {
				walk(e, true)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], name == "content")
			}
		}
	}
	walk(document, false)
	return found
}

// taxonomy are the examples of techniques and of evasions in Arcanum's taxonomy.
func taxonomy(text string) (found []string) {
	var file struct{ Techniques, Evasions []struct{ Examples []string } }
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	for _, entry := range slices.Concat(file.Techniques, file.Evasions) {
		found = append(found, entry.Examples...)
	}
	return found
}

var maliciousPage = regexp.MustCompile(`(?s)MALICIOUS_PAGE_\d+ = """(.*?)"""`)

// maliciousPages are the pages of a program in Python.
func maliciousPages(text string) (found []string) {
	for _, m := range maliciousPage.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

var fencedText = regexp.MustCompile("(?ms)^```[^\n]*\n(.*?)^```")

// fencedTexts are the blocks of code of a Markdown document.
func fencedTexts(text string) (found []string) {
	for _, m := range fencedText.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

const stringMember = ":\\s*(?:`([^`]*)`|\"((?:[^\"\\\\]|\\\\.)*)\")"

var (
	maliciousContent = regexp.MustCompile("(?s)maliciousContent" + stringMember)
	prompt           = regexp.MustCompile("(?s)prompt" + stringMember)
	commandMember    = regexp.MustCompile(`(?s)"command"` + stringMember)
)

// malicious are the members "maliciousContent" of objects in TypeScript.
func malicious(text string) []string { return members(maliciousContent, text) }

// prompts are the members "prompt".
func prompts(text string) []string { return members(prompt, text) }

// commandMembers are the members "command" of objects in JavaScript.
func commandMembers(text string) []string { return members(commandMember, text) }

func members(name *regexp.Regexp, text string) (found []string) {
	for _, m := range name.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(m[1]+m[2]))
	}
	return found
}
