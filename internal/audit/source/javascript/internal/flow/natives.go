// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math"
	"strconv"
	"strings"
)

// Calls of natives: functions that the program does not contain. A native is a name, so knowing a
// function means knowing its full name, after imports, aliases and methods were followed.
//
//	import { promises as fs } from "node:fs"; fs.readFile(p)     // fs.promises.readFile

// packages have other names for the same functions.
var packages = map[string]string{
	"fs/promises": "fs.promises", "fs-extra": "fs", "graceful-fs": "fs", "path/posix": "path", "path/win32": "path", "pathe": "path", "upath": "path",
	"dns/promises": "dns.promises", "cross-spawn": "child_process.spawn", "zod/v3": "zod", "zod/v4": "zod", "zod/mini": "zod", "zod/v4-mini": "zod",
	"node-fetch": "fetch", "cross-fetch": "fetch", "isomorphic-fetch": "fetch", "undici": "undici", "follow-redirects": "follow", "fetch-to-node": "fetch",
}

// packageValue is the value of a package, which is not read.
func packageValue(name string) Value {
	name = strings.TrimPrefix(name, "node:")
	if n, ok := packages[name]; ok {
		name = n
	}
	return native(name)
}

// arg is an argument by its index, undefined if it is missing.
func arg(args []Value, i int) Value {
	if i < len(args) && len(args[i]) > 0 {
		return args[i]
	}
	return undefined()
}

// nativeCall calls a function of the language, of Node.js, or of a package, by its name. It asks
// one area after the other; sinks come before all that compute a result, because the result does
// not matter to them. A function in no area is unknown.
func (in *interp) nativeCall(name string, this Value, args []Value, at position) Value {
	// const register = server.tool.bind(server) loses the object; the name still tells.
	if _, method, ok := cutLast(name); ok && in.turn.handler == nil && in.register(nil, method, args, at) {
		return unknown() // a method that was bound to its server
	}
	if v, ok := in.containerCall(name, this, args); ok {
		return v
	}
	if strings.HasSuffix(name, ".createTool") && len(args) > 0 {
		return in.registry.toolOf(name, args[0])
	}
	in.toolsOf(name, args, at)
	in.sinks.call(name, args, at)
	if v, ok := in.languageCall(name, args, at); ok {
		return v
	}
	if v, ok := in.pathCall(name, args); ok {
		return v
	}
	if v, ok := in.schemaCall(name, args, at); ok {
		return v
	}
	if v, ok := in.nodeCall(name, args, at); ok {
		return v
	}
	if v, ok := in.guardCall(name, args, at); ok {
		return v
	}
	return in.unknownCall(name, this, args, at)
}

// identities are functions that return their text nearly unchanged. A guard in front of them
// counts behind them, too. decodeURIComponent can bring back an attack such a guard did not see
// ("%2e%2e/"); that is missed.
var identities = map[string]bool{
	"String": true, "decodeURIComponent": true, "decodeURI": true, "unescape": true, "encodeURI": true, "Object": true, "structuredClone": true,
	"untildify": true, "expand-tilde": true, "normalize-path": true, "slash": true, "normalize-url": true, "util.inspect": true, "dedent": true,
	"Object.freeze": true, "Object.seal": true, "Object.create": true, "Promise.resolve": true, "util.promisify": true, "Array.from": true, "unescapeHtml": true,
	"__toESM": true, "__toCommonJS": true, "__importStar": true, "__importDefault": true, "url.fileURLToPath": true, "url.pathToFileURL": true, "util.promisify.default": true,
	"pify": true, "util.callbackify": true, "Buffer.from": true, "fs.promises.resolve": true, "url.format": true,
	"React.memo": true, "Object.preventExtensions": true, "Symbol": false,
}

// reshapeKeep keeps texts and makes everything else unknown.
func reshapeKeep(v Value) Value {
	var out Value
	for _, a := range v {
		if a.kind == isText {
			out = join(out, Value{a})
		} else {
			out = join(out, unknownDepIf(a.dep))
		}
	}
	return out
}

