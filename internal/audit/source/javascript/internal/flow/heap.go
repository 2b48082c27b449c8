// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strconv"
	"strings"
)

// The heap is everything that the program's names lead to: global variables, objects, and
// properties written onto natives (fs.readFile = …). Variables of functions are in scopes, and
// the walk passes those on.
//
// One object stands for everything that one expression made on one pass of the walk. In a loop,
//
//	for (const f of files) { const o = { f }; list.push(o) }
//
// each round makes another object, up to the bounds of rounds; in a function each call does. So a
// write to an object that is the only alternative replaces the old value (a strong update), and a
// write where others are possible joins it (a weak one, see setAll).
type heap struct {
	budget  *budget
	journal *journal

	nextID  int // ids grow: an object is older than a handler if its id is smaller than began
	began   int // nextID when the present handler began
	globals *scope
	natives map[string]*Object // properties that the program set on natives, by their names
}

// newObject makes an object; native is "" for one of the program.
func (hp *heap) newObject(native string) *Object {
	hp.nextID++
	return &Object{id: hp.nextID, native: native}
}

// newArray makes an array with these elements.
func (hp *heap) newArray(list ...Value) *Object {
	o := hp.newObject("Array")
	o.array = hp.journal.newSlot(content{list: list})
	clamp(&o.array.content)
	return o
}

// maxElements bounds the elements of a list that are told apart. Generated tables of tools have
// hundreds of entries, so the bound is well above these.
const maxElements = 2000

// clamp joins the elements past the bound into rest, where their index is unknown.
func clamp(c *content) {
	if len(c.list) > maxElements {
		q := sequence{known: c.list[maxElements:]}
		c.rest = join(c.rest, q.all())
		c.list = c.list[:maxElements:maxElements]
	}
}

// declare makes a variable, or returns the one of that name: var may be repeated.
func (hp *heap) declare(s *scope, name string, v Value) *slot {
	if s.vars == nil {
		s.vars = map[string]*slot{}
	}
	if old, ok := s.vars[name]; ok {
		return old
	}
	n := hp.journal.newSlot(content{v: v})
	s.vars[name] = n
	return n
}

// setAll is o[key] = v for all alternatives of o. With a single one the old value is gone. With
// several the write goes to only one of them at run time, so the others must keep theirs:
//
//	(x ? a : b).path = args.path    // a.path and b.path may each be what they were
func (hp *heap) setAll(o Value, key string, v Value) {
	for _, a := range o {
		switch a.kind {
		case isObject:
			if len(o) == 1 {
				hp.set(a.obj, key, v)
			} else {
				hp.set(a.obj, key, join(v, a.obj.own(key)))
			}
		case isNative:
			if hp.natives[a.name] == nil {
				hp.natives[a.name] = hp.newObject("")
			}
			hp.set(hp.natives[a.name], key, v)
		}
	}
}

// maxProps bounds the properties of one object. Programs fill caches in loops; past the bound the
// names are lost and the values are joined.
const maxProps = 5_000

// set writes one property. An element of an array is written into a copy of the list, since
// captures of other ways share it; a write far behind the end counts as a property, as the gap
// would have no values.
func (hp *heap) set(o *Object, key string, v Value) {
	if o.array != nil {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i <= len(o.array.list) && i < maxElements {
			hp.budget.cost(len(o.array.list))
			hp.journal.keep(o.array)
			list := append([]Value(nil), o.array.list...)
			if i == len(list) {
				list = append(list, nil)
			}
			list[i] = v
			o.array.list = list
			return
		}
	}
	sl := o.props[key]
	if sl == nil {
		if len(o.props) >= maxProps {
			hp.setUnknown(o, v)
			return
		}
		if o.props == nil {
			o.props = map[string]*slot{}
		}
		sl = hp.journal.newSlot(content{})
		o.props[key] = sl
		o.keys = append(o.keys, key)
	}
	delete(o.getters, key)
	hp.journal.write(sl, v)
}

// setUnknown writes a property of unknown name. It can only add: any property may or may not have
// been the one.
func (hp *heap) setUnknown(o *Object, v Value) {
	if o.array != nil {
		hp.journal.keep(o.array)
		o.array.rest = join(o.array.rest, v)
		return
	}
	if o.any == nil {
		o.any = hp.journal.newSlot(content{})
	}
	hp.journal.write(o.any, join(o.any.v, v))
}

// own returns the value of a property of the object itself, or none. It does not go up to
// prototypes and calls no getters.
func (o *Object) own(key string) Value {
	if sl := o.props[key]; sl != nil {
		return sl.v
	}
	return nil
}

// global returns a variable that no file declares. Without an assignment in the program it is
// native: console, fetch, process.
func (hp *heap) global(name string) Value {
	if sl := hp.globals.vars[name]; sl != nil && sl.v != nil {
		return sl.v
	}
	return native(name)
}

// getNative reads a property of a native, which is another native with a longer name:
// fs.promises.readFile. Properties written by the program come first. The environment and the
// arguments of the process are configuration, so unknown. Names of more than twelve parts come
// from loops, and end here.
func (hp *heap) getNative(name, key string) Value {
	if o := hp.natives[name]; o != nil {
		if v := o.own(key); len(v) > 0 {
			return v
		}
	}
	if key == "default" || key == "__esModule" {
		return native(name)
	}
	if name == "path" || name == "path.posix" {
		switch key {
		case "sep":
			return constant("/")
		case "delimiter":
			return constant(":")
		case "posix":
			return native("path")
		}
	}
	if name == "process" && (key == "argv" || key == "env") {
		return native("process." + key)
	}
	if strings.HasPrefix(name, "process.env") || strings.HasPrefix(name, "process.argv") {
		return unknown()
	}
	if key == "prototype" {
		return native(name + "#")
	}
	if name == "globalThis" || name == "global" || name == "window" {
		return hp.global(key)
	}
	if strings.Count(name, ".") > 12 {
		return unknown()
	}
	return native(name + "." + key)
}
