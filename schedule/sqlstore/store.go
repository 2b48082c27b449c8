// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlstore keeps jobs and runs in SQLite or PostgreSQL, with the same tables and statements.
//
// In SQLite, every change is on the disk before the method returns (WAL, synchronous=FULL), and there is one writer
// at a time. In PostgreSQL, workers pass over each other's rows (FOR UPDATE SKIP LOCKED), and the server's clock
// measures leases.
//
// The package links no database. A program registers the driver that it needs with database/sql, as "sqlite" or "pgx":
//
//	import (
//		_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL
//		_ "modernc.org/sqlite"             // SQLite
//	)
package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

type store struct {
	read, write *sql.DB // the same for PostgreSQL
	dialect
	limit   time.Duration // bounds each operation; 0: patience
	version int           // of the schema that this program knows

	file   string // of SQLite; "" for PostgreSQL
	opened fs.FileInfo
}

// patience bounds an operation. A database that is cut off sends nothing, and TCP would wait for a quarter of an
// hour. It is longer than busy_timeout, for which SQLite waits for other processes.
const patience = 20 * time.Second

// bound bounds an operation.
func (s *store) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, cmp.Or(s.limit, patience), errSilent)
}

var errSilent = errors.New("the store does not answer")

var _ schedule.Store = (*store)(nil)

// A dialect holds the differences between the two databases.
type dialect struct {
	skipLocked string // passes over rows that another transaction holds
	forUpdate  string
	forShare   string
	now        string // in ms since 1970, by a clock that all workers share
	lock       string // one migration at a time
	claims     string // one claim at a time
	quotas     string // one new job of an owner at a time
	zone       string // of a job, in its doc; $ZONE in a step of the schema
	without    string // doc without members %s
	member     string // %s, as without names it
	byKey      string // makes a table keep its rows in the order of its key; $BYKEY in a step of the schema
	elements   string // a query for the elements of a JSON array of texts, $?
	position   string // the function that finds a text in another
}

var (
	sqlite = dialect{
		now: "CAST(unixepoch('subsec')*1000 AS INTEGER)", zone: "json_extract(doc, '$.timezone')",
		without: "json_remove(doc, %s)", member: "'$.%s'", byKey: " WITHOUT ROWID", elements: "SELECT value FROM json_each($?)", position: "instr",
	}
	postgres = dialect{
		skipLocked: " FOR UPDATE SKIP LOCKED", forUpdate: " FOR UPDATE", forShare: " FOR SHARE",
		now:  "CAST(extract(epoch from clock_timestamp())*1000 AS BIGINT)",
		lock: "SELECT pg_advisory_xact_lock(7236870543)", claims: "SELECT pg_advisory_xact_lock(7236870544)",
		quotas: "SELECT pg_advisory_xact_lock(723687054, hashtext($1))",
		zone:   "doc::json->>'timezone'",
		// jsonb cannot hold NUL: a job or run that has it is read whole.
		without: `CASE WHEN strpos(doc, '\u0000') > 0 THEN doc ELSE CAST(CAST(doc AS jsonb) - ARRAY[%s] AS text) END`, member: "'%s'", elements: "SELECT json_array_elements_text(CAST($? AS json))", position: "strpos",
	}
)

// lacking returns an expression for doc without members.
func (d *dialect) lacking(members ...string) string {
	for i, m := range members {
		members[i] = fmt.Sprintf(d.member, m)
	}
	return fmt.Sprintf(d.without, strings.Join(members, ", "))
}

// A step of the schema is a list of statements, each on lines of its own.
type step struct {
	statements string
	sqlite     bool // only for SQLite
}

