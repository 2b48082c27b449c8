// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// slowGate is a gate whose dry runs wait for goOn.
func slowGate(t *testing.T, goOn <-chan struct{}) func() *toolvet.Gate {
	gate := newGate(t, toolvet.WithTimeout(patience), toolvet.WithMoreChecks(&check.Check{
		Name: "slow", Doc: "# slow\n\nA test.\n", Stage: check.Policy, Level: check.SemanticLevel,
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
	return func() *toolvet.Gate { return gate }
}

const (
	legacyMeta = `{"progressToken":"p"}`
	modernMeta = `{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	tasksMeta  = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
)

func dryRun(meta string) string {
	return `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"validate","arguments":{"tool":"read","arguments":{"path":"a"}},"_meta":` + meta + `}}`
}

// TestProgress holds that progress of a dry run comes while it still goes on, in both eras, and
// the answer on the same stream.
func TestProgress(t *testing.T) {
	t.Parallel()
	for era, tt := range map[string]struct {
		meta   string
		header []string
	}{
		"2025-11-25": {legacyMeta, nil},
		"2026-07-28": {modernMeta, modernHeaders(mcpheader.Name, "validate")},
	} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			goOn := make(chan struct{})
			url := serve(t, newFake(t, simple).URL, Config{Config: relay.Config{Gate: slowGate(t, goOn)}}, httpguard.Guard{})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(dryRun(tt.meta)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", jsonType)
			req.Header.Set("Accept", jsonType+", "+streamType)
			for i := 0; i < len(tt.header); i += 2 {
				req.Header.Set(tt.header[i], tt.header[i+1])
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != streamType {
				t.Fatalf("%d %v", resp.StatusCode, resp.Header)
			}
			events := sse.NewReader(resp.Body, 1<<20)
			first, err := events.Next()
			if err != nil || !strings.Contains(string(first.Data), `"method":"notifications/progress"`) || !strings.Contains(string(first.Data), `"progressToken":"p"`) {
				t.Fatalf("%s, %v", first.Data, err)
			}
			close(goOn)
			last := first
			for err == nil {
				var next sse.Event
				if next, err = events.Next(); err == nil {
					last = next
				}
			}
			if err != io.EOF || !strings.Contains(string(last.Data), `"id":5,`) || !strings.Contains(string(last.Data), `"valid":true`) {
				t.Errorf("the last event is %s, %v", last.Data, err)
			}
		})
	}
}

// TestNoProgress holds that who asks for no progress, or cannot be told of it, is answered in
// JSON alone.
func TestNoProgress(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	close(goOn)
	url := serve(t, newFake(t, simple).URL, Config{Config: relay.Config{Gate: slowGate(t, goOn)}}, httpguard.Guard{})
	for name, tt := range map[string]struct {
		body, accept string
	}{
		"no token":  {dryRun(`{}`), jsonType + ", " + streamType},
		"no stream": {dryRun(legacyMeta), jsonType},
		"a batch":   {"[" + dryRun(legacyMeta) + "]", jsonType + ", " + streamType},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", jsonType)
		req.Header.Set("Accept", tt.accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.Header.Get("Content-Type") != jsonType || !json.Valid(body) || !strings.Contains(string(body), `"valid":true`) {
			t.Errorf("%s: %v %s, %v", name, resp.Header, body, err)
		}
	}
}

// TestClientLeavesDuringProgress holds that a dry run ends whose client has gone.
func TestClientLeavesDuringProgress(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{}, 1)
	gate := newGate(t, toolvet.WithTimeout(patience), toolvet.WithMoreChecks(&check.Check{
		Name: "slow", Doc: "# slow\n\nA test.\n", Stage: check.Policy, Level: check.SemanticLevel,
		Run: func(ctx context.Context, pass *check.Pass) error {
			if !pass.Call.Validation {
				<-ctx.Done()
				ended <- struct{}{}
			}
			return ctx.Err()
		},
	}))
	url := serve(t, newFake(t, simple).URL, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}}, httpguard.Guard{})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(dryRun(legacyMeta)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Accept", jsonType+", "+streamType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the dry run goes on")
	}
}

// TestTasks has a dry run outlast its request. The server never hears of the task, and tasks of
// its own are its own.
func TestTasks(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"server/discover"`) {
			w.Header().Set("Content-Type", jsonType)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`)
			return
		}
		simple(w, r, body)
	})
	url := serve(t, server.URL, Config{Config: relay.Config{Gate: slowGate(t, goOn), Validation: validate.Config{TaskAfter: time.Millisecond}}}, httpguard.Guard{})
	headers := func(method, name string) []string {
		return modernHeaders(mcpheader.Method, method, mcpheader.Name, name)
	}
	_, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":`+tasksMeta+`}}`, headers("server/discover", "")...)
	if !strings.Contains(body, `"io.modelcontextprotocol/tasks":{}`) || strings.Count(body, `"async":true`) != 2 || strings.Count(body, `"streaming":true`) != 2 {
		t.Errorf("announced: %s", body)
	}
	_, body = post(t, url, dryRun(tasksMeta), headers("tools/call", "validate")...)
	if !strings.Contains(body, `"resultType":"task"`) {
		t.Fatalf("no task: %s", body)
	}
	id := strings.Trim(member0(body, "taskId"), `"`)
	get := func(meta string) string {
		_, got := post(t, url, `{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"`+id+`","_meta":`+meta+`}}`, headers("tasks/get", "")...)
		return got
	}
	if got := get(tasksMeta); !strings.Contains(got, `"status":"working"`) {
		t.Errorf("tasks/get: %s", got)
	}
	if got := get(modernMeta); !strings.Contains(got, `-32021`) {
		t.Errorf("tasks/get without the capability: %s", got)
	}
	close(goOn)
	eventually(t, "the result", func() bool { return strings.Contains(get(tasksMeta), `"status":"completed"`) })
	if got := get(tasksMeta); !strings.Contains(got, `"valid":true`) {
		t.Errorf("tasks/get: %s", got)
	}
	before := len(server.asked())
	post(t, url, `{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"of the server","_meta":`+tasksMeta+`}}`, headers("tasks/get", "")...)
	if len(server.asked()) != before+1 {
		t.Error("the server is not asked for a task of its own")
	}
	for _, a := range server.asked() {
		if strings.Contains(a.body, id) {
			t.Errorf("the server hears of the task: %s", a.body)
		}
	}
}

// TestTasksOfManyVersions holds that a task is found again after its caller has claimed to speak
// more versions than are kept apart.
func TestTasksOfManyVersions(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	defer close(goOn)
	url := serve(t, newFake(t, simple).URL, Config{Config: relay.Config{Gate: slowGate(t, goOn), Validation: validate.Config{TaskAfter: time.Millisecond}}}, httpguard.Guard{})
	_, body := post(t, url, dryRun(tasksMeta), modernHeaders(mcpheader.Name, "validate")...)
	id := strings.Trim(member0(body, "taskId"), `"`)
	ask := func(version string) string {
		meta := strings.Replace(tasksMeta, "2026-07-28", version, 1)
		_, got := post(t, url, `{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"`+id+`","_meta":`+meta+`}}`,
			modernHeaders(mcpheader.Version, version, mcpheader.Method, "tasks/get", mcpheader.Name, "")...)
		return got
	}
	for _, year := range "123456789" {
		ask("203" + string(year) + "-01-01")
	}
	if got := ask("2026-07-28"); !strings.Contains(got, `"status":"working"`) {
		t.Errorf("tasks/get: %s", got)
	}
}
