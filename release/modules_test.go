// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gomodule "golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/toolvet/toolvet/internal/test/need"
)

const root = ".."

// version is one that no module proxy has.
const version = "v0.99.0"

// TestGoInstall holds that "go install …/cmd/toolvet@latest" works once the modules have their tags: a module proxy of files
// serves them as git would. Go reads all requirements and packages, and prints the commands of a build (-n).
func TestGoInstall(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	c := configuration(t)
	proxy := t.TempDir()
	for _, m := range c.Modules {
		serveModule(t, proxy, m)
	}
	downloads := goEnv(t, "GOMODCACHE") + "/cache/download"
	if _, err := os.Stat(downloads); err != nil {
		t.Skipf("no module cache serves the dependencies: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "install", "-n", own+"/cmd/toolvet@latest")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOPROXY="+fileURL(proxy)+","+fileURL(downloads), "GOMODCACHE="+t.TempDir(), "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-modcacherw", "GOWORK=off", "GOBIN="+t.TempDir(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(string(out)))
	}
	if !strings.Contains(string(out), "toolvet@"+version) || !strings.Contains(string(out), "link") {
		t.Errorf("the build is another: %s", tail(string(out)))
	}
}

func tail(text string) string { return text[max(0, len(text)-2000):] }

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(strings.TrimSpace(string(out)))
}

func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if runtime.GOOS == "windows" {
		dir = "/" + dir
	}
	return "file://" + dir
}

// serveModule adds a module of the tree to a proxy of files, with requirements of the version that is served.
func serveModule(t *testing.T, proxy, dir string) {
	t.Helper()
	path := own
	if dir != "" {
		path += "/" + dir
	}
	here := filepath.Join(root, filepath.FromSlash(dir))
	text, err := os.ReadFile(filepath.Join(here, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], own) {
			line = "\t" + f[0] + " " + version + "\n"
		}
		lines = append(lines, line)
	}
	mod := strings.Join(lines, "")
	var plain, packed bytes.Buffer
	if err := modzip.CreateFromDir(&plain, gomodule.Version{Path: path, Version: version}, here); err != nil {
		t.Fatal(err)
	}
	replaceEntry(t, &packed, plain.Bytes(), path+"@"+version+"/go.mod", mod)
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": []byte(mod), version + ".zip": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// replaceEntry copies a ZIP archive with another text for one of its files.
func replaceEntry(t *testing.T, w *bytes.Buffer, data []byte, name, text string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := zip.NewWriter(w)
	for _, f := range r.File {
		if f.Name != name {
			err = out.Copy(f)
		} else if entry, e := out.Create(name); e != nil {
			err = e
		} else {
			_, err = fmt.Fprint(entry, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
