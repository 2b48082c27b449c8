// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import "fmt"

// asks is a play of requests other than tools/call, each a method and its params. They run as often
// as runs says.
func asks(name, method string, runs int, holds, kinds string, params ...string) play {
	p := play{name: name, holds: holds, kinds: kinds, not: map[string]string{"schedule": "jobs are calls"}}
	for i, text := range params {
		p.messages = append(p.messages, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i+1, method, text))
	}
	for i := range runs {
		if i > 0 {
			p.ran += " "
		}
		p.ran += method
	}
	return p
}

// requestPlays are requests other than tools/call.
func requestPlays() []play {
	const no = "call:no-go"
	unrouted := "no server has the resource or prompt, so the gateway answers itself"
	return []play{
		asks("a resource", "resources/read", 1, "redacted", "call:go result:go", `{"uri":"file:///srv/data/a.txt"}`).
			differing("mcpgate", "the SDK adds how long the result may be kept"),
		asks("a resource elsewhere", "resources/read", 0, "/uri", no, `{"uri":"file:///etc/passwd"}`),
		asks("a resource that climbs", "resources/read", 0, "/uri", no, `{"uri":"file:///srv/data/%2e%2e/x"}`),
		asks("a resource of another machine", "resources/read", 0, "/uri", no, `{"uri":"file://elsewhere/srv/data/a.txt"}`),
		asks("a resource without its URI", "resources/read", 0, "uri", no, `{}`).without("gateway", unrouted).without("mcpgate", sdkReads),
		asks("a resource whose URI is a number", "resources/read", 0, "/uri", no, `{"uri":7}`).without("gateway", unrouted).without("mcpgate", sdkReads),
		asks("a resource with a variant of its key", "resources/read", 0, "-32602", no, `{"uri":"file:///srv/data/a.txt","Uri":"file:///etc/passwd"}`).without("mcpgate", sdkReads),
		asks("a resource with a key given twice", "resources/read", 0, "-32602", no, `{"uri":"file:///srv/data/a.txt","uri":"file:///etc/passwd"}`).
			without("mcpgate", sdkReads).without("upstream", "its params are those of a function").without("gateway", unrouted),
		asks("a prompt", "prompts/get", 1, "hello", "call:go result:go", `{"name":"§greet","arguments":{"path":"a.md"}}`),
		asks("a prompt with a substitution", "prompts/get", 0, "/arguments/branch", no, `{"name":"§greet","arguments":{"branch":"$(id)"}}`),
		asks("a prompt that climbs", "prompts/get", 0, "/arguments/path", no, `{"name":"§greet","arguments":{"path":"a\u0000b"}}`),
		asks("prompts up to a limit", "prompts/get", 2, "too many calls", "call:go result:go call:go result:go "+no,
			`{"name":"§greet","arguments":{"path":"a.md"}}`, `{"name":"§greet","arguments":{"path":"b.md"}}`, `{"name":"§greet","arguments":{"path":"c.md"}}`),
		asks("a completion", "completion/complete", 1, "a.md", "call:go result:go", `{"ref":{"type":"ref/prompt","name":"§greet"},"argument":{"name":"path","value":"a"}}`),
		asks("a completion that a rule refuses", "completion/complete", 0, "not-complete", no, `{"ref":{"type":"ref/prompt","name":"§greet"},"argument":{"name":"path","value":"no.md"}}`),
		asks("a completion of an evil value", "completion/complete", 0, "/argument/value", no, `{"ref":{"type":"ref/prompt","name":"§greet"},"argument":{"name":"branch","value":"$(id)"}}`),
		asks("an unknown method", "vendor/exec", 0, "no rule allows the request", no, `{"cmd":"rm -rf /"}`).
			without("gateway", "it offers no methods of its servers' own").without("mcpgate", "the SDK refuses it first"),
		asks("a method that no rule allows", "resources/subscribe", 0, "no rule allows the request", no, `{"uri":"file:///srv/data/a.txt"}`).
			without("mcpgate", "the SDK's server offers no subscriptions"),
		inputs("a value that the server asked for", `{"path":"a.md"}`, "loose", "call:go result:go"),
		inputs("an evil value that the server asked for", `{"branch":"$(id)"}`, "", no),
		{name: "an evil member of _meta", messages: []string{`{"name":"§loose","arguments":{},"_meta":{"example.org/branch":"$(id)"}}`}, holds: "/_meta/example.org~1branch", kinds: no,
			not: map[string]string{"schedule": "a job has no _meta", "upstream": "its params are those of a function"}},
	}
}

// inputs is a play of a call with a value that the server asked for in a round before.
func inputs(name, content, ran, kinds string) play {
	p := play{name: name, ran: ran, kinds: kinds, holds: "/inputResponses/a/content/branch",
		messages: []string{`{"name":"§loose","arguments":{},"inputResponses":{"a":{"action":"accept","content":` + content + `}},"requestState":"x"}`},
		not:      map[string]string{"schedule": "a job has no rounds", "upstream": "its params are those of a function"}}
	if ran != "" {
		p.holds = "content"
	}
	return p
}
