// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package disk asks for free space that a tool needs.
package disk

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
	"github.com/toolvet/toolvet/internal/bytesize"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "disk", Options: func() any { return &Options{Cache: 10 * time.Second, CacheFailure: time.Second} }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports file systems that have less space than the policy demands.
var Check = New(free, nil)

// New makes the check for a way to ask how many bytes a file system has left for us, and a
// clock; nil is time.Now. A way that blocks is left behind when the context ends, and not
// asked again for the same path until it returns.
func New(free func(path string) (int64, error), now func() time.Time) *check.Check {
	d := driver{free: free, cache: probe.NewCache(now)}
	return &check.Check{
		Name:   "disk",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    d.run,
	}
}

// Options are what a policy demands of a file system. They are safe for concurrent use.
type Options struct {
	Path         string        `policy:"path" doc:"absolute path on the file system; default: the directory that the server works in"`
	MinFree      bytesize.Size `policy:"min_free" doc:"space that must be free, such as 1GB"`
	Cache        time.Duration `policy:"cache" doc:"how long enough space is believed; 0s: not at all; default 10s"`
	CacheFailure time.Duration `policy:"cache_failure" doc:"how long too little space is believed; default 1s"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	if o.Path != "" && !filepath.IsAbs(o.Path) {
		list = append(list, check.Problem{Field: "path", Message: "must be an absolute path"})
	}
	if o.MinFree <= 0 {
		list = append(list, check.Problem{Field: "min_free", Message: "is needed: the space that must be free, such as 1GB"})
	}
	return list
}

type driver struct {
	free  func(path string) (int64, error)
	cache *probe.Cache
}

func (d driver) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server's disks are not on this machine")
		return nil
	}
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		o, ok := t.Options.(*Options)
		if !ok || o.MinFree <= 0 {
			return nil, "", errors.New("the demand disk needs the space that must be free")
		}
		place := o.Path
		if place == "" {
			place = pass.World.Base
		}
		if place == "" && len(pass.World.Roots) > 0 {
			place = pass.World.Roots[0]
		}
		if place == "" {
			return nil, "it is not known where the server works: name a path in the policy", nil
		}
		key, keep := probe.KeyOf(place, o.MinFree), probe.Keep{Success: o.Cache, Failure: o.CacheFailure}
		findings, err := d.cache.Do(ctx, key, keep, func(context.Context) ([]check.Finding, error) { return d.look(place, o.MinFree) })
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, "this system does not tell its free space", nil
		}
		return findings, "", err
	})
}

func (d driver) look(place string, least bytesize.Size) ([]check.Finding, error) {
	n, err := d.free(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []check.Finding{{Message: "needs free space in a directory that does not exist"}}, nil
	case err != nil:
		return nil, fmt.Errorf("asking for free space: %w", err)
	case n < int64(least):
		return []check.Finding{{Message: fmt.Sprintf("needs %v of free space, and the file system has less", least), Suggestion: "make room, and call again"}}, nil
	}
	return nil, nil
}
