// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// Containers of dependency injection make objects. A program registers something under a token,
// and the parameters of a constructor ask for it by a token or by their type:
//
//	container.register("Files", { useClass: Files })
//	class ReadTool { constructor(@inject("Files") private files) {} }
//
// All containers of a program are one here, and each object is made once. A program with two
// containers would see them mixed up.

// injecting are names of decorators with the token of a parameter or property.
var injecting = map[string]bool{"inject": true, "Inject": true, "injectAll": true, "multiInject": true, "InjectMany": true, "injectWithTransform": true}

// The container is where all providers are, by the key of their token (tokenKey).
type container struct {
	heap   *heap
	probes *probes

	providers map[any][]*provider
}

// A provider is the meaning of a token: a value, a class, a function, or another token. busy
// stops circles.
type provider struct {
	value, class, factory, alias Value
	made                         Value
	busy                         bool
}

// A want is a request for a token, or for everything that is registered under it.
type want struct {
	token Value
	// gives the token where it does not exist yet
	late func() Value
	all  bool
}

// inject notes the token for a parameter or a property.
func (c *class) inject(name string, token func() Value, key string, parameter int) {
	w := want{late: token, all: strings.HasSuffix(name, "All") || name == "multiInject" || name == "InjectMany"}
	if parameter >= 0 && key == "" {
		if c.tokens == nil {
			c.tokens = map[int]want{}
		}
		c.tokens[parameter] = w
	} else if parameter < 0 && key != "" {
		if c.members == nil {
			c.members = map[string]want{}
		}
		c.members[key] = w
	}
}

// tokenKey tells tokens apart: texts, symbols and classes. It is nil for others.
func tokenKey(v Value) any {
	if len(v) != 1 {
		return nil
	}
	if s, ok := v.one(); ok {
		return s
	}
	switch a := v[0]; a.kind {
	case isObject:
		return a.obj
	case isNative:
		return "\x00" + a.name
	}
	return nil
}

// provide registers a provider, in addition to others or instead of them.
func (c *container) provide(token Value, p *provider, add bool) {
	key := tokenKey(token)
	// A try must not register anything.
	if key == nil || c.probes.on || len(c.providers[key]) >= maxElements {
		return
	}
	if c.providers == nil {
		c.providers = map[any][]*provider{}
	}
	if !add {
		c.providers[key] = nil
	}
	c.providers[key] = append(c.providers[key], p)
}

// provideAll registers the providers of a list, as modules of NestJS have them.
func (c *container) provideAll(list Value) {
	for _, v := range c.heap.elements(list).known {
		for _, a := range v {
			if a.kind != isObject || a.obj.class != nil || a.obj.call != nil {
				continue // a class stands for itself
			}
			c.provide(a.obj.own("provide"), providerOf(a.obj), true)
		}
	}
}

// providerOf reads { useValue }, { useClass }, { useFactory } and { useToken }.
func providerOf(o *Object) *provider {
	p := &provider{value: o.own("useValue"), class: o.own("useClass"), factory: o.own("useFactory"), alias: o.own("useToken")}
	if len(p.alias) == 0 {
		p.alias = o.own("useExisting")
	}
	return p
}

// containerName is the native name of containers that the program makes.
const containerName = "\x00container"

// containerCall calls a function of a container. tsyringe and typedi have one for all; inversify
// makes them. The call that package parse adds for the types of parameters is one of these, too.
func (in *interp) containerCall(name string, this Value, args []Value) (Value, bool) {
	switch name {
	case parse.Injected:
		for _, a := range arg(args, 0) {
			if a.kind == isObject && a.obj.class != nil {
				a.obj.class.typesOf = functions(arg(args, 1))
			}
		}
		return undefined(), true
	case "Symbol", "Symbol.for":
		if s, ok := arg(args, 0).one(); ok && name == "Symbol.for" {
			return native("@@" + s), true
		}
		return objectOf(in.heap.newObject("symbol")), true
	}
	if !strings.Contains(name, "ontainer") && !strings.HasPrefix(name, "binding#.") && !strings.HasPrefix(name, "typedi.") {
		return nil, false
	}
	for _, p := range []string{"tsyringe.container.", "tsyringe.default.container.", "typedi.Container.", "typedi.default.", containerName + "#.", "inversify.Container#."} {
		if method, ok := strings.CutPrefix(name, p); ok {
			return in.containerMethod(method, args), true
		}
	}
	if method, ok := strings.CutPrefix(name, "binding#."); ok && len(this) == 1 && this[0].obj != nil {
		return in.container.binding(this, method, args), true
	}
	return nil, false
}

// containerMethod is container.method(…).
func (in *interp) containerMethod(method string, args []Value) Value {
	token, second := arg(args, 0), arg(args, 1)
	switch method {
	case "register", "set":
		p := &provider{value: second}
		if method == "register" {
			p = &provider{class: second}
			for _, a := range second {
				if a.kind == isObject && a.obj.class == nil {
					p = providerOf(a.obj)
				}
			}
		}
		in.container.provide(token, p, true)
	case "registerSingleton", "registerType":
		if len(args) == 1 {
			second = token
		}
		in.container.provide(token, &provider{class: second}, true)
	case "registerInstance":
		in.container.provide(token, &provider{value: second}, true)
	case "bind", "rebind":
		b := in.heap.newObject("binding")
		b.data = token
		return objectOf(b)
	case "resolve", "get", "getAsync":
		return in.resolved(want{token: token})
	case "resolveAll", "getAll", "getMany":
		return in.resolved(want{token: token, all: true})
	case "createChildContainer", "createChild":
		return native(containerName + "#")
	case "isRegistered", "isBound", "has":
		return unknown()
	}
	return unknown()
}

