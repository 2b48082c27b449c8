// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// TestLaunchers holds what is fetched for the commands of launchers, and for which nothing is.
func TestLaunchers(t *testing.T) {
	t.Parallel()
	fetches := func(packages ...string) string {
		var list []string
		for _, p := range packages {
			list = append(list, "--package="+p)
		}
		return "npm exec --yes --ignore-scripts " + strings.Join(list, " ") + " -- true"
	}
	for command, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-filesystem /data": fetches("@modelcontextprotocol/server-filesystem"),
		"npx mcp-time@1.2.3":                          fetches("mcp-time@1.2.3"),
		"npx -y -p one --package=@a/two one -- x":     fetches("one", "@a/two"),
		"npm exec --yes -- mcp-time --flag":           fetches("mcp-time"),
		"npm x mcp-time":                              fetches("mcp-time"),
		"/opt/node/bin/npx -y mcp-time":               strings.Replace(fetches("mcp-time"), "npm", "/opt/node/bin/npm", 1),
		"npx --registry https://example.org mcp-time": "once",
		"npx ./server":                                "once",
		"npx git+https://example.org/a/b":             "once",
		"npx owner/repository":                        "once",
		"npx https://example.org/a.tgz":               "once",
		"npx -y":                                      "once",
		"npx":                                         "once",
		"npx -- -p":                                   "once",
		"uvx mcp-server-time --local-timezone=UTC":    "uv pip install --no-build --target . mcp-server-time",
		"uvx mcp-server-time@1.2":                     "uv pip install --no-build --target . mcp-server-time==1.2",
		"uvx mcp-server-time@latest":                  "uv pip install --no-build --target . mcp-server-time",
		"/a/uvx --python=3.12 --with a,b --from c d":  "/a/uv pip install --no-build --target . --python 3.12 c a b",
		"uv tool run mcp-server-time":                 "uv pip install --no-build --target . mcp-server-time",
		"uvx --from git+https://example.org/a/b c":    "once",
		"uvx --index https://example.org a":           "once",
		"uvx --with a":                                "once",
		"uv tool upgrade x":                           "once",
		"uv run --with a server.py":                   "once",
		"pipx run mcp-server-time":                    "once",
		"bunx mcp-time -y":                            "once",
		"bun x -p a@1 b":                              "once",
		"pnpm dlx mcp-time":                           "pnpm --ignore-scripts --package=mcp-time dlx true",
		"pnpx mcp-time":                               "pnpm --ignore-scripts --package=mcp-time dlx true",
		"pnpm dlx --allow-build=a a":                  "once",
		"yarn dlx -q mcp-time":                        "yarn dlx --package=mcp-time true",
		"yarn run x":                                  "",
		"go run example.org/x@latest --flag":          "go install example.org/x@latest",
		"/a/go run .":                                 "/a/go build -o /dev/null .",
		"go run -tags=a example.org/x@v1.0.0":         "go install -tags=a example.org/x@v1.0.0",
		"go run -tags a example.org/x@v1.0.0":         "once",
		"go run -exec=x example.org/x@v1.0.0":         "once",
		"go run -toolexec=x .":                        "once",
		"go run -ldflags=-extld=x .":                  "once",
		"go run -tags=a -overlay=x .":                 "once",
		"go run -o=/x .":                              "once",
		"go run -mod=mod .":                           "once",
		"go run":                                      "once",
		"go test":                                     "",
		"npm start":                                   "",
		"node server.js":                              "",
		"uv":                                          "",
	} {
		got := ""
		if l := launcherOf(strings.Fields(command)); l != nil {
			got = "once"
			if l.fetch != nil {
				got = strings.Join(l.fetch, " ")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", command, diff)
		}
	}
}

// TestElsewhere holds that commands whose work is done outside a sandbox say so.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]error{
		"docker run -i --rm mcp/time": errContainer, "/usr/bin/podman run x": errContainer,
		"https://example.org/mcp": errURL, "http://127.0.0.1:1/mcp": errURL, "dockerish run": nil, "node docker": nil,
	} {
		if got := elsewhere(strings.Fields(command)); !errors.Is(got, want) {
			t.Errorf("%s: %v", command, got)
		}
	}
	if _, err := Start(t.Context(), Config{Command: []string{"docker", "run", "x"}, Init: []string{"/absent"}}); !errors.Is(err, errContainer) {
		t.Errorf("got %v", err)
	}
}

