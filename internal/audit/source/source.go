// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package source is common to the readers of source code: their options, their results, and their
// access to files. Each language is a package below it with a function
//
//	func Analyze(ctx context.Context, dir string, opts source.Options) (source.Result, error)
//
// It reads files in dir and nothing outside, runs none of them, and needs no network. An error
// means that the directory could not be read at all; smaller gaps are listed in the result.
package source

import (
	"cmp"
	"fmt"
	"time"

	"github.com/toolvet/toolvet/internal/audit"
)

// Options bound an analysis. The zero value means the defaults; see [Options.WithDefaults].
type Options struct {
	Time      time.Duration // of this process, for the whole directory; 60 s. See [Options.Within]
	Steps     int           // for each handler of a tool: expressions and statements looked at; 2,000,000
	Depth     int           // of calls and of nested expressions; 40
	Files     int           // read at most; 5,000
	FileBytes int64         // of a file that is read; 10 MiB
	Bytes     int64         // of all files that are read; 64 MiB
}

// WithDefaults replaces values that are not above zero by their defaults.
func (o Options) WithDefaults() Options {
	return Options{
		Time:      or(o.Time, time.Minute),
		Steps:     or(o.Steps, 2_000_000),
		Depth:     or(o.Depth, 40),
		Files:     or(o.Files, 5000),
		FileBytes: or(o.FileBytes, 10<<20),
		Bytes:     or(o.Bytes, 64<<20),
	}
}

func or[T time.Duration | int | int64](v, standard T) T {
	if v > 0 {
		return v
	}
	return standard
}

// A Result is the outcome of one language's reader for a directory. The lists are sorted, so that
// the same files give the same result.
type Result struct {
	// Facts has at least one fact for each cell that was looked at: for each parameter of a tool
	// in the code, and each of the classes path, url and command. A parameter that reaches
	// nothing dangerous has [audit.NoEvidence]; one cut short by the budget has
	// [audit.Inconclusive].
	Facts []audit.Fact

	// Tools are those with a recognised handler. If there are none, nothing is known of the
	// server; that does not make it safe.
	Tools []Tool

	Files  []string // that were read, relative to the directory, with slashes
	Unread []Unread // gaps: files not read or not understood
}

// A Tool is one with a handler that was recognised in the code.
type Tool struct {
	Name    string      // empty: it is not a constant
	Params  []string    // JSON Pointers into the arguments that are declared or read, sorted
	Handler audit.Place // the beginning of the handler
	End     int         // the last line of the handler, in the same file; 0: not known
}

// An Unread is a gap, with the reason: "not analysed: budget".
type Unread struct {
	What string // a file, relative to the directory, or a tool
	Why  string
	// Code: the gap is in the server's code, and no fact of a tool tells of it. So any tool may have a way through it.
	Code bool
}

// Unknown are the facts about code that was not read: of the whole server, one for each class.
func (r *Result) Unknown() []audit.Fact {
	first, n := "", 0
	for _, u := range r.Unread {
		if u.Code {
			first = cmp.Or(first, u.What)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	why := "a part of the code was not read: " + first
	if n > 1 {
		why = fmt.Sprintf("%d parts of the code were not read, such as %s", n, first)
	}
	var list []audit.Fact
	for _, c := range []audit.Class{audit.Path, audit.URL, audit.Command} {
		list = append(list, audit.Fact{Cell: audit.Cell{Class: c}, Method: audit.Static, Verdict: audit.Inconclusive, Kind: audit.KindUnread, Why: why})
	}
	return list
}
