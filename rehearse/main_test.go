// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as-sandbox" {
		os.Exit(Run(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// startSession starts a server, or skips the test where nothing can be rehearsed.
func startSession(t testing.TB, cfg Config) *Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Init = []string{self, "as-sandbox"}
	s, err := Start(context.Background(), cfg)
	var missing *UnsupportedError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func arguments(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func finish(t testing.TB, s *Session) *Report {
	t.Helper()
	r, err := s.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
