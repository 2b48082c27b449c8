// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package rehearsal makes calls of a server's tools where they cannot do harm, and reports the changes that they would
// have made. The server is the real one, in a sandbox of Linux; [Probe] tells what a machine lacks for one.
//
// Package rehearse is the part of it that programs see.
package rehearsal
