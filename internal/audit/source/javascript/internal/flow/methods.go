// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"

	"github.com/dop251/goja/token"
)

// Methods of values. A method belongs to the kind of its object; for objects of unknown kind its
// name alone tells something.

// callMethod is o.key(…). Before anything else it looks whether the call registers a tool. Of
// several alternatives, those without methods are left out: the program would have thrown for
// them.
func (in *interp) callMethod(o Value, key string, args []Value, at position) Value {
	in.budget.tick()
	if in.state.dead {
		return undefined()
	}
	// A registration returns an object to configure the tool, which nobody needs.
	if in.register(o, key, args, at) {
		return unknown()
	}
	if len(o) == 0 {
		return unknown()
	}
	if len(o) > 1 {
		var some Value
		for _, a := range o {
			if a.kind != isUndefined && a.kind != isNull {
				some = append(some, a)
			}
		}
		if len(some) > 0 {
			o = some
		}
	}
	return in.state.alternatives(o, func(a Atom) Value {
		// tool.execute(args), where tools are objects with a name, serves that tool.
		if name := in.turn.toolObject(a, key); name != "" && a.tool == "" {
			a.tool = name
			in.registry.picks[name] = true
		}
		if a.tool != "" {
			old := in.state.tool
			in.state.tool = a.tool
			defer func() { in.state.tool = old }()
		}
		return in.methodOf(a, key, args, at)
	})
}

// methodOf calls a method of one alternative, by its kind.
func (in *interp) methodOf(a Atom, key string, args []Value, at position) Value {
	this := Value{a}
	switch key {
	case "then", "catch", "finally":
		if v, ok := in.promiseMethod(this, key, args, at); ok {
			return v
		}
	}
	switch a.kind {
	case isUndefined, isNull:
		return unknown()
	// A text that may be a list has methods of lists, too.
	case isText:
		if a.open {
			if v, ok := in.openMethod(a, key, args, at); ok {
				return v
			}
		}
		return in.textMethod(this, key, args, at)
	case isNumber, isBool, isTruth:
		if s, ok := a.constText(); ok && key == "toString" {
			if base, isBase := arg(args, 0).num(); isBase && base != 10 {
				return unknown()
			}
			return constant(s)
		}
		return unknownDepIf(a.dep)
	case isNative:
		if o := in.heap.natives[a.name]; o != nil {
			if v := o.own(key); len(v) > 0 {
				return in.call(v, this, args, at)
			}
		}
		return in.nativeMethod(a.name, key, this, args, at)
	// Nobody knows what it is. Names of methods still tell about sinks and lists.
	case isUnknown:
		in.sinks.method(key, args, at)
		return in.unknownMethod(this, key, args, at)
	}
	return in.objectMethod(a, key, args, at)
}

// nativeMethod calls a method of something native. Its full name is the key to all knowledge
// about it: "fs.promises" and "readFile". call, apply and bind are those of a function; an HTTP
// client that is configured stays an HTTP client (axios.create).
func (in *interp) nativeMethod(name, key string, this Value, args []Value, at position) Value {
	full := name + "." + key
	switch key {
	case "call":
		return in.nativeCall(name, arg(args, 0), args[min(1, len(args)):], at)
	case "apply":
		if name != "Reflect" {
			return in.nativeCall(name, arg(args, 0), in.heap.elements(arg(args, 1)).known, at)
		}
	case "bind":
		return native(name)
	case "create", "extend", "defaults":
		// The new client is an HTTP client with options. A base URL among them does not matter:
		// the caller's URL may be absolute.
		if isHTTPClient(name) {
			return native(name)
		}
	}
	if v := in.heap.getNative(name, key); len(v) == 1 && v[0].kind == isNative {
		full = v[0].name
	}
	// userSchema.parse(data), imported from a package: data, for all that is known.
	if strings.HasPrefix(key, "parse") && strings.HasSuffix(name, "Schema") { // a schema from another package
		return arg(args, 0)
	}
	in.sinks.method(key, args, at)
	return in.nativeCall(full, this, args, at)
}

