// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package numberprecision

import (
	"encoding/json"
	"math/big"
	"strconv"
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

func TestRounds(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{
		"0":                    false,
		"-0":                   false,
		"999999999999999":      false,
		"9007199254740991":     false,
		"-9007199254740991":    false,
		"9007199254740992":     true, // as a double it may have been …993
		"-9007199254740992":    true,
		"9007199254740993":     true,
		"9007199254740993.0":   true,
		"9007199254740993.00":  true,
		"9007199254740991.0":   false,
		"9007199254740993.5":   false,
		"0.90071992547409930":  false,
		"1.0000000000000000":   false,
		"9007199254740993e0":   false,
		"1E+9999999999999999":  false,
		"123456789012345678e1": false,
		"18446744073709551616": true,
	} {
		if got := rounds(number); got != want {
			t.Errorf("rounds(%s) = %v, want %v", number, got, want)
		}
	}
}

// FuzzRounds holds that a 64-bit integer without a finding survives a reader that uses doubles.
func FuzzRounds(f *testing.F) {
	for _, seed := range []int64{0, -1, 1 << 53, 1<<53 + 1, -1<<53 - 1, 1<<63 - 1, -1 << 63} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		text := strconv.FormatInt(n, 10)
		if rounds(text) {
			return
		}
		var double float64
		if err := json.Unmarshal([]byte(text), &double); err != nil {
			t.Fatal(err)
		}
		if read, _ := big.NewFloat(double).Int64(); read != n {
			t.Errorf("%s is read as %d", text, read)
		}
	})
}
