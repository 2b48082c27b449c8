// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/serving"
)

// asks is a tool that asks its client while it works, under an id of its own.
func asks(method string) func(*conn, message) {
	return func(c *conn, m message) {
		reply := c.ask(`"q\u0031"`, method, `{"message":"how many?","vendor":1.0}`)
		if reply.Error != nil {
			c.answer(m, fmt.Sprintf(`{"content":[],"refused":%s}`, reply.Error))
			return
		}
		c.answer(m, fmt.Sprintf(`{"content":[],"heard":%s}`, reply.Result))
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	s := lists(map[string]string{"tools/list": tools("x")}, asks("elicitation/create"))
	g := open(t, map[string]*fake{"s": s})
	able := legacy(t, g, "ann", `{"elicitation":{"form":{}}}`)
	id := able.begin("tools/call", `{"name":"s__x"}`)
	question, raw := able.wait("the question", func(m message) bool { return m.Method == "elicitation/create" })
	if !strings.Contains(raw, `"vendor":1.0`) || strings.Contains(string(question.ID), "q1") {
		t.Errorf("the question: %s", raw)
	}
	able.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"n":1.0}}}`, question.ID))
	if m, _ := able.answerTo(id); !strings.Contains(string(m.Result), `"heard":{"action":"accept","content":{"n":1.0}}`) {
		t.Errorf("the call: %s", m.Result)
	}
	if got := string(s.last.offered); !strings.Contains(got, `"elicitation":{"form":{}}`) {
		t.Errorf("the server was told that its client can do %s", got)
	}

	// A client that did not offer it is not asked; it has a connection of its own.
	unable := legacy(t, g, "ann", `{}`)
	if got := calls(unable, "s__x"); !strings.Contains(got, `"code":-32601`) {
		t.Errorf("a client that cannot: %s", got)
	}
	if s.dialed != 2 {
		t.Errorf("%d connections, want 2", s.dialed)
	}

	// Two clients at once: nobody can tell which of them is asked.
	other := legacy(t, g, "ann", `{"elicitation":{"form":{}}}`)
	s.on("tools/call", func(c *conn, m message) {
		if m.param("arguments", "n") == "7" {
			hangs(c, m)
		}
		asks("elicitation/create")(c, m)
	})
	other.begin("tools/call", `{"name":"s__x","arguments":{"n":7}}`)
	eventually(t, "the other call is there", func() bool { return len(s.got("tools/call")) == 3 })
	if got := calls(able, "s__x"); !strings.Contains(got, "several clients share this server") {
		t.Errorf("while two clients work with the server: %s", got)
	}

	// Of one session's two calls it is certain whose the question is.
	other.stop()
	<-other.ended
	able.begin("tools/call", `{"name":"s__x","arguments":{"n":7}}`)
	eventually(t, "the session's other call is there", func() bool { return len(s.got("tools/call")) == 5 })
	asked := len(able.got())
	id = able.begin("tools/call", `{"name":"s__x"}`)
	question, _ = able.wait("the question", func(m message) bool {
		return m.Method == "elicitation/create" && slices.IndexFunc(able.lines, func(o message) bool { return string(o.ID) == string(m.ID) && o.Method != "" }) >= asked
	})
	able.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-7,"message":"busy"}}`, question.ID))
	if m, _ := able.answerTo(id); !strings.Contains(string(m.Result), `"refused":{"code":-7,"message":"busy"}`) {
		t.Errorf("a question that is refused: %s", m.Result)
	}
}

