// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A policy may ask that a tool gets the values that were judged rather than those that were sent: the defaults of its schema
// (policy.Tool.FillDefaults), and paths as the check path-state resolved them (path.Options.Canonical). The Gate fills in the
// defaults before it judges, so that they are judged, too, and puts the paths in when the call is a go.

// A Change is a place where canonical arguments differ from those of the call.
type Change struct {
	Pointer string `json:"pointer"` // JSON Pointer (RFC 6901) into the arguments
	Why     string `json:"why"`     // "default": it was missing; "resolved": a path, as it was resolved
}

// Bounds of what defaults add to a call: its arguments and the schema, both from strangers, choose how many there are.
const (
	maxFilled      = 1000
	maxFilledBytes = 1 << 20
	maxReferences  = 256     // and values within each other
	maxSteps       = 100_000 // properties that are looked at
)

// fill returns the call with the defaults of the schema in place of what its arguments lack, if the policy asks for that. A
// finding says why they cannot be filled in.
func (g *Gate) fill(c *call.Call) (*call.Call, []Change, *check.Finding) {
	if g.policy == nil || c.Tool == nil || c.Validation || !c.IsTool() || !g.policy.FillsDefaults(c.Server, c.Name) {
		return c, nil, nil
	}
	refuse := func(why string) (*call.Call, []Change, *check.Finding) {
		return c, nil, &check.Finding{Check: "policy", Stage: check.Schema, Level: check.SyntaxLevel, Message: "the policy wants the defaults of the tool's schema filled in: " + why}
	}
	schema, err := strictjson.Parse(c.Tool.InputSchema, strictjson.Limits{})
	if err != nil {
		return c, nil, nil // the schema layer says so
	}
	arguments, err := call.DecodeArguments(c.Raw, call.Limits{Bytes: len(c.Raw) + 1}) // a copy: others read the call's own
	if err != nil {
		return refuse("its arguments cannot be read")
	}
	f := filler{root: schema}
	if err := f.object(schema, arguments, "", maxReferences); err != nil {
		return refuse(err.Error())
	}
	if len(f.changes) == 0 {
		return c, nil, nil
	}
	filled := *c
	raw, err := json.Marshal(arguments)
	if err == nil {
		err = filled.Read(raw, call.Limits{Bytes: len(raw) + 1})
	}
	if err != nil {
		return refuse("the result cannot be read")
	}
	return &filled, f.changes, nil
}

// A filler fills defaults in.
type filler struct {
	root    any
	changes []Change
	bytes   int
	steps   int
}

// step counts what is looked at, since references can make a small schema large.
func (f *filler) step(n, left int) error {
	if f.steps += n; f.steps > maxSteps || left <= 0 {
		return errors.New("the schema and the arguments have too many parts")
	}
	return nil
}

// object fills in the defaults of a schema's properties. Left bounds the references and parts of schemas within each other.
func (f *filler) object(schema any, into map[string]any, at string, left int) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	if err := f.step(1, left); err != nil {
		return err
	}
	if target := f.target(s); target != nil {
		if err := f.object(target, into, at, left-1); err != nil {
			return err
		}
	}
	properties, _ := s["properties"].(map[string]any)
	if err := f.step(len(properties), left); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		place := at + "/" + jsonpointer.Escape(name)
		if value, has := into[name]; has {
			if err := f.value(properties[name], value, place, left-1); err != nil {
				return err
			}
			continue
		}
		if value, has := f.defaultOf(properties[name], left-1); has {
			value = copyOf(value) // it may get defaults of its own
			if err := f.add(place, value); err != nil {
				return err
			}
			into[name] = value
			if err := f.value(properties[name], value, place, left-1); err != nil {
				return err
			}
		}
	}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		if err := f.object(part, into, at, left-1); err != nil {
			return err
		}
	}
	return nil
}

func copyOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			out[name] = copyOf(member)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = copyOf(value[i])
		}
		return out
	}
	return value
}

