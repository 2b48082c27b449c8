// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Binding is everything that a policy demands of the calls of one tool and of their results.
// The zero Binding demands nothing.
type Binding struct {
	world       check.World
	clientRoots bool // the roots of a call's session count beside those of world
	rootBase    bool // and relative paths start in the first of them
	arguments   []Argument
	output      []Demand        // the most particular first
	absent      map[string]bool // arguments, by pointer, for which null means the same as their absence
}

// Bind resolves what p demands of the calls of a tool: its own demands, those of more, and, for
// arguments that neither mentions, those that p.Infer makes from the definition t. The name ""
// binds results that answer no call of a tool.
func (p *Policy) Bind(server, name string, t *call.Tool, more ...Tool) *Binding {
	b := new(Binding)
	s := p.Server(server)
	if s != nil {
		b.world, b.clientRoots, b.rootBase = s.World, s.ClientRoots && !s.World.Remote, s.RootBase
		b.add(s.Tools, name)
	}
	b.add(more, name)
	if s != nil {
		b.output = append(b.output, s.Output...)
	}
	if p == nil {
		return b
	}
	b.output = append(b.output, p.Output...)
	if t != nil {
		b.absent = nullByDefault(t.InputSchema)
	}
	if p.Infer != nil && t != nil {
		b.infer(p.Infer(t))
	}
	return b
}

// nullByDefault returns the arguments whose default is null, as servers in Python declare what may be left out.
func nullByDefault(schema []byte) map[string]bool {
	if !bytes.Contains(schema, []byte("null")) {
		return nil
	}
	var s struct {
		Properties map[string]struct{ Default json.RawMessage }
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var list map[string]bool
	for name, property := range s.Properties {
		if string(property.Default) == "null" {
			if list == nil {
				list = make(map[string]bool)
			}
			list["/"+check.EscapePointer(name)] = true
		}
	}
	return list
}

// BindRequest is Bind for a request other than tools/call. Its params are the arguments, and the
// inferred demands depend on them. The error is that of p.InferRequest.
func (p *Policy) BindRequest(c *call.Call) (*Binding, error) {
	b := new(Binding)
	if p == nil {
		return b, nil
	}
	if s := p.Server(c.Server); s != nil {
		b.world, b.clientRoots, b.rootBase = s.World, s.ClientRoots && !s.World.Remote, s.RootBase
		b.add(s.Requests, c.Method)
		b.output = append(b.output, s.Output...)
	}
	b.output = append(b.output, p.Output...)
	if p.InferRequest == nil {
		return b, nil
	}
	inferred, err := p.InferRequest(c)
	b.infer(inferred)
	return b, err
}

// BindPart is Bind for a part of a request beside its arguments. All that is demanded of it is
// inferred. The error is that of p.InferPart.
func (p *Policy) BindPart(part call.Part) (*Binding, error) {
	b := new(Binding)
	if p == nil {
		return b, nil
	}
	if s := p.Server(part.Server); s != nil {
		b.world, b.clientRoots, b.rootBase = s.World, s.ClientRoots && !s.World.Remote, s.RootBase
	}
	if p.InferPart == nil {
		return b, nil
	}
	inferred, err := p.InferPart(part)
	b.infer(inferred)
	return b, err
}

// infer adds demands on arguments that the policy does not mention, and those that stay beside what it says.
func (b *Binding) infer(inferred []Argument) {
	said := b.arguments
	for _, guess := range inferred {
		mentioned := slices.Collect(func(yield func(Argument) bool) {
			for _, a := range said {
				if covers(a.Address, guess.Address) && !yield(a) {
					return
				}
			}
		})
		if len(mentioned) > 0 {
			guess.Demands = beside(mentioned, guess.Demands)
			guess.URI = slices.ContainsFunc(mentioned, func(a Argument) bool { return a.URI })
		}
		if len(guess.Demands) > 0 {
			b.arguments = append(b.arguments, guess)
		}
	}
}

// Names reports whether the policy itself, and no guess, makes a demand on the argument at a pointer or below it.
func (b *Binding) Names(pointer string) bool {
	return slices.ContainsFunc(b.arguments, func(a Argument) bool {
		return pointer != "" && a.Inferred == "" && strings.HasPrefix(a.Address+"/", pointer+"/")
	})
}

// beside returns those of the inferred demands that stay beside what the policy says of an argument. They have the options of
// the policy's demand of the same kind, so that they refuse nothing else that it allows.
func beside(said []Argument, inferred []Demand) (kept []Demand) {
	for _, d := range inferred {
		if d.Beside == nil {
			continue
		}
		found, settled := false, false
		for _, a := range said {
			for _, own := range a.Demands {
				if own.Kind == d.Kind && !settled {
					d.Options = d.Beside(own.Options)
					found, settled = true, d.Options == nil
				}
			}
		}
		if found && !settled {
			kept = append(kept, d)
		}
	}
	return kept
}

// add adds the demands of the tools whose pattern matches a name.
func (b *Binding) add(tools []Tool, name string) {
	for _, t := range tools {
		if name != "" && t.Matches(name) {
			b.arguments = append(b.arguments, t.Arguments...)
			b.arguments = append(b.arguments, Argument{Demands: t.Requires})
			b.output = append(b.output, t.Output...)
		}
	}
}

// covers reports whether one address leads to every place that the other leads to. The
// elements of an array at the end of an address are places of both (see find).
func covers(one, other string) bool {
	const elements = "/*"
	return leads(one, other) || leads(strings.TrimSuffix(one, elements), other) || leads(one, strings.TrimSuffix(other, elements))
}

func leads(one, other string) bool {
	return slices.EqualFunc(strings.Split(one, "/"), strings.Split(other, "/"),
		func(a, b string) bool { return a == "*" || strings.EqualFold(a, b) })
}

// World returns the world of a call's server. The call's client may have announced more roots.
func (b *Binding) World(c *call.Call) check.World {
	if b == nil { // the call is refused: its demands are unknown
		return check.World{}
	}
	w := b.world
	if b.clientRoots && c.Session != nil && len(c.Session.Roots) > 0 {
		w.Roots = slices.Concat(w.Roots, c.Session.Roots)
		if b.rootBase {
			w.Base = c.Session.Roots[0]
		}
	}
	return w
}

// In returns the places that b's demands have in the arguments of a call, on an occasion.
func (b *Binding) In(arguments map[string]any, on Occasion) *Places {
	return &Places{b: b, arguments: arguments, on: on}
}

// OutputOptions returns the options of the most particular demand of this kind on results, or
// else the kind's defaults.
func (b *Binding) OutputOptions(kind *check.Demand) any {
	for _, d := range b.output {
		if d.Kind == kind {
			return d.Options
		}
	}
	return kind.Options()
}

// pathOf returns the path of a file: URI of this machine. Any other URI stays, and is no path: so
// does one whose query or fragment some servers take for a part of the path.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && !strings.EqualFold(u.Host, "localhost") || u.Opaque != "" ||
		u.Path == "" || strings.ContainsAny(uri, "?#") {
		return uri
	}
	if len(u.Path) > 3 && u.Path[2] == ':' && u.Path[3] == '/' {
		return u.Path[1:] // file:///C:/work
	}
	return u.Path
}

// fits reports whether a guess of this kind can hold for a value: guesses are about strings, or
// about lists where the demand is.
func fits(v any, kind *check.Demand) bool {
	switch v.(type) {
	case string:
		return true
	case []any:
		return kind.Lists
	}
	return false
}
