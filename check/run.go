// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/schema"
)

// A Run is one run of a check, as its driver sees it. The driver sets the fields of the Pass,
// calls Do and reads what the check reported. Checks themselves need only the Pass.
type Run struct {
	Pass

	// Footing hears what the findings rest on, as [Pass.Depends] and [Pass.Fleeting] tell; nil: nobody does.
	Footing interface {
		Depends(path string)
		Loosen()
	}

	Findings []Finding     // in the order of the reports
	Skip     *Skip         // why the check could not look; nil if it did
	Changes  []result.Edit // of the result
	Hidden   []result.Edit // places whose properties findings must not name, beside those of Changes
	Notes    []string      // sentences for the model

	Canonicals []Canonical // values of strings in the arguments

	check *Check
	state atomic.Int32
}

// Canonical is the canonical value of a string at a place in the arguments.
type Canonical struct{ Pointer, Value string }

// The states of a run.
const (
	begun int32 = iota
	left        // nobody waits for it any more
	over
)

// Init makes a zero Run one of c over a call, and returns it.
func (r *Run) Init(c *Check, judged *call.Call, evaluate func() (*schema.Evaluation, error)) *Run {
	r.Call, r.Evaluate, r.check = judged, evaluate, c
	r.Pass.run = r
	return r
}

// Do runs the check. Reports before an error stay in r.
func (r *Run) Do(ctx context.Context) error {
	defer r.end() // even when the check panics, or ends its goroutine
	return r.check.Run(ctx, &r.Pass)
}

func (r *Run) end() {
	if r.state.Swap(over) == left {
		atomic.AddInt32(&r.check.left, -1)
	}
}

// Leave tells that the driver waits for the run no longer, so that it counts as left behind until Do
// returns (see [Check.Left]). Other fields of r must not be read then. Leave is called after Do was
// begun in another goroutine, or with the promise that it will be.
func (r *Run) Leave() {
	atomic.AddInt32(&r.check.left, 1)
	if !r.state.CompareAndSwap(begun, left) {
		atomic.AddInt32(&r.check.left, -1)
	}
}
