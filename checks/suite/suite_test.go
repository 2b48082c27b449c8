// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	if err := check.Validate(Default()); err != nil {
		t.Error(err)
	}
	changed := Default()
	changed[0] = nil
	if Default()[0] == nil {
		t.Error("the slice is shared: a caller can change the default")
	}
}

// TestDemands holds that no two demands share a name, and that the default options of each are
// valid, or else say what is missing.
func TestDemands(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, r := range Demands() {
		if names[r.Name] || r.Name == "" {
			t.Errorf("two rules are called %q", r.Name)
		}
		names[r.Name] = true
		options := r.Options()
		if reflect.TypeOf(options).Kind() != reflect.Pointer || options == r.Options() {
			t.Errorf("%s: Options must make a new pointer each time", r.Name)
		}
	}
	if !names["path"] || !names["url"] {
		t.Errorf("rules: %v", names)
	}
	changed := Demands()
	changed[0] = nil
	if Demands()[0] == nil {
		t.Error("the slice is shared: a caller can change the rules")
	}
}

// leftOut are the directories of checks that the suite leaves out, with the reason.
var leftOut = map[string]string{
	"internal": "holds what checks share, and no check",
}

// directories are those of checks that are not in the one of their name.
var directories = map[string]string{
	"time": "moment", // package time is Go's
	"http": "httpprobe",
	"nul":  "nulchar", // Windows has no directory nul
}

// TestNoCheckIsForgotten holds that each directory of a check is listed, or left out
// with a reason.
func TestNoCheckIsForgotten(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"suite": true}
	for _, c := range Default() {
		name := strings.ReplaceAll(c.Name, "-", "")
		listed[cmp.Or(directories[c.Name], name)] = true
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		found[name] = true
		if entry.IsDir() && !listed[name] && leftOut[name] == "" {
			t.Errorf("checks/%s is not in Default: add it, or list it in leftOut with the reason", name)
		}
	}
	for _, name := range directories {
		if !listed[name] {
			t.Errorf("no check is in the directory %s any more: strike it from directories", name)
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("the check in Default named %s is in no directory of its name", name)
		}
	}
	for name := range leftOut {
		if !found[name] || listed[name] {
			t.Errorf("checks/%s is left out, but it is listed or gone: strike it from leftOut", name)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	own, more := *Default()[7], check.Check{Name: "house-rule"}
	got := With(&own, &more)
	want := Default()
	want[7] = &own
	if want = append(want, &more); !slices.Equal(got, want) {
		t.Errorf("%d checks, want the default ones with the eighth replaced and one more at the end", len(got))
	}
}
