// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wrapAll puts the servers of a file behind toolvet, as setup does.
func wrapAll(t testing.TB, file []byte, client string) ([]byte, []*Entry) {
	t.Helper()
	entries, err := newRewriter(t).Entries(file, client)
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	text := file
	for _, e := range entries {
		if e.Left != "" {
			continue
		}
		var found Swapped
		if text, found, err = Exchange(text, client, e.Keys, e.Before, e.After); err != nil || found != Swap {
			t.Fatalf("%q: %s: %v, %v", file, e.Name(), found, err)
		}
	}
	return text, entries
}

// onlyServers holds that the values of two files differ only in the commands of entries that change, and that the former bytes come back.
func onlyServers(t testing.TB, file, text []byte, client string, entries []*Entry) {
	t.Helper()
	d := dialects[client]
	was, errWas := d.notation.whole(file)
	is, errIs := d.notation.whole(text)
	if errWas != nil || errIs != nil {
		t.Fatalf("%q becomes %q: %v, %v", file, text, errWas, errIs)
	}
	servers, _ := is[d.root].(map[string]any)
	former, _ := was[d.root].(map[string]any)
	for _, e := range entries {
		before, _ := former[e.Name()].(map[string]any)
		after, _ := servers[e.Name()].(map[string]any)
		switch {
		case e.Left != "":
			continue
		case !e.url():
			list, _ := before["args"].([]any)
			if got, want := fmt.Sprintf("%#v", after["args"]), fmt.Sprintf("%#v", append([]any{"proxy", "--", before[d.own("command")]}, list...)); client != "opencode" && got != want {
				t.Errorf("%q becomes %q: the arguments of %s are %s, want %s", file, text, e.Name(), got, want)
			}
		}
		for _, word := range []string{"command", "args", "env", "url", "headers", "type"} {
			delete(before, d.own(word))
			delete(after, d.own(word))
		}
	}
	if !same(was, is) {
		t.Errorf("%q becomes %q: another value changes", file, text)
	}
	var err error
	for _, e := range entries {
		if text, _, err = Exchange(text, client, e.Keys, e.After, e.Before); err != nil {
			t.Fatalf("%q: %v", file, err)
		}
	}
	if !bytes.Equal(text, file) {
		t.Errorf("%q is not undone: %q", file, text)
	}
}

func (e *Entry) url() bool { return bytes.Contains(e.AfterJSON, []byte(`"--upstream"`)) }

// TestYAMLLines holds that an entry of goose's file is found where it stands, whatever ends its lines and its texts.
func TestYAMLLines(t *testing.T) {
	t.Parallel()
	const two = "extensions:\n  off:\n    type: stdio\n    enabled: false # c\n    cmd: 'x\n      y'\n  a:\n    type: stdio\n    cmd: npx # c\n    args: [\"b\n      c\"] # d\n    timeout: 3\n  # e\n  z:\n    type: builtin\nlast: 1\n"
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	block := func(mark, text string) string {
		return "extensions:\n  a:\n    cmd: npx\n    args:\n    - -c\n    - " + mark + "\n" + text + "  b:\n    cmd: npx\n"
	}
	for name, file := range map[string]string{
		"CRLF, a comment":     crlf("extensions:\n  a:\n    type: stdio\n    cmd: npx # c\n    timeout: 3\n"),
		"CRLF, a quoted text": crlf("note: 'x\n\n  y'\nother: \"x\n  y\"\nextensions: # c\n  a:\n    cmd: npx\n    args: [x]\n"),
		"two":                 two, "CRLF, two": crlf(two), "a mark, two": "\uFEFF" + two, "a mark, CRLF": "\uFEFF" + crlf(two),
		"a block at the end":          block("|", "      echo hi\n      # done\n"),
		"a block, kept":               block("|+", "      echo hi\n\n      # done\n\n\n"),
		"a block, folded":             block(">", "      echo hi\n\n      # done\n"),
		"a block, no line end":        block("|-", "      echo hi\n      # done\n  # about b\n\n"),
		"CRLF, a block":               crlf(block("|+", "      echo hi\n      # done\n\n")),
		"a block beside, at the end":  "extensions:\n  a:\n    cmd: npx\n    note: |\n      x\n      # y\n",
		"a block before the command":  "extensions:\n  a:\n    args:\n    - |+\n      x\n      # y\n\n    cmd: |-\n      npx\n      # z\n    t: 1\n",
		"a block, then another key":   "extensions:\n  a:\n    cmd: npx\n    note: |+\n      x\n\n\nlast: 1\n",
		"a key in quotes":             "extensions:\n  'it''s':\n    \"c\\x6Dd\": npx\n    'args': [x]\n",
		"lines that end in CR and LF": "a: 1 # x\r\nextensions:\n  a: # y\r\n    cmd: npx # z\r\n    t: 'a\r\n      b'\n    args:\n    - x\r\n",
	} {
		text, entries := wrapAll(t, []byte(file), "goose")
		if !slices.ContainsFunc(entries, func(e *Entry) bool { return e.Left == "" }) {
			t.Errorf("%s: nothing changes: %+v", name, entries[0])
		}
		if strings.Contains(file, "# done") && bytes.Contains(text, []byte("\n      # done")) {
			t.Errorf("%s: a part of the text stays: %q", name, text)
		}
		onlyServers(t, []byte(file), text, "goose", entries)
	}
}

