// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"strings"
	"testing"
)

// TestHostileKeys: keys with different parts have accounts of their own, however they were chosen.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	keys := []Key{
		{},
		{Identity: "a"}, {Session: "a"}, {Server: "a"}, {Tool: "a"}, {ClientAddress: "a"},
		{Identity: "a", Server: "b"}, {Identity: "ab"}, {Identity: "a:b"}, {Identity: "a", Server: ":b"}, {Identity: "a:", Server: "b"},
		{Identity: "\x00"}, {Identity: "\x00\x00"}, {Identity: "\x01a"}, {Identity: "a\x01b"}, {Identity: "a\x00", Server: "b"},
		{Identity: "a", Server: "\x00b"}, {Identity: "\xff"}, {Identity: "\ufffd"}, {Identity: "A"}, {Identity: "a "},
		{Identity: long}, {Identity: long + "a"}, {Identity: long, Server: "a"}, {Identity: long[1:], Server: "aa"},
		{Validation: true}, {Identity: "a", Validation: true}, {Identity: "\x01"},
	}
	all := newDimensionSet([]Dimension{Identity, Session, Server, Tool, ClientAddress})
	seen := map[Account]int{}
	for i, k := range keys {
		a := k.account(all)
		if j, taken := seen[a]; taken {
			t.Errorf("keys %d and %d have one account", i, j)
		}
		seen[a] = i
	}
	if (Key{Identity: "a"}).account(newDimensionSet([]Dimension{Identity})) == (Key{Tool: "a"}).account(newDimensionSet([]Dimension{Tool})) {
		t.Error("an identity and a tool of one name have one account")
	}
}

func FuzzAccount(f *testing.F) {
	f.Add("a", "b", "ab", "", uint8(2|8))
	f.Add("a\x01", "b", "a", "\x01b", uint8(2|8))
	f.Add("x", "y", "x", "z", uint8(2))
	f.Fuzz(func(t *testing.T, identity1, server1, identity2, server2 string, bits uint8) {
		per := dimensionSet(bits)
		one, two := Key{Identity: identity1, Server: server1}, Key{Identity: identity2, Server: server2}
		same := (identity1 == identity2 || !per.has(Identity)) && (server1 == server2 || !per.has(Server))
		if got := one.account(per) == two.account(per); got != same {
			t.Errorf("%+v and %+v have one account: %v, want %v", one, two, got, same)
		}
	})
}
