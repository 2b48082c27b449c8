// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Functions and classes of Node.js, and guards from packages, as far as they matter to verdicts.

// errPattern: a regular expression of JavaScript that Go's engine cannot express.
var errPattern = errors.New("not understood")

// nodeCall knows the functions of Node.js that matter to guards, and calls their callbacks.
// Results of other functions are unknown but rest on the arguments: a branch on them is a branch
// on an argument.
func (in *interp) nodeCall(name string, args []Value, at position) (Value, bool) {
	first := textOf(arg(args, 0))
	base := strings.TrimSuffix(strings.TrimSuffix(name, ".native"), "Sync")
	switch base {
	case "fs.realpath", "fs.promises.realpath":
		// The facts about a root do not hold for a real path: a link may lead anywhere. reshape
		// drops the constants in front, since they need not be in the result.
		real := remap(first, func(h hole) hole { h.form, h.rooted = formReal, false; return h })
		real = reshape(real, func(h hole) hole { return h })
		in.nodeCallback(args, real, at)
		return real, true
	case "dns.lookup", "dns.promises.lookup", "dns.resolve", "dns.promises.resolve", "dns.resolve4", "dns.promises.resolve4", "dns.resolve6", "dns.promises.resolve6":
		return in.resolveName(name, first, args, at), true
	// These decide whether a check of ranges applies to a host at all.
	case "net.isIP", "net.isIPv4", "net.isIPv6":
		return in.isIP(base, first), true
	case "child_process.exec", "child_process.execFile", "fs.readFile", "fs.writeFile", "fs.stat", "fs.lstat", "fs.access", "fs.readdir", "fs.mkdir", "fs.exists":
		if len(callable(arg(args, len(args)-1))) > 0 {
			in.callbacks(args[len(args)-1:], at)
		}
		return unknownDep(), true
	}
	// The result of reading a file rests on the path, and comes from no caller.
	if strings.HasPrefix(name, "fs.") && !strings.Contains(name, "#") {
		in.callbacks(args, at)
		return unknownDep(), true
	}
	return nil, false
}

// nodeCallback calls (error, value) => … with the value. It calls once in a fork, and once in
// place.
func (in *interp) nodeCallback(args []Value, v Value, at position) {
	last := arg(args, len(args)-1)
	if len(args) < 2 || len(callable(last)) == 0 || in.probes.on {
		return
	}
	in.state.fork(choice{possible: true}, func() { in.call(last, undefined(), []Value{{{kind: isNull}}, v, unknown()}, at) })
	in.call(last, undefined(), []Value{{{kind: isNull}}, v, unknown()}, at)
	in.state.dead = false
}

// guardCall knows guards of packages. Packages are not read, so without this list a server that
// uses one of them would look unguarded. Each entry says which families the result excludes:
//
//	if (!isPathInside(p, root)) throw …      // truthy: all families of paths
//	if (await isPrivate(host)) throw …       // falsy: all internal addresses
func (in *interp) guardCall(name string, args []Value, at position) (Value, bool) {
	first := textOf(arg(args, 0))
	if len(first.tainted()) == 0 {
		return nil, false
	}
	// The same bits mean the addresses of a name where the argument was resolved before, and they
	// cover symbolic links where they were.
	said := func(yes, no Bits) Value {
		out := Atom{kind: isTruth, dep: true}
		for _, h := range first.tainted() {
			y, n := yes, no
			// The argument was resolved: the guard looks at its addresses.
			if h.form == formAddress {
				y, n = h.resolved(yes), h.resolved(no)
			}
			if h.form == formReal && yes&bitDots != 0 {
				y |= bitReal
			}
			out.yes, out.no = out.yes.and(known(h.origin.id, y)), out.no.and(known(h.origin.id, n))
		}
		return Value{out}
	}
	switch name {
	case "is-path-inside", "path-is-inside", "is-path-inside.isPathInside", "is-subdir":
		return said(bitsPath, 0), true
	case "private-ip", "ip.isPrivate", "is-private-ip", "ipaddr.isPrivate", "netmask.isPrivate", "is-localhost-ip":
		if wholeURL(first) {
			return anyTruth(true), true // a URL is no address
		}
		return said(0, bitsPrivate), true
	case "ip.isLoopback":
		return said(0, bitLoopback|bitLoopback6|bitLocalhost), true
	case "ip.isPublic":
		return said(bitsPrivate, 0), true
	// The parsed address is asked for its range later (instanceMethod).
	case "ipaddr.js.parse", "ipaddr.js.process", "ipaddr.parse", "ipaddr.process":
		o := in.heap.newObject("ipaddr")
		o.data = first
		return objectOf(o), true
	case "shell-quote.quote", "shell-escape", "shescape.quote", "shlex.quote", "shellescape", "any-shell-escape", "puka.sh", "shell-quote.default.quote":
		return in.heap.quoted(arg(args, 0)), true
	// The result is one name without a separator: nothing of a path's families is left.
	case "sanitize-filename", "filenamify", "slugify", "@sindresorhus/slugify":
		return reshape(first, func(h hole) hole { h.safe |= bitsPath | bitReal; return h }), true
	}
	return nil, false
}

