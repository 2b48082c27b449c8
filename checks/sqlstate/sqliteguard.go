// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/sql"
)

// connect opens a file without ever writing to the database or beside it. SQLite would create
// a -shm and a -wal file beside a database in WAL mode that nobody has open. All of such a
// database is in its file, so connect opens it as immutable.
func (s *sqliteSession) connect(ctx context.Context, file string) error {
	switch {
	case !lacks(file+"-wal") && lacks(file+"-shm"):
		return errUnrecovered
	case lacks(file + "-wal"):
		if err := s.open(ctx, file, true); err != nil {
			return err
		}
		mode, err := s.names(ctx, "SELECT hex(substr(data, 19, 1)) FROM sqlite_dbpage WHERE pgno = ?", int64(1))
		if err == nil && slices.Equal(mode, []string{wal}) {
			return nil
		}
		_ = s.conn.Close() // nothing was written that could be lost; what is wrong shows again
	}
	return s.open(ctx, file, false)
}

// errUnrecovered reports that a writer to the database was killed.
var errUnrecovered = &unusable{"was left in the middle of a change, which only who may write can recover", "have the program that writes to it open it once"}

// wal is what byte 18 of a database in WAL mode is (SQLite, "Database File Format",
// section 1.3.3).
const wal = "02"

func (s *sqliteSession) open(ctx context.Context, file string, immutable bool) error {
	var err error
	s.conn, err = s.driver.Open(ctx, file, immutable)
	return err
}

func lacks(file string) bool {
	_, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}

// guard lets SQLite compile statements that only read, and those that the policy allows. The
// actions of a trigger are its owner's, so guard allows them. toolvet runs no statement but its
// own look at the columns of a table.
func (s *sqliteSession) guard() error {
	allowed := actions(s.q.text.Kinds())
	return s.driver.Authorize(s.conn, func(action int, arg1, arg2, trigger string) bool {
		loads := action == authFunction && strings.EqualFold(arg2, "load_extension")
		looks := action == authPragma && arg1 == "table_info"
		return (allowed[action] || looks || trigger != "" && changes[action]) && !loads
	})
}

// The action codes that matter (SQLite, "Authorizer Action Codes").
const (
	authDelete    = 9
	authInsert    = 18
	authPragma    = 19
	authRead      = 20
	authSelect    = 21
	authUpdate    = 23
	authFunction  = 31
	authRecursive = 33
)

var changes = map[int]bool{
	authInsert: true, authUpdate: true, authDelete: true,
}

// actions are those that statements of some kinds may compile to.
func actions(kinds []sql.Kind) map[int]bool {
	allowed := map[int]bool{
		authSelect: true, authRead: true, authFunction: true, authRecursive: true,
	}
	for _, kind := range kinds {
		switch kind {
		case sql.Insert:
			allowed[authInsert], allowed[authDelete] = true, true // REPLACE deletes
		case sql.Update:
			allowed[authUpdate] = true
		case sql.Delete:
			allowed[authDelete] = true
		}
	}
	return allowed
}
