// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// describe adds the diff of a change, and whether the server made it at the start.
func (s *Session) describe(ctx context.Context, c *change) {
	at, ok := s.atStart[c.Path]
	c.AtStart = ok && at == c.mark() && !c.unread()
	if c.from != nil {
		gone, ok := s.atStart[c.From]
		c.AtStart = c.AtStart && ok && gone == c.from.mark()
	}
	if c.Kind != Created && c.Kind != Modified && c.Kind != Deleted {
		return
	}
	var before, after []byte
	for _, side := range []struct {
		state *State
		get   func() ([]byte, bool)
		into  *[]byte
	}{
		{c.Before, func() ([]byte, bool) { return contentOf(c.layer.lower, c.name, maxDiffed) }, &before},
		{c.After, func() ([]byte, bool) { return contentOf(c.layer.upper, c.name, maxDiffed) }, &after},
	} {
		if side.state == nil {
			continue
		}
		if side.state.Type != "file" {
			return
		}
		raw, ok := side.get()
		if !ok {
			return
		}
		*side.into = raw
	}
	c.Diff = s.redact.diff(ctx, c.Path, before, after)
}

// unread reports whether a change has a file whose content nobody compared: it may have changed again.
func (c *change) unread() bool {
	return c.After != nil && c.After.Type == "file" && c.After.SHA256 == ""
}

// circumstances adds everything to the report except the changes. Gaps make it incomplete, doubts make it uncertain.
func (s *Session) circumstances(ctx context.Context, gaps, doubts []Gap) {
	r := &s.report
	events, end := s.box.Events(), s.box.Ended()
	r.Command = s.redact.texts(ctx, s.cfg.Command)
	for i, e := range events {
		if e.Exec != nil && i > 0 { // the first is the server
			r.Processes = append(r.Processes, Process{Arguments: s.redact.texts(ctx, e.Exec), AtStart: i < s.events})
		}
	}
	r.Network = append(r.Network, s.network(ctx, events)...)
	r.Exit, r.Usage, r.Took = end.Exit.String(), Usage{Duration(end.Usage.CPU), end.Usage.Memory, end.Usage.Watches, end.Usage.Pipes, end.Usage.InFlight}, Duration(time.Since(s.began))
	r.Group, _ = s.box.Group()

	gaps = append(gaps, s.exceeded(events, end.Limits)...)
	gaps = append(gaps, s.unfinished(ctx)...)
	unanswered, matters := s.unanswered()
	r.Incomplete, r.Uncertain = len(gaps) > 0, len(doubts) > 0 || matters
	gaps = slices.Concat(gaps, doubts, unanswered)
	_, unseen := s.box.Layers()
	for _, g := range unseen {
		gaps = append(gaps, Gap{g.Path, g.Why})
	}
	if s.fetched != "" {
		gaps = append(gaps, Gap{Why: "the server was fetched outside, without its install scripts, by " + s.fetched})
	}
	if slices.ContainsFunc(r.Network, func(a Attempt) bool { return a.Answer == Allowed }) {
		gaps = append(gaps, Gap{Why: "allowed hosts were reached for real: requests to them have had their effects"})
	}
	slices.SortFunc(gaps, func(a, b Gap) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Why, b.Why)) })
	r.Gaps = append([]Gap{}, slices.Compact(gaps)...)
}

// exceeded describes what exceeded the bounds of a report, or the server's limits.
func (s *Session) exceeded(events []sandbox.Event, limits []string) (gaps []Gap) {
	if slices.ContainsFunc(events, func(e sandbox.Event) bool { return e.Lost }) {
		gaps = append(gaps, Gap{Why: "the server started more programs, or tried more connections, than the report lists"})
	}
	if s.outside.lost { // nobody connects any more
		gaps = append(gaps, Gap{Why: fmt.Sprintf("the server sent more than %d requests, and the report lists only the first", maxRequests)})
	}
	for _, limit := range limits {
		gaps = append(gaps, Gap{Why: fmt.Sprintf("the server reached the limit of a rehearsal on %s: with more, it might have had other effects", limit)})
	}
	return gaps
}

// unanswered describes the server's futile questions to others. It reports whether a call asked for more than a name.
func (s *Session) unanswered() (gaps []Gap, matters bool) {
	for i := range s.report.Network {
		a := &s.report.Network[i]
		path, socket := strings.CutPrefix(a.Address, "unix:")
		switch {
		case a.Answer != "" || socket && !s.ofMachine(path):
			continue
		case socket:
			gaps = append(gaps, Gap{path, "a socket of this machine is out of reach in a rehearsal: its answers, and the server's actions after them, are unknown"})
		case ownMachine(a.Address):
			gaps = append(gaps, Gap{Why: "a program of this machine listens at " + a.Address + ", out of reach in a rehearsal unless it is allowed: its answers, and the server's actions after them, are unknown"})
		default:
			gaps = append(gaps, Gap{Why: "the network is off in a rehearsal: its answers, and the server's actions after them, are unknown"})
		}
		matters = matters || !a.AtStart && a.rank() > rankName
	}
	return gaps, matters
}

// ownMachine reports whether an address is a port on this machine.
func ownMachine(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err == nil && loopback(a.Addr())
}

// pairRenames pairs deleted and created entries of the same content, and sorts the changes.
func pairRenames(changes []change) []change {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.Path, b.Path), kindOrder(a.Kind)-kindOrder(b.Kind)) })
	deleted := map[string][]int{} // by content
	for i, c := range changes {
		if key := contentKey(c.Before); c.Kind == Deleted && key != "" {
			deleted[key] = append(deleted[key], i)
		}
	}
	gone := map[int]bool{}
	for i := range changes {
		c := &changes[i]
		key := contentKey(c.After)
		if c.Kind != Created || key == "" || len(deleted[key]) == 0 {
			continue
		}
		from := deleted[key][0]
		deleted[key] = deleted[key][1:]
		gone[from] = true
		c.Kind, c.From, c.Before, c.from = Renamed, changes[from].Path, changes[from].Before, &changes[from]
	}
	var out []change
	for i, c := range changes {
		if !gone[i] {
			out = append(out, c)
		}
	}
	return out
}

// kindOrder sorts a deleted entry before the new one in its place.
func kindOrder(k Kind) int {
	if k == Deleted {
		return 0
	}
	return 1
}

// contentKey identifies the content of a file or link; "" means that it has none.
func contentKey(s *State) string {
	switch {
	case s == nil:
		return ""
	case s.Type == "file" && s.Size > 0 && s.SHA256 != "":
		return s.SHA256
	case s.Type == "link":
		return "link:" + s.Target
	}
	return ""
}