// wholeURL reports whether a text that should be a host is a URL. Guards of addresses let every
// URL through, because a URL is no address; the check then proves nothing.
func wholeURL(v Value) bool {
	for _, h := range v.tainted() {
		name := strings.ToLower(h.origin.pointer)
		if h.form == formURL || h.form == formRaw && (strings.HasSuffix(name, "url") || strings.HasSuffix(name, "uri")) {
			return true
		}
	}
	return false
}

// quoted is a text, or a list of texts, quoted for a shell.
func (hp *heap) quoted(v Value) Value {
	q := hp.flatten(v, 0)
	return remap(q, func(h hole) hole {
		h.form = formQuoted
		h.safe |= bitsShell | bitQuote | bitSingle | bitSpace
		return h
	})
}

// newNative makes an instance of a class of the language, Node.js or a package. An unknown class
// gets an object that remembers its options: sinks look into the options of agents and requests.
func (in *interp) newNative(name string, args []Value, at position) Value {
	// new Class(…) for a class that zod's $constructor made in a bundle.
	if class, ok := strings.CutPrefix(name, zodClass); ok {
		return in.zodOfClass(class, arg(args, 0), at)
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	if isError(short) {
		return in.heap.newError(name, args)
	}
	switch short {
	case "URL":
		return in.newURL(args)
	case "Promise":
		return in.newPromise(args, at)
	// Weak collections hold the same entries; nothing here is ever collected.
	case "Map", "Set", "WeakMap", "WeakSet":
		return in.heap.newCollection(strings.TrimPrefix(short, "Weak"), args)
	case "RegExp":
		return in.heap.newRegExp(args)
	case "Array":
		return objectOf(in.heap.newArray())
	// Traps are ignored: reads go to the target.
	case "Proxy":
		return arg(args, 0)
	case "String":
		return textOf(arg(args, 0))
	case "Object":
		return objectOf(in.heap.newObject(""))
	case "Function":
		in.sinks.call("Function", args, at)
		return unknown()
	case "Date", "Uint8Array", "AbortController", "TextDecoder", "TextEncoder", "Headers", "URLSearchParams", "FormData", "Blob", "Buffer":
		return unknown()
	case "WebSocket", "EventSource":
		in.sinks.call(short, args, at)
	}
	// The class belongs to a package. It may be a server with tools in its options, and may call
	// the functions that it is given.
	in.toolsOf(name, args, at)
	in.callbacks(args, at)
	o := in.heap.newObject(name)
	for i, v := range args {
		if i < 4 {
			o.options = append(o.options, v)
		}
	}
	return objectOf(o)
}

// newURL is new URL(text, base). A constant is parsed. A text with holes stays a text, with holes
// in the form of a URL:
//
//	new URL(args.url)              // the caller chooses the host
//	new URL("/v1/" + id, base)     // the base chooses it, if the text begins with one slash
//
// Two slashes begin a host ("//evil.example"), so the base counts for nothing there.
func (in *interp) newURL(args []Value) Value {
	o := in.heap.newObject("URL")
	text := textOf(arg(args, 0))
	base := constant("")
	if len(args) > 1 {
		base = textOf(arg(args, 1))
	}
	// A URL of constants only. An invalid one throws, so the way ends.
	if s, ok := text.one(); ok {
		if b, ok := base.one(); ok {
			u, valid := parseURL(s, b)
			if !valid {
				in.state.dead = true
				return undefined()
			}
			o.data = constant(u)
			return objectOf(o)
		}
		o.data = concat(base, text)
		return objectOf(o)
	}
	var data Value
	for _, a := range text {
		// A relative reference keeps the host of the base. Anything else may bring its own.
		p, _ := prefix(a.text)
		if len(args) > 1 && strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "//") || len(args) > 1 && strings.HasPrefix(p, "?") || len(args) > 1 && strings.HasPrefix(p, "./") {
			data = join(data, concat(concat(base, constant("/")), Value{a}))
			continue
		}
		// The text was parsed as a URL, so it is a text.
		a.open = false
		data = join(data, remap(Value{a}, func(h hole) hole {
			if h.form == formRaw || h.form == formPiece {
				h.form = formURL
			}
			return h
		}))
	}
	o.data = data
	return objectOf(o)
}

