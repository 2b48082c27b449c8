// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// confines are the directories that paths must stay in, compiled once for options
// and a world.
type confines struct {
	given  []string // the roots that they were made of
	source []string // a copy of it
	base   string
	other  string // the world's platform
	remote bool

	platform platform
	known    bool // the directories are known, perhaps none of them usable
	roots    map[string]struct{}
	lenient  map[string]struct{} // lenient readings of the roots, beside these
	longest  int                 // length of the longest key
	network  bool                // a root is a network share
	names    []string            // of the roots, for messages
	start    string              // where relative paths start, as a key of roots
	started  bool                // start is known
	within   bool                // and lies in a root
}

// confinesFor returns the confines of o in a world. They are remembered for the next
// call, which usually asks for the same.
func (o *Options) confinesFor(world check.World) *confines {
	source, base := o.Within, o.Base
	if source == nil {
		source = world.Roots
	}
	if base == "" {
		base = world.Base
	}
	if c := o.confined.Load(); c != nil && c.base == base && c.other == world.Platform && c.remote == world.Remote &&
		(same(c.given, source) || slices.Equal(c.source, source)) {
		return c
	}
	c := &confines{given: source, source: slices.Clone(source), base: base, other: world.Platform, remote: world.Remote}
	c.compile(o.Platform)
	o.confined.Store(c)
	return c
}

// same reports whether two slices are one. Comparing what they hold is linear.
func same(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (c *confines) compile(platformName string) {
	c.platform, _ = platformOf(platformName)
	if c.platform == auto {
		c.platform, _ = platformOf(c.other)
	}
	if c.platform == auto {
		c.platform = guess(append(slices.Clone(c.source), c.base), c.remote)
	}
	c.known = len(c.source) > 0
	c.roots = make(map[string]struct{}, len(c.source))
	c.lenient = make(map[string]struct{})
	for _, dir := range c.source {
		if c.platform.absolute(dir) { // else no path lies in it, and limits stay known
			c.add(dir)
		}
	}
	if c.platform.absolute(c.base) {
		c.start, c.started = c.key(c.base), true
	}
	c.within = c.started && c.rootOf([]byte(c.start), false) >= 0
}

func (c *confines) add(dir string) {
	key := c.key(dir)
	if _, known := c.roots[key]; !known { // a server's argument may be its client's root as well
		c.names = append(c.names, dir)
	}
	c.roots[key] = struct{}{}
	c.longest = max(c.longest, len(key))
	c.network = c.network || strings.HasPrefix(key, "//")
	for _, r := range readings(dir, c.platform) {
		w := walk{platform: c.platform}
		w.resolve(r.text, "")
		c.lenient[string(w.at)] = struct{}{}
		c.longest = max(c.longest, len(w.at))
	}
}

// guess finds the platform from the known directories, else from toolvet's own system, unless the
// server runs elsewhere.
func guess(dirs []string, remote bool) platform {
	for _, dir := range dirs {
		switch {
		case posix.absolute(dir):
			return posix
		case windows.absolute(dir):
			return windows
		}
	}
	switch {
	case remote:
		return auto
	case runtime.GOOS == "windows":
		return windows
	}
	return posix
}

// key is the form in which absolute directories are compared: clean, with slashes,
// and "" for the root of all. For Windows it is in lower case.
func (c *confines) key(dir string) string {
	w := walk{platform: c.platform, literal: true}
	w.resolve(slashes(dir, c.platform), "")
	return string(w.at)
}

// rootOf returns the length of the longest root that a clean path lies in, -1 if it
// lies in none.
func (c *confines) rootOf(clean []byte, lenient bool) int {
	for end := min(len(clean), c.longest); end >= 0; end-- {
		if end < len(clean) && clean[end] != '/' {
			continue
		}
		_, is := c.roots[string(clean[:end])]
		if !is && lenient {
			_, is = c.lenient[string(clean[:end])]
		}
		if is {
			return end
		}
	}
	return -1
}

// maxNames is how many directories a message names.
const maxNames = 3

// allowed names the directories that are allowed.
func (c *confines) allowed() string {
	switch n := len(c.names); {
	case n == 0:
		return "none of the allowed directories can be used"
	case n > maxNames:
		return fmt.Sprintf("allowed are %s and %d more", strings.Join(c.names[:maxNames], ", "), n-maxNames)
	case n > 1:
		return "allowed are " + strings.Join(c.names[:n-1], ", ") + " and " + c.names[n-1]
	}
	return "allowed is " + c.names[0]
}
