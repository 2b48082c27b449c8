// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/secrets"
	"github.com/toolvet/toolvet/internal/test/need"
)

// told describes a report's changes below a directory.
func told(r *Report, dir string) []string {
	var list []string
	for i := range r.Changes {
		c := &r.Changes[i]
		if rel, ok := strings.CutPrefix(c.Path, dir+"/"); ok {
			list = append(list, strings.ReplaceAll(string(c.Kind)+" "+rel+c.about(), dir+"/", "")+start(c.AtStart))
		}
	}
	return list
}

func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"nothing", "cat notes.txt; ls -R", nil},
		{"the same again", "cp -p notes.txt x; cat x >notes.txt; touch -r x notes.txt; rm x", nil},
		{"mode", "chmod 600 notes.txt; chmod 711 tree", []string{"attributes notes.txt (mode -rw-------, was -rw-r-----)", "attributes tree (mode -rwx--x--x, was -rwxr-xr-x)"}},
		{"times", "touch notes.txt", []string{"attributes notes.txt (times)"}},
		{"forbidden", "echo x >secret; chmod 0 secret; mkdir closed; touch closed/in; chmod 0 closed", []string{"created closed (directory)", "created closed/in (0 bytes, -rw-r--r--)", "created secret (2 bytes, ----------)"}},
		{"delete a tree", "rm -r tree", []string{"deleted tree (directory)", "deleted tree/binary (3 bytes, -rwxr-xr-x)", "deleted tree/deep (directory)", "deleted tree/deep/file (4 bytes, -rw-------)"}},
		{"a tree anew", "rm -r tree; mkdir -m 755 tree; echo new >tree/new", []string{"deleted tree/binary (3 bytes, -rwxr-xr-x)", "deleted tree/deep (directory)", "deleted tree/deep/file (4 bytes, -rw-------)", "created tree/new (4 bytes, -rw-r--r--)"}},
		{"a file for a tree", "rm -r tree; echo new >tree", []string{"deleted tree (directory)", "created tree (4 bytes, -rw-r--r--)", "deleted tree/binary (3 bytes, -rwxr-xr-x)", "deleted tree/deep (directory)", "deleted tree/deep/file (4 bytes, -rw-------)"}},
		{"a tree for a file", "rm notes.txt; mkdir notes.txt; echo x >notes.txt/in", []string{"deleted notes.txt (14 bytes, -rw-r-----)", "created notes.txt (directory)", "created notes.txt/in (2 bytes, -rw-r--r--)"}},
		{"rename", "mv notes.txt other.txt", []string{"renamed other.txt (was notes.txt)"}},
		{"rename and more", "mv notes.txt other.txt; chmod 4755 other.txt", []string{"renamed other.txt (was notes.txt; mode urwxr-xr-x, was -rw-r-----)"}},
		{"rename a tree", "mv tree wood", []string{"deleted tree (directory)", "deleted tree/deep (directory)", "created wood (directory)", "renamed wood/binary (was tree/binary)", "created wood/deep (directory)", "renamed wood/deep/file (was tree/deep/file)"}},
		{"links", "ln -sfn tree link; ln -s /etc/passwd evil", []string{"created evil (link to /etc/passwd)", "modified link (to tree, was to notes.txt)"}},
		{"pipes and sockets", "rm pipe socket; mkfifo new", []string{"created new (pipe)", "deleted pipe (pipe)", "deleted socket (socket)"}},
		{"binary", "printf 'a\\0b' >tree/binary", []string{"modified tree/binary (3 bytes, was 3)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			fixture(t, dir)
			before := snapshot(t, dir)
			s, r := rehearseScripts(t, Config{Dir: dir}, tt.script)
			if diff := cmp.Diff(tt.want, told(r, dir)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(before, snapshot(t, dir), cmp.AllowUnexported(fact{})); diff != "" {
				t.Fatalf("the machine was changed:\n%s", diff)
			}
			if _, err := s.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tt.name == "forbidden" { // also to the test
				if err := errors.Join(os.Chmod(dir+"/closed", 0o755), os.Chmod(dir+"/secret", 0o600)); err != nil {
					t.Fatal(err)
				}
				return
			}
			committed := changesOf(before, snapshot(t, dir))
			if want := reported(r, dir); tt.name != "times" {
				if diff := cmp.Diff(want, committed); diff != "" {
					t.Errorf("what was committed (+) is not what was reported (-):\n%s", diff)
				}
			}
		})
	}
}

