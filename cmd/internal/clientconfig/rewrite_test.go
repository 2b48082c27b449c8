// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	flags "flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flags.Bool("update", false, "write the expected results")

func newRewriter(t testing.TB) *Rewriter {
	t.Helper()
	f, err := sharedFinder()
	if err != nil {
		t.Fatal(err)
	}
	return newRewriterWith(f, "/usr/bin/toolvet", "/work", "/home/ann")
}

// TestClients compares what becomes of real files, and holds that each entry gets its former bytes back.
func TestClients(t *testing.T) {
	t.Parallel()
	const name = "testdata/clients.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	var inputs []txtar.File
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
		if ext := path.Ext(f.Name); ext != ".after" && ext != ".left" {
			inputs = append(inputs, f)
		}
	}
	r := newRewriter(t)
	updated := &txtar.Archive{Comment: archive.Comment}
	got := map[string]string{}
	for _, in := range inputs {
		entries, err := r.Entries(in.Data, path.Dir(in.Name))
		if err != nil {
			t.Errorf("%s: %v", in.Name, err)
			continue
		}
		text, left := in.Data, ""
		for _, e := range entries {
			if e.Left != "" {
				left += fmt.Sprintf("%s: %s\n", e.Name(), e.Left)
				continue
			}
			if text, _, err = Exchange(text, path.Dir(in.Name), e.Keys, e.Before, e.After); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(e.BeforeShown+e.AfterShown+e.Runs, "hunter2") {
				t.Errorf("%s: a secret of %s is shown:\n%s%s%s", in.Name, e.Name(), e.Runs, e.BeforeShown, e.AfterShown)
			}
		}
		got[in.Name], got[in.Name+".after"] = string(in.Data), string(text)
		updated.Files = append(updated.Files, in, txtar.File{Name: in.Name + ".after", Data: text})
		if left != "" {
			got[in.Name+".left"] = left
			updated.Files = append(updated.Files, txtar.File{Name: in.Name + ".left", Data: []byte(left)})
		}
		again, err := r.Entries(text, path.Dir(in.Name))
		if err != nil {
			t.Errorf("%s: the new file: %v", in.Name, err)
		}
		for i, e := range again {
			if e.Left == "" || entries[i].Left == "" && !e.Done {
				t.Errorf("%s: %s changes a second time", in.Name, e.Name())
			}
		}
		for _, e := range entries {
			if text, _, err = Exchange(text, path.Dir(in.Name), e.Keys, e.After, e.Before); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(text, in.Data) {
			t.Errorf("%s: not undone:\n%s", in.Name, text)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(updated), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got; -update writes it):\n%s", diff)
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "env"), []byte("# x\nexport A=1\nB = 'two words'\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"SET": "v", "EMPTY": ""}[name]
		return v, ok
	}
	for entry, want := range map[string]Launch{
		`{"command":"c","args":["${workspaceFolder}","${userHome}","${workspaceFolderBasename}","${/}","${env:SET}","${SET}","$SET","$","a$b"]}`: {
			Args: []string{"c", "/work", "/home/ann", "work", "/", "v", "v", "v", "$", "a$b"}},
		`{"command":"${NONE:-c}","args":["${EMPTY:-d}","${SET:-e}","${EMPTY}"]}`:          {Args: []string{"c", "d", "v", ""}},
		`{"command":"c","env":{"K":"${input:key}","L":"${input:known}","N":1},"cwd":"d"}`: {Args: []string{"c"}, Env: []string{"K=", "L=x", "N=1"}, Dir: "/work/d", Unknown: []string{"${input:key}"}},
		`{"command":"c","args":["${NONE}","${env:NONE}","${command:pick}","${X:=hunter2}"]}`: {
			Args: []string{"c", "", "", "", ""}, Unknown: []string{"${NONE}", "${env:NONE}", "${command:…}", "${X:…}"}},
		`{"command":"c","envFile":"` + filepath.ToSlash(filepath.Join(dir, "env")) + `","env":{"A":"2"}}`: {Args: []string{"c"}, Env: []string{"A=1", "B=two words", "A=2"}},
	} {
		got, err := newRewriter(t).Launch([]byte(entry), Launching{Client: "cursor", Lookup: lookup, Known: map[string]string{"input:known": "x"}})
		if err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", entry, diff)
		}
	}
	for _, entry := range []string{`{}`, `{"command":1}`, `{"command":"c","args":1}`, `{"command":"c","env":1}`, `{"command":"c","cwd":1}`, `{"command":"c","envFile":"/none/none"}`, `[]`} {
		if l, err := newRewriter(t).Launch([]byte(entry), Launching{Lookup: lookup}); err == nil {
			t.Errorf("%s: %+v, want an error", entry, l)
		}
	}
}

