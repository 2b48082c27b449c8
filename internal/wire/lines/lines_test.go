// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package lines_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/wire/lines"
)

func TestNext(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	text := "a\n\n" + long + "\n{\"id\":7,\"x\":\"" + long + long + "\"}\nlast"
	want := []string{"a", "", long, "too long: 7", "last"}
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
		in := lines.NewReader(r, 150_000)
		var got []string
		for {
			line, err := in.Next()
			var tooLong *lines.TooLongError
			if errors.As(err, &tooLong) {
				got = append(got, fmt.Sprintf("too long: %s", tooLong.ID))
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			got = append(got, string(line))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