// unknownMethod calls a method of something unknown. Where the caller's text is looked for in an
// unknown list that is not the caller's, the list is taken to be an allow list: it comes from the
// configuration or a package, and few servers look a text up in anything else.
//
//	if (!config.allowedHosts.includes(host)) throw …
func (in *interp) unknownMethod(this Value, key string, args []Value, at position) Value {
	switch key {
	case "has", "includes":
		if len(arg(args, 0).tainted()) > 0 && !this.depends() {
			return eachAtom(arg(args, 0), func(a Atom) Value { return among(a.text) })
		}
	case "some", "every", "find", "filter", "map", "forEach", "flatMap", "findIndex", "reduce":
		if !this.depends() && len(args) > 0 {
			list := in.heap.newArray()
			list.array.rest = unknown()
			return in.arrayMethod(list, key, args, at)
		}
	// A schema of a package that is not read: the text passes unchanged, but was looked at.
	case "parse", "safeParse", "parseAsync", "safeParseAsync":
		if len(arg(args, 0).tainted()) > 0 {
			parsed := remap(arg(args, 0), func(h hole) hole { h.parsed = true; return h })
			if strings.HasPrefix(key, "safe") {
				return in.heap.safeParsed(parsed)
			}
			return parsed
		}
	// root.endsWith("/") ? root : root + "/" makes startsWith(root) safe from siblings.
	case "endsWith":
		if w, ok := arg(args, 0).one(); ok && w == "/" && !this.depends() {
			return Value{{kind: isTruth, yes: known(0, bitRootSlash)}}
		}
		return anyTruth(this.depends() || arg(args, 0).depends())
	case "match", "test", "exec", "startsWith":
		return anyTruth(this.depends() || arg(args, 0).depends())
	}
	return in.unknownCall(key, this, args, at)
}

// eachAtom applies a function to each alternative, and keeps the facts of each.
func eachAtom(v Value, f func(Atom) Value) Value {
	var out Value
	for _, a := range v {
		out = join(out, f(a).given(a.under, a.free))
	}
	return out
}

// promiseMethod is then, catch and finally. Promises are their values, so then calls its function
// at once. The second function of then may be called instead: its result joins, its writes are
// taken back. An object of the program with such a method of its own is left to that method.
func (in *interp) promiseMethod(this Value, key string, args []Value, at position) (Value, bool) {
	if this[0].kind == isObject && (this[0].obj.props[key] != nil || this[0].obj.proto != nil && this[0].obj.native == "" && len(in.get(this, key, at)) > 0 && in.get(this, key, at)[0].kind == isObject) {
		return nil, false
	}
	v := settledOf(this)
	switch key {
	case "then":
		// then() without a function passes the value on.
		if len(callable(arg(args, 0))) == 0 {
			return v, true
		}
		out := settledOf(in.call(arg(args, 0), undefined(), []Value{v}, at))
		if len(callable(arg(args, 1))) > 0 {
			in.state.fork(choice{possible: true}, func() {
				out = join(out, in.call(arg(args, 1), undefined(), []Value{unknownDep()}, at))
			})
		}
		return out, true
	case "catch":
		return v, true
	}
	in.asideAll(arg(args, 0), at)
	return v, true
}

// asideAll calls each function among alternatives that may or may not be called.
func (in *interp) asideAll(v Value, at position) {
	for _, a := range v {
		if a.kind == isObject && a.obj.call != nil {
			in.aside(a.obj, at)
		}
	}
}

// openMethod is a method of a list on a value from the caller that may be one.
func (in *interp) openMethod(a Atom, key string, args []Value, at position) (Value, bool) {
	switch key {
	case "map", "filter", "forEach", "some", "every", "find", "flatMap", "reduce", "join", "push", "flat", "sort", "reverse", "findIndex", "entries", "values", "keys":
		list := in.heap.newArray()
		list.array.rest = Value{a}
		return in.arrayMethod(list, key, args, at), true
	}
	return nil, false
}

