// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
)

func addRoles(roles map[string]func([]string) error) {
	roles["append"] = appendForEver
	roles["full"] = fillDisk
}

// role is the test binary in a role, killed with the test.
func role(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "CALLLOG_TEST_ROLE="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// appendForEver appends from several goroutines, and prints the request of each record after Append has returned.
func appendForEver(args []string) error {
	l, err := Open(Options{File: args[0], MaxWait: time.Minute, MaxBytes: 50_000})
	if err != nil {
		return err
	}
	fmt.Println("open", l.File())
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				r := sample(0)
				r.Request = fmt.Sprintf("%d-%d-%d", os.Getpid(), g, i)
				if err := l.Append(context.Background(), r); err != nil {
					fmt.Println("error", err)
					return
				}
				fmt.Println(r.Request)
			}
		})
	}
	group.Wait()
	return errors.New("no append works any more")
}

// TestKilled kills an appending process again and again. Every record is there whose Append returned, in an unbroken
// chain.
func TestKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	promised := map[string]bool{}
	for round := range 20 {
		cmd := role(t, "append", file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			switch line := lines.Text(); {
			case n == 0 && line != "open "+file:
				t.Errorf("round %d: %s", round, line) // the lock of a killed process is still held
			case strings.HasPrefix(line, "error"):
				t.Errorf("round %d: %s", round, line)
			case n > 0:
				promised[line] = true
			}
			if n == 50+17*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // killed
	}
	files, err := rotatedFiles(file)
	if err != nil || len(files) == 0 {
		t.Fatalf("rotated %v, %v", files, err)
	}
	files = append(files, file)
	r := verify(t, VerifyOptions{}, files...)
	if !r.OK() || len(r.Chains) != 1 {
		t.Fatalf("faults %v in %d chains", r.Faults, len(r.Chains))
	}
	for _, file := range files {
		for record := range Records(file) {
			delete(promised, record.Request)
		}
	}
	if len(promised) > 0 || r.Chains[0].Records < 20*50 {
		t.Errorf("%d records are missing that were promised, of %d", len(promised), r.Chains[0].Records)
	}
}

// TestDiskFull fills a small file system in a namespace of its own.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cmd := role(t, "full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var out strings.Builder
	cmd.Stderr = &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || strings.HasPrefix(out.String(), noMount)) {
		need.Namespace.Missing(t, fmt.Sprintf("%v %s", err, out.String()))
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
}

const noMount = "mounting a tmpfs: "

// fillDisk fills a tmpfs with a log, frees some space, fills it again, and verifies.
func fillDisk(args []string) error {
	dir := args[0]
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		return fmt.Errorf(noMount+"%w", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 128<<10), 0o600); err != nil {
		return err
	}
	file := filepath.Join(dir, "log.jsonl")
	l, err := Open(Options{File: file, MaxWait: time.Minute})
	if err != nil {
		return err
	}
	first, err := fill(l)
	if err != nil {
		return err
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	second, err := fill(l)
	if err != nil {
		return err
	}
	if first < 50 || second < 50 {
		return fmt.Errorf("%d records, then %d", first, second)
	}
	_ = l.Close(context.Background()) // cannot: there is no room to tell of the last loss
	return nil
}

// fill appends until the disk is full, and verifies the log on it.
func fill(l *Log) (records int, err error) {
	for ; ; records++ {
		err := l.Append(context.Background(), sample(records))
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	seq, hash := l.Head()
	r, err := Verify(context.Background(), VerifyOptions{Expect: hash}, l.File())
	if err == nil && (!r.OK() || r.Chains[0].LastSeq != seq) {
		err = fmt.Errorf("faults %v, chains %+v", r.Faults, r.Chains)
	}
	return records, err
}

// TestNotAFile: a file that may block for ever, or that cannot be written to, is refused at once.
func TestNotAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	full, link := filepath.Join(dir, "full"), filepath.Join(dir, "link")
	if err := errors.Join(os.Symlink("/dev/full", full), os.Symlink("elsewhere", link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fifo, full, link} {
		if l, err := Open(Options{File: name}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("Open(%s) = %v, %v", name, l, err)
		}
		if _, err := Verify(t.Context(), VerifyOptions{}, name); err == nil {
			t.Errorf("Verify(%s): no error", name)
		}
		for _, err := range Records(name) {
			if err == nil {
				t.Errorf("Records(%s): no error", name)
			}
		}
	}
}

// TestHeadNotAFile holds that a FIFO in the place of a head blocks nothing.
func TestHeadNotAFile(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	rewrite(t, o.File, nil)
	if err := syscall.Mkfifo(o.File+headSuffix, 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(o); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Open = %v, %v", l, err)
	}
	if _, err := Verify(t.Context(), VerifyOptions{}, o.File); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Verify: %v", err)
	}
}

// TestDevFull writes to the device that is always full.
func TestDevFull(t *testing.T) {
	t.Parallel()
	device, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no /dev/full: %v", err)
	}
	defer device.Close()
	l, f := openTroubled(t, testOptions(t))
	f.set(func() (int, error) { return device.WriteAt([]byte("x"), 0) })
	for range 3 {
		if err := l.Append(t.Context(), sample(0)); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("Append = %v, want ENOSPC", err)
		}
	}
	f.set(nil)
	appendN(t, l, 1)
	mustClose(t, l)
	wantOK(t, verify(t, VerifyOptions{}, l.File()), 2)
}
