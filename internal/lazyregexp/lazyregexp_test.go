// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package lazyregexp

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestMethods holds that each method does what the one of package regexp does.
func TestMethods(t *testing.T) {
	t.Parallel()
	const text = "a1 b22"
	ours, theirs := reflect.ValueOf(New(`([a-z])(\d+)`)), reflect.ValueOf(regexp.MustCompile(`([a-z])(\d+)`))
	for m := range ours.Type().Methods() {
		args := []reflect.Value{reflect.ValueOf(text)}
		switch m.Name {
		case "FindAllString", "FindAllStringSubmatch", "FindAllStringSubmatchIndex", "Split":
			args = append(args, reflect.ValueOf(-1))
		case "Match", "FindIndex", "FindSubmatch":
			args[0] = reflect.ValueOf([]byte(text))
		case "FindAllSubmatch":
			args = []reflect.Value{reflect.ValueOf([]byte(text)), reflect.ValueOf(-1)}
		case "ReplaceAllString":
			args = append(args, reflect.ValueOf("$2"))
		case "ReplaceAllStringFunc":
			args = append(args, reflect.ValueOf(strings.ToUpper))
		}
		got, want := ours.MethodByName(m.Name).Call(args)[0].Interface(), theirs.MethodByName(m.Name).Call(args)[0].Interface()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", m.Name, got, want)
		}
	}
}

func TestWrong(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression must panic")
		}
	}()
	New("(").MatchString("")
}
