// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package rehearse makes calls of a server's tools where they cannot do harm, and reports the changes that they would
// have made. The server is the real one, in a sandbox of Linux; [Probe] tells what a machine lacks for one.
//
// The sandbox begins as a process of the program itself, so the program's function main begins with it:
//
//	if len(os.Args) > 1 && os.Args[1] == "sandbox" {
//		os.Exit(rehearse.Run(os.Args[2:]))
//	}
//
// A rehearsal is then a session with the server:
//
//	program, err := os.Executable()
//	...
//	session, err := rehearse.Start(ctx, rehearse.Config{
//		Command: []string{"files-server", "/srv/data"},
//		Init:    []string{program, "sandbox"},
//	})
//	if err != nil {
//		return err // an *UnsupportedError names what is missing, and how to get it
//	}
//	defer session.Close()
//	session.Call(ctx, rehearse.Call{Tool: "write_file", Arguments: arguments})
//	report, err := session.Finish(ctx)
//
// Calls of one session see the effects of earlier calls. Nothing on the machine changes before [Session.Commit]. One
// goroutine uses a [Session] at a time; a [Report] is the caller's own.
//
// A report cannot know the answers of the network, which is off by default, nor later actions of the server, after
// the end of the rehearsal. It names such gaps where it can ([Report.Gaps]).
package rehearse
