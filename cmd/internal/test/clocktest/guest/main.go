// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Guest is the first program of a virtual machine: it runs "toolvet schedule serve", sets the clock,
// sends the machine to sleep, and reports on the console in lines of the Test Anything Protocol. It is
// also the server of the jobs' tools.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		asServer(os.Args[1])
		return
	}
	if err := prepare(); err != nil {
		fmt.Println("Bail out!", err)
	} else {
		new(guest).run()
	}
	_ = os.Stdout.Sync() // a console has none
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

// asServer runs the commands of the scheduler: "tools" serves the tools of the jobs, "alert" records an
// alert.
func asServer(role string) {
	switch role {
	case "tools":
		serveTools()
	case "alert":
		text, err := io.ReadAll(os.Stdin)
		if err == nil {
			err = note("/tmp/alerts", string(text))
		}
		if err != nil {
			os.Exit(1)
		}
	}
}

const policy = `version: 1
servers:
  guest:
    command: [/init, tools]
    tools:
      note: {arguments: {file: {path: {type: file, exists: true}}}}
schedule:
  store: /store/jobs.db
  recheck: 5s
  alerts: {command: [/init, alert]}
`

func prepare() error {
	for _, m := range []struct{ kind, at, options string }{
		{"proc", "/proc", ""}, {"sysfs", "/sys", ""}, {"devtmpfs", "/dev", ""}, {"tmpfs", "/tmp", ""}, {"tmpfs", "/store", "size=16m"}, {"tmpfs", "/zones", ""},
	} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount(m.kind, m.at, m.kind, 0, m.options); err != nil {
			return fmt.Errorf("mounting %s: %w", m.at, err)
		}
	}
	if err := os.WriteFile("/tmp/input", nil, 0o644); err != nil {
		return err
	}
	return os.WriteFile("/tmp/toolvet.yaml", []byte(policy), 0o644)
}

// note appends a line to a file, in one write.
func note(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}
