// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package process

import "testing"

func supervisors(t *testing.T) map[string]Command {
	return map[string]Command{"supervised": {Supervisor: []string{self(t), "as-supervisor"}}}
}

var platformRoles map[string]func(args []string)

func TestTree(t *testing.T) {
	t.Skip("what is left of a process tree is found through /proc, which only Linux has in this form")
}
