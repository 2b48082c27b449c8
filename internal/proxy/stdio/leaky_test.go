// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// leaks are places in which a leaky server hides a secret: TOKEN stands for it as it is, and
// BASE64 and its like for it in a code. A request has the id 2.
var leaks = []struct{ name, request, answer string }{
	{"text", "", `{"content":[{"type":"text","text":"it is TOKEN."}]}`},
	{"escaped text", "", `{"content":[{"type":"text","text":"it is ESCAPED."}]}`},
	{"adjacent texts", "", `{"content":[{"type":"text","text":"it is HALF1"},{"type":"text","text":"HALF2 and so on"}]}`},
	{"text of an error", "", `{"isError":true,"content":[{"type":"text","text":"login with TOKEN failed"}]}`},
	{"structured content", "", `{"content":[],"structuredContent":{"deep":[[{"er":"TOKEN"}]]}}`},
	{"name of a property", "", `{"content":[],"structuredContent":{"TOKEN":true}}`},
	{"JSON in a text", "", `{"content":[{"type":"text","text":"{\"token\":\"TOKEN\"}"}]}`},
	{"embedded text", "", `{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"TOKEN"}}]}`},
	{"embedded blob", "", `{"content":[{"type":"resource","resource":{"uri":"file:///a","blob":"BASE64"}}]}`},
	{"link", "", `{"content":[{"type":"resource_link","name":"x","uri":"https://example.org/?t=TOKEN"}]}`},
	{"percent-encoded link", "", `{"content":[{"type":"resource_link","name":"x","uri":"https://example.org/?t=PERCENT"}]}`},
	{"base64 in a text", "", `{"content":[{"type":"text","text":"decode BASE64 please"}]}`},
	{"base64 in a path", "", `{"content":[{"type":"text","text":"https://example.org/a/BASE64/b"}]}`},
	{"hexadecimal", "", `{"content":[{"type":"text","text":"HEX"}]}`},
	{"_meta", "", `{"content":[],"_meta":{"example.org/x":"TOKEN"}}`},
	{"_meta of a block", "", `{"content":[{"type":"text","text":"a","_meta":{"x":"TOKEN"}}]}`},
	{"annotations", "", `{"content":[{"type":"text","text":"a","annotations":{"lastModified":"TOKEN"}}]}`},
	{"a future type", "", `{"content":[{"type":"hologram","rays":["TOKEN"]}]}`},
	{"a future field", "", `{"content":[],"future":{"x":"TOKEN"}}`},
	{"a task", "tasks/get", `{"resultType":"complete","taskId":"1","result":{"content":[{"type":"text","text":"TOKEN"}]}}`},
	{"a resource", "resources/read", `{"contents":[{"uri":"file:///a","text":"TOKEN"},{"uri":"file:///b","blob":"BASE64"}]}`},
	{"a list of resources", "resources/list", `{"resources":[{"uri":"file:///TOKEN","name":"x"}]}`},
	{"a prompt", "prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"TOKEN"}}]}`},
	{"messages of a prompt", "prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"it is HALF1"}},{"role":"assistant","content":{"type":"text","text":"HALF2"}}]}`},
	{"a completion", "completion/complete", `{"completion":{"values":["TOKEN"]}}`},
	{"a tool's description", "tools/list", `{"tools":[{"name":"read","description":"use TOKEN","inputSchema":{"type":"object"}}]}`},
	{"a tool's schema", "tools/list", `{"tools":[{"name":"read","inputSchema":{"type":"object","properties":{"x":{"default":"TOKEN"}}}}]}`},
	{"instructions", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":"TOKEN"}`},
}

// asked are the params of requests that need some.
var asked = map[string]string{
	"tasks/get":           `"taskId":"1"`,
	"resources/read":      `"uri":"note://a"`,
	"prompts/get":         `"name":"a"`,
	"completion/complete": `"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":"b"}`,
}

// others are messages that no request of the client asked for.
var others = map[string]string{
	"an error's message":    `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"TOKEN is wrong"}}`,
	"an error's data":       `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no","data":{"x":["TOKEN"]}}}`,
	"a log":                 `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"TOKEN"}}`,
	"progress":              `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"TOKEN"}}`,
	"an updated resource":   `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///TOKEN"}}`,
	"elicitation":           `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"send TOKEN","requestedSchema":{"type":"object","properties":{}}}}`,
	"sampling":              `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"TOKEN"}}],"maxTokens":1}}`,
	"beside a result":       `{"jsonrpc":"2.0","id":2,"result":{"content":[]},"also":"TOKEN"}`,
	"a result and an error": `{"jsonrpc":"2.0","id":2,"result":{"content":[]},"error":{"code":1,"message":"TOKEN"}}`,
}

// TestLeakyServer holds that a secret reaches the client from none of many places, and that
// large numbers and what is not known stay, byte for byte, beside what is taken out.
func TestLeakyServer(t *testing.T) {
	t.Parallel()
	for _, l := range leaks {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s := leaky(t)
			switch l.request {
			case "":
				s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
			default:
				s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":2,"method":%q,"params":{%s}}`, l.request, asked[l.request]))
			}
			s.play("S<")
			const beside = `"n":12345678901234567890,"future\u0020field":1e400,"f": 1.0`
			answer := strings.TrimSuffix(hide(l.answer), "}") + "," + beside + "}"
			s.play(`S> {"jsonrpc":"2.0","id":2,"result":` + answer + `}`)
			got := s.play("C<")
			noLeak(t, got)
			if !strings.Contains(got, beside) {
				t.Errorf("what stands beside the secret has changed: %s", got)
			}
		})
	}
	for name, line := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := leaky(t)
			s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
			s.play("S<")
			s.play("S> " + hide(line))
			noLeak(t, s.play("C<"))
		})
	}
}

func leaky(t *testing.T) *stage {
	s := newStage(t, Config{})
	s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.play("S<")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	s.play("C<")
	return s
}

// hide puts the token, as the places have it, into a message.
func hide(message string) string {
	percent := ""
	for _, c := range []byte(token) {
		percent += fmt.Sprintf("%%%02x", c)
	}
	return strings.NewReplacer(
		"TOKEN", token, "ESCAPED", fmt.Sprintf(`\u%04x%s`, token[0], token[1:]), "HALF1", token[:15], "HALF2", token[15:],
		"BASE64", base64.StdEncoding.EncodeToString([]byte("the token is "+token)), "PERCENT", percent, "HEX", hex.EncodeToString([]byte("token "+token)),
	).Replace(message)
}

// noLeak looks for the second half of the token: whoever has that and the first has it all.
func noLeak(t *testing.T, got string) {
	t.Helper()
	for _, leak := range []string{token, token[15:], base64.StdEncoding.EncodeToString([]byte(token[2:])), hex.EncodeToString([]byte(token[15:])), "%75%33%45"} {
		if strings.Contains(got, leak) {
			t.Errorf("the client reads the secret: %s", got)
		}
	}
}
