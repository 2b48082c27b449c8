// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"io"
	"strings"

	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/terminal"
)

// Unfetched tells how to fetch a package, if a launcher misses it in its cache, going by its words; "" otherwise. Sandboxes and
// walls without hosts have no network.
func Unfetched(command []string, said string) string {
	switch {
	case strings.Contains(said, "ENOTCACHED"):
		fetch := rehearsal.Fetch(command)
		if fetch == "" {
			fetch = "npm exec --yes --ignore-scripts --package=PACKAGE -- node --version"
		}
		return "npm has not fetched the package, and here is no network: run '" + fetch + "' once outside, and start again; or its name is wrong"
	case strings.Contains(said, "offline") && strings.Contains(said, "cache"): // uv
		return "uv has not fetched the package, and here is no network: run 'uv tool install PACKAGE' once outside, and start again; or its name is wrong"
	}
	return ""
}

// maxLaunched bounds the launcher's words.
const maxLaunched = 16 << 10

// A launched passes on a server's standard error, and adds the hint of Unfetched.
type launched struct {
	io.Writer
	command []string
	said    []byte // at first, by the launcher
	told    bool
}

func (l *launched) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	if l.told || len(l.said) >= maxLaunched || err != nil {
		return n, err
	}
	l.said = append(l.said, p[:min(len(p), maxLaunched-len(l.said))]...)
	if hint := Unfetched(l.command, string(l.said)); hint != "" && l.said[len(l.said)-1] == '\n' {
		l.told = true
		_, _ = terminal.Fprintf(l.Writer, "toolvet: hint: %s\n", hint)
	}
	return n, err
}
