// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clocktest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience allows for a busy machine.
const patience = 30 * time.Minute

// TestClocks runs the steps of package guest.
func TestClocks(t *testing.T) {
	t.Parallel()
	qemu, kernel := emulator(t)
	dir := t.TempDir()
	image, console := filepath.Join(dir, "image"), filepath.Join(dir, "console")
	files, err := system(build(t, dir, "internal/clocktest/guest"), build(t, dir, "cmd/toolvet"))
	if err == nil {
		err = os.WriteFile(image, files, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-hpet", "-m", "768",
		"-accel", "tcg", "-icount", "shift=0,sleep=off", // an instruction is a nanosecond, and an idle machine waits for nothing
		"-rtc", "base=2026-03-28T12:00:00,clock=vm",
		"-kernel", kernel, "-initrd", image, "-append", "console=ttyS0 quiet panic=-1", "-no-reboot",
		"-serial", "file:"+console, "-qmp", "stdio")
	cmd.Stderr = os.Stderr
	if err := drive(cmd); err != nil {
		t.Errorf("the machine: %v", err)
	}
	text, err := os.ReadFile(console)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, string(text))
}

// emulator finds QEMU and a kernel. Continuous integration has none: it takes too long.
func emulator(t *testing.T) (qemu, kernel string) {
	t.Helper()
	qemu, err := exec.LookPath("qemu-system-x86_64")
	if kernel = os.Getenv("TOOLVET_KERNEL"); err != nil || kernel == "" {
		t.Skip("it takes minutes; qemu-system-x86_64 is needed, and TOOLVET_KERNEL must name the kernel of a Debian cloud image")
	}
	return qemu, kernel
}

// build makes a static program for the machine.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	program := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", program, "./"+pkg)
	cmd.Dir = "../../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, said)
	}
	return program
}

// drive runs the machine until it switches off. Whenever it goes to sleep, drive wakes it up a day
// later.
func drive(cmd *exec.Cmd) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := converse(in, out); err != nil {
		return fmt.Errorf("%w, %w", err, cmd.Wait())
	}
	return cmd.Wait()
}

// wake puts the day of the month in the machine's hardware clock forward, from 28 to 29, and
// wakes the machine up. (Its registers are those of the MC146818: 7 is the day, in BCD.)
var wake = []string{
	`{"execute":"human-monitor-command","arguments":{"command-line":"o/b 0x70 7"}}`,
	`{"execute":"human-monitor-command","arguments":{"command-line":"o/b 0x71 0x29"}}`,
	`{"execute":"system_wakeup"}`,
}

// converse talks to QEMU by QMP.
func converse(in io.Writer, out io.Reader) error {
	if _, err := fmt.Fprintln(in, `{"execute":"qmp_capabilities"}`); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m struct {
			Event string
			Error json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		switch {
		case m.Error != nil:
			return fmt.Errorf("QEMU: %s", m.Error)
		case m.Event == "SUSPEND":
			if _, err := fmt.Fprintln(in, strings.Join(wake, "\n")); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge makes a test of each line of the Test Anything Protocol.
func judge(t *testing.T, text string) {
	t.Helper()
	steps := 0
	var told strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, failed := strings.CutPrefix(line, "not ok - ")
		if !failed {
			var ok bool
			if name, ok = strings.CutPrefix(line, "ok - "); !ok {
				fmt.Fprintln(&told, line)
				continue
			}
		}
		steps++
		name, why, _ := strings.Cut(name, " # ")
		t.Run(name, func(t *testing.T) {
			t.Log(told.String())
			if failed {
				t.Error(why)
			}
		})
		told.Reset()
	}
	if strings.TrimSpace(told.String()) != "" && t.Failed() || steps != allSteps {
		t.Errorf("%d of %d steps were done; at last the console shows:\n%s", steps, allSteps, told.String())
	}
}

// allSteps is the number of steps of package guest.
const allSteps = 11