// typed is a check behind which an argument has a type without text in it.
func typed(v Value) Value {
	out := Atom{kind: isTruth, dep: v.depends()}
	for _, h := range v.tainted() {
		out.yes = out.yes.and(known(h.origin.id, bitsAll))
	}
	return Value{out}
}

// toNumberCall is Number(s), parseInt(s, base) and the like. A number from the caller is unknown
// but has no attack in it.
func toNumberCall(name string, args []Value) Value {
	v := arg(args, 0)
	s, ok := v.one()
	if !ok {
		return unknownDepIf(v.depends())
	}
	base := 10
	if n, ok := arg(args, 1).num(); ok && n >= 2 && n <= 36 {
		base = int(n)
	}
	if name == "Number" || name == "BigInt" {
		return number(parseNumber(s))
	}
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && (end == 0 && (s[0] == '-' || s[0] == '+') || digit(s[end]) < base || strings.HasSuffix(name, "Float") && s[end] == '.') {
		end++
	}
	if strings.HasSuffix(name, "Float") {
		return number(parseNumber(strings.TrimRight(s[:end], ".")))
	}
	n, err := strconv.ParseInt(s[:end], base, 64)
	if err != nil {
		return number(math.NaN())
	}
	return number(float64(n))
}

// digit is the value of a digit in bases up to 36.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}

// flatten writes a value as one text with all arguments in it, in any order: JSON, a formatted
// object. The unknown parts at both ends keep it from being taken for the argument itself. Depth
// and width are bounded, since a text needs no more than a few holes to be a weakness.
func (hp *heap) flatten(v Value, depth int) Value {
	out := constant("")
	any := false
	for _, a := range v {
		switch {
		case a.kind == isText:
			if tainted(a.text) {
				b := a
				b.open = false
				out, any = concat(out, Value{b}), true
			}
		// Three levels reach the fields of most objects that are written as JSON.
		case a.kind == isObject && depth < 3:
			if a.obj.array != nil {
				out, any = concat(out, hp.flatten(sequence{a.obj.array.list, a.obj.array.rest}.all(), depth+1)), true
				continue
			}
			for i, k := range hp.names(a.obj) {
				if i > 30 {
					break
				}
				out, any = concat(out, hp.flatten(a.obj.own(k), depth+1)), true
			}
		}
	}
	if !any {
		return unknownDepIf(v.depends())
	}
	return concat(concat(Value{{kind: isText, text: []part{{unknown: true}}}}, out), Value{{kind: isText, text: []part{{unknown: true}}}})
}

// reopen is JSON.parse: the text of an argument gets fields again. Fields of a field have no
// pointer of their own, so they count as pieces of it.
func reopen(v Value) Value {
	out := reshape(v, func(h hole) hole {
		if h.origin.pointer != "" {
			h.form = formPiece // its fields have no pointer of their own
		}
		return h
	})
	for i := range out {
		if out[i].kind == isText && len(out[i].text) == 1 {
			out[i].open = true
		}
	}
	return out
}

// isArray is Array.isArray. For the caller's arguments the answer is the caller's choice.
func isArray(v Value) Value {
	if len(v) == 1 {
		switch v[0].kind {
		case isObject:
			return truth(v[0].obj.array != nil)
		case isUnknown, isNative:
		case isText:
			if !v[0].open {
				return truth(false)
			}
		default:
			return truth(false)
		}
	}
	return anyTruth(v.depends())
}