func TestAttributes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(file, "user.test", []byte("before"), 0); err != nil {
		t.Skipf("the file system has no extended attributes: %v", err)
	}
	s, r := rehearseScripts(t, Config{Dir: dir}, attribute(t, "file", "user.test", []byte("after")))
	if got := told(r, dir); !cmp.Equal(got, []string{"attributes file (extended attributes: user.test)"}) {
		t.Fatalf("got %q; %s", got, r.Calls[0].Result)
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	if n, err := unix.Getxattr(file, "user.test", value); err != nil || string(value[:n]) != "after" {
		t.Errorf("got %q %v", value[:n], err)
	}
}

// attribute returns a line of Python that sets an extended attribute of a file.
func attribute(t *testing.T, file, name string, value []byte) string {
	t.Helper()
	python := need.Python.Program(t, "python3")
	return fmt.Sprintf(`%s -c "import os; os.setxattr('%s', '%s', bytes.fromhex('%x'))"`, python, file, name, value)
}

// accessList is an access control list that lets user 1234 read (acl(5)).
func accessList() []byte {
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range [][3]uint32{{0x01, 6, ^uint32(0)}, {0x02, 4, 1234}, {0x04, 4, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, uint16(e[0]))
		list = binary.LittleEndian.AppendUint16(list, uint16(e[1]))
		list = binary.LittleEndian.AppendUint32(list, e[2])
	}
	return list
}

// TestHiddenAttributes sets attributes that mean much and show little: access control lists, and names that overlays
// use themselves.
func TestHiddenAttributes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	fixture(t, dir)
	if err := unix.Setxattr(dir+"/notes.txt", "system.posix_acl_access", accessList(), 0); err != nil {
		t.Skipf("the file system has no access control lists: %v", err)
	}
	if err := unix.Removexattr(dir+"/notes.txt", "system.posix_acl_access"); err != nil {
		t.Fatal(err)
	}
	script := attribute(t, "tree", "user.overlay.opaque", []byte("y"))
	want := []string{"attributes tree (extended attributes: user.overlay.opaque)"}
	if os.Geteuid() == 0 { // others can name nobody else inside
		script += "; " + attribute(t, "notes.txt", "system.posix_acl_access", accessList())
		want = append([]string{"attributes notes.txt (extended attributes: system.posix_acl_access)"}, want...)
	}
	s, r := rehearseScripts(t, Config{Dir: dir}, script+"; ls tree")
	if got := told(r, dir); !cmp.Equal(got, want) || r.Calls[0].words() != "binary\ndeep\n" {
		t.Fatalf("got %q, want %q; %s", got, want, r.Calls[0].Result)
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, attribute := range map[string]string{"notes.txt": "system.posix_acl_access", "tree": "user.overlay.opaque"} {
		if _, err := unix.Getxattr(filepath.Join(dir, name), attribute, make([]byte, 256)); err != nil && (os.Geteuid() == 0 || name == "tree") {
			t.Errorf("%s of %s was not committed: %v", attribute, name, err)
		}
	}
}

// TestRootAttributes: the report has nothing about the directories below layers, which have attributes of their own.
func TestRootAttributes(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Setxattr(dir, "user.test", []byte("x"), 0); err != nil {
		t.Skipf("the file system has no extended attributes: %v", err)
	}
	s, r := rehearseScripts(t, Config{Dir: dir, Writable: []string{dir}}, "true")
	s.Close()
	if len(r.Changes) != 0 {
		t.Errorf("got %q %v", told(r, filepath.Dir(dir)), r.Changes[0].Path)
	}
}

