// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"fmt"
	"time"
)

// A Report is what Verify found.
type Report struct {
	Chains []Chain `json:"chains"`
	// Faults are the first hundred places where something was changed, removed, inserted
	// or moved, in the order of the chains. FaultCount counts them all.
	Faults     []Fault `json:"faults,omitempty"`
	FaultCount int     `json:"fault_count"`
}

// OK reports whether there are no faults.
func (r *Report) OK() bool { return r.FaultCount == 0 }

// maxFaults bounds the faults that a Report holds.
const maxFaults = 100

func (r *Report) fault(f Fault) {
	r.FaultCount++
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, f)
	}
}

// A Chain is one chain of records, in one file or over rotated ones.
type Chain struct {
	ID      string   `json:"id"`
	Files   []string `json:"files"` // in the order of the chain
	Records int      `json:"records"`
	// FirstSeq above 1 means that the beginning was not given, or was deleted by Options.Keep.
	FirstSeq  uint64    `json:"first_seq"`
	LastSeq   uint64    `json:"last_seq"`
	FirstTime time.Time `json:"first_time"`
	LastTime  time.Time `json:"last_time"`
	Head      string    `json:"head"` // hash of the last record
	// LastKind other than stop means that the log is still written, ended in a crash, or
	// was cut off at its end, which the chain alone cannot tell apart.
	LastKind Kind  `json:"last_kind"`
	Lost     int64 `json:"lost"` // records that could not be written, as lost records tell
	Torn     int   `json:"torn"` // lines torn by crashes, as recovered records tell
	// Unclosed counts the start records that no stop stands before: a crash, or records that
	// were cut off before toolvet went on with the log.
	Unclosed int `json:"unclosed,omitempty"`
}

// A Fault is a place where the chain does not hold.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1; 0 if it is about the log as a whole
	Message string `json:"message"`
}

func (f Fault) String() string {
	if f.File == "" {
		return f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}
