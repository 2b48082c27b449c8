// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// foreignForm judges what Windows takes for a path, where paths are of another system.
func (j *judgement) foreignForm(r reading, begin string) (check.Finding, bool) {
	switch {
	case driveAt(begin) && j.platform == posix && !nameWithColon(begin):
		return r.fault("begins with the letter of a Windows drive", "; paths here begin with / or with a name", dotSlash)
	case strings.HasPrefix(begin, `\\`):
		return r.fault("names a network share or a device of Windows", "", "give the path of a file here")
	}
	return check.Finding{}, false
}

// nameWithColon reports whether a text with a letter and a colon in front is the name of one file, such as a:b.txt. Behind a drive
// stands a separator, nothing, or a step.
func nameWithColon(text string) bool {
	return len(text) > 2 && text[2] != '.' && !strings.ContainsAny(text, `/\\`)
}

// windowsForm judges how a Windows path begins, and the names in it.
func (j *judgement) windowsForm(r reading, begin string) (check.Finding, bool) {
	double := len(begin) > 1 && separates(begin[0]) && separates(begin[1])
	switch {
	case double && len(begin) > 3 && strings.IndexByte("?.", begin[2]) >= 0 && separates(begin[3]):
		return r.fault("is a device path", "; Windows takes such a path as it is", `leave out the \\?\ or \\.\ before it`)
	case double && !j.network:
		return r.fault("names a network share", "; only paths on this machine are allowed", "")
	case driveAt(begin) && (len(begin) == 2 || !separates(begin[2])):
		return r.fault("has a drive letter and no separator behind it", "; it depends on the drive's current directory", `write C:\name or name`)
	case begin != "" && separates(begin[0]) && !double:
		return r.fault("begins with a separator and no drive letter", "; it depends on the current drive", `write C:\name or name`)
	}
	rest := begin
	if windows.absolute(rest) {
		rest = rest[volume(rest):]
	}
	for name := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '/' || r == '\\' }) {
		if f, bad := windowsName(r, name); bad {
			return f, true
		}
	}
	return check.Finding{}, false
}

// windowsName judges a name in a Windows path.
func windowsName(r reading, name string) (check.Finding, bool) {
	switch {
	case name == "." || name == "..":
	case strings.Contains(name, ":"):
		return r.fault("names an alternate data stream (a colon in a name)", "", "leave out the colon and what follows")
	case strings.ContainsAny(name, `<>"|?*`):
		return r.fault("holds a character that Windows allows in no name", `: one of < > " | ? *`, "leave it out")
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return r.fault("has a name that ends with a dot or a space", "; Windows drops them", "leave them out")
	case short(name):
		return r.fault("holds a short name of Windows", ", which is another name for a file", "give the whole name")
	case reserved(name):
		return r.fault("names a device of Windows", ", such as CON, NUL or COM1 with any ending", "choose another name")
	}
	return check.Finding{}, false
}

var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}

// reserved reports whether Windows takes a name for a device.
func reserved(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	if slices.Contains(devices, name) {
		return true
	}
	port, ok := strings.CutPrefix(name, "COM")
	if !ok {
		port, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && slices.Contains([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, port)
}

// short reports whether a name is one that Windows gives a file besides its own, as DOS had them: at most six characters, a
// tilde, a number, and an ending of at most three characters.
func short(name string) bool {
	stem, ending, _ := strings.Cut(name, ".")
	tilde := strings.LastIndexByte(stem, '~')
	if tilde < 1 || tilde == len(stem)-1 || len(stem) > 8 || len(ending) > 3 || strings.Contains(ending, ".") {
		return false
	}
	return strings.Trim(stem[tilde+1:], "0123456789") == ""
}
