// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"fmt"
	"time"
)

// A Report is the result of Verify.
type Report struct {
	Chains []Chain `json:"chains"`
	// Faults are the first hundred places of a change, a removal, an insertion or a move, in the order of the chains.
	// FaultCount counts all of them.
	Faults     []Fault `json:"faults,omitempty"`
	FaultCount int     `json:"fault_count"`
}

// OK reports whether there are no faults.
func (r *Report) OK() bool { return r.FaultCount == 0 }

// maxFaults bounds the faults in a Report.
const maxFaults = 100

func (r *Report) fault(f Fault) {
	r.FaultCount++
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, f)
	}
}

// A Chain is one chain of records, in one file or in a series of rotated files.
type Chain struct {
	ID      string   `json:"id"`
	Files   []string `json:"files"` // in the order of the chain
	Records int      `json:"records"`
	// FirstSeq above 1 means that the beginning is missing: Verify did not get it, or Options.Keep deleted it.
	FirstSeq  uint64    `json:"first_seq"`
	LastSeq   uint64    `json:"last_seq"`
	FirstTime time.Time `json:"first_time"`
	LastTime  time.Time `json:"last_time"`
	Head      string    `json:"head"` // hash of the last record
	// LastKind other than stop means that the log is still being written, or that a crash ended it. Without the file of its
	// head, somebody may have cut off its end.
	LastKind Kind  `json:"last_kind"`
	Lost     int64 `json:"lost"` // records that could not be written, according to lost records
	Torn     int   `json:"torn"` // lines torn by crashes, according to recovered records
	// Crashes counts the start records without a stop before them.
	Crashes int `json:"crashes,omitempty"`
}

// A Fault is a place where the chain is broken.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1; 0 for the log as a whole
	Message string `json:"message"`
}

func (f Fault) String() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}
