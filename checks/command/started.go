// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// Started returns the programs that a command, as the options have it read, would start:
// the first word of each, as it stands. Nil if the command cannot be read; whether the
// programs are allowed is for Check to say.
func Started(o *Options, value any) []string {
	j := &judge{compiled: o.compile(), shell: o.Shell}
	switch value := value.(type) {
	case string:
		if len(value) > j.length || !j.characters(-1, value, true) {
			return nil
		}
		var programs []string
		for _, s := range j.read(value) {
			if len(s.words) > 0 && s.words[0] != "" {
				programs = append(programs, s.words[0])
			}
		}
		return programs
	case []any:
		if len(value) > 0 {
			if word, ok := value[0].(string); ok && word != "" && j.characters(0, word, false) {
				return []string{word}
			}
		}
	}
	return nil
}

// A Name is a word of a command that may name a file, from the directory in which the command begins.
type Name struct {
	Path    string
	Changes bool // the program may change the file
}

// Named returns the words of a command that may name files, as the options have it read: what programs get, and what redirections name. Nil if
// the command cannot be read.
func Named(o *Options, value any) []Name {
	j := &judge{compiled: o.compile(), shell: o.Shell}
	var list []simple
	switch value := value.(type) {
	case string:
		if len(value) > j.length || !j.characters(-1, value, true) {
			return nil
		}
		list = j.read(value)
	case []any:
		s := simple{}
		for _, e := range value {
			word, _ := e.(string)
			s.words = append(s.words, word)
		}
		list = append(list, s)
	}
	names := j.redirected
	for _, s := range list {
		if len(s.words) == 0 || s.tells(programName(s.words[0]), reading(programName(s.words[0]), s.words)) {
			continue
		}
		for _, w := range s.words[1:] {
			if _, given, ok := strings.Cut(w, "="); ok {
				w = given
			}
			if w == "" || w[0] == '-' || strings.Contains(w, insertion) || strings.Contains(w, "://") || strings.ContainsAny(w, "\n\x00") {
				continue
			}
			names = append(names, Name{home(toDirectory(s.directory, w)), !shows[programName(s.words[0])]})
		}
	}
	return names
}

// Allows reports whether the options allow a kind of thing that a command does, such as secret.
func (o *Options) Allows(kind string) bool { return o.compile().allow[kind] }
