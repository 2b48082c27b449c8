// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/binary"
	"github.com/toolvet/toolvet/checks/disk"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/race"
)

// grace is how long after its budget a judgement may return. What is promised is what holds without
// the race detector.
var grace = map[bool]time.Duration{false: 50 * time.Millisecond, true: 500 * time.Millisecond}[race.Enabled]

// A burden is a call that makes checks wait or work, whatever they do.
type burden struct {
	policy string // of the tool t of the server s, see burden.call
	server string // more of the server
	value  any    // of the argument v
	checks []*check.Check
	least  time.Duration // it holds a check up for at least so long
}

func (b burden) gate(t *testing.T, budget time.Duration) *toolvet.Gate {
	t.Helper()
	text := "version: 1\nservers:\n  s:\n    tools: {t: {" + b.policy + "}}\n" + b.server
	p, err := policy.Parse("policy", []byte(text), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	checks := suite.Default()
	for _, c := range b.checks {
		i := slices.IndexFunc(checks, func(have *check.Check) bool { return have.Name == c.Name })
		if i < 0 {
			checks = append(checks, c)
			continue
		}
		checks[i] = c
	}
	return newGate(t, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"), toolvet.WithChecks(checks...), toolvet.WithTimeout(budget))
}

func (b burden) call(t *testing.T) *call.Call {
	t.Helper()
	arguments, err := json.Marshal(map[string]any{"v": b.value})
	if err != nil {
		t.Fatal(err)
	}
	c := newCall(t, fmt.Sprintf(`{"name": "t", "arguments": %s}`, arguments), `{"name": "t", "inputSchema": {"type": "object"}}`)
	c.Server = "s"
	return c
}

// patience is how long a judgement may be too late by the fault of other programs, or of what an earlier try left
// behind, before the test counts it. One try in time is enough: the bound itself does not grow with the load.
const patience = 30 * time.Second

// holds holds that the Gate returns in time, and that what it could not look at is told.
func (b burden) holds(t *testing.T, budget time.Duration) {
	t.Helper()
	b.holdsOf(t, b.call(t), budget, points...)
}

func (b burden) holdsOf(t *testing.T, c *call.Call, budget time.Duration, points ...toolvet.Point) {
	t.Helper()
	before := runtime.NumGoroutine()
	for _, at := range points {
		fastest := time.Hour
		for first := time.Now(); fastest > budget+grace && time.Since(first) < patience; {
			if fastest < time.Hour {
				settle(before, 2*time.Second)
			}
			g := b.gate(t, budget)
			begin := time.Now()
			v := g.Judge(t.Context(), c, at)
			took := time.Since(begin)
			fastest = min(fastest, took)
			if took < b.least {
				t.Errorf("point %d: took %v: nothing was held up, and the test shows nothing", at, took)
			}
			if b.least > 0 && len(v.Findings)+len(v.Skipped) == 0 {
				t.Errorf("point %d: nothing is told of what was not looked at: %v", at, v)
			}
		}
		if fastest > budget+grace {
			t.Errorf("point %d: took %v, with a budget of %v", at, fastest, budget)
		}
	}
}

// settle waits until no more goroutines run than before, and reports whether it came to that.
func settle(before int, limit time.Duration) bool {
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > limit {
			return false
		}
	}
	return true
}

// goroutinesEnd holds that as many goroutines run as before: those that are left behind end
// when what they wait for does, or at once if they can. Go's own resolver would go on for
// five seconds; what works on a megabyte may take as long under the race detector.
func goroutinesEnd(t *testing.T, before int, limit time.Duration) {
	t.Helper()
	if !settle(before, limit) {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	}
}

// each runs burdens one after the other: tests beside them would be counted as well.
func each(t *testing.T, budget time.Duration, burdens map[string]burden) {
	t.Helper()
	before := runtime.NumGoroutine()
	for _, name := range slices.Sorted(maps.Keys(burdens)) {
		t.Run(name, func(t *testing.T) { burdens[name].holds(t, budget) })
	}
	goroutinesEnd(t, before, 4*time.Second)
}

// stall is the budget where something hangs.
const stall = 100 * time.Millisecond

// TestBudgetOfSilentResolver asks a DNS server that never answers.
func TestBudgetOfSilentResolver(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	server := "    resolver: " + conn.LocalAddr().String() + "\n"
	slow := func(policy string) burden {
		return burden{policy: policy, server: server, value: "https://slow.example/", least: stall / 2}
	}
	each(t, stall, map[string]burden{
		"url resolve":   slow("arguments: {v: {url: {resolve: true}}}"),
		"url reachable": slow("arguments: {v: {url: {reachable: true}}}"),
		"tcp":           slow("requires: [{tcp: {address: 'slow.example:443'}}]"),
		"http":          slow("requires: [{http: {url: 'https://slow.example/'}}]"),
		"credential":    slow("requires: [{credential: {url: 'https://slow.example/', token_env: PATH}}]"),
		"many names":    {policy: "arguments: {v: {url: {resolve: true}}}", server: server, value: distinct("https://%d.example/", 5000), least: stall / 2},
	})
}

func distinct(format string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return list
}

// TestBudgetOfSilentServer connects to a server that accepts and says nothing.
func TestBudgetOfSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // the system accepts in its place
	each(t, stall, networkBurdens(l.Addr().String(), false))
}

