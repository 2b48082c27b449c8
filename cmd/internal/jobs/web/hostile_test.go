// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// evil is a text that tries to take over a page.
const evil = `</title></script></textarea></pre><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>" autofocus onfocus="document.title='owned'" x='`

// unseen are characters that are invisible or reorder others.
const unseen = "a\u202eb\u2066c\u200bd\u00ade\u2028f\U000e0041g\ufe01h\u3164i\x1bj\u0085k"

// hostile makes a job and a run with such texts in all places.
func (f *fixture) hostile() *schedule.Run {
	f.t.Helper()
	arguments, err := json.Marshal(map[string]string{evil: evil + unseen})
	if err != nil {
		f.t.Fatal(err)
	}
	verdict := &schedule.Verdict{At: now, On: "ahead", Method: evil, Errors: []string{evil, unseen}, Warnings: []string{evil}, Suggestions: []string{evil}, ToolDigest: evil, PolicyDigest: evil}
	j := f.create(schedule.Spec{Name: "placeholder", Arguments: arguments, Tags: []string{"a b&c=d#" + evil[:30], strings.Repeat("x", 64)}}, func(j *schedule.Job) {
		j.Description = evil + unseen + strings.Repeat("W", 3000)
		j.Name, j.Tool, j.Words, j.Schedule = evil+unseen, "files:"+evil, evil, evil
		j.Owner.Subject, j.Verdict, j.Health = evil, verdict, sick(schedule.Warned, evil+unseen)
		j.Overlap, j.CatchUp = evil, evil
	})
	result, err := json.Marshal(map[string]any{
		"content": []map[string]any{{"type": "text", "text": evil + unseen + "\n" + strings.Repeat("long", 500)}, {"type": evil, "mimeType": unseen, "data": "AAAA"},
			{"type": "resource", "resource": map[string]string{"uri": "javascript:alert(1)", "text": evil}}},
		evil: unseen,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.run(j, schedule.Run{Fire: now.Add(-time.Hour), Started: now.Add(-time.Hour), Ended: now.Add(-59 * time.Minute), State: schedule.RunFailed, Worker: evil,
		RunInfo: schedule.RunInfo{Reason: evil + unseen, Verdict: verdict, Result: result}})
}

// TestHostile: all words of others appear as text, and all characters are visible.
func TestHostile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	run := f.hostile()
	for _, path := range []string{"", "?q=placeholder&tag=" + "%22%3E%3Cscript%3E", "calendar?zone=%3Cscript%3E", "jobs/" + run.Job, "runs/" + run.ID} {
		p := f.get("/schedule/" + path)
		for _, never := range []string{"<img src=x", "<script", "onerror=\"", "onfocus=\"", "href=\"javascript:", "\u202e", "\u2066", "\u200b", "\u2028", "\U000e0041", "\x1b", "\u0085"} {
			if strings.Contains(p.body, never) {
				t.Errorf("%q: %q is in the page", path, never)
			}
		}
		if p.status != 200 {
			t.Errorf("%q: status %d", path, p.status)
		}
	}
	f.wants(f.get("/schedule/jobs/"+run.Job), 200, "U+202E", "U+2066", "U+200B", "U+00AD", "U+E0041", "U+FE01", "U+3164", "U+001B", "U+0085", "onerror=\"document.title='owned'\"")
	f.wants(f.get("/schedule/runs/"+run.ID), 200, "U+202E", "javascript:alert(1)")
}
