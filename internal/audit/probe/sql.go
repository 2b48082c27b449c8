// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/service"
)

// statements are what a session has sent to databases.
type statements struct {
	mu   sync.Mutex
	list []service.Statement
	size int
}

// maxStated bounds the memory for statements, in bytes.
const maxStated = 16 << 20

func (s *statements) add(one service.Statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += len(one.Text) + 64; s.size <= maxStated {
		s.list = append(s.list, one)
	}
}

// since returns the statements from the n-th on.
func (s *statements) since(n int) []service.Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[min(n, len(s.list)):len(s.list):len(s.list)]
}

// breaks are ways out of the place of a value in a statement: MARK stands for a word that must not become one of the
// statement's own. The first one is for no quotes at all.
var breaks = []string{" MARK", "' MARK", `" MARK`, "` MARK", `\' MARK`}

// sql tries whether the text of a parameter becomes part of a statement for a database: a word behind a quotation mark, or
// behind a blank, is then one of the statement's own. Nothing is tried of a server that has asked no database.
func (a *auditor) sql(ctx context.Context, t *tool, p parameter) {
	if a.session == nil || len(a.session.stated.since(0)) == 0 {
		return
	}
	name := a.world.name()
	said, failed := a.stated(ctx, t, p, name)
	if failed != "" || !holds(said, name) {
		return
	}
	for i, way := range breaks {
		mark := a.world.name()
		value := name + strings.Replace(way, "MARK", mark, 1)
		said, failed := a.stated(ctx, t, p, value)
		for _, s := range said {
			if !strings.Contains(s.Outside(), mark) {
				continue
			}
			why := "the text becomes part of a statement for a database"
			if strings.HasPrefix(strings.TrimSpace(s.Text), name) {
				why = "the text is a whole statement for a database: the tool's purpose is to run them"
			}
			a.fact(audit.Fact{Cell: cell(t, p, audit.Command), Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "sql", Why: why,
				Proof: &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, value}))), Seen: "a statement for " + string(s.Dialect) + " in which a random word of the text is outside of any literal", Probes: i + 1}})
			return
		}
		if failed != "" {
			return
		}
	}
}

// stated makes a call, and returns the statements that it led to.
func (a *auditor) stated(ctx context.Context, t *tool, p parameter, value string) (list []service.Statement, failed string) {
	session, before := a.session, len(a.session.stated.since(0))
	r := a.call(ctx, t, t.sample(a.world, setting{p, value}))
	switch a.session {
	case nil: // the server cannot be started any more
		return nil, r.failed
	case session:
	default: // the call began it
		before = 0
	}
	return a.session.stated.since(before), r.failed
}

// holds reports whether a statement has a text.
func holds(list []service.Statement, text string) bool {
	for _, s := range list {
		if strings.Contains(s.Text, text) {
			return true
		}
	}
	return false
}
