// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/test/texts"
)

// A way is a command that serves the fast echo server, or another in front of it.
type way struct {
	Name    string
	Command []string // in front of the server's own
}

// ways are no proxy, a pipe that moves bytes, toolvet and the peers that a file lists as a JSON array of ways.
func ways(f flags, p programs, policy string) ([]way, error) {
	all := []way{
		{direct, nil},
		{spliced, []string{p.splice}},
		{toolvet, []string{p.toolvet, "proxy", "--"}},
		{withPolicy, []string{p.toolvet, "proxy", "--policy", policy, "--"}},
		{sdk, []string{p.sdkProxy}},
	}
	if f.peers == "" {
		return all, nil
	}
	text, err := os.ReadFile(f.peers)
	if err != nil {
		return nil, err
	}
	var peers []way
	if err := json.Unmarshal(text, &peers); err != nil {
		return nil, fmt.Errorf("%s: %w", f.peers, err)
	}
	return append(all, peers...), nil
}

func (w way) start(ctx context.Context, server ...string) (*client, error) {
	c, err := start(ctx, slices.Concat(w.Command, server))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	return c, nil
}

// runWeight measures what a proxy costs before its first call and beside its calls: time to start and memory.
func runWeight(ctx context.Context, f flags, p programs, dir string, out io.Writer) error {
	policy, err := writePolicy(dir, 20)
	if err != nil {
		return err
	}
	all, err := ways(f, p, policy)
	if err != nil {
		return err
	}
	starts := make([][]time.Duration, len(all))
	for round := range f.rounds {
		for i := range all {
			i = (i + round) % len(all)
			began := time.Now()
			c, err := all[i].start(ctx, p.fastEcho)
			if err != nil {
				return err
			}
			starts[i] = append(starts[i], time.Since(began))
			c.close()
		}
	}
	fmt.Fprintf(out, "%d starts, to the answer to tools/list; memory is PSS of all processes but the server\n\n", f.rounds)
	fmt.Fprintf(out, "| path | start p50 ms | least ms | added p50 ms | processes | MB when ready | MB after %d calls | ten servers, MB |\n|---|--:|--:|--:|--:|--:|--:|--:|\n", f.flood)
	base := median(starts[0])
	for i, w := range all {
		m, err := w.memory(ctx, p, f.flood)
		if err != nil {
			return err
		}
		added := ""
		if i > 0 {
			added = millis(median(starts[i]) - base)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %d | %.1f | %.1f | %.1f |\n", w.Name, millis(median(starts[i])), millis(slices.Min(starts[i])), added, m.processes, m.ready, m.after, m.ten)
	}
	m, err := serveMemory(ctx, p, dir, f.flood)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n| toolvet serve --stdio | processes | MB when ready | MB after %d calls |\n|---|--:|--:|--:|\n| ten servers | %d | %.1f | %.1f |\n", f.flood, m.processes, m.ready, m.after)
	return nil
}

// many is the number of servers whose proxies, or whose gateway, are weighed.
const many = 10

// serveMemory is the memory of one gateway in front of as many servers. It takes calls of each in turn.
func serveMemory(ctx context.Context, p programs, dir string, calls int) (m memory, err error) {
	command, err := json.Marshal([]string{p.fastEcho})
	if err != nil {
		return m, err
	}
	policy := "version: 1\nservers:\n"
	for i := range many {
		policy += fmt.Sprintf("  s%d: {command: %s}\n", i, command)
	}
	file := filepath.Join(dir, "servers.yaml")
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		return m, err
	}
	c, err := start(ctx, []string{p.toolvet, "serve", "--stdio", "--policy", file})
	if err != nil {
		return m, err
	}
	defer c.close()
	server := filepath.Base(p.fastEcho)
	time.Sleep(settle)
	all := besides(c.pid(), server)
	m.processes, m.ready = len(all), pss(all)
	for i := range many {
		e, err := newEcho(20)
		if err != nil {
			return m, err
		}
		e.after = bytes.Replace(e.after, []byte(`"name":"`), fmt.Appendf(nil, `"name":"s%d__`, i), 1)
		if _, err := c.flood(e, calls/many); err != nil {
			return m, err
		}
	}
	m.after = pss(besides(c.pid(), server))
	return m, nil
}

// memory is a way's memory in MB.
type memory struct {
	processes         int
	ready, after, ten float64
}

func (w way) memory(ctx context.Context, p programs, calls int) (m memory, err error) {
	c, err := w.start(ctx, p.fastEcho)
	if err != nil {
		return m, err
	}
	defer c.close()
	time.Sleep(settle)
	all := besides(c.pid(), filepath.Base(p.fastEcho))
	m.processes, m.ready = len(all), pss(all)
	e, err := newEcho(20)
	if err != nil {
		return m, err
	}
	if _, err := c.flood(e, calls); err != nil {
		return m, fmt.Errorf("%s: %w", w.Name, err)
	}
	m.after = pss(besides(c.pid(), filepath.Base(p.fastEcho)))
	clients, errs := make([]*client, many), make([]error, many)
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() { clients[i], errs[i] = w.start(ctx, p.fastEcho) })
	}
	wait.Wait()
	time.Sleep(settle)
	var processes []int
	for i, c := range clients {
		if errs[i] != nil {
			return m, errs[i]
		}
		defer c.close()
		processes = append(processes, besides(c.pid(), filepath.Base(p.fastEcho))...)
	}
	m.ten = pss(processes)
	return m, nil
}

// settle is how long a proxy is left alone before its memory is read.
const settle = time.Second

