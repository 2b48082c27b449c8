// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// line writes a command for a shell: sh, or cmd.exe on Windows.
func line(words []string, goos string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w, goos)
	}
	return strings.Join(quoted, " ")
}

func quote(word, goos string) string {
	ordinary := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r) ||
			goos == "windows" && r == '\\'
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !ordinary(r) }) < 0 {
		return word
	}
	if goos == "windows" { // a path holds no double quotes
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split reads a simple command of a shell; ok is false if the line is more than that. On Windows a backslash is a letter.
func split(line, goos string) (words []string, ok bool) {
	var b strings.Builder
	open, inWord := rune(0), false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case open == '\'':
			if r == '\'' {
				open = 0
				continue
			}
			b.WriteRune(r)
		case r == '\\' && goos != "windows":
			if i++; i == len(runes) || runes[i] == '\n' {
				return nil, false
			}
			if open == '"' && !strings.ContainsRune("\"\\$`", runes[i]) {
				b.WriteRune('\\')
			}
			b.WriteRune(runes[i])
			inWord = true
		case open == '"':
			switch {
			case r == '"':
				open = 0
			case (r == '$' || r == '`') && goos != "windows":
				return nil, false
			default:
				b.WriteRune(r)
			}
		case r == '"' || r == '\'' && goos != "windows":
			open, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				words, inWord = append(words, b.String()), false
				b.Reset()
			}
		case strings.ContainsRune("\n\r|&;<>()$`*?[]{}#~!", r):
			return nil, false
		default:
			b.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, b.String())
	}
	return words, open == 0 && len(words) > 0
}

// isOwn reports whether a command is "toolvet hook HOST", by its program's name or by programs that toolvet has installed.
func isOwn(words []string, programs []string) bool {
	if len(words) < 3 || words[1] != "hook" {
		return false
	}
	if _, known := hook.Lookup(words[2]); !known {
		return false
	}
	base := path.Base(strings.ReplaceAll(words[0], `\`, "/"))
	return strings.TrimSuffix(base, ".exe") == "toolvet" || slices.Contains(programs, words[0])
}

// policyOf returns the policy that a command of toolvet names; "" if it names none.
func policyOf(words []string) string {
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, "--policy="); ok {
			return v
		}
		if w == "--policy" && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}
