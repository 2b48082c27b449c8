// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of /proc/PID/stat: USER_HZ is 100 on every architecture of Go.
const tick = 10 * time.Millisecond

// cpuTime returns the processor time of a process with all its threads, in ticks. It needs Linux; elsewhere ok is
// false.
func cpuTime(pid int) (used time.Duration, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	return parseStat(stat)
}

// parseStat adds utime and stime, fields 14 and 15. The second field is the program's name in parentheses and may
// hold anything.
func parseStat(stat []byte) (time.Duration, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	utime, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	stime, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(utime+stime) * tick, err1 == nil && err2 == nil
}
