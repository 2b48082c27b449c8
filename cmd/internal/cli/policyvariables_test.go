// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
)

// TestPolicyVariables holds that 'toolvet policy' tells a policy whose variables stand where paths, hosts and URLs do, with their names and never with
// their values.
func TestPolicyVariables(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AUDIT_DIR", filepath.Join(dir, "secret-place"))
	t.Setenv("AUDIT_NAME", "secret-name")
	t.Setenv("AUDIT_HOST", "secret-host.example")
	t.Setenv("AUDIT_URL", "https://secret-url.example/mcp")
	file := filepath.Join(dir, "p.yaml")
	for name, tt := range map[string]struct {
		server string
		want   []string
	}{
		"roots":  {`roots: ["${AUDIT_DIR}"]`, []string{"works in ${AUDIT_DIR}\n"}},
		"below":  {`roots: ["${AUDIT_DIR}/y", "/srv/${AUDIT_NAME}"]`, []string{"works in ${AUDIT_DIR}/y, /srv/${AUDIT_NAME}\n"}},
		"dir":    {`dir: "${AUDIT_DIR}"`, []string{"s: any command"}},
		"walls":  {`contain: {write: ["${AUDIT_DIR}/y"], read: ["${AUDIT_DIR}"], network: {allow: ["${AUDIT_HOST}", "*.${AUDIT_HOST}"]}}`, []string{"may change ${AUDIT_DIR}/y, may read ${AUDIT_DIR}; reaches ${AUDIT_HOST}, *.${AUDIT_HOST}\n"}},
		"url":    {`url: "${AUDIT_URL}"`, []string{"s: ${AUDIT_URL}\n"}},
		"host":   {`url: "https://${AUDIT_HOST}/mcp"`, []string{"s: https://${AUDIT_HOST}/mcp\n"}},
		"within": {`tools: {t: {arguments: {p: {path: {within: ["${AUDIT_DIR}/z"]}}, u: {url: {hosts: ["${AUDIT_HOST}"]}}}}}`, []string{"within ${AUDIT_DIR}/z", "hosts ${AUDIT_HOST}"}},
		"twice":  {`command: [node, s.js, "${AUDIT_DIR}"], roots: ["${AUDIT_DIR}"]`, []string{"s: node s.js ${AUDIT_DIR}\n", "works in ${AUDIT_DIR}\n"}},
	} {
		if err := os.WriteFile(file, []byte("version: 1\nservers: {s: {"+tt.server+"}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		code := Main(t.Context(), suite.Default(), []string{"policy", "--policy", file}, strings.NewReader(""), &b, &b)
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) || code != 0 {
				t.Errorf("%s: exit code %d: no %q in\n%s", name, code, want, b.String())
			}
		}
		if strings.Contains(b.String(), "secret-") || strings.Contains(b.String(), "toolvetvariable") {
			t.Errorf("%s: a value or a stand-in is shown:\n%s", name, b.String())
		}
	}
}
