// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// These tests ask the databases about texts made of what they and toolvet could read
// differently: whatever toolvet takes for one statement, they must not take for two.
// The pieces are grouped by what they have to do with each other; SECOND stands for a
// second statement.

var postgresPieces = [][]string{
	{"'", "E'", "e'a'", "E'a'\n'", "'\n'", "'-- \n'", `\'`, `\`, `\' || '`, "''", " || ", "; SECOND --'", "; SECOND --", "N'", "B'", "U&'", "\r", "1"},
	{"$$", "$a$", "$A$", "$", "$1", "a$$", "1$$", "$é$", "; SECOND", "; SECOND --$$", "'", " AS ", "a", ",", "1", "$a"},
	{"/*", "*/", "/* /*", "*/ */", "--", "-- ", "\n", "\r", "/*';*/", "--'\n", "'", "; SECOND", "1", " + ", "/", "*", "-", "#"},
	{`"`, `""`, `U&"`, `";"`, " AS ", "1", "a", "; SECOND", `; SECOND --"`, "'", "[", "]", "`", "::text", ".", "\u00a0", "é"},
	{"'", `"`, "$$", "--", "/*", "*/", "\n", ";", "; SECOND", "(", ")", "1", "0x", "1e", "1.", "@x", ":x(", "?", " ", ",", "=", "\f", "\v"},
}

var mysqlPieces = [][]string{
	{"'", `\'`, `\`, `\\`, "''", "1", " ", "; SECOND -- '", "; SECOND", `"`, `\"`, `""`, `"\"`, `; SECOND -- "`, "N'", "X'", "_utf8'", "\n"},
	{"`", "``", " AS ", "1", "a", "; SECOND", "; SECOND -- `", "'", `"`, "@`", "@'", ".", "\\", "$$", "$a$", "[", "]"},
	{"#", "-- ", "--", "--\t", "--\x01", "\n", "\r", "'", "; SECOND", "1", "-", "/*", "*/", "/* /*", "/*+", "/**/", "/", "*", "e'", " "},
}

var sqlitePieces = [][]string{
	{"'", "''", `\'`, `\`, "1", " ", "; SECOND --'", "; SECOND", `"`, `""`, `; SECOND --"`, "x'", "e'a'", "E'", ",", "||"},
	{"[", "]", "]]", "`", "``", " AS ", "1", "a", "; SECOND", "; SECOND --]", "; SECOND --`", "'", `"`, "."},
	{"$x(", ":x(", "@x(", "#x(", "$x::y(", ")", "'", "; SECOND", "; SECOND --'", ", 1", "1", " ", "::", "$", ":", "a", "(", "')"},
	{"--", "\n", "\r", "'", "; SECOND", "1", "-", "/*", "*/", "/* /*", "/**/", "/", "*", " ", "#", "\f", "\v", "$$", "$a$"},
}

const agreeTexts = 20_000

// agrees makes texts, and asks twice about those that toolvet takes for one statement.
func agrees(t *testing.T, dialect string, pieces [][]string, second string, several func(text string) bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range agreeTexts {
		text := "SELECT "
		some := pieces[random.IntN(len(pieces))]
		for range 1 + random.IntN(8) {
			text += some[random.IntN(len(some))]
		}
		text = strings.ReplaceAll(text, "SECOND", second)
		one := !(&sqltext.Options{Dialect: dialect}).Refuses(text)
		if !one && !strings.HasPrefix(text, "SELECT $") && !strings.HasPrefix(strings.ToLower(text), "select e'") {
			one = !(&sqltext.Options{}).Refuses(text) // of what stands right after SELECT it knows that it cannot run
		}
		if !one {
			continue
		}
		accepted++
		if several(text) {
			t.Errorf("%q is several statements", text)
		}
	}
	if accepted < agreeTexts/20 {
		t.Errorf("only %d of %d texts were taken for one statement: the test does not test much", accepted, agreeTexts)
	}
}

func TestPostgresAgrees(t *testing.T) {
	t.Parallel()
	conn := newServerPostgres(t).admin.(postgresAdmin)
	agrees(t, "postgres", postgresPieces, "SELECT 2", func(text string) bool {
		_, err := conn.Prepare(context.Background(), "", text, nil)
		var answer *pgconn.PgError
		return errors.As(err, &answer) && strings.Contains(answer.Message, "multiple commands")
	})
}

func TestMySQLAgrees(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	conn := db.admin.(mysqlAdmin)
	for _, mode := range []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"} {
		db.run(t, "SET SESSION sql_mode = '"+mode+"'")
		agrees(t, "mysql", mysqlPieces, "SELECT 2", func(text string) bool {
			stmt, err := conn.Conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
			if err == nil {
				stmt.Close()
			}
			var answer *mysql.MySQLError // a semicolon stands before each
			return errors.As(err, &answer) && strings.Contains(answer.Message, "near 'SELECT 2")
		})
	}
}

func TestSQLiteAgrees(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "hits.db"))
	db.run(t, "PRAGMA journal_mode = memory", "PRAGMA synchronous = off", "CREATE TABLE hit (id int)")
	conn := db.admin.(mysqlAdmin)
	agrees(t, "sqlite", sqlitePieces, "INSERT INTO hit VALUES (1)", func(text string) bool {
		_, _ = conn.Conn.(driver.ExecerContext).ExecContext(context.Background(), text, nil) // what it says does not matter
		defer db.run(t, "DELETE FROM hit")
		return db.value(t, "SELECT COUNT(*) FROM hit") != "0"
	})
}
