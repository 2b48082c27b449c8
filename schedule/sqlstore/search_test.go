// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/schedule"
)

// pieces are the parts of texts and needles in TestSearch: special characters and words of SQL, LIKE and FTS5, and
// letters whose case and marks are easily confused.
var pieces = []string{"a", "b", "ab", "A", "%", "_", `\`, `"`, "'", "*", "(", ")", "-", " ", "OR", "AND", "NEAR", "ä", "a\u0308", "Ä", "ß", "ẞ", "İ", "i", "ı", "K", "😀", "日本語", "^", ":", "\t"}

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range 1 + r.IntN(most) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestSearch: a search finds exactly the jobs with the text while jobs come, change and go, with and without an
// index.
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
		plain := *s
		plain.trigrams = false
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
			for how, s := range map[string]*store{"as it is": s, "without an index": &plain} {
				if diff := cmp.Diff(want, ids(t, s, f)); diff != "" {
					t.Errorf("%s: %q (-want +got):\n%s", how, f.Search, diff)
				}
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

// TestSearchOfMany checks the same where the search does not ask the index, because many jobs have the text, and
// after a VACUUM, which renumbers rows.
func TestSearchOfMany(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "schedule.db"))
	j := newJob("original", now)
	create(t, s, j)
	for _, statement := range []string{
		fmt.Sprintf(`WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < %d)
			INSERT INTO schedule_jobs (id, name, state, server, owner, tags, search, next_at, check_at, doc, health)
			SELECT printf('%%05d', i), printf('job %%d', i), state, server, owner, tags, printf('job %%05d', i), next_at, check_at,
				replace(doc, '"id":"%s"', printf('"id":"%%05d"', i)), health FROM schedule_jobs, many WHERE name = 'original'`, few+100, j.ID),
		"DELETE FROM schedule_jobs WHERE id BETWEEN '00001' AND '00050'", "VACUUM",
	} {
		if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for needle, want := range map[string][]string{
		"job 0006": {"00060", "00061", "00062"}, "job": {"00051", "00052", "00053"}, "job 00050": {}, fmt.Sprintf("%05d", few+99): {fmt.Sprintf("%05d", few+99)}, "nal\nfiles:read": {j.ID},
	} {
		if diff := cmp.Diff(want, ids(t, s, schedule.JobFilter{Search: needle, Limit: 3})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", needle, diff)
		}
	}
}

// TestTags: a filter finds exactly the jobs with a tag, whatever is in it, with and without an index.
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
		plain := *s
		plain.trigrams = false
		for tag := range has {
			for _, tag := range []string{tag, strings.ToUpper(tag), strings.ToLower(tag), tag + "x"} {
				for _, s := range []*store{s, &plain} {
					if got := ids(t, s, schedule.JobFilter{Tag: tag, Limit: 200}); !slices.Equal(has[tag], got) {
						t.Errorf("jobs with the tag %q are %q, want %q", tag, got, has[tag])
					}
				}
			}
		}
	})
}
