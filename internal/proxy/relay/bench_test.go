// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
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

// BenchmarkCall measures what becomes of one small call and of its result, without the pipes.
func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	for _, c := range []struct{ name, policy string }{
		{"default", ""},
		{"policy", fmt.Sprintf(`servers: {echo: {tools: {echo: {arguments: {message: {text: {max_length: 20}, command: {max_length: 20, exists: false}, path: {within: [%q]}}}}}}}
rules: [{name: echoes, effect: allow, tools: "echo:echo", when: 'size(args.message) > 0'}]
limits: [{name: many, tools: "echo:*", rate: 10000/s, burst: 1000000, concurrency: 1000}]
`, dir)},
	} {
		b.Run(c.name, func(b *testing.B) {
			gate := limited(b, c.policy)
			server, err := NewServer(Config{Server: "echo", Gate: func() *toolvet.Gate { return gate }, PrivatePrefix: "p-"})
			if err != nil {
				b.Fatal(err)
			}
			p := server.NewClient(call.Session{}).NewExchange(b.Context(), sink{})
			p.FromClient(b.Context(), []byte(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`))
			p.FromServer([]byte(`{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}]}}`))
			b.ReportAllocs()
			for i := 1; b.Loop(); i++ {
				p.FromClient(b.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"aaaaaaaaaaaaaaaaaaaa"}}}`, i))
				if p.Client().Waiting() != 1 {
					b.Fatal("the call was not forwarded")
				}
				p.FromServer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"aaaaaaaaaaaaaaaaaaaa"}]}}`, i))
			}
		})
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
