// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/validate"
)

// TestTaskOverStdio has a dry run outlast its request. The server never hears of the task.
func TestTaskOverStdio(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	gate, err := toolvet.New(toolvet.WithTimeout(patience), toolvet.WithMoreChecks(&check.Check{
		Name: "slow", Doc: "# slow\n\nA test.\n", Stage: check.Semantic, Level: check.SemanticLevel,
		Run: func(ctx context.Context, pass *check.Pass) error {
			if pass.Call.Validation {
				return nil
			}
			select {
			case <-goOn:
			case <-ctx.Done():
			}
			return ctx.Err()
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }, Validation: validate.Config{TaskAfter: time.Millisecond}}})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	ask := func(id int, method, params string) {
		s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`, id, method, params, meta))
	}
	hear := func() (m struct {
		ID     int
		Result struct {
			ResultType, TaskID, Status string
			Capabilities               json.RawMessage
			Result                     json.RawMessage
		}
		Error *struct{ Code int }
	}) {
		if err := json.Unmarshal([]byte(s.next("client", s.fromProxy)), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	ask(1, "server/discover", `"x":1`)
	s.play("S< x")
	s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`)
	if caps := string(hear().Result.Capabilities); !strings.Contains(caps, `"io.modelcontextprotocol/tasks":{}`) || strings.Count(caps, `"async":true`) != 2 {
		t.Errorf("announced: %s", caps)
	}
	ask(2, "tools/call", `"name":"validate","arguments":{"tool":"read","arguments":{"path":"a"}}`)
	var listing struct{ ID string }
	if err := json.Unmarshal([]byte(s.next("server", s.server.got)), &listing); err != nil {
		t.Fatal(err)
	}
	s.play(fmt.Sprintf(`S> {"jsonrpc":"2.0","id":%q,"result":{"resultType":"complete","tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`, listing.ID))
	created := hear()
	if created.ID != 2 || created.Result.ResultType != "task" || created.Result.Status != "working" {
		t.Fatalf("got %+v", created)
	}
	task := fmt.Sprintf(`"taskId":%q`, created.Result.TaskID)
	ask(3, "tasks/get", task)
	if m := hear(); m.ID != 3 || m.Result.Status != "working" || m.Result.ResultType != "complete" {
		t.Errorf("got %+v", m)
	}
	s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{%s}}`, task))
	if m := hear(); m.Error == nil || m.Error.Code != -32021 {
		t.Errorf("without the capability: %+v", m)
	}
	close(goOn)
	for id, status := 5, ""; status != "completed"; id++ {
		ask(id, "tasks/get", task)
		m := hear()
		if status = m.Result.Status; m.Error != nil || status != "working" && !strings.Contains(string(m.Result.Result), `"valid":true`) {
			t.Fatalf("got %+v", m)
		}
	}
	s.client.Close()
	s.wait()
	for line := range s.server.got {
		t.Errorf("the server hears of it: %s", line)
	}
}

// TestServersTasks holds that what a task of the server comes to is held to the options and the
// output schema of the tool that was called, in both forms of tasks.
func TestServersTasks(t *testing.T) {
	t.Parallel()
	gate := gateBy(t, "servers: {s: {tools: {leak: {output: {secrets: {action: withhold}}}, show: {output: {secrets: {action: report}}}}}}\n")
	const (
		schema = `"inputSchema":{"type":"object"}`
		strict = `"outputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`
	)
	for form, f := range map[string]struct{ created, method, done string }{
		"2025-11-25": {`{"task":{"taskId":"%s","status":"working"}}`, "tasks/result", `%s`},
		"SEP-2663":   {`{"resultType":"task","taskId":"%s","status":"working"}`, "tasks/get", `{"resultType":"complete","taskId":"x","status":"completed","result":%s}`},
	} {
		s := newStage(t, Config{Config: relay.Config{Gate: gate, Server: "s"}})
		s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		s.play("S<")
		s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"leak",` + schema + `},{"name":"show",` + schema + `},{"name":"plain",` + schema + `},{"name":"typed",` + schema + `,` + strict + `}]}}`)
		s.play("C<")
		for tool, tt := range map[string]struct{ result, want string }{
			"leak":  {`{"content":[{"type":"text","text":"` + token + `"}]}`, "withheld"},
			"show":  {`{"content":[{"type":"text","text":"` + token + `"}]}`, token},
			"plain": {`{"content":[{"type":"text","text":"` + token + `"}]}`, "[redacted:github-pat]"},
			"typed": {`{"content":[],"structuredContent":{"n":"7"}}`, "/structuredContent/n"},
			"other": {`{"content":[],"structuredContent":{"n":"7"}}`, `"n":"7"`}, // which nobody has called
		} {
			if tool != "other" {
				s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool))
				s.play("S<")
				s.play(`S> {"jsonrpc":"2.0","id":2,"result":` + fmt.Sprintf(f.created, "t-"+tool) + `}`)
				s.play("C<")
			}
			s.play(fmt.Sprintf(`C> {"jsonrpc":"2.0","id":3,"method":%q,"params":{"taskId":"t-%s"}}`, f.method, tool))
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":3,"result":` + fmt.Sprintf(f.done, tt.result) + `}`)
			if got := s.play("C<"); !strings.Contains(got, tt.want) {
				t.Errorf("%s, %s: got %s, want %s", form, tool, got, tt.want)
			}
		}
	}
}
