// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package workdir finds the directory in which the command or the path of a call begins, among the arguments beside it. A relative name
// is another file in each directory: in .git, config is git's.
package workdir

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// certain are names of arguments for a working directory, likely are those that may mean one for a command, and bases for a path: beside a path,
// remote_path or output_dir is another's place.
var (
	certain = lazyregexp.New(`(?i)^([_-]?(current|work|working))*[_-]?(dir|directory|cwd|wd)([_-]?path)?$`)
	likely  = lazyregexp.New(`(?i)(dir|directory|cwd|path|folder|root|workspace|project|repo|repository|location)$`)
	bases   = lazyregexp.New(`(?i)^(base|root|workspace|project|repo|repository)([_-]?(dir|directory|folder|path|root))?$`)
)

// maxPlaces bounds the directories in which a command may begin.
const maxPlaces = 16

// A Finder finds the directories in which the commands of one call may begin.
type Finder struct {
	Base string // where the server is, or ""
	Call *call.Call

	top, dirs []string // of the arguments as a whole, and of what was looked at last
	above     string   // the pointer to that
	beside    bool     // a path's
	own       string   // the path's member, which is no directory for it
}

// In returns the directories in which the command at a pointer into the arguments may begin. All of them count. The base itself is left out if
// the tool declares an argument for a working directory, and the call has it. The result is empty if there are too many to be judged.
func (f *Finder) In(pointer string) []string {
	above := pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	own := func(last bool) string {
		if last {
			return f.own
		}
		return ""
	}
	if f.top == nil {
		f.top = f.chosen([]string{f.Base}, f.Call.Arguments, f.Call.Tool, own(above == ""))
		f.dirs = f.top
	}
	if above == f.above {
		return f.dirs
	}
	var at any = f.Call.Arguments
	f.above, f.dirs = above, f.top
	steps := strings.Split(above, "/")[1:]
	for i, step := range steps {
		last := i == len(steps)-1
		object, _ := at.(map[string]any)
		list, _ := at.([]any)
		at = object[jsonpointer.Unescape(step)]
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(list) {
			at = list[i]
		}
		object, _ = at.(map[string]any)
		f.dirs = f.chosen(f.dirs, object, nil, own(last))
	}
	return f.dirs
}

// Chosen reports whether an argument of a call may name a directory in which a path beside it begins. Most calls have none, and take no memory
// for the search then.
func Chosen(c *call.Call) bool {
	if c == nil {
		return false
	}
	for name, v := range c.Arguments {
		switch v.(type) {
		case string:
			if Names(name) || bases.MatchString(name) {
				return true
			}
		case map[string]any, []any:
			return true
		}
	}
	return false
}

// Beside returns the directories in which the path at a pointer may begin, as In does for a command. The path itself names none of them.
func (f *Finder) Beside(pointer string) []string {
	own := jsonpointer.Unescape(pointer[strings.LastIndexByte(pointer, '/')+1:])
	if Names(own) {
		return []string{f.Base}
	}
	g := Finder{Base: f.Base, Call: f.Call, beside: true, own: own}
	return g.In(pointer)
}

// chosen returns the directories that the members of an object name, each from each of some others; and those others, unless the tool declares one of
// the members. The member except names none.
func (f *Finder) chosen(from []string, object map[string]any, tool *call.Tool, except string) []string {
	list := []string{}
	instead, may := false, likely
	if f.beside {
		may = bases
	}
	for name, v := range object {
		dir, _ := v.(string)
		if dir == "" || name == except || !Names(name) && !may.MatchString(name) {
			continue
		}
		instead = instead || Names(name) && declares(tool, name)
		for _, base := range from {
			if list = append(list, Join(base, dir)); len(list) > maxPlaces {
				return list[:0]
			}
		}
	}
	if !instead {
		list = append(list, from...)
	}
	slices.Sort(list)
	return list
}

// declares reports whether a tool has an argument of this name, at the top of its schema. A member by reference does not count: one directory more is
// judged then.
func declares(tool *call.Tool, name string) bool {
	var schema struct{ Properties map[string]json.RawMessage }
	return tool != nil && json.Unmarshal(tool.InputSchema, &schema) == nil && schema.Properties[name] != nil
}

// Names reports whether an argument of this name chooses the directory for a command.
func Names(name string) bool { return certain.MatchString(name) }

// Join returns the directory that a text names from a base.
func Join(base, dir string) string {
	dir = strings.ReplaceAll(dir, `\`, "/")
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	if base == "" || dir[0] == '~' || Placed(dir) {
		return dir
	}
	return path.Join(base, dir)
}

// Placed reports whether the name of a directory begins at the top of a file system.
func Placed(dir string) bool { return dir != "" && (dir[0] == '/' || len(dir) > 1 && dir[1] == ':') }
