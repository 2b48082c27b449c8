// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Most servers are started by a launcher, which fetches them first. The sandbox has no network, so what a launcher needs must be
// in its cache. Some launchers hand their work to a daemon outside, where nothing is rehearsed.

// Reasons why a command cannot be rehearsed.
var (
	errContainer = errors.New("a container is started by a daemon outside the sandbox, where nothing is rehearsed")
	errURL       = errors.New("a server behind a URL runs elsewhere, where nothing is rehearsed: rehearse the command that starts it, where it runs")
)

// containers are programs that ask a daemon, or need mounts that a sandbox forbids.
var containers = []string{"docker", "podman", "nerdctl", "docker-compose", "podman-compose", "finch", "container"}

// elsewhere returns an error for a command whose work is done outside a sandbox.
func elsewhere(command []string) error {
	program := filepath.Base(command[0])
	switch {
	case slices.Contains(containers, strings.TrimSuffix(program, ".exe")):
		image := imageOf(command)
		return fmt.Errorf("%[1]w: rehearse its program on this machine: '%[2]s image inspect %[3]s' names the program, its directory and its variables, "+
			"and '%[2]s create --name copy %[3]s' with '%[2]s cp copy:DIRECTORY .' copies its files", errContainer, program, image)
	case len(command) == 1 && (strings.HasPrefix(command[0], "http://") || strings.HasPrefix(command[0], "https://")):
		return errURL
	}
	return nil
}

// switches are options of "docker run" without a value.
var switches = []string{"-i", "-t", "-it", "-ti", "-d", "--rm", "--init", "--interactive", "--tty", "--privileged", "--read-only", "--detach"}

// imageOf returns the image of a command that runs a container: the first word that is no option or its value.
func imageOf(command []string) string {
	at := slices.Index(command, "run")
	for i := at + 1; at > 0 && i < len(command); i++ {
		switch word := command[i]; {
		case !strings.HasPrefix(word, "-"):
			return word
		case !strings.Contains(word, "=") && !slices.Contains(switches, word):
			i++ // its value
		}
	}
	return "IMAGE"
}

// A launcher is a program that fetches a server and then runs it.
type launcher struct {
	fetch   []string // a command that fetches the packages, and runs nothing of them; nil: none is known
	env     []string // further variables of it
	scratch bool     // it runs in an empty directory of its own, which is removed
	fails   bool     // it fails after the fetch, because it has nothing to run
	inside  []string // variables that make the launcher do without a network
	once    string   // what a person does instead
}

const runOnce = "run it once outside a rehearsal, so that its cache has what it fetches, and rehearse again"

// nothing is a program that does nothing, which launchers run in the place of a server.
const nothing = "true"

// launcherOf returns the launcher of a command, or nil.
func launcherOf(command []string) *launcher {
	program, args := strings.TrimSuffix(filepath.Base(command[0]), ".cmd"), command[1:]
	if len(args) > 0 && slices.Contains([]string{"npm exec", "npm x", "bun x", "pnpm dlx", "yarn dlx", "uv tool", "uv run", "go run"}, program+" "+args[0]) {
		program, args = program+" "+args[0], args[1:]
	}
	if program == "uv tool" && len(args) > 0 && args[0] == "run" {
		program, args = "uvx", args[1:]
	}
	beside := func(name string) string {
		if !strings.Contains(command[0], "/") {
			return name
		}
		return filepath.Join(filepath.Dir(command[0]), name)
	}
	l := &launcher{once: runOnce}
	switch program {
	case "npx", "npm exec", "npm x":
		l.once = "run it once outside a rehearsal, so that the cache of npm has the package, and rehearse again"
		packages, _, elsewhere := packagesOf(args, npmWords)
		switch {
		case packages != nil:
			l.fetch = slices.Concat([]string{beside("npm"), "exec", "--yes", "--ignore-scripts"}, prefixed("--package=", packages), []string{"--", nothing})
		case elsewhere:
			l.once = "npm asks the place of such a package at each start, and runs the scripts in it to build it: install it once (npm install -g), and rehearse the command that this installs"
		}
	case "pnpx", "pnpm dlx":
		if packages, _, _ := packagesOf(args, npmWords); packages != nil {
			l.fetch = slices.Concat([]string{beside("pnpm"), "--ignore-scripts"}, prefixed("--package=", packages), []string{"dlx", nothing})
		}
	case "bunx", "bun x": // its cache keeps no server that was fetched with --ignore-scripts
		l.once = runOnce + "; or rehearse npx -y in the place of " + program
	case "yarn dlx":
		if packages, _, _ := packagesOf(args, npmWords); packages != nil {
			l.fetch = slices.Concat([]string{command[0], "dlx"}, prefixed("--package=", packages), []string{nothing})
			l.env, l.fails = []string{"YARN_ENABLE_SCRIPTS=false"}, true
		}
	case "uvx":
		if packages, options, _ := packagesOf(args, uvWords); packages != nil {
			// uvx itself runs the new environment's Python, and so what packages have in .pth files.
			l.fetch = slices.Concat([]string{beside("uv"), "pip", "install", "--no-build", "--target", "."}, options, packages)
			l.scratch = true
		}
	case "go run": // the compiler runs nothing of what it compiles, unless a flag names a linker or another program
		l.inside = moduleCache()
		flags, at := 0, slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
		flags = max(at, 0)
		switch ok := at >= 0 && !slices.ContainsFunc(args[:flags], func(a string) bool { return !strings.HasPrefix(a, "-tags=") }); {
		case ok && strings.Contains(args[at], "@"):
			l.fetch = slices.Concat([]string{command[0], "install"}, args[:at+1])
			l.env, l.scratch = []string{"GOBIN=."}, true
		case ok:
			l.fetch = slices.Concat([]string{command[0], "build", "-o", os.DevNull}, args[:at+1])
		}
	case "pipx":
		l.once = "pipx has no cache that works without a network: install it (pipx install), and rehearse the command that this installs"
	case "deno", "uv run", "uv tool":
	default:
		return nil
	}
	return l
}

