// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package rehearse makes calls of a server's tools where they cannot do harm, and says what
// they would have changed. The server is the real one; package sandbox holds it:
//
//	session, err := rehearse.Start(ctx, rehearse.Config{Command: command, Init: init})
//	…
//	defer session.Close()
//	session.Call(ctx, rehearse.Call{Tool: "write_file", Arguments: arguments})
//	report, err := session.Finish(ctx)
//
// Calls of one session see what those before them did. Nothing of the machine changes until
// somebody asks for it with [Session.Commit].
//
// What a report cannot know: what a server would have been told by the network, which is
// off, and what it would have done later, after the rehearsal has ended. A report says so
// where it can ([Report.Gaps]).
package rehearse
