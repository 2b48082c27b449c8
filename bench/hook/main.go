// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command hook measures what "toolvet hook" adds to each tool call of an agent: with the judge running, without one, and many at once. A
// program that does nothing is measured in turn with it. See ../README.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// The calls that are judged. Nobody runs them.
const (
	harmless  = `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git log --oneline -5 | cat"}}`
	dangerous = `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cat ~/.ssh/id_ed25519"}}`
)

// guarded is how an installed hook runs.
const guarded = `"$0" hook claude-code --answered 77; case $? in 77) exit 0;; 2) exit 2;; esac; exit 2`

func main() {
	samples := flag.Int("samples", 300, "times that each thing is done")
	cold := flag.Int("cold", 40, "times without a judge")
	atOnce := flag.Int("at-once", 50, "hooks that start together")
	program := flag.String("program", "", "`FILE` of toolvet; default: it is built")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *program, *samples, *cold, *atOnce); err != nil {
		fmt.Fprintln(os.Stderr, "bench/hook:", err)
		os.Exit(1)
	}
}

// A hook is one way to start a process.
type hook struct {
	words   []string
	payload string
	says    string // what has to be in its output; "" for no output
}

// time runs a hook and returns how long it took. It fails if the answer is another.
func (h hook) time(ctx context.Context, dir string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, h.words[0], h.words[1:]...)
	cmd.Env = append(os.Environ(), "TOOLVET_HOOK_DIR="+dir, "HOME="+dir)
	cmd.Stdin = bytes.NewReader([]byte(h.payload))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil || !bytes.Contains(out.Bytes(), []byte(h.says)) || h.says == "" && out.Len() > 0 {
		return 0, fmt.Errorf("%q: %v: %s", h.words, err, out.Bytes())
	}
	return took, nil
}

func run(ctx context.Context, out io.Writer, program string, samples, cold, atOnce int) error {
	dir, err := os.MkdirTemp("", "bench-hook-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		program = filepath.Join(dir, "toolvet")
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", program, "github.com/toolvet/toolvet/cmd/toolvet")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %v: %s", err, text)
		}
	}
	fmt.Fprintf(out, "%s, %s/%s, %d processors; load %s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tmedian\tp99\tmost")
	words := []string{program, "hook", "claude-code"}
	ways := []struct {
		name string
		hook hook
	}{
		{"a program that does nothing", hook{words: []string{"true"}}},
		{"a harmless line, the judge runs", hook{words: words, payload: harmless}},
		{"a dangerous line", hook{words: words, payload: dangerous, says: `"deny"`}},
		{"as installed, with a shell", hook{words: []string{"sh", "-c", guarded, program}, payload: harmless}},
	}
	warm := filepath.Join(dir, "warm")
	if _, err := ways[1].hook.time(ctx, warm); err != nil { // starts the judge
		return err
	}
	took := make([][]time.Duration, len(ways))
	for range samples { // in turn, so that all see the same load
		for i, w := range ways {
			d, err := w.hook.time(ctx, warm)
			if err != nil {
				return err
			}
			took[i] = append(took[i], d)
		}
	}
	for i, w := range ways {
		row(table, w.name, took[i])
	}
	var first []time.Duration
	for i := range cold {
		place := filepath.Join(dir, fmt.Sprint("cold", i))
		d, err := ways[1].hook.time(ctx, place)
		if err != nil {
			return err
		}
		first = append(first, d)
		if err := os.RemoveAll(place); err != nil { // its judge ends without its socket
			return err
		}
	}
	row(table, "no judge runs", first)
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wait sync.WaitGroup
	for range atOnce {
		wait.Go(func() {
			d, err := ways[1].hook.time(ctx, warm)
			mu.Lock()
			defer mu.Unlock()
			if all = append(all, d); err != nil {
				failed = err
			}
		})
	}
	wait.Wait()
	if failed != nil {
		return failed
	}
	row(table, fmt.Sprintf("%d at once", atOnce), all)
	return table.Flush()
}

func row(w io.Writer, name string, took []time.Duration) {
	slices.Sort(took)
	fmt.Fprintf(w, "%s\t%.1f ms\t%.1f ms\t%.1f ms\n", name, ms(took[len(took)/2]), ms(took[(len(took)*99+99)/100-1]), ms(took[len(took)-1]))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// load is how busy the machine is, where it tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := bytes.Cut(text, []byte(" "))
	return string(first)
}
