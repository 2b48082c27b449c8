// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, key string
		integer   bool
	}{
		{"0", "0", true},
		{"-0", "0", true},
		{"0.000", "0", true},
		{"0e99", "0", true},
		{"7", "7e0", true},
		{"-700", "-7e2", true},
		{"7.0", "7e0", true},
		{"0.7", "7e-1", false},
		{"0.0070", "7e-3", false},
		{"12.50e1", "125e2", true},
		{"12.5e-1", "125e0", false},
		{"1e999999999999999", "1e999999999999999", true},
		{"1E-999999999999999", "1e-999999999999999", false},
		{"123456789012345678901234567890", "12345678901234567890123456789e29", true},
	} {
		d, ok := parseDecimal(json.Number(tc.text))
		if got := string(d.appendKey(nil)); !ok || got != tc.key || d.isInteger() != tc.integer {
			t.Errorf("%s: got %s, integer %v, ok %v; want %s, %v", tc.text, got, d.isInteger(), ok, tc.key, tc.integer)
		}
	}
	for _, text := range []string{"", "-", "x", "1x", "1e", "1e+", "1e1.5", ".5", "1e1000000000000000", "0x1", "1_0", "NaN", "- 1"} {
		if d, ok := parseDecimal(json.Number(text)); ok {
			t.Errorf("%q: got %+v, want a failure", text, d)
		}
	}
}

// TestDecimalAgreesWithBig compares with exact rational numbers.
func TestDecimalAgreesWithBig(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		agreesWithBig(t, randomNumber(r), randomNumber(r))
	}
}

func randomNumber(r *rand.Rand) string {
	text := strconv.Itoa(r.IntN(1300) - 300)
	if r.IntN(2) == 0 {
		text += "." + strings.Repeat("0", r.IntN(3)) + strconv.Itoa(r.IntN(100))
	}
	if r.IntN(3) == 0 {
		text += "e" + strconv.Itoa(r.IntN(9)-4)
	}
	return text
}

func agreesWithBig(t testing.TB, a, b string) {
	t.Helper()
	x, ok1 := parseDecimal(json.Number(a))
	y, ok2 := parseDecimal(json.Number(b))
	p, ok3 := new(big.Rat).SetString(a)
	q, ok4 := new(big.Rat).SetString(b)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		t.Fatalf("%s and %s: not read", a, b)
	}
	if got, want := x.compare(&y), p.Cmp(q); got != want {
		t.Errorf("compare %s, %s: got %d, want %d", a, b, got, want)
	}
	if got, want := x.isInteger(), p.IsInt(); got != want {
		t.Errorf("%s integer: got %v, want %v", a, got, want)
	}
	if got, want := string(x.appendKey(nil)) == string(y.appendKey(nil)), p.Cmp(q) == 0; got != want {
		t.Errorf("%s and %s have one key: got %v, want %v", a, b, got, want)
	}
	if q.Sign() == 0 {
		return
	}
	if got, want := x.multipleOf(&y), new(big.Rat).Quo(p, q).IsInt(); got != want {
		t.Errorf("%s is a multiple of %s: got %v, want %v", a, b, got, want)
	}
}

var numberSeeds = [][2]string{{"0", "0.1"}, {"-1.50", "1e2"}, {"1e-20", "3"}, {"9007199254740993", "9007199254740992.0"}}

func FuzzDecimal(f *testing.F) {
	if len(numberSeeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range numberSeeds {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b} {
			if !isNumber(text) || len(text) > 100 || strings.ContainsAny(text, "eE") && !sensible(json.Number(text)) {
				t.Skip()
			}
		}
		agreesWithBig(t, a, b)
	})
}

func TestSmallInt(t *testing.T) {
	t.Parallel()
	for text, want := range map[json.Number]int64{"0": 0, "-0": 0, "12": 12, "-999999999999999999": -999999999999999999} {
		if got, ok := smallInt(text); !ok || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []json.Number{"", "-", "1.0", "1e2", "1234567890123456789", "+1", "a"} {
		if got, ok := smallInt(text); ok {
			t.Errorf("%q: got %d, want a failure", text, got)
		}
	}
}
