// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/policy"
)

func TestContainment(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]*policy.Containment{
		`{command: [a]}`:                       nil,
		`{command: [a], contain: {}}`:          {},
		`{command: [a], contain: }`:            {},
		`{command: [a], contain: {write: []}}`: {Write: []string{}},
		`{command: [a], contain: {write: .}}`:  {Write: []string{"."}},
		`{command: [a], contain: {write: [/srv/a], read: /srv/b, network: {allow: ["*", "*:8443", "*.example.com"], allow_private: ["localhost:5432"]}}}`: {
			Write: []string{"/srv/a"}, Read: []string{"/srv/b"},
			Network: policy.ContainedNetwork{Allow: []string{"*", "*:8443", "*.example.com"}, AllowPrivate: []string{"localhost:5432"}},
		},
	} {
		p, err := policy.Parse("p", []byte("version: 1\nservers:\n  a: "+yaml+"\n"))
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		if diff := cmp.Diff(want, p.Servers[0].Contain); diff != "" {
			t.Errorf("%s (-want +got):\n%s", yaml, diff)
		}
	}
	for yaml, want := range map[string]string{
		`{command: [a], contain: {write: [srv]}}`:                      "must hold absolute paths",
		`{command: [a], contain: {read: [./x]}}`:                       "must hold absolute paths",
		`{command: [a], contain: {read: [/]}}`:                         "must name directories below /",
		`{command: [a], contain: {write: [/srv/..]}}`:                  "must name directories below /",
		`{command: [a], contain: {network: {allow: ["https://a.b"]}}}`: "must name hosts",
		`{command: [a], contain: {network: {allow_private: ["*"]}}}`:   "it cannot be *",
		`{command: [a], contain: {network: {replay: a.har}}}`:          "unknown key",
		`{url: "https://example.org/mcp", contain: {}}`:                "only a command can be contained",
		`{command: [a], contain: true}`:                                "must be a mapping",
	} {
		_, err := policy.Parse("p", []byte("version: 1\nservers:\n  a: "+yaml+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", yaml, err, want)
		}
	}
}
