// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package class

import (
	"strings"
	"testing"
)

func good() *Class {
	return &Class{
		Name: "some-name", Doc: "# some-name\n\nWhat\nit is.\n\nMore.\n", Missing: "a guard", Severity: High, Minus: 10, Guard: "a list", Plus: 1,
		Kinds: []Kind{{Name: "one", Doc: "It is one"}, {Name: "two", Doc: "It is two"}}, Fix: Fix{"any", "ts", "py", "go"},
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	if err := Validate([]*Class{good()}); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Class){
		"needs a name":          func(c *Class) { c.Name = "Some" },
		"that starts with":      func(c *Class) { c.Doc = "# other\n\nWhat.\n" },
		"that sums it up":       func(c *Class) { c.Doc = "# some-name\n" },
		"needs what is missing": func(c *Class) { c.Minus = 0 },
		"needs the severity":    func(c *Class) { c.Severity = Info },
		"both a guard and":      func(c *Class) { c.Plus = 0 },
		"needs a fix":           func(c *Class) { c.Fix.Go = "" },
		"needs kinds with":      func(c *Class) { c.Kinds[1].Name = "one" },
		"needs a sentence":      func(c *Class) { c.Kinds[0].Doc = "It is one." },
		"needs another of its":  func(c *Class) { c.Kinds[0].Seen = "three" },
		"needs kinds":           func(c *Class) { c.Kinds = nil },
	} {
		c := good()
		spoil(c)
		if err := Validate([]*Class{c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	err := Validate([]*Class{nil, good(), good()})
	if err == nil || !strings.Contains(err.Error(), "class 0 is nil") || !strings.Contains(err.Error(), "listed twice") {
		t.Errorf("got %v", err)
	}
}

func TestClass(t *testing.T) {
	t.Parallel()
	c := good()
	if got := c.Summary(); got != "What it is." {
		t.Errorf("summary %q", got)
	}
	if r := c.Kind("two"); r == nil || r.Doc != "It is two" || c.Kind("three") != nil {
		t.Errorf("kind %v", r)
	}
	for language, want := range map[string]string{"": "any", "ruby": "any", TypeScript: "ts", Python: "py", Go: "go"} {
		if got := c.Fix.In(language); got != want {
			t.Errorf("fix in %q: %q", language, got)
		}
	}
}
