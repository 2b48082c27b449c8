// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A person reads the report in ten seconds: what is deleted comes first, and what programs leave beside their work is one
// line. Profiles of browsers, caches of package managers and the starts of shims would hide the rest.
// JSON has each change by itself.

// Sizes of groups from which on they are one line.
const (
	foldCache = 1
	foldNew   = 9
	foldStart = 4
)

// caches are names of directories whose content programs can make again.
var caches = map[string]bool{
	".cache": true, "_cacache": true, "_npx": true, "_logs": true, "__pycache__": true, "Cache": true, "Code Cache": true, "GPUCache": true, "ShaderCache": true, "Caches": true,
}

// An item is a line of the report: one change, or several below a directory.
type item struct {
	Change Change   // if Folded is empty
	Folded []Change // otherwise
	Dir    string   // of Folded
	Why    string   // "a cache", "new"
}

// items returns the changes in the order in which people read them, and folds those that belong together. Deletions
// and moves are never folded.
func (r *Report) items() []item {
	fresh := newDirectories(r.Changes)
	groups := map[string]*item{}
	var list []*item
	for _, c := range r.Changes {
		dir, why := "", ""
		if c.Kind != Deleted && c.Kind != Renamed {
			dir, why = belongsTo(c.Path, fresh)
		}
		if dir == "" {
			list = append(list, &item{Change: c})
			continue
		}
		key := fmt.Sprint(c.AtStart, why, dir)
		if groups[key] == nil {
			groups[key] = &item{Dir: dir, Why: why}
			list = append(list, groups[key])
		}
		groups[key].Folded = append(groups[key].Folded, c)
	}
	var out []item
	for _, i := range list {
		least := foldNew
		if i.Why == isCache {
			least = foldCache
		}
		if len(i.Folded) >= least {
			out = append(out, *i)
			continue
		}
		if len(i.Folded) == 0 {
			out = append(out, *i)
		}
		for _, c := range i.Folded {
			out = append(out, item{Change: c})
		}
	}
	slices.SortStableFunc(out, func(a, b item) int { return cmp.Or(a.rank()-b.rank(), cmp.Compare(a.path(), b.path())) })
	return out
}

const (
	isCache = "a cache"
	isNew   = "a new directory"
)

// belongsTo returns the directory to whose line a change belongs, and why, or "".
func belongsTo(name string, fresh map[string]bool) (dir, why string) {
	for at := 1; at <= len(name); at++ {
		if at < len(name) && name[at] != '/' {
			continue
		}
		switch part := name[:at]; {
		case caches[path.Base(part)]:
			return part, isCache
		case fresh[part]:
			return part, isNew
		}
	}
	return "", ""
}

// newDirectories returns the directories that are new.
func newDirectories(changes []Change) map[string]bool {
	found := map[string]bool{}
	for _, c := range changes {
		if c.Kind == Created && c.After != nil && c.After.Type == "directory" {
			found[c.Path] = true
		}
	}
	return found
}

func (i *item) path() string {
	if len(i.Folded) > 0 {
		return i.Dir
	}
	return i.Change.Path
}

func (i *item) atStart() bool {
	if len(i.Folded) > 0 {
		return i.Folded[0].AtStart
	}
	return i.Change.AtStart
}

// rank sorts deletions first, and what happened at the start last.
func (i *item) rank() int {
	if i.atStart() {
		return 6
	}
	if len(i.Folded) > 0 {
		return 5
	}
	switch i.Change.Kind {
	case Deleted:
		return 0
	case Renamed:
		return 1
	case Modified:
		return 2
	case Attributes:
		return 3
	}
	return 4
}

// words describes folded changes. Programs among them are worth a word, wherever they lie.
func (i *item) words() string {
	var size int64
	programs := 0
	for _, c := range i.Folded {
		if c.After == nil {
			continue
		}
		size += c.After.Size
		if c.After.Type == "file" && c.After.Mode&0o111 != 0 {
			programs++
		}
	}
	text := fmt.Sprintf("%s: %d changes, %d KiB", i.Why, len(i.Folded), (size+1023)/1024)
	if programs > 0 {
		text += fmt.Sprintf(", %d of them programs", programs)
	}
	return text + "; the JSON report lists them"
}

// programs returns the programs as people read them: those of the calls, and the number of those at the start.
func (r *Report) programs() []string {
	var list []string
	started := 0
	for _, p := range r.Processes {
		if p.AtStart {
			started++
		}
	}
	for i := 0; i < len(r.Processes); {
		p := r.Processes[i]
		same := i + 1
		for same < len(r.Processes) && r.Processes[same].AtStart == p.AtStart && slices.Equal(r.Processes[same].Arguments, p.Arguments) {
			same++
		}
		text := strings.Join(p.Arguments, " ") + start(p.AtStart)
		if same-i > 1 {
			text += fmt.Sprintf(" (%d times)", same-i)
		}
		if !p.AtStart || started < foldStart {
			list = append(list, text)
		}
		i = same
	}
	if started >= foldStart {
		list = append(list, fmt.Sprintf("%d programs%s; the JSON report lists them", started, start(true)))
	}
	return list
}
