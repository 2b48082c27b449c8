// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// manyWatches makes more watches of epoll than a server may.
func manyWatches([]string) error {
	const files = 200
	var events []int
	for range files {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return err
		}
		events = append(events, fd)
	}
	for range maxWatches/files + 1 {
		poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			return err
		}
		for _, fd := range events {
			if err := unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN}); err != nil {
				return err
			}
		}
	}
	return nil
}

// manyInFlight sends as many descriptors as other programs may have in flight, and receives none.
func manyInFlight([]string) error {
	var fds [200]int // standard input
	for range 6 {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fds[:]...), nil, 0); err != nil {
			return err
		}
	}
	return nil
}

// manyPipes has as many pipes as take up the pages of a user, in several processes.
func manyPipes(a []string) error {
	var pipes []*os.File
	for range 200 {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		pipes = append(pipes, r, w)
	}
	if number(a[0]) > 1 {
		return exec.Command("/proc/self/exe", "as-attacker", "pipes", fmt.Sprint(number(a[0])-1)).Run()
	}
	_, err := pipes[0].Read(make([]byte, 1)) // for ever
	return err
}

// TestShared: a server cannot use up what the kernel counts for all programs of a user.
func TestShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		attack []string
		limit  string
	}{{[]string{"epoll"}, limitWatches}, {[]string{"inflight"}, ""}, {[]string{"pipes", "4"}, limitPipes}} {
		r := try(t, Limits{}, dir, tt.attack...)
		if strings.HasPrefix(r.out, "done") || tt.limit != "" && !slices.Contains(r.Ended().Limits, tt.limit) {
			t.Errorf("%q: %q %+v", tt.attack, r.out, r.Ended())
		}
	}
	if r := try(t, Limits{OpenFiles: 2000}, dir, "inflight"); !strings.HasPrefix(r.out, "done") {
		t.Errorf("1,200 descriptors cannot be sent with a higher limit either, so that it tests nothing: %q", r.out)
	}
}

// TestInFlight counts descriptors that were sent over a Unix socket and not received.
func TestInFlight(t *testing.T) {
	t.Parallel()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	var fds [7]int // standard input
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fds[:]...), nil, 0); err != nil {
		t.Fatal(err)
	}
	w := &warden{limits: Limits{CPU: 1 << 62, OpenFiles: 1 << 62}} // it ends nothing
	w.look([]int{os.Getpid(), os.Getpid()}, true)
	if _, n := w.most(); n < int64(len(fds)) { // other tests of this process may have more
		t.Errorf("%d descriptors are in flight, want %d", n, len(fds))
	}
}
