// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
)

// hiding is what hides words from a reader of a page, forges a turn or a frame of a conversation, or spells words in another way. Unlike
// disguise it asks for three words where one alone is no order, and takes neither code nor long paths for a disguise.
var hiding = regexp.MustCompile(`(?im)<!--\s*(?:[^\s>]+\s+){3}|display:\s*none|visibility:\s*hidden|font-size:\s*0|opacity:\s*0[;"'\s.]|[^-]color:\s*(?:white|transparent|#fff)|<[a-z]+\s[^>]*\bhidden\b|` +
	`<[a-z]+\s[^>]*(?:aria-[a-z]+|alt|title|data-[a-z]+|content|value|placeholder)\s*=\s*["'](?:[^\s"'>]+\s+){3}|!\[[^\]]*\]\(|^\[[^\]]+\]:\s*#|\]\([^)\s]*\s["'](?:[^\s"']+\s+){2}|<(?:noscript|template|meta|svg|desc)\b|` +
	`\[/?(?:system|inst|admin|developer|assistant)\b|</?\|?(?:system|im_start|im_end|assistant|user|human|important|hidden|secret|override|tool_result|function_results?|instructions?)\b|<<sys>>|` +
	`^\W{0,4}(?:system|assistant|human|admin)\b[^:\n]{0,20}:|#{2,}\s*(?:system|instruction|assistant|human)|(?:begin|end|start)\s(?:of\s)?(?:system|user|hidden|admin)\b|"role"\s*:\s*"system"|` +
	`\b[a-z](?:[ ._|*-][a-z]\b){5}|(?:\b[a-z]+[013457@$][a-z@$013457]+\b.*?){3}|\b(?:vtaber|cerivbhf|vafgehpgvbaf?|flfgrz|cebzcg|erongi|suoiverp|snoitcurtsni|tpmorp|metsys)\b|(?:[.-]{1,5}[ /]+){12}`)

var (
	escapeRun = regexp.MustCompile(`(?i)(?:(?:%|\\x)[0-9a-f]{2}[^%\\&]{0,4}){6,}|(?:\\u[0-9a-f]{4}[^\\]{0,3}){6,}|(?:&#x?[0-9a-f]+;[^&]{0,3}){6,}|(?:\b(?:0x)?[0-9a-f]{2,3}[ ,]+){8,}|(?:\b[01]{8}[ ,]*){6,}`)
	codeRun   = regexp.MustCompile(`[A-Za-z0-9+/_-]{20,}={0,2}`)
)

// labelHiding says flag of an attack that hides or disguises itself: by what hides words or spells them otherwise, by characters that are not seen or are look-alikes,
// or by an encoding of three words or more. A plain request in plain words is not scored, and neither is an attack without three words.
func labelHiding(input string) string {
	if hiding.MatchString(input) && len(strings.Fields(input)) >= 3 || unseenCharacters(input) || encoded(input) {
		return flagged
	}
	return plain
}

// unseenCharacters tells whether a text has three characters that are not seen, a tag, or two words of two alphabets or of a styled one.
func unseenCharacters(input string) bool {
	none, mixed := 0, 0
	for word := range strings.FieldsSeq(input) {
		latin, other, styled := 0, 0, 0
		for _, r := range word {
			switch {
			case r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x2069 || r == 0xfeff || r == 0xad || r >= 0xe0100 && r <= 0xe01ef:
				none++
			case r >= 0xe0000 && r <= 0xe007f:
				none += 3
			case r >= 0xff21 && r <= 0xff5a || r >= 0x1d400 && r <= 0x1d7ff || r >= 0x24b6 && r <= 0x24e9 || r >= 0x1f130 && r <= 0x1f189:
				styled++
			case r < 0x80 && unicode.IsLetter(r):
				latin++
			case unicode.Is(unicode.Cyrillic, r) || unicode.Is(unicode.Greek, r):
				other++
			}
		}
		if latin > 0 && other > 0 || styled > 2 {
			mixed++
		}
	}
	return none >= 3 || mixed >= 2
}

// encoded tells whether a text has an encoding of three words.
func encoded(input string) bool {
	for _, run := range escapeRun.FindAllString(input, -1) {
		if threeWords(undoEscapes(run)) || threeWords(undoNumbers(run)) {
			return true
		}
	}
	for _, run := range codeRun.FindAllString(input, -1) {
		if raw, err := hex.DecodeString(run); err == nil && threeWords(string(raw)) {
			return true
		}
		run = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
		raw, err := base64.RawStdEncoding.DecodeString(run[:len(run)-len(run)%4])
		if err == nil && (threeWords(string(raw)) || codeRun.Match(raw) && encoded(string(raw))) {
			return true
		}
	}
	return false
}

