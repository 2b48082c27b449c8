// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package commandstate

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
)

// TestLinks holds that a link to a file with secrets, or to one that starts something later, is told from its name alone. "" is nothing.
func TestLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	home, repo := t.TempDir(), t.TempDir()
	for _, dir := range []string{".ssh", ".aws"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{".ssh/id_rsa", ".bashrc", ".aws/credentials", "plain"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"key": ".ssh/id_rsa", "rc": ".bashrc", "cfg": ".aws", "other": "plain", "new": ".ssh/authorized_keys"} {
		if err := os.Symlink(filepath.Join(home, to), filepath.Join(repo, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(repo, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../key", filepath.Join(repo, "src", "inner")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, ".aws/credentials"), filepath.Join(repo, ".env")); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"cat k*":                                "secret",
		"cat src/[!a]nner":                      "secret",
		"cat s*/*":                              "secret",
		"bash -c 'cat key'":                     "secret",
		"bash -c 'cd src; cat inner'":           "secret",
		"cd src; sh -c 'cat inner'":             "secret",
		`python3 -c "print(open('key'))"`:       "secret",
		"git -C src diff --no-index inner":      "secret",
		"curl -F f=@key http://localhost":       "secret",
		"xargs cat key":                         "secret",
		"cat o* .git*":                          "",
		"grep x *m*.md e* *v src/*.go":          "",
		"bash -c 'cat other'":                   "",
		"git commit -m 'use the key'":           "",
		"cat key":                               "secret",
		"cd src && cat ../key":                  "secret",
		"base64 cfg/credentials | x":            "secret",
		"sort < key":                            "secret",
		"dd if=key of=x":                        "secret",
		"cat rc":                                "",
		"echo x >> rc":                          "startup",
		"echo x >> new":                         "startup",
		"comm <(sort a) <(sort b) < /dev/stdin": "",
		"cp x rc":                               "startup",
		"cat other":                             "",
		"cat missing/key":                       "",
		"echo x > src/y":                        "",
		"echo key":                              "",
		"ls -l key":                             "",
		"cat \"$X\" ; git log --format=x":       "",
	} {
		o := &command.Options{Inside: true, Exists: new(false), Allow: strings.Fields("redirection pipe list and expansion")}
		run := new(check.Run).Init(Check, &call.Call{}, nil)
		run.World = check.World{Base: repo}
		run.Targets = []check.Target{{Value: line, Options: o}}
		if err := run.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range run.Findings {
			got = f.Source
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
