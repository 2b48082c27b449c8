// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/subpath"
)

// A drawnPlace is the directory in which a server starts, as a drafted policy shows it to one in walls. In the audit it was dir.
type drawnPlace struct {
	dir    string
	writes bool // a harmless call of the server changes files there
	held   bool // and the policy lies in it, so that the server may only read
}

// placeFor returns the directory that a server needs for its harmless calls, if its command names none: the one in which it starts. Nil: it needs none.
func (p *proxied) placeFor(alone *probe.Result, found []audit.Weakness) *drawnPlace {
	if rooted(p.server) { // it may change these
		return nil
	}
	dir, err := filepath.Abs(p.flags.dir) // of "": our own
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	place := &drawnPlace{dir: dir}
	needed := slices.ContainsFunc(found, func(w audit.Weakness) bool { return runsAnything(&w) && !slices.Contains(w.Kinds, code) })
	for _, c := range alone.Controls {
		if c.Class == audit.Path {
			anything := slices.ContainsFunc(found, func(w audit.Weakness) bool { return w.Tool == c.Tool && runsAnything(&w) }) // of its commands only those pass that read
			needed = true
			place.writes = place.writes || !anything && !readsOnly(alone.Catalog, c.Tool)
		}
	}
	if !needed {
		return nil
	}
	home, _ := os.UserHomeDir()
	if subpath.In(os.TempDir(), dir) || home != "" && subpath.In(home, dir) { // more than a project: walls are not built there
		return place
	}
	if file, err := filepath.Abs(p.flags.writePolicy); err == nil {
		if parent, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
			place.held = place.writes && subpath.In(parent, dir)
		}
	}
	return place
}

// rooted reports whether the command of a server names its directories.
func rooted(command []string) bool {
	return len(preset.World(command).Roots) > 0 || slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, policy.Root) })
}

// readsOnly reports whether a tool says that it only reads. An audit shortens names; of a tool that is not found the worst is assumed.
func readsOnly(tools *call.Catalog, name string) bool {
	t := tools.Tool(name)
	var raw struct{ Annotations struct{ ReadOnlyHint bool } }
	return t != nil && json.Unmarshal(t.Raw, &raw) == nil && raw.Annotations.ReadOnlyHint
}

// wallsFor returns the options of walls in which the harmless calls of a server work, and how to change them. They show further files, too.
func wallsFor(alone *probe.Result, rooted bool, place *drawnPlace, files []string) string {
	fetches := fetches(alone.Catalog, alone.Controls)
	var options, tighter, looser []string
	switch {
	case place == nil && rooted:
		tighter = append(tighter, "write: [], so that it only reads its directories")
		looser = append(looser, "read: [/srv/shared]")
	case place == nil:
		looser = append(looser, "read: [/srv/data]", "write: [/srv/data]")
	case place.writes && !place.held:
		options = append(options, `write: ["."]`)
		tighter = append(tighter, `"." in read, not in write`)
	default:
		files = slices.Concat([]string{"."}, files)
		looser = append(looser, `"." in write, not in read (what it writes there may run later, outside the walls: hooks of git, package.json)`)
	}
	if len(files) > 0 {
		options = append(options, "read: "+texts(files))
	}
	if fetches {
		options = append(options, `network: {allow: ["*"]}`)
		tighter = append(tighter, "network: {allow: [api.example.com]}")
	} else {
		looser = append(looser, "network: {allow: [api.example.com]}")
	}
	var hints []string
	if len(tighter) > 0 {
		hints = append(hints, "tighten: "+strings.Join(tighter, ", "))
	}
	if len(looser) > 0 {
		hints = append(hints, "loosen: "+strings.Join(looser, ", "))
	}
	return "{" + strings.Join(options, ", ") + "} # " + strings.Join(hints, "; ")
}

// fetches reports whether a server reaches hosts: a harmless call did so, or an argument seems to be a URL.
func fetches(tools *call.Catalog, worked []audit.Cell) bool {
	return slices.ContainsFunc(worked, func(c audit.Cell) bool { return c.Class == audit.URL }) || slices.ContainsFunc(tools.Names(), func(name string) bool {
		return slices.ContainsFunc(infer.Tool(tools.Tool(name)), func(g infer.Guess) bool { return g.Kind == infer.URL })
	})
}

const startedComment = "    # \".\" is the directory in which the server starts; to fix it, write dir: /srv/project above contain\n"

// writesComment stands for what docs/contain.md says of a writable project.
const writesComment = "    # files that it writes there may run later, outside the walls: hooks of git, package.json\n"

// words says why the draft shows the directory.
func (p *drawnPlace) words() string {
	switch {
	case p == nil:
		return ""
	case p.held:
		return fmt.Sprintf(startedComment+"    # some calls write. The server may only read, because this policy lies in %s, where the audit ran:\n"+
			"    # move the policy out, and \".\" from read to write\n", oneLine(p.dir, maxDescription))
	case p.writes:
		return startedComment + writesComment
	}
	return startedComment
}
