// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package bytesize

import "testing"

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{
		"0": 0, "0B": 0, "4096": 4096, "1B": 1, "1kB": 1000, "1KB": 1000, "1kib": 1024, "100MB": 100e6, "1.5GiB": 3 << 29,
		"2 TB": 2e12, "1TiB": 1 << 40, "0.0001kB": 1,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1e3", "0x10", "1,5MB", "1 000", "1PB", "1BM", "inf", "NaN", "99999999TB", "1..2", "1MB2"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for size, want := range map[Size]string{0: "0B", 1: "1B", 1000: "1kB", 1024: "1KiB", 1500: "1500B", 100e6: "100MB", 3 << 29: "1536MiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d: got %s, want %s", int64(size), got, want)
		}
	}
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"100MB", "1.5GiB", "0", "9e9", "1 TiB", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var size, again Size
		if size.UnmarshalText([]byte(text)) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(size.String())); err != nil || again != size || size < 0 {
			t.Errorf("%q is %d, whose text %s is %d, %v", text, size, size, again, err)
		}
	})
}
