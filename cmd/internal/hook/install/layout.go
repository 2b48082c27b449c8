// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A shape is how a JSON file holds hooks.
type shape int

const (
	grouped shape = iota // KEY: {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}, …]}
	flat                 // KEY: {EVENT: [HANDLER, …]}
	listed               // KEY: [HANDLER with its event, …]
	rules                // KEY: [RULE, …], the first that matches wins
)

// A Handler is one hook in a configuration.
type Handler struct {
	File    string
	Event   string
	Matcher string
	Command []string // its words; nil if it is not a simple command
	Line    string   // what runs, in words
	Timeout time.Duration
	Closed  bool // the host's fail-closed switch is on
	Exec    bool // the host starts it without a shell
	Guarded bool // a shell denies if the command fails

	own   bool
	value any // as decoded
	list  span
	index int  // in list
	outer span // of a grouped handler: the list of its group
	group int  // in outer
	alone bool // the only one in its group
}

// handlers finds all hooks of a text, in their order.
func (p *jsonPiece) handlers(d *doc, programs []string) []Handler {
	var out []Handler
	s, ok := d.at(p.key)
	if !ok {
		return nil
	}
	add := func(h Handler, at span) {
		h.value = d.value(at)
		p.read(&h)
		h.File, h.own = p.file, isOwn(h.Command, programs) || p.shape == rules && slices.Equal(h.Command, []string{ampProgram})
		out = append(out, h)
	}
	if p.shape == listed || p.shape == rules {
		for i, item := range d.items(s) {
			add(Handler{list: s, index: i}, item)
		}
		return out
	}
	for _, event := range d.members(s) {
		for i, item := range d.items(event.value) {
			if p.shape == flat {
				add(Handler{Event: event.key, list: event.value, index: i}, item)
				continue
			}
			inner, ok := d.get(item, "hooks")
			if !ok { // an event of Antigravity without matchers
				add(Handler{Event: event.key, list: event.value, index: i}, item)
				continue
			}
			matcher := ""
			if m, ok := d.get(item, "matcher"); ok {
				matcher, _ = d.value(m).(string)
			}
			handlers := d.items(inner)
			for j, h := range handlers {
				add(Handler{
					Event: event.key, Matcher: matcher, list: inner, index: j,
					outer: event.value, group: i, alone: len(handlers) == 1,
				}, h)
			}
		}
	}
	return out
}

