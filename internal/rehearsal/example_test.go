// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal_test

import (
	"fmt"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
)

// A policy's effects limit the effects of a call.
func ExampleJudge() {
	report := &rehearsal.Report{
		Calls:   []rehearsal.Called{{Tool: "clean"}},
		Changes: []rehearsal.Change{{Path: "/srv/data/old.csv", Kind: rehearsal.Deleted}},
	}
	for _, f := range rehearsal.Judge(report, "files", []policy.Effect{{Name: "careful", NoDeletes: true}}) {
		fmt.Println(f.Message)
	}
	// Output:
	// the rehearsal shows that the call deletes or moves away 1 files or directories: the limit "careful" does not allow it
}
