// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/upstream"
)

// TestProcessBounds holds the bounds for one principal at one server, and for all.
func TestProcessBounds(t *testing.T) {
	t.Parallel()
	p := newProcesses(2)
	enter := func(who, server string, want string) func() {
		t.Helper()
		leave, err := p.enter(t.Context(), owner{principal(who), server})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s at %s: %v, want %q", who, server, err, want)
		}
		return leave
	}
	leave := enter("ann", "a", "")
	enter("ann", "a", "")
	enter("ann", "a", "2 processes of this server run for you")
	enter("ann", "b", "")
	leave()
	leave() // counts once
	enter("ann", "a", "")
	enter("ann", "a", "2 processes of this server run for you")
	for i := range 2*allProcesses - 3 {
		enter(strconv.Itoa(i), "a", "")
	}
	enter("bob", "a", "32 server processes run already")
}

// TestProcessMakesRoom holds that a process without use ends for another one, which waits for that, and
// that a process that does not end is no room.
func TestProcessMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(1)
		who := owner{"ann", "a"}
		leave, err := p.enter(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		p.endsIdle(func(of principal) bool { return false })
		p.endsIdle(func(of principal) bool {
			if of != "ann" {
				t.Errorf("a process of %q ends", of)
			}
			time.AfterFunc(time.Second, leave)
			return true
		})
		began := time.Now()
		if _, err := p.enter(t.Context(), who); err != nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		leave = func() {}
		if _, err := p.enter(t.Context(), who); err == nil || time.Since(began) != time.Second+processWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		time.Sleep(time.Minute)
	})
}

type failing struct{}

func (failing) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	return nil, errors.New("no such program")
}

// TestProcessThatDoesNotStart holds that it takes no room.
func TestProcessThatDoesNotStart(t *testing.T) {
	t.Parallel()
	d := countedDialer{failing{}, newProcesses(1), owner{"ann", "a"}}
	for range 3 {
		if _, err := d.Dial(t.Context(), io.Discard); err == nil || err.Error() != "no such program" {
			t.Error(err)
		}
	}
}
