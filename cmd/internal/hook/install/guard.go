// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
)

// Hosts let a call run whose hook crashes, is killed, is missing, or ends without a word. So a shell stands between the host and toolvet
// wherever an answer of the shell can deny. toolvet then tells by an exit code of its own that it has answered, and at any other code but that of
// a denial the shell denies.

// failedWords is what the shell tells then.
const failedWords = "toolvet failed, so it refuses this call."

// The ends of guarded lines, by what the host takes for a denial: exit code 2, JSON, or any exit code but 0 and 1.
const (
	answered = " " + fast.AnsweredFlag + " 77"
	exitTail = answered + `; case $? in 77) exit 0;; 2) exit 2;; esac; echo "` + failedWords + `" >&2; exit 2`
	jsonTail = answered + `); [ $? = 77 ] || said='{"cancel":true,"errorMessage":"` + failedWords + `"}'; printf '%s\n' "$said"`
	jsonHead = "said=$("
	codeTail = answered + `; case $? in 77) exit 0;; 1) exit 1;; esac; exit 2`
)

// guards returns the beginning and the end that guard a host's lines; "" if there are none.
func guards(h *hook.Host) (head, tail string) {
	switch {
	case h.ExitTwo:
		return "", exitTail
	case h.Name == "cline":
		return jsonHead, jsonTail
	case h.Name == "amp":
		return "", codeTail
	}
	return "", ""
}

// Guard returns a shell's line that runs another one of toolvet, and denies for a host if that fails.
func Guard(h *hook.Host, line string) string {
	head, tail := guards(h)
	return head + line + tail
}

// unguarded returns the words of a line, and whether it is guarded.
func unguarded(text, goos string) (words []string, guarded bool) {
	for _, end := range []string{exitTail, jsonTail, codeTail} {
		if inner, ok := strings.CutSuffix(text, end); ok {
			words, _ = split(strings.TrimPrefix(inner, jsonHead), goos)
			return words, true
		}
	}
	words, _ = split(text, goos)
	if len(words) == 3 && words[0] == shell && words[1] == "-c" {
		if inner, ok := unguarded(words[2], goos); ok {
			return inner, true
		}
	}
	return words, false
}

// shell reads guarded lines. A host may use another one, such as fish.
const shell = "/bin/sh"

// denies are the events of hosts in which exit code 2 denies a call. In others it may end the session, or have an agent go on.
var denies = strings.Fields("PreToolUse preToolUse BeforeTool PermissionRequest beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead pre_run_command pre_write_code pre_read_code pre_mcp_tool_use")

// line is what a host with a shell runs for an event.
func (b *builder) line(event string) string {
	plain := line(b.words, b.GOOS)
	if b.GOOS == "windows" || !b.Host.ExitTwo || !slices.Contains(denies, event) {
		return plain
	}
	return line([]string{shell, "-c", Guard(b.Host, plain)}, b.GOOS)
}

// exec is what a host starts for an event without a shell.
func (b *builder) exec(event string) (program string, args []string) {
	if b.GOOS == "windows" || !b.Host.ExitTwo || !slices.Contains(denies, event) {
		return b.words[0], b.words[1:]
	}
	return shell, []string{"-c", Guard(b.Host, line(b.words, b.GOOS))}
}