// parseURL parses a constant as new URL does, as far as guards care. It reports false where new
// URL would throw.
func parseURL(s, base string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return "", false
	}
	if !u.IsAbs() && base != "" {
		b, err := url.Parse(base)
		if err != nil || !b.IsAbs() {
			return "", false
		}
		u = b.ResolveReference(u)
	}
	if !u.IsAbs() || (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "" {
		return "", false
	}
	if u.Path == "" && u.Host != "" {
		u.Path = "/"
	}
	return u.String(), true
}

// urlText is the text of a URL object.
func urlText(o *Object) Value {
	if len(o.data) == 0 {
		return unknown()
	}
	return o.data
}

// special reads a property that the object computes from data: the shape of a schema, and the
// parts of a URL. Each part gets the form that its guards see; properties written by the program
// come first.
func (hp *heap) special(o *Object, key string) (Value, bool) {
	if o.native == "zod" && key == "shape" && o.schema != nil && o.schema.kind == "object" {
		return hp.shapeOf(o.schema), true
	}
	if o.native != "URL" || len(o.data) == 0 {
		return specialMap(o, key)
	}
	// The program replaced a part of the URL, as url.hostname = "…".
	if len(o.props) > 0 && o.props[key] != nil {
		return nil, false
	}
	if s, ok := o.data.one(); ok {
		u, err := url.Parse(s)
		if err != nil {
			return nil, false
		}
		switch key {
		case "hostname":
			h := u.Hostname()
			if strings.Contains(h, ":") {
				h = "[" + h + "]"
			}
			return constant(strings.ToLower(h)), true
		case "host":
			return constant(strings.ToLower(u.Host)), true
		case "protocol":
			return constant(u.Scheme + ":"), true
		case "pathname":
			return constant(u.Path), true
		case "href":
			return constant(s), true
		case "origin":
			return constant(u.Scheme + "://" + u.Host), true
		case "port":
			return constant(u.Port()), true
		case "username":
			return constant(u.User.Username()), true
		}
		return unknown(), true
	}
	// as gives the holes of the URL in the form of the part that is read.
	as := func(f form) (Value, bool) {
		return reshape(o.data, func(h hole) hole { h.form = f; return h }), true
	}
	switch key {
	case "hostname", "host":
		return as(formHost)
	case "protocol", "port", "username", "password":
		return as(formScheme)
	case "pathname", "search", "hash":
		return as(formPiece)
	case "href", "origin":
		return o.data, true
	case "searchParams":
		return unknownDep(), true
	}
	return nil, false
}

// specialMap is the size of a collection, which is unknown.
func specialMap(o *Object, key string) (Value, bool) {
	if (o.native == "Map" || o.native == "Set") && key == "size" {
		return unknown(), true
	}
	return nil, false
}

