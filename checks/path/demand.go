// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/filekind"
)

const (
	hiddenFault    = "must not name a hidden file or directory, one that begins with a dot"
	extensionFault = "must be the name of a file that ends with "
)

// demands judges what a policy demands of the form of an allowed path.
func (j *judgement) demands(r reading, w *walk) []check.Finding {
	var list []check.Finding
	bad := func(what string) {
		list = append(list, check.Finding{Level: check.SemanticLevel, Message: what + r.how})
	}
	if j.Absolute != nil && r.literal && *j.Absolute != w.absolute {
		if *j.Absolute {
			bad("must be an absolute path")
		} else {
			bad("must be a relative path")
		}
	}
	if j.NameOnly && !nameOnly(r.text) {
		bad("must be the name of a file alone, without a directory")
	}
	if j.Hidden != nil && !*j.Hidden && !r.routes && hidden(w.at[j.depth(r, w):]) {
		bad(hiddenFault)
	}
	for _, kind := range j.Not {
		// A home directory that is not told stands as ~.
		if filekind.Is(kind, string(w.at)) && !slices.Contains(j.Allow, kind+" "+string(w.at)) || strings.HasPrefix(r.text, "~") && filekind.Is(kind, r.text) {
			list = append(list, check.Finding{Level: check.SecurityLevel, Message: filekind.Fault(kind) + r.how, Source: kind})
		}
	}
	if len(j.Extensions) > 0 && !extended(w.at, j.Extensions) {
		bad(extensionFault + strings.Join(j.Extensions, ", "))
	}
	return list
}

// depth is how much of where a reading leads is not the path's own doing.
func (j *judgement) depth(r reading, w *walk) int {
	switch {
	case j.known:
		return max(0, j.rootOf(w.at, !r.literal))
	case !w.absolute && below(w.at, j.start):
		return len(j.start)
	}
	return 0
}

func nameOnly(text string) bool {
	return text != "" && text != "." && !up(text) && !strings.ContainsAny(text, `/\`)
}

func hidden(at []byte) bool {
	return bytes.Contains(at, []byte("/.")) || bytes.Contains(at, []byte(`\.`))
}

// extended reports whether the name that a path ends with has one of the endings.
func extended(at []byte, extensions []string) bool {
	name := at[bytes.LastIndexByte(at, '/')+1:]
	for _, e := range extensions {
		e = "." + strings.TrimPrefix(e, ".")
		if len(name) > len(e) && strings.EqualFold(string(name[len(name)-len(e):]), e) {
			return true
		}
	}
	return false
}