// TestTOMLMark does the same for Codex's file with a byte order mark and line ends of Windows.
func TestTOMLMark(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"\uFEFF[mcp_servers.a]\r\ncommand = 'npx' # c\r\nargs = [\r\n'x', # d\r\n]\r\nnote = \"\"\"\r\ny\r\n# z\"\"\"\r\n",
		"\uFEFFmodel = 'x'\n[mcp_servers.a]\ncommand = 'npx'",
	} {
		text, entries := wrapAll(t, []byte(file), "codex")
		if string(text) == file {
			t.Errorf("%q: nothing changes", file)
		}
		onlyServers(t, []byte(file), text, "codex", entries)
	}
}

// TestYAMLForms holds how files without a block of servers are read.
func TestYAMLForms(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"extensions: {}\n":                        "",
		"extensions:\n":                           "",
		"extensions: null\n":                      "",
		"extensions: {a: {cmd: x}}\n":             "a: it is written in a way",
		"extensions:\n  a: {cmd: x}\n":            "a: it is written in a way",
		"extensions:\n  ? a\n  :\n    cmd: x\n":   "a: it is written in a way",
		"extensions:\n  a:\n    ? cmd\n    : x\n": "a: it is written in a way",
		"\uFEFFextensions:\n  a:\n    cmd: npx\n": "a: \n",
		"extensions:\n  a: !!map\n    cmd: npx\n": "a: it is written in a way",
	} {
		entries, err := newRewriter(t).Entries([]byte(file), "goose")
		got := ""
		for _, e := range entries {
			got += fmt.Sprintf("%s: %s\n", e.Name(), e.Left)
		}
		if err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, %v, want %q", file, got, err, want)
		}
	}
}

// TestYAMLCharacters holds that a character that YAML does not print is written as an escape, as other readers want it.
func TestYAMLCharacters(t *testing.T) {
	t.Parallel()
	file := []byte("extensions:\n  a:\n    cmd: npx\n    args: [\"\\x7f\\x80\\x85\\x9f\\ufffe\\uffff\\ufeff\\u2028\\u00a0é\"]\n")
	text, entries := wrapAll(t, file, "goose")
	if !bytes.Contains(text, []byte("\"\\u007f\\u0080\\u0085\\u009f\\ufffe\\uffff\\ufeff\\u2028\u00a0é\"")) {
		t.Errorf("got %q", text)
	}
	onlyServers(t, file, text, "goose", entries)
}

// A yamlMaker makes files of goose.
type yamlMaker struct{ *rand.Rand }

func (m yamlMaker) of(list ...string) string { return list[m.IntN(len(list))] }

// value makes a value of a member that is indented.
func (m yamlMaker) value(indent int) string {
	in := strings.Repeat(" ", indent+2)
	text := m.of("1", `"q # x"`, "'s: y'", "plain text", "true", "null", "[a, b]", "{a: b, c: [d]}", `"é😀"`, "http://x/#y", `"\x41\n"`,
		"|\n  x\n  # no\n\n  y", "|+\n  x\n  # no\n\n", ">-\n  x\n\n  # y", "|\n  # z", "\"a\n  b\n\n  c\"", "[a,\n  b, # z\n  c]", "'x\n  y'", "word\n  more")
	if !strings.Contains(text, "\n") || text[0] == '[' || text[0] == '"' || text[0] == '\'' {
		text += m.of("", "", " # c", "\t# t", "  # x: y")
	}
	return strings.ReplaceAll(text, "\n  ", "\n"+in) + "\n"
}