// networkBurdens are looks at a server on this machine; at one that takes connections some
// are content.
func networkBurdens(address string, unconnected bool) map[string]burden {
	list := map[string]burden{}
	add := func(name, policy string, value any) {
		list[name] = burden{policy: policy, value: value, least: stall / 2}
	}
	for _, scheme := range []string{"http", "https"} {
		add("url "+scheme, "arguments: {v: {url: {reachable: true, loopback: allow}}}", scheme+"://"+address+"/")
		add("http "+scheme, "requires: [{http: {allow_private: true, url: '"+scheme+"://"+address+"/'}}]", "")
		add("credential "+scheme, "requires: [{credential: {allow_private: true, token_env: HOME, url: '"+scheme+"://"+address+"/'}}]", "")
	}
	add("tls", "requires: [{tcp: {allow_private: true, tls: true, address: '"+address+"'}}]", "")
	if unconnected {
		add("tcp", "requires: [{tcp: {allow_private: true, address: '"+address+"'}}]", "")
		add("named", "arguments: {v: {tcp: {allow_private: true}}}", address)
	}
	return list
}

// TestBudgetOfDeadDisk asks file systems that do not answer, and a check that heeds nothing.
func TestBudgetOfDeadDisk(t *testing.T) {
	release := make(chan struct{})
	dead := func() { <-release }
	before := runtime.NumGoroutine()
	for name, b := range map[string]burden{
		"disk": {policy: "requires: [{disk: {path: /srv, min_free: 1GB}}]", checks: []*check.Check{
			disk.New(func(string) (int64, error) { dead(); return 0, nil }, nil)}},
		"binary": {policy: "requires: [{binary: {name: git}}]", checks: []*check.Check{
			binary.New(os.Getenv, func(string) (fs.FileInfo, error) { dead(); return nil, fs.ErrNotExist }, nil)}},
		"a check": {policy: "arguments: {}", checks: []*check.Check{{Name: "deaf", Doc: "# deaf\n\nHeeds nothing.\n",
			Stage: check.Semantic, Level: check.RuntimeLevel, Run: func(context.Context, *check.Pass) error { dead(); return nil }}}},
	} {
		b.least = stall
		t.Run(name, func(t *testing.T) { b.holds(t, stall) })
	}
	close(release)
	goroutinesEnd(t, before, 4*time.Second)
}

// TestBudgetOfManyRoots judges paths in a server that is confined to 10,000 directories, the
// first time, when all of them are compared.
func TestBudgetOfManyRoots(t *testing.T) {
	const budget = time.Second // what takes longer than grace is too slow all the same
	roots := distinct("/srv/customers/%d/data", 10_000)
	before := runtime.NumGoroutine()
	for name, value := range map[string]string{"in the last": "/srv/customers/9999/data/x", "in none": "/srv/customers/10000/data/x", "relative": "../../9999/data/y"} {
		t.Run(name, func(t *testing.T) {
			fastest := time.Hour
			for first := time.Now(); fastest > grace && time.Since(first) < patience; {
				demand := policy.Demand{Kind: path.Demand, Options: path.Demand.Options()}
				g := newGate(t, toolvet.WithTimeout(budget), toolvet.WithPolicy(policy.Seal(&policy.Policy{Servers: []*policy.Server{{
					Name: "s", World: check.World{Base: roots[0], Roots: roots},
					Tools: []policy.Tool{{Pattern: "t", Arguments: []policy.Argument{{Address: "/v", Demands: []policy.Demand{demand}}}}},
				}}})))
				c := burden{value: value}.call(t)
				begin := time.Now()
				v := g.Judge(t.Context(), c, toolvet.PointValidate)
				fastest = min(fastest, time.Since(begin))
				if want := name != "in none"; v.Go != want {
					t.Fatalf("go %v, want %v: %v", v.Go, want, v)
				}
			}
			if fastest > grace {
				t.Errorf("took %v, want at most %v", fastest, grace)
			}
		})
	}
	goroutinesEnd(t, before, 4*time.Second)
}

// demands are those that judge a value by its text, as lenient as a policy can make them,
// so that nothing is refused before it is read.
var demands = []string{
	"text: {pattern: '(a|b)*c$', single_line: true, trim: true, charset: ascii, scripts: [Latin]}",
	"identifier: {kind: [uuid, slug, sql, env, docker_image, git_ref, hostname, semver], max_length: 9999999}",
	"json: {max_length: 9999999, max_depth: 256}", "email: {quoted: true, literal: true, local: true}",
	"path: {within: [/srv], hidden: false, extensions: [.csv]}", "path: {}", "url: {}",
	"command: {max_length: 1048576}", "command: {max_length: 1048576, shell: cmd}",
	"command: {max_length: 1048576, programs: [a], arguments: ['(a|b)*c']}",
	"glob: {max_length: 4000, deep: 9999, braces: 10000}", "regex: {max_length: 4000}", "regex: {max_length: 4000, engine: pcre}",
	"cron: {seconds: true, allow: [macros, every]}", "time: {}",
}

// TestBudgetOfLargeArguments gives each such demand a megabyte: one value of what it finds hard
// to read, or an array of small ones.
func TestBudgetOfLargeArguments(t *testing.T) {
	race.Skip(t)
	const megabyte, budget = 1 << 20, 20 * time.Millisecond
	var calls []*call.Call
	for _, unit := range []string{"a", "../", "%252e", `\`, "$(", "a;", "<<a ", "{a,", "{a}", "(a|a)*", `{"a":`, "*/2,", "a.", "\u202eé", "'"} {
		calls = append(calls, burden{value: strings.Repeat(unit, megabyte/len(unit))}.call(t))
	}
	for _, unit := range []string{"", "..", "* * * * * *", "(a|a)*$", "https://a.example/"} {
		calls = append(calls, burden{value: slices.Repeat([]string{unit}, megabyte/(len(unit)+3))}.call(t))
	}
	for _, demand := range demands {
		t.Run(demand, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for _, c := range calls {
				burden{policy: "arguments: {v: {" + demand + "}}"}.holdsOf(t, c, budget, toolvet.PointValidate)
				goroutinesEnd(t, before, time.Minute)
			}
		})
	}
}
