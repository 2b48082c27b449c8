// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"path"
	"slices"
	"strings"
)

// Paths are POSIX paths here, also for servers on Windows: a backslash counts only in the attacks
// of families that say so.

// pathCall is the module path. Each function changes the form of the holes, and guards of the
// result will see that form:
//
//	path.resolve(root, p)     // formJoined: absolute, no "..", but perhaps outside root
//	path.relative(root, p)    // formRelative: outside if it begins with ".."
//	path.basename(p)          // nothing of a path's families is left
//	path.normalize(p)         // ".." only at the beginning
func (in *interp) pathCall(name string, args []Value) (Value, bool) {
	fn, ok := strings.CutPrefix(strings.Replace(strings.Replace(name, "path.posix.", "path.", 1), "path.win32.", "path.", 1), "path.")
	if !ok {
		return nil, false
	}
	args = present(args)
	first := textOf(arg(args, 0))
	s, isConst := first.one()
	switch fn {
	case "resolve":
		return resolvePath(args), true
	case "join":
		return joinPath(args), true
	case "normalize", "toNamespacedPath":
		return remap(first, func(h hole) hole {
			if h.form == formRaw || h.form == formPiece {
				h.normal = true
				if h.rooted {
					h.form = formJoined
				}
			}
			return h
		}), true
	// The folder from which a path is relative may hold an argument, too. A check of the result
	// says nothing about that one.
	case "relative":
		target := textOf(arg(args, 1)).without(first)
		if len(target.tainted()) == 0 {
			return reshape(first, func(h hole) hole { h.form = formOther; return h }), true
		}
		return reshape(target, func(h hole) hole { h.form = formRelative; h.rooted = false; return h }), true
	// The folder of a path climbs as far as the path does.
	case "dirname":
		if isConst {
			return constant(path.Dir(s)), true
		}
		if len(first.tainted()) == 0 {
			return unknown(), true
		}
		return first, true
	// The last name of a path has no separator and cannot climb.
	case "basename":
		if isConst {
			return constant(path.Base(s)), true
		}
		return reshape(first, func(h hole) hole { h.form = formRaw; h.safe |= bitsPath | bitReal; return h }), true
	case "extname":
		if isConst {
			return constant(path.Ext(s)), true
		}
		return reshape(first, func(h hole) hole { h.form = formOther; return h }), true
	case "isAbsolute":
		if isConst {
			return truth(path.IsAbs(s)), true
		}
		return in.state.holds(first, nil, func(v, _ string) ternary { return tern(strings.HasPrefix(v, "/")) }), true
	case "parse":
		o := in.heap.newObject("")
		base := reshape(first, func(h hole) hole { h.safe |= bitsPath | bitReal; return h })
		for _, k := range []string{"base", "name", "ext"} {
			in.heap.set(o, k, base)
		}
		in.heap.set(o, "dir", first)
		in.heap.set(o, "root", unknown())
		return objectOf(o), true
	case "format":
		return in.heap.flatten(arg(args, 0), 0), true
	}
	return nil, false
}

// present leaves undefined and null out of each argument: these functions throw for them.
func present(args []Value) []Value {
	out := slices.Clone(args)
	for i, v := range out {
		out[i] = v.present()
	}
	return out
}

// without makes those holes of a text unknown that stand in another text, too.
func (v Value) without(others Value) Value {
	taken := others.tainted()
	if len(taken) == 0 {
		return v
	}
	out := slices.Clone(v)
	for i, a := range out {
		out[i].text = slices.Clone(a.text)
		for j, p := range out[i].text {
			if p.hole != nil && slices.ContainsFunc(taken, func(h *hole) bool { return h.origin == p.hole.origin }) {
				out[i].text[j] = part{unknown: true}
			}
		}
	}
	return out
}

// resolvePath is path.resolve. The result is absolute and has no "..", but a folder in front
// holds nothing: path.resolve("/srv", "/etc/passwd") is /etc/passwd. rooted notes a folder in
// front; the verdict then asks for fewer families.
func resolvePath(args []Value) Value {
	var out Value
	allConst := len(args) > 0
	joined := ""
	for _, v := range args {
		v = textOf(v)
		s, ok := v.one()
		allConst = allConst && ok
		if ok {
			if path.IsAbs(s) {
				joined = s
			} else {
				joined = path.Join(joined, s)
			}
		}
		for _, a := range v {
			if len(holes(a.text)) == 0 {
				continue
			}
			begins, something := prefix(a.text)
			rooted := something && begins != "~" || a.text[0].hole != nil && a.text[0].hole.rooted
			out = join(out, reshape(Value{a}, func(h hole) hole {
				switch h.form {
				// These were absolute already, or are judged by their own form.
				case formReal, formRelative:
				case formRaw, formPiece, formURL, formJoined:
					h.form = formResolved
					if rooted {
						h.form, h.rooted = formJoined, true
					}
				}
				return h
			}))
		}
	}
	if len(out) > 0 {
		return out
	}
	if allConst && path.IsAbs(joined) {
		return constant(path.Clean(joined))
	}
	return unknown()
}

// maxJoined bounds the parts of a path: a loop may have made the list.
const maxJoined = 8

// atMost joins values beyond a number into one.
func atMost(args []Value, most int) []Value {
	if len(args) <= most {
		return args
	}
	return append(slices.Clone(args[:most-1]), sequence{known: args[most-1:]}.all())
}

// joinPath is path.join. A part that is joined to a folder can climb out of it, but an absolute
// one stays below it.
func joinPath(args []Value) Value {
	if len(args) == 1 {
		return textOf(args[0])
	}
	out := textOf(arg(args, 0))
	for _, v := range atMost(args[min(1, len(args)):], maxJoined) {
		t := remap(textOf(v), func(h hole) hole {
			if h.form == formRaw || h.form == formPiece || h.form == formURL || h.form == formResolved {
				h.rooted = true
				h.form = formJoined
			}
			return h
		})
		out = concat(concat(out, constant("/")), t)
	}
	// Constants only.
	if s, ok := out.one(); ok {
		return constant(path.Clean(s))
	}
	var merged Value
	for _, a := range out {
		if len(holes(a.text)) == 0 {
			merged = join(merged, Value{a})
			continue
		}
		// Nothing stands in front of the argument, so it is not joined to anything.
		if _, something := prefix(a.text); !something {
			merged = join(merged, Value{a})
			continue
		}
		merged = join(merged, reshape(Value{a}, func(h hole) hole { h.rooted = true; return h }))
	}
	return merged
}
