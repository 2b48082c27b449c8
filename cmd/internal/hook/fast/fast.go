// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package fast is the first try of a hook: it asks the resident judge before the rest of the program is initialized, which takes longer than
// the judge to judge. Go initializes packages in the order of their paths, each after its imports; so this package imports no more than os does.
// With fmt, strings or net it would come behind hundreds of packages. Package client takes over wherever there is no whole answer.
package fast

import (
	"os"
	"time"
)

// The first fields of a request.
const (
	Host = iota
	Policy
	Preset
	WorkDir
	Timeout // in nanoseconds, in 8 bytes as in a message
	Environ // its marks; see Marks
	Payload
	firstVariable // the other fields are variables of the environment, as NAME=VALUE
)

// AnsweredFlag makes a hook that has answered end with another exit code than 0, with which a program also ends that has done nothing.
const AnsweredFlag = "--answered"

// Code reads the value of AnsweredFlag: 1 to 125, or 0 if it is none.
func Code(value string) int {
	n := 0
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' || n > 12 {
			return 0
		}
		n = 10*n + int(value[i]-'0')
	}
	if n > 125 { // a shell has the codes behind for itself
		return 0
	}
	return n
}

// MaxPayload bounds what a host may tell a hook, in bytes.
const MaxPayload = 32 << 20

// A Try is what the first try has learned.
type Try struct {
	Began       time.Time
	Read        bool // Input is all of standard input
	Input       []byte
	Failed      string // what is wrong with standard input; "" if nothing is
	Interrupted bool   // a signal has come
}

// Tried is the first try; nil: there was none.
var Tried *Try

// Deaf reports whether nobody reads standard output: it is the null device, as also where it was closed when the process began.
func Deaf() bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	out, err := os.Stdout.Stat()
	return err != nil || os.SameFile(null, out)
}

// hosts are the names of hosts, as package hook has them: that imports too much.
var hosts = []string{
	"claude-code", "codex", "gemini", "antigravity", "copilot", "vscode", "cursor", "windsurf", "cline", "goose", "kiro", "amp", "opencode", "grok", "qwen", "kimi", "droid",
}

func isHost(name string) bool {
	for _, h := range hosts {
		if h == name {
			return true
		}
	}
	return false
}

// Told reports whether a request has a variable of the environment: hosts tell hooks something in it, or a judge finds files by it.
func Told(name string) bool {
	const suffix = "_PROJECT_DIR"
	switch name {
	case "AMP_THREAD_ID", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR":
		return true
	}
	return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix || len(name) >= 5 && name[:5] == "AGENT"
}