// TestOwnDirectory changes the mode of a directory with a layer of its own, which cannot have its access control list. The list stays.
func TestOwnDirectory(t *testing.T) {
	dir := t.TempDir()
	if drop := os.Getenv(dropVariable); drop != "" {
		dir = filepath.Join(filepath.Dir(drop), "listed")
	}
	const list = "system.posix_acl_access"
	if err := errors.Join(unix.Setxattr(dir, list, accessList(), 0), os.Chmod(dir, 0o750), unix.Setxattr(dir, "user.test", []byte("x"), 0)); err != nil {
		t.Skipf("the file system has no such attributes: %v", err)
	}
	script := "echo x >file; chmod 710 .;" + attribute(t, ".", "user.other", []byte("y"))
	s, r := rehearseScripts(t, Config{Dir: dir, Writable: []string{dir}}, script)
	if len(r.Changes) != 2 || r.Changes[0].Path != dir || r.Changes[0].Kind != Attributes {
		t.Fatalf("got %q, the gaps are %q", told(r, dir), whys(r))
	}
	_, before := r.Changes[0].Before.Attributes[list]
	_, after := r.Changes[0].After.Attributes[list]
	if !before || !after {
		t.Errorf("the report has no access control list: before %v, after %v", before, after)
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o710 {
		t.Errorf("got %v %v", info, err)
	}
	for _, name := range []string{list, "user.test", "user.other"} {
		if _, err := unix.Getxattr(dir, name, make([]byte, 256)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOthersDirectory has directories of other users beside one of closed that we may not read.
func TestOthersDirectory(t *testing.T) {
	drop := os.Getenv(dropVariable)
	if drop == "" {
		t.Skip("nothing is closed to the superuser")
	}
	closed, open, beside := filepath.Join(filepath.Dir(drop), "hidden/closed"), filepath.Join(filepath.Dir(drop), "open"), t.TempDir()
	for script, want := range map[string]struct {
		changes int
		gap     string
	}{
		"true":                              {0, ""},
		"chmod 700 " + closed:               {0, closed},
		"chmod 1733 " + drop:                {0, drop},
		"chmod 700 " + open + "; echo x >y": {2, ""},
	} {
		s, r := rehearseScripts(t, Config{Dir: beside, Writable: []string{closed, open, drop, beside}}, script)
		if len(r.Changes) != want.changes || r.Incomplete != (want.gap != "") || !strings.Contains(whys(r), want.gap) {
			t.Errorf("%s: got %q, the gaps are %q", script, told(r, filepath.Dir(open)), whys(r))
		}
		if want.changes > 0 {
			if n, err := s.Commit(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), "only its owner") {
				t.Errorf("%s: the commit took %d steps: %v", script, n, err)
			}
		}
		s.Close()
	}
}

// TestOtherNames changes a file with another name. The report cannot see that name.
func TestOtherNames(t *testing.T) {
	for script, unseen := range map[string]bool{
		"echo more >>file": true, "chmod 600 file": true, "rm file": false, "rm file; ln other third": false, "cat file; echo x >beside": false,
	} {
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(dir+"/file", []byte("x"), 0o644), os.Link(dir+"/file", dir+"/other")); err != nil {
			t.Fatal(err)
		}
		_, r := rehearseScripts(t, Config{Dir: dir}, script)
		if told := strings.Contains(whys(r), dir+"/file the file has 2 names"); told != unseen || r.Uncertain != unseen || r.Incomplete {
			t.Errorf("%s: %v %v, the gaps are %q", script, r.Uncertain, r.Incomplete, whys(r))
		}
	}
}

// TestSharedMemory writes to shared memory. The live content stays.
func TestSharedMemory(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip(err)
	}
	_, r := rehearseScripts(t, Config{Dir: t.TempDir()}, "echo x >/dev/shm/toolvet-test-shared")
	if got := told(r, "/dev/shm"); !cmp.Equal(got, []string{"created toolvet-test-shared (2 bytes, -rw-r--r--)"}) {
		t.Errorf("got %q", got)
	}
}

// TestClosedDirectory hides changes: in a directory that is closed to everybody, and in one that may be written to
// but not read.
func TestClosedDirectory(t *testing.T) {
	dir := t.TempDir()
	_, r := rehearseScripts(t, Config{Dir: dir, Writable: []string{dir}}, "echo x >file; chmod 0 .")
	if got := told(r, dir); !cmp.Equal(got, []string{"created file (2 bytes, -rw-r--r--)"}) {
		t.Errorf("in a closed directory: got %q", got)
	}
	drop := os.Getenv(dropVariable)
	if drop == "" {
		return // nothing is closed to the superuser
	}
	_, r = rehearseScripts(t, Config{Dir: dir, Writable: []string{drop}}, "echo x >"+drop+"/file")
	if !r.Incomplete || !strings.Contains(whys(r), drop+" something was changed in it") {
		t.Errorf("in a directory that cannot be read: got %q, the gaps are %q", told(r, drop), whys(r))
	}
}

func TestStale(t *testing.T) {
	for name, change := range map[string]string{
		"changed": "notes.txt", "appeared": "new.txt", "gone": "tree/deep/file",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			fixture(t, dir)
			s, _ := rehearseScripts(t, Config{Dir: dir}, "echo x >>notes.txt; echo x >new.txt; echo x >>tree/deep/file")
			file := filepath.Join(dir, change)
			if name == "gone" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(file, []byte("meanwhile"), 0o640); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			made, err := s.Commit(t.Context())
			var stale *StaleError
			if !errors.As(err, &stale) || stale.Path != file || made != 0 {
				t.Errorf("got %d, %v", made, err)
			}
			if diff := cmp.Diff(before, snapshot(t, dir), cmp.AllowUnexported(fact{})); diff != "" {
				t.Errorf("the machine was changed all the same:\n%s", diff)
			}
		})
	}
}

