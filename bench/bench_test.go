// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/internal/test/texts"
)

// tiny counts show that the benchmark works; the times mean nothing.
var tiny = counts{rounds: 2, sequential: 3, flood: 40, warmUp: 1}

// TestMeasureAll runs every path for which this machine has the parts.
func TestMeasureAll(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	need.Minutes(t)
	f := flags{everything: filepath.Join("..", filepath.FromSlash(everythingPath)), sizes: []int{20, 2000, 20_000}, counts: tiny}
	programs, err := build(t.Context(), f, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	servers, left := servers(f, programs)
	if left != "" {
		t.Log(left)
	}
	groups, err := measureAll(t.Context(), f, programs, servers, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * len(servers); len(groups) != want {
		t.Fatalf("%d groups, want %d", len(groups), want)
	}
	for _, g := range groups {
		for i, name := range []string{direct, spliced, toolvet, withPolicy, sdk} {
			s := g.series[i]
			if s.path != name || len(s.latencies) != tiny.rounds*tiny.sequential || s.flooded != tiny.rounds*tiny.flood {
				t.Errorf("%s, %d B: series %q has %d and %d calls", g.server, g.size, s.path, len(s.latencies), s.flooded)
			}
			if s.flooding <= 0 || s.percentile(0) <= 0 {
				t.Errorf("%s, %d B: series %q took no time", g.server, g.size, s.path)
			}
		}
	}
	var out bytes.Buffer
	writeTable(&out, groups)
	writeRatios(&out, groups)
	if got, want := strings.Count(out.String(), "\n"), 2+5*len(groups)+2+len(groups); got != want {
		t.Errorf("%d lines in the tables, want %d:\n%s", got, want, out.String())
	}
}

// TestWeight runs what is measured before the fast echo server, once each.
func TestWeight(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	need.Minutes(t)
	f := flags{textSizes: []int{20_000}, counts: counts{rounds: 1, sequential: 1, flood: 10}}
	dir := t.TempDir()
	built, err := build(t.Context(), f, dir)
	if err != nil {
		t.Fatal(err)
	}
	f.peers = filepath.Join(dir, "peers.json")
	peers, err := json.Marshal([]way{{"a peer", []string{built.splice}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.peers, peers, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		run  func(context.Context, flags, programs, string, io.Writer) error
		rows []string
	}{
		{"weight", runWeight, []string{direct, "bytes moved by the kernel", toolvet, withPolicy, sdk, "a peer"}},
		{"texts", runTexts, texts.Kinds},
		{"growth", runGrowth, []string{toolvet, "a peer", "1", "10", "100", "1000"}},
	} {
		var out bytes.Buffer
		if err := test.run(t.Context(), f, built, dir, &out); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		for _, row := range test.rows {
			if !strings.Contains(out.String(), "\n| "+row+" |") {
				t.Errorf("%s has no row %q:\n%s", test.name, row, &out)
			}
		}
	}
}

// TestMeasureHTTP runs every path over HTTP for which this machine has the parts. It leaves out supergateway, because
// tests install nothing from npm.
func TestMeasureHTTP(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	need.Minutes(t)
	f := flags{everything: filepath.Join("..", filepath.FromSlash(everythingPath)), sizes: []int{20, 2000, 20_000}, counts: tiny}
	programs, err := build(t.Context(), f, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stdio, left := servers(f, programs)
	if left != "" {
		t.Log(left)
	}
	servers := httpServers(stdio)
	groups, err := measureHTTP(t.Context(), f, programs, servers, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * len(servers); len(groups) != want {
		t.Fatalf("%d groups, want %d", len(groups), want)
	}
	for _, g := range groups {
		for i, name := range []string{direct, plain, reverse, bridge, serve} {
			s := g.series[i]
			if s.path != name || len(s.latencies) != tiny.rounds*tiny.sequential || s.flooded != tiny.rounds*tiny.flood || s.flooding <= 0 || s.percentile(0) <= 0 {
				t.Errorf("%s, %d B: series %q has %d and %d calls, %v", g.server, g.size, s.path, len(s.latencies), s.flooded, s.flooding)
			}
		}
	}
}

// TestHTTPRatios: proxy and gateway are compared with the reverse proxy, and the bridge with supergateway; without these there is
// no comparison.
func TestHTTPRatios(t *testing.T) {
	t.Parallel()
	s := func(path string, latency, cpu time.Duration) *series {
		return &series{path: path, latencies: []time.Duration{latency}, cpuOne: cpu, cpuFlood: 2 * cpu}
	}
	full := group{"echo, SSE", 20, []*series{s(direct, 100_000, 0), s(plain, 120_000, 0), s(reverse, 150_000, 0), s(bridge, 90_000, 10), s(serve, 180_000, 0), s(peer, 360_000, 40)}}
	var out bytes.Buffer
	writeHTTPRatios(&out, []group{full, {"echo, JSON", 20, full.series[:3]}})
	tables := strings.Split(out.String(), "\n\n")
	want := []string{"| echo, SSE | 20 B | 20 | 50 | 80 | 1.25 | 1.50 |", "| echo, SSE | 20 B | -10 | 0.25 | 0.25 | 0.25 |\n"}
	for i, table := range tables {
		if _, rows, _ := strings.Cut(table, "--:|\n"); rows != want[i] {
			t.Errorf("got %s, want %s", rows, want[i])
		}
	}
}

// TestTables puts numbers in their places, and leaves out unknown ones.
func TestTables(t *testing.T) {
	t.Parallel()
	us := func(n ...int) (d []time.Duration) {
		for _, n := range n {
			d = append(d, time.Duration(n)*time.Microsecond)
		}
		return d
	}
	g := group{"echo", 20, []*series{
		{path: direct, latencies: us(100, 300, 200), flooded: 10, flooding: time.Second},
		{path: toolvet, latencies: us(150, 350, 250), flooded: 10, flooding: 2 * time.Second, cpuOne: 90 * time.Microsecond, cpuFlood: 200 * time.Microsecond},
		{path: withPolicy, latencies: us(160, 360, 260), flooded: 10, flooding: 2 * time.Second, cpuUnknown: true},
		{path: sdk, latencies: us(400, 400, 400), flooded: 10, flooding: 2 * time.Second, cpuUnknown: true},
	}}
	var out bytes.Buffer
	writeTable(&out, []group{g})
	writeRatios(&out, []group{g})
	want := `| server | argument | path | p50 µs | p99 µs | added p50 µs | calls/s, 16 in flight | CPU µs/call, one at a time | CPU µs/call, 16 in flight |
|---|--:|---|--:|--:|--:|--:|--:|--:|
| echo | 20 B | direct | 200 | 300 |  | 10 |  |  |
| echo | 20 B | toolvet proxy | 250 | 350 | 50 | 5 | 30 | 20 |
| echo | 20 B | toolvet proxy + policy | 260 | 360 | 60 | 5 |  |  |
| echo | 20 B | SDK client + server | 400 | 400 | 200 | 5 |  |  |
| server | argument | added p50 µs | with a policy | … of the SDK's | CPU of the SDK's, one at a time | CPU of the SDK's, 16 in flight |
|---|--:|--:|--:|--:|--:|--:|
| echo | 20 B | 50 | 60 | 0.25 |  |  |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// TestPolicyBites: the measured policy refuses what it should.
func TestPolicyBites(t *testing.T) {
	t.Parallel()
	need.Minutes(t)
	dir := t.TempDir()
	programs, err := build(t.Context(), flags{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	const tool = `{"name": "echo", "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}}}`
	for message, want := range map[string]int{"xxxxxxxxxxxxxxxxxxxx": 0, "../../etc/passwd": 1, "rm -rf /": 1, "xxxxxxxxxxxxxxxxxxxxx": 1} {
		policy, err := writePolicy(dir, 20)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), programs.toolvet, "check", "--policy", policy)
		cmd.Stdin = strings.NewReader(`{"tool": ` + tool + `, "arguments": {"message": "` + message + `"}}`)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%q: exit code %d, want %d: %v\n%s", message, got, want, err, out)
		}
	}
}

// TestStops: a benchmark that is interrupted ends, and tells why.
func TestStops(t *testing.T) {
	t.Parallel()
	f := flags{sizes: []int{20}, limit: time.Nanosecond, counts: tiny}
	if err := run(t.Context(), f, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "time limit") {
		t.Errorf("got %v, want the time limit", err)
	}
}

// TestWrongAnswer: only an echo counts as an answer.
func TestWrongAnswer(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer liar.Close()
	for name, test := range map[string]struct {
		path path
		want string
	}{
		"liar":           {overStdio(direct, self, "liar"), "not the echo"},
		"mute":           {overStdio(direct, self, "mute"), "unexpected EOF"},
		"liar over HTTP": {path{direct, func(ctx context.Context) (caller, error) { return connect(ctx, liar.URL, nil) }}, "not the echo"},
		"mute over HTTP": {overHTTP(direct, func(int) []string { return []string{self, "mute"} }), "has ended"},
	} {
		if _, err := measure(t.Context(), []path{test.path}, 20, tiny); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// TestMain plays servers that TestWrongAnswer starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == "liar" || os.Args[1] == "mute") {
		play(os.Args[1])
		return
	}
	os.Exit(m.Run())
}

func play(role string) {
	if role == "mute" {
		_, _ = os.Stdin.Read(make([]byte, 1<<16)) // a client that cannot write would see another error
		return
	}
	for i := 0; ; i++ {
		b := make([]byte, 1<<16)
		if _, err := os.Stdin.Read(b); err != nil {
			return
		}
		os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"something else"}]}}` + "\n")
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	stat := "7 (a) b) c) S 1 7 7 0 -1 4194560 100 0 0 0 12 34 5 6 20 0 8 0 1 2 3"
	if got, ok := parseStat([]byte(stat)); !ok || got != 460*time.Millisecond {
		t.Errorf("got %v, %t, want 460ms", got, ok)
	}
	for _, bad := range []string{"", "7 (a) S 1 2", strings.Replace(stat, "12 34", "12 x", 1)} {
		if got, ok := parseStat([]byte(bad)); ok {
			t.Errorf("parseStat(%q) = %v", bad, got)
		}
	}
}

// TestCPUTime: the processor time of a process that works rises.
func TestCPUTime(t *testing.T) {
	t.Parallel()
	before, ok := cpuTime(os.Getpid())
	if !ok {
		if _, err := os.Stat("/proc/self/stat"); !errors.Is(err, os.ErrNotExist) {
			t.Fatal("the processor time is not known where there is /proc")
		}
		t.Skip("there is no /proc here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if now, ok := cpuTime(os.Getpid()); ok && now > before {
			return
		}
	}
	t.Error("the processor time does not rise")
}
