// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/toolvet/toolvet/internal/dbdriver"
)

// sqlite asks a SQLite database. It opens the file for each question, in about a millisecond, and
// holds nothing that others wait for.
type sqlite struct {
	driver dbdriver.SQLite
	file   string
	// slots bounds how many looks at the file there are at a time: a file system that
	// hangs holds its look for as long as it likes.
	slots chan struct{}
}

func newSQLite(d dbdriver.SQLite, file string) *sqlite {
	return &sqlite{d, file, make(chan struct{}, maxConnections)}
}

// close waits for the looks that are left.
func (d *sqlite) close() {
	for range maxConnections {
		d.slots <- struct{}{}
	}
	for range maxConnections {
		<-d.slots
	}
}

// ask looks in a goroutine, and leaves it behind when ctx ends: what it finds counts
// only as long as somebody waits for it.
func (d *sqlite) ask(ctx context.Context, q *question, r *report) error {
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	type answer struct {
		report
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v", p)
			}
			<-d.slots
			answers <- a
		}()
		s := &sqliteSession{driver: d.driver, q: q, r: &a.report}
		a.err = s.look(ctx, d.file)
	}()
	select {
	case a := <-answers:
		*r = a.report
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A sqliteSession asks one question.
type sqliteSession struct {
	driver dbdriver.SQLite
	conn   sqldriver.Conn
	q      *question
	r      *report
}

func (s *sqliteSession) look(ctx context.Context, file string) error {
	if err := regular(file); err != nil {
		return err
	}
	if err := s.connect(ctx, file); err != nil {
		return s.unreadable(ctx, err)
	}
	defer func() { _ = s.conn.Close() }() // nothing was written that could be lost
	if err := s.guard(); err != nil {
		return err
	}
	if err := s.prepare(ctx, s.q.source); err != nil {
		return s.refused(ctx, err)
	}
	if s.q.costs() {
		s.r.noCost(s.q, "SQLite does not estimate it")
	}
	return nil
}

// prepare compiles a statement, and no more.
func (s *sqliteSession) prepare(ctx context.Context, statement string) error {
	stmt, err := s.conn.(sqldriver.ConnPrepareContext).PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	return stmt.Close()
}

// regular says why a file cannot be a database. It does not open it: closing it again would drop
// SQLite's locks on it in this process ("How To Corrupt An SQLite Database File", section 2.2),
// and a FIFO would wait for a writer.
func regular(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &unusable{"does not exist", "create it, or correct the file in the policy's dsn"}
	case errors.Is(err, fs.ErrPermission):
		return &unusable{"may not be read", "let the user that toolvet runs as read it"}
	case err != nil:
		return &unusable{"cannot be read", "look at the file and the directory that it is in"}
	case !info.Mode().IsRegular():
		return &unusable{"is no regular file", "correct the file in the policy's dsn"}
	}
	return nil
}

// unreadable is why a file cannot be read as a database.
func (s *sqliteSession) unreadable(ctx context.Context, err error) error {
	switch s.code(err) {
	case sqliteReadOnly:
		return errUnrecovered
	case sqliteBusy, sqliteLocked:
		return &unusable{"is locked by who writes to it", "try again"}
	case sqliteNotADB, sqliteCorrupt:
		return &unusable{"is no SQLite database, or is damaged", "correct the file in the policy's dsn"}
	}
	if errors.As(err, new(*unusable)) || ended(ctx) {
		return err
	}
	return &unusable{"cannot be opened for reading", "look at the file, its permissions and the directory that it is in"}
}