func TestProgressAndCancellation(t *testing.T) {
	t.Parallel()
	s := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		c.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":0.50,"vendor":1.0}}`, m.param("_meta", "progressToken"))
		if m.param("arguments", "n") == "2" {
			hangs(c, m)
			return
		}
		c.answer(m, `{"content":[]}`)
	})
	g := open(t, map[string]*fake{"s": s})
	c := legacy(t, g, "ann", `{}`)
	id := c.begin("tools/call", `{"name":"s__x","arguments":{"n":1},"_meta":{"progressToken":"t\u00f6ken"}}`)
	c.answerTo(id)
	m, raw := c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" })
	if m.param("progressToken") != "töken" || !strings.Contains(raw, `"t\u00f6ken"`) || !strings.Contains(raw, `"vendor":1.0`) {
		t.Errorf("progress: %s", raw)
	}
	at := func(is func(message) bool) int { return slices.IndexFunc(c.got(), is) }
	if at(func(m message) bool { return m.Method == "notifications/progress" }) > at(func(m message) bool { return string(m.ID) == id && m.Method == "" }) {
		t.Error("progress came after the answer")
	}
	id = c.begin("tools/call", `{"name":"s__x","arguments":{"n":2}}`)
	eventually(t, "the server works", func() bool { return len(s.got("tools/call")) == 2 })
	if again := c.begin("ping", `{}`); again == id {
		t.Fatal("ids")
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)) // in use
	c.wait("the refusal of an id in use", func(m message) bool { return string(m.ID) == id && m.Error != nil })
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
	eventually(t, "the server is told of the cancellation", func() bool { return len(s.got("notifications/cancelled")) == 1 })
}

