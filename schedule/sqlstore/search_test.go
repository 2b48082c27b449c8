// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/schedule"
)

// pieces are the parts of texts and needles in TestSearch: special characters and words of SQL and LIKE, and
// letters whose case and marks are easily confused.
var pieces = []string{"a", "b", "ab", "A", "%", "_", `\`, `"`, "'", "*", "(", ")", "-", " ", "OR", "AND", "NEAR", "ä", "a\u0308", "Ä", "ß", "ẞ", "İ", "i", "ı", "K", "😀", "日本語", "^", ":", "\t"}

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range 1 + r.IntN(most) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestSearch: a search finds exactly the jobs with the text while jobs come, change and go.
func TestSearch(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		r := rand.New(rand.NewPCG(1, 2))
		var jobs []*schedule.Job
		for i := range 120 {
			j := newJob(fmt.Sprintf("%d%s", i, randomText(r, 6)), now)
			j.ID = fmt.Sprintf("%03d", i)
			j.Description, j.Tags = randomText(r, 8), []string{randomText(r, 3)}
			create(t, s, j)
			jobs = append(jobs, j)
		}
		for _, j := range jobs[:40] {
			changed, err := s.UpdateJob(t.Context(), j.ID, func(j *schedule.Job) error { j.Description = randomText(r, 8); return nil })
			if err != nil {
				t.Fatal(err)
			}
			jobs[slices.Index(jobs, j)] = changed
		}
		for _, j := range jobs[20:60] {
			if err := s.DeleteJob(t.Context(), j.ID); err != nil {
				t.Fatal(err)
			}
		}
		jobs = slices.Delete(jobs, 20, 60)
		found := 0
		for range 400 {
			f := schedule.JobFilter{Search: randomText(r, 5), Limit: 1000}
			want := []string{}
			for _, j := range jobs {
				all := strings.Join([]string{j.Name, j.Tool, j.Description, strings.Join(j.Tags, " ")}, "\n")
				if strings.Contains(strings.ToLower(all), strings.ToLower(f.Search)) {
					want = append(want, j.ID)
				}
			}
			found += len(want)
			if diff := cmp.Diff(want, ids(t, s, f)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", f.Search, diff)
			}
		}
		if found == 0 {
			t.Error("nothing was ever found")
		}
	})
}

func ids(t *testing.T, s *store, f schedule.JobFilter) []string {
	t.Helper()
	list, err := s.Jobs(t.Context(), f)
	if err != nil {
		t.Fatalf("%q: %v", f.Search, err)
	}
	found := []string{}
	for _, j := range list {
		found = append(found, j.ID)
	}
	return found
}

// TestSearchOfMany checks the same where more than a few jobs have the text, also when all of them are among the last.
func TestSearchOfMany(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		j := newJob("original", now)
		j.ID = "original"
		create(t, s, j)
		const columns = "name, state, server, owner, tags, next_at, check_at, doc, health, zone"
		for _, statement := range []string{
			fmt.Sprintf(`INSERT INTO schedule_jobs (id, %[1]s) WITH RECURSIVE many(i) AS (SELECT 10001 UNION ALL SELECT i + 1 FROM many WHERE i < %[2]d)
				SELECT CAST(i AS TEXT), 'job ' || CAST(i AS TEXT), %[3]s, replace(doc, '"id":"original"', '"id":"' || CAST(i AS TEXT) || '"'), health, zone FROM schedule_jobs, many WHERE name = 'original'`,
				columns, 10_000+2*few, "state, server, owner, tags, next_at, check_at"),
			fmt.Sprintf("INSERT INTO schedule_texts SELECT id, CASE WHEN id > '%d' THEN 'late ' ELSE '' END || name FROM schedule_jobs WHERE name <> 'original'", 10_000+few-100),
		} {
			if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		last := fmt.Sprint(10_000 + 2*few)
		for _, tt := range []struct {
			filter schedule.JobFilter
			want   []string
		}{
			{schedule.JobFilter{Search: "job 1006"}, []string{"10060", "10061", "10062"}},
			{schedule.JobFilter{Search: "job"}, []string{"10001", "10002", "10003"}},
			{schedule.JobFilter{Search: "late", After: "10050"}, []string{fmt.Sprint(10_000 + few - 99), fmt.Sprint(10_000 + few - 98), fmt.Sprint(10_000 + few - 97)}},
			{schedule.JobFilter{Search: "late", After: fmt.Sprint(10_000 + 2*few - 1)}, []string{last}},
			{schedule.JobFilter{Search: "late", After: last}, []string{}},
			{schedule.JobFilter{Search: "late", Before: now.Add(time.Hour)}, []string{fmt.Sprint(10_000 + few - 99), fmt.Sprint(10_000 + few - 98), fmt.Sprint(10_000 + few - 97)}},
			{schedule.JobFilter{Search: "job 9"}, []string{}},
			{schedule.JobFilter{Search: "nal\nfiles:read"}, []string{"original"}},
		} {
			tt.filter.Limit = 3
			if diff := cmp.Diff(tt.want, ids(t, s, tt.filter)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", tt.filter, diff)
			}
		}
	})
}

// TestTags: a filter finds exactly the jobs with a tag, whatever is in it.
func TestTags(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		r := rand.New(rand.NewPCG(3, 4))
		has := map[string][]string{} // jobs by tag
		for i := range 100 {
			j := newJob(fmt.Sprint(i), now)
			j.ID = fmt.Sprintf("%03d", i)
			for range r.IntN(4) {
				tag := strings.TrimSpace(randomText(r, 3))
				if tag != "" && !slices.Contains(j.Tags, tag) {
					j.Tags = append(j.Tags, tag)
					has[tag] = append(has[tag], j.ID)
				}
			}
			create(t, s, j)
		}
		for tag := range has {
			for _, tag := range []string{tag, strings.ToUpper(tag), strings.ToLower(tag), tag + "x"} {
				if got := ids(t, s, schedule.JobFilter{Tag: tag, Limit: 200}); !slices.Equal(has[tag], got) {
					t.Errorf("jobs with the tag %q are %q, want %q", tag, got, has[tag])
				}
			}
		}
	})
}
