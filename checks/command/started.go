// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// Started returns the programs that a command, as the options have it read, would start: the first word of each, as it stands. It also returns the
// words that may name files, from the directory in which the command begins: those that programs read, and those that they may change. All are nil
// if the command cannot be read; whether the programs are allowed is for Check to say.
func Started(o *Options, value any) (programs, reads, changes []string) {
	j := &judge{compiled: o.compile(), shell: o.Shell}
	var list []simple
	switch value := value.(type) {
	case string:
		if o.Shell == patchShell {
			return nil, nil, patchChanges("", value)
		}
		if len(value) > j.length || !j.characters(-1, value, true) {
			return nil, nil, nil
		}
		list = j.read(value)
	case []any:
		var s simple
		for i, e := range value {
			word, ok := e.(string)
			if i == 0 && (!ok || word == "" || !j.characters(0, word, false)) {
				return nil, nil, nil
			}
			s.words = with(s.words, word)
		}
		list = append(list, s)
	}
	for _, s := range list {
		if len(s.words) == 0 || s.words[0] == "" {
			continue
		}
		programs, changes = append(programs, s.words[0]), append(changes, s.patchedBy()...)
		program := s.program()
		if s.tells(program, reading(program, s.words)) {
			continue
		}
		for _, w := range s.words[1:] {
			if _, given, ok := cut(w, "="); ok {
				w = given
			}
			switch {
			case w == "" || w[0] == '-' || contains(w, insertion) || contains(w, "://") || strings.ContainsAny(w, "\n\x00"):
			case shows.Has(program):
				reads = with(reads, home(toDirectory(s.directory, w)))
			default:
				changes = with(changes, home(toDirectory(s.directory, w)))
			}
		}
	}
	return programs, append(reads, j.readFrom...), append(changes, j.writtenTo...)
}
