// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package policy holds what the operator decides: the checks that run and the effect of their
// findings. It reads toolvet.yaml strictly; every error names its line and column and shows it.
package policy

import (
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/limit"
)

// A Policy is the content of toolvet.yaml. The nil Policy leaves every check as it documents
// itself. A Policy is read-only once a Gate uses it.
type Policy struct {
	Checks  map[string]Check // by the name of the check
	Servers []*Server        // in the order of the file
	// Withheld are the variables that hold credentials. A server that the policy does not name gets none of them.
	Withheld []string
	Output   []Demand // of what servers send back; a server's own and a tool's own count before

	// Rules permit and refuse calls. A Gate enforces them only with the options of package
	// access, and refuses to be made without.
	Rules         []Rule
	Session       Session
	Pinning       Pinning
	Limits        []limit.Limit
	Rehearsal     Rehearsal
	DryRun        BoundCalls // calls that need one before
	Log           Log
	Shared        *limit.Shared  // where limits are counted together with other proxies; nil: nowhere
	Authorization *Authorization // of a door that listens on the network; nil: it asks nobody
	Schedule      *Schedule      // of the scheduler; nil: it does not say
	// HideRefused leaves tools out of tools/list that the session may not call at all.
	HideRefused bool
	// ProtocolErrors answers calls of unknown tools, and calls that their tool's schema refuses, with JSON-RPC's "Invalid params"
	// in place of a tool execution error, for clients older than SEP-1303.
	ProtocolErrors bool
	// ToolErrors turns the "Invalid params" with which a server answers a call into a tool execution error, which a model sees.
	ToolErrors bool

	// Infer makes demands on the arguments of a tool that the policy does not mention. Nil:
	// nothing.
	Infer func(t *call.Tool) []Argument

	// InferRequest does the same for a request other than tools/call, by its method and params, and InferPart for
	// a part of any request. Nil: nothing. The error is [call.ErrShape], which refuses the request.
	InferRequest func(c *call.Call) ([]Argument, error)
	InferPart    func(p call.Part) ([]Argument, error)

	// Preset is the name of the demands on arguments that the policy does not mention; "" if it
	// does not say. Package preset turns it into Infer.
	Preset string

	origin *origin // nil for a policy that was made in Go
}

// An origin remembers where a policy was read, for errors that only show later.
type origin struct {
	file   *file
	checks map[string]position // of the names in Policy.Checks
}

// A Check holds a policy's settings for one check. The zero Check changes nothing.
type Check struct {
	Severity *check.Severity // of all its findings; nil: as the check says
	Observe  bool            // findings are recorded and refuse nothing
	FailOpen bool            // a check that breaks warns instead of refusing
	Off      bool            // the check does not run
}

// Check returns the settings of p for the check called name.
func (p *Policy) Check(name string) Check {
	if p == nil {
		return Check{}
	}
	return p.Checks[name]
}

// WantsPreset reports whether p was read from a text that wants a preset, which nothing has applied. Package
// preset applies it, and policyfile.Open does that.
func (p *Policy) WantsPreset() bool {
	return p != nil && p.origin != nil && p.Preset != "none" && p.Infer == nil
}

// Validate reports names in p that none of the checks has. The error is an
// [Errors].
func (p *Policy) Validate(checks []*check.Check) error {
	if p == nil {
		return nil
	}
	var names []string
	for _, c := range checks {
		if c != nil {
			names = append(names, c.Name)
		}
	}
	var errs Errors
	for name := range p.Checks {
		if !slices.Contains(names, name) {
			errs = append(errs, p.unknownCheck(name, names))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs.ordered()
}

func (p *Policy) unknownCheck(name string, names []string) *Error {
	message := fmt.Sprintf("the policy names the unknown check %s: %s", quote(name), hint(name, names))
	if p.origin == nil {
		return &Error{Message: message}
	}
	at, ok := p.origin.checks[name]
	if !ok { // added since it was read
		return &Error{Message: message}
	}
	return p.origin.file.errorf(at, "%s", message)
}
