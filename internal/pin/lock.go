// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// DefaultServer is the name in the lock for a server without one.
const DefaultServer = "default"

// maxDefinition is the size of the largest definition that can be locked, in bytes: some
// twenty times the largest known.
const maxDefinition = 1 << 20

// Tools is the list of tools. The other lists are those of package call, by their methods.
const Tools = "tools/list"

// A Lock holds the definitions that a person has accepted: by list, server, and name or URI. The zero
// Lock holds none. A Lock is not changed once it is made, and safe for concurrent use.
type Lock struct {
	lists map[string]servers // by the method of the list
}

// servers are the pinned entries of one list, by server, and by name or URI. A server without entries of
// its own pins none, and an empty list of entries pins that the server has none.
type servers map[string]map[string]*pinned

// A pinned definition is one in the lock.
type pinned struct {
	digest     string
	definition map[string]any
	last       atomic.Pointer[verified]
}

// verified is the result of a comparison with a tool. It is made once a listing, not once a call.
type verified struct {
	tool   *call.Tool
	change *Change
}

// Digest is the digest of a tool's whole definition as its server sent it, "sha256:" and 64 hexadecimal digits,
// over its text in the form of RFC 8785 with numbers of any precision. The error says why
// the definition means nothing for certain, such as a key that is given twice.
func Digest(t *call.Tool) (string, error) {
	p, err := read(Tools, t)
	if err != nil {
		return "", err
	}
	return p.digest, nil
}

// keyOf returns the member that names an entry of a list.
func keyOf(list string) string { return cmp.Or(listed.Key(list), "name") }

func read(list string, t *call.Tool) (*pinned, error) {
	if t.Fault != nil {
		return nil, t.Fault
	}
	v, err := strictjson.Parse(t.AsSent(), strictjson.Limits{Bytes: maxDefinition})
	if err != nil {
		return nil, fmt.Errorf("the definition is refused: %w", err)
	}
	definition, ok := v.(map[string]any)
	if !ok || definition[keyOf(list)] != t.Name {
		return nil, errors.New("the definition is not that of " + article[list] + " of this name")
	}
	if list == listed.Resources {
		definition = lasting(definition)
	}
	return &pinned{digest: digestOf(definition), definition: definition}, nil
}

// lasting returns the definition of a resource without what tells of its content, which changes when the
// content does: its size, and the time of its last change.
func lasting(definition map[string]any) map[string]any {
	kept := maps.Clone(definition)
	delete(kept, "size")
	if annotations, ok := kept["annotations"].(map[string]any); ok {
		annotations = maps.Clone(annotations)
		delete(annotations, "lastModified")
		kept["annotations"] = annotations
	}
	return kept
}

// Has reports whether the tools of a server have been locked, were there any or not.
func (l *Lock) Has(server string) bool { return l.Pins(Tools, server) }

// Pins reports whether a list of a server has been locked, with entries or without.
func (l *Lock) Pins(list, server string) bool {
	_, ok := l.lists[list][server]
	return ok
}

// Tools returns the names of a server's tools in the lock, sorted.
func (l *Lock) Tools(server string) []string { return l.Names(Tools, server) }

// Names returns the names or URIs of a server's entries in the lock, sorted.
func (l *Lock) Names(list, server string) []string {
	return slices.Sorted(maps.Keys(l.lists[list][server]))
}

// Catalog returns a server's tools as they are locked, or nil if they never were.
func (l *Lock) Catalog(server string) (*call.Catalog, error) {
	if !l.Has(server) {
		return nil, nil
	}
	var tools []*call.Tool
	for _, name := range l.Tools(server) {
		t, err := call.DecodeTool(canonical(l.lists[Tools][server][name].definition), call.Limits{})
		if err != nil {
			return nil, fmt.Errorf("reading the tool %q of the lock: %w", name, err)
		}
		tools = append(tools, t)
	}
	return call.NewCatalog(tools), nil
}

