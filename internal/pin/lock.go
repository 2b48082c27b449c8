// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// DefaultServer is the name in the lock for a server without one.
const DefaultServer = "default"

// maxDefinition is the size of the largest definition that can be locked, in bytes: some
// twenty times the largest known.
const maxDefinition = 1 << 20

// A Lock holds the definitions that a person has accepted, by server and tool. The zero
// Lock holds none. A Lock is not changed once it is made, and safe for concurrent use.
type Lock struct {
	servers map[string]map[string]*pinned
}

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
	p, err := read(t)
	if err != nil {
		return "", err
	}
	return p.digest, nil
}

func read(t *call.Tool) (*pinned, error) {
	if t.Fault != nil {
		return nil, t.Fault
	}
	v, err := strictjson.Parse(t.AsSent(), strictjson.Limits{Bytes: maxDefinition})
	if err != nil {
		return nil, fmt.Errorf("the definition is refused: %w", err)
	}
	definition, ok := v.(map[string]any)
	if !ok || definition["name"] != t.Name {
		return nil, errors.New("the definition is not that of a tool of this name")
	}
	return &pinned{digest: digestOf(definition), definition: definition}, nil
}

// Has reports whether the tools of a server have been locked, were there any or not.
func (l *Lock) Has(server string) bool {
	_, ok := l.servers[server]
	return ok
}

// Tools returns the names of a server's tools in the lock, sorted.
func (l *Lock) Tools(server string) []string { return slices.Sorted(maps.Keys(l.servers[server])) }

// Catalog returns a server's tools as they are locked, or nil if they never were.
func (l *Lock) Catalog(server string) (*call.Catalog, error) {
	if !l.Has(server) {
		return nil, nil
	}
	var tools []*call.Tool
	for _, name := range l.Tools(server) {
		t, err := call.DecodeTool(canonical(l.servers[server][name].definition), call.Limits{})
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
	locked := l.servers[server]
	union := maps.Clone(locked)
	if union == nil {
		union = map[string]*pinned{}
	}
	for _, name := range listed.Names() {
		union[name] = nil
	}
	changes := []*Change{}
	for _, name := range slices.Sorted(maps.Keys(union)) {
		if c := compare(name, locked[name], listed.Tool(name)); c != nil {
			changes = append(changes, c)
		}
	}
	return changes
}

// compare returns how a tool differs from its definition in the lock, or nil. One of the
// two may be nil.
func compare(name string, locked *pinned, listed *call.Tool) *Change {
	if listed == nil {
		return newChange(name, locked, nil)
	}
	now, err := read(listed)
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
func (l *Lock) Verify(server string, t *call.Tool) *Change {
	p := l.servers[server][t.Name]
	if p == nil {
		return &Change{Tool: t.Name, Kind: Added}
	}
	if v := p.last.Load(); v != nil && sameText(v.tool, t) {
		return v.change
	}
	v := &verified{t, p.verify(t)}
	p.last.Store(v)
	return v.change
}

func (p *pinned) verify(t *call.Tool) *Change {
	now, err := read(t)
	switch {
	case err != nil:
		return &Change{Tool: t.Name, Kind: Unusable, Why: err.Error()}
	case now.digest == p.digest:
		return nil
	}
	return &Change{Tool: t.Name, Kind: Changed, Members: differing(p.definition, now.definition)}
}

// sameText reports whether two tools are defined by the same text, as they are when a
// server lists them again.
func sameText(a, b *call.Tool) bool {
	return a == b || a.Fault == nil && b.Fault == nil && bytes.Equal(a.AsSent(), b.AsSent())
}

// Accept returns a lock with the given changes of a server's tools. Compare returns such changes.
// A tool whose definition is unusable stays as it is.
func (l *Lock) Accept(server string, changes []*Change) *Lock {
	tools := maps.Clone(l.servers[server])
	if tools == nil {
		tools = map[string]*pinned{}
	}
	for _, c := range changes {
		switch c.Kind {
		case Added, Changed:
			tools[c.Tool] = c.now
		case Removed:
			delete(tools, c.Tool)
		}
	}
	servers := maps.Clone(l.servers)
	if servers == nil {
		servers = map[string]map[string]*pinned{}
	}
	servers[server] = tools
	return &Lock{servers}
}