func (m yamlMaker) member(key string, indent int) string {
	return m.of("", "", "", "\n", "# zero\n", strings.Repeat(" ", indent)+"# full\n") + strings.Repeat(" ", indent) + key + m.of(": ", ":  ") + m.value(indent)
}

func (m yamlMaker) file() []byte {
	out := m.of("", "# head\n", "---\n")
	for i := range m.IntN(3) {
		out += m.member(fmt.Sprint("j", i), 0)
	}
	out += "extensions:" + m.of("\n", " # c\n")
	indent := 1 + m.IntN(4)
	for i := range 1 + m.IntN(2) {
		out += m.of("", "\n", "# zero\n") + strings.Repeat(" ", indent) + m.of(`"s%d"`, "s%d", "'s%d é'") + ":" + m.of("\n", " # c\n")
		out = strings.Replace(out, "%d", fmt.Sprint(i), 1)
		deeper := indent + 1 + m.IntN(4)
		in := strings.Repeat(" ", deeper)
		members := []string{in + "type: stdio" + m.of("\n", " # c\n"), in + m.of("cmd: npx\n", "cmd: npx # c\n", "'cmd' : \"n\\x70x\"\n", "cmd: >-\n"+in+" npx\n")}
		switch m.IntN(3) {
		case 0:
			members = append(members, in+"args: [a, \"b # c\", 'd']"+m.of("\n", " # c\n"))
		case 1:
			members = append(members, in+"args:\n"+in+"- a # c\n"+in+"- |"+m.of("", "+", "-")+"\n"+in+"   echo\n"+in+"   # done\n"+m.of("", "\n", "\n\n"))
		}
		for j := range m.IntN(3) {
			members = append(members, m.member(fmt.Sprint("k", j), deeper))
		}
		m.Shuffle(len(members), func(x, y int) { members[x], members[y] = members[y], members[x] })
		out += strings.Join(members, "")
	}
	for i := range m.IntN(2) {
		out += m.member(fmt.Sprint("z", i), 0)
	}
	if m.IntN(4) == 0 {
		out = strings.TrimSuffix(out, "\n")
	}
	if m.IntN(2) == 0 {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return []byte(m.of("", "", "\uFEFF") + out)
}

// TestYAMLFiles does with many files what TestYAMLLines does with some.
func TestYAMLFiles(t *testing.T) {
	t.Parallel()
	changed := 0
	const files = 200
	for seed := range uint64(files) {
		file := yamlMaker{rand.New(rand.NewPCG(seed, 1))}.file()
		text, entries := wrapAll(t, file, "goose")
		onlyServers(t, file, text, "goose", entries)
		if !bytes.Equal(text, file) {
			changed++
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, file)
		}
	}
	if changed < files*9/10 {
		t.Errorf("only %d of %d files change", changed, files)
	}
}

// A panicking notation stands for a parser with a fault.
type panicking struct{ yamlNotation }

func (panicking) find([]byte, string) ([]found, error) { panic("hunter2") }

// TestPanic holds that a parser's panic is an error about its file, and does not quote it. It is not parallel: it adds a dialect.
func TestPanic(t *testing.T) {
	dialects["panicking"] = &dialect{notation: panicking{}, root: "x"}
	t.Cleanup(func() { delete(dialects, "panicking") })
	keys := []string{"x", "a"}
	_, errEntries := newRewriter(t).Entries(nil, "panicking")
	_, _, errExchange := Exchange(nil, "panicking", keys, nil, nil)
	_, _, errRestore := Restore(nil, "panicking", keys, nil, nil)
	_, errCommands := Commands(nil, "panicking", "/work")
	for _, err := range []error{errEntries, errExchange, errRestore, errCommands} {
		if err == nil || !strings.Contains(err.Error(), "confuses the parser") {
			t.Errorf("%v", err)
		}
	}
}
