// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// A value may become a part of the path of a request to a service. With .. in it, the request goes to another path of the service, with the server's own
// credentials: a tool that reads one item deletes another kind, or reads what no tool reads.

// A servicePath is the path of a request to a service.
type servicePath struct{ host, path string }

// maxPaths bounds the memory for a server that makes endless requests.
const maxPaths = 10_000

// notePath notes the path of a request, if a random name is in it.
func (c *canary) notePath(host, at string) {
	if plain, err := url.PathUnescape(at); err == nil && tokens.MatchString(plain) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.paths) < maxPaths {
			c.paths = append(c.paths, servicePath{host, at})
		}
	}
}

// requestsWith reports whether a request to a service had a name in its path.
func (c *canary) requestsWith(name string) bool { return len(c.pathsWith(name)) > 0 }

// pathsWith are the paths of requests with a name in them.
func (c *canary) pathsWith(name string) []servicePath {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []servicePath
	for _, p := range c.paths {
		if strings.Contains(p.path, name) {
			list = append(list, p)
		}
	}
	return list
}

// requestPath tries whether a value that becomes one part of a request's path can leave its place in it.
func (a *auditor) requestPath(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.URL)
	if a.session == nil || a.found(c) || p.kind != "" {
		return
	}
	name := a.world.name()
	a.call(ctx, t, t.sample(a.world, setting{p, name}))
	var places []servicePath // in which the name stands for itself, below something
	for _, at := range a.canary.pathsWith(name) {
		if path.Base(path.Dir(at.path)) != "/" && slices.Contains(strings.Split(at.path, "/"), name) {
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		return
	}
	for i, up := range []string{"../", "x/../../", "../../"} {
		fresh := a.world.name()
		value := up + fresh
		a.call(ctx, t, t.sample(a.world, setting{p, value}))
		for _, at := range a.canary.pathsWith(fresh) {
			if slices.ContainsFunc(places, func(was servicePath) bool { return was.host == at.host && leaves(was.path, name, at.path, fresh) }) {
				a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "request-path", Why: "a value with .. leads the request to another path of the service",
					Proof: &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, value}))), Seen: "a request with the path " + withoutTokens(path.Clean(at.path)) + " in place of " + withoutTokens(was(places, at.host)), Probes: i + 1}})
				return
			}
		}
	}
}

// was is the first of the places at a host.
func was(places []servicePath, host string) string {
	for _, p := range places {
		if p.host == host {
			return p.path
		}
	}
	return ""
}

// leaves reports whether a name stands in a path above the place where a plain one stood, as a server reads it.
func leaves(before, plain, after, fresh string) bool {
	dir, _, _ := strings.Cut(before, "/"+plain)
	now, _, ok := strings.Cut(path.Clean(after), "/"+fresh)
	return ok && now != dir && strings.HasPrefix(dir+"/", strings.TrimSuffix(now, "/")+"/")
}