func TestCircumstances(t *testing.T) {
	dir := t.TempDir()
	key := "ghp_" + "x7Kq2LmN9vRt4WzB8cYd3FgH6jPs1QaE5uTo" // made up
	_, r := rehearseScripts(t, Config{Dir: dir, Command: []string{"echo begun >log"}},
		"echo github_access_token="+key+" >config; cat config >/dev/null", "cat config; echo more >>log; sleep 300 >/dev/null 2>&1 &")
	if !strings.Contains(string(r.Calls[1].Result), "github_access_token") {
		t.Errorf("the second call does not see the first: %s", r.Calls[1].Result)
	}
	if got, want := told(r, dir), []string{"created config (61 bytes, -rw-r--r--)", "created log (11 bytes, -rw-r--r--)"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var texts bytes.Buffer
	if err := errors.Join(r.WriteText(&texts), r.WriteHTML(&texts), json.NewEncoder(&texts).Encode(r.Changes), json.NewEncoder(&texts).Encode(r.Processes)); err != nil {
		t.Fatal(err)
	}
	shown := texts.String()
	for _, part := range []string{secrets.Marker("github-pat"), "cat config", "processes: ", "<h2>Changes (2)</h2>", "not rehearsed: "} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in the report", part)
		}
	}
	for i := range r.Changes {
		if strings.Contains(r.Changes[i].Diff, key) {
			t.Error("a secret is in a diff")
		}
	}
	for _, p := range r.Processes {
		if strings.Contains(strings.Join(p.Arguments, " "), key) {
			t.Error("a secret is in the arguments of a process")
		}
	}
}

func TestAtStart(t *testing.T) {
	dir := t.TempDir()
	s, r := rehearseScripts(t, Config{Dir: dir, Command: []string{"echo begun >log; echo same >same; mkdir made other"}}, "echo more >>log; touch made/file")
	want := []string{
		"created log (11 bytes, -rw-r--r--)", "created made (directory) (as the server started)", "created made/file (0 bytes, -rw-r--r--)",
		"created other (directory) (as the server started)", "created same (5 bytes, -rw-r--r--) (as the server started)",
	}
	if got := told(r, dir); !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := filepath.Glob(dir + "/*"); err != nil || !cmp.Equal(got, []string{dir + "/log", dir + "/made"}) {
		t.Errorf("committed: %q %v", got, err)
	}
}

// TestMapped: the server changes a file as it starts, and writes again through shared memory in a call. The file's times
// do not tell.
func TestMapped(t *testing.T) {
	python := need.Python.Program(t, "python3")
	write := python + ` -c "import mmap; f=open('mapped','r+b'); m=mmap.mmap(f.fileno(),0); input(); m[0:4]=b'XXXX'"`
	for name, tt := range map[string]struct{ start, call string }{
		"in the call":  {"echo aaaa >mapped", "echo | " + write},
		"at the start": {"echo aaaa >mapped; mkfifo f; (" + write + " <f >/dev/null 2>&1 &)", "echo >f; while grep -q aaaa mapped; do sleep 0.01; done"},
	} {
		dir := t.TempDir()
		_, r := rehearseScripts(t, Config{Dir: dir, Command: []string{tt.start}}, tt.call)
		if got := told(r, dir); !slices.Contains(got, "created mapped (5 bytes, -rw-r--r--)") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// TestDirectoryTimes: the report has the time of a directory if somebody sets it, and not if it changes with entries.
func TestDirectoryTimes(t *testing.T) {
	old, want := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for script, changes := range map[string][]string{
		"touch -d 2001-02-03T04:05:06Z tree":               {"attributes tree (times)"},
		"mkdir new; touch -d 2001-02-03T04:05:06Z new":     {"created new (directory)"},
		"touch tree/x; rm tree/x; echo x >>tree/deep/file": {"modified tree/deep/file"},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		fixture(t, dir)
		if err := errors.Join(os.Chtimes(dir+"/tree/deep", old, old), os.Chtimes(dir+"/tree", old, old)); err != nil {
			t.Fatal(err)
		}
		s, r := rehearseScripts(t, Config{Dir: dir}, script)
		if got := told(r, dir); !cmp.Equal(got, changes) {
			t.Errorf("%s: got %q, want %q", script, got, changes)
		}
		if _, err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		name := strings.Fields(changes[0])[1]
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.IsDir() && !info.ModTime().Equal(want) {
			t.Errorf("%s: committed with the time %v, %v", script, info.ModTime(), err)
		}
	}
}

// TestFull: a server fills its space, and empties it again.
func TestFull(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"head -c 8000000 /dev/zero >big; sleep 0.3; rm big", "bytes written"}, {"head -c 8000000 /dev/zero >big", "bytes written"},
		{"for i in 1 2 3; do for j in 1 2 3 4 5 6 7 8 9; do for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do : >$i$j$k; done; done; done; sleep 0.3; rm ???*", "files written"},
	} {
		_, r := rehearseScripts(t, Config{Dir: t.TempDir(), Limits: Limits{Storage: 4 << 20, Files: 100}}, "("+tt.script+") 2>/dev/null; true")
		if !strings.Contains(whys(r), "limit of a rehearsal on "+tt.want) || !r.Incomplete {
			t.Errorf("%q: got the gaps %s", tt.script, whys(r))
		}
	}
}

