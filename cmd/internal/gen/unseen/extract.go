// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// commented are the lines of a cheat sheet that stand behind a comment: commands.
func commented(text string) (found []string) {
	before := ""
	for _, line := range lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(before, "#") && !strings.HasPrefix(line, "#") {
			found = append(found, strings.TrimSpace(strings.TrimPrefix(line, "$ ")))
		}
		before = line
	}
	return slices.DeleteFunc(found, func(line string) bool { return line == "" })
}

var fence = regexp.MustCompile("(?s)```(bash|sh|shell|console|shell-session|terminal|zsh)[^\n]*\n(.*?)```")

// fenced are the lines in blocks of a shell in Markdown. Blocks of a console have output, too.
func fenced(text string) (found []string) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		console := m[1] == "console" || m[1] == "shell-session"
		for _, line := range lines(m[2]) {
			command, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if command != "" && (prompt || !console) {
				found = append(found, command)
			}
		}
	}
	return found
}

var step = regexp.MustCompile(`(?m)^(?:[\s-]*run:|RUN) +(\S.*)$`)

// runSteps are the commands of one line in a workflow of GitHub or a Dockerfile.
func runSteps(text string) (found []string) {
	for _, m := range step.FindAllStringSubmatch(text, -1) {
		line := strings.TrimSpace(m[1])
		if len(line) > 1 && (line[0] == '"' || line[0] == '\'') && line[len(line)-1] == line[0] {
			line = line[1 : len(line)-1]
		}
		if line[0] != '|' && line[0] != '>' && line[0] != '[' && !strings.HasSuffix(line, `\`) {
			found = append(found, line)
		}
	}
	return found
}

// codeBlocks are the lines of the blocks of code in a page of SonarSource's list.
func codeBlocks(text string) (found []string) {
	block, indent := false, 0
	for _, line := range lines(text) {
		trimmed := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		key := strings.TrimPrefix(trimmed, "- ")
		switch value, is := strings.CutPrefix(key, "code:"); {
		case is && strings.HasPrefix(strings.TrimSpace(value), "|"):
			block, indent = true, depth+len(trimmed)-len(key)
		case is:
			found = append(found, strings.Trim(strings.TrimSpace(value), `"'`))
		case block && trimmed != "" && depth <= indent:
			block = false
		case block && trimmed != "":
			found = append(found, trimmed)
		}
	}
	return found
}

// shellExecutors are the lines that a test of Atomic Red Team gives to sh or bash.
func shellExecutors(text string) (found []string) {
	for _, executor := range strings.Split(text, "executor:")[1:] {
		if !regexp.MustCompile(`(?m)^ +name: (sh|bash)\s*$`).MatchString(executor) {
			continue
		}
		inside := false
		for _, line := range lines(executor) {
			switch {
			case regexp.MustCompile(`^    command: \|`).MatchString(line):
				inside = true
			case strings.HasPrefix(line, "      "):
				if inside {
					found = append(found, strings.TrimSpace(line))
				}
			default:
				inside = false
			}
		}
	}
	return found
}

var (
	sqlmapElement = regexp.MustCompile(`<(?:payload|vector)>(.*?)</(?:payload|vector)>`)
	placeholder   = regexp.MustCompile(`\[([A-Z_ ]+?)[0-9]*\]`)
	behindValue   = regexp.MustCompile(`(?i)^ *(and|or|rlike|union|procedure|limit|having|where|order|into|[;,|&+*/=<>-])`)
	fillings      = map[string]string{
		"RANDNUM": "4321", "RANDSTR": "abcd", "SLEEPTIME": "5", "INFERENCE": "1=1", "QUERY": "SELECT user", "ORIGVALUE": "1", "DELIMITER_START": "qx", "DELIMITER_STOP": "xq",
		"SPACE_REPLACE": " ", "DELAYED": "5000000", "GENERIC_SQL_COMMENT": "-- x", "ORIGINAL": "1",
	}
)

// sqlmapPayloads are the payloads of sqlmap with its marks filled: behind a number and behind a quote if they can stand behind a
// value, else as they are.
func sqlmapPayloads(text string) (found []string) {
	for _, m := range sqlmapElement.FindAllStringSubmatch(text, -1) {
		found = append(found, filled(html.UnescapeString(m[1]))...)
	}
	return found
}

var ghauriPayload = regexp.MustCompile(`"payload":\s*"((?:[^"\\]|\\.)*)"`)

