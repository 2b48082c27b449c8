// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repeats_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/repeats"
)

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	level := new(slog.LevelVar)
	plain := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	var memory repeats.Memory
	log := memory.Logger(plain)
	fails := func(text string, failures int) {
		log.Warn("a server is not connected", "failures", failures, "err", errors.New(text))
	}
	fails("404, log 17_49", 1)
	fails("404, log 17_50", 2)
	fails("no such program", 3)
	fails("404, log 17_51", 4)
	memory.Logger(plain).Warn("a server is not connected", "err", errors.New("404, log 18_00")) // of another principal
	memory.Forget()
	fails("404, log 17_52", 1)
	level.Set(slog.LevelDebug)
	fails("404, log 17_53", 2)
	want := `level=WARN msg="a server is not connected" failures=1 err="404, log 17_49"
level=WARN msg="a server is not connected" failures=3 err="no such program"
level=WARN msg="a server is not connected" failures=1 err="404, log 17_52"
level=DEBUG msg="a server is not connected, still" failures=2 err="404, log 17_53"
`
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); d != "" {
		t.Errorf("the log (-want +got):\n%s", d)
	}
}
