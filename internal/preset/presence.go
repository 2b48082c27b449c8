// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"reflect"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/internal/policy"
)

// presence demands the files of a tool. A live call only has a warning: the tool itself reports a missing file, and somebody
// reads that. A dry run refuses the missing file of a tool that reads, because the call could only fail. The call of a
// schedule must find its file, or the directory of a new one.
//
// A policy's own demand on the path does not end this one, unless it says itself what must exist.
func presence(t *subject, address string) []policy.Demand {
	if stored(t) {
		return nil
	}
	tool := t.Name
	exists := func(from policy.Occasion, severity check.Severity) policy.Demand {
		return policy.Demand{Kind: path.Demand, Options: &path.Options{Exists: new(true)}, From: from, Severity: severity, Beside: existing}
	}
	switch {
	case reads(tool, address):
		return []policy.Demand{exists(policy.DryRun, check.Error), exists(policy.Live, check.Warning)}
	case changes(tool, address):
		return []policy.Demand{exists(policy.Unattended, check.Error)}
	case makes(tool, address):
		return []policy.Demand{{Kind: path.Demand, Options: &path.Options{ParentExists: true}, From: policy.Unattended, Beside: parented}}
	}
	return nil
}

// unsettled returns a copy of the options of a policy's demand on a path if they leave open what must exist, or nil.
func unsettled(options any) *path.Options {
	o, ok := options.(*path.Options)
	if !ok || o.Exists != nil || o.ParentExists || o.Readable || o.Writable {
		return nil
	}
	return copyOf(o)
}

func existing(options any) any {
	o := unsettled(options)
	if o == nil {
		return nil
	}
	o.Exists = new(true)
	return o
}

func parented(options any) any {
	o := unsettled(options)
	if o == nil {
		return nil
	}
	o.ParentExists = true
	return o
}

// resolves returns the options of a policy's demand on a URL with the demand that its host resolves, or nil if the policy has it.
func resolves(options any) any {
	o, ok := options.(*url.Options)
	if !ok || o.Resolve || o.Reachable {
		return nil
	}
	o = copyOf(o)
	o.Resolve, o.Existence = true, true
	return o
}

// copyOf copies the fields of options that a policy can set.
func copyOf[T any](options *T) *T {
	clone := new(T)
	from, to := reflect.ValueOf(options).Elem(), reflect.ValueOf(clone).Elem()
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return clone
}

// stored reports whether the paths of a tool are those of a store, such as a branch of a repository or a bucket, and
// name no files here.
func stored(t *subject) bool {
	return slices.ContainsFunc(t.strings, func(p stringParameter) bool {
		return slices.Contains(stores, strings.Join(words(p.name), "_"))
	})
}

var (
	// stores are names of parameters for the store of a path.
	stores = strings.Fields("owner repo repository branch ref sha commit bucket bucket_name project_id workspace_id drive drive_id container pod namespace site_id page_id vault notebook device device_id")
	// changers begin the names of tools that change, move or remove an existing file.
	changers = strings.Fields("edit update patch replace delete remove move rename copy append modify truncate")
	// makers begin the names of tools that make a file.
	makers = strings.Fields("write create save export download dump generate put store make")
	// goals are words for the place where something arrives.
	goals = strings.Fields("out output dest destination target to new")
)

// changes reports whether a tool changes what an argument names.
func changes(tool, address string) bool {
	w := words(tool)
	return overlaps(w[:min(len(w), 2)], changers...) && !overlaps(words(address), goals...)
}

// makes reports whether a tool makes the file that an argument names. One that makes directories may make those above, too.
func makes(tool, address string) bool {
	w := words(tool)
	return (overlaps(w[:min(len(w), 2)], makers...) || overlaps(words(address), goals...)) &&
		!overlaps(w, "directory", "directories", "dir", "folder", "mkdir", "repository", "repo", "project", "workspace")
}
