// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"
)

// VerifyOptions hold expectations of a log.
type VerifyOptions struct {
	// Key is the log's key. Nil means that the log has none; anybody who can write to such a log can compute all its
	// hashes anew.
	Key []byte
	// Expect is the hash of a record, noted elsewhere before (see Log.Head). That record and all before it must be in
	// the log. "" expects nothing.
	Expect string
}

// Verify reads the files of one or more logs, in any order. It finds lines that were changed, removed, inserted or
// moved since they were written. It finds the removal of records at the end if the file of the head is beside the log, or if
// Expect names one of them. It cannot find the removal of whole files at the beginning: compare the first and last record of each chain in the report. The lack of any
// record is a fault.
//
// The error means that a file could not be read, or that ctx was done. Memory is bounded by the longest line.
func Verify(ctx context.Context, o VerifyOptions, files ...string) (Report, error) {
	if err := checkKey(o.Key); err != nil {
		return Report{}, err
	}
	if len(files) == 0 {
		return Report{}, errors.New("calllog: no file is named")
	}
	ordered, err := inOrder(files)
	if err != nil {
		return Report{}, err
	}
	v := &verifier{hash: newHash(o.Key), expect: o.Expect, heads: map[string]link{}, beside: map[string]string{}}
	for _, file := range ordered { // before the log itself, which may be growing
		head, err := readHead(file, v.hash)
		switch {
		case errors.Is(err, errForeignHead):
			v.fault(Fault{File: file + headSuffix, Line: 1, Message: err.Error()})
		case err != nil:
			return Report{}, err
		case head != nil:
			v.heads[head.chain], v.beside[file] = *head, head.chain
		}
	}
	for _, file := range ordered {
		if err := v.read(ctx, file); err != nil {
			return Report{}, err
		}
	}
	for i := range v.Chains {
		c := &v.Chains[i]
		if head := v.heads[c.ID]; head.seq > c.LastSeq {
			v.fault(Fault{Message: fmt.Sprintf("records %d to %d are missing at the end of %s: its head names them", c.LastSeq+1, head.seq, c.Files[len(c.Files)-1])})
		}
	}
	if len(v.Chains) == 0 {
		v.fault(Fault{Message: "there are no records"})
	}
	if o.Expect != "" && !v.found {
		v.fault(Fault{Message: "the expected record is missing: the log was cut off before it, or it is another log"})
	}
	return v.Report, nil
}

// inOrder sorts files by their first records, so that each chain is read from its beginning to its end. Chains are in
// the order of their first files. Files without records come last.
func inOrder(files []string) ([]string, error) {
	type start struct {
		name  string
		first link
	}
	list := make([]start, len(files))
	rank := map[string]int{"": len(files)}
	for i, name := range files {
		first, err := firstLink(name)
		if err != nil {
			return nil, err
		}
		list[i] = start{name, first}
		if _, known := rank[first.chain]; !known {
			rank[first.chain] = i
		}
	}
	slices.SortStableFunc(list, func(a, b start) int {
		return cmp.Or(cmp.Compare(rank[a.first.chain], rank[b.first.chain]), cmp.Compare(a.first.seq, b.first.seq))
	})
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.name
	}
	return names, nil
}

// firstLink returns the link of the first line that has one, or the zero link.
func firstLink(name string) (link, error) {
	f, lines, err := openLines(name)
	if err != nil {
		return link{}, err
	}
	defer f.Close()
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, errLong):
			continue
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			return link{}, nil
		case err != nil:
			return link{}, fmt.Errorf("calllog: %w", err)
		}
		if l, _, ok := splitLine(line); ok {
			return l, nil
		}
	}
}

// A verifier reads one file after another.
type verifier struct {
	Report
	hash   hash.Hash
	expect string
	found  bool
	heads  map[string]link   // by chain, of the files beside the log
	beside map[string]string // by file of a log, the chain that its head names

	chain  *Chain // the current one; nil before the first record
	last   link   // of the last record in order
	unread int    // lines after it that are not records, or were changed

	name  string // of the file
	line  int    // its number, from 1
	fresh bool   // no record of the file so far
}

