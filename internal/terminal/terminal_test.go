// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/terminal"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain text\n\tand äöü 漢 🙂\n": "plain text\n\tand äöü 漢 🙂\n",
		"\x1b[2J\x1b]52;c;cm0K\x07":   `\u001b[2J\u001b]52;c;cm0K\u0007`,
		"a\rb\x00c\x7f":               `a\u000db\u0000c\u007f`,
		"\u009b31m":                   `\u009b31m`,
		"\u202eevil\u2066\u200b":      `\u202eevil\u2066\u200b`,
		"a\u2028b\u2029c":             `a\u2028b\u2029c`,
		"tag \U000e0041":              `tag \udb40\udc41`,
		"bad \xff\xc3 end":            "bad \ufffd\ufffd end",
		"\ufeffbom":                   `\ufeffbom`,
	} {
		for cut := range len(text) + 1 { // however the text is cut
			var out bytes.Buffer
			w := terminal.NewWriter(&out)
			for _, part := range []string{text[:cut], text[cut:]} {
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("%q: %d, %v", part, n, err)
				}
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Fatalf("%q, cut at %d (-want +got):\n%s", text, cut, diff)
			}
		}
	}
}

// TestCommands holds that no text gives a CI system a command, however it is cut.
func TestCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"::error::x\n":                   `:\u003aerror::x` + "\n",
		"a\n \t::add-mask::x":            "a\n \t" + `:\u003aadd-mask::x`,
		"\u00a0\u3000::notice::x":        "\u00a0\u3000" + `:\u003anotice::x`,
		"a ##[error]x":                   `a ##\u005berror]x`,
		"###[error]x":                    `###\u005berror]x`,
		"##vso[task.setvariable]x":       `##\u0076so[task.setvariable]x`,
		"a :: b\n: c\n## d\n#[e] std::f": "a :: b\n: c\n## d\n#[e] std::f",
	} {
		for cut := range len(text) + 1 {
			var out bytes.Buffer
			w := terminal.NewWriter(&out)
			for _, part := range []string{text[:cut], text[cut:]} {
				if _, err := w.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Fatalf("%q, cut at %d (-want +got):\n%s", text, cut, diff)
			}
		}
	}
}

type word string

type named struct{}

func (named) String() string { return "x\ny" }

func TestFprintf(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := terminal.Fprintf(&out, "%s:\n %v|%q|%-4s|%d|%s|%v|%v|%s\n",
		"a\nb", errors.New("c\td"), "e\n\x1b", word("\r"), 7, terminal.Text("f\ng"), named{}, []string{"h\ni"}, []byte("j"))
	want := "a\\nb:\n c\\td|\"e\\n\\x1b\"|\\u000d   |7|f\ng|x\\ny|[h\\ni]|j\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// FuzzWriter holds that nothing that acts on a terminal gets through, that other text stays, and
// that a JSON text keeps its meaning.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[31m", `{"a\u001b":"` + "\u009b\u202e" + `"}`, "\xff\xe2\x80", `["` + "\u2028\U000e0001" + `"]`} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var out bytes.Buffer
		w := terminal.NewWriter(&out)
		cut = max(0, min(cut, len(text)))
		for _, part := range [][]byte{text[:cut], text[cut:], []byte("\n")} {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		got := out.Bytes()
		if !utf8.Valid(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range string(got) {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q gets through as %q", text, got)
			}
		}
		for line := range strings.Lines(string(got)) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
				t.Fatalf("%q gives a command: %q", text, got)
			}
		}
		var before, after any
		if utf8.Valid(text) && json.Unmarshal(text, &before) == nil && !bytes.ContainsRune(text, '\r') {
			if err := json.Unmarshal(got, &after); err != nil || !cmp.Equal(before, after) {
				t.Fatalf("%q means something else as %q: %v", text, got, err)
			}
		}
	})
}
