// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/policy"
)

// A standIn stands for the value of a variable, whose own value no message may show.
type standIn struct {
	name string
	form int // of standInForms
}

// standInForms are what stand-ins begin with: ${NAME} itself, a path, a host, and a URL, because policies demand these at some places.
var standInForms = []string{"${", "/", "", "https://"}

// hostForm is the form of a host.
const hostForm = 2

// text is the stand-in of the variable with a number.
func (s standIn) text(i int) string {
	if s.form == 0 {
		return "${" + s.name + "}"
	}
	return fmt.Sprintf("%stoolvetvariable%04d", standInForms[s.form], i)
}

// withoutVariables reads a policy with a stand-in for the value of each variable, because no message may show the values. The replacer writes
// ${NAME} for the stand-ins.
func (a *app) withoutVariables(file string) (*policy.Policy, *strings.Replacer, error) {
	text, err := policy.Read(file)
	if err != nil {
		return nil, nil, err
	}
	var list []standIn
	at := map[string]int{}
	parse := func() (*policy.Policy, error) {
		return policy.ParseWith(func(name string) (string, bool) {
			i, known := at[name]
			if !known {
				i = len(list)
				at[name], list = i, append(list, standIn{name: name})
			}
			return list[i].text(i), true
		}, file, text, a.checks.Demands()...)
	}
	p, err := parse()
	for i := 0; err != nil && i < len(list); i++ { // the form of each variable with which the policy has the fewest faults
		best, fewest := 0, faults(err)
		for form := range standInForms {
			list[i].form = form
			if other, otherErr := parse(); faults(otherErr) < fewest {
				best, fewest, p, err = form, faults(otherErr), other, otherErr
			}
		}
		list[i].form = best
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the policy cannot be told without the values of its variables, which nothing shows: %w", err)
	}
	var pairs []string
	for i, s := range list {
		for _, form := range []int{s.form, hostForm} { // a reader of the policy may have taken the host out of a URL
			pairs = append(pairs, standIn{s.name, form}.text(i), "${"+s.name+"}")
		}
	}
	return p, strings.NewReplacer(pairs...), nil
}

// faults counts those that an error of a policy tells.
func faults(err error) int {
	if list, ok := errors.AsType[policy.Errors](err); ok {
		return len(list)
	}
	if err != nil {
		return 1
	}
	return 0
}