func threeWords(text string) bool {
	words := 0
	for word := range strings.FieldsSeq(text) {
		if len(word) > 1 && strings.IndexFunc(word, func(r rune) bool { return r > '~' || r < '!' }) < 0 {
			words++
		}
	}
	return words >= 3
}

var oneEscape = regexp.MustCompile(`(?i)(?:%|\\x)([0-9a-f]{2})|\\u00([0-9a-f]{2})|\b(?:0x)?([0-9a-f]{2})\b[ ,]*|\b([01]{8})\b[ ,]*`)

func undoEscapes(run string) string {
	if strings.Contains(run, "&#") {
		return html.UnescapeString(run)
	}
	return oneEscape.ReplaceAllStringFunc(run, func(s string) string {
		m := oneEscape.FindStringSubmatch(s)
		for i, base := range []int{16, 16, 16, 2} {
			if n, err := strconv.ParseUint(m[i+1], base, 8); err == nil {
				return string(rune(n))
			}
		}
		return s
	})
}

// undoNumbers reads a row of decimal numbers as letters.
func undoNumbers(run string) string {
	var b strings.Builder
	for number := range strings.FieldsFuncSeq(run, func(r rune) bool { return r == ' ' || r == ',' }) {
		n, err := strconv.ParseUint(number, 10, 7)
		if err != nil {
			return ""
		}
		b.WriteByte(byte(n))
	}
	return b.String()
}

// threats are the inputs that a rule of Agent Threat Rules must find, and those of its tests of evasion.
func threats(text string) (found []string) {
	type test map[string]any
	var rule struct {
		Cases struct {
			Positives []test `yaml:"true_positives"`
			Evasions  []test `yaml:"evasion_tests"`
		} `yaml:"test_cases"`
		Evasions []test `yaml:"evasion_tests"`
	}
	if yaml.Unmarshal([]byte(text), &rule) != nil {
		return nil
	}
	for _, t := range slices.Concat(rule.Cases.Positives, rule.Cases.Evasions, rule.Evasions) {
		for _, name := range []string{"input", "tool_description", "tool_response", "content"} {
			if s, ok := t[name].(string); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// truePositives are the examples that a rule of aguara finds.
func truePositives(text string) (found []string) {
	for part := range strings.SplitSeq(text, "\n---") {
		var rule struct {
			Examples struct {
				Positive []string `yaml:"true_positive"`
			}
		}
		if yaml.Unmarshal([]byte(part), &rule) == nil {
			found = append(found, rule.Examples.Positive...)
		}
	}
	return found
}

// detectedCases are the inputs of a fixture of prompt-shield that must be found.
func detectedCases(text string) (found []string) {
	var file struct {
		Cases []struct {
			Input    string
			Expected bool `json:"expected_detected"`
		} `json:"test_cases"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	for _, c := range file.Cases {
		if c.Expected {
			found = append(found, c.Input)
		}
	}
	return found
}

// labelledTexts are the texts of a table with the label 1.
func labelledTexts(text string) (found []string) {
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	value, label := slices.Index(rows[0], "text"), slices.Index(rows[0], "label")
	for _, row := range rows[1:] {
		if row[label] == "1" {
			found = append(found, row[value])
		}
	}
	return found
}

// yamlPrompt is the prompt of a rule of promptmap.
func yamlPrompt(text string) []string {
	var rule struct{ Prompt string }
	if yaml.Unmarshal([]byte(text), &rule) != nil {
		return nil
	}
	return []string{rule.Prompt}
}

// anyMembers are all members of a name in a document of JSON or YAML.
func anyMembers(name string) func(text string) []string {
	return func(text string) (found []string) {
		var document any
		if json.Unmarshal([]byte(text), &document) != nil && yaml.Unmarshal([]byte(text), &document) != nil {
			return nil
		}
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case []any:
				for _, e := range v {
					walk(e)
				}
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(v)) {
					if s, ok := v[key].(string); ok && key == name {
						found = append(found, s)
					}
					walk(v[key])
				}
			}
		}
		walk(document)
		return found
	}
}

// stringList are the strings of a JSON array.
func stringList(text string) (found []string) {
	if json.Unmarshal([]byte(text), &found) != nil {
		return nil
	}
	return found
}

// mostOf is how many attacks of one repository count: from round 12 on no data set decides a figure alone.
const mostOf = 200

// spread leaves mostOf attacks of each repository, evenly over its rows, to be scored.
func spread(rows []row, repo func(row) string) {
	attacks := map[string][]int{}
	for i, r := range rows {
		if r.Expect == flagged {
			attacks[repo(r)] = append(attacks[repo(r)], i)
		}
	}
	for _, list := range attacks {
		for n, i := range list {
			if n > 0 && len(list) > mostOf && n*mostOf/len(list) == (n-1)*mostOf/len(list) {
				rows[i].Expect = plain
			}
		}
	}
}
