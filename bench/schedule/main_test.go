// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/race"
)

const base = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable&connect_timeout=5"

// TestRun measures a little, to see that it works. It ignores times.
func TestRun(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	f := flags{few: 100, many: 400, samples: 3, runs: 2, blocked: 2000, rate: 50, length: time.Second}
	want := 1
	if db, err := sql.Open("pgx", base); err == nil {
		defer db.Close()
		if err := db.PingContext(t.Context()); err == nil {
			f.postgres, want = base, 2
		} else if os.Getenv("CI") == "true" {
			t.Fatalf("CI must have PostgreSQL at 127.0.0.1:5432: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, f, &out); err != nil {
		t.Fatal(err)
	}
	_, lag, _ := strings.Cut(out.String(), "| store | runs,")
	if n := len(regexp.MustCompile(`(?m)^\| [^|]+ \| 50 \|`).FindAllString(lag, -1)); n != want {
		t.Errorf("of %d stores %d have all runs:\n%s", want, n, out.String())
	}
}
