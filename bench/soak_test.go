// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestSoak puts a little load on a gateway. While one server is killed and another hangs, all calls of the others
// succeed, and both servers work again afterwards.
func TestSoak(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	if _, err := exec.LookPath("kill"); err != nil {
		t.Skip("there is no command kill to stop a server with")
	}
	everything := npm.Server(t, "everything")[1]
	programs, err := build(t.Context(), flags{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	size := soakSize{servers: 6, clients: 12, duration: 2 * time.Second}
	l, footprints, err := soak(ctx, programs, everything, t.TempDir(), size)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []phase{before, again, trouble, after} {
		for i, m := range l.fleet.members {
			tally := l.tallies[p][i]
			if len(tally.latencies) == 0 && (p != trouble || i != killed && i != hanging) {
				t.Errorf("phase %d: no call of %s is answered rightly", p, m.name)
			}
		}
	}
	if l.tallies[trouble][hanging].givenUp == 0 {
		t.Errorf("%s did not hang", l.fleet.members[hanging].name)
	}
	if len(footprints) != 6 {
		t.Errorf("%d footprints, want 6", len(footprints))
	}
	var out bytes.Buffer
	writeLoad(&out, l)
	writeFootprints(&out, footprints)
	if got, want := strings.Count(out.String(), "\n"), 2+4+2+6; got != want {
		t.Errorf("%d lines in the tables, want %d:\n%s", got, want, out.String())
	}
}

// TestCount: a failed call is an error unless its server is in trouble in that phase.
func TestCount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		began, now phase
		which      int
		err        error
		excused    bool
	}{
		{"right", before, before, 0, nil, true},
		{"refused, as a check was late", before, before, 0, errLate, true},
		{"another's answer in the trouble", trouble, trouble, 0, errOther, false},
		{"another's silence in the trouble", trouble, trouble, 0, context.DeadlineExceeded, false},
		{"said to be down", trouble, trouble, killed, errOther, true},
		{"killed during the call", again, harming, killed, errOther, true},
		{"killed, and nobody says so", trouble, trouble, killed, context.DeadlineExceeded, false},
		{"said to be down afterwards", after, after, killed, errOther, false},
		{"hangs", trouble, trouble, hanging, context.DeadlineExceeded, true},
		{"hangs afterwards", after, after, hanging, context.DeadlineExceeded, false},
		{"hangs, and answers", trouble, trouble, hanging, errors.New("502"), false},
	} {
		l := &load{fleet: &fleet{members: make([]member, 6)}}
		for p := range l.tallies {
			l.tallies[p] = make([]tally, 6)
		}
		l.phase.Store(int32(test.now))
		l.count(test.began, test.which, time.Second, test.err)
		if got := l.err == nil; got != test.excused {
			t.Errorf("%s: excused %t: %v", test.name, got, l.err)
		}
	}
}

// TestNoFleet: the error names the missing part.
func TestNoFleet(t *testing.T) {
	t.Parallel()
	if _, err := newFleet(programs{}, filepath.Join(t.TempDir(), "index.js"), t.TempDir(), 6); err == nil {
		t.Error("a fleet without server-everything")
	}
}