// newPromise runs the executor at once. A promise is represented by the value that it resolves
// to, so await and then() need nothing more; without a call of resolve the value is unknown.
//
//	new Promise((resolve) => fs.readFile(p, (err, data) => resolve(data)))
func (in *interp) newPromise(args []Value, at position) Value {
	p := in.heap.newObject("Promise")
	resolve := in.heap.newObject("resolve")
	resolve.proto = p
	reject := native("reject")
	in.heap.set(p, "value", nil)
	in.callTwice(arg(args, 0), []Value{objectOf(resolve), reject}, at)
	v := p.own("value")
	if len(v) == 0 {
		return unknown()
	}
	return v
}

// callTwice calls an executor. If it throws, the promise rejects: nothing is thrown here.
func (in *interp) callTwice(fn Value, args []Value, at position) {
	in.call(fn, undefined(), args, at)
}

// resolve is a call of the function that an executor gets. Several calls join their values,
// because only one of them comes first at run time.
func (in *interp) resolve(resolve *Object, args []Value) {
	p := resolve.proto
	in.heap.set(p, "value", join(p.own("value"), settledOf(arg(args, 0))))
}

// newCollection is new Map(pairs) or new Set(values).
func (hp *heap) newCollection(kind string, args []Value) Value {
	o := hp.newObject(kind)
	q := hp.elements(arg(args, 0))
	for _, v := range q.known {
		if kind == "Set" {
			hp.collect(o, v, v)
			continue
		}
		p := hp.elements(v)
		hp.collect(o, p.at(0), p.at(1))
	}
	if len(q.rest) > 0 {
		v := q.rest
		if kind == "Map" {
			v = hp.elements(q.rest).at(1)
		}
		hp.setUnknown(o, v)
	}
	return objectOf(o)
}

// collect puts a value under a key into a Map or Set. Entries are properties of the object; "@"
// in front of the key keeps an entry "get" apart from the method get.
func (hp *heap) collect(o *Object, key, v Value) {
	if k, ok := key.one(); ok {
		hp.set(o, "@"+k, v)
		return
	}
	hp.setUnknown(o, v)
}

// newRegExp is new RegExp(pattern, flags). Without a pattern, matches prove nothing.
func (hp *heap) newRegExp(args []Value) Value {
	o := hp.newObject("RegExp")
	o.schema = &schema{}
	if s, ok := arg(args, 0).one(); ok {
		flags, _ := arg(args, 1).one()
		o.schema.pattern, o.schema.global = compilePattern(s, flags), containsByte(flags, 'g')
	} else if r := regexOf(arg(args, 0)); r != nil {
		o.schema.pattern = r
	}
	return objectOf(o)
}

// instanceMethod calls a method of an instance of a native class. It reports false where the
// class has no such method that matters.
func (in *interp) instanceMethod(o *Object, key string, args []Value, at position) (Value, bool) {
	switch o.native {
	case "URL":
		if key == "toString" || key == "toJSON" {
			return urlText(o), true
		}
	case "RegExp":
		switch key {
		case "test":
			if o.schema.pattern == nil {
				return anyTruth(arg(args, 0).depends()), true
			}
			return in.state.matches(arg(args, 0), o.schema.pattern), true
		case "exec":
			return in.matchText(textOf(arg(args, 0)), objectOf(o), key), true
		}
	case "Map", "Set":
		return in.collection(o, key, args, at)
	case "net.BlockList":
		return in.blockList(o, key, args)
	case "ipaddr":
		switch key {
		case "range":
			return reshape(o.data, func(h hole) hole {
				if h.form != formAddress {
					h.form = formRange
				}
				return h
			}), true
		case "toString", "toNormalizedString":
			return o.data, true
		}
		return unknownDep(), true
	case "iterator":
		if key == "next" {
			r := in.heap.newObject("")
			in.heap.set(r, "value", o.data)
			in.heap.set(r, "done", unknown())
			return objectOf(r), true
		}
	case "zod":
		return in.schemaMethod(o, key, args, at)
	}
	return nil, false
}

