// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	_ "embed"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// NewCheck makes the check "rule", which refuses what the set does not allow. Why a rule
// could not be evaluated goes to the log, and may quote an argument there; nil discards it.
func NewCheck(set *Set, log *slog.Logger) *check.Check {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &check.Check{
		Name:    "rule",
		Doc:     doc,
		Stage:   check.Policy,
		Level:   check.SecurityLevel,
		Bounded: true, // by the cost limit, and by the context
		Run:     func(ctx context.Context, pass *check.Pass) error { return run(ctx, pass, set, log) },
	}
}

func run(ctx context.Context, pass *check.Pass, set *Set, log *slog.Logger) error {
	c := pass.Call
	if c.Tool == nil || c.Tool.Fault != nil {
		pass.Skipf("nothing is known of the tool that rules could be checked against")
		return nil
	}
	d := set.ForTool(c.Server, c.Tool).Evaluate(ctx, Input{
		Session: c.Session, Server: c.Server, Tool: c.Name, Args: c.Arguments, Now: time.Now(),
	})
	for _, r := range d.Reasons {
		if r.Err != nil {
			log.Error("rule could not be evaluated", "rule", r.Rule, "server", c.Server, "tool", c.Name, "err", r.Err)
		}
		f := check.Finding{Rule: r.Rule, Message: r.Message, Suggestion: r.Suggestion}
		if r.Observed {
			f.Severity = check.Warning
		}
		pass.Report(f)
	}
	return nil
}
