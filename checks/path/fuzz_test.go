// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolvet/toolvet/check"
)

// readers are what programs do to a path before they open it.
var readers = map[string]func(string) string{
	"percent":   percent,
	"backslash": func(s string) string { return strings.ReplaceAll(s, `\`, "/") },
	"normalise": norm.NFKC.String,
	"code page": strings.NewReplacer("¥", `\`, "₩", `\`).Replace,
	"trim":      strings.TrimSpace,
	"utf-8":     func(s string) string { return strings.ToValidUTF8(s, "") },
}

// percent decodes %2e, and leaves alone what is no such thing.
func percent(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i] == '%' {
			if hi, lo := strings.IndexByte(digits, s[i+1]|0x20), strings.IndexByte(digits, s[i+2]|0x20); hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// digits are those of hexadecimal numbers; setting bit 5 leaves them as they are.
const digits = "0123456789abcdef"

// escapes returns how a program that reads s in a few steps leaves the directory; nil
// if none does.
func escapes(s, dir string, steps int) []string {
	at := s
	if !strings.HasPrefix(at, "/") {
		at = dir + "/" + at
	}
	if at = path.Clean(at); at != dir && !strings.HasPrefix(at, dir+"/") || strings.IndexByte(s, 0) >= 0 {
		return []string{at}
	}
	if steps == 0 {
		return nil
	}
	for name, read := range readers {
		if next := read(s); next != s {
			if way := escapes(next, dir, steps-1); way != nil {
				return append([]string{name}, way...)
			}
		}
	}
	return nil
}

// FuzzConfinement holds that no allowed path leaves the directory for a program that decodes,
// normalises or trims, in any order.
func FuzzConfinement(f *testing.F) {
	for _, seed := range []string{
		"a/../b", "../x", "%2e%2e%2fx", "..%255cx", "．．／x", `a\b/../../x`, " /etc", "a%2fb\\..\\../x",
		"100%25.txt", "%c0%ae%c0%ae/x", "/srv/data/../../x", "a／b%2f..\\..\\..", "\u200b..", "${X}/../..", "%u002e./x",
		"%c0%ae/x", "%c0%aa/x", "a%%acC00b", "a½％2fé%ef%bc%8f..%2f..％2fb", // what these found
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 200 {
			t.Skip() // refused before, or too slow for the oracle
		}
		o := &Options{Within: []string{"/srv/data"}, Base: "/srv/data", Platform: "posix"}
		if len(o.judge(check.World{}, s)) > 0 {
			return
		}
		if way := escapes(s, "/srv/data", 4); way != nil {
			t.Errorf("%q is allowed, and leads out: %q", s, way)
		}
	})
}

// FuzzWindows holds that allowed paths stay within the directory for a reader that knows drives
// and shares, and that Windows changes no allowed name.
func FuzzWindows(f *testing.F) {
	for _, seed := range []string{`C:\Data\x`, `..\x`, `c:\DATA\..\data2`, `a\..\..\x`, `\\?\C:\x`, "a%5c..%5c..", "NUL.txt", "a. /b", "x:y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 200 {
			t.Skip()
		}
		o := &Options{Within: []string{`C:\Data`}, Base: `C:\Data`, Platform: "windows"}
		if len(o.judge(check.World{}, s)) > 0 {
			return
		}
		at := strings.ToLower(strings.ReplaceAll(s, `\`, "/"))
		if strings.Contains(at[min(2, len(at)):], ":") {
			t.Errorf("%q is allowed, and has a colon behind the drive", s)
		}
		rest, absolute := strings.CutPrefix(at, "c:/")
		if !absolute {
			rest = "data/" + at
		}
		if clean := path.Clean("/" + rest); clean != "/data" && !strings.HasPrefix(clean, "/data/") || strings.HasPrefix(at, "/") {
			t.Errorf("%q is allowed, and leads to %q", s, clean)
		}
	})
}
