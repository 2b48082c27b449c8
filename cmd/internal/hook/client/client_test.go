// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package client

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestBadJudges holds that a judge that says nothing, or half an answer, is an error by the deadline, so that the hook denies.
func TestBadJudges(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(net.Conn){
		"hangs": func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn); time.Sleep(time.Minute) },
		"dies":  func(net.Conn) {},
		"half": func(conn net.Conn) {
			whole := fast.Message("{}", "", "\x00")
			_, _ = conn.Write(whole[:len(whole)-1])
		},
		"garbage": func(conn net.Conn) { _, _ = io.WriteString(conn, "all fine, and long enough to be a number of fields") },
		"fields":  func(conn net.Conn) { _, _ = conn.Write(fast.Message("{}", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := filepath.Join(t.TempDir(), "s")
			listener, err := net.Listen("unix", address)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						answer(conn)
					}()
				}
			}()
			end := time.Now().Add(300 * time.Millisecond)
			ctx, cancel := context.WithDeadline(t.Context(), end)
			defer cancel()
			if reply, err := resident(ctx, "/nonexistent", address, &link.Request{Host: "claude-code"}, end); err == nil {
				t.Errorf("the reply %+v is taken", reply)
			}
		})
	}
}

// TestParse holds that a flag that is not understood is an error, as a policy that is not used would be a hole.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--policy"}, {"--policy="}, {"--timeout", "-1s"}, {"--timeout", "x"}, {"x", "y"}, {"--preset"}, {"--answered", "0"}, {"--answered=x"}} {
		if o, err := Parse(args); err == nil {
			t.Errorf("%q: %+v", args, o)
		}
	}
	o, err := Parse([]string{"--policy", "a.yaml", "--preset=strict", "--timeout=2s"})
	if err != nil || filepath.Base(o.Policy) != "a.yaml" || !filepath.IsAbs(o.Policy) || o.Preset != "strict" || o.Timeout != 2*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
}
