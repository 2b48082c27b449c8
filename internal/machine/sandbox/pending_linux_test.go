// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// naps sleeps again and again.
func naps([]string) error {
	for {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 100_000}, nil) // an interrupted one is shorter
	}
}

// turnsOver sleeps for short times until an hour has passed, and looks at the clock in between, as the runtime of Go does.
func turnsOver([]string) error {
	for end := time.Now().Add(time.Hour); ; {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 20_000}, nil)
		for range 50 {
			if time.Now().After(end) {
				return nil
			}
		}
	}
}

// readsClock reads the clock in one thread without end, while others sleep. It ends if the clock goes backwards.
func readsClock([]string) error {
	go func() {
		for {
			_ = unix.Nanosleep(&unix.Timespec{Sec: 3600}, nil)
		}
	}()
	fmt.Println("reads")
	for last := time.Now().Unix(); ; {
		now := time.Now().Unix()
		if now < last {
			return fmt.Errorf("the clock went from %d to %d", last, now)
		}
		last = now
	}
}

// TestHastenStopsAll holds that the clock's code changes under no thread, also one that does not wait.
func TestHastenStopsAll(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the clocks of this architecture cannot be moved")
	}
	t.Parallel()
	for range 8 { // the first change is the dangerous one
		cmd := exec.Command(self(t), "as-attacker", "reads")
		cmd.Stderr = new(strings.Builder)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "reads\n" {
			t.Errorf("the program said %q: %v", line, err)
		}
		for n := range 50 { // nobody may wait for the process meanwhile: the kernel tells who waits of our stops, too
			hasten(cmd.Process.Pid, time.Duration(n)*time.Second, time.Now().Add(maxStop))
		}
		time.Sleep(10 * time.Millisecond)
		if ended(cmd.Process.Pid) {
			t.Errorf("the program has ended: %v\n%.2000s", cmd.Wait(), cmd.Stderr)
			continue
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// TestTurned tells a process that only turns over short waits from one that works.
func TestTurned(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Dir: "/", Args: []string{self(t), "as-attacker", "naps"}})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		list, err := s.Pending(Look{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && list[0].Turned && list[0].Timers > 0 && !list[0].Working {
			return
		}
	}
	t.Error("no look has found the process between two waits")
}

// TestSkipTurned: time passes for a process that turns over short waits, whatever it does at the moment.
func TestSkipTurned(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the clocks of this architecture cannot be moved")
	}
	t.Parallel()
	for range 5 {
		s := start(t, Config{Dir: "/", Args: []string{self(t), "as-attacker", "turns"}})
		for turned := false; !turned; {
			list, err := s.Pending(Look{Wait: time.Second, Turning: true})
			if err != nil {
				t.Fatal(err)
			}
			turned = len(list) == 1 && list[0].Timers > 0
		}
		if _, err := s.Pending(Look{Skip: 2 * time.Hour}); err != nil {
			continue // it has ended
		}
		select {
		case <-s.Done():
		case <-time.After(10 * time.Second):
			t.Error("the process goes on")
		}
	}
}
