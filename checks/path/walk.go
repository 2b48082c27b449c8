// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import "strings"

// A walk follows a folded path name by name, without looking at the file system.
type walk struct {
	platform platform
	literal  bool   // the reader takes a name as it stands
	at       []byte // where it is: clean, absolute if it began so; "" is the root of all
	floor    int    // of at, above which ".." does not lead
	absolute bool   // the path is absolute
	ups      int    // how many ".." it holds
	above    int    // how far a relative path has led above its unknown start
}

// resolve follows a path from start, an absolute key or "" if it is unknown.
//
// Unless the walk is literal, a backslash is a soft separator, which only some readers
// see. Of their readings it takes the one that leads furthest up: names that only soft
// separators part are one step down, and ".." between soft separators is a step up.
func (w *walk) resolve(text, start string) {
	rest := w.begin(text, start)
	named := false // the last step, since the last hard separator, was a name
	for rest != "" {
		soft := true
		for rest != "" && w.separates(rest[0]) {
			soft = soft && rest[0] == '\\'
			rest = rest[1:]
		}
		if !soft {
			named = false
		}
		end := 0
		for end < len(rest) && !w.separates(rest[end]) {
			end++
		}
		switch name := rest[:end]; {
		case name == "" || name == ".":
		case name == ".." || !w.literal && up(name):
			w.up()
			named = false
		default:
			w.down(name, named)
			named = true
		}
		rest = rest[end:]
	}
}

// begin places the walk at its start, and returns the rest of the path.
func (w *walk) begin(text, start string) string {
	w.at, w.floor = w.at[:0], 0
	if w.platform != windows {
		w.absolute = text != "" && w.separates(text[0])
		if !w.absolute {
			w.at = append(w.at, start...)
		}
		return text
	}
	if w.absolute = windows.absolute(text); !w.absolute {
		w.at = append(w.at, start...)
		w.floor = volume(start)
		return text
	}
	w.floor = volume(text)
	w.at = appendLower(w.at, text[:w.floor])
	return text[w.floor:]
}

func (w *walk) separates(c byte) bool { return c == '/' || c == '\\' && !w.literal }

// volume is the length of the drive or the network share that a folded, absolute
// Windows path begins with.
func volume(folded string) int {
	if driveAt(folded) {
		return 2
	}
	if !strings.HasPrefix(folded, "//") {
		return 0
	}
	host, share, ok := strings.Cut(folded[2:], "/")
	if !ok {
		return len(folded)
	}
	share, _, _ = strings.Cut(share, "/")
	return 2 + len(host) + 1 + len(share)
}

// up reports whether a name leads to the directory above, to any reader: some cut off
// spaces, and some what follows a semicolon.
func up(name string) bool {
	if !strings.Contains(name, "..") {
		return false
	}
	name, _, _ = strings.Cut(name, ";")
	return strings.TrimSpace(name) == ".."
}

func (w *walk) up() {
	w.ups++
	if len(w.at) <= w.floor {
		w.above++
		return
	}
	for i := len(w.at) - 1; i >= w.floor; i-- {
		if w.at[i] == '/' {
			w.at = w.at[:i]
			return
		}
	}
	w.at = w.at[:w.floor]
}

// down goes into a directory or, if joined, adds to the name of the one it is in.
func (w *walk) down(name string, joined bool) {
	separator := byte('/')
	if joined {
		separator = '\\'
	}
	w.at = append(w.at, separator)
	if w.platform == windows {
		w.at = appendLower(w.at, name)
		return
	}
	w.at = append(w.at, name...)
}

func appendLower(b []byte, s string) []byte {
	for i := range len(s) {
		b = append(b, lower(s[i]))
	}
	return b
}