// TestImage finds the image, which the advice names.
func TestImage(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"docker run -i --rm -e TOKEN --mount type=bind,src=/a,dst=/b -v a:/b mcp/time --flag": "mcp/time",
		"docker --context x run --env=A=1 --name n ghcr.io/a/b@sha256:0 run":                  "ghcr.io/a/b@sha256:0",
		"docker-compose up": "IMAGE", "docker run -i --rm": "IMAGE",
	} {
		if got := imageOf(strings.Fields(command)); got != want {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
	if err := elsewhere(strings.Fields("/usr/bin/podman run -i mcp/time")); !strings.Contains(err.Error(), "'podman image inspect mcp/time'") {
		t.Errorf("got %v", err)
	}
}

// TestFetch starts a server by a launcher whose cache is empty: toolvet fetches it outside, and says so. If it cannot be fetched,
// the error has both reasons.
func TestFetch(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	npx := program("npx", `[ -e "`+dir+`/cache" ] || { echo ENOTCACHED >&2; exit 1; }; exec "`+self+`" as-server`)
	program("npm", `echo no registry >&2; exit 3`)
	cfg := Config{Dir: t.TempDir(), Command: []string{npx, "-y", "some-server"}, Init: []string{self, "as-sandbox"}}
	if s, err := Start(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "ENOTCACHED") || !strings.Contains(err.Error(), "no registry") {
		t.Errorf("where nothing can be fetched: %v %v", s, err)
	}
	program("npm", `[ "$*" = "exec --yes --ignore-scripts --package=some-server -- true" ] && touch "`+dir+`/cache"`)
	s := startSession(t, cfg)
	if done := s.Call(t.Context(), Call{"run", arguments(t, map[string]string{"script": "true"})}); done.Result == nil {
		t.Fatal(done.Failed)
	}
	if why := whys(finish(t, s)); !strings.Contains(why, "the server was fetched outside, without its install scripts, by "+dir+"/npm exec") {
		t.Errorf("got %s", why)
	}
	again := startSession(t, cfg)
	if why := whys(finish(t, again)); strings.Contains(why, "fetched") {
		t.Errorf("from the cache: %s", why)
	}
}

// TestFetchers starts servers by launchers that need more than a cache: a variable inside, an empty directory, a fetch that ends with
// an error because it has nothing to run.
func TestFetchers(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	serve := `[ -e "$0.cache" ] || exit 1; exec "` + self + `" as-server`
	for command, script := range map[string]string{
		"go run example.org/x@latest": `if [ $1 = install ]; then [ "$GOBIN" = "$PWD" ] && [ -z "$(ls)" ] && touch "$0.cache"; exit; fi
			case $GOPROXY in file:///*/cache/download) ` + serve + `;; esac`,
		"yarn dlx x": `if [ $3 = true ]; then [ "$YARN_ENABLE_SCRIPTS" = false ] && touch "$0.cache"; exit 1; fi
			[ "$YARN_ENABLE_OFFLINE_MODE" = true ] && ` + serve,
		"pnpm dlx x": `if [ $1 = --ignore-scripts ]; then touch "$0.cache"; exit; fi; ` + serve,
	} {
		words := strings.Fields(command)
		words[0] = filepath.Join(t.TempDir(), words[0])
		if err := os.WriteFile(words[0], []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		s := startSession(t, Config{Dir: t.TempDir(), Command: words, Init: []string{self, "as-sandbox"}})
		if why := whys(finish(t, s)); !strings.Contains(why, "the server was fetched outside") {
			t.Errorf("%s: got %s", command, why)
		}
	}
}

// TestAbsent names a program that is not here, and what to do.
func TestAbsent(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), Config{Dir: t.TempDir(), Command: []string{"uvx-that-is-not-here", "x"}, Init: []string{self, "as-sandbox"}})
	if !errors.Is(err, process.ErrAbsent) || !strings.Contains(err.Error(), "cannot start \"uvx-that-is-not-here\": not found on PATH; install it or give its full path") {
		t.Errorf("got %v", err)
	}
}
