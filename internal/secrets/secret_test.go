// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scanner(t testing.TB, o Options) *Scanner {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// redact replaces secrets by markers, as a user of the package does.
func redact(s *Scanner, text string) string {
	for _, m := range slices.Backward(s.Scan(text)) {
		text = text[:m.Start] + Marker(m.Pattern) + text[m.End:]
	}
	return text
}

// TestOwnPatterns has hits and misses of each own pattern. A text without a marker passes
// unchanged.
func TestOwnPatterns(t *testing.T) {
	t.Parallel()
	s := scanner(t, Options{PresignedURLs: true})
	found := map[string]bool{}
	for _, tt := range ownRules {
		want := marker.ReplaceAllString(tt, "")
		text := strings.NewReplacer("⟦", "", "⟧", "").Replace(want)
		got := s.Scan(text)
		var parts []string
		for _, m := range got {
			parts = append(parts, Marker(m.Pattern)+"⟦"+text[m.Start:m.End]+"⟧")
			found[m.Pattern] = true
		}
		marked := regexp.MustCompile(`(?s)\[redacted:[a-z0-9._-]+\]⟦.*?⟧`).FindAllString(tt, -1)
		if diff := cmp.Diff(marked, parts); diff != "" {
			t.Errorf("in %q (-want +got):\n%s", text, diff)
		}
	}
	for _, r := range readFile(t, own()).Patterns {
		if !found[r.ID] && !r.Component {
			t.Errorf("no text has what the pattern %s finds", r.ID)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte("mtk_allowed1234"))
	s := scanner(t, Options{
		Patterns: []Pattern{{ID: "my-token", Regex: `\bmtk_(\w{8,})\b|\bmtk-(\w{8,})\b`, SecretGroup: 0}, {ID: "whole", Regex: `\bmtk_allowed\w+`}},
		Disable:  []string{"jwt", "json-web-token", "generic-api-key", "random-value"},
		Allow:    []string{strings.ToUpper(hex.EncodeToString(digest[:]))},
	})
	for text, want := range map[string]string{
		"a mtk_12345678 b mtk-abcdefgh":   "a mtk_[redacted:my-token] b mtk-[redacted:my-token]",
		"mtk_allowed1234":                 "mtk_allowed1234", // its part is not found either
		"mtk_allowed1235":                 "[redacted:whole]",
		"secret_key = aB3dE5gH7jK9mN1pQ2": "secret_key = aB3dE5gH7jK9mN1pQ2",
	} {
		if got := redact(s, text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"there is a pattern with this id already":  {Patterns: []Pattern{{ID: "jwt", Regex: "a"}}},
		"a pattern's id must be":                   {Patterns: []Pattern{{ID: "A b", Regex: "a"}}},
		"error parsing regexp":                     {Patterns: []Pattern{{ID: "x", Regex: "("}}},
		"the expression has no group 2":            {Patterns: []Pattern{{ID: "x", Regex: "(a)", SecretGroup: 2}}},
		"matches the empty text":                   {Patterns: []Pattern{{ID: "x", Regex: "a*"}}},
		"a keyword is empty":                       {Patterns: []Pattern{{ID: "x", Regex: "a", Keywords: []string{""}}}},
		"which does not exist":                     {Patterns: []Pattern{{ID: "x", Regex: "a", Require: []Requirement{{ID: "y"}}}}},
		"allow 1: target must be":                  {Patterns: []Pattern{{ID: "x", Regex: "a", Allow: []Allow{{Target: "file", Words: []string{"a"}}}}}},
		"allow 1: it holds no":                     {Patterns: []Pattern{{ID: "x", Regex: "a", Allow: []Allow{{}}}}},
		"allow 1: a word is empty":                 {Patterns: []Pattern{{ID: "x", Regex: "a", Allow: []Allow{{Words: []string{""}}}}}},
		"allow 1: error parsing regexp":            {Patterns: []Pattern{{ID: "x", Regex: "a", Allow: []Allow{{Regexes: []string{")"}}}}}},
		"disable: there is no pattern \"nothing\"": {Disable: []string{"nothing"}},
		"allow: entry 1 is not a SHA-256 digest":   {Allow: []string{"abc"}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%+v) = %v, want an error with %q", o, err, want)
		}
	}
}

func TestRequire(t *testing.T) {
	t.Parallel()
	s := scanner(t, Options{Patterns: []Pattern{
		{ID: "half", Regex: `half-\d+`, Require: []Requirement{{ID: "other", Lines: 1}}},
		{ID: "other", Regex: `other-\d+`, Component: true},
	}})
	for text, want := range map[string]string{
		"half-1":                    "half-1",
		"half-1 other-1":            "[redacted:half] other-1",
		"other-1\nhalf-1":           "other-1\n[redacted:half]",
		"half-1\n\nother-1\nhalf-2": "half-1\n\nother-1\n[redacted:half]",
	} {
		if got := redact(s, text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestOverlaps holds that one match remains of an overlap, named by the pattern that knows the
// issuer.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	var list []*compiled
	for _, r := range []Pattern{
		{ID: "general", Regex: `[a-f]+`, Generic: true}, {ID: "short", Regex: "cd"}, {ID: "long", Regex: "defgh"},
	} {
		ready, err := compile(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ready)
	}
	s := new(Scanner)
	s.add(list, map[string][]use{})
	want := []Match{{"long", 0, 8}, {"general", 9, 11}}
	if diff := cmp.Diff(want, s.Scan("abcdefgh ab")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPresignedURLs(t *testing.T) {
	t.Parallel()
	const (
		aws    = "https://b.s3.amazonaws.com/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAQWERTYUIOPASDFGH%2F20260101&X-Amz-Signature=5f2c8d9e0a1b7c3d4e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5"
		azure  = "https://x.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig=mZ3kq8vX1cW2eR4tY5uI6oP7aS8dF9gH0jK1lZ2xC3v%3D"
		google = "https://storage.googleapis.com/b/o?X-Goog-Credential=a%40b&X-Goog-Signature=5f2c8d9e0a1b7c3d4e6f8091a2b3c4d5"
	)
	off, on := standard(t), scanner(t, Options{PresignedURLs: true})
	for _, url := range []string{aws, azure, google} {
		if got := redact(off, url); got != url {
			t.Errorf("without the option: %q", got)
		}
		if got := redact(on, url); !strings.Contains(got, "[redacted:presigned-url]") {
			t.Errorf("with the option: %q", got)
		}
	}
	for text, want := range map[string]string{
		// A key that is not made for one URL is found in it.
		azure + "&api_key=aB3dE5gH7jK9mN1pQ2":                                      azure + "&api_key=[redacted:generic-api-key]",
		strings.Replace(azure, "https://x", "https://u:Zx81-kq93mm@x", 1):          strings.Replace(azure, "https://x", "https://u:[redacted:url-password]@x", 1),
		"https://a.example.org/?sig=ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3": "https://a.example.org/?sig=[redacted:github-pat]",
		"X-Amz-Credential=AKIAQWERTYUIOPASDFGH":                                    "X-Amz-Credential=[redacted:aws-access-token]",
	} {
		if got := redact(off, text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestConcurrent runs one scanner in several goroutines, for the race detector.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := scanner(t, Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, text := range seeds {
				s.Scan(text)
			}
		})
	}
	wg.Wait()
}

// FuzzScan holds what every caller relies on: matches are in order, inside the text, do not
// overlap, and one scan finds what another does.
func FuzzScan(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	s := standard(f)
	f.Fuzz(func(t *testing.T, text string) {
		list := s.Scan(text)
		last := 0
		for _, m := range list {
			if m.Start < last || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("matches %v of a text of %d bytes", list, len(text))
			}
			last = m.End
		}
		if diff := cmp.Diff(list, s.Scan(text)); diff != "" {
			t.Errorf("another scan finds something else:\n%s", diff)
		}
	})
}

// TestZeroScanner: a scanner that New did not make finds what New without options finds.
func TestZeroScanner(t *testing.T) {
	t.Parallel()
	made, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "the key is AKIA" + "Z7VRSQ5TJN2XMPLB"
	want := made.Scan(text)
	if len(want) == 0 {
		t.Fatal("the text holds no secret")
	}
	for _, s := range []*Scanner{nil, {}} {
		if got := s.Scan(text); !slices.Equal(got, want) {
			t.Errorf("%v finds %v, want %v", s, got, want)
		}
	}
}
