// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A source is the tree that is built.
type source struct {
	root   string    // the repository
	commit string    // with "-modified" if the tree has changes
	at     time.Time // of the commit: the time of all files in archives
}

// readSource asks git about the tree. A tree without git needs the commit in full and SOURCE_DATE_EPOCH.
func readSource(ctx context.Context, root, commit string) (*source, error) {
	if commit != "" {
		seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
		if err != nil {
			return nil, errors.New("with -commit, SOURCE_DATE_EPOCH must hold the commit's time in seconds")
		}
		return &source{root, commit, time.Unix(seconds, 0)}, nil
	}
	out, err := run(ctx, root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &commit, &seconds); err != nil {
		return nil, fmt.Errorf("git log said %q: %w", out, err)
	}
	if out, err = run(ctx, root, nil, "git", "status", "--porcelain"); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(out)) > 0 {
		commit += "-modified"
	}
	return &source{root, commit, time.Unix(seconds, 0)}, nil
}

// run returns the output of a program; its error holds what the program complained about.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// A build is a target with its program, and the texts that go with it.
type build struct {
	target
	program []byte
	modules []*module
	texts   []file // LICENSE and the like
}

// environment fixes what changes the bytes of a program: variables of whoever runs this must not.
func environment(t target) []string {
	return []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG="}
}

// compile builds the program of a target. Equal sources and an equal version of Go give equal bytes, in any directory and
// on any system: -trimpath leaves the directories out, and nothing adds a time. The commit comes from the linker instead of
// Go's own stamp, which depends on the tags that a clone has.
func (c *config) compile(ctx context.Context, s *source, t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolvet-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, c.Name)
	_, err = run(ctx, s.root, environment(t), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X "+c.Commit+"="+s.commit, "-o", name, c.Package)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// texts are the documents beside a program.
func (c *config) texts(s *source, modules []*module) ([]file, error) {
	var list []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, 0o644, data})
	}
	return append(list, file{"THIRD_PARTY_NOTICES.txt", 0o644, c.notices(modules)}), nil
}
