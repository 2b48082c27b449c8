// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"slices"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
)

// initTasks counts the threads of init, with a margin.
const initTasks = 32

// confine makes the control group of the sandbox, if the machine allows one.
func (s *Sandbox) confine(c Config) {
	if slices.Contains(c.without, groupWall) {
		s.ungrouped = errors.New("left out")
		return
	}
	l := c.Limits
	s.group, s.ungrouped = cgroup.New(cgroup.Limits{
		Memory: l.Memory + l.Storage, Processes: l.Processes + initTasks, Processors: l.Processors, // written files are in memory, too
	})
}

// grouped returns the controllers in force.
func (s *Sandbox) grouped() []cgroup.Controller {
	if s.group == nil {
		return nil
	}
	return s.group.Controllers()
}

// Group returns the controllers of the control group. Without a group, the error says why; a
// [cgroup.UnavailableError] also says how to enable one.
func (s *Sandbox) Group() ([]string, error) {
	var names []string
	for _, c := range s.grouped() {
		names = append(names, string(c))
	}
	return names, s.ungrouped
}

// measure takes usage and limits from the group, which counts better, and checks the remaining space.
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

// ungroup ends the remaining processes of the group, and removes it.
func (s *Sandbox) ungroup() {
	if s.group != nil {
		s.group.Close()
	}
}
