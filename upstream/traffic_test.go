// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/upstream"
)

// A notebook collects texts.
type notebook struct {
	mu    sync.Mutex
	lines []string
}

func (n *notebook) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}

// Progress reaches the call that it is of, before its result, and nobody else.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
			token := m.Params.Meta["progressToken"]
			if token == nil {
				s.answer(m, `{}`)
				return
			}
			time.Sleep(time.Second)
			for n := range 3 {
				s.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%s}}`, token, n, m.Params.Arguments)
			}
			s.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody's","progress":1}}`)
			s.answer(m, `{}`)
			s.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":9}}`, token)
		}})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		var calls sync.WaitGroup
		for i := range 10 {
			calls.Go(func() {
				var got []string
				_, err := s.Call(t.Context(), "a:read", json.RawMessage(fmt.Sprintf(`{"path":"%d"}`, i)),
					upstream.WithParams(json.RawMessage(`{"_meta":{"progressToken":"mine","kept":1}}`)),
					upstream.WithProgress(func(params json.RawMessage) { got = append(got, string(params)) }))
				if err != nil || len(got) != 3 || !strings.Contains(got[2], fmt.Sprintf(`"progress":2,"message":{"path":"%d"}`, i)) {
					t.Errorf("call %d: %v, %v", i, got, err)
				}
			})
		}
		calls.Wait()
		if _, err := s.Call(t.Context(), "a:read", goodArguments, upstream.WithParams(json.RawMessage(`{"_meta":{"progressToken":"mine"}}`))); err != nil {
			t.Errorf("a call that wants no progress: %v", err)
		}
	})
}

// asking is a server that asks for input while it works on a call.
func asking(delay time.Duration) *memory {
	return newMemory(map[string]func(*session, message){
		"tools/call": func(s *session, m message) {
			time.Sleep(delay)
			s.line(`{"jsonrpc":"2.0","id":"q%s","method":"elicitation/create","params":{"message":"really?"}}`, m.ID)
			s.answer(m, `{}`)
		},
	})
}

// What a server asks while it works on the only request reaches who made that; otherwise it
// reaches the handler of the connection.
func TestRequestsOfServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := &notebook{}
		handler := func(who string) upstream.Handler {
			return upstream.Handler{Request: func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
				asked.add("%s %s %s", who, method, params)
				return json.RawMessage(`{"action":"accept"}`), nil
			}}
		}
		m := asking(time.Second)
		s, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "a", Dialer: m, Handler: handler("connection")}}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		call := func(who string) {
			if _, err := s.Call(t.Context(), "a:read", goodArguments, upstream.WithHandler(handler(who))); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		call("ann")
		if got := asked.all(); len(got) != 1 || got[0] != `ann elicitation/create {"message":"really?"}` {
			t.Errorf("one call: %q", got)
		}
		var calls sync.WaitGroup
		calls.Go(func() { call("ann") })
		calls.Go(func() { time.Sleep(time.Millisecond); call("bob") })
		calls.Wait()
		if got := asked.all(); len(got) != 3 || !strings.HasPrefix(got[1], "connection ") {
			t.Errorf("two calls at once: %q", got)
		}
	})
}

// replies is a server that asks as soon as it is connected, and notes what it is answered.
func replies(ask string, into *notebook) *memory {
	m := newMemory(nil)
	m.born = func(s *session) { s.line("%s", ask) }
	m.answers[""] = func(_ *session, m message) { into.add("%s %s %s", m.ID, m.Result, m.Error) }
	return m
}

func TestReplies(t *testing.T) {
	t.Parallel()
	const sampling = `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}`
	for name, tt := range map[string]struct {
		ask     string
		handler func(context.Context, string, json.RawMessage) (json.RawMessage, error)
		want    string
	}{
		"ping":       {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, `1 {} `},
		"no handler": {sampling, nil, `"s"  {"code":-32601,"message":"toolvet does not offer this method"}`},
		"an answer": {sampling, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage("{\"x\":\n1}"), nil
		}, `"s" {"x":1} `},
		"an error": {sampling, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("no\nway")
		}, `"s"  {"code":-32603,"message":"no\nway"}`},
		"with a code": {sampling, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return nil, &upstream.RefusedError{Code: -1, Message: "user rejected"}
		}, `"s"  {"code":-1,"message":"user rejected"}`},
		"no JSON": {sampling, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage("{"), nil
		}, `"s"  {"code":-32603,"message":"the answer is no JSON"}`},
		"cancelled": {sampling + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
			func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}, `2 {} `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := &notebook{}
				s, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "a", Dialer: replies(tt.ask, got), Handler: upstream.Handler{Request: tt.handler}}}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close(t.Context())
				if err := s.Connect(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if all := got.all(); len(all) != 1 || all[0] != tt.want {
					t.Errorf("the server is answered %q, want %q", all, tt.want)
				}
			})
		})
	}
}

