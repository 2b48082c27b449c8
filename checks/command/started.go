// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

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
