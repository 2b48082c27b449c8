// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package programs lists programs with a harmful option: a value that begins with a dash, in place
// of a name, makes them write a file or start a program.
package programs

import "github.com/toolvet/toolvet/internal/lazyregexp"

var harmful = map[string]bool{
	"git": true, "hg": true, "svn": true, "tar": true, "find": true, "rsync": true, "ssh": true, "scp": true, "sftp": true, "curl": true, "wget": true,
	"zip": true, "sed": true, "awk": true, "gawk": true, "xargs": true, "env": true, "nmap": true, "tcpdump": true, "man": true, "less": true, "vim": true,
	"gh": true, "sqlmap": true, "ffuf": true, "tshark": true, "rg": true, "sort": true, "pandoc": true,
}

// gitHarmful are the subcommands of git with such an option: --output, --upload-pack, --exec and
// their like.
var gitHarmful = map[string]bool{
	"diff": true, "log": true, "show": true, "shortlog": true, "whatchanged": true, "reflog": true, "stash": true, "format-patch": true, "archive": true,
	"diff-tree": true, "diff-index": true, "range-diff": true, "difftool": true, "grep": true, "rebase": true, "bisect": true, "submodule": true,
	"clone": true, "fetch": true, "pull": true, "push": true, "ls-remote": true, "remote": true, "send-email": true,
}

// Harmful reports whether a program has a harmful option. For git it depends on the subcommand; ""
// is an unknown one.
func Harmful(program, subcommand string) bool {
	if program == "git" && subcommand != "" {
		return gitHarmful[subcommand]
	}
	return harmful[program]
}

var valued = lazyregexp.New(`^(-[A-Za-z]|-(name|iname|path|ipath|regex|type|maxdepth|mindepth|mtime|size|newer)|--(message|author|since|until|after|before|grep|format|max-count|skip|branch|file|output|name|title|body|state|user|repo|label|limit|contains|no-contains|depth|type|iname|maxdepth|mindepth))$`)

// Valued reports whether an option takes the next argument as its value, even one with a leading
// dash.
func Valued(option string) bool { return valued.MatchString(option) }
