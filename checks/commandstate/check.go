// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package commandstate asks whether the program of a command exists and may be run, and where links among its words lead. It
// asks the file system and runs nothing.
package commandstate

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/workdir"
)

//go:embed README.md
var doc string

// Check reports programs that are missing or may not run, and links to secrets and to startup files.
var Check = newCheck(func() string { return os.Getenv("PATH") }, os.Stat)

// maxLooks is how many lists of places are gone through at a time, in the whole process.
// It bounds the threads that a dead network file system can hold.
const maxLooks = 16

// maxPrograms bounds how many programs of one call are looked for.
const maxPrograms = 32

// A finder looks programs up; slots are taken for as long as a look lasts, even when
// nobody waits for it any more.
type finder struct {
	path  func() string
	stat  func(string) (os.FileInfo, error)
	slots chan struct{}
}

func newCheck(path func() string, stat func(string) (os.FileInfo, error)) *check.Check {
	f := &finder{path, stat, make(chan struct{}, maxLooks)}
	return &check.Check{
		Name:   "command-state",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: command.Demand,
		Asked:  asked,
		Run:    f.run,
	}
}

// asked reports whether the program is to be looked for, or links.
func asked(options any) bool {
	o, ok := options.(*command.Options)
	return !ok || o.Exists == nil || *o.Exists || o.Inside
}

func (f *finder) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server's programs are not on this machine")
		return nil
	}
	begins := workdir.Finder{Base: pass.World.Base, Call: pass.Call}
	for _, t := range pass.Targets {
		if !f.target(ctx, pass, t, begins.In(t.Pointer)) {
			return nil
		}
	}
	return nil
}

// target judges one command from each of some directories. It reports whether the file system answered.
func (f *finder) target(ctx context.Context, pass *check.Pass, t check.Target, begins []string) (answered bool) {
	o, ok := t.Options.(*command.Options)
	if !ok {
		o = new(command.Options)
	}
	programs, reads, changes := command.Started(o, t.Value)
	world := pass.World
	defer func() { pass.World = world }()
	for _, pass.World.Base = range begins {
		if !workdir.Placed(pass.World.Base) {
			pass.World.Base = ""
		}
		if !f.links(ctx, pass, t, o, within(programs, reads), filekind.SecretKind) ||
			!f.links(ctx, pass, t, o, within(programs, changes), filekind.SecretKind, filekind.StartupKind) {
			return false
		}
	}
	if slices.Contains(o.Deny, "doubtful") && !f.planted(ctx, pass, t, programs) {
		return false
	}
	if o.Exists != nil && !*o.Exists {
		return true
	}
	for _, program := range programs[:min(len(programs), maxPrograms)] {
		if _, isLine := t.Value.(string); isLine && slices.Contains(builtins, program) {
			continue
		}
		var places []string
		known := false
		for _, dir := range begins {
			more := f.places(program, dir)
			places, known = append(places, more...), known || more != nil
		}
		if !known {
			pass.Skipf("not looked: the directory that the server starts relative programs in is not known")
			continue
		}
		state, err := f.look(ctx, pass, places)
		if err != nil {
			pass.Skipf("not looked: the file system did not answer in time")
			return false
		}
		report(pass, t.Pointer, o, state)
	}
	return true
}

func report(pass *check.Pass, pointer string, o *command.Options, s state) {
	f := check.Finding{Pointer: pointer, Severity: check.Warning}
	if o.Exists != nil {
		f.Severity = check.Error
	}
	switch s {
	case missing:
		f.Message, f.Suggestion = "the program was not found", "call an installed program, or give its absolute path"
	case locked:
		f.Message, f.Suggestion = "the program is a file without permission to run", "call another program, or have the file made executable"
	default:
		return
	}
	pass.Report(f)
}

// builtins are commands inside shells, without a program of that name.
var builtins = strings.Fields("cd alias unalias export readonly declare local typeset let set unset shift umask ulimit source . eval exec trap command builtin type hash bind complete compgen compopt enable history fc jobs fg bg wait disown read mapfile readarray dirs pushd popd shopt times exit return logout suspend : [ test true false echo printf pwd kill getopts caller help time")

// places are the files that a program may be; nil if that is not known.
func (f *finder) places(program, base string) []string {
	switch {
	case filepath.IsAbs(program):
		return []string{program}
	case strings.ContainsRune(program, filepath.Separator):
		if !workdir.Placed(base) {
			return nil
		}
		return []string{filepath.Join(base, program)}
	}
	places := []string{}
	for _, dir := range filepath.SplitList(f.path()) {
		if filepath.IsAbs(dir) {
			places = append(places, filepath.Join(dir, program))
		}
	}
	return places
}

type state int

const (
	missing state = iota
	locked
	found
)

// look looks at places until one is a program. It returns when the context ends, and
// leaves the look behind.
func (f *finder) look(ctx context.Context, pass *check.Pass, places []string) (state, error) {
	best := missing
	err := f.slot(ctx, func() {
		for _, place := range places {
			if ctx.Err() != nil {
				break
			}
			pass.Depends(place)
			info, err := f.stat(place)
			switch {
			case err != nil || info.IsDir():
			case executable(info):
				best = found
				return
			default:
				best = locked
			}
		}
	})
	if err != nil {
		return missing, err
	}
	return best, nil
}

// slot does something in one of the slots, and returns when the context ends. Without an error it is done.
func (f *finder) slot(ctx context.Context, do func()) error {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan struct{})
	go func() {
		defer func() { <-f.slots }()
		do()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
