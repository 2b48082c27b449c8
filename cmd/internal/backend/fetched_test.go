// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestLaunched writes what launchers say of a package that they have not fetched, in pieces. One hint follows, with the package's name.
func TestLaunched(t *testing.T) {
	t.Parallel()
	npx := []string{"npx", "-y", "@scope/server@1.2", "/srv/data"}
	for name, tt := range map[string]struct {
		command []string
		said    []string
		want    string
	}{
		"npm":            {npx, []string{"npm error code ENOT", "CACHED\n", "npm error request failed\n"}, "run 'npm exec --yes --ignore-scripts --package=@scope/server@1.2 -- true' once"},
		"another's npm":  {[]string{"sh", "start"}, []string{"npm error code ENOTCACHED\n"}, "--package=PACKAGE -- node --version'"},
		"uv":             {[]string{"uvx", "x"}, []string{"x was not found in the cache\n", "and the network is disabled (offline)\n"}, "uv tool install PACKAGE"},
		"no launcher":    {npx, []string{"ready\n", "file not found\n"}, ""},
		"long after":     {npx, []string{strings.Repeat("ready\n", maxLaunched), "npm error code ENOTCACHED\n"}, ""},
		"without a line": {npx, []string{"ENOTCACHED"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			l := &launched{Writer: &got, command: tt.command}
			for _, part := range tt.said {
				if _, err := io.WriteString(l, part); err != nil {
					t.Fatal(err)
				}
			}
			text := got.String()
			switch n := strings.Count(text, "toolvet: hint: "); {
			case tt.want == "" && text != strings.Join(tt.said, ""):
				t.Errorf("got a hint, or other words: %.200q", text)
			case tt.want != "" && (n != 1 || !strings.Contains(text, tt.want)):
				t.Errorf("%d hints in %q, want one with %q", n, text, tt.want)
			}
		})
	}
}
