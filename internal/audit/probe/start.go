// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// begin starts the server for the first time. It tries the root first, in fairness to servers
// that take their working directory for their root, and then our directory. Environment variables
// that the server misses get made-up values.
func (a *auditor) begin(ctx context.Context) error {
	said := &tail{}
	a.launcher.stderr = said
	if a.cfg.Stderr != nil {
		a.launcher.stderr = io.MultiWriter(said, &oneByOne{w: a.cfg.Stderr})
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	a.launcher.command = a.commandLine(here)
	a.launcher.env = a.environment()
	dirs := []string{a.cfg.Dir}
	if a.cfg.Dir == "" {
		dirs = []string{a.world.inside("root"), here}
	}
	given := map[string]bool{}
	for attempt := 0; ; attempt++ {
		a.launcher.dir = dirs[0]
		a.session, err = a.launcher.start(ctx, &a.services)
		var missing *sandbox.UnsupportedError
		switch {
		case err == nil:
			if a.launcher.dir == here && a.cfg.Dir == "" {
				a.note("the server does not start in the audit's directory: it was started in the working directory")
			}
			return nil
		case errors.As(err, &missing), ctx.Err() != nil, attempt >= maxAttempts, errors.Is(err, context.DeadlineExceeded):
			return err
		}
		name := lacking(said.text()+err.Error(), given)
		switch {
		case name != "":
			given[name] = true
			a.launcher.env = append(a.launcher.env, name+"="+madeUp(name))
			a.note("the server needs %s, and got a made-up value (--env gives another)", name)
		case len(dirs) > 1:
			dirs = dirs[1:]
		default:
			return err
		}
		said.reset()
	}
}

// maxAttempts bounds the attempts at the first start.
const maxAttempts = 6

// variable finds names of variables of the environment that hold credentials or addresses.
var variable = lazyregexp.New(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|PAT|ID|URL|URI|HOST|ENDPOINT|USER|USERNAME|EMAIL|DOMAIN|ORG|TEAM)\b`)

// lacking is a variable in the last words of a failing server that it was not given.
func lacking(said string, given map[string]bool) string {
	for _, name := range variable.FindAllString(said, 100) {
		if _, here := os.LookupEnv(name); !given[name] && !here && !strings.HasPrefix(name, "NODE_") {
			return name
		}
	}
	return ""
}

func madeUp(name string) string {
	switch {
	case strings.HasSuffix(name, "URL"), strings.HasSuffix(name, "URI"), strings.HasSuffix(name, "ENDPOINT"):
		return "http://" + serviceHost
	case strings.HasSuffix(name, "HOST"), strings.HasSuffix(name, "DOMAIN"):
		return serviceHost
	case strings.HasSuffix(name, "EMAIL"):
		return "audit@" + serviceHost
	}
	return "audit-0123456789abcdef0123456789abcdef"
}

// commandLine is the command inside the sandbox. Without [Root] in it, a directory at
// its end is taken for the server's root.
func (a *auditor) commandLine(here string) []string {
	root := a.world.inside("root")
	args := slices.Clone(a.cfg.Command)
	explicit := a.cfg.placesRoot()
	a.rootGiven = explicit
	for i, arg := range args {
		switch {
		case strings.Contains(arg, Root):
			args[i] = strings.ReplaceAll(arg, Root, root)
		case i == 0:
			args[i] = program(arg, here)
		case strings.HasPrefix(arg, "-"):
		case !explicit && rootLike(args, i, here):
			a.note("the argument %d of the command is a directory: in its place the server was given the audit's own (write %s to say where it goes)", i, Root)
			args[i], a.rootGiven = root, true
		default:
			if path := filepath.Join(here, arg); !filepath.IsAbs(arg) && strings.ContainsAny(arg, "./") && exists(path) {
				args[i] = path // the server has another working directory
			}
		}
	}
	return args
}

// placesRoot reports whether the command or its environment contains [Root].
func (c *Config) placesRoot() bool {
	return slices.ContainsFunc(slices.Concat(c.Command, c.Env), func(s string) bool { return strings.Contains(s, Root) })
}

// program is the path of the server's program.
func program(name, here string) string {
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		return filepath.Join(here, name)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) { // inside, other directories come before it
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) && info.Mode()&0o111 != 0 && !info.IsDir() {
			return filepath.Join(dir, name)
		}
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rootLike reports whether an argument is a directory to work in, and not the place of the
// server's code.
func rootLike(args []string, i int, here string) bool {
	path := args[i]
	if !filepath.IsAbs(path) {
		path = filepath.Join(here, path)
	}
	info, err := os.Stat(path)
	switch name := filepath.Base(args[0]); {
	case err != nil || !info.IsDir():
		return false
	case strings.HasPrefix(args[i-1], "-") && i > 1 && args[i-1] != "-y" && args[i-1] != "--":
		return rootFlag.MatchString(args[i-1])
	case name == "go":
		return i > 2
	case i == 1:
		return !slices.Contains([]string{"node", "bun", "deno", "tsx"}, name) && !strings.HasPrefix(name, "python")
	}
	return true
}

// rootFlag finds flags for a directory to work in.
var rootFlag = lazyregexp.New(`^--?(allow(ed)?(-dir(ectory|ectories|s)?)?|root(-dir)?|base(-dir)?|data(-dir)?|workspace|storage|notes?(-dir)?|vault|docs?(-dir)?|dir|path|repository)$`)

// environment is a clean environment. Caches of launchers stay reachable, because the network is
// not.
func (a *auditor) environment() []string {
	home, _ := os.UserHomeDir() // without one there are no caches
	env := []string{
		"HOME=" + a.world.inside("home"), "USER=audit", "LOGNAME=audit", "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=/tmp",
		"PATH=" + a.world.inside("bin") + ":" + os.Getenv("PATH"),
		"npm_config_offline=true", "npm_config_update_notifier=false", "UV_OFFLINE=1", "GOPROXY=off", "NO_COLOR=1",
	}
	for name, dir := range map[string]string{
		"npm_config_cache": ".npm", "UV_CACHE_DIR": ".cache/uv", "UV_PYTHON_INSTALL_DIR": ".local/share/uv/python", "UV_TOOL_DIR": ".local/share/uv/tools",
		"PYENV_ROOT": ".pyenv", "VOLTA_HOME": ".volta", "GOPATH": "go", "GOCACHE": ".cache/go-build", "BUN_INSTALL": ".bun", "DENO_DIR": ".cache/deno",
		"PLAYWRIGHT_BROWSERS_PATH": ".cache/ms-playwright", "PUPPETEER_CACHE_DIR": ".cache/puppeteer", "CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup",
	} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		} else if path := filepath.Join(home, dir); home != "" && exists(path) {
			env = append(env, name+"="+path)
		}
	}
	if browser := program("chromium", "/"); browser != "chromium" {
		env = append(env, "CHROME_PATH="+browser, "PUPPETEER_EXECUTABLE_PATH="+browser)
	}
	slices.Sort(env)
	for _, v := range a.cfg.Env {
		env = append(env, strings.ReplaceAll(v, Root, a.world.inside("root")))
	}
	return env
}

// A tail is the end of a server's standard error.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// maxTail bounds a tail, in bytes.
const maxTail = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Write(p[max(0, len(p)-maxTail):])
	t.b.Next(max(0, t.b.Len()-maxTail))
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Reset()
}

// oneByOne lets several sessions write to one place.
type oneByOne struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *oneByOne) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}
