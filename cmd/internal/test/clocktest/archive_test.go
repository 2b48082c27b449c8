// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clocktest

import (
	"bytes"
	"fmt"
	"os"
)

// A node is a file in an initial file system.
type node struct {
	name         string
	mode         int // type and permissions
	data         []byte
	major, minor int // of a device
}

// archive writes an initial file system for Linux: cpio in the "newc" format, see
// Documentation/driver-api/early-userspace/buffer-format.rst of Linux.
func archive(list []node) []byte {
	var b bytes.Buffer
	pad := func() { b.Write(make([]byte, -b.Len()&3)) }
	for i, n := range append(list, node{name: "TRAILER!!!"}) {
		fields := []int{i + 1, n.mode, 0, 0, 1, 0, len(n.data), 0, 0, n.major, n.minor, len(n.name) + 1, 0}
		b.WriteString("070701")
		for _, f := range fields {
			fmt.Fprintf(&b, "%08x", f)
		}
		b.WriteString(n.name + "\x00")
		pad()
		b.Write(n.data)
		pad()
	}
	return b.Bytes()
}

// system returns the initial file system of the machine, with two programs.
func system(guest, toolvet string) ([]byte, error) {
	const directory, device, program = 0o40755, 0o20600, 0o100755
	list := []node{{name: "dev", mode: directory}, {name: "dev/console", mode: device, major: 5, minor: 1}}
	for name, file := range map[string]string{"init": guest, "toolvet": toolvet} {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list = append(list, node{name: name, mode: program, data: data})
	}
	return archive(list), nil
}