// schema is built step by step. The number of steps is the version.
var schema = []step{{statements: `
CREATE TABLE schedule_jobs (
	id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, server TEXT NOT NULL, owner TEXT NOT NULL,
	tags TEXT NOT NULL, search TEXT NOT NULL, next_at BIGINT, check_at BIGINT, doc TEXT NOT NULL);
CREATE INDEX schedule_jobs_next ON schedule_jobs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX schedule_jobs_check ON schedule_jobs (check_at) WHERE check_at IS NOT NULL;
CREATE TABLE schedule_runs (
	id TEXT PRIMARY KEY, job_id TEXT NOT NULL, fire_at BIGINT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
	attempt INTEGER NOT NULL, worker TEXT NOT NULL, exclusive INTEGER NOT NULL, ready_at BIGINT NOT NULL,
	started_at BIGINT NOT NULL, ended_at BIGINT NOT NULL, doc TEXT NOT NULL, UNIQUE (job_id, fire_at, kind));
CREATE INDEX schedule_runs_job ON schedule_runs (job_id, id);
CREATE INDEX schedule_runs_ready ON schedule_runs (ready_at, id) WHERE state = 'queued';
CREATE INDEX schedule_runs_open ON schedule_runs (job_id) WHERE state IN ('queued', 'running');
CREATE INDEX schedule_runs_worker ON schedule_runs (worker) WHERE state = 'running';
CREATE INDEX schedule_runs_ended ON schedule_runs (ended_at) WHERE ended_at > 0;
CREATE UNIQUE INDEX schedule_runs_exclusive ON schedule_runs (job_id) WHERE state = 'running' AND exclusive = 1;
CREATE TABLE schedule_workers (id TEXT PRIMARY KEY, until_at BIGINT NOT NULL);
`}, {statements: `
ALTER TABLE schedule_jobs ADD COLUMN health TEXT NOT NULL DEFAULT 'ok';
UPDATE schedule_jobs SET health = CASE WHEN doc LIKE '%,"health":{"status":"warned",%' THEN 'warned'
	WHEN doc LIKE '%,"health":{"status":"failing",%' THEN 'failing' ELSE 'ok' END;
CREATE INDEX schedule_jobs_state ON schedule_jobs (state, id);
CREATE INDEX schedule_jobs_health ON schedule_jobs (health, id);
CREATE INDEX schedule_jobs_counts ON schedule_jobs (owner, state, health);
`}, {statements: `
CREATE TABLE schedule_jobs_2 (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, server TEXT NOT NULL, owner TEXT NOT NULL,
	tags TEXT NOT NULL, search TEXT NOT NULL, next_at BIGINT, check_at BIGINT, doc TEXT NOT NULL, health TEXT NOT NULL);
INSERT INTO schedule_jobs_2 SELECT id, name, state, server, owner, tags, search, next_at, check_at, doc, health FROM schedule_jobs;
DROP TABLE schedule_jobs;
ALTER TABLE schedule_jobs_2 RENAME TO schedule_jobs;
CREATE UNIQUE INDEX schedule_jobs_name ON schedule_jobs (name, owner);
CREATE INDEX schedule_jobs_owner ON schedule_jobs (owner, id);
CREATE INDEX schedule_jobs_state ON schedule_jobs (state, id);
CREATE INDEX schedule_jobs_health ON schedule_jobs (health, id);
CREATE INDEX schedule_jobs_counts ON schedule_jobs (owner, state, health);
CREATE INDEX schedule_jobs_server ON schedule_jobs (server, id);
CREATE INDEX schedule_jobs_next ON schedule_jobs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX schedule_jobs_check ON schedule_jobs (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX schedule_runs_state ON schedule_runs (state, id);
CREATE TABLE schedule_alerts (
	id TEXT PRIMARY KEY, job_id TEXT NOT NULL, made_at BIGINT NOT NULL, ready_at BIGINT NOT NULL, tries INTEGER NOT NULL,
	told TEXT NOT NULL, told_at BIGINT NOT NULL, doc TEXT NOT NULL);
CREATE INDEX schedule_alerts_ready ON schedule_alerts (ready_at, id) WHERE told_at = 0;
CREATE INDEX schedule_alerts_job ON schedule_alerts (job_id, id) WHERE told_at = 0;
CREATE INDEX schedule_alerts_made ON schedule_alerts (made_at);
`}, {
	// Once an index of trigrams for SQLite, which a later step drops.
}, {statements: `
ALTER TABLE schedule_jobs ADD COLUMN zone TEXT NOT NULL DEFAULT '';
UPDATE schedule_jobs SET zone = COALESCE($ZONE, '');
CREATE INDEX schedule_jobs_zone ON schedule_jobs (zone) WHERE next_at IS NOT NULL;
`}, {statements: `
DROP INDEX schedule_jobs_check;
CREATE INDEX schedule_jobs_due ON schedule_jobs (server, check_at, next_at) WHERE check_at IS NOT NULL;
CREATE INDEX schedule_jobs_watch ON schedule_jobs (server) WHERE next_at IS NOT NULL;
`}, {statements: `
ALTER TABLE schedule_workers ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule_workers ADD COLUMN doc TEXT NOT NULL DEFAULT '{}';
ALTER TABLE schedule_runs ADD COLUMN lane TEXT NOT NULL DEFAULT '';
ALTER TABLE schedule_runs ADD COLUMN waits INTEGER;
UPDATE schedule_runs SET lane = job_id, waits = 0 WHERE state = 'queued';
CREATE INDEX schedule_runs_lane ON schedule_runs (lane, ready_at, id) WHERE waits = 0;
CREATE INDEX schedule_runs_free ON schedule_runs (job_id, ready_at) WHERE waits = 0;
CREATE INDEX schedule_runs_turn ON schedule_runs (job_id, ready_at, id) WHERE waits = 1;
ALTER TABLE schedule_runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE schedule_runs SET owner = COALESCE((SELECT owner FROM schedule_jobs j WHERE j.id = job_id), '');
CREATE INDEX schedule_runs_owner ON schedule_runs (owner, id);
CREATE INDEX schedule_jobs_upcoming ON schedule_jobs (owner, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX schedule_jobs_troubled ON schedule_jobs (health, next_at) WHERE next_at IS NOT NULL;
`}, {statements: `
UPDATE schedule_runs SET waits = 2 WHERE state = 'queued' AND kind <> 'trigger' AND job_id IN (SELECT id FROM schedule_jobs WHERE state = 'paused');
DROP INDEX schedule_jobs_next;
CREATE INDEX schedule_jobs_next ON schedule_jobs (next_at, id) WHERE next_at IS NOT NULL;
DROP INDEX schedule_jobs_watch;
CREATE INDEX schedule_jobs_watch ON schedule_jobs (server, next_at, id) WHERE next_at IS NOT NULL;
`}, {sqlite: true, statements: `
DROP TRIGGER IF EXISTS schedule_search_add;
DROP TRIGGER IF EXISTS schedule_search_change;
DROP TRIGGER IF EXISTS schedule_search_drop;
DROP TABLE IF EXISTS schedule_search;
DROP TABLE IF EXISTS schedule_search_ids;
`}, {statements: `
CREATE TABLE schedule_texts (id TEXT PRIMARY KEY, search TEXT NOT NULL)$BYKEY;
INSERT INTO schedule_texts SELECT id, search || tags FROM schedule_jobs;
ALTER TABLE schedule_jobs DROP COLUMN search;
CREATE INDEX schedule_runs_running ON schedule_runs (job_id) WHERE state = 'running';
`}}