func TestLogMessages(t *testing.T) {
	t.Parallel()
	s := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		c.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"logger":"l","data":{"v":1.0}}}`, m.param("_meta", "level"))
		c.answer(m, `{"content":[]}`)
	})
	s.answers["logging/setLevel"] = says(`{}`)
	g := open(t, map[string]*fake{"s": s})
	one, other := legacy(t, g, "ann", `{}`), legacy(t, g, "ann", `{}`)
	for _, c := range []*client{one, other} {
		c.result("tools/list", `{}`)
	}
	one.result("logging/setLevel", `{"level":"error"}`)
	other.result("logging/setLevel", `{"level":"debug"}`)
	eventually(t, "the server is told the lowest level", func() bool {
		told := s.got("logging/setLevel")
		return slices.ContainsFunc(told, func(m message) bool { return m.param("level") == "debug" })
	})
	for _, level := range []string{"debug", "critical"} {
		one.result("tools/call", fmt.Sprintf(`{"name":"s__x","_meta":{"level":%q}}`, level))
	}
	m := one.notified("notifications/message")
	if m.param("level") != "critical" || m.param("logger") != "s/l" || m.param("data") != `{"v":1.0}` {
		t.Errorf("the first message of who wants errors: %s", m.Params)
	}
	if m := other.notified("notifications/message"); m.param("level") != "debug" {
		t.Errorf("the first message of who wants all: %s", m.Params)
	}
	if m := one.request("logging/setLevel", `{"level":"loud"}`); !strings.Contains(string(m.Error), "-32602") {
		t.Errorf("a level that there is not: %s", m.Error)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	server := func() *fake {
		s := lists(map[string]string{
			"resources/list": `{"uri":"same:1"},{"uri":"only:%s"}`, "resources/templates/list": `{"uriTemplate":"made:///{name}{?q}"}`, "prompts/list": `{"name":"p"}`, "tools/list": tools("x"),
		}, says(`{"content":[{"type":"resource_link","uri":"same:1","name":"n"},{"type":"resource","resource":{"uri":"made:///1","text":"t","v":1.0}},{"type":"text","text":"\"uri\""}]}`))
		s.answers["resources/read"] = func(c *conn, m message) {
			c.answer(m, fmt.Sprintf(`{"contents":[{"uri":%q,"text":"t","v":1.0}]}`, m.param("uri")))
		}
		s.answers["resources/subscribe"], s.answers["resources/unsubscribe"] = says(`{}`), says(`{}`)
		s.answers["prompts/get"] = says(`{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"same:1","text":"t"}}},{"role":"user","content":{"type":"text","text":"x"}}]}`)
		s.answers["completion/complete"] = func(c *conn, m message) {
			c.answer(m, fmt.Sprintf(`{"completion":{"values":[%q]}}`, m.param("ref", "name")+m.param("ref", "uri")))
		}
		return s
	}
	a, b := server(), server()
	a.answers["resources/list"], b.answers["resources/list"] = says(`{"resources":[{"uri":"same:1"},{"uri":"only:a"}]}`), says(`{"resources":[{"uri":"same:1"},{"uri":"only:b"}]}`)
	g := open(t, map[string]*fake{"a": a, "b": b})
	c := legacy(t, g, "ann", `{}`)
	for _, test := range []struct {
		uri  string
		of   *fake
		want string
	}{
		{"same:1", a, `"uri":"same:1"`}, {"only:b", b, `"uri":"only:b"`}, {"toolvet://b/same:1", b, `"uri":"toolvet://b/same:1"`},
		{"made:///x?q=1", a, `"uri":"made:///x?q=1"`}, {"toolvet://b/made:///x", b, `"uri":"toolvet://b/made:///x"`}, {"toolvet://b/new:1", b, `"uri":"toolvet://b/new:1"`},
	} {
		before := len(test.of.got("resources/read"))
		got := c.result("resources/read", fmt.Sprintf(`{"uri":%q}`, test.uri))
		if !strings.Contains(got, test.want) || !strings.Contains(got, `"v":1.0`) || len(test.of.got("resources/read")) != before+1 {
			t.Errorf("reading %s: %s", test.uri, got)
		}
	}
	if m := c.request("resources/read", `{"uri":"new:1"}`); !strings.Contains(string(m.Error), `"code":-32002`) || !strings.Contains(string(m.Error), "toolvet://SERVER/URI") {
		t.Errorf("a resource that nobody has: %s", m.Error)
	}

	// What a server calls its own is told so that the client finds it there.
	got := calls(c, "b__x")
	if !strings.Contains(got, `"uri":"toolvet://b/same:1"`) || !strings.Contains(got, `{"uri":"toolvet://b/made:///1","text":"t","v":1.0}`) || !strings.Contains(got, `"text":"\"uri\""`) {
		t.Errorf("links of the second server: %s", got)
	}
	if got := calls(c, "a__x"); strings.Contains(got, "toolvet://") {
		t.Errorf("links of the first server: %s", got)
	}
	if got := c.result("prompts/get", `{"name":"b__p"}`); !strings.Contains(got, `"uri":"toolvet://b/same:1"`) {
		t.Errorf("a prompt of the second server: %s", got)
	}
	for ref, want := range map[string]string{
		`{"type":"ref/prompt","name":"b__p"}`:                            `["p"]`,
		`{"type":"ref/resource","uri":"made:///{name}{?q}"}`:             `["made:///{name}{?q}"]`,
		`{"type":"ref/resource","uri":"toolvet://b/made:///{name}{?q}"}`: `["made:///{name}{?q}"]`,
	} {
		if got := c.result("completion/complete", fmt.Sprintf(`{"ref":%s,"argument":{"name":"n","value":""}}`, ref)); !strings.Contains(got, want) {
			t.Errorf("completion of %s: %s", ref, got)
		}
	}
	if n := len(b.got("completion/complete")); n != 2 {
		t.Errorf("the second server was asked for %d completions, want 2", n)
	}

	// Subscriptions go where the resource is, once, and end with the last who wants them.
	other := legacy(t, g, "ann", `{}`)
	for _, c := range []*client{c, other} {
		c.result("resources/subscribe", `{"uri":"toolvet://b/same:1"}`)
	}
	b.last.line(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"same:1/part","v":1.0}}`)
	a.last.line(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"same:1"}}`)
	for _, c := range []*client{c, other} {
		if m := c.notified("notifications/resources/updated"); m.param("uri") != "toolvet://b/same:1/part" || m.param("v") != "1.0" {
			t.Errorf("told of %s", m.Params)
		}
	}
	b.kill()
	eventually(t, "the server is connected again", func() bool { return c.request("resources/read", `{"uri":"only:b"}`).Result != nil })
	eventually(t, "the new connection has the subscription", func() bool { return len(b.got("resources/subscribe")) == 2 })
	c.result("resources/unsubscribe", `{"uri":"toolvet://b/same:1"}`)
	if n := len(b.got("resources/unsubscribe")); n != 0 {
		t.Errorf("the server was told %d times that nobody listens, and one does", n)
	}
	other.in.Close()
	<-other.ended
	eventually(t, "the server is told that nobody listens", func() bool { return len(b.got("resources/unsubscribe")) == 1 })
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`

