// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/servers"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/upstream"
)

// A fact is the state of a file. Live and rehearsed runs differ in times and inodes, so these are apart.
type fact struct {
	what    string // type, mode, owner, content
	exactly string // what, inode and times: the same only if nobody touched the file
}

// snapshot reads everything below a directory, independently of the package.
func snapshot(t *testing.T, dir string) map[string]fact {
	t.Helper()
	facts := map[string]fact{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		f := fact{what: fmt.Sprintf("%v %d %d", info.Mode(), stat.Uid, stat.Gid)}
		f.exactly = fmt.Sprint(stat.Ino, stat.Nlink, stat.Mtim, stat.Ctim)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			f.what += " -> " + target
		case info.Mode().IsRegular():
			file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOATIME, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			raw := make([]byte, info.Size())
			if _, err := file.ReadAt(raw, 0); err != nil && len(raw) > 0 {
				return err
			}
			f.what += " " + string(raw)
			f.exactly += fmt.Sprint(stat.Atim)
		}
		value := make([]byte, 256)
		if n, err := unix.Lgetxattr(path, "user.test", value); err == nil {
			f.what += " user.test=" + string(value[:n])
		}
		facts[path] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func whats(facts map[string]fact) map[string]string {
	all := map[string]string{}
	for path, f := range facts {
		all[path] = f.what
	}
	return all
}

// changesOf compares two snapshots. It leaves out directories that stay.
func changesOf(before, after map[string]fact) map[string]string {
	changes := map[string]string{}
	for path, b := range before {
		if a, ok := after[path]; !ok {
			changes[path] = "gone"
		} else if a.what != b.what {
			changes[path] = "now " + strings.Fields(a.what)[0]
		}
	}
	for path, a := range after {
		if _, ok := before[path]; !ok {
			changes[path] = "now " + strings.Fields(a.what)[0]
		}
	}
	return changes
}

// reported returns the same for a report, below a directory.
func reported(r *Report, dir string) map[string]string {
	changes := map[string]string{}
	now := func(s *State) string {
		mode := fs.FileMode(s.Mode)
		switch s.Type {
		case "directory":
			mode |= fs.ModeDir
		case "link":
			mode |= fs.ModeSymlink
		case "pipe":
			mode |= fs.ModeNamedPipe
		}
		return "now " + mode.String()
	}
	for _, c := range r.Changes {
		if c.Path != dir && !strings.HasPrefix(c.Path, dir+"/") {
			continue
		}
		if c.From != "" {
			changes[c.From] = "gone"
		}
		if c.After == nil {
			changes[c.Path] = "gone"
		} else {
			changes[c.Path] = now(c.After)
		}
	}
	return changes
}

// fixture makes a tree with entries of all kinds.
func fixture(t *testing.T, dir string) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(os.RemoveAll(dir))
	do(os.MkdirAll(dir+"/tree/deep", 0o755))
	do(os.WriteFile(dir+"/notes.txt", []byte("one\ntwo\nthree\n"), 0o640))
	do(os.WriteFile(dir+"/tree/deep/file", []byte("deep"), 0o600))
	do(os.WriteFile(dir+"/tree/binary", []byte{0, 1, 2}, 0o755))
	do(os.Symlink("notes.txt", dir+"/link"))
	do(unix.Mkfifo(dir+"/pipe", 0o600))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dir + "/socket"})
	do(err)
	l.SetUnlinkOnClose(false)
	do(l.Close())
	_ = unix.Setxattr(dir+"/notes.txt", "user.test", []byte("kept"), 0) // not every file system has them
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"/notes.txt", "/tree/deep/file", "/tree/deep", "/tree"} {
		do(os.Chtimes(dir+name, old, old))
	}
}

