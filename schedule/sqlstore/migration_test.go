// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// TestMigration: a store of the first version keeps its jobs and runs.
func TestMigration(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, place string) {
		old, err := openAt(t.Context(), place, schema[:1])
		if err != nil {
			t.Fatal(err)
		}
		j := newJob("job", now)
		j.Health.Status, j.Zone = schedule.Warned, "Asia/Tokyo"
		values, err := jobValues(j)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.write.Exec("INSERT INTO schedule_jobs VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)", slices.Insert(values, 6, any(searched(j)))[:10]...); err != nil {
			t.Fatal(err)
		}
		run := &schedule.Run{ID: jobspec.NewID(now)}
		if _, err := old.write.Exec("INSERT INTO schedule_runs VALUES ($1,$2,$3,'schedule','queued',0,'',1,$4,0,0,'{}')", run.ID, j.ID, ms(now), ms(now)); err != nil {
			t.Fatal(err)
		}
		rests := newJob("rests", time.Time{})
		rests.State = schedule.Paused
		if values, err = jobValues(rests); err != nil {
			t.Fatal(err)
		}
		if _, err := old.write.Exec("INSERT INTO schedule_jobs VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)", slices.Insert(values, 6, any(searched(rests)))[:10]...); err != nil {
			t.Fatal(err)
		}
		waiting := &schedule.Run{ID: jobspec.NewID(now)}
		if _, err := old.write.Exec("INSERT INTO schedule_runs VALUES ($1,$2,$3,'schedule','queued',0,'',1,$4,0,0,'{}')", waiting.ID, rests.ID, ms(now), ms(now)); err != nil {
			t.Fatal(err)
		}
		if _, err := old.write.Exec("INSERT INTO schedule_workers VALUES ('old', 9000000000000000)"); err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		s := open(t, place)
		got, err := s.Job(t.Context(), "job")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(j, got); diff != "" {
			t.Errorf("(-stored +read):\n%s", diff)
		}
		if diff := cmp.Diff([]string{j.ID}, ids(t, s, schedule.JobFilter{Search: "iles:rea", State: schedule.Active})); diff != "" {
			t.Errorf("a search finds (-want +got):\n%s", diff)
		}
		room := schedule.Capacity{Room: func(server string, _ []*schedule.Worker) int { return len(server) }}
		if list, err := s.Claim(t.Context(), "old", now, room); err != nil || len(list) != 1 || list[0].Run.ID != run.ID {
			t.Errorf("claimed are %v, %v", list, err)
		}
		if warned, err := s.Jobs(t.Context(), schedule.JobFilter{Health: schedule.Warned}); err != nil || len(warned) != 1 {
			t.Errorf("what is warned: %v, %v", warned, err)
		}
		if zones, err := s.Zones(t.Context()); err != nil || len(zones) != 1 || zones[0] != j.Zone {
			t.Errorf("the zones are %q, %v", zones, err)
		}
		if _, err := s.UpdateJob(t.Context(), j.ID, func(j *schedule.Job) error {
			j.Alerts = []*schedule.Alert{{ID: "1", Time: now}}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if paused, err := s.Run(t.Context(), waiting.ID); err != nil || paused.State != schedule.Queued {
			t.Errorf("the run of a paused job is %v, %v", paused, err)
		}
		if next, err := s.NextAt(t.Context(), now.Add(-time.Hour)); err != nil || !next.Equal(now) {
			t.Errorf("next is %v, %v", next, err)
		}
	})
}

// trigrams was the fourth step of the schema for SQLite.
const trigrams = `
CREATE TABLE schedule_search_ids (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE schedule_search USING fts5(search, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
INSERT INTO schedule_search_ids (id) SELECT id FROM schedule_jobs ORDER BY id;
INSERT INTO schedule_search (rowid, search) SELECT no, search FROM schedule_search_ids JOIN schedule_jobs USING (id);
CREATE TRIGGER schedule_search_add AFTER INSERT ON schedule_jobs BEGIN
	INSERT INTO schedule_search_ids (id) VALUES (new.id); INSERT INTO schedule_search (rowid, search) SELECT no, new.search FROM schedule_search_ids WHERE id = new.id; END;
CREATE TRIGGER schedule_search_change AFTER UPDATE OF search ON schedule_jobs WHEN old.search <> new.search BEGIN
	UPDATE schedule_search SET search = new.search WHERE rowid = (SELECT no FROM schedule_search_ids WHERE id = new.id); END;
CREATE TRIGGER schedule_search_drop AFTER DELETE ON schedule_jobs BEGIN
	DELETE FROM schedule_search WHERE rowid = (SELECT no FROM schedule_search_ids WHERE id = old.id); DELETE FROM schedule_search_ids WHERE id = old.id; END;
`

// TestMigrationOfTrigrams: a SQLite store that found texts by an index of trigrams keeps its jobs, and finds them.
func TestMigrationOfTrigrams(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "schedule.db")
	old, err := openAt(t.Context(), place, schema[:8])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.write.Exec(trigrams); err != nil {
		t.Fatal(err)
	}
	j := newJob("job", now)
	j.Tags = []string{"Ä", "b"}
	values, err := jobValues(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.write.Exec(`INSERT INTO schedule_jobs (id, name, state, server, owner, tags, next_at, check_at, doc, health, zone, search)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)`, append(values, "job\nfiles:read\n\nä b")...); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, place)
	for range 2 {
		for _, f := range []schedule.JobFilter{{Search: "iles:r"}, {Search: "Ä"}, {Tag: "Ä"}, {Tag: "b"}} {
			if diff := cmp.Diff([]string{j.ID}, ids(t, s, f)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", f, diff)
			}
		}
		if _, err := s.UpdateJob(t.Context(), j.ID, func(j *schedule.Job) error { j.Description = "changed"; return nil }); err != nil {
			t.Fatal(err)
		}
	}
}
