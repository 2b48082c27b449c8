// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"errors"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// argument is the name of the argument that a section's values are given as.
const argument = "value"

// readServer reads what the section "server" says.
func (f *file) readServer(s *section) (err error) {
	s.policy = f.collapse(f.server)
	s.server, err = f.parse(f.server)
	return err
}

// readDemand reads what the name of a section demands: of the tool as a whole, or of the
// argument.
func (f *file) readDemand(s *section, whole bool) error {
	if whole {
		return f.readPolicy(s, "tools:\n  \"*\":\n    requires:\n      - ")
	}
	return f.readPolicy(s, "tools:\n  \"*\":\n    arguments:\n      "+argument+":\n        ")
}

// readPolicy reads the name of a section as what a policy says at a place of a server's
// entry.
func (f *file) readPolicy(s *section, place string) error {
	if err := f.readServer(s); err != nil {
		return err
	}
	s.policy += s.name
	var errs policy.Errors
	server, err := f.parse(f.server + place + f.expand(s.name) + "\n")
	if !errors.As(err, &errs) {
		s.server = server
		return err
	}
	for _, e := range errs {
		s.refused += "policy: " + f.collapse(e.Message) + "\n"
	}
	return nil
}

// parse reads a server's entry of a policy.
func (f *file) parse(text string) (*policy.Server, error) {
	if strings.TrimSpace(text) == "" {
		return &policy.Server{}, nil
	}
	var b strings.Builder
	b.WriteString("version: 1\nservers:\n  server:\n")
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	var demands []*check.Demand
	if f.demand != nil {
		demands = append(demands, f.demand)
	}
	p, err := policy.Parse("server", []byte(b.String()), demands...)
	if err != nil {
		return nil, err
	}
	return p.Server("server"), nil
}
