// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import "fmt"

// killed is the Exit of a server that was killed.
var killed = Exit{Code: 128 + 9, Signal: "SIGKILL"}

// An Exit describes the end of a server. As an error, it is the reason of [Process.Stop].
type Exit struct {
	// Code is the exit code as a shell gives it: 128+n for death by signal n.
	Code int
	// Signal is the name of the signal that ended the server, such as "SIGKILL"; empty when it exited
	// by itself, and on Windows, where a terminated server has the code 137.
	Signal string
}

// Err returns e as an error, or nil for the code 0.
func (e Exit) Err() error {
	if e == (Exit{}) {
		return nil
	}
	return e
}

// Error implements error.
func (e Exit) Error() string { return e.String() }

// String completes "the server …".
func (e Exit) String() string {
	if e.Signal != "" {
		return "was killed by " + e.Signal
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}