func (v *verifier) read(ctx context.Context, name string) error {
	f, lines, err := openLines(name)
	if err != nil {
		return err
	}
	defer f.Close()
	v.name, v.fresh = name, true
	for v.line = 1; ; v.line++ {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTorn), errors.Is(err, errLong):
			v.wrong(err)
		case err != nil:
			return fmt.Errorf("calllog: %w", err)
		default:
			v.record(line)
		}
		if v.line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// wrong reports a changed line. Its own statements prove nothing, so the next line may follow this line or the one
// before.
func (v *verifier) wrong(err error) {
	v.fault(Fault{v.name, v.line, "this line " + err.Error()})
	v.unread++
}

// record verifies a line and its link to the one before.
func (v *verifier) record(line []byte) {
	at, err := readLink(line, v.hash)
	var facts facts
	if err == nil && json.Unmarshal(line, &facts) != nil {
		err = errNoRecord
	}
	if err != nil {
		v.wrong(err)
		return
	}
	if v.chain == nil || v.fresh && at.chain != v.last.chain {
		v.Chains = append(v.Chains, Chain{ID: at.chain, FirstSeq: at.seq, FirstTime: facts.Time})
		v.chain = &v.Chains[len(v.Chains)-1]
		if at.seq == 1 && at.prev != genesis {
			v.fault(Fault{v.name, v.line, "this line is the first record, but names one before it"})
		}
	} else if what := v.joint(at); what != "" {
		v.fault(Fault{v.name, v.line, what})
	}
	if chain, ok := v.beside[v.name]; ok && v.fresh && chain != at.chain {
		v.fault(Fault{v.name, v.line, "this log is not the one that its head names"})
	}
	if head, ok := v.heads[at.chain]; ok && head.seq == at.seq && head.hash != at.hash {
		v.fault(Fault{v.name, v.line, "this line is not the one that the log's head names: it was replaced"})
	}
	if facts.Kind == KindRecovered && !facts.Headed {
		v.fault(Fault{v.name, v.line, "the log went on here without a stop record, and without a head that agrees: it may have been cut off"})
	}
	v.chain.note(v.name, v.fresh, at, facts)
	v.found = v.found || at.hash == v.expect
	v.last, v.unread, v.fresh = at, 0, false
}

// joint returns the fault between the last record and this one, or "". A line with a reported fault causes no second
// report by its neighbour.
func (v *verifier) joint(at link) string {
	next := v.last.seq + 1
	switch {
	case at.chain != v.last.chain:
		return "this line belongs to another log"
	case at.seq < next:
		return fmt.Sprintf("record %d stands here after record %d: it was copied or moved, or the file was given twice", at.seq, v.last.seq)
	case at.seq > next+uint64(v.unread):
		return fmt.Sprintf("records are missing before this line: it is number %d, and the last is %d", at.seq, v.last.seq)
	case v.unread == 0 && at.prev != v.last.hash:
		return fmt.Sprintf("record %d does not follow the record %d before it: one of them was replaced", at.seq, v.last.seq)
	}
	return ""
}

// facts collects the statements of records for the report.
type facts struct {
	Time      time.Time
	Kind      Kind
	Count     int64
	Headed    bool
	TornBytes int64 `json:"torn_bytes"`
}

func (c *Chain) note(file string, fresh bool, at link, f facts) {
	if fresh {
		c.Files = append(c.Files, file)
	}
	if f.Kind == KindStart && c.Records > 0 && c.LastKind != KindStop {
		c.Crashes++
	}
	c.Records++
	c.LastSeq, c.LastTime, c.LastKind, c.Head = at.seq, f.Time, f.Kind, at.hash
	switch f.Kind {
	case KindLost:
		c.Lost += f.Count
	case KindRecovered:
		if f.TornBytes > 0 {
			c.Torn++
		}
	}
}
