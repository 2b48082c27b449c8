// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
)

// use tells how to run the server behind the draft: where, by which line, and a sentence on it, if there is one.
func (p *proxied) use() (where, line, after string) {
	d, file := p.draft, p.flags.writePolicy
	switch given := rooted(p.server); {
	case d.place != nil:
		where = ", in the project that the server is for,"
		after = "the walls show the directory where this starts; contain in the policy can name others"
		if d.place.held {
			after = "the walls let the server only read there, because the policy lies where the audit ran: write it elsewhere, such as --write-policy ~/.config/toolvet/" + p.name + ".yaml"
		}
		if path, err := filepath.Abs(file); err == nil { // another directory than ours
			file = path
		}
	case d.walls != "" && !given:
		after = "the walls show it no directory of yours: if it needs one, name it in the policy under contain: read or write"
	}
	command := []string{"toolvet", "proxy", "--policy", file}
	if d.walls != "" || rooted(p.server) && !fetches(d.listed[pin.Tools], d.worked) { // other walls would hide what the server needs
		command = append(command, "--contain")
	}
	command = append(command, "--")
	for _, word := range p.server {
		if strings.Contains(word, policy.Root) {
			word = strings.ReplaceAll(word, policy.Root, "/srv/data")
			after = "write the server's directory in place of /srv/data"
		}
		command = append(command, word)
	}
	return where, shellLine(command), after
}

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:=@%+,-]+$`)

// shellLine writes a command for sh.
func shellLine(words []string) string {
	words = slices.Clone(words)
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
