// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package rehearse makes calls of a server's tools where they cannot do harm, and reports the changes that they would
// have made. The server is the real one; package sandbox holds it:
//
//	session, err := rehearse.Start(ctx, rehearse.Config{Command: command, Init: init})
//	…
//	defer session.Close()
//	session.Call(ctx, rehearse.Call{Tool: "write_file", Arguments: arguments})
//	report, err := session.Finish(ctx)
//
// Calls of one session see the effects of earlier calls. Nothing on the machine changes before [Session.Commit].
//
// A report cannot know the answers of the network, which is off by default, nor later actions of the server, after
// the end of the rehearsal. It names such gaps where it can ([Report.Gaps]).
package rehearse
