// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWorking holds that a terminal hears of work that takes longer than a second, and that the line is gone when something
// else is written and when the work ends.
func TestWorking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		a := &app{status: &statusLine{w: &out, drawn: true}}
		short := a.working("short work")
		time.Sleep(900 * time.Millisecond)
		short()
		end := a.working("auditing")
		time.Sleep(2500 * time.Millisecond)
		if _, err := a.status.Write([]byte("a warning\n")); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		end()
		end()
		want := "auditing … 1 s\r\x1b[Kauditing … 2 s\r\x1b[Ka warning\nauditing … 3 s\r\x1b[K"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		(&app{}).working("nobody looks")()

		out.Reset()
		var flags auditFlags
		end = a.following(&flags, "auditing")
		time.Sleep(1500 * time.Millisecond)
		flags.progress("read_file", 3, 14)
		time.Sleep(time.Second)
		end()
		if want := "\r\x1b[Kauditing: read_file, 3 of 14 steps done … 2 s\r\x1b[K"; !strings.HasSuffix(out.String(), want) {
			t.Errorf("got %q, want an end of %q", out.String(), want)
		}
	})
}

// TestWorkingPlain holds that a pipe or a file gets a plain line after a few seconds of work, and others ten seconds apart.
func TestWorkingPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		a := &app{status: &statusLine{w: &out}}
		short := a.working("short work")
		time.Sleep(2500 * time.Millisecond)
		short()
		var flags auditFlags
		end := a.following(&flags, "auditing node server.js")
		time.Sleep(3500 * time.Millisecond)
		flags.progress("read\x1b[31m_file", 3, 14)
		time.Sleep(11 * time.Second)
		end()
		want := "toolvet: auditing node server.js … 3 s\ntoolvet: auditing node server.js: read\\u001b[31m_file, 3 of 14 steps done … 13 s\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