// runTexts measures the scan of results by kind of text and size.
func runTexts(ctx context.Context, f flags, p programs, dir string, out io.Writer) error {
	policy, err := writePolicy(dir, 20)
	if err != nil {
		return err
	}
	all, err := ways(f, p, policy)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d results of each; MB/s of added time, at the median; — if it is too short to tell\n\n| text | bytes |", f.rounds)
	for _, w := range all[1:] {
		fmt.Fprintf(out, " %s |", w.Name)
	}
	fmt.Fprintf(out, "\n|---|--:|%s\n", strings.Repeat("--:|", len(all)-1))
	contents := texts.All()
	for _, kind := range texts.Kinds {
		file := filepath.Join(dir, "text")
		if err := os.WriteFile(file, []byte(contents[kind]), 0o600); err != nil {
			return err
		}
		for _, size := range f.textSizes {
			fmt.Fprintf(out, "| %s | %d |", kind, size)
			took, err := resultTimes(ctx, all, f.rounds, size, p.fastEcho, "-file", file)
			if err != nil {
				return err
			}
			for _, t := range took[1:] {
				if t-took[0] < took[0]/10 {
					fmt.Fprint(out, " — |")
					continue
				}
				fmt.Fprintf(out, " %.0f |", float64(size)/1e6/(t-took[0]).Seconds())
			}
			fmt.Fprintln(out)
		}
	}
	return nil
}

// resultTimes returns the median time of a result of a size by each way. All are open at once, and take turns.
func resultTimes(ctx context.Context, all []way, rounds, size int, server ...string) ([]time.Duration, error) {
	params := fmt.Sprintf(`{"name":"text","arguments":{"bytes":%d}}`, size)
	return inTurn(ctx, all, rounds, "tools/call", params, server...)
}

func inTurn(ctx context.Context, all []way, rounds int, method, params string, server ...string) ([]time.Duration, error) {
	clients, times := make([]*client, len(all)), make([][]time.Duration, len(all))
	for i, w := range all {
		var err error
		if clients[i], err = w.start(ctx, server...); err != nil {
			return nil, err
		}
		defer clients[i].close()
	}
	for round := range rounds + 1 {
		for i, c := range clients {
			began := time.Now()
			result, err := c.request(method, params)
			if err == nil && bytes.Contains(result, []byte(`"isError":true`)) {
				err = fmt.Errorf("%s is refused: %.300s", method, result)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].Name, err)
			}
			if round > 0 { // the first builds what it needs
				times[i] = append(times[i], time.Since(began))
			}
		}
	}
	medians := make([]time.Duration, len(all))
	for i := range all {
		medians[i] = median(times[i])
	}
	return medians, nil
}

// runGrowth measures what grows with a server and with a policy: the list of many tools, and many rules.
func runGrowth(ctx context.Context, f flags, p programs, dir string, out io.Writer) error {
	policy, err := writePolicy(dir, 20)
	if err != nil {
		return err
	}
	all, err := ways(f, p, policy)
	if err != nil {
		return err
	}
	took, err := inTurn(ctx, all, f.rounds, "tools/list", `{}`, p.fastEcho, "-tools", "1000")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d lists of 1,000 tools\n\n| path | p50 ms | added p50 ms |\n|---|--:|--:|\n", f.rounds)
	for i, w := range all {
		fmt.Fprintf(out, "| %s | %s | %s |\n", w.Name, millis(took[i]), millis(took[i]-took[0]))
	}
	counts := []int{1, 10, 100, 1000}
	ruled := []way{{direct, nil}}
	for _, n := range counts {
		file := filepath.Join(dir, fmt.Sprintf("rules%d.yaml", n))
		if err := os.WriteFile(file, []byte(rulesPolicy(n)), 0o600); err != nil {
			return err
		}
		ruled = append(ruled, way{fmt.Sprintf("%d rules", n), []string{p.toolvet, "proxy", "--policy", file, "--"}})
	}
	took, err = inTurn(ctx, ruled, f.sequential, "tools/call", `{"name":"echo","arguments":{"message":"hello"}}`, p.fastEcho)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d calls of a tool with rules that compare its argument with a literal\n\n| rules | added p50 µs |\n|--:|--:|\n", f.sequential)
	for i, n := range counts {
		fmt.Fprintf(out, "| %d | %s |\n", n, micros(took[i+1]-took[0]))
	}
	return nil
}

// rulesPolicy returns a policy with rules about one tool.
func rulesPolicy(n int) string {
	var b strings.Builder
	b.WriteString("version: 1\nrules:\n- {name: all, effect: allow}\n")
	for i := range n {
		fmt.Fprintf(&b, "- {name: r%d, effect: deny, tools: 'echo', when: 'args.message.startsWith(\"secret %d\")'}\n", i, i)
	}
	return b.String()
}

func median(of []time.Duration) time.Duration {
	if len(of) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(of))[len(of)/2]
}

// besides returns a process and all below it but those of the program server, and those below these.
func besides(pid int, server string) []int {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(string(fields[1]))
		children[parent] = append(children[parent], child)
	}
	var all []int
	var walk func(int)
	walk = func(pid int) {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && filepath.Base(exe) == server {
			return
		}
		all = append(all, pid)
		for _, child := range children[pid] {
			walk(child)
		}
	}
	walk(pid)
	return all
}

// pss returns the memory of processes in MB, in which a page that n processes share counts 1/n for each.
func pss(processes []int) float64 {
	kilobytes := 0
	for _, pid := range processes {
		file, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "Pss:" {
				n, _ := strconv.Atoi(fields[1])
				kilobytes += n
			}
		}
		_ = file.Close()
	}
	return float64(kilobytes) / 1024
}
