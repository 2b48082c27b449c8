// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A value may become a part of the path of a request to a service. With .. in it, the request goes to another path of the service, with the server's own
// credentials: a tool that reads one item deletes another kind, or reads what no tool reads.

// A servicePath is the path of a request to a service.
type servicePath struct{ host, path string }

// Bounds of the memory for a server that makes endless requests: the paths that one name is looked for in, and their length in bytes.
const (
	maxPaths      = 200
	maxPathLength = 4096
)

// expectPath looks for a random name in the paths of requests from now on, until [canary.forgetPath]. The names of others cannot take its room.
func (c *canary) expectPath(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[name] = nil
}

// forgetPath looks for a name no longer.
func (c *canary) forgetPath(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.paths, name)
}

// notePath notes the path of a request, if an expected name is in it.
func (c *canary) notePath(host, at string) {
	if len(at) > maxPathLength {
		return
	}
	plain, err := url.PathUnescape(at)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, list := range c.paths {
		if p := (servicePath{host, at}); strings.Contains(plain, name) && len(list) < maxPaths && !slices.Contains(list, p) {
			c.paths[name] = append(list, p)
		}
	}
}

// requestsWith reports whether a request to a service had an expected name in its path.
func (c *canary) requestsWith(name string) bool { return len(c.pathsWith(name)) > 0 }

// pathsWith are the paths of requests with an expected name in them, sorted: a server may make several requests at the same time.
func (c *canary) pathsWith(name string) []servicePath {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.paths[name]), func(x, y servicePath) int {
		return cmp.Or(strings.Compare(x.host, y.host), strings.Compare(x.path, y.path))
	})
}

// requestPath tries whether a value that becomes one part of a request's path can leave its place in it.
func (a *auditor) requestPath(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.URL)
	if a.session == nil || a.found(c) || p.kind != "" {
		return
	}
	// requested are the paths of the requests for a value, with a name in it.
	requested := func(value, name string) []servicePath {
		a.canary.expectPath(name)
		defer a.canary.forgetPath(name)
		a.call(ctx, t, t.sample(a.world, setting{p, value}))
		return a.canary.pathsWith(name)
	}
	name := a.world.name()
	plain := requested(name, name)
	if !slices.ContainsFunc(plain, func(at servicePath) bool { return standsBelow(at.path, name) }) {
		return
	}
	for i, up := range []string{"../", "x/../../", "../../"} {
		fresh := a.world.name()
		value := up + fresh
		was, now, ok := leaving(plain, name, requested(value, fresh), fresh)
		if !ok {
			continue
		}
		// A tool may ask another way for whatever has a slash in it, or take what is behind the last one.
		control := a.world.name()
		for _, at := range requested(strings.ReplaceAll(up, "..", "x")+control, control) {
			ok = ok && !now.same(fresh, at, control)
		}
		if !ok {
			continue
		}
		confidence, why := audit.Proven, "a value with .. leads the request to another path of the service"
		if p.namesRequest() {
			confidence, why = audit.Metadata, "a value with .. leads the request to another path of the service: to name one is what the parameter is for"
		}
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: confidence, Kind: "request-path", Why: why,
			Proof: &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, value}))), Seen: "a request with the path " + now.shown() + " in place of " + was.shown(), Probes: i + 1}})
		return
	}
}

// standsBelow reports whether a name stands for itself in a path, below something.
func standsBelow(at, name string) bool {
	dir, _, ok := strings.Cut(at+"/", "/"+name+"/")
	return ok && strings.Trim(dir, "/") != ""
}

// leaving is the first request that left the place of a plain one, and that one. A place where a plain value stood, too, shows nothing.
func leaving(plain []servicePath, name string, requests []servicePath, fresh string) (was, now servicePath, ok bool) {
	for _, now := range requests {
		if slices.ContainsFunc(plain, func(p servicePath) bool { return now.same(fresh, p, name) }) {
			continue
		}
		for _, was := range plain {
			if was.host == now.host && standsBelow(was.path, name) && leaves(was.path, name, now.path, fresh) {
				return was, now, true
			}
		}
	}
	return was, now, false
}

// same reports whether two requests differ by a name alone, as a server reads them.
func (p servicePath) same(name string, other servicePath, otherName string) bool {
	return p.host == other.host && path.Clean(strings.ReplaceAll(p.path, name, otherName)) == path.Clean(other.path)
}

// shown is the path fit for a report, which is the same each time: parts that look like counters, times and identifiers are not.
func (p servicePath) shown() string {
	return show(changing.ReplaceAllString(withoutTokens(path.Clean(p.path)), "RANDOM"))
}

// changing finds parts of a path that may be others with each start of a server.
var changing = lazyregexp.New(`[0-9a-fA-F]{8}-[0-9a-fA-F-]{8,}|\b[0-9a-fA-F]{12,}\b|[0-9]{6,}`)

// namesRequest reports whether a parameter is meant for the path of a request.
func (p *parameter) namesRequest() bool {
	return requestName.MatchString(p.name) || requestWords.MatchString(p.description)
}

var (
	requestName  = lazyregexp.New(`(?i)^(api|rest|request|url|http)?[_-]?(paths?|endpoints?|routes?|uris?|urls?)$|(Endpoint|Route|Ur[il]|[aA]piPath|[rR]equestPath)$`)
	requestWords = lazyregexp.New(`(?i)\b((API|REST|request|HTTP|URL|resource) (end ?point|path|route|URL)|endpoint path|path of the (API|request|URL|endpoint))\b`)
)

// leaves reports whether a name stands in a path above the place where a plain one stood, as a server reads it.
func leaves(before, plain, after, fresh string) bool {
	dir, _, _ := strings.Cut(before, "/"+plain)
	now, _, ok := strings.Cut(path.Clean(after), "/"+fresh)
	return ok && now != dir && strings.HasPrefix(dir+"/", strings.TrimSuffix(now, "/")+"/")
}
