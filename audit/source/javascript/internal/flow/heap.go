// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strconv"
	"strings"
)

// The heap is what the program's names lead to: global variables, objects, and what the program wrote onto
// things that it does not contain (fs.readFile = …). Variables of functions are in scopes, which the
// walk passes on.
//
// One object stands for all that one expression made on one pass of the walk. So a write to an object that is
// the only alternative replaces the old value, and a write where others are possible joins it
// (setAll).
type heap struct {
	budget  *budget
	journal *journal

	nextID  int // ids grow: an object is older than a handler if its id is smaller than began
	began   int // nextID when the present handler began
	globals *scope
	natives map[string]*Object // properties that the program set on natives, by their names
}

func (hp *heap) newObject(native string) *Object {
	hp.nextID++
	return &Object{id: hp.nextID, native: native}
}

func (hp *heap) newArray(list ...Value) *Object {
	o := hp.newObject("Array")
	o.array = hp.journal.newSlot(content{list: list})
	clamp(&o.array.content)
	return o
}

// maxElements bounds the elements of a list that are told apart.
const maxElements = 2000

// clamp makes elements beyond the bound such whose place is not known.
func clamp(c *content) {
	if len(c.list) > maxElements {
		q := sequence{known: c.list[maxElements:]}
		c.rest = join(c.rest, q.all())
		c.list = c.list[:maxElements:maxElements]
	}
}

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

// maxProps bounds the properties of one object.
const maxProps = 5_000

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

func (o *Object) own(key string) Value {
	if sl := o.props[key]; sl != nil {
		return sl.v
	}
	return nil
}

func (hp *heap) global(name string) Value {
	if sl := hp.globals.vars[name]; sl != nil && sl.v != nil {
		return sl.v
	}
	return native(name)
}

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
