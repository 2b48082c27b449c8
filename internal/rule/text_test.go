// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"
	"testing"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, root string
		want       bool
	}{
		{"/srv/data", "/srv/data", true},
		{"/srv/data/", "/srv/data", true},
		{"/srv/data/a/../b", "/srv/data", true},
		{"/srv//data/./a", "/srv/data", true},
		{"/srv/data2", "/srv/data", false},
		{"/srv/data/../data2", "/srv/data", false},
		{"/srv", "/srv/data", false},
		{"a/b", "/srv/data", true},
		{"", "/srv/data", true},
		{".", "/srv/data", true},
		{"..", "/srv/data", false},
		{"../data/x", "/srv/data", true},
		{"../data2/x", "/srv/data", false},
		{"a/../../b", "/srv/data", false},
		{`..\x`, "/srv/data", false},
		{`a\..\..\x`, "/srv/data", false},
		{`a\b/../../x`, "/srv/data", false}, // a\b is one name where \ does not separate
		{`a\b`, "/srv/data", true},
		{`\etc\passwd`, "/srv/data", false},
		{"~/x", "/srv/data", false},
		{"~root/x", "/srv/data", false},
		{"a\x00", "/srv/data", false},
		{"a\nb", "/srv/data", false},
		{"/anything", "/", true},
		{"C:/x", "/srv/data", false},
		{`C:\x`, "/", false},
		{`C:\srv\x`, `C:\srv`, true},
		{`C:/srv/x`, `C:\srv`, true},
		{`x\y`, `C:\srv`, true},
		{`..\x`, `C:\srv`, false},
		{`C:\srv2`, `C:\srv`, false},
		{`D:\srv\x`, `C:\srv`, false},
		{`C:x`, `C:\srv`, false},
		{`\srv\x`, `C:\srv`, false},
		{"/srv/x", `C:\srv`, false},
		{"x", `C:\`, true},
	} {
		if got, err := within(tt.path, tt.root); err != nil || got != tt.want {
			t.Errorf("within(%q, %q) = %t, %v", tt.path, tt.root, got, err)
		}
	}
	for _, root := range []string{"", ".", "srv", "/srv/", "/srv/..", "/srv/../x", "/srv//x", "/srv/./x", "/srv\x00", `C:`, `C:srv`, `C:\srv\`, `\\host\share`, "~"} {
		if _, err := within("/srv/x", root); err == nil {
			t.Errorf("within allows the root %q", root)
		}
	}
}

// FuzzWithin compares within with a walk that counts its steps.
func FuzzWithin(f *testing.F) {
	for _, s := range []string{"/srv/data/x", "../x", "a/../../srv/data", `..\x`, "//srv/data", "/srv/data/../../srv/data/x", "./.", `a\../b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := within(path, "/srv/data")
		if err != nil {
			t.Fatal(err)
		}
		for _, reading := range []string{path, strings.ReplaceAll(path, `\`, "/")} {
			if got && !leadsInside(reading) {
				t.Errorf("%q is said to be within, and leads out", path)
			}
		}
	})
}

// leadsInside walks a path from /srv/data.
func leadsInside(path string) bool {
	at := []string{"srv", "data"}
	if strings.HasPrefix(path, "/") {
		at = nil
	}
	for step := range strings.SplitSeq(path, "/") {
		switch step {
		case "", ".":
		case "..":
			at = at[:max(len(at)-1, 0)]
		default:
			at = append(at, step)
		}
	}
	return len(at) >= 2 && at[0] == "srv" && at[1] == "data"
}

func TestHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.org":                       "example.org",
		"https://EXAMPLE.org.:443/x?y#z":            "example.org",
		"http://127.0.0.1:8080":                     "127.0.0.1",
		"http://[::1]:80/":                          "::1",
		"https://evil.example#@good.example":        "evil.example",
		"https://good.example.evil.example/":        "good.example.evil.example",
		"https://evil.example/https://good.example": "evil.example",

		"": "", "x": "", "//good.example": "", "/good.example": "", "https:good.example": "", "https:///good.example": "",
		"https://": "", "mailto:a@good.example": "",
		"https://good.example@evil.example": "", "https://good.example\\@evil.example": "", "https://evil.example\\.good.example": "",
		"https://good.example:x": "", "https://good.example\t": "", " https://good.example": "",
		"https://g\u00f6\u00f6d.example": "", "https://good%2eexample": "", "https://good\uff0eexample": "", "https://[fe80::1%25eth0]/": "",
	} {
		if got, err := host(address); got != want || (err == nil) != (want != "") {
			t.Errorf("host(%q) = %q, %v", address, got, err)
		}
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, text string
		want       bool
	}{
		{"*.txt", "a.txt", true}, {"*.txt", "a/b.txt", false}, {"*.txt", "a.txt\n", false}, {"*.txt", "atxt", false},
		{"**", "a/b\nc", true}, {"a/**", "a/b/c", true}, {"a/**", "ab", false}, {"**/x", "a/b/x", true},
		{"a?c", "abc", true}, {"a?c", "a/c", false}, {"a?c", "aäc", true}, {"", "", true}, {"", "a", false},
		{"a+(b)[c]", "a+(b)[c]", true}, {"a|b", "a", false}, {`a\*`, `a\b`, true},
	} {
		p := mustCompile(t, Rule{Name: "g", Effect: Allow, When: "glob(args.t, " + quoteCEL(tt.glob) + ")"}).ForTool("files", readTool(t))
		d := p.Evaluate(t.Context(), Input{Args: map[string]any{"t": tt.text}})
		if d.Allowed != tt.want || failed(d) != nil {
			t.Errorf("glob(%q, %q) = %t, %v", tt.text, tt.glob, d.Allowed, failed(d))
		}
	}
}

func quoteCEL(s string) string { return `r"` + s + `"` }
