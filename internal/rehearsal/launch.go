// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// Most servers are started by a launcher, which fetches them first. The sandbox has no network, so what a launcher needs must be
// in its cache. Some launchers hand their work to a daemon outside, where nothing is rehearsed.

// errElsewhere are reasons why a command cannot be rehearsed, with what to do.
var errElsewhere = map[string]error{
	"container": errors.New("a container is started by a daemon outside the sandbox, where nothing is rehearsed: rehearse the command that the image runs, on this machine"),
	"url":       errors.New("a server behind a URL runs elsewhere, where nothing is rehearsed: rehearse the command that starts it, where it runs"),
}

// containers are programs that ask a daemon, or need mounts that a sandbox forbids.
var containers = []string{"docker", "podman", "nerdctl", "docker-compose", "podman-compose", "finch", "container"}

// elsewhere returns an error for a command whose work is done outside a sandbox.
func elsewhere(command []string) error {
	program := filepath.Base(command[0])
	switch {
	case slices.Contains(containers, strings.TrimSuffix(program, ".exe")):
		return errElsewhere["container"]
	case len(command) == 1 && (strings.HasPrefix(command[0], "http://") || strings.HasPrefix(command[0], "https://")):
		return errElsewhere["url"]
	}
	return nil
}

// A launcher is a program that fetches a server and then runs it.
type launcher struct {
	fetch []string // a command that fetches the packages, and runs nothing of them; nil: none is known
	once  string   // what a person does instead
}

// launcherOf returns the launcher of a command, or nil.
func launcherOf(command []string) *launcher {
	program, args := strings.TrimSuffix(filepath.Base(command[0]), ".cmd"), command[1:]
	switch {
	case program == "npx":
		return npmLauncher(command[0], args)
	case program == "npm" && len(args) > 0 && (args[0] == "exec" || args[0] == "x"):
		return npmLauncher(command[0], args[1:])
	case slices.Contains([]string{"uvx", "pipx", "bunx", "deno"}, program),
		len(args) > 0 && slices.Contains([]string{"uv run", "uv tool", "pnpm dlx", "yarn dlx", "bun x", "go run"}, program+" "+args[0]):
		return &launcher{once: "run it once outside a rehearsal, so that its cache has what it fetches, and rehearse again"}
	}
	return nil
}

// npmLauncher returns the launcher of npx and npm exec. The packages are those of --package, or else the first argument.
func npmLauncher(program string, args []string) *launcher {
	l := &launcher{once: "run it once outside a rehearsal, so that the cache of npm has the package, and rehearse again"}
	var packages []string
	first := ""
	for i := 0; i < len(args) && first == ""; i++ {
		arg := args[i]
		name, value, given := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			if i+1 < len(args) {
				first = args[i+1]
			}
			i = len(args)
		case slices.Contains([]string{"-p", "--package"}, name):
			if !given && i+1 < len(args) {
				i++
				value = args[i]
			}
			packages = append(packages, value)
		case slices.Contains([]string{"-y", "--yes", "-q", "--quiet", "--no-install", "--silent", "-s"}, name):
		case strings.HasPrefix(arg, "-"):
			return l // an option that may have a value of its own
		default:
			first = arg
		}
	}
	if len(packages) == 0 && first != "" {
		packages = []string{first}
	}
	if len(packages) == 0 || slices.ContainsFunc(packages, func(p string) bool { return !registered(p) }) {
		return l
	}
	l.fetch = []string{filepath.Join(filepath.Dir(program), "npm"), "exec", "--yes", "--ignore-scripts"}
	if !strings.Contains(program, "/") {
		l.fetch[0] = "npm"
	}
	for _, p := range packages {
		l.fetch = append(l.fetch, "--package="+p)
	}
	l.fetch = append(l.fetch, "--", "true")
	return l
}

// registered reports whether a word names a package of a registry, and not a directory, an archive or a repository.
func registered(name string) bool {
	bare := strings.TrimPrefix(name, "@")
	return bare != "" && !strings.ContainsAny(bare, ":\\ ") && !strings.HasPrefix(bare, ".") && !strings.HasPrefix(bare, "/") &&
		strings.Count(bare, "/") == len(name)-len(bare)
}

// bring fetches what a launcher needs, outside the sandbox: it downloads packages into the launcher's cache, as a live start would,
// and runs nothing of them.
func (l *launcher) bring(ctx context.Context, dir string, env []string) error {
	var said tail
	p, err := process.Start(process.Command{Args: l.fetch, Env: env, Dir: dir, Stderr: &said})
	if err != nil {
		return err
	}
	p.Stdin().Close()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }() // it ends with the last writer
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(context.WithoutCancel(ctx))
		return ctx.Err()
	}
	if exit := p.Exit(); exit.Code != 0 {
		return fmt.Errorf("it %v: %s", exit, strings.Join(strings.Fields(string(said)), " "))
	}
	return nil
}

// A tail keeps the end of what is written.
type tail []byte

const maxTail = 400 // bytes

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-maxTail):]
	return len(p), nil
}
