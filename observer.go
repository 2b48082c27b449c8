// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
)

// An Observer follows calls through a door, for logs and metrics. Package recorder makes one.
// Its methods must return soon and be safe for concurrent use.
type Observer interface {
	// Judged receives the verdict on a call, before the call runs or is refused, or on a dry
	// run. An error refuses the call.
	Judged(ctx context.Context, e *Event) error
	// Returned receives the verdict of the output layer on a call's result, in the event of
	// the call's Judged. It is called once for each call that got a go, even if no result came
	// back. An error withholds the result.
	Returned(ctx context.Context, e *Event) error
	// Listed receives the server's tools each time they are read.
	Listed(ctx context.Context, server string, tools *call.Catalog)
}

// An Event is the state of a call on its way. Fields that do not apply yet are zero.
type Event struct {
	Call    *call.Call
	Request string // id of the JSON-RPC request, as spelt; "" if the door does not know it
	Point   Point
	Verdict Verdict       // on the call, or on its result
	Took    time.Duration // to judge the call, or for the server to answer it
	Began   time.Time     // when the call went on to the tool
	Bytes   int           // of the result; 0: nothing came back
	Failed  bool          // the tool said that it failed, or nothing came back
	Keep    any           // for the observer's own use, from Judged to Returned
	// Traceparent, set by Judged, replaces the client's traceparent in the request's _meta, if
	// there is one. "" leaves the client's in place.
	Traceparent string
	// Within, set by Judged, returns a context with the call's span, so that spans which begin in it are its children.
	// A tool in the same process, behind package mcpgate, runs in it. Nil: there is no span.
	Within func(context.Context) context.Context
}
