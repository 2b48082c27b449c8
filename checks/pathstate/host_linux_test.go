// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/text/unicode/norm"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
)

// TestSpecialFiles holds that nothing is opened: opening a FIFO for reading would wait
// for a writer, and connecting to the socket would be seen.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, "d/link -> fifo")
	if err := unix.Mkfifo(filepath.Join(dir, "d/fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "d/socket"))
	if err != nil {
		t.Skipf("no unix sockets here: %v", err)
	}
	defer l.Close()
	all := func(typ string) *path.Options {
		return &path.Options{Exists: &yes, Type: typ, Readable: true, Writable: true, MaxSize: 1, WarnSize: 1, MinFree: 1}
	}
	const waits = ": a program that opens it may wait for ever"
	for _, tt := range []seen{
		{"fifo", all("file"), []string{"must be a file, but is a FIFO"}},
		{"link", all("file"), []string{"must be a file, but is a FIFO"}},
		{"fifo", all("directory"), []string{"must be a directory, but is a FIFO"}},
		{"fifo", all(""), []string{"warning: is a FIFO" + waits}},
		{"link", nil, []string{"warning: is a FIFO" + waits}},
		{"socket", all("file"), []string{"must be a file, but is a socket"}},
		{"socket", nil, []string{"warning: is a socket" + waits}},
	} {
		tt.run(t, dir, "$/d")
	}
	seen{"null", all("file"), []string{"must be a file, but is a device"}}.run(t, dir, "/dev")
	seen{"null", nil, []string{"warning: is a device" + waits}}.run(t, dir, "/dev")
}

// TestRoot holds that a look as root tells where the permissions allow something to root alone, which no other user's
// server may do, and where they allow it to all.
func TestRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("looks as root")
	}
	dir := tree(t, "d/none=", "d/read=", "d/theirs=", "d/closed/x=", "d/open/x=")
	for name, mode := range map[string]os.FileMode{"none": 0, "read": 0o444, "theirs": 0o644, "closed": 0o555, "open": 0o755} {
		if err := os.Chmod(filepath.Join(dir, "d", name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(dir, "d/theirs"), 54321, 54321); err != nil {
		t.Skipf("root without rights over files: %v", err)
	}
	const skip = "skip: not looked: toolvet runs as root, and the permissions allow it to root alone: whether the server may is not known"
	reads, writes := &path.Options{Readable: true}, &path.Options{Writable: true}
	for _, tt := range []seen{
		{"none", reads, []string{skip}},
		{"none", writes, []string{skip}},
		{"read", reads, nil},
		{"read", writes, []string{skip}},
		{"theirs", reads, nil},
		{"theirs", writes, []string{skip}},
		{"closed", reads, nil},
		{"closed/new", writes, []string{skip}},
		{"open/new", writes, nil},
	} {
		tt.run(t, dir, "$/d")
	}
}

// TestProc holds that the doors in /proc do not open: their text is not where they
// lead, and they lead elsewhere for the server.
func TestProc(t *testing.T) {
	t.Parallel()
	dir := tree(t, "in/file=", "in/root -> /proc/self/root", "in/self -> /proc/self/cwd/x", "in/mounts -> /proc/mounts", "in/stat -> /proc/stat")
	if _, err := os.Lstat("/proc/self/root"); err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	f, err := os.Open(filepath.Join(dir, "in/file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const magic = "leads through a link that means something else to each process"
	refused := []string{"security: " + magic + ": give the path that it leads to"}
	for _, tt := range []seen{
		{"root", nil, refused},
		{"root/etc/passwd", nil, refused},
		{"self", nil, refused},
		{"mounts", nil, refused},
		{"stat", nil, []string{"security: leads out of the allowed directories through a symbolic link"}},
	} {
		tt.run(t, dir, "$/in")
	}
	door := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	seen{door, nil, refused}.run(t, dir, "/proc", "$/in")
	seen{"stat", &path.Options{Exists: &yes}, nil}.run(t, dir, "/proc")
	seen{door, &path.Options{Exists: &yes}, []string{"skip: not looked: the path " + magic}}.run(t, dir)
}

// TestAccessTimes holds that a look leaves no trace at files and directories.
func TestAccessTimes(t *testing.T) {
	t.Parallel()
	dir := tree(t, "d/sub/file=text", "d/link -> sub")
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	names := []string{"d/sub/file", "d/sub", "d"}
	times := func() (list []unix.Timespec) {
		for _, name := range names {
			var st unix.Stat_t
			if err := unix.Lstat(filepath.Join(dir, name), &st); err != nil {
				t.Fatal(err)
			}
			list = append(list, st.Atim, st.Mtim, st.Ctim)
		}
		return list
	}
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	before := times()
	o := &path.Options{Exists: &yes, Type: "file", Readable: true, Writable: true, MaxSize: 100, MinFree: 1}
	seen{"link/file", o, nil}.run(t, dir, "$/d")
	seen{"link/new", &path.Options{Writable: true, ParentExists: true}, nil}.run(t, dir, "$/d")
	for i, got := range times() {
		if got != before[i] {
			t.Errorf("time %d of %s changed from %v to %v", i%3, names[i/3], before[i], got)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "d/sub/new")); !os.IsNotExist(err) {
		t.Errorf("the file that could be created: %v, want that it does not exist", err)
	}
}

// TestResolveAsKernel follows random paths through random links, and compares where
// they end with where the kernel ends.
func TestResolveAsKernel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 2026))
	dir := tree(t, "a/b/c", "a/d", "e/f=")
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "..", ".", "..", "a/b", "e/f"}
	somewhere := func(n int) string {
		var parts []string
		for range 1 + random.IntN(n) {
			parts = append(parts, names[random.IntN(len(names))])
		}
		return strings.Join(parts, "/")
	}
	for i := range 40 {
		target := somewhere(3)
		if random.IntN(3) == 0 {
			target = dir + "/" + target
		}
		link := filepath.Join(dir, []string{"", "a", "a/b", "a/d", "e"}[random.IntN(5)], fmt.Sprintf("l%d", i))
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Base(link))
	}
	exist, links := 0, 0
	for range 20_000 {
		p := dir + "/" + somewhere(4)
		fd, err := unix.Open(p, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // what does not exist is taken by its text, not by the kernel
		}
		want, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		_ = unix.Close(fd)
		if err != nil {
			t.Skipf("no /proc here: %v", err)
		}
		got, err := resolve(t.Context(), host{}, p, dir)
		if err != nil || got.path != want || !got.exists() {
			t.Errorf("%s: got %+v, %v, want %s", p, got, err, want)
		}
		exist++
		if got.linked {
			links++
		}
	}
	if exist < 300 || links < 100 {
		t.Errorf("%d paths exist, %d lead through links: want more of both", exist, links)
	}
}

