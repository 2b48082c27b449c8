// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package corpora

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestScan(t *testing.T) {
	t.Parallel()
	whole := zipped(t, "{\"a\":1}\n"+strings.Repeat("x", 1<<20)+"\n")
	for _, tt := range []struct {
		name, raw string
		want      []int // lengths of lines
		fails     bool
	}{
		{"whole", whole, []int{7, 1 << 20}, false},
		{"cut", whole[:len(whole)/2], nil, true},
		{"not zipped", "{}\n", nil, true},
	} {
		var got []int
		n, err := scan(strings.NewReader(tt.raw), func(line []byte) { got = append(got, len(line)) })
		if (err != nil) != tt.fails || n != len(got) {
			t.Errorf("%s: got %d lines and %v", tt.name, n, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && !tt.fails {
			t.Errorf("%s: lines (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	rows := Read[struct{ Input, Expect string }](t, "paths")
	for _, r := range rows {
		if r.Expect == "" {
			t.Fatalf("a row has no label: %+v", r)
		}
	}
}
