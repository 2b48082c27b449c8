// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/schema"
)

func TestCacheCompilesOnce(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(schema.Limits{}, 10)
	got := make([]*schema.Schema, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			s, err := c.Get([]byte(`{"type":"object"}`))
			if err != nil {
				t.Error(err)
			}
			got[i] = s
		})
	}
	wg.Wait()
	for _, s := range got {
		if s == nil || s != got[0] {
			t.Fatalf("got %p, want the schema of the others, %p", s, got[0])
		}
	}
}

func TestCacheKeepsFailures(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(schema.Limits{}, 10)
	_, first := c.Get([]byte(`{"type":"any"}`))
	_, second := c.Get([]byte(`{"type":"any"}`))
	if _, ok := errors.AsType[*schema.CompileError](first); !ok || first != second {
		t.Errorf("got %v, then %v; want one CompileError", first, second)
	}
}

func TestCacheForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(schema.Limits{}, 2)
	get := func(name string) *schema.Schema {
		s, err := c.Get(fmt.Appendf(nil, `{"title":%q}`, name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := get("a"), get("b")
	get("a")
	get("c") // b goes
	if get("a") != a {
		t.Error("a was used, and is forgotten")
	}
	if get("b") == b {
		t.Error("b is remembered beyond the limit")
	}
}

func TestCacheDoesNotKeepTheCallersBytes(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(schema.Limits{}, 2)
	raw := []byte(`{"type":"object"}`)
	s, err := c.Get(raw)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw, `{"type":"string"}`)
	other, err := c.Get(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Get([]byte(`{"type":"object"}`))
	if err != nil || again != s || other == s {
		t.Errorf("got %p, %p and %p, error %v", s, other, again, err)
	}
}

func TestCacheRefusesLongSchemas(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(schema.Limits{Bytes: 10}, 0)
	if s, err := c.Get([]byte(`{"type":"object"}`)); s != nil || err == nil {
		t.Errorf("got %v, %v; want an error", s, err)
	}
}
