// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"strings"
	"testing"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestTraceID(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for text, want := range map[string]string{
		traceparent:            id,
		"01" + traceparent[2:]: id,
		"cc" + traceparent[2:] + "-what-the-future-will-be-like": id,
		"":                           "",
		traceparent + "-x":           "",
		"cc" + traceparent[2:] + "x": "",
		"ff" + traceparent[2:]:       "",
		strings.ToUpper(traceparent): "",
		traceparent[:54]:             "",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": "",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01": "",
		"00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": "",
	} {
		if got := TraceID(map[string]any{Traceparent: text}); got != want {
			t.Errorf("TraceID(%q) = %q, want %q", text, got, want)
		}
	}
	if TraceID(nil) != "" || TraceID(map[string]any{Traceparent: 5}) != "" {
		t.Error("a trace id where there is none")
	}
}