// TestLaunchAs holds that each client knows its own placeholders, and no other's.
func TestLaunchAs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { v, ok := map[string]string{"SET": "v"}[name]; return v, ok }
	const args = `["${SET}", "{env:SET}x", "{env:NONE}", "{file:key}", "$SET"]`
	for client, want := range map[string]*Launch{
		"codex":    {Args: []string{"c", "${SET}", "{env:SET}x", "{env:NONE}", "{file:key}", "$SET"}, Env: []string{"SET=v", "A=${SET}"}},
		"opencode": {Args: []string{"c", "${SET}", "vx", "", "k", "$SET"}, Env: []string{"SET=${SET}", "A=${SET}"}},
		"cursor":   {Args: []string{"c", "v", "{env:SET}x", "{env:NONE}", "{file:key}", "v"}, Env: []string{"SET=v", "A=v"}},
	} {
		imports := ""
		if client == "codex" {
			imports = `, "env_vars": ["SET"]`
		}
		entry := `{"command": "c", "args": ` + args + `, "env": {"SET": "${SET}", "A": "${SET}"}` + imports + `}`
		got, err := newRewriter(t).Launch([]byte(entry), Launching{Client: client, File: filepath.Join(dir, "x.json"), Lookup: lookup})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", client, diff)
		}
	}
	got, err := newRewriter(t).Launch([]byte(`{"command": "c", "args": ["{file:none}", "{file:~/none}"]}`), Launching{Client: "opencode", File: filepath.Join(dir, "x.json"), Lookup: lookup})
	if err != nil || len(got.Unknown) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	behind, plain := []string{"toolvet", "proxy", "--", "x"}, []string{"x"}
	for file, want := range map[string]map[string][]string{
		`claude-code:{"mcpServers":{"a":{"command":"toolvet","args":["proxy","--","x"]},"b":{"command":"x"},"c":{"url":"http://localhost"}}}`: {"a": behind, "b": plain, "c": nil},
		`claude-code:{"projects":{"/work":{"mcpServers":{"a":{"command":"x"}}},"/other":{"mcpServers":{"b":{"command":"x"}}}}}`:               {"a": plain},
		`claude-code:{"mcpServers":{"a":{"command":"x"}},"projects":{"/work":{"mcpServers":{"b":{"command":"x"}}}}}`:                          {"a": plain, "b": plain},
		"codex:[mcp_servers.a]\ncommand = 'toolvet'\nargs = ['proxy', '--', 'x']\n[mcp_servers]\nb = {command = 'x'}\n":                       {"a": behind, "b": plain},
		"goose:extensions:\n  a:\n    cmd: toolvet\n    args: [proxy, --, x]\n  b: {cmd: x}\n":                                                {"a": behind, "b": plain},
		`opencode:{"mcp":{"a":{"command":["toolvet","proxy","--","x"]},"b":{"command":["x"]}}}`:                                               {"a": behind, "b": plain},
		`zed:{"context_servers":{"a":{"command":"x"},"b":{"command":1}}}`:                                                                     {"a": plain, "b": nil},
	} {
		client, text, _ := strings.Cut(file, ":")
		got, err := Commands([]byte(text), client, "/work")
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	if _, err := Commands([]byte(`{"projects":{}`), "claude-code", "/work"); err == nil {
		t.Error("a broken file is no error")
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	keys := []string{"mcpServers", "a"}
	for file, want := range map[string]Swapped{
		`{"mcpServers":{"a":{"x":1}}}`: Swap, `{"mcpServers":{"a":{"x":2}}}`: Same, `{"mcpServers":{"a":{"x": 1}}}`: Changed,
		`{"mcpServers":{}}`: Vanished, `{}`: Vanished,
	} {
		text, got, err := Exchange([]byte(file), "cursor", keys, []byte(`{"x":1}`), []byte(`{"x":2}`))
		if err != nil || got != want || (got == Swap) == (string(text) == file) {
			t.Errorf("%s: %s, %v, %v, want %v", file, text, got, err, want)
		}
	}
	if _, _, err := Exchange([]byte(`{"mcpServers":1}`), "cursor", keys, nil, nil); err == nil {
		t.Error("a file that is no configuration is no error")
	}
}

// FuzzEntries: whatever changes is still JSON with the same servers, and all bytes come back.
func FuzzEntries(f *testing.F) {
	f.Add([]byte(commented), "vscode")
	f.Add([]byte(`{"mcpServers":{"a":{"\u0075rl":"https://x.org", "headers" : {"A":"b"}, "type":"http"}}}`), "cursor")
	f.Add([]byte(`{"mcpServers":{"a":{"headers":null,"url":"https://x.org/?k=1" // c`+"\n}}}"), "cursor")
	f.Add([]byte(`{"mcpServers":{"a":{"x\\\"":1,"serverUrl":"https://x.org"}}}`), "windsurf")
	f.Add([]byte("[mcp_servers.a]\ncommand = 'x' # c\nargs = [\n'y', # d\n]\nenv.K = 'v'\n[mcp_servers.\"b c\"]\r\n\"url\" = \"http://h\"\r\n"), "codex")
	f.Add([]byte("a: 1\nextensions:\n  é:\n    'cmd': x # c\n    args:\n    - y # d\n\n    # e\n  b:\n    uri: \"http://h\" # f\n"), "goose")
	f.Add([]byte(`{"mcp":{"a":{"command":["x"],/* c */"environment":{}},"b":{"url":"http://h","headers":{"A":"b"},"type":"remote"}}}`), "opencode")
	f.Add([]byte("\uFEFFextensions:\r\n  a:\r\n    cmd: x # c\r\n    note: 'y\r\n      z'\r\n    args:\r\n    - |+\r\n      y\r\n      # d\r\n\r\n  b:\r\n    cmd: x\r\n"), "goose")
	f.Add([]byte("extensions:\n  a:\n    args: [\"x\n      y\"]\n    cmd: >\n      z\n      # y\n"), "goose")
	f.Add([]byte("[mcp_servers.a] # c\r\ncommand = \"\"\"\r\nx\"\"\" # d\r\nargs = ['y']\r\n"), "codex")
	f.Fuzz(func(t *testing.T, file []byte, client string) {
		r := newRewriter(t)
		entries, err := r.Entries(file, client)
		if err != nil {
			return
		}
		text := file
		for _, e := range entries {
			if text, _, err = Exchange(text, client, e.Keys, e.Before, e.After); err != nil {
				t.Fatalf("%q: %v", file, err)
			}
		}
		again, err := r.Entries(text, client)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%q becomes %q: %v", file, text, err)
		}
		for i, e := range again {
			if entries[i].Left == "" && !e.Done {
				t.Errorf("%q becomes %q: %s is not behind toolvet", file, text, e.Name())
			}
		}
		if dialects[client] != nil && client != "panicking" {
			onlyServers(t, file, text, client, entries)
		}
		for _, e := range entries {
			if text, _, err = Exchange(text, client, e.Keys, e.After, e.Before); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(text, file) {
			t.Errorf("%q is not undone: %q", file, text)
		}
	})
}
