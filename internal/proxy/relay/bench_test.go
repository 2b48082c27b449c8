// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/internal/test/texts"
)

// A sink is a Link that takes everything.
type sink struct{}

func (sink) Answer([]byte, int)                {}
func (sink) Forward(*Request, []byte)          {}
func (sink) Send([]byte)                       {}
func (sink) Drop()                             {}
func (sink) Ask(context.Context, []byte) error { return nil }
func (sink) Notify([]byte)                     {}
func (sink) Later(work func())                 { work() }

// A smallCall is a policy and the argument of a call to measure it by.
type smallCall struct {
	name, policy, message string
	allocations           float64 // the most that a call may make
}

func smallCalls(dir string) []smallCall {
	policy := func(size int, path string) string {
		return fmt.Sprintf(`servers: {echo: {tools: {echo: {arguments: {message: {text: {max_length: %d}, command: {max_length: %[1]d, exists: false}%s}}}}}}
rules: [{name: echoes, effect: allow, tools: "echo:echo", when: 'size(args.message) > 0'}]
limits: [{name: many, tools: "echo:*", rate: 10000/s, burst: 1000000, concurrency: 1000}]
`, size, path)
	}
	short, prose := strings.Repeat("a", 20), strings.Repeat("The lamp in the hall was out again. ", 56)[:2000]
	return []smallCall{
		{"default, 20 B", "", short, 145},
		{"policy, 20 B", policy(20, fmt.Sprintf(", path: {within: [%q], base: %[1]q}", dir)), short, 240},
		{"default, 2 kB", "", prose, 155},
		{"policy, 2 kB", policy(2000, ""), prose, 205},
	}
}

// through returns a function that carries the call and its result through a relay.
func (s smallCall) through(tb testing.TB) func() {
	gate := limited(tb, s.policy)
	server, err := NewServer(Config{Server: "echo", Gate: func() *toolvet.Gate { return gate }, PrivatePrefix: "p-"})
	if err != nil {
		tb.Fatal(err)
	}
	p := server.NewClient(call.Session{}).NewExchange(tb.Context(), sink{})
	list(tb, p)
	id, quoted := 0, strconv.Quote(s.message)
	return func() {
		id++
		p.FromClient(tb.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":%s}}}`, id, quoted))
		if p.Client().Waiting() != 1 {
			tb.Fatal("the call was not forwarded")
		}
		p.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, quoted))
	}
}

// list has a server tell of the tool echo.
func list(tb testing.TB, p *Exchange) {
	p.FromClient(tb.Context(), []byte(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`))
	p.FromServer([]byte(`{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}]}}`))
}

// BenchmarkCall measures what becomes of one small call and of its result, without the pipes.
func BenchmarkCall(b *testing.B) {
	for _, s := range smallCalls(b.TempDir()) {
		b.Run(s.name, func(b *testing.B) {
			one := s.through(b)
			b.ReportAllocs()
			for b.Loop() {
				one()
			}
		})
	}
}

// TestAllocations holds small calls to a number of allocations. Whoever lowers one lowers its bound.
func TestAllocations(t *testing.T) { // not parallel: it counts those of the whole process
	race.Skip(t)
	for _, s := range smallCalls(t.TempDir()) {
		one := s.through(t)
		if n := testing.AllocsPerRun(500, one); n > s.allocations {
			t.Errorf("%s: %.0f allocations a call, and %.0f are allowed", s.name, n, s.allocations)
		}
	}
}

// BenchmarkList measures what becomes of a list of 1,000 tools that the client asks for again.
func BenchmarkList(b *testing.B) {
	var tools []string
	for i := range 1000 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Reads file number %d and returns its text, line by line.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The file to read"},"limit":{"type":"integer","minimum":1}},"required":["path"]}}`, i, i))
	}
	result := fmt.Sprintf(`{"tools":[%s]}`, strings.Join(tools, ","))
	gate := limited(b, "")
	server, err := NewServer(Config{Server: "many", Gate: func() *toolvet.Gate { return gate }, PrivatePrefix: "p-"})
	if err != nil {
		b.Fatal(err)
	}
	p := server.NewClient(call.Session{}).NewExchange(b.Context(), sink{})
	b.ReportAllocs()
	b.SetBytes(int64(len(result)))
	for i := 0; b.Loop(); i++ {
		p.FromClient(b.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i))
		if line := p.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, i, result)); len(line) < len(result) {
			b.Fatal("the list was not passed on")
		}
	}
}

// BenchmarkResult measures what becomes of one large result, without the pipes.
func BenchmarkResult(b *testing.B) {
	for _, kind := range texts.Kinds {
		for _, size := range []int{20_000, 1_000_000} {
			text, err := json.Marshal(texts.Of(kind, size))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				gate := limited(b, "")
				server, err := NewServer(Config{Server: "echo", Gate: func() *toolvet.Gate { return gate }, PrivatePrefix: "p-"})
				if err != nil {
					b.Fatal(err)
				}
				p := server.NewClient(call.Session{}).NewExchange(b.Context(), sink{})
				list(b, p)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for i := 1; b.Loop(); i++ {
					p.FromClient(b.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a"}}}`, i))
					if line := p.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, i, text)); len(line) < size {
						b.Fatal("the result was not passed on")
					}
				}
			})
		}
	}
}
