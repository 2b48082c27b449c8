// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"strings"
	"unicode/utf8"
)

// few is the number of jobs up to which those with a text are looked up in the index of trigrams. More
// are found as soon by reading the jobs in the order that is asked for, until the page is full.
const few = 200

// search adds the condition that a job has a text in its name, tool, description or tags. The index
// only narrows what is read: LIKE decides.
func (s *Store) search(ctx context.Context, w *where, text string) error {
	text = strings.ToLower(text)
	w.add(`search LIKE $? ESCAPE '\'`, "%"+like.Replace(text)+"%")
	if !s.trigrams || utf8.RuneCountInString(text) < 3 {
		return nil // it has no trigrams
	}
	phrase := `"` + strings.ReplaceAll(text, `"`, `""`) + `"` // https://www.sqlite.org/fts5.html, section 3.1
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM schedule_search WHERE schedule_search MATCH $1 LIMIT $2)", phrase, few+1).Scan(&n)
	if err == nil && n <= few {
		w.add("id IN (SELECT id FROM schedule_search_ids WHERE no IN (SELECT rowid FROM schedule_search WHERE schedule_search MATCH $?))", phrase)
	}
	return err
}
