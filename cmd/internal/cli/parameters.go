// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A parameter describes a property of a tool's inputSchema.
type parameter struct {
	name  string
	kind  string // "string, required"
	about string // default and description
}

// property has the parts of a property's schema that are shown.
type property struct {
	Ref         string            `json:"$ref"`
	Type        json.RawMessage   `json:"type"` // a name or a list of names
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Items       json.RawMessage   `json:"items"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
	Default     json.RawMessage   `json:"default"`
	Description string            `json:"description"`
}

// parameters lists the properties of a schema in its order. It leaves out unreadable parts, because the list
// judges nothing.
func parameters(inputSchema json.RawMessage) []parameter {
	var required []string
	_ = json.Unmarshal(member(inputSchema, "required"), &required)
	properties, _ := strictjson.Members(member(inputSchema, "properties"), call.Limits{})
	var list []parameter
	for _, m := range properties {
		list = append(list, newParameter(m.Key, m.Raw, slices.Contains(required, m.Key)))
	}
	return list
}

func member(object json.RawMessage, key string) json.RawMessage {
	members, _ := strictjson.Members(object, call.Limits{})
	for _, m := range members {
		if m.Key == key {
			return m.Raw
		}
	}
	return nil
}

func newParameter(name string, schema json.RawMessage, required bool) parameter {
	p := parameter{name: oneLine(name, maxDescription), kind: oneLine(kindOf(schema), maxKind)}
	if required {
		p.kind += ", required"
	}
	var s property
	_ = json.Unmarshal(schema, &s) // true and false are schemas, too
	var about []string
	if s.Default != nil {
		about = append(about, "(default "+oneLine(string(s.Default), maxValue)+")")
	}
	if s.Description != "" {
		about = append(about, oneLine(s.Description, maxDescription))
	}
	p.about = strings.Join(about, " ")
	return p
}

// maxValues bounds the enum values in a description.
const maxValues = 8

// kindOf describes the values of a schema in a few words.
func kindOf(schema json.RawMessage) string {
	var s property
	if json.Unmarshal(schema, &s) != nil {
		return "any"
	}
	switch {
	case s.Enum != nil:
		return valuesOf(s.Enum)
	case s.Const != nil:
		return valuesOf([]json.RawMessage{s.Const})
	case s.AnyOf != nil:
		return alternatives(s.AnyOf)
	case s.OneOf != nil:
		return alternatives(s.OneOf)
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	}
	return typeOf(s)
}

func typeOf(s property) string {
	var one string
	var several []string
	switch {
	case json.Unmarshal(s.Type, &one) == nil && one == "array" && s.Items != nil:
		return "array of " + kindOf(s.Items)
	case one != "":
		return one
	case json.Unmarshal(s.Type, &several) == nil && len(several) > 0:
		return strings.Join(several, "|")
	}
	return "any"
}

func valuesOf(values []json.RawMessage) string {
	var shown []string
	for _, v := range values[:min(len(values), maxValues)] {
		shown = append(shown, oneLine(string(v), maxValue))
	}
	if len(values) > maxValues {
		shown = append(shown, "…")
	}
	return strings.Join(shown, "|")
}

func alternatives(schemas []json.RawMessage) string {
	var kinds []string
	for _, s := range schemas[:min(len(schemas), maxValues)] {
		if k := kindOf(s); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return strings.Join(kinds, "|")
}
