// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// setClock sets the machine's wall clock. Its hardware clock stays.
func setClock(to time.Time) error {
	v := syscall.NsecToTimeval(to.UnixNano())
	return syscall.Settimeofday(&v)
}

// sleep sends the machine to sleep (ACPI S3). It returns after the wake-up.
func sleep() error { return os.WriteFile("/sys/power/state", []byte("mem"), 0) }

// setZone redefines a time zone by a text for TZ (POSIX).
func setZone(name, rule string) error {
	if err := os.WriteFile("/zones/new", tzif(rule), 0o644); err != nil {
		return err
	}
	return os.Rename("/zones/new", "/zones/"+name)
}

// tzif writes a file of RFC 9636 with only a rule.
func tzif(rule string) []byte {
	var b strings.Builder
	for _, version := range []string{"2", "2"} { // the first block is for old readers
		b.WriteString("TZif" + version + strings.Repeat("\x00", 15))
		for _, count := range []byte{0, 0, 0, 0, 1, 4} { // one type, four bytes of names
			b.Write([]byte{0, 0, 0, count})
		}
		b.WriteString("\x00\x00\x00\x00\x00\x00" + "LMT\x00") // UTC, no summer time, name 0
	}
	b.WriteString("\n" + rule + "\n")
	return []byte(b.String())
}

// fill fills the store's file system.
func fill() error {
	f, err := os.Create("/store/full")
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return nil
}

// within waits until done is true, up to a limit.
func within(limit time.Duration, done func() bool) error {
	for began := time.Now(); !done(); time.Sleep(time.Second) {
		if time.Since(began) > limit {
			return fmt.Errorf("it does not happen within %s", limit)
		}
	}
	return nil
}
