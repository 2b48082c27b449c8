// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/kit"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/upstream"
)

// TestClient holds that package upstream conforms as a client.
func TestClient(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	run := &kit.Run{Dialer: goClient{}, Timeout: 30 * time.Second}
	results, err := run.PlayClient(t.Context(), played(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Status != kit.Passed {
			t.Errorf("%s: %s\n%s", r.Scenario.Name, r.Scenario.Text, r.Why)
		}
	}
	if len(results) < 30 {
		t.Errorf("only %d scenarios were played", len(results))
	}
}

// played returns the servers that the kit plays, as processes of this test.
func played(t *testing.T) func(*kit.Scenario) ([]string, func() ([]any, error), error) {
	program, dir := self(t), t.TempDir()
	var mu sync.Mutex
	n := 0
	return func(s *kit.Scenario) ([]string, func() ([]any, error), error) {
		mu.Lock()
		defer mu.Unlock()
		n++
		record := filepath.Join(dir, fmt.Sprint(s.Name, "-", n))
		return []string{program, "conformance", "serve", "--scenario", s.Name, "--record", record}, func() ([]any, error) { return kit.Recorded(record) }, nil
	}
}

// goClient is a client on package upstream, in the process. It does the tasks that it reads.
type goClient struct{}

func (goClient) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	in, toClient := io.Pipe()
	fromClient, out := io.Pipe()
	p := &pipes{in: toClient, out: fromClient, done: make(chan struct{}), cancel: func() {}}
	go func() {
		defer close(p.done)
		e, lines := json.NewEncoder(out), bufio.NewScanner(in)
		for lines.Scan() {
			var task kit.Task
			reply := kit.Reply{Log: []string{}}
			if err := json.Unmarshal(lines.Bytes(), &task); err != nil {
				reply.Error = err.Error()
			} else if reply.Result, err = perform(task, &reply.Log); err != nil {
				reply.Error = err.Error()
			}
			reply.ID = task.ID
			if e.Encode(reply) != nil {
				return
			}
		}
		_ = out.Close()
	}()
	return p, nil
}

// perform does a task with a server of its own.
func perform(task kit.Task, log *[]string) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	set, err := upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{{Name: "s", Dialer: upstream.Command{Args: append([]string{task.Server.Command}, task.Server.Args...)}}},
		Logger:  slog.New(slog.NewTextHandler(&logLines{log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		return nil, err
	}
	defer set.Close(ctx)
	switch {
	case task.HasCapability != "":
		return servers.Of(set).HasCapability(ctx, "s", "experimental."+task.HasCapability)
	case task.Batch != nil:
		all := map[string]any{"valid": true, "results": []any{}}
		calls, _ := task.Batch["calls"].([]any)
		for _, c := range calls {
			v, err := judged(ctx, set, c.(map[string]any))
			if err != nil {
				return nil, err
			}
			if !v["valid"].(bool) {
				all["valid"] = false
			}
			all["results"] = append(all["results"].([]any), any(v))
		}
		return all, nil
	}
	return judged(ctx, set, task.Validate)
}

func judged(ctx context.Context, set *upstream.Set, ask map[string]any) (map[string]any, error) {
	asked, has := ask["arguments"]
	if !has {
		asked = map[string]any{} // none
	}
	arguments, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	name, _ := ask["tool"].(string)
	v, err := set.Validate(ctx, "s:"+name, arguments)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text, &out)
}

type logLines struct{ list *[]string }

func (l *logLines) Write(line []byte) (int, error) {
	*l.list = append(*l.list, strings.TrimSpace(string(line)))
	return len(line), nil
}

// A clientFlaw is what a broken client changes in a reply, or in what its server saw, and the scenario that catches it.
type clientFlaw struct {
	scenario string
	reply    func(result map[string]any)
	requests func(list []any) []any
}