// TestRequestsDenied holds that a rule about a method of servers keeps its requests from every handler,
// and that a client's answer is judged before the server gets it.
func TestRequestsDenied(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ask, want string
		answer    string
		asked     int
	}{
		"denied": {ask: `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}`, want: "refused before it reached the client"},
		"an answer with two readings": {
			ask: `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{}}`, answer: `{"action":"decline","action":"accept"}`,
			want: "the client's answer is withheld", asked: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := policy.Parse("toolvet.yaml", []byte("version: 1\nservers: {a: {}}\nrules: [{name: nobody, effect: deny, requests: 'a:sampling/*'}]\n"))
			if err != nil {
				t.Fatal(err)
			}
			options, err := (&access.Enforcer{Server: "a"}).Options(p)
			if err != nil {
				t.Fatal(err)
			}
			gate := newGate(t, append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
			synctest.Test(t, func(t *testing.T) {
				got, asked := &notebook{}, 0
				s, err := upstream.NewSet(upstream.Config{Gate: func(string) *toolvet.Gate { return gate }, Servers: []upstream.Server{{Name: "a", Dialer: replies(tt.ask, got),
					Handler: upstream.Handler{Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
						asked++
						return json.RawMessage(tt.answer), nil
					}}}}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close(t.Context())
				if err := s.Connect(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if all := got.all(); len(all) != 1 || !strings.Contains(all[0], tt.want) {
					t.Errorf("the server is answered %q, want %q in it", all, tt.want)
				}
				if asked != tt.asked {
					t.Errorf("the client is asked %d times, want %d", asked, tt.asked)
				}
			})
		})
	}
}

// A server that asks without end is answered by so many handlers at a time and no more, and
// the end of the connection ends them.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, working := &notebook{}, &notebook{}
		m := replies("", got)
		m.born = func(s *session) {
			for i := range 100 {
				s.line(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage"}`, i)
			}
		}
		s, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "a", Dialer: m, Handler: upstream.Handler{
			Request: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				working.add("one")
				<-ctx.Done()
				return nil, ctx.Err()
			}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Connect(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(working.all()) != 64 || len(got.all()) != 36 {
			t.Errorf("%d are worked on, %d are refused", len(working.all()), len(got.all()))
		}
		s.Close(t.Context()) // synctest finds goroutines that are left
	})
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(nil)
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		got, other := &notebook{}, &notebook{}
		stop := s.Subscribe(func(n upstream.Notification) { got.add("%s %s %s", n.Server, n.Method, n.Params) })
		s.Subscribe(func(n upstream.Notification) { other.add("%s", n.Method) })
		if err := s.Connect(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"tools/list_changed", "resources/updated", "message"} {
			m.session().line(`{"jsonrpc":"2.0","method":"notifications/%s","params":{"x":1}}`, method)
		}
		synctest.Wait()
		stop()
		m.session().line(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
		synctest.Wait()
		want := []string{`a notifications/tools/list_changed {"x":1}`, `a notifications/resources/updated {"x":1}`, `a notifications/message {"x":1}`}
		if !slices.Equal(got.all(), want) || len(other.all()) != 4 {
			t.Errorf("got %q and %q", got.all(), other.all())
		}
	})
}

