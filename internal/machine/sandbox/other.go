// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// A Sandbox is not available on this system.
type Sandbox struct{}

// Start returns an [UnsupportedError].
func Start(context.Context, Config) (*Sandbox, error) {
	return nil, &UnsupportedError{
		What: fmt.Sprintf("a rehearsal needs the namespaces and overlays of Linux on amd64 or arm64, and this is %s on %s", runtime.GOOS, runtime.GOARCH),
		Fix:  "run it in a virtual machine with Linux",
	}
}

// Run is never called here.
func Run([]string) int {
	fmt.Fprintln(os.Stderr, "sandbox is for Linux")
	return 2
}

// The methods of a Sandbox, which does not exist here. Listening needs Linux.
func Listening(uint16, bool) bool { return true }

func (*Sandbox) Stdin() io.WriteCloser                           { return nil }
func (*Sandbox) Stdout() io.ReadCloser                           { return nil }
func (*Sandbox) Stderr() io.ReadCloser                           { return nil }
func (*Sandbox) Layers() ([]Layer, []Gap)                        { return nil, nil }
func (*Sandbox) Events() []Event                                 { return nil }
func (*Sandbox) Done() <-chan struct{}                           { return nil }
func (*Sandbox) End(context.Context, process.Grace) process.Exit { return process.Exit{} }
func (*Sandbox) Ended() Ended                                    { return Ended{} }
func (*Sandbox) Group() ([]string, error)                        { return nil, nil }
func (*Sandbox) Refresh() error                                  { return nil }
func (*Sandbox) Settle() error                                   { return nil }
func (*Sandbox) Running() (Running, error)                       { return Running{}, nil }
func (*Sandbox) Pending(Look) ([]Pending, error)                 { return nil, nil }
func (*Sandbox) HangUp() bool                                    { return false }
func (*Sandbox) Close()                                          {}
