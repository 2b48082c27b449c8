// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/schedule"
)

// few bounds the jobs that are found by their texts first. If more jobs have a text, reading the jobs in order until
// the page is full is as fast.
const few = 2000

// searched returns the text in which searches look: all in small letters, and then the tags as they are.
func searched(j *schedule.Job) string {
	return strings.ToLower(strings.Join([]string{j.Name, j.Tool, j.Description, strings.Join(j.Tags, " ")}, "\n")) + tagsOf(j)
}

// search adds the condition that a job's name, tool, description or tags contain a text.
func (s *store) search(ctx context.Context, w *where, text string) error {
	return s.narrow(ctx, w, strings.ToLower(text))
}

// tagged adds the condition that a job has a tag.
func (s *store) tagged(ctx context.Context, w *where, tag string) error {
	tag = "\n" + tag + "\n"
	w.add(s.position+"(tags, $?) > 0", tag)
	return s.narrow(ctx, w, tag)
}

// narrow adds the condition that the searched text of a job has a text. The searched texts have a table of their own,
// because its rows are small: to read all of it takes a fifth of the time that the jobs take, and no index finds a
// text of two letters.
func (s *store) narrow(ctx context.Context, w *where, text string) error {
	ids, err := texts(s.read.QueryContext(ctx, "SELECT id FROM schedule_texts WHERE "+s.position+"(search, $1) > 0 ORDER BY id LIMIT $2", text, few+1))
	if err != nil {
		return err
	}
	if len(ids) > few {
		w.add("EXISTS (SELECT 1 FROM schedule_texts t WHERE t.id = schedule_jobs.id AND "+s.position+"(t.search, $?) > 0)", text)
		w.add("id >= $?", ids[0]) // all that have the text may be among the newest
		return nil
	}
	list, err := json.Marshal(append([]string{}, ids...)) // no null
	w.add("id IN ("+s.elements+")", string(list))
	return err
}
