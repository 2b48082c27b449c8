// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"slices"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
)

// initTasks are the threads that init has beside what runs inside, and some to spare.
const initTasks = 32

// confine makes the control group of the sandbox, where one can be had.
func (s *Sandbox) confine(c Config) {
	if slices.Contains(c.without, groupWall) {
		s.ungrouped = errors.New("left out")
		return
	}
	l := c.Limits
	s.group, s.ungrouped = cgroup.New(cgroup.Limits{
		Memory: l.Memory + l.Storage, Processes: l.Processes + initTasks, Processors: l.Processors, // what is written is in memory, too
	})
}

// grouped are the controllers that hold.
func (s *Sandbox) grouped() []cgroup.Controller {
	if s.group == nil {
		return nil
	}
	return s.group.Controllers()
}

// Group says which limits a control group holds, by the names of its controllers; if there is no group, the
// error says why, and where it is a [cgroup.UnavailableError], how to mend it.
func (s *Sandbox) Group() ([]string, error) {
	var names []string
	for _, c := range s.grouped() {
		names = append(names, string(c))
	}
	return names, s.ungrouped
}

// measure asks the group what was used and met, which is better known there, and looks what is left of the space.
func (s *Sandbox) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	met := full(int(s.stage.Fd()))
	if s.group != nil {
		used := s.group.Usage()
		s.ended.Usage.CPU = used.CPU
		if used.Memory > 0 {
			s.ended.Usage.Memory = used.Memory
		}
		for _, c := range s.group.Met() {
			met = append(met, map[cgroup.Controller]string{cgroup.Memory: limitMemory, cgroup.PIDs: limitProcesses}[c])
		}
	}
	s.ended.Limits = slices.Compact(slices.Sorted(slices.Values(append(met, s.ended.Limits...))))
}

// ungroup ends what is left in the group, and removes it.
func (s *Sandbox) ungroup() {
	if s.group != nil {
		s.group.Close()
	}
}
