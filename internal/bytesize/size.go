// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package bytesize reads and writes sizes with units, for policies.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes. As text it is a number and a unit: B, powers of 1000
// (kB, MB, GB, TB) or of 1024 (KiB, MiB, GiB, TiB); no unit means bytes. Case does
// not matter.
type Size int64

// units in descending order, for String to find the largest one that divides a size.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12},
	{"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6},
	{"KiB", 1 << 10}, {"kB", 1e3},
	{"B", 1},
}

// UnmarshalText reads a size such as "100MB" or "1.5GiB".
func (s *Size) UnmarshalText(text []byte) error {
	number := strings.TrimRight(string(text), "BbKkMmGgTtIi ")
	unit := strings.TrimSpace(string(text)[len(number):])
	factor := int64(1)
	known := unit == ""
	for _, u := range units {
		if strings.EqualFold(unit, u.name) {
			factor, known = u.bytes, true
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	plain := strings.Trim(number, "0123456789.") == ""
	if !known || !plain || err != nil || value*float64(factor) > math.MaxInt64/2 {
		return fmt.Errorf("a size must be a number and a unit, such as 100MB, 64KiB or 4096B")
	}
	*s = Size(math.Ceil(value * float64(factor)))
	return nil
}

// String writes the size in the largest unit without a fraction.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return "0B"
}
