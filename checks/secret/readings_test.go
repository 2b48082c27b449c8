// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestReadings finds a token in each of the ways to write it that programs print and people copy.
func TestReadings(t *testing.T) {
	t.Parallel()
	const token = "ghp_" + "x7Kq2mV9sR4tW1zB8nC5dF3gH6jL0pQaYu3E"
	each := func(format, between string) string {
		parts := make([]string, len(token))
		for i := range len(token) {
			parts[i] = fmt.Sprintf(format, token[i])
		}
		return strings.Join(parts, between)
	}
	pairs := hex.EncodeToString([]byte(token))
	for name, text := range map[string]string{
		"numbers": each("%d", ","), "numbers in lines": each("%d", ",\n"), "numbers with spaces": "[" + each("%d", ", ") + "]", "numbers of octets": each("%3d", " "),
		"pairs": each("%02x", " "), "large pairs": each("%02X", ":"), "numbers of C": "{" + each("0x%02x", ", ") + "}", "hyphens": each("%02x", "-"),
		"quoted-printable": each("=%02X", ""), "a soft break": token[:20] + "=\r\n" + token[20:], "a soft break of Unix": token[:20] + "=\n" + token[20:],
		"two lines": token[:20] + "\n" + token[20:], "an indent": token[:20] + "\n    " + token[20:], "digits in lines": pairs[:40] + "\n" + pairs[40:],
	} {
		raw := textResult("see " + text + " .")
		escaped := strings.NewReplacer(`\n`, `\u000a`, `\r`, `\u000D`, "=", `\u003d`).Replace(string(raw))
		for _, raw := range []string{string(raw), escaped} {
			clean, n := redacted(t, json.RawMessage(raw))
			if n == 0 || !json.Valid(clean) || strings.Contains(string(clean), token[20:]) {
				t.Errorf("%s: %s stays", name, clean)
			}
		}
	}
}

// FuzzReadings holds that each byte of a reading stands for a part of its source, in order.
func FuzzReadings(f *testing.F) {
	f.Add("103, 104, 112, 95 103 104 112 95 103 104 112 95 103 104 112 95")
	f.Add("67 68 70 5f 67 68 70 5f 67 68 70 5f 67 68 70 5f")
	f.Add("a=67=68=70=5Fb=\r\nc")
	f.Fuzz(func(t *testing.T, text string) {
		check := func(r *reading) {
			if len(r.from) != len(r.text) || len(r.to) != len(r.text) {
				t.Fatalf("%q: %d bytes, %d begins, %d ends", text, len(r.text), len(r.from), len(r.to))
			}
			for i := range r.text {
				if r.from[i] > r.to[i] || r.to[i] > len(text) || i > 0 && r.from[i] < r.from[i-1] {
					t.Fatalf("%q: byte %d stands for %d:%d", text, i, r.from[i], r.to[i])
				}
			}
		}
		for _, r := range numbers([]byte(text)) {
			check(r)
		}
		if r := quotedPrintable([]byte(text)); r != nil {
			check(r)
		}
	})
}