// read takes from a decoded handler what all hosts have under one name or another.
func (p *jsonPiece) read(h *Handler) {
	o, _ := h.value.(map[string]any)
	text := func(o map[string]any, keys ...string) string {
		for _, k := range keys {
			if s, ok := o[k].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	h.Event = orElse(h.Event, text(o, "trigger", "event"))
	h.Matcher = orElse(h.Matcher, text(o, "matcher"))
	h.Closed = text(o, "onFailure", "on_failure") == "block" || o["failClosed"] == true
	if n, ok := o["timeout"].(interface{ Float64() (float64, error) }); ok {
		h.Timeout = duration(n, p.unit)
	} else if n, ok := o["timeoutSec"].(interface{ Float64() (float64, error) }); ok {
		h.Timeout = duration(n, time.Second)
	}
	if action, ok := o["action"].(map[string]any); ok {
		o = action
	}
	if p.shape == rules {
		h.Event, h.Matcher = text(o, "action"), text(o, "tool")
		if h.Event == "delegate" {
			h.Command = []string{text(o, "to")}
		}
		h.Line = strings.TrimSpace(h.Event + " " + text(o, "to"))
		return
	}
	command := text(o, "exec", "command", "bash", "powershell", "url", "prompt")
	if args, ok := o["args"].([]any); ok {
		h.Command, h.Exec = []string{command}, true
		for _, a := range args {
			s, _ := a.(string)
			h.Command = append(h.Command, s)
		}
		h.Line = line(h.Command, p.goos)
		if inner, ok := unguarded(h.Line, p.goos); ok {
			h.Command, h.Guarded = inner, true
		}
		return
	}
	h.Line = command
	h.Command, h.Guarded = unguarded(command, p.goos)
	if kind := text(o, "type"); kind != "" && kind != "command" {
		h.Command, h.Line = nil, kind+" "+command
	}
}

func duration(n interface{ Float64() (float64, error) }, unit time.Duration) time.Duration {
	f, err := n.Float64()
	if err != nil || f <= 0 || f > 1e6 {
		return 0
	}
	return time.Duration(f * float64(unit))
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// An entry is what one event needs.
type entry struct {
	event string
	value any // the element of the event's list, to be encoded
}

// install returns the text with toolvet's entries, and no other change.
func (p *jsonPiece) install(text []byte, _ bool, programs []string) ([]byte, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		text = []byte("{}\n")
	}
	if _, err := parse(text); err != nil {
		return nil, err
	}
	for _, m := range p.needs {
		d, err := parse(text)
		if err != nil {
			return nil, err
		}
		if _, ok := d.get(d.root, m.key); !ok {
			if text, err = d.insert(d.root, m.key, encode(m.value), false); err != nil {
				return nil, err
			}
		}
	}
	wanted := map[string]entry{}
	for _, e := range p.entries {
		wanted[e.event] = e
	}
	text, present, err := p.take(text, programs, func(h *Handler) bool { return p.same(h, wanted) }, nil)
	if err != nil {
		return nil, err
	}
	for _, e := range p.entries {
		if present[e.event] {
			continue
		}
		path := []string{p.key, e.event}
		if p.shape == listed || p.shape == rules {
			path = path[:1]
		}
		if text, err = appendAt(text, path, encode(e.value), p.shape == rules); err != nil {
			return nil, err
		}
	}
	return text, p.check(text, programs)
}

// check reads a text as the host will: all entries must be there, once.
func (p *jsonPiece) check(text []byte, programs []string) error {
	d, err := parse(text)
	if err == nil {
		n := 0
		for _, h := range p.handlers(d, programs) {
			if h.own {
				n++
			}
		}
		if n != len(p.entries) {
			err = fmt.Errorf("%d entries instead of %d", n, len(p.entries))
		}
	}
	if err != nil {
		return fmt.Errorf("toolvet cannot edit the file in its present form, and leaves it as it is: %w", err)
	}
	return nil
}

// same reports whether an own handler is the entry that is wanted, and where it has to be.
func (p *jsonPiece) same(h *Handler, wanted map[string]entry) bool {
	e, ok := wanted[h.Event]
	if p.shape == rules {
		e, ok = p.entries[0], h.index == 0
	}
	if !ok {
		return false
	}
	v, err := strictjson.Parse(encode(e.value), limits)
	if err != nil {
		return false
	}
	if p.shape != grouped {
		return reflect.DeepEqual(v, h.value)
	}
	group, _ := v.(map[string]any)
	list, _ := group["hooks"].([]any)
	matcher, _ := group["matcher"].(string)
	return len(list) == 1 && reflect.DeepEqual(list[0], h.value) && anything(matcher) == anything(h.Matcher)
}

// anything is a matcher with one spelling for all tools.
func anything(matcher string) string {
	if matcher == "*" || matcher == ".*" {
		return ""
	}
	return matcher
}

// take removes toolvet's entries except those that may stay, at most one for each event, and the lists and objects that
// become empty, unless was held them already. It returns the events of the entries that stayed.
func (p *jsonPiece) take(text []byte, programs []string, stays func(*Handler) bool, was []byte) (_ []byte, present map[string]bool, err error) {
	for {
		d, err := parse(text)
		if err != nil {
			return nil, nil, err
		}
		present = map[string]bool{}
		var gone *Handler
		list := p.handlers(d, programs)
		for i := range list {
			h := &list[i]
			if !h.own {
				continue
			}
			key := h.Event
			if p.shape == rules {
				key = p.entries[0].event
			}
			if stays != nil && !present[key] && stays(h) {
				present[key] = true
				continue
			}
			gone = h
			break
		}
		if gone == nil {
			return text, present, nil
		}
		switch {
		case gone.alone && !keepsGroup(d, gone):
			text = d.remove(gone.outer, gone.group)
		default:
			text = d.remove(gone.list, gone.index)
		}
		if stays == nil {
			if text, err = p.prune(text, gone.Event, was); err != nil {
				return nil, nil, err
			}
		}
	}
}

// keepsGroup reports whether a group has members that toolvet does not write: they are somebody's.
func keepsGroup(d *doc, h *Handler) bool {
	for _, m := range d.members(d.items(h.outer)[h.group]) {
		if m.key != "matcher" && m.key != "hooks" {
			return true
		}
	}
	return false
}

// prune removes the list of an event, and then the object of all events, if they are empty.
func (p *jsonPiece) prune(text []byte, event string, was []byte) ([]byte, error) {
	paths := [][]string{{p.key, event}, {p.key}}
	if p.shape == listed || p.shape == rules {
		paths = paths[1:]
	}
	before, err := parse(was)
	if err != nil {
		before = nil
	}
	for _, path := range paths {
		d, err := parse(text)
		if err != nil {
			return nil, err
		}
		s, ok := d.at(path...)
		if !ok || d.behind(s.end-1) != s.start+1 {
			return text, nil
		}
		if before != nil {
			if _, had := before.at(path...); had {
				return text, nil
			}
		}
		parent, _ := d.at(path[:len(path)-1]...)
		for i, m := range d.members(parent) {
			if m.key == path[len(path)-1] {
				text = d.remove(parent, i)
			}
		}
	}
	return text, nil
}

// uninstall returns the text without toolvet's entries. Empty says that only toolvet's own words are left.
func (p *jsonPiece) uninstall(text []byte, programs []string, was []byte) (_ []byte, empty bool, err error) {
	text, _, err = p.take(text, programs, nil, was)
	if err != nil {
		return nil, false, err
	}
	d, err := parse(text)
	if err != nil {
		return nil, false, err
	}
	rest := 0
	for _, m := range d.members(d.root) {
		needed := slices.ContainsFunc(p.needs, func(n need) bool {
			v, _ := strictjson.Parse(encode(n.value), limits)
			return n.key == m.key && reflect.DeepEqual(v, d.value(m.value))
		})
		if !needed {
			rest++
		}
	}
	return text, rest == 0, nil
}
