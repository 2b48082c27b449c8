// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package userservice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInstalled holds that of the files in the manager's directory only our own count.
func TestInstalled(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, m := range map[string]*Manager{"systemd": systemd, "launchd": launchd} {
		home := t.TempDir()
		if list, err := m.Installed(home); err != nil || list != nil {
			t.Errorf("%s: nothing is installed: %v, %v", name, list, err)
		}
		for _, service := range []string{"b", "a-2"} {
			s := &Service{Name: service, Description: "d", Command: []string{"/bin/true"}, Dir: "/", Stop: time.Second}
			if _, _, err := m.Install(home, s); err != nil {
				t.Fatal(err)
			}
		}
		dir := filepath.Dir(m.file(home, "x"))
		for file, text := range map[string]string{m.file(home, "foreign"): "[Unit]\n", filepath.Join(dir, "other.txt"): marker, m.file(home, "UPPER"): marker} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(m.file(home, "b"), m.file(home, "link")); err != nil {
			t.Fatal(err)
		}
		list, err := m.Installed(home)
		if diff := cmp.Diff([]string{"a-2", "b"}, list); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]Status{
		"ActiveState=active\nUnitFileState=enabled\nResult=success\n":      {Running: true, Enabled: true, Said: "active"},
		"Result=exit-code\nActiveState=failed\nUnitFileState=disabled\n":   {Said: "failed, exit-code"},
		"ActiveState=activating\nUnitFileState=enabled\nResult=signal\n":   {Enabled: true, Said: "activating, signal"},
		"ActiveState=active\nUnitFileState=linked-runtime\nResult=success": {Running: true, Said: "active"},
	} {
		if diff := cmp.Diff(want, systemd.read(said)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", said, diff)
		}
	}
	for said, want := range map[string]Status{
		"x = {\n\tstate = running\n\tpid = 1\n}\n": {Running: true, Enabled: true, Said: "running"},
		"x = {\n\tstate = not running\n}\n":        {Enabled: true, Said: "not running"},
		"":                                         {Enabled: true, Said: "loaded"},
	} {
		if diff := cmp.Diff(want, launchd.read(said)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", said, diff)
		}
	}
}

// TestStatusUnasked holds that a manager that does not answer is told of in its own words.
func TestStatusUnasked(t *testing.T) {
	t.Parallel()
	m := &Manager{ask: func(string) []string { return []string{"sh", "-c", "echo no bus >&2; echo more >&2; exit 3"} }}
	if _, err := m.Status(t.Context(), "x"); err == nil || !strings.HasSuffix(err.Error(), ": no bus") {
		t.Errorf("%v", err)
	}
}
