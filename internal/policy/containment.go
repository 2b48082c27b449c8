// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"github.com/toolvet/toolvet/check"
)

// A Containment describes the walls around a live server. Package contain builds them. With the zero
// Containment, the server writes below its roots, reads them and the machine's programs, and reaches no host.
type Containment struct {
	Write   []string         `policy:"write" doc:"files and directories that the server may change, as absolute paths, or . for where the server starts; default: its roots"`
	Read    []string         `policy:"read" doc:"further files and directories that it may read, as absolute paths or ."`
	Network ContainedNetwork `policy:"network" doc:"hosts that it may connect to; default: none"`
}

// A ContainedNetwork lists the hosts of a contained server. The zero value is none.
type ContainedNetwork struct {
	Allow        []string `policy:"allow" doc:"hosts at public addresses: HOST, HOST:PORT, *.HOST, or * for all; without a port, 80 and 443"`
	AllowPrivate []string `policy:"allow_private" doc:"the same, for hosts of a private network and for localhost:PORT"`
}

// Problems says what is wrong, by the names of the fields in a policy.
func (c *Containment) Problems() []check.Problem {
	var list []check.Problem
	add := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	for field, paths := range map[string][]string{"write": c.Write, "read": c.Read} {
		for _, path := range paths {
			switch {
			case path == ".": // package contain knows where the server starts
			case !filepath.IsAbs(path):
				add(field, "must hold absolute paths")
			case filepath.Clean(path) == "/":
				add(field, "must name directories below /, not all of them")
			}
		}
	}
	for _, host := range slices.Concat(c.Network.Allow, c.Network.AllowPrivate) {
		if !hostName.MatchString(host) && !anyHost.MatchString(host) {
			add("network", "must name hosts as HOST, HOST:PORT or *.HOST, or allow * for all public hosts")
		}
	}
	if slices.ContainsFunc(c.Network.AllowPrivate, anyHost.MatchString) {
		add("network", "allow_private must name its hosts: it cannot be *")
	}
	sort.SliceStable(list, func(i, j int) bool { return len(list[i].Field) < len(list[j].Field) }) // the order of the map differs
	return list
}
