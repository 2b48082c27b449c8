// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// Limits bound a server in a rehearsal. Zero values mean the defaults.
type Limits struct {
	Storage   int64 // bytes that the server writes, in memory; default 256 MiB
	Files     int64 // files and directories that it makes or changes; default 50,000
	Memory    int64 // bytes of memory of all processes together; default 2 GiB
	Processes int64 // processes and threads; default 512
	// Processors is the number of processors that all processes together may keep busy, on average. It takes a
	// control group. Default all but one of the machine's, at least 2.
	Processors int
	OpenFiles  int64         // descriptors of one process, and in flight between all; default 512
	CPU        time.Duration // processor time of one process; default 5 min
}

// An UnsupportedError reports that this machine cannot rehearse anything.
type UnsupportedError struct {
	What string // what is missing
	Fix  string // how to enable it, "" if that is not known
}

func (e *UnsupportedError) Error() string {
	if e.Fix == "" {
		return "cannot rehearse here: " + e.What
	}
	return fmt.Sprintf("cannot rehearse here: %s; %s", e.What, e.Fix)
}

// unsupported puts the sandbox's reason into an error of this package.
func unsupported(err error) error {
	var missing *sandbox.UnsupportedError
	if errors.As(err, &missing) {
		return &UnsupportedError{What: missing.What, Fix: missing.Fix}
	}
	return err
}