func TestModern(t *testing.T) {
	t.Parallel()
	old := lists(map[string]string{"tools/list": tools("x"), "resources/list": `{"uri":"r:1"}`}, echo)
	old.answers["resources/read"] = says(`{"contents":[]}`)
	old.answers["resources/subscribe"], old.answers["resources/unsubscribe"] = says(`{}`), says(`{}`)
	young := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		if m.param("requestState") == "" {
			c.answer(m, `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"s1"}`)
			return
		}
		c.answer(m, fmt.Sprintf(`{"resultType":"complete","content":[],"got":%s}`, m.Params))
	})
	young.modern = true
	g := open(t, map[string]*fake{"old": old, "young": young})
	c := connect(t, g, "ann")
	got := c.result("server/discover", `{`+modern+`}`)
	for _, want := range []string{`"resultType":"complete"`, `"2026-07-28"`, `"toolValidation":{"supported":true`, `"io.github.toolvet/tool-validation":{`, `"subscribe":true`, `"cacheScope":"private"`, `"io.modelcontextprotocol/serverInfo"`} {
		if !strings.Contains(got, want) {
			t.Errorf("server/discover: %s lacks %s", got, want)
		}
	}
	got = c.result("tools/list", `{`+modern+`}`)
	if !strings.Contains(got, `"resultType":"complete","ttlMs":60000,"cacheScope":"private"`) {
		t.Errorf("tools/list: %s", got)
	}
	if got := c.result("tools/call", `{"name":"old__x",`+modern+`}`); !strings.Contains(got, `"resultType":"complete"`) || strings.Contains(got, "2026-07-28") {
		t.Errorf("a call of a server of 2025-11-25: %s", got)
	}
	if got := c.result("resources/read", `{"uri":"r:1",`+modern+`}`); !strings.Contains(got, `"ttlMs":0`) {
		t.Errorf("resources/read: %s", got)
	}
	if got := c.result("tools/call", `{"name":"young__x",`+modern+`}`); !strings.Contains(got, `"input_required"`) {
		t.Errorf("a call that needs input: %s", got)
	}
	offers := strings.Replace(modern, `Capabilities":{}`, `Capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{},"x.y/z":{"v":1.0}}}`, 1)
	if got := c.result("tools/call", `{"name":"old__x",`+offers+`}`); strings.Contains(got, "/tasks") || !strings.Contains(got, `"extensions":{"x.y/z":{"v":1.0}}`) {
		t.Errorf("a client that offers to take tasks: %s", got)
	}
	if got := c.result("tools/call", `{"name":"young__x","requestState":"s1","inputResponses":{"k":{"v":1.0}},`+modern+`}`); !strings.Contains(got, `"inputResponses":{"k":{"v":1.0}}`) {
		t.Errorf("its retry: %s", got)
	}
	if m := c.request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}`); !strings.Contains(string(m.Error), `"code":-32022`) || !strings.Contains(string(m.Error), `"2026-07-28"`) {
		t.Errorf("a revision that is not spoken: %s", m.Error)
	}

	id := c.begin("subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["r:1","toolvet://young/x"]},`+modern+`}`)
	ack := c.notified("notifications/subscriptions/acknowledged")
	if diff := cmp.Diff(`{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}`, ack.param("notifications")); diff != "" && !strings.Contains(ack.param("notifications"), `"r:1"`) {
		t.Errorf("acknowledged (-want +got):\n%s", diff)
	}
	old.last.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	old.last.line(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	old.last.line(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r:1"}}`)
	for _, method := range []string{"notifications/tools/list_changed", "notifications/resources/updated"} {
		if m := c.notified(method); m.param("_meta", "io.modelcontextprotocol/subscriptionId") != id {
			t.Errorf("%s: %s", method, m.Params)
		}
	}
	c.in.Close()
	if m, _ := c.answerTo(id); !strings.Contains(string(m.Result), `"io.modelcontextprotocol/subscriptionId":`+id) {
		t.Errorf("the end of the subscription: %s", m.Result)
	}
	for _, m := range c.got() {
		if m.Method == "notifications/prompts/list_changed" {
			t.Error("the client was told what it did not ask for")
		}
	}

	legacyClient := legacy(t, g, "ann", `{"elicitation":{}}`)
	if got := calls(legacyClient, "young__x"); !strings.Contains(got, "asks for input in the way of 2026-07-28") {
		t.Errorf("a client of 2025-11-25 at a server that needs input: %s", got)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	a, b, b2, d := lists(map[string]string{"tools/list": tools("x")}, echo), lists(map[string]string{"tools/list": tools("y")}, echo),
		lists(map[string]string{"tools/list": tools("y2")}, echo), lists(map[string]string{"tools/list": tools("z")}, echo)
	release := make(chan struct{})
	b.answers["tools/call"] = func(c *conn, m message) { <-release; echo(c, m) }
	g := open(t, map[string]*fake{"a": a, "b": b})
	c := legacy(t, g, "ann", `{}`)
	c.result("tools/list", `{}`)
	under := c.begin("tools/call", `{"name":"b__y"}`)
	eventually(t, "the call is under way", func() bool { return len(b.got("tools/call")) == 1 })
	next := listOf(t, map[string]*fake{"a": a, "b": b2, "d": d})
	next[1].Version = "2"
	if err := g.Update(next); err != nil {
		t.Fatal(err)
	}
	c.notified("notifications/tools/list_changed")
	if diff := cmp.Diff([]string{"a__x", "b__y2", "d__z", "validate", "validate_batch"}, names(t, c.result("tools/list", `{}`), "tools", "name")); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	close(release)
	if m, _ := c.answerTo(under); !strings.Contains(string(m.Result), `"got"`) {
		t.Errorf("a call that was under way: %s %s", m.Result, m.Error)
	}
	eventually(t, "the old connection is closed", func() bool {
		select {
		case <-b.last.done:
			return true
		default:
			return false
		}
	})
	if a.dialed != 1 || d.dialed != 1 {
		t.Errorf("a server that stays was connected to %d times, a new one %d times", a.dialed, d.dialed)
	}
	if err := g.Update(next[:1]); err != nil {
		t.Fatal(err)
	}
	if got := calls(c, "b__y2"); !strings.Contains(got, `there is no tool called`) {
		t.Errorf("a call of a server that is none any more: %s", got)
	}
	if err := g.Update(append(next, next[0])); err == nil {
		t.Error("two servers of one name are taken")
	}

	// Only the gate is another: the session is judged by it at once.
	worst := check.Error
	strict := gate(t, toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"unknown-argument": {Severity: &worst}}})))
	const odd = `{"name":"a__x","arguments":{"odd":1}}`
	if got := c.result("tools/call", odd); !strings.Contains(got, `"got"`) {
		t.Errorf("before: %s", got)
	}
	next[0].Gate = func() *toolvet.Gate { return strict }
	if err := g.Update(next[:1]); err != nil {
		t.Fatal(err)
	}
	if got := c.result("tools/call", odd); strings.Contains(got, `"got"`) || a.dialed != 1 {
		t.Errorf("%s; %d connections", got, a.dialed)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) { <-release; echo(c, m) })
	g := open(t, map[string]*fake{"s": s})
	c := legacy(t, g, "ann", `{}`)
	listening := connect(t, g, "ann")
	listening.begin("subscriptions/listen", `{"notifications":{"toolsListChanged":true},`+modern+`}`)
	listening.notified("notifications/subscriptions/acknowledged")
	id := c.begin("tools/call", `{"name":"s__x"}`)
	eventually(t, "the call is under way", func() bool { return len(s.got("tools/call")) == 1 })
	drained := make(chan struct{})
	go func() { defer close(drained); g.Drain(context.Background()) }()
	eventually(t, "the gateway drains", serving.Of(g).Draining)
	if m := c.request("tools/list", `{}`); !strings.Contains(string(m.Error), "shutting down") {
		t.Errorf("a request while the gateway drains: %s%s", m.Result, m.Error)
	}
	select {
	case <-drained:
		t.Error("drained while a call was under way")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	if m, _ := c.answerTo(id); m.Result == nil {
		t.Errorf("the call: %s", m.Error)
	}
	select {
	case <-drained:
	case <-time.After(patience):
		t.Error("not drained, though nothing is under way")
	}
}