// TestReal rehearses every writing tool of real servers. The machine stays as it is, and the report shows the effects
// of the same live calls.
func TestReal(t *testing.T) {
	race.Skip(t)
	type object = map[string]any
	for _, tt := range []struct {
		name, server string
		calls        func(dir string) []Call
	}{
		{"write", "filesystem", func(dir string) []Call {
			return []Call{{"write_file", arguments(t, object{"path": dir + "/new.txt", "content": "new\n"})}, {"write_file", arguments(t, object{"path": dir + "/notes.txt", "content": "other\n"})}}
		}},
		{"edit", "filesystem", func(dir string) []Call {
			return []Call{{"edit_file", arguments(t, object{"path": dir + "/notes.txt", "edits": []object{{"oldText": "two", "newText": "2"}}})}}
		}},
		{"create directory", "filesystem", func(dir string) []Call {
			return []Call{{"create_directory", arguments(t, object{"path": dir + "/a/b/c"})}}
		}},
		{"move file", "filesystem", func(dir string) []Call {
			return []Call{{"move_file", arguments(t, object{"source": dir + "/notes.txt", "destination": dir + "/tree/notes.txt"})}}
		}},
		{"move directory", "filesystem", func(dir string) []Call {
			return []Call{{"move_file", arguments(t, object{"source": dir + "/tree", "destination": dir + "/moved"})}}
		}},
		{"move over a file", "filesystem", func(dir string) []Call {
			return []Call{{"move_file", arguments(t, object{"source": dir + "/tree/binary", "destination": dir + "/notes.txt"})}}
		}},
		{"write, then read", "filesystem", func(dir string) []Call {
			return []Call{{"write_file", arguments(t, object{"path": dir + "/tree/x", "content": "carried over"})}, {"read_text_file", arguments(t, object{"path": dir + "/tree/x"})}}
		}},
		{"outside", "filesystem", func(dir string) []Call {
			return []Call{{"write_file", arguments(t, object{"path": "/etc/toolvet-test", "content": "x"})}}
		}},
		{"memory", "memory", func(string) []Call {
			return []Call{
				{"create_entities", arguments(t, object{"entities": []object{{"name": "a", "entityType": "t", "observations": []string{"o"}}, {"name": "b", "entityType": "t", "observations": []string{}}}})},
				{"create_relations", arguments(t, object{"relations": []object{{"from": "a", "to": "b", "relationType": "r"}}})},
				{"add_observations", arguments(t, object{"observations": []object{{"entityName": "b", "contents": []string{"p"}}}})},
				{"delete_observations", arguments(t, object{"deletions": []object{{"entityName": "a", "observations": []string{"o"}}}})},
				{"delete_relations", arguments(t, object{"relations": []object{{"from": "a", "to": "b", "relationType": "r"}}})},
				{"delete_entities", arguments(t, object{"entityNames": []string{"a"}})},
				{"read_graph", arguments(t, object{})},
			}
		}},
		{"everything", "everything", func(string) []Call {
			return []Call{{"echo", arguments(t, object{"message": "hello"})}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			fixture(t, dir)
			command := npm.Server(t, tt.server)
			env := append(os.Environ(), "MEMORY_FILE_PATH="+dir+"/memory.json")
			if tt.server == "filesystem" {
				command = append(command, dir)
			}
			before := snapshot(t, dir)
			s := startSession(t, Config{Command: command, Env: env, Dir: dir})
			for _, c := range tt.calls(dir) {
				if done := s.Call(t.Context(), c); done.Result == nil {
					t.Fatalf("%s: %s", c.Tool, done.Failed)
				}
			}
			r := finish(t, s)
			if diff := cmp.Diff(before, snapshot(t, dir), cmp.AllowUnexported(fact{})); diff != "" {
				t.Fatalf("the machine was changed:\n%s", diff)
			}
			live, err := servers.Connect(t.Context(), upstream.Command{Args: command, Env: env, Dir: dir}, servers.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range tt.calls(dir) {
				raw, err := live.Call(t.Context(), c.Tool, c.Arguments)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(raw), string(r.Calls[i].Result)); diff != "" {
					t.Errorf("%s answers differently live (-) and rehearsed (+):\n%s", c.Tool, diff)
				}
			}
			live.Close(context.Background())
			after := snapshot(t, dir)
			if diff := cmp.Diff(changesOf(before, after), reported(r, dir)); diff != "" {
				t.Errorf("live (-) and rehearsed (+) differ:\n%s", diff)
			}
			if _, err := s.Commit(t.Context()); len(r.Changes) > 0 && err == nil {
				t.Error("a rehearsal that is out of date was committed")
			}
			fixture(t, dir)
			s = startSession(t, Config{Command: command, Env: env, Dir: dir})
			for _, c := range tt.calls(dir) {
				s.Call(t.Context(), c)
			}
			r = finish(t, s)
			for _, c := range r.Changes {
				if !strings.HasPrefix(c.Path, dir+"/") {
					t.Skipf("the server changes %s, too: it is not committed", c.Path)
				}
			}
			if _, err := s.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whats(after), whats(snapshot(t, dir))); diff != "" {
				t.Errorf("live (-) and committed (+) differ:\n%s", diff)
			}
		})
	}
}
