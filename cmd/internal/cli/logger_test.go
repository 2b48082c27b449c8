// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/notice"
)

// TestNotice holds that an operator sees notices without -v, as INFO, and other lines of that level only with it.
func TestNotice(t *testing.T) {
	t.Parallel()
	for verbose, want := range map[bool]string{false: "level=INFO msg=notice by=toolvet\n", true: "level=INFO msg=notice by=toolvet\nlevel=INFO msg=detail by=toolvet\n"} {
		var out strings.Builder
		log := newLogger(&out, verbose)
		log.Log(context.Background(), notice.Level, "notice")
		log.Info("detail")
		if got := regexp.MustCompile(`time=\S+ `).ReplaceAllString(out.String(), ""); got != want {
			t.Errorf("verbose=%v: the log says\n%s, want\n%s", verbose, got, want)
		}
	}
}