// ghauriPayloads are those of ghauri, which has the marks of sqlmap.
func ghauriPayloads(text string) (found []string) {
	for _, m := range ghauriPayload.FindAllStringSubmatch(text, -1) {
		found = append(found, filled(strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]))...)
	}
	return found
}

func filled(payload string) []string {
	p := placeholder.ReplaceAllStringFunc(payload, func(mark string) string {
		filling, ok := fillings[placeholder.FindStringSubmatch(mark)[1]]
		if !ok {
			return "x"
		}
		return filling
	})
	switch {
	case p == "", p == "x":
		return nil
	case behindValue.MatchString(p):
		return []string{"1 " + p, "1' " + p + "-- x"}
	}
	return []string{p}
}

// wapitiPayloads are the payloads in a file of wapiti, with its marks filled.
func wapitiPayloads(text string) (found []string) {
	for _, line := range lines(text) {
		if p, ok := strings.CutPrefix(line, "payload = "); ok {
			found = append(found, strings.NewReplacer("[TIME]", "5", "[VALUE]", "1", "[LF]", "\n", "[TAB]", "\t", "[NULL]", "\x00").Replace(p))
		}
	}
	return found
}

// bypasses are the payloads of a file of waf-bypass: the address, decoded.
func bypasses(text string) (found []string) {
	var file struct{ Payload []struct{ URL string } }
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	for _, p := range file.Payload {
		if value, err := url.QueryUnescape(p.URL); err == nil {
			found = append(found, value)
		}
	}
	return found
}

// shAbilities are the lines that an ability of Caldera gives to sh.
func shAbilities(text string) (found []string) {
	var abilities []struct {
		Platforms map[string]map[string]struct{ Command string }
	}
	if yaml.Unmarshal([]byte(text), &abilities) != nil {
		return nil
	}
	for _, a := range abilities {
		for _, platform := range slices.Sorted(maps.Keys(a.Platforms)) {
			for line := range strings.Lines(a.Platforms[platform]["sh"].Command) {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}

// prompted are the lines of a document that stand behind the prompt of a shell.
func prompted(text string) (found []string) {
	for _, line := range lines(text) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
			found = append(found, strings.TrimSpace(command))
		}
	}
	return found
}

var sqlBlock = regexp.MustCompile("(?s)(?:```|~~~) ?sql[^\n]*\n(.*?)(?:```|~~~)")

// sqlBlocks are the blocks of SQL in Markdown, without a prompt.
func sqlBlocks(text string) (found []string) {
	for _, m := range sqlBlock.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m[1]), "> ")))
	}
	return found
}

// queryColumn is the column "query" of a table.
func queryColumn(text string) (found []string) {
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes, r.FieldsPerRecord = true, -1
	rows, _ := r.ReadAll() // what can be read before an error counts
	column := -1
	for i, row := range rows {
		switch {
		case i == 0:
			column = slices.Index(row, "query")
		case column >= 0 && column < len(row):
			found = append(found, row[column])
		}
	}
	return found
}

// labelled are the texts of a table with the columns text and label that have one label.
func labelled(label string) func(text string) []string {
	return func(text string) (found []string) {
		r := csv.NewReader(strings.NewReader(text))
		r.LazyQuotes, r.FieldsPerRecord = true, -1
		for {
			row, err := r.Read()
			if err != nil { // what can be read before an error counts
				return found
			}
			if len(row) == 2 && row[1] == label {
				found = append(found, row[0])
			}
		}
	}
}

var javaString = regexp.MustCompile(`"((?:[^"\\\n]|\\.)*)"`)

// javaStrings are the strings of a program in Java.
func javaStrings(text string) (found []string) {
	for _, m := range javaString.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(m[1]))
	}
	return found
}

// titles are the members Title of objects in JSON that are strings.
func titles(text string) (found []string) {
	var rows []struct{ Title any }
	if json.Unmarshal([]byte(text), &rows) != nil {
		return nil
	}
	for _, r := range rows {
		if title, ok := r.Title.(string); ok {
			found = append(found, title)
		}
	}
	return found
}

