// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jsonpointer"
)

// Places finds the places in the arguments of one call that the demands of a [Binding] apply to. It is safe for
// concurrent use, as long as nobody changes the arguments.
type Places struct {
	b         *Binding
	arguments map[string]any
	on        Occasion

	mu    sync.Mutex
	named map[uintptr]map[string][]string // by large object: its keys that an address may name, by their folded names
	steps map[string]bool                 // folded names in the addresses of b
}

// Demands reports whether a demand on the check applies to any place.
func (p *Places) Demands(c *check.Check) bool {
	found := false
	p.find(c, func(check.Target, *Demand) (more bool) {
		found = true
		return false
	})
	return found
}

// Targets are the places that demands on a check apply to, by what a finding there means.
type Targets struct {
	Errors   []check.Target
	Foreseen []check.Target // an error on occasions that are not [Live]
	Asks     []check.Target
	Warnings []check.Target
}

// Targets returns the places that demands on the check apply to: limit at most of each list.
func (p *Places) Targets(c *check.Check, limit int) (targets Targets) {
	p.find(c, func(t check.Target, d *Demand) (more bool) {
		list := &targets.Errors
		switch {
		case d.From > Live:
			list = &targets.Foreseen
		case d.Severity == check.Ask:
			list = &targets.Asks
		case d.Severity == check.Warning:
			list = &targets.Warnings
		}
		if len(*list) < limit {
			*list = append(*list, t)
		}
		return len(*list) < limit
	})
	return targets
}

// find calls visit for each place that a demand on the check applies to, until it returns false, and goes on with the next
// demand.
func (p *Places) find(c *check.Check, visit func(check.Target, *Demand) (more bool)) {
	kind := c.Demand
	for _, a := range p.b.arguments {
		for i := range a.Demands {
			d := &a.Demands[i]
			if d.Kind != kind || d.From > p.on || c.Asked != nil && !c.Asked(d.Options) {
				continue
			}
			p.below(p.arguments, a.Address, "", kind.Lists, func(pointer string, v any) (more bool) {
				if v == nil && p.b.absent[pointer] {
					return true
				}
				if a.Inferred != "" && !fits(v, kind) {
					return true // the guess was about another type; the schema judges the value
				}
				if text, ok := v.(string); d.If != nil && (!ok || !d.If(text)) {
					return true
				}
				if uri, ok := v.(string); ok && a.URI && kind.Name == "path" {
					v = pathOf(uri)
				}
				return visit(check.Target{Pointer: pointer, Value: v, Options: d.Options}, d)
			})
		}
	}
}

// below calls add for every place below v that an address leads to, until it returns false; then
// below does, too. At the address's end the elements of an array are places of their own,
// unless the demand is about lists.
func (p *Places) below(v any, address, pointer string, lists bool, add func(pointer string, v any) (more bool)) (more bool) {
	if address == "" {
		array, ok := v.([]any)
		if !ok || lists {
			return add(pointer, v)
		}
		at := elements(pointer)
		for i, e := range array {
			if !add(at(i), e) {
				return false
			}
		}
		return true
	}
	step, rest, deeper := strings.Cut(address[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range p.matching(v, step) {
			if !p.below(v[key], rest, pointer+"/"+check.EscapePointer(key), lists, add) {
				return false
			}
		}
	case []any:
		if step != "*" {
			i, err := strconv.Atoi(step)
			return err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != step || p.below(v[i], rest, pointer+"/"+step, lists, add)
		}
		at := elements(pointer)
		for i, e := range v {
			if !p.below(e, rest, at(i), lists, add) {
				return false
			}
		}
	}
	return true
}

// elements returns a function for the pointers of the elements of an array at pointer. There may be hundreds of thousands.
func elements(pointer string) func(i int) string {
	at := append(make([]byte, 0, len(pointer)+1+len("9223372036854775807")), pointer...)
	at = append(at, '/')
	return func(i int) string { return string(strconv.AppendInt(at, int64(i), 10)) }
}

// few is the most properties of an object that are compared with each step.
const few = 32

// matching returns the properties that a step of an address stands for, in order. A
// property in another case counts, because some servers take it for the same.
func (p *Places) matching(object map[string]any, step string) []string {
	if step == "*" {
		return slices.Sorted(maps.Keys(object))
	}
	name := jsonpointer.Unescape(step)
	if len(object) > few {
		return p.keys(object)[string(fold(nil, name))]
	}
	var keys []string
	for key := range object {
		if key == name || strings.EqualFold(key, name) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// keys looks once through a large object for the properties that any address may name. A client may send so many that
// no stage could compare each of them with each step.
func (p *Places) keys(object map[string]any) map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := reflect.ValueOf(object).Pointer()
	if known, ok := p.named[at]; ok {
		return known
	}
	if p.named == nil {
		p.named, p.steps = map[uintptr]map[string][]string{}, map[string]bool{}
		for _, a := range p.b.arguments {
			for step := range strings.SplitSeq(a.Address, "/") {
				p.steps[string(fold(nil, jsonpointer.Unescape(step)))] = true
			}
		}
	}
	keys := map[string][]string{}
	var buffer []byte
	for key := range object {
		if buffer = fold(buffer[:0], key); p.steps[string(buffer)] {
			keys[string(buffer)] = append(keys[string(buffer)], key)
		}
	}
	for _, same := range keys {
		slices.Sort(same)
	}
	p.named[at] = keys
	return keys
}

// fold appends to b what all texts have in common that strings.EqualFold takes for s, and none else has.
func fold(b []byte, s string) []byte {
	for _, r := range s {
		if 'a' <= r && r <= 'z' {
			b = append(b, byte(r)-'a'+'A')
			continue
		}
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		b = utf8.AppendRune(b, least)
	}
	return b
}