// holds applies a predicate to a text: f gets a value for the text, and a constant that the
// program compares it with. f says for one pair whether the condition is true; predicate turns
// that into facts by trying attacks. With several alternatives on either side, each combination
// gives a truth of its own.
//
//	st.holds(p, constant("/srv/"), strings.HasPrefix)    // p.startsWith("/srv/")
//
// A root known to end with a slash gets one, and siblings no longer pass (see bitRootSlash).
func (st *state) holds(v Value, with Value, f func(value, with string) ternary) Value {
	if with == nil {
		with = constant("")
	}
	var out Value
	for _, a := range v {
		var one Value
		for _, b := range with {
			text := b.parts()
			if b.under.of(0)&bitRootSlash != 0 && len(text) > 0 && text[len(text)-1].unknown {
				text = appendParts(text, part{s: "/"})
			}
			r := st.holdsOne(a, text, f)
			r = r.given(b.under, b.free)
			one = joinTruths(one, r)
		}
		out = joinTruths(out, one.given(a.under, a.free))
	}
	if len(out) == 0 {
		return anyTruth(false)
	}
	return out
}

// joinTruths joins two truths. Facts of one need not hold for the other, so join drops those that
// differ.
func joinTruths(v, w Value) Value { return join(v, w) }

// holdsOne is holds for one alternative. An argument in the text that the program compares with
// proves nothing, since the caller chooses it.
func (st *state) holdsOne(a Atom, with []part, f func(value, with string) ternary) Value {
	if len(holes(with)) > 0 {
		if tainted(a.text) {
			return anyTruth(true)
		}
		return anyTruth(true)
	}
	if tainted(a.text) {
		return st.ofAddresses(predicate(a.text, with, f))
	}
	s, ok := a.constText()
	c, okWith := Atom{kind: isText, text: with}.constText()
	if ok && okWith {
		switch f(s, c) {
		case always:
			return truth(true)
		case never:
			return truth(false)
		}
	}
	if okWith && c == "/" { // whether a folder ends with a slash; see bitRootSlash
		return Value{{kind: isTruth, dep: a.dep, yes: known(0, bitRootSlash)}}
	}
	return anyTruth(a.dep)
}

// textMethod calls a method of a text: predicates, cuts, and functions without an effect on
// attacks. Case and white space are ignored where the caller's text is concerned; no family
// depends on them.
func (in *interp) textMethod(this Value, key string, args []Value, at position) Value {
	first := arg(args, 0)
	switch key {
	case "startsWith":
		return in.state.holds(this, textOf(first), func(v, c string) ternary { return tern(strings.HasPrefix(v, c)) })
	case "endsWith":
		return in.state.holds(this, textOf(first), func(v, c string) ternary { return tern(strings.HasSuffix(v, c)) })
	case "includes":
		if surelyIncludes(this, first) {
			return truth(true)
		}
		return in.state.holds(this, textOf(first), func(v, c string) ternary { return tern(strings.Contains(v, c)) })
	case "indexOf", "lastIndexOf", "search":
		if r := regexOf(first); r != nil {
			return indexed(in.state.matches(this, r))
		}
		if s, ok := this.one(); ok {
			if c, ok := first.one(); ok && key == "indexOf" {
				return number(float64(strings.Index(s, c)))
			}
		}
		v := indexed(in.state.holds(this, textOf(first), func(v, c string) ternary { return tern(strings.Contains(v, c)) }))
		// p.indexOf(root) === 0 is startsWith. The second truth travels in obj until a comparison
		// with 0 asks for it (atStart).
		if key == "indexOf" { // also: is it at the start?
			w := in.state.holds(this, textOf(first), func(v, c string) ternary { return tern(strings.HasPrefix(v, c)) })
			for i := range v {
				if i < len(w) {
					v[i].text = nil
					v[i].obj = &Object{data: w}
				}
			}
		}
		return v
	case "match", "matchAll":
		return in.matchText(this, first, key)
	case "replace", "replaceAll":
		return in.replace(this, args, key, at)
	case "split":
		return in.heap.split(this, first)
	case "localeCompare":
		return unknownDepIf(this.depends())
	case "charAt", "at", "charCodeAt", "codePointAt":
		if s, ok := this.one(); ok {
			if i, ok := arg(args, 0).num(); ok && i >= 0 && int(i) < len(s) {
				if strings.HasPrefix(key, "char") && key != "charAt" || key == "codePointAt" {
					return number(float64(s[int(i)]))
				}
				return constant(s[int(i) : int(i)+1])
			}
		}
		return pieceOf(this)
	case "toString", "valueOf", "normalize", "toWellFormed", "trimEnd", "trimRight", "trim", "trimStart", "trimLeft", "toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "padEnd":
		return mapConst(this, textFunctions[key])
	case "slice", "substring", "substr":
		return sliceText(this, args, key)
	case "concat":
		out := this
		for _, v := range args {
			out = concat(out, textOf(v))
		}
		return out
	// A repeated text still contains the argument, but not at a known place.
	case "repeat", "padStart":
		if key == "padStart" {
			return this
		}
		return in.heap.flatten(this, 0)
	case "length":
		return unknownDepIf(this.depends())
	case "join":
		return this
	}
	in.sinks.method(key, args, at)
	// An unknown method without arguments is taken to return the text: args.path.expand() should
	// not hide the caller's text.
	if len(this.tainted()) > 0 && len(args) == 0 {
		return this
	}
	return in.unknownCall(key, this, args, at)
}

