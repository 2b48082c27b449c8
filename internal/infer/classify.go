// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A parameter is what a guess rests on.
type parameter struct {
	name        string
	words       []string // of the name, in lower case
	description string   // in lower case
	format      string
	values      []string // defaults and examples
	tool        string   // the tool's name and description, in lower case
}

// A sign is a feature of a parameter that supports a guess.
type sign struct {
	kind  Kind
	names func(p parameter) bool
	// not excludes other things of such a name, by the description.
	not *lazyregexp.Regexp
	// never excludes them also by the words of the tool.
	never *lazyregexp.Regexp
	// needs must also match if a name alone says too little; says must match
	// the description itself.
	needs, says *lazyregexp.Regexp
	why         string // the reason of a guess that rests on neither name nor description
}

var formats = map[string]Kind{
	"uri": URL, "url": URL, "uri-reference": URL, "iri": URL,
	"path": Path, "file-path": Path, "directory-path": Path,
	"email": Email, "idn-email": Email, "regex": Regex, "date-time": Time,
}

// signs are tried in this order; the first that fits decides.
var signs = []sign{
	{kind: Cron, names: last("cron", "crontab", "cronexpression"), not: lazyregexp.New(`cron job id`)},
	{kind: Cron, names: both("cron", "expression", "schedule")},
	{kind: Cron, names: last("schedule", "expression"), needs: lazyregexp.New(`\bcron( |tab\b|job|$)|cronjob|cron_`), not: lazyregexp.New(`natural language|\bid\b|\bname\b`)},
	{kind: Glob, names: anyOf("glob", "globs")},
	{kind: Glob, names: last("pattern", "patterns"), says: lazyregexp.New(`\bglobs?\b|\*\*/|\*\.[a-z]`), not: regularExpression},
	{kind: Regex, names: anyOf("regex", "regexp")},
	{kind: Regex, names: last("pattern", "patterns", "paths", "domains", "query", "search", "filter"), says: regularExpression, not: lazyregexp.New(`\bor\b.*regular exp|supports regular|path to`)},
	{kind: Glob, names: both("patterns", "exclude", "include", "ignore"), not: lazyregexp.New(`regular exp|\bregexp?\b|\burls?\b`)},
	{kind: SQL, names: anyOf("sql"), not: lazyregexp.New(`path|file name|dialect|server name`)},
	{kind: SQL, names: last("query", "statement", "queries", "statements"), needs: lazyregexp.New(`\bsql\b|\bselect (query|statement)\b|\bpostgres|\bmysql\b|\bsqlite\b`),
		not: lazyregexp.New(`search (query|term|text)|keyword`), never: otherQueries},
	{kind: Command, names: last("command", "cmd", "commands", "shellcommand", "commandline"),
		needs: lazyregexp.New(`shell|bash|terminal|execut|\brun|\bcli\b|command[- ]line|\b(pod|container|deployment|cronjob|docker)\b`),
		not:   lazyregexp.New(`redis|slash command|sub-?command|gdb|debugger|editor command|command (to look up|name)|minecraft|mongodb|\bvim\b|which command|kubectl command|filter|one of|\(list,`)},
	{kind: URL, names: last("url", "uri", "urls", "uris", "href", "endpoint", "webhook", "link"),
		not: lazyregexp.New(`jdbc|connection (string|uri)|database url|\b(resource|ui|mongodb|postgres|redis|file|memory)://|short ?link id|slug|route paths?`)},
	{kind: URL, names: always, says: whollyURL, not: orElse},
	{kind: URL, names: isURLByExample, why: "its default and examples are URLs"},
	{kind: Path, names: pathName, not: notAPath},
	{kind: Email, names: last("email", "emails", "emailaddress", "mail"), not: lazyregexp.New(`email id|content|template|subject|body|type of email`)},
	{kind: Email, names: last("to", "from", "cc", "bcc", "recipient", "recipients", "attendees", "invitees", "sender", "forwarder", "participants", "address", "addresses"),
		says: lazyregexp.New(`\be-?mail addresse?s?\b`), not: orElse},
	{kind: Email, names: last("cc", "bcc"), needs: lazyregexp.New(`\be-?mails?\b|_mail|mail_`)},
	{kind: Time, names: timeName, says: lazyregexp.New(`iso[- ]?8601|rfc[- ]?3339|\biso (date|time|format|string|timestamp)|[0-9yd]-[0-9md]{2}-[0-9d]{2}t[0-9h]{2}:`),
		not: lazyregexp.New(`relative|now-|\bunix\b|epoch|date range|duration|period|yyyy-mm-dd\)|yyyy-mm-dd format`)},
}

var (
	regularExpression = lazyregexp.New(`regular expression|\bregexp?s?\b`)
	otherQueries      = lazyregexp.New(`\b(jql|graphql|cypher|kql|kusto|soql|sosl|gaql|xpath|jsonpath|sparql|promql|logql|dax|mdx|aql)\b|xpath|natural language|mongo`)
	// whollyURL matches a description that begins like "URL of …".
	whollyURL = lazyregexp.New(`^(the |an? |list of |array of |optional |full |complete |public |base |target |direct )*([a-z-]+ ){0,2}(url|uri)s?( (of|to|for|where|from|that)\b|$|[.,;:(]| \()`)
	// orElse matches descriptions of alternatives to a URL, or of text about a URL.
	orElse = lazyregexp.New(`\b(id|name|slug|path|text|html|alias|file|number|handle|username)s? or\b|\bor (an? |the |local |file |its )*(path|name|id|file|text|html|base64|slug|alias|urn|handle)|base64|data uri|part of the ur[il]|\b(url|uri) (encoded|path|slug|pattern|prefix|parameter|safe|friendly)|schemes?\b`)
)

