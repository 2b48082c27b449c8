// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// A Kind says how a tool differs from the lock.
type Kind int

// The kinds. The zero Kind is not used.
const (
	_        Kind = iota
	Added         // the lock does not have the tool
	Removed       // the server does not list it
	Changed       // the definition is another one
	Unusable      // the definition means nothing for certain, so that it cannot be locked
)

var kindNames = []string{"", "added", "removed", "changed", "unusable"}

func (k Kind) String() string {
	if k < Added || k > Unusable {
		return fmt.Sprintf("unknown(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Change is one tool, or one entry of another list, that differs from the lock. Its texts are the
// server's: they are for the eyes of a person, never for a model.
type Change struct {
	List   string        `json:"list,omitempty"` // "prompts", "resourceTemplates" or "resources"; "" for tools
	Tool   string        `json:"tool"`           // the name, or the URI
	Kind   Kind          `json:"kind"`
	Why    string        `json:"why,omitempty"`    // the definition is unusable
	Fields []FieldChange `json:"fields,omitempty"` // in the order of their places
	Unseen []Place       `json:"unseen,omitempty"` // invisible characters in the definition as it is now

	// Members are the keys of the definition whose values differ, where the definition is
	// another one.
	Members []string `json:"-"`

	now *pinned // nil: there is none
}

// A FieldChange is one place at which two definitions differ.
type FieldChange struct {
	Pointer string          `json:"pointer"`          // JSON Pointer into the definition; "" is all of it
	Before  json.RawMessage `json:"before,omitempty"` // as the lock has it; nil if it has nothing there
	After   json.RawMessage `json:"after,omitempty"`  // as the server lists it now; nil if it lists nothing there
	// Unfamiliar are the characters, beyond ASCII, of After that are not in Before: letters
	// of another script, and what cannot be seen.
	Unfamiliar []string `json:"unfamiliar,omitempty"`

	before, after any
}

// absent stands for a value that is not there.
type absent struct{}

func newFieldChange(pointer string, before, after any) FieldChange {
	return FieldChange{
		Pointer: pointer, Before: raw(before), After: raw(after),
		Unfamiliar: unfamiliar(before, after),
		before:     before, after: after,
	}
}

func raw(v any) json.RawMessage {
	if v == (absent{}) {
		return nil
	}
	return shown(v, 0)
}

// newChange compares two definitions. Nil stands for none.
func newChange(tool string, before, after *pinned) *Change {
	c := &Change{Tool: tool, now: after}
	switch {
	case before == nil:
		c.Kind = Added
		c.Fields = []FieldChange{newFieldChange("", absent{}, after.definition)}
	case after == nil:
		c.Kind = Removed
		c.Fields = []FieldChange{newFieldChange("", before.definition, absent{})}
	default:
		c.Kind = Changed
		c.Fields = differences(before.definition, after.definition)
		c.Members = differing(before.definition, after.definition)
	}
	if after != nil {
		c.Unseen = unseenIn(after.definition)
	}
	return c
}

// differing are the keys whose values differ.
func differing(before, after map[string]any) []string {
	return slices.DeleteFunc(keysOf(before, after), func(key string) bool {
		return equal(valueOf(before, key), valueOf(after, key))
	})
}

// maxFields bounds the places that are told apart. Where more differ, all has changed.
const maxFields = 500

// differences are the smallest places at which two definitions differ.
func differences(before, after map[string]any) []FieldChange {
	d := differ{}
	d.compare("", before, after)
	if len(d.found) > maxFields {
		return []FieldChange{newFieldChange("", before, after)}
	}
	return d.found
}

type differ struct{ found []FieldChange }

func (d *differ) compare(pointer string, before, after any) {
	if len(d.found) > maxFields {
		return
	}
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			for _, key := range keysOf(b, a) {
				d.compare(below(pointer, key), valueOf(b, key), valueOf(a, key))
			}
			return
		}
	case []any:
		if a, ok := after.([]any); ok && len(a) == len(b) && structured(a) && structured(b) {
			for i := range b {
				d.compare(below(pointer, strconv.Itoa(i)), b[i], a[i])
			}
			return
		}
	}
	if !equal(before, after) {
		d.found = append(d.found, newFieldChange(pointer, before, after))
	}
}

// structured reports whether a list is one of objects. A list of names, such as
// "required", is easier to read as a whole.
func structured(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		_, object := v.(map[string]any)
		return !object
	})
}

func keysOf(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return sortedKeys(all)
}

func valueOf(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

// maxPointer bounds a pointer, in bytes; a longer one is cut. Otherwise one long key with
// many values below it would be copied for each.
const maxPointer = 1000

// below adds a step to a JSON Pointer.
func below(pointer, key string) string {
	if len(pointer) > maxPointer {
		return pointer
	}
	pointer += "/" + check.EscapePointer(key)
	if len(pointer) > maxPointer {
		pointer = strings.ToValidUTF8(pointer[:maxPointer+1], "") + "…"
	}
	return pointer
}
