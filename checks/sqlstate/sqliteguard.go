// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sqlitedriver "modernc.org/sqlite"

	"github.com/toolvet/toolvet/checks/sql"
)

// connect opens a file so that nothing is ever written: not to the database, and not
// beside it. A database in WAL mode that nobody has open would get a -shm and a -wal
// file; it is opened as immutable, because all that it holds is in the file itself.
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
	query := url.Values{"mode": {"ro"}, "_busy_timeout": {"100"}, "_pragma": {"query_only(1)"}, "_defensive": {"1"}}
	if immutable {
		query.Set("immutable", "1")
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/dir/file (SQLite, "Uniform Resource Identifiers")
	}
	connector, err := sqlitedriver.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode())
	if err != nil {
		return err
	}
	s.conn, err = connector.Connect(ctx)
	return err
}

func lacks(file string) bool {
	_, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}

// guard lets statements compile that only read, or that the policy allows. A trigger's other
// effects are its owner's. Nothing is ever run but our own look at the columns of a table.
func (s *sqliteSession) guard() error {
	allowed := actions(s.q.text.Kinds())
	return s.conn.(sqlitedriver.AuthorizerRegisterer).RegisterAuthorizer(
		func(action sqlitedriver.AuthorizerActionCode, arg1, arg2, _, trigger string) sqlitedriver.AuthorizerReturnCode {
			loads := action == sqlitedriver.AuthFunction && strings.EqualFold(arg2, "load_extension")
			looks := action == sqlitedriver.AuthPragma && arg1 == "table_info"
			if (allowed[action] || looks || trigger != "" && changes[action]) && !loads {
				return sqlitedriver.AuthorizerOK
			}
			return sqlitedriver.AuthorizerDeny
		})
}

var changes = map[sqlitedriver.AuthorizerActionCode]bool{
	sqlitedriver.AuthInsert: true, sqlitedriver.AuthUpdate: true, sqlitedriver.AuthDelete: true,
}

// actions are those that statements of some kinds may compile to.
func actions(kinds []sql.Kind) map[sqlitedriver.AuthorizerActionCode]bool {
	allowed := map[sqlitedriver.AuthorizerActionCode]bool{
		sqlitedriver.AuthSelect: true, sqlitedriver.AuthRead: true, sqlitedriver.AuthFunction: true, sqlitedriver.AuthRecursive: true,
	}
	for _, kind := range kinds {
		switch kind {
		case sql.Insert:
			allowed[sqlitedriver.AuthInsert], allowed[sqlitedriver.AuthDelete] = true, true // REPLACE deletes
		case sql.Update:
			allowed[sqlitedriver.AuthUpdate] = true
		case sql.Delete:
			allowed[sqlitedriver.AuthDelete] = true
		}
	}
	return allowed
}