// Compare returns how the tools that a server lists differ from those in the lock, in the
// order of their names.
func (l *Lock) Compare(server string, listed *call.Catalog) []*Change {
	return l.CompareList(Tools, server, listed)
}

// CompareList is Compare for any list.
func (l *Lock) CompareList(list, server string, listed *call.Catalog) []*Change {
	locked := l.lists[list][server]
	union := maps.Clone(locked)
	if union == nil {
		union = map[string]*pinned{}
	}
	for _, name := range listed.Names() {
		union[name] = nil
	}
	changes := []*Change{}
	for _, name := range slices.Sorted(maps.Keys(union)) {
		if c := compare(list, name, locked[name], listed.Tool(name)); c != nil {
			c.List = listName(list)
			changes = append(changes, c)
		}
	}
	return changes
}

// compare returns how an entry differs from its definition in the lock, or nil. One of the
// two may be nil.
func compare(list, name string, locked *pinned, listed *call.Tool) *Change {
	if listed == nil {
		return newChange(name, locked, nil)
	}
	now, err := read(list, listed)
	switch {
	case err != nil:
		return &Change{Tool: name, Kind: Unusable, Why: err.Error()}
	case locked != nil && locked.digest == now.digest:
		return nil
	}
	return newChange(name, locked, now)
}

// Verify returns how a tool differs from its definition in the lock, or nil if it does not: the
// kind of change, and the members that differ. It remembers comparisons, so that a call costs
// only a lookup.
func (l *Lock) Verify(server string, t *call.Tool) *Change { return l.VerifyEntry(Tools, server, t) }

// VerifyEntry is Verify for an entry of any list.
func (l *Lock) VerifyEntry(list, server string, t *call.Tool) *Change {
	p := l.lists[list][server][t.Name]
	if p == nil {
		return &Change{List: listName(list), Tool: t.Name, Kind: Added}
	}
	if v := p.last.Load(); v != nil && sameText(v.tool, t) {
		return v.change
	}
	v := &verified{t, p.verify(list, t)}
	p.last.Store(v)
	return v.change
}

func (p *pinned) verify(list string, t *call.Tool) *Change {
	now, err := read(list, t)
	switch {
	case err != nil:
		return &Change{List: listName(list), Tool: t.Name, Kind: Unusable, Why: err.Error()}
	case now.digest == p.digest:
		return nil
	}
	return &Change{List: listName(list), Tool: t.Name, Kind: Changed, Members: differing(p.definition, now.definition)}
}

// sameText reports whether two tools are defined by the same text, as they are when a
// server lists them again.
func sameText(a, b *call.Tool) bool {
	return a == b || a.Fault == nil && b.Fault == nil && bytes.Equal(a.AsSent(), b.AsSent())
}

// Accept returns a lock with the given changes of a server's tools. Compare returns such changes.
// A tool whose definition is unusable stays as it is.
func (l *Lock) Accept(server string, changes []*Change) *Lock {
	return l.AcceptLists(server, changes, Tools)
}

// AcceptLists is Accept for changes of any lists. The given lists are pinned from now on, even if they
// are empty.
func (l *Lock) AcceptLists(server string, changes []*Change, lists ...string) *Lock {
	accepted := &Lock{lists: map[string]servers{}}
	for list, servers := range l.lists {
		accepted.lists[list] = maps.Clone(servers)
	}
	for _, list := range allLists {
		if !l.Pins(list, server) && !slices.Contains(lists, list) {
			continue
		}
		entries := maps.Clone(l.lists[list][server])
		if entries == nil {
			entries = map[string]*pinned{}
		}
		for _, c := range changes {
			switch {
			case c.List != listName(list):
			case c.Kind == Added, c.Kind == Changed:
				entries[c.Tool] = c.now
			case c.Kind == Removed:
				delete(entries, c.Tool)
			}
		}
		if accepted.lists[list] == nil {
			accepted.lists[list] = servers{}
		}
		accepted.lists[list][server] = entries
	}
	return accepted
}
