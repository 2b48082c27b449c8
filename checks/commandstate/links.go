// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package commandstate

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// faults say what a file of a kind holds.
var faults = map[string]string{
	filekind.SecretKind:  "that holds secrets or accounts",
	filekind.StartupKind: "from which a shell, git, an agent or the system starts programs later",
}

// maxNames bounds how many words of one call are looked at as names of files.
const maxNames = 256

// readers are programs that read a line or code in one of their words.
var readers = lazyregexp.New(`^(.*/)?((ba|da|z|k|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|[gm]?awk|eval|env|xargs|find|timeout|nice|nohup|sudo|watch|parallel|command|exec|time|busybox)$`)

// within returns words, and the names of files within them: those of a line or of code that a program reads, and those in a directory that stands
// before them, as in git -C.
func within(programs, words []string) (list []string) {
	reads, dir := slices.ContainsFunc(programs, readers.MatchString), ""
	for _, word := range words {
		list = append(list, strings.TrimPrefix(word, "@"))
		parts := []string{word}
		if reads {
			parts = strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\"'`;|&<>(){}[],=", r) })
		}
		before := ""
		for _, part := range parts {
			if part != word {
				list = append(list, part)
			}
			if dir != "" {
				list = append(list, dir+"/"+part)
			}
			switch {
			case before == "cd" || dir == "" && len(parts) == 1:
				dir = part
			case dir == "" && strings.Contains(part, "/"): // a line in a directory
				dir = filepath.Dir(part)
			}
			before = part
		}
	}
	return list
}

// matches adds to a list the links that a path with patterns stands for, or the path itself if it has none.
func matches(ctx context.Context, list []string, file string) []string {
	i := strings.IndexAny(file, "*?[")
	if i < 0 || len(list) == maxNames || ctx.Err() != nil {
		return append(list, file)
	}
	dir := file[:strings.LastIndexByte(file[:i], filepath.Separator)+1]
	pattern, rest, deeper := strings.Cut(file[len(dir):], string(filepath.Separator))
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if ok, _ := path.Match(pattern, e.Name()); ok && (pattern[0] == '.' || e.Name()[0] != '.') && (e.Type()&os.ModeSymlink != 0 || deeper && e.IsDir()) {
			list = matches(ctx, list, dir+e.Name()+string(filepath.Separator)+rest)
		}
	}
	return list
}

// links reports links to files of some kinds among the words of a command that may name files. It reports whether the file system answered. The check
// command sees the words alone, and a link has any name.
func (f *finder) links(ctx context.Context, pass *check.Pass, t check.Target, o *command.Options, names []string, kinds ...string) (answered bool) {
	for _, file := range names[:min(len(names), maxNames)] {
		if strings.HasPrefix(file, "/dev/") {
			continue // streams of the command itself
		}
		if !filepath.IsAbs(file) {
			if pass.World.Base == "" && !o.Inside {
				continue
			}
			if pass.World.Base == "" {
				pass.Skipf("links not looked for: the directory of the command is not known")
				return true
			}
			file = filepath.Join(pass.World.Base, file)
		}
		all, err := f.leads(ctx, pass, file)
		if err != nil {
			pass.Skipf("links not looked for: the file system did not answer in time")
			return false
		}
		for _, pair := range all {
			file, leads := pair[0], pair[1]
			if slices.Contains(o.Deny, "roaming") && len(pass.World.Roots) > 0 && !f.below(ctx, pass, leads, pass.World.Roots) {
				pass.Report(check.Finding{Pointer: t.Pointer, Source: "roaming", Message: "names a link that leads out of the directories of the work at hand", Suggestion: "name a file of the work at hand"})
			}
			for _, kind := range kinds {
				if filekind.Is(kind, leads) && (!filekind.Is(kind, file) || slices.Contains(o.Allow, kind+" "+file)) && !slices.Contains(o.Allow, kind+" "+leads) && !slices.Contains(o.Allow, kind) && !slices.Contains(o.Allow, "files") {
					pass.Report(check.Finding{Pointer: t.Pointer, Source: kind, Message: "names a link to a file " + faults[kind], Suggestion: "name a file of the work at hand"})
				}
			}
		}
	}
	return true
}

// below reports whether a place is in one of some directories, by a name of it.
func (f *finder) below(ctx context.Context, pass *check.Pass, place string, dirs []string) bool {
	for _, dir := range dirs {
		real, _ := f.leads(ctx, pass, dir)
		for _, name := range append(real, [2]string{1: dir}) {
			if rel, err := filepath.Rel(name[1], place); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// planted reports programs that PATH finds in the directories of the work at hand or among temporary files, in the place of one elsewhere: a git that a
// package has brought along. Interpreters of Python stand in the virtual environments of projects. It reports whether the file system answered.
func (f *finder) planted(ctx context.Context, pass *check.Pass, t check.Target, programs []string) (answered bool) {
	own := append(slices.Clip(pass.World.Roots), os.TempDir())
	for _, program := range programs[:min(len(programs), maxPrograms)] {
		if strings.ContainsRune(program, filepath.Separator) || slices.Contains(builtins, program) || strings.HasPrefix(program, "python") || strings.HasPrefix(program, "pip") {
			continue
		}
		var places [2][]string // elsewhere, and here
		for _, place := range f.places(program, "") {
			here := 0
			if f.below(ctx, pass, place, own) {
				here = 1
			}
			places[here] = append(places[here], place)
		}
		planted := len(places[1]) > 0
		for i := 0; i < 2 && planted; i++ {
			state, err := f.look(ctx, pass, places[i])
			if err != nil {
				return false
			}
			planted = state == found
		}
		if planted {
			pass.Report(check.Finding{Pointer: t.Pointer, Source: "doubtful", Message: "runs the program " + program + " that PATH finds in the directories of the work at hand, in the place of an installed one", Suggestion: "name the installed one by its path"})
		}
	}
	return true
}

// leads returns links with the places to which they lead: those on a path, or those that its patterns stand for. A place may be missing.
func (f *finder) leads(ctx context.Context, pass *check.Pass, file string) (all [][2]string, err error) {
	err = f.slot(ctx, func() {
		for _, one := range matches(ctx, nil, file) {
			pass.Depends(one)
			if to := follow(ctx, one); to != "" {
				all = append(all, [2]string{one, to})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// follow follows the links on an absolute path, also those to missing files: a command may make them.
func follow(ctx context.Context, file string) string {
	file = filepath.Clean(file)
	linked := false
	for range maxLinks {
		volume := filepath.VolumeName(file)
		steps := strings.Split(strings.Trim(file[len(volume):], string(filepath.Separator)), string(filepath.Separator))
		at, next := volume+string(filepath.Separator), ""
		for i, step := range steps {
			if ctx.Err() != nil {
				return ""
			}
			to, err := os.Readlink(filepath.Join(at, step))
			if err != nil { // no link, or nothing
				at = filepath.Join(at, step)
				continue
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(at, to)
			}
			next = filepath.Join(append([]string{to}, steps[i+1:]...)...)
			break
		}
		if next == "" {
			if !linked {
				return ""
			}
			return at
		}
		file, linked = next, true
	}
	return ""
}
