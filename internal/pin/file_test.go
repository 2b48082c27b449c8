// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

const lockFile = `{
  "servers": {
    "files": {
      "t": {
        "definition": {
          "description": "a\u200bb",
          "name": "t"
        },
        "digest": "sha256:DIGEST"
      }
    },
    "none": {}
  },
  "version": 1
}
`

// sampleFile is lockFile with its digest.
func sampleFile(t testing.TB) string {
	t.Helper()
	digest, err := Digest(tool(t, `{"description": "a\u200bb", "name": "t"}`))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(lockFile, "sha256:DIGEST", digest, 1)
}

func TestEncode(t *testing.T) {
	t.Parallel()
	lock := lockOf(t, `{"name": "t", "description": "a\u200bb"}`).Accept("none", nil)
	text, err := lock.encode()
	if diff := cmp.Diff(sampleFile(t), string(text)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	back, err := parseLock(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"files", "none"}, slices.Sorted(maps.Keys(back.lists[Tools]))); diff != "" || !back.Has("none") || back.Has("other") {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if changes := back.Compare("files", catalog(t, `{"description": "a\u200bb", "name": "t"}`)); len(changes) > 0 {
		t.Errorf("read again: %v", told(changes))
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for old, tt := range map[string]struct{ new, want string }{
		`"version": 1`:        {`"version": 2`, `"/version" is not 1`},
		"\"version\": 1\n":    {`"version": 1, "more": 1`, `the file has keys beside ["servers" "version"]`},
		`"none": {}`:          {`"none": []`, `"/servers/none" is not an object`},
		`"t": {`:              {`"u": {`, `"/servers/files/u/definition" is not the definition of a tool of this name`},
		`a\u200bb`:            {`ab`, `"/servers/files/t/digest" is not the digest of the definition beside it`},
		`"sha256:`:            {`"SHA256:`, `"/servers/files/t/digest" is not the digest`},
		`"digest"`:            {`"Digest"`, `"/servers/files/t" has no "digest"`},
		`"none"`:              {`"files"`, `"/servers/files" is given twice`},
		`"definition": {`:     {`"definition": [], "x": {`, `"/servers/files/t" has keys beside`},
		"{\n  \"servers\": {": {"<<<<<<< HEAD\n{\n  \"servers\": {", `where a value is expected`},
	} {
		text := strings.Replace(sampleFile(t), old, tt.new, 1)
		if text == sampleFile(t) {
			t.Errorf("%s: the case changes nothing", old)
		}
		if _, err := parseLock([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", old, err, tt.want)
		}
	}
	whole := strings.TrimSpace(sampleFile(t))
	for i := range whole {
		if _, err := parseLock([]byte(whole[:i])); err == nil {
			t.Fatalf("a file that is cut after %d bytes is read", i)
		}
	}
}

func TestLoadAndWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, File)
	if _, err := Load(file); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "toolvet lock") {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), file+" cannot be used: ") || !strings.Contains(err.Error(), "; restore it, or remove it") {
		t.Errorf("half a file: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(File, link); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	} else if err != nil {
		link = file
	}
	lock := lockOf(t, readFile)
	if err := lock.Write(link); err != nil {
		t.Fatal(err)
	}
	back, err := Load(link)
	if err != nil || len(back.Compare("files", catalog(t, readFile))) > 0 {
		t.Errorf("read again: %v", err)
	}
	info, err := os.Lstat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 2 {
		t.Errorf("left behind: %v", entries)
	}
	if err := lock.Write(filepath.Join(dir, "no", "such")); err == nil || !strings.HasPrefix(err.Error(), "writing the lock: ") {
		t.Errorf("no directory: %v", err)
	}
}

// FuzzParse holds that a parsed lock is written as the same lock, and that the text is stable.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sampleFile(f)))
	f.Add([]byte(`{"version":1.0,"servers":{"\u200b":{}}}`))
	f.Add([]byte(`{"version":1,"servers":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := parseLock(data)
		if err != nil {
			return
		}
		text, err := lock.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseLock(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := back.encode()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%v\n%s\n%s", err, text, again)
		}
		for _, server := range slices.Sorted(maps.Keys(lock.lists[Tools])) {
			if diff := cmp.Diff(lock.Tools(server), back.Tools(server)); diff != "" {
				t.Errorf("%q: %s", server, diff)
			}
		}
	})
}

// TestRealTools holds that the definitions of real servers can be locked, are themselves
// when they are read again, and do not change when they are spelt otherwise.
func TestRealTools(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	servers, tools := 0, 0
	for _, row := range corpora.Read[struct{ Tools []json.RawMessage }](t, "mcp_servers") {
		servers++
		tools += realServer(t, row.Tools, random)
	}
	if servers < 100 || tools < 1000 {
		t.Fatalf("only %d servers with %d tools", servers, tools)
	}
	t.Logf("%d tools of %d servers", tools, servers)
}

func realServer(t *testing.T, definitions []json.RawMessage, random *rand.Rand) int {
	var listed, respelt []*call.Tool
	for _, raw := range definitions {
		listed = append(listed, tool(t, string(raw)))
		respelt = append(respelt, tool(t, respell(parse(t, string(raw)), random)))
	}
	catalog := call.NewCatalog(listed)
	var empty Lock
	text, err := empty.Accept("x", empty.Compare("x", catalog)).encode()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := parseLock(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range catalog.Names() {
		original := catalog.Tool(name)
		if change := lock.Verify("x", original); change != nil && original.Fault == nil {
			t.Errorf("%s: %v", name, told([]*Change{change}))
		}
	}
	for i, r := range respelt {
		before, err1 := Digest(listed[i])
		after, err2 := Digest(r)
		if before != after || err1 != nil || err2 != nil {
			t.Errorf("%s: %s %v, spelt otherwise %s %v", r.Name, before, err1, after, err2)
		}
	}
	return len(definitions)
}