// collection calls a method of a Map or Set. Two uses matter:
//
//	handlers.get(request.params.name)   // a table of tools: each alternative knows its tool
//	allowed.has(args.host)              // an allow list: where it is true, nothing is an attack
func (in *interp) collection(o *Object, key string, args []Value, at position) (Value, bool) {
	first := arg(args, 0)
	switch key {
	case "set", "add":
		v := first
		if key == "set" {
			v = arg(args, 1)
		}
		in.heap.collect(o, first, v)
		return objectOf(o), true
	case "get":
		if k, ok := first.one(); ok {
			v := o.own("@" + k)
			if o.any != nil {
				v = join(v, o.any.v)
			}
			if len(v) == 0 {
				return undefined(), true
			}
			return v, true
		}
		// handlers.get(name): each entry is the handler of one tool.
		if isToolName(first) {
			var out Value
			for _, k := range o.keys {
				v := o.own(k)
				in.pick(strings.TrimPrefix(k, "@"), v)
				out = join(out, tagged(v, strings.TrimPrefix(k, "@")))
			}
			if o.any != nil {
				out = join(out, o.any.v)
			}
			return join(out, undefined()), true
		}
		return in.getAny(objectOf(o)), true
	case "has":
		if k, ok := first.one(); ok {
			if len(o.own("@"+k)) > 0 {
				return truth(true), true
			}
			if o.any == nil {
				return truth(false), true
			}
			return anyTruth(false), true
		}
		if isToolName(first) || len(first.tainted()) == 0 {
			return anyTruth(first.depends()), true
		}
		// The caller's text is looked for among the program's own keys.
		if o.any == nil || len(o.any.v.tainted()) == 0 {
			list := in.heap.newArray()
			for _, k := range o.keys {
				list.array.list = append(list.array.list, constant(strings.TrimPrefix(k, "@")))
			}
			if o.any != nil {
				list.array.rest = unknown()
			}
			return in.member(sequence{list.array.list, list.array.rest}, first), true
		}
		return anyTruth(true), true
	case "delete", "clear":
		return unknown(), true
	case "values", "forEach", "keys", "entries":
		list := in.heap.newArray()
		for _, k := range o.keys {
			v := o.own(k)
			switch {
			case key == "keys" && o.native == "Map":
				v = constant(strings.TrimPrefix(k, "@"))
			case key == "entries" && o.native == "Map":
				v = objectOf(in.heap.newArray(constant(strings.TrimPrefix(k, "@")), v))
			}
			list.array.list = append(list.array.list, v)
		}
		if o.any != nil {
			list.array.rest = o.any.v
			if key == "entries" {
				list.array.rest = objectOf(in.heap.newArray(unknown(), o.any.v))
			}
		}
		if key == "forEach" {
			return in.arrayMethod(list, key, args, at), true
		}
		return objectOf(list), true
	}
	return nil, false
}

// blockList is net.BlockList. The networks are those that the program adds; check is then tried
// on the attacks as any other predicate.
func (in *interp) blockList(o *Object, key string, args []Value) (Value, bool) {
	s, ok := arg(args, 0).one()
	switch key {
	case "addSubnet":
		if bits, isNumber := arg(args, 1).num(); ok && isNumber {
			if a, err := netip.ParseAddr(s); err == nil {
				o.networks = append(o.networks, netip.PrefixFrom(a, int(bits)))
			}
		}
		return undefined(), true
	case "addAddress":
		if a, err := netip.ParseAddr(s); ok && err == nil {
			o.networks = append(o.networks, netip.PrefixFrom(a, a.BitLen()))
		}
		return undefined(), true
	case "check":
		return in.state.holds(textOf(arg(args, 0)), nil, func(v, _ string) ternary {
			a, err := netip.ParseAddr(strings.Trim(v, "[]"))
			if err != nil {
				return never
			}
			for _, n := range o.networks {
				if n.Contains(a.Unmap()) || n.Contains(a) {
					return always
				}
			}
			return never
		}), true
	}
	return nil, false
}