// value fills in defaults below a value.
func (f *filler) value(schema, value any, at string, left int) error {
	switch value := value.(type) {
	case map[string]any:
		return f.object(schema, value, at, left)
	case []any:
		for range left {
			s, _ := schema.(map[string]any)
			target := f.target(s)
			if s == nil || target == nil || s["items"] != nil {
				break
			}
			schema = target
		}
		s, _ := schema.(map[string]any)
		if s["items"] == nil {
			return nil
		}
		if err := f.step(len(value), left); err != nil {
			return err
		}
		for i, element := range value {
			if err := f.value(s["items"], element, at+"/"+strconv.Itoa(i), left-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// defaultOf returns the default of a schema, its own before that of the schema that it refers to.
func (f *filler) defaultOf(schema any, left int) (any, bool) {
	for ; left > 0; left-- {
		s, ok := schema.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, has := s["default"]; has {
			return value, true
		}
		schema = f.target(s)
	}
	return nil, false
}

// target returns the schema of the same document that a schema refers to, or nil.
func (f *filler) target(s map[string]any) any {
	ref, _ := s["$ref"].(string)
	if ref != "#" && !strings.HasPrefix(ref, "#/") {
		return nil
	}
	pointer, err := url.PathUnescape(ref[1:])
	if err != nil {
		return nil
	}
	target, _ := valueAt(f.root, pointer)
	return target
}

func (f *filler) add(at string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f.bytes += len(text)
	f.changes = append(f.changes, Change{at, "default"})
	if len(f.changes) > maxFilled || f.bytes > maxFilledBytes {
		return fmt.Errorf("they are more than %d values or %d bytes", maxFilled, maxFilledBytes)
	}
	return nil
}

// An innerArguments has the canonical arguments of a call within another.
type innerArguments struct {
	pointer string // their place
	text    bool   // as a JSON text
	raw     json.RawMessage
	changes []Change
}

// put puts them in their place.
func (in *innerArguments) put(into map[string]any) ([]Change, error) {
	var value any = string(in.raw)
	if !in.text {
		arguments, err := call.DecodeArguments(in.raw, call.Limits{Bytes: len(in.raw) + 1})
		if err != nil {
			return nil, err
		}
		value = arguments
	}
	cut := max(strings.LastIndexByte(in.pointer, '/'), 0)
	within, _ := valueAt(into, in.pointer[:cut])
	parent, ok := within.(map[string]any)
	if !ok || in.pointer == "" {
		return nil, errors.New("they have no place")
	}
	parent[jsonpointer.Unescape(in.pointer[cut+1:])] = value
	changes := slices.Clone(in.changes)
	for i := range changes {
		if changes[i].Pointer = in.pointer + changes[i].Pointer; in.text {
			changes[i].Pointer = in.pointer // no pointer leads into a text
		}
	}
	return slices.Compact(changes), nil
}

// canonical sets the canonical arguments of a call that may run. In are those of the call within it, nil for none.
func (v *Verdict) canonical(c *call.Call, filled []Change, values []check.Canonical, in *innerArguments) {
	if !v.Go && !v.Ask || len(filled)+len(values) == 0 && in == nil {
		return
	}
	refuse := func(pointer, why string) {
		v.refuse(check.Finding{Check: "policy", Stage: check.Semantic, Level: check.SemanticLevel, Pointer: pointer, Message: why})
	}
	arguments, err := call.DecodeArguments(c.Raw, call.Limits{Bytes: len(c.Raw) + 1})
	if err != nil {
		refuse("", "the canonical arguments cannot be made, because these cannot be read")
		return
	}
	changes, set := slices.Clone(filled), map[string]string{}
	if in != nil {
		more, err := in.put(arguments)
		if err != nil {
			refuse(in.pointer, "the canonical arguments of the inner call cannot be put in their place: "+err.Error())
			return
		}
		changes = append(changes, more...)
	}
	for _, one := range values {
		if in != nil && (one.Pointer == in.pointer || strings.HasPrefix(one.Pointer, in.pointer+"/")) {
			refuse(one.Pointer, "has a canonical value of its own within an inner call that has others: let the policy ask for one of them")
			return
		}
		if before, twice := set[one.Pointer]; twice {
			if before != one.Value {
				refuse(one.Pointer, "has two canonical values: the demands of the policy start in different directories")
				return
			}
			continue
		}
		set[one.Pointer] = one.Value
		changed, ok := replace(arguments, one.Pointer, one.Value)
		if !ok {
			refuse(one.Pointer, "has a canonical value, which cannot be put in its place")
			return
		}
		if changed {
			changes = append(changes, Change{one.Pointer, "resolved"})
		}
	}
	if len(changes) == 0 {
		return
	}
	raw, err := json.Marshal(arguments)
	if err != nil { // impossible: they came from JSON
		refuse("", "the canonical arguments cannot be written")
		return
	}
	v.Arguments, v.Changes = raw, changes
}

// replace puts a path in the place of a string, and reports whether that differs. The path of a file: URI becomes one.
func replace(in any, pointer, path string) (changed, ok bool) {
	cut := strings.LastIndexByte(pointer, '/')
	if cut < 0 {
		return false, false
	}
	parent, found := valueAt(in, pointer[:cut])
	if !found {
		return false, false
	}
	name := jsonpointer.Unescape(pointer[cut+1:])
	spelt := func(was any) (string, bool) {
		text, ok := was.(string)
		if len(text) >= len("file:") && strings.EqualFold(text[:len("file:")], "file:") {
			return (&url.URL{Scheme: "file", Path: path}).String(), ok
		}
		return path, ok
	}
	switch parent := parent.(type) {
	case map[string]any:
		text, ok := spelt(parent[name])
		changed = ok && parent[name] != text
		if changed {
			parent[name] = text
		}
		return changed, ok
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(parent) {
			return false, false
		}
		text, ok := spelt(parent[i])
		changed = ok && parent[i] != text
		if changed {
			parent[i] = text
		}
		return changed, ok
	}
	return false, false
}