// TestLimits: servers reach each limit with a program of theirs.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limits       Limits
		script, want string
	}{
		{Limits{CPU: time.Second}, "sh -c 'while :; do :; done'", "processor time"},
		{Limits{Memory: 64 << 20}, "head -c 400000000 /dev/zero | tail", "memory"},
		{Limits{Processes: 40}, "i=0; while [ $i -lt 150 ]; do sleep 3 & i=$((i+1)); done; wait", "processes"},
		{Limits{OpenFiles: 32}, self(t) + " as-opener", "open files"},
	} {
		s := startSession(t, Config{Dir: t.TempDir(), Limits: tt.limits, Command: []string{self(t), "as-server"}})
		s.Call(t.Context(), Call{"run", arguments(t, map[string]string{"script": tt.script})})
		if r := finish(t, s); !strings.Contains(whys(r), "limit of a rehearsal on "+tt.want) || !r.Incomplete {
			t.Errorf("%s: got the gaps %q, %s, %q, %q", tt.want, whys(r), r.Exit, r.Group, r.Calls[0].words())
		}
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUntouched changes directories that are layers of their own, and were empty before the call. A report reads only those
// that have changed since.
func TestUntouched(t *testing.T) {
	const place = "/srv"
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user may not change a whole layer")
	}
	if info, err := os.Lstat(place); err != nil || !info.IsDir() || info.Mode().Perm() != 0o755 {
		t.Skipf("%s is not as usual: %v", place, err)
	}
	type fact struct {
		Kind Kind
		Path string
	}
	for _, tt := range []struct {
		script string
		read   bool
		want   []fact
	}{
		{"ls -R " + place, false, nil},
		{"chmod 700 " + place, true, []fact{{Attributes, place}}},
		{"chown 7 " + place, true, []fact{{Attributes, place}}},
		{"touch " + place + "/x; rm " + place + "/x", true, nil},
		{"mkdir -p " + place + "/a/b; touch " + place + "/a/b/c", true, []fact{{Created, place + "/a"}, {Created, place + "/a/b"}, {Created, place + "/a/b/c"}}},
		{"touch -d 2001-01-01 " + place, true, nil}, // see walker.dated
		{"chmod 711 /", false, []fact{{Attributes, "/"}}},
		{"ln -s / /link; ln -sfn nowhere /bin", false, []fact{{Modified, "/bin"}, {Created, "/link"}}},
	} {
		t.Run(tt.script, func(t *testing.T) {
			// Only directories that are older than a step of the clock count as settled.
			s, r := rehearseScripts(t, Config{Dir: t.TempDir(), Command: []string{"sleep 0.1"}}, tt.script)
			var got []fact
			for _, c := range r.Changes {
				got = append(got, fact{c.Kind, c.Path})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, r.Gaps)
			}
			read := slices.ContainsFunc(s.layers, func(l *layer) bool { return l.Path == place })
			if read != tt.read {
				t.Errorf("the layer was read: %v", read)
			}
		})
	}
}