// TestAtTheEnd holds that requests of a session that ends are answered.
func TestAtTheEnd(t *testing.T) {
	t.Parallel()
	s := lists(map[string]string{"tools/list": tools("x")}, hangs)
	g := open(t, map[string]*fake{"s": s})
	c := legacy(t, g, "ann", `{}`)
	id := c.begin("tools/call", `{"name":"s__x"}`)
	eventually(t, "the call is under way", func() bool { return len(s.got("tools/call")) == 1 })
	c.stop()
	if m, _ := c.answerTo(id); !strings.Contains(string(m.Result)+string(m.Error), "the session ends") {
		t.Errorf("a call when the session ends: %s%s", m.Result, m.Error)
	}
}

func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	g := open(t, map[string]*fake{"s": lists(map[string]string{"tools/list": tools("x")}, echo)}, func(cfg *gateway.Config) { cfg.Limits.Bytes = 10_000 })
	for line, want := range map[string]string{
		`{`:  `"code":-32700`,
		`[]`: `the batch is empty`,
		`{"jsonrpc":"2.0","id":"a","id":"b","method":"ping"}`:                      `"code":-32600`,
		`{"jsonrpc":"2.0","id":"l","x":"` + strings.Repeat("x", 10_000) + `"}`:     `"id":"l","error":{"code":-32600,"message":"the message is larger`,
		`{"jsonrpc":"2.0","id":1,"method":"x/y"}`:                                  `"code":-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`:                 `"code":-32602`,
		`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`:                               `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`:      `"code":-32602`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"nope"}}`: `there is no prompt called`,
	} {
		c := connect(t, g, "ann")
		c.send(line)
		if _, raw := c.wait("an answer", func(message) bool { return true }); !strings.Contains(raw, want) {
			t.Errorf("%.60s: %s, want %s", line, raw, want)
		}
	}
}

// Clients that can do the same share connections, whatever words they find for it: each
// connection is a process.
func TestOffers(t *testing.T) {
	t.Parallel()
	f := lists(map[string]string{"tools/list": tools("add")}, echo)
	g := open(t, map[string]*fake{"a": f})
	for _, capabilities := range []string{
		`{"elicitation":{"form":{}}}`, `{"elicitation":{"form":{"x":1}}}`, `{"elicitation":{"y":{},"form": {},"url":7}}`,
	} {
		legacy(t, g, "", capabilities).result("tools/list", "{}")
	}
	legacy(t, g, "", `{"elicitation":{"url":{},"form":{}},"sampling":{"tools":{},"z":{}}}`).result("tools/list", "{}")
	f.mu.Lock()
	defer f.mu.Unlock()
	if want := `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}}`; f.dialed != 2 || string(f.last.offered) != want {
		t.Errorf("%d connections, the last one of a client with %s; want 2 and %s", f.dialed, f.last.offered, want)
	}
}

// TestReplacedMeanwhile holds that a request goes to the new server whose server is replaced while
// it waits for its list.
func TestReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*client) message{
		"a call":   func(c *client) message { return c.request("tools/call", `{"name":"a__x","arguments":{"n":1}}`) },
		"a prompt": func(c *client) message { return c.request("prompts/get", `{"name":"a__p"}`) },
		"a dry run": func(c *client) message {
			return c.request("tools/call", `{"name":"validate","arguments":{"tool":"a__x","arguments":{"n":1}}}`)
		},
	} {
		server := func() *fake {
			f := lists(map[string]string{"tools/list": tools("x"), "prompts/list": `{"name":"p"}`}, says(`{"content":[],"ran":true}`))
			f.answers["prompts/get"] = says(`{"messages":[],"ran":true}`)
			return f
		}
		release, asked := make(chan struct{}), make(chan bool, 10)
		old := server()
		for _, list := range []string{"tools/list", "prompts/list"} {
			answer := old.answers[list]
			old.answers[list] = func(c *conn, m message) {
				asked <- true
				<-release
				answer(c, m)
			}
		}
		g := open(t, map[string]*fake{"a": old}, func(c *gateway.Config) { c.SetPatience(time.Second) })
		c := legacy(t, g, "ann", `{}`)
		<-asked
		answer := make(chan message, 1)
		go func() { answer <- ask(c) }()
		next := listOf(t, map[string]*fake{"a": server()})
		next[0].Version = "2"
		time.AfterFunc(100*time.Millisecond, func() { close(release) }) // at best after the request has begun to wait
		if err := g.Update(next); err != nil {
			t.Fatal(err)
		}
		if m := <-answer; !strings.Contains(string(m.Result), `"ran":true`) && !strings.Contains(string(m.Result), `"valid":true`) {
			t.Errorf("%s: %s %s", name, m.Result, m.Error)
		}
	}
}
