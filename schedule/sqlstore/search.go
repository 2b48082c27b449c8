// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"strings"
	"unicode/utf8"
)

// few bounds the use of the index of trigrams. If more jobs have a text, reading the jobs in order until the page is
// full is as fast.
const few = 200

// search adds the condition that a job's name, tool, description or tags contain a text. The index only narrows the
// search; LIKE decides.
func (s *store) search(ctx context.Context, w *where, text string) error {
	text = strings.ToLower(text)
	w.add(`search LIKE $? ESCAPE '\'`, "%"+like.Replace(text)+"%")
	return s.narrow(ctx, w, text)
}

// tagged adds the condition that a job has a tag.
func (s *store) tagged(ctx context.Context, w *where, tag string) error {
	w.add(s.position+"(tags, $?) > 0", "\n"+tag+"\n") // LIKE would take small letters for large ones, in SQLite
	return s.narrow(ctx, w, strings.ToLower(tag))     // the searched text has the tags
}

// narrow lets the index of trigrams choose the jobs with a text of small letters, if there are few.
func (s *store) narrow(ctx context.Context, w *where, text string) error {
	if !s.trigrams || utf8.RuneCountInString(text) < 3 {
		return nil // too short for trigrams
	}
	phrase := `"` + strings.ReplaceAll(text, `"`, `""`) + `"` // https://www.sqlite.org/fts5.html, section 3.1
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM schedule_search WHERE schedule_search MATCH $1 LIMIT $2)", phrase, few+1).Scan(&n)
	if err == nil && n <= few {
		w.add("id IN (SELECT id FROM schedule_search_ids WHERE no IN (SELECT rowid FROM schedule_search WHERE schedule_search MATCH $?))", phrase)
	}
	return err
}
