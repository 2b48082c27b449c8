// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package binary asks for programs that a tool needs.
package binary

import (
	"context"
	_ "embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "binary", Options: func() any { return &Options{Cache: time.Minute, CacheFailure: time.Second} }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports programs that are not on PATH. It never runs one.
var Check = New(os.Getenv, os.Stat, nil)

// New makes the check for an environment, a file system and a clock; nil is time.Now.
func New(getenv func(string) string, stat func(string) (fs.FileInfo, error), now func() time.Time) *check.Check {
	d := driver{getenv: getenv, stat: stat, cache: probe.NewCache(now)}
	return &check.Check{
		Name:   "binary",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    d.run,
	}
}

// Options are what a policy demands of a program. They are safe for concurrent use.
type Options struct {
	Name         string        `policy:"name" doc:"a program's name on PATH, or its absolute path; default: what the argument names"`
	Cache        time.Duration `policy:"cache" doc:"how long a program that was found is believed; 0s: not at all; default 1m"`
	CacheFailure time.Duration `policy:"cache_failure" doc:"how long a program that was not found is believed; default 1s"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	if o.Name != "" && !filepath.IsAbs(o.Name) && !plain(o.Name) {
		return []check.Problem{{Field: "name", Message: "must be a program's name alone, such as git, or an absolute path"}}
	}
	return nil
}

// plain reports whether a name is one on PATH, and no path.
func plain(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= 255 && !strings.ContainsAny(name, "/\\:\x00")
}

type driver struct {
	getenv func(string) string
	stat   func(string) (fs.FileInfo, error)
	cache  *probe.Cache
}

func (d driver) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server's programs are not on this machine")
		return nil
	}
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options)
		}
		name, what := o.Name, "the program "+o.Name
		if name == "" {
			if name, ok = t.Value.(string); !ok || !plain(name) {
				return []check.Finding{{Message: "must be a program's name alone, such as git, without a directory"}}, "", nil
			}
			what = "a program of this name"
		}
		path := d.getenv("PATH")
		key, keep := probe.KeyOf(name, path), probe.Keep{Success: o.Cache, Failure: o.CacheFailure}
		findings, err := d.cache.Do(ctx, key, keep, func(ctx context.Context) ([]check.Finding, error) {
			found, err := d.look(ctx, name, path)
			if found || err != nil {
				return nil, err
			}
			return []check.Finding{{Message: "needs " + what + ", and PATH has none that may be run"}}, nil
		})
		return findings, "", err
	})
}

// look searches the absolute directories of PATH. A relative one means whatever directory
// the caller is in, and is left out.
func (d driver) look(ctx context.Context, name, path string) (bool, error) {
	if filepath.IsAbs(name) {
		return d.executable(name), nil
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ending := range d.endings(name) {
			if d.executable(filepath.Join(dir, name+ending)) {
				return true, nil
			}
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// endings are those of programs on Windows, and none elsewhere.
func (d driver) endings(name string) []string {
	list := filepath.SplitList(strings.ToLower(d.getenv("PATHEXT")))
	if filepath.Separator != '\\' || filepath.Ext(name) != "" || len(list) == 0 {
		return []string{""}
	}
	return list
}

// executable reports whether a file may be run. One that cannot be asked for is not there.
func (d driver) executable(file string) bool {
	info, err := d.stat(file)
	return err == nil && info.Mode().IsRegular() && (filepath.Separator == '\\' || info.Mode()&0o111 != 0)
}
