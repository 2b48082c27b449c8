// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
)

// Listening reports whether a process in our network namespace listens at a port of the loopback
// interface, or has bound it for UDP. If the kernel does not show it, the answer is yes.
func Listening(port uint16, udp bool) bool {
	files, state := []string{"tcp", "tcp6"}, "0A" // TCP_LISTEN
	if udp {
		files, state = []string{"udp", "udp6"}, "07" // not connected
	}
	for i, file := range files {
		raw, err := os.ReadFile("/proc/self/net/" + file)
		if err != nil {
			if i == 0 {
				return true
			}
			continue // there is no IPv6
		}
		if listens(raw, port, state) {
			return true
		}
	}
	return false
}

func listens(table []byte, port uint16, state string) bool {
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) < 4 || string(fields[3]) != state {
			continue
		}
		address, at, _ := bytes.Cut(fields[1], []byte(":"))
		if p, err := strconv.ParseUint(string(at), 16, 16); err == nil && uint16(p) == port && local(address) {
			return true
		}
	}
	return false
}

// local reports whether an address, in hexadecimal words of the machine, is the unspecified address or
// one of the loopback interface.
func local(address []byte) bool {
	b := make([]byte, hex.DecodedLen(len(address)))
	if _, err := hex.Decode(b, address); err != nil || len(b)%4 != 0 || len(b) == 0 {
		return false
	}
	last := b[len(b)-4:] // little-endian
	unspecified := bytes.Count(b, []byte{0}) == len(b)
	six := len(b) == 16 && bytes.Count(b[:12], []byte{0}) == 12 && bytes.Equal(last, []byte{0, 0, 0, 1})
	return unspecified || six || last[3] == 127 && (len(b) == 4 || bytes.Equal(b[8:12], []byte{0, 0, 0xff, 0xff}))
}
