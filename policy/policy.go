// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package policy reads toolvet.yaml, the operator's decisions about calls: checks, demands on arguments,
// rules of access, limits.
//
// A program with a policy file should open it with package policyfile: all of the file is in force then, and
// changes of the file count. Package policy serves other programs, such as one that embeds its policy and needs
// no rules of access:
//
//	//go:embed toolvet.yaml
//	var text []byte
//
//	p, err := policy.Parse("toolvet.yaml", text)
//	if err != nil {
//		return err // each fault with its line and a caret
//	}
//	gate, err := toolvet.New(toolvet.WithPolicy(p))
//
// The keys of the file are described in docs/policies.md. Everything is read strictly: an unknown key, an
// option of the wrong kind, a name that stands twice are errors. So are anchors, aliases, merge keys and tags,
// which make a text mean something else than it shows.
package policy

import (
	"errors"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
)

// A Policy is the content of a toolvet.yaml. It cannot be changed, and is safe for concurrent use. Programs pass
// it to [github.com/toolvet/toolvet.WithPolicy]. A nil Policy and the zero one say nothing: each check
// behaves as it documents.
type Policy = policy.Sealed

// Parse reads the text of a policy. The name of the file is for messages, and relative names of files in the
// policy begin in its directory. The text may make demands of the checks of suite.Default, and of the program's
// own. It may name environment variables as ${NAME}, which are read at once. Parse keeps nothing of text.
//
// [Faults] tells what is wrong. Settings for checks that do not run are errors of toolvet.New.
func Parse(name string, text []byte, own ...*check.Check) (*Policy, error) {
	p, err := policy.Parse(name, text, demands(own)...)
	return policy.Seal(p), err
}

// Load is [Parse] for a file. A file of more than 1 MiB is an error.
func Load(name string, own ...*check.Check) (*Policy, error) {
	p, err := policy.Load(name, demands(own)...)
	return policy.Seal(p), err
}

func demands(own []*check.Check) []*check.Demand {
	kinds := suite.Demands()
	for _, c := range own {
		if c != nil && c.Demand != nil {
			kinds = append(kinds, c.Demand)
		}
	}
	return kinds
}

// A Fault is one thing that is wrong with a policy.
type Fault struct {
	File    string // as it was named
	Line    int    // from 1; 0 if the fault has no place
	Column  int    // in characters, from 1
	Message string // in words, without the place
	Source  string // the line of the file, without its end
}

// Error is "file:line:column: message", and below it the line with a caret.
func (f *Fault) Error() string { return (*policy.Error)(f).Error() }

// Faults returns everything that is wrong with a policy, in the order of the file. The error is that of [Parse],
// [Load], toolvet.New or policyfile.Open. Without faults in a policy behind it, such as a file that cannot be read,
// Faults returns nil.
func Faults(err error) []*Fault {
	var wrong policy.Errors
	if !errors.As(err, &wrong) {
		return nil
	}
	faults := make([]*Fault, len(wrong))
	for i, e := range wrong {
		faults[i] = (*Fault)(e)
	}
	return faults
}