// entries is Object.values(v), or with pairs Object.entries(v).
func (in *interp) entries(v Value, pairs bool) Value {
	o := in.heap.newArray()
	for _, a := range v {
		switch {
		case a.kind == isObject && a.obj.array == nil:
			for _, k := range in.heap.names(a.obj) {
				f := in.getObject(a, k, position{})
				if pairs {
					f = objectOf(in.heap.newArray(constant(k), f))
				}
				o.array.list = append(o.array.list, f)
			}
			if a.obj.any != nil {
				f := a.obj.any.v
				if pairs {
					f = objectOf(in.heap.newArray(f, f))
				}
				o.array.rest = join(o.array.rest, f)
			}
		case a.kind == isText && a.open:
			f := wild(pieceOf(Value{a}))
			if pairs {
				f = objectOf(in.heap.newArray(f, f))
			}
			o.array.rest = join(o.array.rest, f)
		default:
			f := unknownDepIf(a.dep)
			if pairs {
				f = objectOf(in.heap.newArray(f, f))
			}
			o.array.rest = join(o.array.rest, f)
		}
	}
	return objectOf(o)
}

// fromEntries is Object.fromEntries(pairs). Pairs of unknown index may each be there or not.
func (hp *heap) fromEntries(v Value) Value {
	o := hp.newObject("")
	q := hp.elements(v)
	for _, pair := range q.known {
		p := hp.elements(pair)
		if k, ok := p.at(0).one(); ok {
			hp.set(o, k, p.at(1))
		} else {
			hp.setUnknown(o, p.at(1))
		}
	}
	for _, a := range q.rest { // each may be among them
		p := hp.elements(Value{a})
		if k, ok := p.at(0).one(); ok && a.kind == isObject {
			hp.set(o, k, join(join(p.at(1), o.own(k)), undefined()))
		} else {
			hp.setUnknown(o, p.at(1))
		}
	}
	return objectOf(o)
}

// objectCreate is Object.create(proto).
func (hp *heap) objectCreate(proto Value) Value {
	o := hp.newObject("")
	if len(proto) == 1 && proto[0].kind == isObject {
		o.proto = proto[0].obj
	}
	return objectOf(o)
}

// objectAssign is Object.assign(target, ...sources).
func (in *interp) objectAssign(args []Value) Value {
	target := arg(args, 0)
	for _, a := range target {
		if a.kind == isObject {
			for _, src := range args[1:] {
				in.copyInto(a.obj, src)
			}
		}
	}
	return target
}

// defineProperty is Object.defineProperty. esbuild and TypeScript export names with getters so.
func (hp *heap) defineProperty(target, key, desc Value) {
	k, ok := key.one()
	if !ok {
		return
	}
	for _, a := range target {
		if a.kind != isObject {
			continue
		}
		for _, d := range desc {
			if d.kind != isObject {
				continue
			}
			if get := d.obj.own("get"); len(callable(get)) > 0 {
				if a.obj.getters == nil {
					a.obj.getters = map[string]Value{}
				}
				if a.obj.props[k] == nil {
					a.obj.getters[k] = get
				}
				continue
			}
			if v := d.obj.own("value"); len(v) > 0 {
				hp.set(a.obj, k, v)
			}
		}
	}
}

// rawTemplate is String.raw`…`: the texts with the values in between.
func (in *interp) rawTemplate(args []Value) Value {
	out := constant("")
	words := arg(args, 0)
	if raw := in.get(words, "raw", position{}); len(raw) == 1 && raw[0].kind == isObject {
		words = raw
	}
	q := in.heap.elements(words)
	for i, w := range q.known {
		out = concat(out, textOf(w))
		if i+1 < len(args) && i+1 < len(q.known) {
			out = concat(out, textOf(args[i+1]))
		}
	}
	return out
}

// fromCharCode is String.fromCharCode(…).
func fromCharCode(args []Value) Value {
	var b strings.Builder
	for _, v := range args {
		n, ok := v.num()
		if !ok || n < 0 || n > 0x10ffff {
			return unknownDepIf(v.depends())
		}
		b.WriteRune(rune(n))
	}
	return constant(b.String())
}

// iterator is the object with a method next that esbuild writes for "for await".
func (hp *heap) iterator(v Value) Value {
	it := hp.newObject("iterator")
	it.data = hp.elements(v).all()
	return objectOf(it)
}
