// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"testing"
	"time"
)

// held keeps counts in a variable.
type held struct {
	counts []byte
	err    error
}

func (h *held) Lock(context.Context) ([]byte, func(), error) { return h.counts, func() {}, h.err }

func (h *held) Keep(counts []byte) error {
	h.counts = counts
	return h.err
}

// TestKeeper holds that counts outlive a Memory, that a call that is given back is given back for all, and that an error refuses.
func TestKeeper(t *testing.T) {
	t.Parallel()
	keeper := &held{}
	claims := []Claim{{&Terms{Limit: "few", Quota: 2, calendar: &calendar{period: Month, zone: time.UTC}}, Account{1}}}
	take := func() Spent {
		t.Helper()
		spent, _, err := NewKept(keeper).Take(t.Context(), claims)
		if err != nil {
			t.Fatal(err)
		}
		return spent
	}
	if take() == nil {
		t.Fatal("the first call is refused")
	}
	second := take()
	if second == nil || take() != nil {
		t.Fatal("of two calls, not two pass")
	}
	second.Rollback()
	if take() == nil {
		t.Error("the call that was given back is spent")
	}
	for name, counts := range map[string]string{"no JSON": "what", "a short account": `[{"limit":"few","account":"01"}]`, "a long one": `[{"limit":"few","account":"0102030405060708091011121314151617181920212223242526272829303132333435"}]`} {
		if _, _, err := NewKept(&held{counts: []byte(counts)}).Take(t.Context(), claims); err == nil {
			t.Errorf("%s: the call passes", name)
		}
	}
	keeper.err = errors.New("gone")
	if _, _, err := NewKept(keeper).Take(t.Context(), claims); !errors.Is(err, keeper.err) {
		t.Errorf("a Keeper that fails: %v", err)
	}
}