// surelyIncludes reports whether a constant stands in a constant part of every alternative.
func surelyIncludes(v, what Value) bool {
	c, ok := what.one()
	if !ok || len(v) == 0 {
		return false
	}
	for _, a := range v {
		if a.kind != isText || !slices.ContainsFunc(a.text, func(p part) bool { return strings.Contains(p.s, c) }) {
			return false
		}
	}
	return true
}

// textFunctions are applied to constant parts.
var textFunctions = map[string]func(string) string{
	"trim": strings.TrimSpace, "toLowerCase": strings.ToLower, "toUpperCase": strings.ToUpper,
	"toLocaleLowerCase": strings.ToLower, "toLocaleUpperCase": strings.ToUpper,
}

// mapConst applies a function to the constant parts of a text and keeps its holes.
func mapConst(v Value, f func(string) string) Value {
	if f == nil {
		return v
	}
	out := append(Value(nil), v...)
	for i, a := range out {
		out[i].open = false
		text := append([]part(nil), a.text...)
		for j := range text {
			if text[j].hole == nil && !text[j].unknown {
				text[j].s = f(text[j].s)
			}
		}
		out[i].text = text
	}
	return out
}

// sliceText is slice, substring and substr. A constant is cut; of a text with holes a piece
// remains.
func sliceText(this Value, args []Value, key string) Value {
	s, ok := this.one()
	from, okFrom := arg(args, 0).num()
	if ok && okFrom && (len(args) == 1 || isNum(args[1])) {
		to := float64(len(s))
		if len(args) > 1 {
			to, _ = args[1].num()
			if key == "substr" {
				to += from
			}
		}
		i, j := clampIndex(from, len(s), key), clampIndex(to, len(s), key)
		if i < j {
			return constant(s[i:j])
		}
		return constant("")
	}
	return pieceOf(this)
}

// isNum reports whether a value is one known number.
func isNum(v Value) bool { _, ok := v.num(); return ok }

// clampIndex moves an index into a text. Only slice counts negative ones from the end.
func clampIndex(n float64, length int, key string) int {
	if n < 0 && key == "slice" {
		n += float64(length)
	}
	if n != n || n < 0 {
		return 0
	}
	return int(min(n, float64(length)))
}

