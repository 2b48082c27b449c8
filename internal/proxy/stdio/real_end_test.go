// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"syscall"
	"testing"
)

// TestEnd ends a session in each orderly way: the server has its say, and its exit code
// is passed on.
func TestEnd(t *testing.T) {
	t.Parallel()
	const started = `{"jsonrpc":"2.0","method":"notifications/started"}`
	for _, test := range []struct {
		name, server string
		end          func(p *peer, pid int)
		code         int
	}{
		{"the server ends", `echo "$STARTED"; exit 3`, func(*peer, int) {}, 3},
		{"the server is killed", `echo "$STARTED"; kill -9 $$`, func(*peer, int) {}, 137},
		{"the client ends", `echo "$STARTED"; while read -r line; do :; done; exit 4`,
			func(p *peer, _ int) { p.stdin.Close() }, 4},
		{"the client ends, the server needs SIGTERM", `trap 'exit 5' TERM; echo "$STARTED"; sleep 60 & wait`,
			func(p *peer, _ int) { p.stdin.Close() }, 5},
		{"the proxy gets SIGTERM", `trap 'exit 6' TERM; echo "$STARTED"; sleep 60 & wait`,
			func(_ *peer, pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }, 6},
		{"the proxy gets SIGTERM, the server heeds nothing", `trap '' TERM; echo "$STARTED"; sleep 60 & wait`,
			func(_ *peer, pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }, 137},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, cmd := start(t, as("as-proxy", "sh", "-c", test.server), "STARTED="+started)
			p.await("notifications/started")
			test.end(p, cmd.Process.Pid)
			if got := p.wait(); got != test.code {
				t.Errorf("exit code %d, want %d", got, test.code)
			}
		})
	}
}
