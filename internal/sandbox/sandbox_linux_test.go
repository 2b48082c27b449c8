// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "as-sandbox" {
		os.Exit(Run(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func start(t *testing.T, c Config) *Sandbox {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.Init = []string{self, "as-sandbox"}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestShell(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o644)
	began := time.Now()
	s := start(t, Config{Dir: dir, Args: []string{"/bin/sh", "-c", "echo hi; pwd; id; ls -la; echo new >new; rm old; mount | head -30; cat /proc/self/status | grep -i cap; ps ax; ls -la / /dev; touch /etc/x"}})
	t.Log(time.Since(began))
	out, _ := io.ReadAll(s.Stdout())
	errs, _ := io.ReadAll(s.Stderr())
	t.Logf("%s\n%s", out, errs)
	<-s.Done()
	t.Log(time.Since(began))
	layers, gaps := s.Layers()
	t.Log(gaps, s.Events(), s.ended)
	for _, l := range layers {
		filepath.WalkDir(l.Dir+"/.", func(p string, d os.DirEntry, err error) error {
			if err == nil {
				info, _ := d.Info()
				t.Log(l.Path, p, info.Mode())
			}
			return nil
		})
	}
}
