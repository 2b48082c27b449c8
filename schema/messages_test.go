// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/schema"
)

var update = flag.Bool("update", false, "rewrite testdata/messages.txt")

// TestMessages shows every message once, as a model would get it.
func TestMessages(t *testing.T) {
	const file = "testdata/messages.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(raw), "\n# ")
	got := head
	for block := range strings.SplitSeq(rest, "\n# ") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if len(lines) < 3 {
			t.Fatalf("case %q lacks a schema or a value", lines[0])
		}
		lines = append(lines[:3:3], findings(t, lines[1], lines[2])...)
		got += "\n# " + strings.Join(lines, "\n") + "\n"
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(raw), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if strings.Count(got, "\nV ") < 90 {
		t.Error("there are too few cases")
	}
}

// findings returns one line for each entry of an evaluation.
func findings(t *testing.T, rawSchema, rawValue string) []string {
	t.Helper()
	s, err := schema.Compile([]byte(rawSchema), schema.Limits{Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	ev, err := s.Evaluate(decode(t, []byte(rawValue)))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, list := range []struct {
		name    string
		entries []schema.Violation
	}{{"V", ev.Violations}, {"F", ev.Formats}, {"U", ev.Unknown}} {
		for _, v := range list.entries {
			pointer := strings.Trim(strconv.QuoteToGraphic(v.Pointer), `"`)
			line := fmt.Sprintf("%s %s [%s] %s | %s | %s", list.name, pointer, v.Keyword, v.Message, v.Suggestion, v.Value)
			lines = append(lines, strings.TrimRight(line, " |"))
		}
	}
	return lines
}