// notAPath finds what is called a path or a file and is none on a file system.
var notAPath = lazyregexp.New(`\b(json ?path|xpath|url path|api path|request path|http path|uri path|route|endpoint path|css|selector|object path|field path|property path|key path|menu item|dot[- ]notation|critical path|career path|shortest path|module path|import path|breadcrumb|vault path|secret path|redirect path|base64|file (content|data|id|token|key)s?\b|content of the file|google drive|figma|slack|notion|gcs|gs://|s3://|bucket|github repository|firebase storage|dropbox path)`)

var (
	// instant finds descriptions of times with their zone.
	instant = lazyregexp.New(`rfc[- ]?3339|t[0-9h]{2}:[0-9m]{2}(:[0-9s]{2}(\.[0-9s]+)?)?(z|[+-][0-9h]{2}:[0-9m]{2})`)
	// day finds dates without a time of day.
	day = lazyregexp.New(`\b([0-9]{4}|y{4})-[0-9m]{2}-[0-9d]{2}([^t0-9]|$)`)
)

// classify returns the kind of a parameter and why, or "".
func classify(p parameter) (Kind, string) {
	if kind, ok := formats[p.format]; ok {
		return kind, fmt.Sprintf("its format is %q", p.format)
	}
	for _, r := range signs {
		if !r.fits(p) {
			continue
		}
		switch {
		case r.why != "":
			return r.kind, r.why
		case r.says != nil:
			return r.kind, "its description says so"
		}
		return r.kind, fmt.Sprintf("it is named %q", p.name)
	}
	return "", ""
}

func (r *sign) fits(p parameter) bool {
	said := p.description + " " + p.tool + " " + strings.Join(p.words, " ")
	switch {
	case !r.names(p):
	case r.not != nil && r.not.MatchString(p.description):
	case r.never != nil && r.never.MatchString(said):
	case r.needs != nil && !r.needs.MatchString(said):
	case r.says != nil && !r.says.MatchString(p.description):
	default:
		return true
	}
	return false
}

// always fits every name that is of the thing itself.
func always(p parameter) bool { return !qualifies(p) }

// last fits a name whose last word is one of these, perhaps with a number behind it.
func last(want ...string) func(parameter) bool {
	return func(p parameter) bool {
		return slices.Contains(want, p.last()) || slices.Contains(want, strings.Join(p.words, ""))
	}
}

// last is the last word of the name, without a number behind it; "" for a name of none.
func (p *parameter) last() string {
	if len(p.words) == 0 {
		return ""
	}
	return strings.TrimRight(p.words[len(p.words)-1], "0123456789")
}

// anyOf fits a name that holds one of these words, but is no count or switch of it.
func anyOf(want ...string) func(parameter) bool {
	return func(p parameter) bool {
		return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(want, w) }) && !qualifies(p)
	}
}

// both fits a name that holds the first word and one of the others.
func both(first string, others ...string) func(parameter) bool {
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
	pathWords  = strings.Fields("path paths filepath filepaths filename filenames directory directories dir dirs folder folders cwd workdir workspace dockerfile")
	fileWords  = strings.Fields("file files")
	placeWords = strings.Fields("source destination src dst dest target output input root location")
	otherPaths = strings.Fields("json xpath api url uri http request route field property css object node element module import s3 blob repo menu")
	keyFiles   = strings.Fields("private public ssh identity host")
	timeWords  = strings.Fields("time date datetime timestamp at start end since until before after min max from to on")
)

// timeName fits names of moments.
func timeName(p parameter) bool {
	return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(timeWords, w) }) && !qualifies(p)
}

// pathName fits names of files and directories.
func pathName(p parameter) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case len(p.words) == 0 || has(otherPaths) || p.words[0] == "search" || p.words[0] == "filter":
		return false
	case slices.Contains(p.words, "key") && !has(keyFiles):
		return false
	}
	end := p.last()
	switch {
	case slices.Contains(pathWords, end):
		return end != "workspace" && end != "folder" && end != "folders" || saysPath.MatchString(p.description)
	case slices.Contains(fileWords, end), end == "name" && has([]string{"dir", "directory"}):
		return saysPath.MatchString(p.description) || slices.ContainsFunc(p.values, looksLikePath)
	case slices.Contains(placeWords, end):
		return saysPath.MatchString(p.description) || p.description == "" && movesFiles.MatchString(p.tool)
	}
	return false
}

// isURLByExample fits a parameter whose examples and default are all URLs of the web.
func isURLByExample(p parameter) bool {
	return len(p.values) > 0 && !qualifies(p) && !slices.ContainsFunc(p.values, func(v string) bool {
		return !strings.HasPrefix(v, "https://") && !strings.HasPrefix(v, "http://") || strings.ContainsAny(v, " \n")
	})
}

// looksLikePath reports whether an example is a path.
func looksLikePath(value string) bool {
	for _, begin := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	return false
}

// saysPath finds the words of a description that speak of a file system.
var saysPath = lazyregexp.New(`\b((absolute|relative|full|local|file|directory|folder|filesystem|output|input|source|destination|target) )?path(s)?\b|\b(file|directory|folder) (to|on disk)\b|\bdirectory\b`)

// movesFiles finds a tool of which the places are files, where nothing describes them: "Move or rename files".
var movesFiles = lazyregexp.New(`\b(move|rename|copy|copie|link|duplicate|compare|diff)s?( (or|and) [a-z]+)? ((a|an|the|single|multiple|local|two) )*(files?|director(y|ies)|folders?)\b|\b(move|rename|copy)_(file|dir|directory|folder|path)s?\b`)

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