// split is text.split(sep). Known text in front of the first hole gives known elements; each hole
// becomes a piece. Pieces of a text that was cut at white space are marked: as arguments of a
// program, each of them is one the caller adds.
//
//	const [cmd, ...rest] = args.command.split(" "); spawn(cmd, rest)
func (hp *heap) split(this, sep Value) Value {
	o := hp.newArray()
	c, okSep := sep.one()
	if s, ok := this.one(); ok && okSep && this[0].kind == isText {
		for i, w := range strings.Split(s, c) {
			if i >= 1000 {
				break
			}
			o.array.list = append(o.array.list, constant(w))
		}
		return objectOf(o)
	}
	blank := okSep && c == " "
	if r := regexOf(sep); r != nil {
		blank = r.MatchString(" ") || r.MatchString("  ")
	}
	cut := func(v Value) Value {
		return remap(v, func(h hole) hole {
			h.split = h.split || blank
			if h.form == formRaw || h.form == formResolved || h.form == formJoined {
				h.form = formPiece
			}
			return h
		})
	}
	for _, a := range this {
		if !tainted(a.text) {
			o.array.rest = join(o.array.rest, unknownDepIf(a.dep))
			continue
		}
		a.open = false
		begins, _ := prefix(a.text)
		// "git log ${ref}".split(" "): the words in front of the hole are known.
		if w, _, found := strings.Cut(begins, c); okSep && found && c != "" && len(this) == 1 {
			o.array.list = []Value{constant(w)}
			rest := begins[len(w)+len(c):]
			for _, w := range strings.Split(rest, c) {
				if w != "" {
					o.array.rest = join(o.array.rest, constant(w))
				}
			}
		}
		for _, h := range holes(a.text) {
			o.array.rest = join(o.array.rest, cut(Value{{kind: isText, text: []part{{hole: h}}, under: a.under}}))
		}
	}
	return objectOf(o)
}

// indexed turns "is in it" into the index at which it is. The index is unknown, with a name by
// which compareIndex finds it again.
func indexed(v Value) Value {
	out := append(Value(nil), v...)
	for i := range out {
		// A known "no" is the index -1; a known "yes" is an unknown index.
		switch out[i].kind {
		case isTruth:
			out[i].kind, out[i].name = isUnknown, indexName
		case isBool:
			if !out[i].b {
				out[i] = Atom{kind: isNumber, n: -1, under: out[i].under}
			} else {
				out[i] = Atom{kind: isUnknown, name: indexName, dep: out[i].dep, under: out[i].under}
			}
		}
	}
	return out
}

// indexName marks an unknown number as an index, with facts for "found" and "not found".
const indexName = "#index"

// compareIndex compares such an index with -1 or 0. found says whether the comparison means that
// something was found:
//
//	i > -1, i >= 0, i !== -1      // found
//	i < 0, i <= -1, i === -1      // not found
//	i === 0                       // found at the start (atStart)
//
// Other comparisons are about the place and prove nothing.
func compareIndex(op token.Token, a, b Value) (Value, bool) {
	n, ok := b.num()
	if !ok {
		return nil, false
	}
	found, is := false, false
	switch op {
	case token.GREATER:
		found, is = n == -1, n == -1
	case token.GREATER_OR_EQUAL:
		found, is = n == 0, n == 0
	case token.LESS:
		found, is = false, n == 0
	case token.LESS_OR_EQUAL:
		found, is = false, n == -1
	case token.EQUAL:
		found, is = false, n == -1
		if n == 0 {
			return atStart(a)
		}
	}
	if !is {
		return nil, false
	}
	var out Value
	for _, x := range a {
		if x.kind != isUnknown || x.name != indexName {
			return nil, false
		}
		t := Atom{kind: isTruth, dep: x.dep, under: x.under, yes: x.yes, no: x.no}
		if !found {
			t.yes, t.no = x.no, x.yes
		}
		out = join(out, Value{t})
	}
	return out, len(out) > 0
}

// atStart is index === 0.
func atStart(a Value) (Value, bool) {
	var out Value
	for _, x := range a {
		if x.kind != isUnknown || x.name != indexName || x.obj == nil {
			return nil, false
		}
		out = join(out, x.obj.data.given(x.under, x.free))
	}
	return out, len(out) > 0
}