// binding is a method on the result of bind(token) in inversify: .to(Class), .toConstantValue(v).
func (c *container) binding(this Value, method string, args []Value) Value {
	token := this[0].obj.data
	switch method {
	case "to":
		c.provide(token, &provider{class: arg(args, 0)}, true)
	case "toSelf":
		c.provide(token, &provider{class: token}, true)
	case "toConstantValue":
		c.provide(token, &provider{value: arg(args, 0)}, true)
	case "toDynamicValue", "toFactory", "toResolvedValue":
		c.provide(token, &provider{factory: arg(args, 0)}, true)
	case "toService":
		c.provide(token, &provider{alias: arg(args, 0)}, true)
	}
	return this
}

// resolved is the answer of a container to a token. A class that nobody registered stands for
// itself.
func (in *interp) resolved(w want) Value {
	if w.late != nil {
		w.token = w.late()
	}
	key := tokenKey(w.token)
	if key == nil {
		return unknown()
	}
	list := in.container.providers[key]
	if w.all {
		o := in.heap.newArray()
		for _, p := range list {
			o.array.list = append(o.array.list, in.makes(p))
		}
		clamp(&o.array.content)
		return objectOf(o)
	}
	if len(list) > 0 {
		return in.makes(list[len(list)-1])
	}
	// A class that was not registered: containers make an instance of it, once.
	if o, ok := key.(*Object); ok && o.class != nil && o.class.ctor == o {
		p := &provider{class: objectOf(o)}
		in.container.provide(w.token, p, true)
		return in.makes(p)
	}
	return unknown()
}

// makes is the object of a provider. It is made once and belongs to no handler, even if a handler
// asks first.
func (in *interp) makes(p *provider) Value {
	if len(p.value) > 0 {
		return p.value
	}
	if len(p.made) > 0 || p.busy {
		return p.made.orUnknown()
	}
	p.busy = true
	run := func() {
		switch {
		case len(p.alias) > 0:
			p.made = in.resolved(want{token: p.alias})
		case len(p.factory) > 0:
			p.made = settledOf(in.call(p.factory, undefined(), []Value{native(containerName + "#")}, position{}))
		default:
			for _, a := range p.class {
				if a.kind == isObject && a.obj.class != nil {
					p.made = join(p.made, in.injectedInstance(a.obj.class.ctor))
				}
			}
		}
	}
	// Nothing runs at present, so the provider runs in place.
	if in.turn.handler == nil {
		run()
		in.state.dead = false
	} else if !in.apart(run) {
		in.turn.handler.cut = true
	}
	p.busy = false
	return p.made.orUnknown()
}

// orUnknown is the value, or unknown if there is none.
func (v Value) orUnknown() Value {
	if len(v) == 0 {
		return unknown()
	}
	return v
}

// instanceOfTool is an instance of a class that nothing in the program makes. A container makes
// it if the class, or one above it, asks for something.
func (in *interp) instanceOfTool(ctor *Object) Value {
	for c, n := ctor.class, 0; c != nil && n < 8; c, n = c.above(), n+1 {
		if len(c.tokens)+len(c.members)+len(c.types)+len(c.typesOf) > 0 {
			return in.resolved(want{token: objectOf(ctor)})
		}
	}
	return in.instance(ctor, nil, position{})
}

// injectedInstance makes an instance with everything that its constructor and properties ask for.
func (in *interp) injectedInstance(ctor *Object) Value {
	v := in.instance(ctor, in.injected(ctor.class, 0), position{})
	for c, n := ctor.class, 0; c != nil && n < 8; c, n = c.above(), n+1 {
		for key, w := range c.members {
			in.heap.setAll(v, key, in.resolved(w))
		}
	}
	return v
}

// injected are the arguments of a constructor: by token, or by the type of the parameter.
// TypeScript writes the types into the program (design:paramtypes), and package parse adds them
// where the compiler would have.
//
//	constructor(@inject("Files") files, logger: Logger)   // by token; by type
func (in *interp) injected(c *class, depth int) []Value {
	if len(c.init) == 0 {
		if above := c.above(); above != nil && depth < 8 {
			return in.injected(above, depth+1)
		}
		return nil
	}
	// Now all files are loaded, and the types exist.
	if len(c.typesOf) > 0 {
		types := in.call(c.typesOf, undefined(), nil, position{})
		c.typesOf, c.types = nil, in.heap.elements(types).known
	}
	if len(c.tokens)+len(c.types) == 0 {
		return nil
	}
	args := make([]Value, len(c.init[0].obj.call.params.List))
	for i := range args {
		args[i] = unknown()
		if w, ok := c.tokens[i]; ok {
			args[i] = in.resolved(w)
		} else if i < len(c.types) {
			if o, ok := tokenKey(c.types[i]).(*Object); ok && o.class != nil {
				args[i] = in.resolved(want{token: c.types[i]})
			}
		}
	}
	return args
}

// above is the parent class, if the program has it.
func (c *class) above() *class {
	for _, a := range c.parent {
		if a.kind == isObject && a.obj.class != nil {
			return a.obj.class
		}
	}
	return nil
}
