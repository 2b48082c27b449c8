// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math"
	"strings"
)

// Functions of the language itself, by their names. The switch statements below contain all
// knowledge about them.

// languageCall calls a function of the language itself.
func (in *interp) languageCall(name string, args []Value, at position) (Value, bool) {
	if identities[name] {
		return in.unchanged(name, args, at), true
	}
	if v, ok := in.valueCall(name, args, at); ok {
		return v, true
	}
	if v, ok := in.objectCall(name, args, at); ok {
		return v, true
	}
	return in.controlCall(name, args, at)
}

// unchanged is the result of a function in identities.
func (in *interp) unchanged(name string, args []Value, at position) Value {
	first := arg(args, 0)
	switch name {
	case "String":
		return textOf(first)
	case "Buffer.from":
		return reshapeKeep(first)
	case "Object.create":
		return in.heap.objectCreate(first)
	case "Array.from":
		return in.arrayFrom(args, at)
	}
	return first
}

// valueCall makes a text, number, truth, list or error from other values.
func (in *interp) valueCall(name string, args []Value, at position) (Value, bool) {
	first := arg(args, 0)
	switch name {
	case "Number", "parseInt", "parseFloat", "Number.parseInt", "Number.parseFloat", "BigInt":
		return toNumberCall(name, args), true
	case "Boolean":
		return boolean(first), true
	case "isNaN", "Number.isNaN", "Number.isInteger", "Number.isFinite", "isFinite", "Number.isSafeInteger":
		return numeric(name, first), true
	// Nothing that matters to a path, a host or a shell is left of the text.
	case "encodeURIComponent", "escape":
		return remap(reshape(first, func(h hole) hole { h.safe = bitsAll; return h }), func(h hole) hole { return h }), true
	// All arguments in a value stand somewhere in its JSON.
	case "JSON.stringify":
		return in.heap.flatten(first, 0), true
	case "JSON.parse":
		// A handler of JSON-RPC is given the message itself in place of its text.
		if len(first) == 1 && first[0].kind == isObject && first[0].obj.native == "" {
			return first, true // a message, where it stands for its text
		}
		return reopen(first), true
	case "Array.isArray":
		return isArray(first), true
	case "String.raw":
		return in.rawTemplate(args), true
	case "String.fromCharCode", "String.fromCodePoint":
		return fromCharCode(args), true
	case "util.format", "printf", "sprintf-js.sprintf":
		out := constant("")
		for _, v := range args {
			out = concat(concat(out, textOf(v)), constant(" "))
		}
		return out, true
	case "Object.is":
		return in.equal(first, arg(args, 1), true), true
	case "Array", "Array.of":
		return objectOf(in.heap.newArray(args...)), true
	case "Error", "TypeError", "RangeError":
		return in.newNative(name, args, at), true
	}
	return nil, false
}

// boolean is Boolean(v). It keeps the facts of the value's truth.
func boolean(v Value) (out Value) {
	truthy, falsy := sides(v)
	for _, a := range truthy {
		out = join(out, Value{{kind: isBool, b: true, under: a.under, dep: a.dep || tainted(a.text)}})
	}
	for _, a := range falsy {
		out = join(out, Value{{kind: isBool, under: a.under, dep: a.dep || tainted(a.text)}})
	}
	return out
}

// numeric is isNaN(v) and its like. Number.isInteger(v) also proves the type.
func numeric(name string, first Value) Value {
	if n, ok := toNumber(first); ok {
		switch name {
		case "isNaN", "Number.isNaN":
			return truth(math.IsNaN(n))
		case "Number.isInteger", "Number.isSafeInteger":
			return truth(n == math.Trunc(n))
		}
		return truth(!math.IsNaN(n) && !math.IsInf(n, 0))
	}
	if strings.HasPrefix(name, "Number.is") && name != "Number.isNaN" {
		return typed(first)
	}
	return anyTruth(first.depends())
}