// Errors of [Open] for a SQLite file.
var (
	// ErrDamaged reports a file that is damaged, or no SQLite database.
	ErrDamaged = errors.New("the file is damaged, or no SQLite database")
	// ErrFull reports that the disk has no room for the file.
	ErrFull = errors.New("the disk is full")
)

// told adds to an error of SQLite what it means.
func told(err error) error {
	var lite interface{ Code() int } // sqlite.Error
	if !errors.As(err, &lite) {
		return err
	}
	switch lite.Code() & 0xff {
	case sqliteCorrupt, sqliteNoDatabase:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqliteFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Result codes of SQLite, in the low byte (sqlite3.h).
const (
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteNoDatabase = 26
)

// Open opens the store at a place: "postgres://..." or the name of a SQLite file. It makes a missing file, but not
// its directory. The error says so if no driver for the place is registered. The caller must close the store, after
// the schedulers that use it.
func Open(ctx context.Context, place string) (schedule.Store, error) {
	s, err := openAt(ctx, place, schema)
	if err != nil {
		return nil, err // a nil *store is no nil Store
	}
	return s, nil
}

// openAt opens a store, and brings its tables up to these steps.
func openAt(ctx context.Context, place string, steps []step) (*store, error) {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return openPostgres(ctx, place, steps)
	}
	return openSQLite(ctx, place, steps)
}

// registered returns an error unless database/sql knows the driver.
func registered(driver, path string) error {
	if slices.Contains(sql.Drivers(), driver) {
		return nil
	}
	return fmt.Errorf("opening the store: this program has no driver %q: import %s", driver, path)
}

func openPostgres(ctx context.Context, place string, steps []step) (*store, error) {
	if err := registered("pgx", "github.com/jackc/pgx/v5/stdlib"); err != nil {
		return nil, err
	}
	db, err := sql.Open("pgx", place)
	if err != nil {
		return nil, errors.New("the store's address cannot be read: it must be postgres://USER@HOST/DATABASE")
	}
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(8)
	return opened(ctx, &store{read: db, write: db, dialect: postgres}, steps)
}

// tighten takes the rights of others from the files of a store that everyone may read, as older versions made them. Rights of a
// group alone are somebody's decision. It does what it may: the files can have another owner.
func tighten(path string) {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0 {
			_ = os.Chmod(name, info.Mode().Perm()&0o700)
		}
	}
}

