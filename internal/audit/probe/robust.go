// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/upstream"
)

// robust sends a very deep call and a very large one to the first tool that may be called: a
// server must survive them.
func (a *auditor) robust(ctx context.Context) {
	i := slices.IndexFunc(a.tools, func(t *tool) bool { return !t.destructive && len(t.parameters) > 0 && a.late[t.Name] == 0 })
	if i < 0 || a.over(ctx) || a.dead != nil {
		return
	}
	t := a.tools[i]
	tell := func(kind, words, seen string) {
		a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: kind,
			Why: words + " stops the server", Proof: &audit.Proof{Arguments: `{"…": "` + words + `"}`, Seen: seen, Probes: 1}})
	}
	var deep any = "end"
	for range 2000 {
		deep = []any{deep}
	}
	params := map[string]any{"name": t.Name, "arguments": t.sample(a.world, setting{t.parameters[0], deep})}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "audit-deep", "method": "tools/call", "params": params})
	if seen := a.stopped(ctx, string(line)); err == nil && seen != "" { // our client refuses to send such depth
		tell("depth", "an argument nested 2,000 deep", seen)
	}
	large := t.sample(a.world, setting{t.parameters[0], strings.Repeat("audit ", 700_000)})
	if r := a.call(ctx, t, large); r.gone {
		tell("size", "an argument of 4 MB", ended)
	}
}

const ended = "the server ended"

// stopped sends a line to a server that otherwise answers, and describes its silence afterwards;
// "" if it still answers, or if nobody can tell.
func (a *auditor) stopped(ctx context.Context, line string) (seen string) {
	if a.over(ctx) || !a.ready(ctx) || a.session.box == nil || !a.answers(ctx) {
		return ""
	}
	if _, err := a.session.box.Stdin().Write([]byte(line + "\n")); err == nil && a.answers(ctx) || ctx.Err() != nil {
		return ""
	}
	seen = "the server answers no more"
	if a.session.gone() {
		seen = ended
	}
	a.stop()
	return seen
}

// batches returns batches with their names. They are allowed by JSON-RPC, and by one version of MCP (2025-03-26). Others refuse
// them. A server must survive them all.
func batches() [][2]string {
	return [][2]string{
		{"an empty batch", "[]"},
		{"a batch of what are no messages", `[null, 1, "audit", {}, [[]]]`},
		{"a batch of requests", "[" + pingOf("1") + "," + pingOf("2") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"audit-1"}}]`},
		{"a batch of 1,000 requests", "[" + strings.Repeat(pingOf("3")+",", 999) + pingOf("4") + "]"},
	}
}

func pingOf(id string) string { return `{"jsonrpc":"2.0","id":"audit-` + id + `","method":"ping"}` }

// batch sends batches.
func (a *auditor) batch(ctx context.Context) {
	all := batches()
	for _, b := range all {
		name, line := b[0], b[1]
		seen := a.stopped(ctx, line)
		if seen == "" {
			continue
		}
		a.fact(audit.Fact{Cell: audit.Cell{Class: audit.Schema}, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "batch",
			Why: name + " of JSON-RPC stops the server", Proof: &audit.Proof{Arguments: line[:min(len(line), 100)], Seen: seen, Probes: len(all)}})
		return
	}
}

// answers reports whether the server answers at all.
func (a *auditor) answers(ctx context.Context) bool {
	d := a.session.within(ctx, a.cfg.CallTimeout)
	defer d.stop()
	_, err := a.session.client.Do(d.ctx, upstream.Request{Method: "ping"})
	var refused *upstream.RefusedError
	return err == nil || errors.As(err, &refused)
}