// Fetch returns a command line that fetches the packages of npm in a server's command; "": none are known.
func Fetch(command []string) string {
	l := launcherOf(command)
	if l == nil || len(l.fetch) == 0 || filepath.Base(l.fetch[0]) != "npm" {
		return ""
	}
	return strings.Join(l.fetch, " ")
}

func prefixed(prefix string, words []string) (list []string) {
	for _, w := range words {
		list = append(list, prefix+w)
	}
	return list
}

// words are the options of a launcher before the server's command.
type words struct {
	packages []string // options with a package
	with     []string // options with a package in addition to the command's
	valued   []string // options with a value that matters to the fetch
	bare     []string // options that do not matter
	spec     func(string) string
}

var npmWords = words{packages: []string{"-p", "--package"}, bare: []string{"-y", "--yes", "-q", "--quiet", "--no-install", "--silent", "-s", "--bun"}}

var uvWords = words{
	packages: []string{"--from"}, with: []string{"-w", "--with"}, valued: []string{"-p", "--python"},
	bare: []string{"-q", "--quiet", "--isolated", "--no-progress", "--offline"},
	spec: func(name string) string { // NAME@VERSION is only known to uvx
		name, version, given := strings.Cut(name, "@")
		if !given || version == "latest" {
			return name
		}
		return name + "==" + version
	},
}

// packagesOf returns the packages of a launcher's arguments: those of its options, or else its first argument. It returns none if it
// does not know an option, which may have a value of its own, or if a package is not one of a registry: then it lies elsewhere.
func packagesOf(args []string, w words) (packages, options []string, elsewhere bool) {
	var with []string
	first := ""
	for i := 0; i < len(args) && first == ""; i++ {
		name, value, given := strings.Cut(args[i], "=")
		takes := slices.Contains(slices.Concat(w.packages, w.with, w.valued), name)
		if takes && !given && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch {
		case args[i] == "--":
			if i+1 < len(args) {
				first = args[i+1]
			}
			i = len(args)
		case slices.Contains(w.packages, name):
			packages = append(packages, value)
		case slices.Contains(w.with, name):
			with = append(with, strings.Split(value, ",")...)
		case takes:
			options = append(options, name, value)
		case slices.Contains(w.bare, name):
		case strings.HasPrefix(name, "-"):
			return nil, nil, false
		default:
			first = args[i]
		}
	}
	if len(packages) == 0 && first != "" {
		packages = []string{first}
	}
	packages = append(packages, with...)
	switch {
	case len(packages) == len(with):
		return nil, nil, false
	case slices.ContainsFunc(packages, func(p string) bool { return !registered(p) }):
		return nil, nil, true
	}
	for i, p := range packages {
		if w.spec != nil {
			packages[i] = w.spec(p)
		}
	}
	return packages, options, false
}

// moduleCache makes go take modules from its cache, the newest version too.
func moduleCache() []string {
	dir := os.Getenv("GOMODCACHE")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		path, _, _ := strings.Cut(cmp.Or(os.Getenv("GOPATH"), filepath.Join(home, "go")), string(os.PathListSeparator))
		dir = filepath.Join(path, "pkg", "mod")
	}
	return []string{"GOPROXY=file://" + filepath.Join(dir, "cache", "download")}
}

// registered reports whether a word names a package of a registry, and not a directory, an archive or a repository.
func registered(name string) bool {
	bare := strings.TrimPrefix(name, "@")
	return bare != "" && !strings.HasPrefix(bare, "-") && !strings.ContainsAny(bare, ":\\ ") && !strings.HasPrefix(bare, ".") && !strings.HasPrefix(bare, "/") &&
		strings.Count(bare, "/") == len(name)-len(bare)
}

// bring fetches what a launcher needs, outside the sandbox: it downloads packages into the launcher's cache, as a live start would,
// and runs nothing of them.
func (l *launcher) bring(ctx context.Context, dir string, env []string) error {
	var said tail
	if l.scratch {
		scratch, err := os.MkdirTemp("", "toolvet-fetch-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		dir = scratch
	}
	for i, v := range l.env {
		if v == "GOBIN=." { // it must be absolute
			l.env[i] = "GOBIN=" + dir
		}
	}
	env = merge(env, l.env)
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
	if exit := p.Exit(); exit.Code != 0 && !l.fails {
		return fmt.Errorf("%s %v: %s", strings.Join(l.fetch, " "), exit, said.why())
	}
	return nil
}

// A tail keeps the end of what is written.
type tail []byte

const maxTail = 4 << 10 // bytes

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-maxTail):]
	return len(p), nil
}

// why returns what says why a program failed: its first two lines about errors, or else its last two.
func (t *tail) why() string {
	lines := strings.Split(strings.TrimSpace(string(*t)), "\n")
	errs := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(strings.ToLower(line), "error") })
	if len(errs) > 0 {
		lines = errs[:min(2, len(errs))]
	}
	lines = lines[max(0, len(lines)-2):]
	return strictjson.Printable(strings.Join(strings.Fields(strings.Join(lines, "; ")), " "), maxAddress)
}