// TestNothingStays counts goroutines and open files after many looks.
func TestNothingStays(t *testing.T) {
	dir := tree(t, "d/file=")
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	run := newRun(Check, check.World{}, &path.Options{Within: []string{dir}, Base: dir, Readable: true, Writable: true, MinFree: 1})
	for range 500 {
		run.Targets = append(run.Targets, check.Target{Value: "d/file", Options: &path.Options{Within: []string{dir}, Base: dir, Readable: true}})
	}
	if err := run.Do(t.Context()); err != nil || len(run.Findings) > 0 {
		t.Fatalf("got %v, %v", err, run.Findings)
	}
	for begin := time.Now(); runtime.NumGoroutine() > goroutines && time.Since(begin) < 10*time.Second; {
		runtime.Gosched() // a goroutine frees its slot after its result
	}
	if got := runtime.NumGoroutine(); got > goroutines {
		t.Errorf("%d goroutines, %d before", got, goroutines)
	}
	if got := openFiles(t); got > files {
		t.Errorf("%d open files, %d before", got, files)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	return len(list)
}

// TestTwins holds that a name is refused that may stand for two others, and that hasTwins knows all characters with another spelling.
func TestTwins(t *testing.T) {
	t.Parallel()
	dir := tree(t, "d/e\u0301=", "d/\u00e9=", "d/\u00e5=", "d/LIN\u212a=")
	two := []string{"is another spelling of several names in its directory, in other characters of Unicode: give the name as it is written there"}
	both := tree(t, "d/\u03a9\u00e9=", "d/\u03a9e\u0301=")
	seen{"\u2126\u00e9", nil, two}.run(t, both, "$/d")
	exists := func() *path.Options { yes := true; return &path.Options{Exists: &yes} }
	for _, name := range []string{"e\u0301", "\u00e9", "a\u030a", "LINK"} {
		seen{name, exists(), nil}.run(t, dir, "$/d")
	}
	for c := rune(1); c <= unicode.MaxRune; c++ {
		if c >= 0xd800 && c < 0xe000 {
			continue
		}
		name := string(c)
		for _, normal := range []string{norm.NFC.String(name), norm.NFD.String(name)} {
			if normal != name && (!hasTwins(name) || !hasTwins(normal)) {
				t.Errorf("%q and %q are one: hasTwins says %v and %v", name, normal, hasTwins(name), hasTwins(normal))
			}
		}
	}
}