func openSQLite(ctx context.Context, file string, steps []step) (*store, error) {
	if err := registered("sqlite", "modernc.org/sqlite"); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	// Jobs hold arguments, and runs hold results. SQLite gives the files beside the database the same permissions.
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		err = f.Close()
		if err != nil {
			return nil, fmt.Errorf("opening the store: %w", err)
		}
	}
	open := func(more url.Values, connections int) (*sql.DB, error) {
		more["_pragma"] = append(more["_pragma"], "busy_timeout(15000)", "journal_mode(WAL)", "synchronous(FULL)")
		db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: more.Encode()}).String())
		if err == nil {
			db.SetMaxOpenConns(connections)
			db.SetMaxIdleConns(connections)
		}
		return db, err
	}
	write, err := open(url.Values{"_txlock": {"immediate"}}, 1)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	read, err := open(url.Values{}, 4)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store: %w", err), write.Close())
	}
	s, err := opened(ctx, &store{read: read, write: write, dialect: sqlite}, steps)
	if err != nil {
		return nil, err
	}
	tighten(path)
	s.file = path
	if s.opened, err = os.Stat(path); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store: %w", err), s.Close())
	}
	return s, nil
}

func opened(ctx context.Context, s *store, steps []step) (*store, error) {
	s.version = len(steps)
	if err := s.migrate(ctx, steps); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store: %w", told(err)), s.Close())
	}
	return s, nil
}

// migrate brings the tables up to date. Several processes may do so at once.
func (s *store) migrate(ctx context.Context, steps []step) error {
	ctx, cancel := context.WithTimeout(ctx, 5*patience) // it may copy all jobs
	defer cancel()
	var has int
	if err := s.read.QueryRowContext(ctx, "SELECT version FROM schedule_version").Scan(&has); err == nil && has == len(steps) {
		return nil // readers write nothing
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		if s.lock != "" {
			if _, err := tx.ExecContext(ctx, s.lock); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schedule_version (version INTEGER NOT NULL)"); err != nil {
			return err
		}
		var version int
		err := tx.QueryRowContext(ctx, "SELECT version FROM schedule_version").Scan(&version)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err = tx.ExecContext(ctx, "INSERT INTO schedule_version VALUES (0)")
		case err == nil && version > len(steps):
			err = fmt.Errorf("it was made by a newer toolvet (version %d, this one knows %d)", version, len(steps))
		}
		if err != nil {
			return err
		}
		for _, step := range steps[version:] {
			if step.sqlite && s.read == s.write {
				continue
			}
			for statement := range strings.SplitSeq(strings.NewReplacer("$ZONE", s.zone, "$BYKEY", s.byKey).Replace(step.statements), ";\n") {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE schedule_version SET version = $1", len(steps))
		return err
	})
}

// known returns an error if a newer program has changed the tables since they were opened.
func (s *store) known(ctx context.Context, tx *sql.Tx) error {
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT version FROM schedule_version").Scan(&version); err != nil {
		return err
	}
	if version > s.version {
		return fmt.Errorf("a newer toolvet has changed the store (version %d, this one knows %d): restart this one with the newer program", version, s.version)
	}
	return nil
}

// Close closes the connections.
func (s *store) Close() error {
	if s.read == s.write {
		return s.write.Close()
	}
	return errors.Join(s.read.Close(), s.write.Close())
}

// transact runs f in a transaction that may write.
func (s *store) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// ms returns a time as the tables have it; 0 means none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMS(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// orNull returns NULL for no time. Such rows are in no index.
func orNull(t time.Time) sql.NullInt64 { return sql.NullInt64{Int64: ms(t), Valid: !t.IsZero()} }
