// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
)

// An Observer is told what becomes of calls, for logs and metrics, by the doors that judge
// them. Package recorder makes one. Its methods return soon and are called concurrently.
type Observer interface {
	// Judged is told the verdict on a call before it runs or is refused, or on a dry run. An
	// error refuses the call.
	Judged(ctx context.Context, e *Event) error
	// Returned is told what the output layer made of a call's result, with the event that
	// Judged was told of: once for each call that was a go, also if nothing came back. An error
	// withholds the result.
	Returned(ctx context.Context, e *Event) error
	// Listed is told of the tools each time that they are learnt.
	Listed(ctx context.Context, server string, tools *call.Catalog)
}

// An Event is a call on its way. What does not concern the moment is zero.
type Event struct {
	Call    *call.Call
	Request string // id of the JSON-RPC request, as it is spelt; "" if the door does not know it
	Point   Point
	Verdict Verdict       // on the call, or on its result
	Took    time.Duration // to judge the call, or for the server to answer it
	Began   time.Time     // when the call went on to the tool
	Bytes   int           // of the result; 0: nothing came back
	Failed  bool          // the tool said that it failed, or nothing came back
	Keep    any           // the observer's own, from Judged to Returned
	// Traceparent is what Judged wants the tool to find as its parent in the request's _meta,
	// where the client has put one; "": the client's.
	Traceparent string
}
