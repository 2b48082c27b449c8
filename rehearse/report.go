// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"encoding/json"
	"io"

	"github.com/toolvet/toolvet/internal/rehearsal"
)

// A Report is the outcome of a rehearsal. Its fields are the effects of the calls. Its texts and its JSON tell more: the effects of
// the server as it started, states of files before and after, the use of resources.
type Report struct {
	Calls     []Called   // in order
	Changes   []Change   // by path
	Processes [][]string // programs that the server started, without secrets, in the order of their starts
	Network   []Attempt  // by address, each once
	Gaps      []string   // what could not be rehearsed
	// Incomplete means that changes may be missing in the report.
	Incomplete bool
	// Uncertain means that the calls may do more live: they asked somebody outside the rehearsal, or changed a file
	// that has other names.
	Uncertain bool

	inner *rehearsal.Report
}

// A Change is a change of one file, directory, link, pipe or socket.
type Change struct {
	Path string
	Kind string // created, modified, deleted, renamed, or attributes: mode, owner and times alone
	From string // old path of a renamed entry
	Size int64  // of the new content, in bytes
	// Diff is a unified diff of texts, without secrets. It is "" for other files and for large ones.
	Diff string
}

// An Attempt is an attempt to reach something over the network or at a socket.
type Attempt struct {
	Address string // host:port, unix:PATH, or a name of a mere lookup
	// Method and URL are those of an HTTP request, without secrets; "" without a request.
	Method string
	URL    string
	// Answer tells who answered: allowed, the host itself; replayed, a recording; itself, the server or a program that it
	// started; closed or "", nobody.
	Answer string
}

func newReport(r *rehearsal.Report) *Report {
	out := &Report{Incomplete: r.Incomplete, Uncertain: r.Uncertain, inner: r}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, called(c))
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.AtStart {
			continue
		}
		change := Change{Path: c.Path, Kind: string(c.Kind), From: c.From, Diff: c.Diff}
		if c.After != nil {
			change.Size = c.After.Size
		}
		out.Changes = append(out.Changes, change)
	}
	for _, p := range r.Processes {
		if !p.AtStart {
			out.Processes = append(out.Processes, p.Arguments)
		}
	}
	for _, a := range r.Network {
		if !a.AtStart {
			out.Network = append(out.Network, Attempt{a.Address, a.Method, a.URL, string(a.Answer)})
		}
	}
	for _, g := range r.Gaps {
		out.Gaps = append(out.Gaps, place(g))
	}
	return out
}

// MarshalJSON writes the report as the command toolvet rehearse does, with everything that is known.
func (r *Report) MarshalJSON() ([]byte, error) { return json.Marshal(r.whole()) }

// WriteText writes the report for people. The error is that of w.
func (r *Report) WriteText(w io.Writer) error { return r.whole().WriteText(w) }

// WriteHTML writes the report as a self-contained page, without scripts and without styles or pictures from elsewhere.
// The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error { return r.whole().WriteHTML(w) }

// whole returns everything that is known; a Report that Finish did not make is empty.
func (r *Report) whole() *rehearsal.Report {
	if r == nil || r.inner == nil {
		return &rehearsal.Report{}
	}
	return r.inner
}
