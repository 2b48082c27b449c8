// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A parameter is what a guess rests on.
type parameter struct {
	name        string
	words       []string // of the name, in lower case
	description string   // in lower case
	format      string
	many        bool   // an array of strings
	tool        string // what the tool says of itself, in lower case
}

// A rule turns a parameter into a guess, or into nothing.
type rule struct {
	kind  Kind
	names func(p parameter) bool
	// not names what makes another thing of such a name, in the description or the name
	// of the tool.
	not *regexp.Regexp
	// needs is what must be said as well where a name alone says too little.
	needs *regexp.Regexp
}

var formats = map[string]Kind{
	"uri": URL, "url": URL, "uri-reference": URL, "iri": URL,
	"path": Path, "file-path": Path, "directory-path": Path,
	"email": Email, "idn-email": Email, "regex": Regex, "date-time": Time,
}

// rules are tried in this order; the first that fits decides.
var rules = []rule{
	{kind: Cron, names: last("cron", "crontab", "cronexpression"), not: regexp.MustCompile(`cron job id`)},
	{kind: Cron, names: any2("cron", "expression", "schedule"), not: nil},
	{kind: Glob, names: anyOf("glob", "globs")},
	{kind: Glob, names: last("pattern", "patterns"), needs: regexp.MustCompile(`\bglobs?\b`)},
	{kind: Regex, names: anyOf("regex", "regexp")},
	{kind: Regex, names: last("pattern", "patterns"), needs: regexp.MustCompile(`regular expression|\bregexp?\b`)},
	{kind: SQL, names: anyOf("sql"), not: regexp.MustCompile(`path|file name|dialect|server name`)},
	{kind: SQL, names: last("query", "statement", "queries", "statements"), needs: regexp.MustCompile(`\bsql\b|\bselect (query|statement)\b|\bpostgres|\bmysql\b|\bsqlite\b`), not: regexp.MustCompile(`jql|graphql|cypher|kql|soql|gaql|natural language|search (query|term|text)|mongo`)},
	{kind: Command, names: last("command", "cmd", "commands", "shellcommand", "commandline"), needs: regexp.MustCompile(`shell|bash|terminal|execut|run|\bcli\b|command[- ]line`), not: regexp.MustCompile(`redis|slash command|sub-?command|gdb|debugger|editor command|command (to look up|name)|minecraft|mongodb|\bvim\b|which command`)},
	{kind: URL, names: last("url", "uri", "urls", "uris", "href", "endpoint", "webhook", "link"), not: regexp.MustCompile(`jdbc|connection string|database url|\b(resource|ui|s3|gs|mongodb|postgres|redis|file|memory)://|short ?link id|slug`)},
	{kind: Path, names: pathName, not: notAPath},
	{kind: Email, names: last("email", "emails", "emailaddress", "mail"), not: regexp.MustCompile(`email id|content|template|subject|body`)},
}

// notAPath finds what is called a path or a file and is none on a file system.
var notAPath = regexp.MustCompile(`\b(json ?path|xpath|url path|api path|request path|http path|uri path|route|endpoint path|css|selector|object path|field path|property path|key path|dot[- ]notation|critical path|career path|shortest path|module path|import path|breadcrumb|vault path|secret path|redirect path|base64|file (content|data|id|token|key)s?\b|content of the file|google drive|figma|slack|notion|dropbox path)`)

// classify returns the kind of a parameter and why, or "".
func classify(p parameter) (Kind, string) {
	if kind, ok := formats[p.format]; ok {
		return kind, fmt.Sprintf("its format is %q", p.format)
	}
	said := p.description + " " + p.tool
	for _, r := range rules {
		switch {
		case !r.names(p):
		case r.not != nil && r.not.MatchString(p.description):
		case r.needs != nil && !r.needs.MatchString(said+" "+strings.Join(p.words, " ")):
		default:
			return r.kind, fmt.Sprintf("it is named %q", p.name)
		}
	}
	return "", ""
}

// last fits a name whose last word is one of these.
func last(want ...string) func(parameter) bool {
	return func(p parameter) bool {
		return len(p.words) > 0 && (slices.Contains(want, p.words[len(p.words)-1]) || slices.Contains(want, strings.Join(p.words, "")))
	}
}

// anyOf fits a name that holds one of these words, but is no count or switch of it.
func anyOf(want ...string) func(parameter) bool {
	return func(p parameter) bool {
		return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(want, w) }) && !qualifies(p)
	}
}

// any2 fits a name that holds the first word and one of the others.
func any2(first string, others ...string) func(parameter) bool {
	return func(p parameter) bool {
		return slices.Contains(p.words, first) && slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(others, w) })
	}
}

// qualifies reports whether a name is about something, and not the thing itself.
func qualifies(p parameter) bool {
	return len(p.words) > 1 && slices.Contains([]string{
		"id", "ids", "count", "limit", "type", "kind", "mode", "flags", "name", "title", "size", "format", "dialect", "key", "engine", "options", "version",
	}, p.words[len(p.words)-1])
}

var (
	pathWords  = []string{"path", "paths", "filepath", "filepaths", "filename", "filenames", "directory", "directories", "dir", "dirs", "folder", "folders", "cwd", "workdir", "workspace"}
	fileWords  = []string{"file", "files"}
	otherPaths = []string{"json", "xpath", "api", "url", "uri", "http", "request", "route", "field", "property", "key", "css", "object", "node", "element", "module", "import", "s3", "blob", "repo"}
)

// pathName fits names of files and directories.
func pathName(p parameter) bool {
	if len(p.words) == 0 || slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(otherPaths, w) }) {
		return false
	}
	end := p.words[len(p.words)-1]
	switch {
	case slices.Contains(pathWords, end):
		return end != "workspace" && end != "folder" && end != "folders" || saysPath.MatchString(p.description)
	case slices.Contains(fileWords, end):
		return saysPath.MatchString(p.description)
	case slices.Contains([]string{"source", "destination", "src", "dst", "dest", "target", "output", "input", "root", "location"}, end):
		return saysPath.MatchString(p.description)
	}
	return false
}

// saysPath finds the words of a description that speak of a file system.
var saysPath = regexp.MustCompile(`\b((absolute|relative|full|local|file|directory|folder|filesystem|output|input|source|destination|target) )?path(s)?\b|\b(file|directory|folder) (to|on disk)\b|\bdirectory\b`)

// words splits a name at separators and where small letters meet capitals.
func words(name string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return list
}
