// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package binary

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	checktest.RunWith(t, func(work string) *check.Check {
		path := []string{"bin", "/nowhere", filepath.Join(work, "bin")}
		return New(func(name string) string {
			if name == "PATH" {
				return strings.Join(path, string(os.PathListSeparator))
			}
			return ""
		}, os.Stat, nil)
	}, "testdata")
}