// Since 2026-07-28 each request says which version it speaks and for whom, changed lists are
// subscribed to, and a call that wants input is made again by its caller.
func TestModern(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		metas := &notebook{}
		listens := make(chan message, 1)
		m := newMemory(map[string]func(*session, message){
			"tools/call": func(s *session, m message) {
				metas.add("%s %s %s", m.Params.Meta["io.modelcontextprotocol/protocolVersion"], m.Params.Meta["io.modelcontextprotocol/clientInfo"], m.Params.State)
				s.answer(m, `{"resultType":"input_required","requestState":"s1"}`)
			},
			"subscriptions/listen": func(_ *session, m message) { listens <- m },
		})
		m.version, m.announce = "2026-07-28", `{"tools":{"listChanged":true},"prompts":{},"resources":{"listChanged":false}}`
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		o, err := s.Call(t.Context(), "a:read", goodArguments)
		if err != nil || string(o.Raw) != `{"resultType":"input_required","requestState":"s1"}` {
			t.Fatalf("the first call: %+v, %v", o, err)
		}
		_, err = s.Call(t.Context(), "a:read", goodArguments, upstream.WithParams(json.RawMessage(
			`{"requestState":"s1","inputResponses":{},"name":"other","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"},"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}`)))
		if err != nil {
			t.Fatalf("the call with input: %v", err)
		}
		got := metas.all()
		if len(got) != 2 || !hasAll(got[0], `"2026-07-28" {"name":"toolvet"`) || got[1] != `"2026-07-28" {"name":"c"} "s1"` {
			t.Errorf("the server is told %q", got)
		}
		if listen := <-listens; string(listen.Params.Notifications) != `{"toolsListChanged":true}` {
			t.Errorf("subscribed to %s", listen.Params.Notifications)
		}
		m.session().line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}`)
		synctest.Wait()
		if _, err := s.Tools(t.Context(), "a"); err != nil || m.count("tools/list") != 2 {
			t.Errorf("after the list has changed: %v, asked %d times", err, m.count("tools/list"))
		}
	})
}

// Servers that lie: answers with ids of others, twice, of nobody; lines that are none.
func TestLies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
			s.line("not JSON at all")
			s.line(`{"jsonrpc":"2.0","id":"%s.0","result":{"content":[{"type":"text","text":"of a text id"}]}}`, m.ID)
			s.line(`{"jsonrpc":"2.0","id":999999,"result":{}}`)
			s.line(`{"jsonrpc":"2.0","id":null,"result":{}}`)
			s.line(`{"jsonrpc":"2.0","id":-1,"error":{"code":1,"message":"x"}}`)
			s.answer(m, `{"content":[],"n":1}`)
			s.answer(m, `{"content":[],"n":2}`)
		}})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		for range 3 {
			if o, err := s.Call(t.Context(), "a:read", goodArguments); err != nil || string(o.Raw) != `{"content":[],"n":1}` {
				t.Errorf("got %+v, %v", o, err)
			}
		}
	})
}

// TestTextIDs holds that "1" answers 1, as it does for the SDKs.
func TestTextIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
			s.line(`{"jsonrpc":"2.0","id":"%s","result":{"content":[],"n":1}}`, m.ID)
			s.line(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"n":2}}`, m.ID)
		}})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		for range 2 {
			if o, err := s.Call(t.Context(), "a:read", goodArguments); err != nil || string(o.Raw) != `{"content":[],"n":1}` {
				t.Errorf("got %+v, %v", o, err)
			}
		}
	})
}

// A call that is cancelled is told to the server, and its late answer harms nobody.
func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
			time.Sleep(time.Minute)
			s.answer(m, `{"late":%s}`, m.ID)
		}})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, "a:read", goodArguments); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := m.session().cancels.Load(); n != 1 {
			t.Errorf("the server was told %d times", n)
		}
		o, err := s.Call(t.Context(), "a:read", goodArguments)
		if err != nil || string(o.Raw) == "" {
			t.Errorf("the next call: %+v, %v", o, err)
		}
	})
}

// What a server says beside its answers is looked at like these.
func TestNotificationsAreReviewed(t *testing.T) {
	t.Parallel()
	const secret = "ghp_" + "x7Jq2LmN9pRs4TvWy8ZaB3cDe5FgH1iKo6Mn"
	m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, m message) {
		s.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"token %s"}}`, secret)
		s.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":"token %s"}}`, m.Params.Meta["progressToken"], secret)
		s.answer(m, `{}`)
	}})
	gate := newGate(t)
	s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }}, map[string]upstream.Dialer{"a": m})
	var told, progress notebook
	s.Subscribe(func(n upstream.Notification) { told.add("%s", n.Params) })
	_, err := s.Call(t.Context(), "a:read", goodArguments, upstream.WithProgress(func(params json.RawMessage) { progress.add("%s", params) }))
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]string{told.all(), progress.all()} {
		if len(got) != 1 || strings.Contains(got[0], secret) || !strings.Contains(got[0], "token [redacted:github-pat]") {
			t.Errorf("got %q", got)
		}
	}
}