// payloads are the items of a list in YAML, one a line.
func payloads(text string) (found []string) {
	inside := true
	for _, line := range lines(text) {
		if strings.HasSuffix(line, ":") && line[0] != ' ' {
			inside = line == "payload:"
		}
		item, is := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !is || !inside {
			continue
		}
		item = strings.TrimSpace(item)
		switch {
		case len(item) > 1 && item[0] == '"' && item[len(item)-1] == '"':
			var s string
			if json.Unmarshal([]byte(item), &s) != nil {
				continue // an escape that JSON lacks
			}
			item = s
		case len(item) > 1 && item[0] == '\'' && item[len(item)-1] == '\'':
			item = strings.ReplaceAll(item[1:len(item)-1], "''", "'")
		}
		found = append(found, item)
	}
	return found
}

var crsField = regexp.MustCompile(`(?m)^\s+(?:data|uri): ["']?(.*?)["']?$`)

// crsValues are the values of the forms and queries in tests of the Core Rule Set, decoded.
func crsValues(text string) (found []string) {
	for _, m := range crsField.FindAllStringSubmatch(text, -1) {
		_, query, isURI := strings.Cut(m[1], "?")
		if !isURI {
			query = m[1]
		}
		for pair := range strings.SplitSeq(query, "&") {
			_, value, ok := strings.Cut(pair, "=")
			if value, err := url.QueryUnescape(value); ok && err == nil {
				found = append(found, value)
			}
		}
	}
	return found
}

// birdQueries are the queries of a file of BIRD, each before the name of its database.
func birdQueries(text string) (found []string) {
	var rows map[string]any
	if json.Unmarshal([]byte(text), &rows) != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if s, ok := rows[key].(string); ok {
			query, _, _ := strings.Cut(s, "\t----- bird -----")
			found = append(found, query)
		}
	}
	return found
}

type textToSQL struct {
	SQL       []string
	Sentences []struct{ Text string }
}

// sqlTexts are the queries of a file of text2sql-data, the first spelling of each.
func sqlTexts(text string) (found []string) {
	var rows []textToSQL
	if json.Unmarshal([]byte(text), &rows) != nil {
		return nil
	}
	for _, r := range rows {
		found = append(found, r.SQL[:min(1, len(r.SQL))]...)
	}
	return found
}

// questions are what people asked for in a file of text2sql-data.
func questions(text string) (found []string) {
	var rows []textToSQL
	if json.Unmarshal([]byte(text), &rows) != nil {
		return nil
	}
	for _, r := range rows {
		for _, s := range r.Sentences[:min(2, len(r.Sentences))] {
			found = append(found, s.Text)
		}
	}
	return found
}

// typed are the cells in the column payload of a table whose rows have a value in another column.
func typed(column, value string) func(text string) []string {
	return func(text string) (found []string) {
		r := csv.NewReader(strings.NewReader(text))
		r.LazyQuotes, r.FieldsPerRecord = true, -1
		payload, kind := -1, -1
		for {
			row, err := r.Read()
			if err != nil { // what can be read before an error counts
				return found
			}
			switch {
			case payload < 0 || kind < 0:
				payload, kind = slices.Index(row, "payload"), slices.Index(row, column)
			case max(payload, kind) < len(row) && row[kind] == value:
				found = append(found, row[payload])
			}
		}
	}
}

// fencedLines are the lines in all blocks of code in Markdown.
func fencedLines(text string) (found []string) {
	for _, block := range fencedTexts(text) {
		for _, line := range lines(block) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// requestValues are the values of the query and of the form in a request of HTTP, decoded.
func requestValues(text string) (found []string) {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r", ""), "\n\n")
	first, fields, _ := strings.Cut(head, "\n")
	_, target, _ := strings.Cut(first, " ")
	target, _, _ = strings.Cut(target, " HTTP/")
	_, query, _ := strings.Cut(target, "?")
	if strings.Contains(strings.ToLower(fields), "application/x-www-form-urlencoded") {
		query += "&" + body
	}
	for pair := range strings.SplitSeq(query, "&") {
		_, value, ok := strings.Cut(pair, "=")
		if value, err := url.QueryUnescape(value); ok && err == nil {
			found = append(found, strings.TrimSpace(value))
		}
	}
	return found
}

// argumentExamples are the lines of the examples of a page of GTFOArgs that start a shell or another command.
func argumentExamples(text string) (found []string) {
	var page struct {
		Functions map[string][]struct{ Code string }
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---")
	if yaml.Unmarshal([]byte(front), &page) != nil {
		return nil
	}
	for _, function := range []string{"shell", "command"} {
		for _, example := range page.Functions[function] {
			for _, line := range lines(example.Code) {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}
