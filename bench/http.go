// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peerVersion is the version of supergateway in the comparison.
const peerVersion = "4.0.0"

// The names of the paths over HTTP.
const (
	plain   = "net/http's reverse proxy"
	reverse = "toolvet proxy, HTTP to HTTP"
	serve   = "toolvet serve, HTTP to HTTP"
	bridge  = "toolvet proxy, HTTP to stdio"
	peer    = "supergateway, HTTP to stdio"
)

// An httpServer is a server that speaks HTTP, and stdio to bridges.
type httpServer struct {
	name string
	// http returns the command that serves /mcp at a port, and its environment.
	http  func(port int) (env, command []string)
	stdio []string
}

func httpServers(stdio []server) []httpServer {
	var list []httpServer
	for _, s := range stdio {
		if s.name == fast {
			list = append(list, httpServer{s.name + ", JSON", func(port int) ([]string, []string) {
				return nil, append(s.command, "-listen", address(port))
			}, s.command})
			continue
		}
		if s.name != everything {
			for _, answers := range []string{"JSON", "SSE"} {
				list = append(list, httpServer{s.name + ", " + answers, func(port int) ([]string, []string) {
					return nil, append(s.command, "-listen", address(port), fmt.Sprintf("-json=%t", answers == "JSON"))
				}, s.command})
			}
			continue
		}
		list = append(list, httpServer{s.name + ", SSE", func(port int) ([]string, []string) {
			return []string{fmt.Sprintf("PORT=%d", port)}, []string{s.command[0], s.command[1], "streamableHttp"}
		}, s.command})
	}
	return list
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

func endpoint(port int) string { return "http://" + address(port) + "/mcp" }

// installPeer returns the file of supergateway: from the flag, or installed by npm in dir. If it is missing, left
// tells why.
func installPeer(ctx context.Context, file, dir string) (_, left string, err error) {
	if file != "" {
		return file, "", nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Sprintf("supergateway is left out: %v: install Node.js 20 or later", err), nil
	}
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "supergateway@"+peerVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("npm cannot install supergateway, which -supergateway can name: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return filepath.Join(dir, "node_modules", "supergateway", "dist", "index.js"), "", nil
}

// measureHTTP measures all paths over HTTP to each server, with each size of argument. Peer may be "".
func measureHTTP(ctx context.Context, f flags, p programs, servers []httpServer, peerFile, dir string) ([]group, error) {
	var groups []group
	for _, s := range servers {
		for _, size := range f.sizes {
			all, err := s.measure(ctx, p, peerFile, dir, size, f.counts)
			if err != nil {
				return nil, fmt.Errorf("%s, %d bytes: %w", s.name, size, err)
			}
			groups = append(groups, group{s.name, size, all})
		}
	}
	return groups, nil
}

func (s *httpServer) measure(ctx context.Context, p programs, peerFile, dir string, size int, n counts) ([]*series, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	env, command := s.http(port)
	server, err := startDaemon(ctx, env, command...)
	if err != nil {
		return nil, err
	}
	defer server.close()
	paths := []path{
		{direct, func(ctx context.Context) (caller, error) { return connect(ctx, endpoint(port), server) }},
		overHTTP(plain, func(own int) []string {
			return []string{p.reverseProxy, "-listen", address(own), "-upstream", "http://" + address(port)}
		}),
		overHTTP(reverse, func(own int) []string {
			return []string{p.toolvet, "proxy", "--listen", address(own), "--upstream", endpoint(port)}
		}),
		overHTTP(bridge, func(own int) []string {
			return append([]string{p.toolvet, "proxy", "--listen", address(own), "--"}, s.stdio...)
		}),
	}
	policy := filepath.Join(dir, "serve.yaml")
	if err := os.WriteFile(policy, fmt.Appendf(nil, "version: 1\nservers: {echo: {url: %q}}\n", endpoint(port)), 0o600); err != nil {
		return nil, err
	}
	paths = append(paths, named("echo__echo", overHTTP(serve, func(own int) []string {
		return []string{p.toolvet, "serve", "--policy", policy, "--listen", address(own)}
	})))
	if peerFile != "" {
		paths = append(paths, overHTTP(peer, func(own int) []string {
			return []string{"node", peerFile, "--stdio", `"` + strings.Join(s.stdio, `" "`) + `"`, "--outputTransport", "streamableHttp",
				"--stateful", "--port", fmt.Sprint(own), "--logLevel", "none", "--protocolVersion", "2025-11-25"}
		}))
	}
	return measure(ctx, paths, size, n)
}

// named returns a path on which the tool echo has another name.
func named(tool string, p path) path {
	return path{p.name, func(ctx context.Context) (caller, error) {
		c, err := p.open(ctx)
		if err == nil {
			c.(*httpClient).tool = tool
		}
		return c, err
	}}
}

// overHTTP returns the path through a program that serves /mcp at a port.
func overHTTP(name string, command func(port int) []string) path {
	return path{name, func(ctx context.Context) (caller, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		program, err := startDaemon(ctx, nil, command(port)...)
		if err != nil {
			return nil, err
		}
		c, err := connect(ctx, endpoint(port), program)
		if err != nil {
			program.close()
			return nil, err
		}
		c.program = program
		return c, nil
	}}
}

// runHTTP prints the tables of the paths over HTTP.
func runHTTP(ctx context.Context, f flags, p programs, stdio []server, dir string, out io.Writer) error {
	peerDir := filepath.Join(dir, "peer")
	if err := os.Mkdir(peerDir, 0o700); err != nil {
		return err
	}
	peerFile, left, err := installPeer(ctx, f.peer, peerDir)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	if left != "" {
		fmt.Fprintln(out, left)
	}
	groups, err := measureHTTP(ctx, f, p, httpServers(stdio), peerFile, dir)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	f.header(out)
	writeTable(out, groups)
	fmt.Fprintln(out)
	writeHTTPRatios(out, groups)
	return nil
}

// writeHTTPRatios prints the added cost of the proxy and the gateway, their time as a share of that of net/http's
// reverse proxy, and the cost of the bridge as a share of supergateway's.
func writeHTTPRatios(w io.Writer, groups []group) {
	fmt.Fprintln(w, "| server | argument | added p50 µs, reverse proxy | … toolvet proxy | … toolvet serve | p50 of the reverse proxy's, toolvet proxy | … toolvet serve |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|")
	for _, g := range groups {
		least, through, gateway := g.find(plain), g.find(reverse), g.find(serve)
		if least == nil || through == nil || gateway == nil {
			continue
		}
		base := g.series[0].percentile(0.5)
		fmt.Fprintf(w, "| %s | %d B | %s | %s | %s | %s | %s |\n", g.server, g.size,
			micros(least.percentile(0.5)-base), micros(through.percentile(0.5)-base), micros(gateway.percentile(0.5)-base),
			ratio(through.percentile(0.5), least.percentile(0.5)), ratio(gateway.percentile(0.5), least.percentile(0.5)))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| server | argument | added p50 µs, HTTP to stdio | p50 of supergateway's | CPU of supergateway's, one at a time | CPU of supergateway's, 16 in flight |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|")
	for _, g := range groups {
		ours, theirs := g.find(bridge), g.find(peer)
		if ours == nil || theirs == nil {
			continue
		}
		base := g.series[0].percentile(0.5)
		fmt.Fprintf(w, "| %s | %d B | %s | %s | %s | %s |\n", g.server, g.size, micros(ours.percentile(0.5)-base),
			ratio(ours.percentile(0.5), theirs.percentile(0.5)), ratio(ours.cpuOne, theirs.cpuOne), ratio(ours.cpuFlood, theirs.cpuFlood))
	}
}
