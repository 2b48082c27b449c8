// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// publish tags the commit for all modules and pushes the tags. The workflow .github/workflows/release.yml starts
// with the last of them: it builds everything again, tests it, signs it and publishes it. Nothing from this machine is published.
func (c *config) publish(ctx context.Context, s *source, in io.Reader, out io.Writer) error {
	if strings.HasSuffix(s.commit, "-modified") {
		return errors.New("the tree has changes: commit them first")
	}
	changes, err := os.ReadFile(filepath.Join(s.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if !bytes.Contains(changes, []byte("\n## ["+c.version+"]")) {
		return fmt.Errorf(`CHANGELOG.md has no section "## [%s]": name the unreleased changes so`, c.version)
	}
	if _, err := run(ctx, s.root, nil, "git", "fetch", "origin", "main"); err != nil {
		return err
	}
	if _, err := run(ctx, s.root, nil, "git", "merge-base", "--is-ancestor", s.commit, "origin/main"); err != nil {
		return fmt.Errorf("commit %s is not in origin/main: push it first", s.commit)
	}
	tags := c.tags()
	fmt.Fprintf(out, "commit %s of %s gets the tags %s.\nThe workflow \"release\" then publishes %s %s. Tags of modules cannot be taken back.\nGo on? [y/N] ",
		s.commit, s.at.UTC().Format("2006-01-02"), strings.Join(tags, ", "), c.Name, c.version)
	answer, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if err != nil || strings.TrimSpace(strings.ToLower(answer)) != "y" {
		return errors.New("nothing is published")
	}
	for _, tag := range tags {
		if _, err := run(ctx, s.root, nil, "git", "tag", "-a", tag, "-m", c.Name+" "+c.version, s.commit); err != nil {
			return err
		}
	}
	// GitHub starts no workflow if more than three tags arrive together. So the library's own, which starts it, comes alone
	// and last.
	for _, some := range [][]string{tags[1:], tags[:1]} {
		if _, err := run(ctx, s.root, nil, "git", append([]string{"push", "--atomic", "origin"}, some...)...); err != nil {
			return fmt.Errorf("the tags are made here, and not all are pushed: %w", err)
		}
	}
	_, err = fmt.Fprintf(out, "pushed. %s/actions shows the rest\n", c.Repository)
	return err
}

// tags are those of all modules, the library's first: Go finds the version of a module below the root by its directory.
func (c *config) tags() []string {
	var list []string
	for _, m := range c.Modules {
		if m != "" {
			m += "/"
		}
		list = append(list, m+"v"+c.version)
	}
	return list
}
