// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package splice

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Document is a JSON value that is read at most once and changed in places. It reads an object or
// array at the first request for a member, and keeps the positions. [Document.Text] writes all changes
// together, and keeps the bytes around them.
//
// A Document keeps its original text. It is not safe for concurrent use.
type Document struct {
	text   []byte
	limits strictjson.Limits

	read    bool
	err     error    // why the members cannot be read
	members []member // in the order of the text
	added   [][]byte // entries to write behind the last member
	changed bool     // text was replaced, or something below differs from it
}

// A member of an object is part of its parent's text.
type member struct {
	key    string
	offset int // of the value in the parent's text
	length int // of the value there, before any change
	value  *Document
}

// New returns a document of text, which it reads on demand within limits.
func New(text []byte, limits strictjson.Limits) *Document {
	return &Document{text: text, limits: limits}
}

// NewObject returns a document of an object with known members.
func NewObject(text []byte, members []strictjson.Member, limits strictjson.Limits) *Document {
	d := New(text, limits)
	d.take(members)
	return d
}

func (d *Document) take(members []strictjson.Member) {
	d.read = true
	d.members = make([]member, len(members), len(members)+2)
	for i, m := range members {
		d.members[i] = member{m.Key, m.Offset, len(m.Raw), New(m.Raw, d.limits)}
	}
}

// object reads the members, once.
func (d *Document) object() error {
	if !d.read {
		members, err := strictjson.Members(d.text, d.limits)
		d.take(members)
		d.err = err
	}
	return d.err
}

// At returns the value at a path of keys, or nil if there is none or the path is malformed. It does not
// include later additions below the value.
func (d *Document) At(path ...string) *Document {
	for _, key := range path {
		d.settle()
		if d.object() != nil {
			return nil
		}
		i := slices.IndexFunc(d.members, func(m member) bool { return m.key == key })
		if i < 0 {
			return nil
		}
		d = d.members[i].value
	}
	return d
}

// Clone returns a copy with the changes so far. Later changes of one do not show in the other. The
// copy keeps what the original has read.
func (d *Document) Clone() *Document {
	c := *d
	c.added = slices.Clip(c.added)
	c.members = slices.Clone(d.members)
	for i, m := range c.members {
		c.members[i].value = m.value.Clone()
	}
	return &c
}

// Get returns the text at a path of keys, with the changes so far, or nil if there is none.
func (d *Document) Get(path ...string) []byte {
	at := d.At(path...)
	if at == nil {
		return nil
	}
	return at.Text()
}

// settle turns added entries into members.
func (d *Document) settle() {
	if len(d.added) > 0 {
		d.replace(d.Text())
	}
}

// replace replaces the value. Our own text may be longer than the limit for text from outside.
func (d *Document) replace(text []byte) {
	limits := d.limits
	limits.Bytes = max(cmp.Or(limits.Bytes, strictjson.DefaultBytes), len(text))
	*d = Document{text: text, limits: limits, changed: true}
}

func (d *Document) isNull() bool { return string(d.text) == "null" }

// Set puts a value at a path of keys. It creates missing and null objects along the path. The error
// names a malformed object; then nothing is changed.
func (d *Document) Set(value []byte, path ...string) error {
	return d.Edit(func([]byte) ([]byte, error) { return value, nil }, path...)
}

// Edit replaces the value at a path of keys by the result of change; nil leaves the value. Change gets
// nil for a missing value or null.
func (d *Document) Edit(change func(value []byte) ([]byte, error), path ...string) error {
	way := []*Document{d}
	for i, key := range path {
		if d.isNull() {
			return d.make(way, change, path[i:])
		}
		d.settle()
		if err := d.object(); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		at := slices.IndexFunc(d.members, func(m member) bool { return m.key == key })
		if at < 0 {
			entry, err := made(change, path[i:])
			if err != nil || entry == nil {
				return err
			}
			d.added = append(d.added, entry)
			mark(way)
			return nil
		}
		d = d.members[at].value
		way = append(way, d)
	}
	before := d.Text()
	if d.isNull() {
		before = nil
	}
	after, err := change(before)
	if err != nil || after == nil {
		return err
	}
	d.replace(after)
	mark(way)
	return nil
}

// make replaces a null, the last of way, by a new object.
func (d *Document) make(way []*Document, change func([]byte) ([]byte, error), path []string) error {
	entry, err := made(change, path)
	if err != nil || entry == nil {
		return err
	}
	d.replace(slices.Concat([]byte("{"), entry, []byte("}")))
	mark(way)
	return nil
}

// made returns the entry of an object with a new value at a path.
func made(change func([]byte) ([]byte, error), path []string) ([]byte, error) {
	value, err := change(nil)
	if err != nil || value == nil {
		return nil, err
	}
	for i := len(path) - 1; i > 0; i-- {
		value = fmt.Appendf(nil, "{%q:%s}", path[i], value)
	}
	return fmt.Appendf(nil, "%q:%s", path[0], value), nil
}

func mark(way []*Document) {
	for _, d := range way {
		d.changed = true
	}
}

// Text returns the value with all changes. Without changes it is the original text itself.
func (d *Document) Text() []byte {
	if !d.changed || !d.read {
		return d.text
	}
	var b bytes.Buffer
	d.write(&b)
	return b.Bytes()
}

// write writes the value with the changes below it. Replaced values are already in text.
func (d *Document) write(b *bytes.Buffer) {
	if !d.changed || !d.read || d.err != nil {
		b.Write(d.text)
		return
	}
	from := 0
	for _, m := range d.members {
		if m.value.changed {
			b.Write(d.text[from:m.offset])
			m.value.write(b)
			from = m.offset + m.length
		}
	}
	if len(d.added) == 0 {
		b.Write(d.text[from:])
		return
	}
	end := len(bytes.TrimRight(d.text, space)) - 1
	body := d.text[from:end]
	if len(d.members) > 0 {
		body = bytes.TrimRight(body, space)
	}
	b.Write(body)
	for i, entry := range d.added {
		if i > 0 || len(d.members) > 0 {
			b.WriteByte(',')
		}
		b.Write(entry)
	}
	b.Write(d.text[end:])
}
