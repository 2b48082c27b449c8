// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/upstream"
)

// robust sends one call that is very deep, and one that is very large, to the first tool that
// may be called: a server must outlive them.
func (a *auditor) robust(ctx context.Context) {
	i := slices.IndexFunc(a.tools, func(t *tool) bool { return !t.destructive && len(t.parameters) > 0 && a.late[t.Name] == 0 })
	if i < 0 || ctx.Err() != nil || a.dead != nil {
		return
	}
	t := a.tools[i]
	var deep any = "end"
	for range 2000 {
		deep = []any{deep}
	}
	for _, probe := range []struct {
		rule, words string
		value       any
	}{{"depth", "an argument nested 2,000 deep", deep}, {"size", "an argument of 4 MB", strings.Repeat("audit ", 700_000)}} {
		arguments := t.sample(a.world, setting{t.parameters[0], probe.value})
		if r := a.call(ctx, t, arguments); r.gone {
			a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.Vulnerable, Confidence: audit.Proven, Rule: probe.rule,
				Why: probe.words + " ends the server", Proof: &audit.Proof{Arguments: `{"…": "` + probe.words + `"}`, Seen: "the server ended", Probes: 1}})
		}
	}
}

// batches are lines that JSON-RPC allows, and one version of MCP did (2025-03-26): others refuse them. A
// server must outlive them all.
var batches = []struct{ words, line string }{
	{"an empty batch", "[]"},
	{"a batch of what are no messages", `[null, 1, "audit", {}, [[]]]`},
	{"a batch of requests", "[" + pingOf("1") + "," + pingOf("2") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"audit-1"}}]`},
	{"a batch of 1,000 requests", "[" + strings.Repeat(pingOf("3")+",", 999) + pingOf("4") + "]"},
}

func pingOf(id string) string { return `{"jsonrpc":"2.0","id":"audit-` + id + `","method":"ping"}` }

// batch sends batches to a server that answers otherwise.
func (a *auditor) batch(ctx context.Context) {
	for _, b := range batches {
		if ctx.Err() != nil || !a.ready(ctx) || a.session.box == nil || !a.answers(ctx) {
			return
		}
		if _, err := a.session.box.Stdin().Write([]byte(b.line + "\n")); err == nil && a.answers(ctx) || ctx.Err() != nil {
			continue
		}
		seen := "the server answers no more"
		if a.session.gone() {
			seen = "the server ended"
		}
		a.stop()
		a.fact(audit.Fact{Cell: audit.Cell{Class: audit.Schema}, Verdict: audit.Vulnerable, Confidence: audit.Proven, Rule: "batch",
			Why: b.words + " of JSON-RPC stops the server", Proof: &audit.Proof{Arguments: b.line[:min(len(b.line), 100)], Seen: seen, Probes: len(batches)}})
		return
	}
}

// answers reports whether the server answers anything at all.
func (a *auditor) answers(ctx context.Context) bool {
	within, cancel := context.WithTimeout(ctx, a.cfg.CallTimeout)
	defer cancel()
	_, err := a.session.client.Do(within, upstream.Request{Method: "ping"})
	var refused *upstream.RefusedError
	return err == nil || errors.As(err, &refused)
}