// clientFlaws are the broken clients by name.
var clientFlaws = merged(map[string]clientFlaw{
	"trusts a half verdict":       {"client-native-lacks-members", func(r map[string]any) { r["method"] = "native" }, nil},
	"takes text for yes":          {"client-native-valid-is-text", func(r map[string]any) { r["method"] = "native" }, nil},
	"takes prose for a go":        {"client-native-no-json", func(r map[string]any) { r["skipped"] = []any{} }, nil},
	"says nothing of a failure":   {"client-native-error", func(r map[string]any) { r["warnings"] = []any{} }, nil},
	"hides what was skipped":      {"client-native-tool-error", func(r map[string]any) { r["skipped"] = []any{} }, nil},
	"prefers valid to errors":     {"client-native-contradicts", func(r map[string]any) { r["valid"] = true }, nil},
	"loses a malformed no":        {"client-native-no-malformed", func(r map[string]any) { r["valid"] = true }, nil},
	"trusts the server alone":     {"client-native-yes-and-schema-no", func(r map[string]any) { r["valid"] = true }, nil},
	"drops the server's reasons":  {"client-native-no", func(r map[string]any) { r["errors"] = []any{"no"} }, nil},
	"believes in missing tools":   {"client-unknown-target", func(r map[string]any) { r["valid"] = true }, nil},
	"passes everything":           {"client-schema-no", func(r map[string]any) { r["valid"] = true }, nil},
	"refuses everything":          {"client-schema-go", func(r map[string]any) { r["valid"] = false }, nil},
	"knows no native validation":  {"client-experimental-first", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"calls what it asks about":    {"client-does-not-call-the-target", nil, func(list []any) []any { return append(list, called("conformance_write")) }},
	"asks an ordinary tool":       {"client-ordinary-tool", nil, func(list []any) []any { return append(list, called("validate")) }},
	"asks a switched-off tool":    {"client-supported-is-true", nil, func(list []any) []any { return append(list, called("validate")) }},
	"asks across major versions":  {"client-unknown-major", nil, func(list []any) []any { return append(list, called("validate")) }},
	"matches keys in any case":    {"client-exact-keys", nil, func(list []any) []any { return append(list, called("validate")) }},
	"keeps verdicts without time": {"client-keeps-nothing-without-a-time", nil, func(list []any) []any { return list[:len(list)-1] }},
	"asks about another call":     {"client-same-call", nil, func(list []any) []any { return list[:len(list)-1] }},

	"knows version 1":                {"client-version-without-a-minor-number", nil, func(list []any) []any { return append(list, called("validate")) }},
	"knows version 1.0.0":            {"client-version-of-three-numbers", nil, func(list []any) []any { return append(list, called("validate")) }},
	"knows version v1.0":             {"client-version-with-a-letter", nil, func(list []any) []any { return append(list, called("validate")) }},
	"knows what begins with 1":       {"client-version-that-ends-with-a-point", nil, func(list []any) []any { return append(list, called("validate")) }},
	"knows no later minor version":   {"client-unknown-members", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"knows no extensions":            {"client-extensions-second", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"asks a bare tool":               {"client-asks-no-bare-tool", nil, func(list []any) []any { return append(list, called("judge")) }},
	"wants hints of every tool":      {"client-asks-by-the-output", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"wants an output of every tool":  {"client-asks-by-the-hint", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"wants hints of validate":        {"client-asks-a-bare-validate", func(r map[string]any) { r["method"] = "schema-only" }, nil},
	"asks a tool that changes":       {"client-asks-no-tool-that-changes", nil, func(list []any) []any { return append(list, called("validate")) }},
	"ignores a no in a text":         {"client-reads-the-text", func(r map[string]any) { r["valid"] = true }, nil},
	"reads the text first":           {"client-structure-before-the-text", func(r map[string]any) { r["valid"] = true }, nil},
	"takes the last of two keys":     {"client-native-key-twice", func(r map[string]any) { r["method"] = "native" }, nil},
	"ignores a no in an error":       {"client-native-no-in-an-error", func(r map[string]any) { r["valid"] = true }, nil},
	"ignores a no":                   {"client-native-no", func(r map[string]any) { r["valid"] = true }, nil},
	"escapes no names":               {"client-escapes-places", func(r map[string]any) { r["errors"] = []any{"/a/b~c: not allowed"} }, nil},
	"sends no arguments":             {"client-sends-arguments", nil, func(list []any) []any { return changed(list, "arguments", nil) }},
	"asks again with the same call":  {"client-asks-once", nil, func(list []any) []any { return append(list, called("validate")) }},
	"sends levels to everybody":      {"client-levels-unlisted", nil, func(list []any) []any { return changed(list, "levels", []any{"syntax"}) }},
	"judges three calls of a batch":  {"client-batch-of-many", func(r map[string]any) { r["results"].([]any)[3].(map[string]any)["valid"] = true }, nil},
	"answers three calls of a batch": {"client-batch-of-many", func(r map[string]any) { r["results"] = r["results"].([]any)[:3] }, nil},
}, laterClientFlaws)

// changed are requests of which those to the validate tool have another member; nil: none.
func changed(list []any, member string, value any) []any {
	for _, r := range list {
		params, _ := r.(map[string]any)["params"].(map[string]any)
		arguments, ok := params["arguments"].(map[string]any)
		switch {
		case params["name"] != "validate" || !ok:
		case value == nil:
			delete(arguments, member)
		default:
			arguments[member] = value
		}
	}
	return list
}

func called(tool string) any {
	return map[string]any{"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": map[string]any{}}}
}

// TestBrokenClients holds that each broken client is caught by the scenario for its flaw.
func TestBrokenClients(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	if len(clientFlaws) < 40 {
		t.Errorf("only %d broken clients", len(clientFlaws))
	}
	for name, f := range clientFlaws {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			behind := played(t)
			changed := func(s *kit.Scenario) ([]string, func() ([]any, error), error) {
				command, requests, err := behind(s)
				return command, func() ([]any, error) {
					list, err := requests()
					if f.requests != nil {
						list = f.requests(slices.Clone(list))
					}
					return list, err
				}, err
			}
			run := &kit.Run{Dialer: changedReplies{goClient{}, f.reply}, Only: []string{f.scenario}, Timeout: 30 * time.Second}
			results, err := run.PlayClient(t.Context(), changed)
			if err != nil {
				t.Fatal(err)
			}
			if len(results) != 1 || results[0].Status != kit.Failed && results[0].Status != kit.Advised {
				t.Errorf("got %+v, want a failure of %s", results, f.scenario)
			}
		})
	}
}

// changedReplies changes the results in the replies of a client.
type changedReplies struct {
	upstream.Dialer
	change func(result map[string]any)
}

func (c changedReplies) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	t, err := c.Dialer.Dial(ctx, stderr)
	if err != nil || c.change == nil {
		return t, err
	}
	fromClient, out := io.Pipe()
	go func() {
		e, lines := json.NewEncoder(out), bufio.NewScanner(t.Stdout())
		for lines.Scan() {
			var reply map[string]any
			if json.Unmarshal(lines.Bytes(), &reply) != nil {
				continue
			}
			if result, ok := reply["result"].(map[string]any); ok {
				c.change(result)
			}
			if e.Encode(reply) != nil {
				return
			}
		}
		_ = out.Close()
	}()
	return &broken{t, t.Stdin(), fromClient}, nil
}