// objectCall calls functions of Object and Reflect.
func (in *interp) objectCall(name string, args []Value, at position) (Value, bool) {
	first := arg(args, 0)
	switch name {
	case "Object.keys", "Reflect.ownKeys", "Object.getOwnPropertyNames":
		q := in.heap.keysOf(first)
		o := in.heap.newArray(q.known...)
		o.array.rest = q.rest
		return objectOf(o), true
	case "Object.values", "Object.entries":
		return in.entries(first, name == "Object.entries"), true
	case "Object.fromEntries":
		return in.heap.fromEntries(first), true
	case "Object.assign":
		return in.objectAssign(args), true
	case "Object.defineProperty", "Reflect.defineProperty":
		in.heap.defineProperty(first, arg(args, 1), arg(args, 2))
		return first, true
	case "Object.defineProperties":
		return first, true
	case "Object.getPrototypeOf", "Reflect.getPrototypeOf":
		return unknown(), true
	// esbuild copies exports by their descriptors.
	case "Object.getOwnPropertyDescriptor", "Reflect.getOwnPropertyDescriptor":
		d := in.heap.newObject("")
		in.heap.set(d, "get", undefined())
		in.heap.set(d, "enumerable", unknown())
		in.heap.set(d, "value", in.index(first, arg(args, 1), at))
		return objectOf(d), true
	case "Object.hasOwn":
		return hasKey(first, arg(args, 1)), true
	case "Reflect.get":
		return in.index(first, arg(args, 1), at), true
	case "Reflect.apply":
		return in.call(first, arg(args, 1), in.heap.elements(arg(args, 2)).known, at), true
	case "Object.prototype.hasOwnProperty.call", "Object#.hasOwnProperty.call":
		return hasKey(first, arg(args, 1)), true
	}
	return nil, false
}

// controlCall calls functions that run something else: promises, timers, modules, and helpers of
// compilers. A timer's function runs at once, since its time is unknown.
func (in *interp) controlCall(name string, args []Value, at position) (Value, bool) {
	first := arg(args, 0)
	switch name {
	// Promises are their values already, so a list of them is a list of values.
	case "Promise.all", "Promise.allSettled":
		q := in.heap.elements(first)
		o := in.heap.newArray()
		for _, v := range q.known {
			o.array.list = append(o.array.list, in.heap.settledAs(v, name))
		}
		if len(q.rest) > 0 {
			o.array.rest = in.heap.settledAs(q.rest, name)
		}
		return objectOf(o), true
	case "Promise.race", "Promise.any":
		return settledOf(in.heap.elements(first).all()), true
	case "Promise.reject":
		return unknown(), true
	case "setTimeout", "setImmediate", "queueMicrotask", "process.nextTick", "setInterval":
		in.callbacks(args, at)
		return unknown(), true
	// At the top level an exit is behind a check of arguments or a version, and the rest counts.
	case "process.exit", "process.abort":
		if !in.nesting.top() {
			in.state.dead = true
		}
		return undefined(), true
	case "eval", "Function", "vm.runInContext", "vm.runInNewContext", "vm.runInThisContext":
		return unknown(), true
	// Helpers of compilers get the function that they run as an argument.
	case "__asyncGenerator":
		return in.call(arg(args, 2), first, nil, at), true
	case "__async", "__awaiter":
		return in.call(arg(args, len(args)-1), first, nil, at), true
	case "__forAwait", "__asyncValues", "__values":
		return in.heap.iterator(first), true
	case "module.createRequire":
		return native("require"), true
	case "require", "import":
		if s, ok := first.one(); ok {
			return in.requireName(s, at.unit), true
		}
		return unknown(), true
	}
	return nil, false
}

// settledAs is an element of Promise.all, or of Promise.allSettled.
func (hp *heap) settledAs(v Value, name string) Value {
	v = settledOf(v)
	if name == "Promise.all" {
		return v
	}
	o := hp.newObject("")
	hp.set(o, "status", unknown())
	hp.set(o, "value", v)
	return objectOf(o)
}
