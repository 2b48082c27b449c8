// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// valuePieces are parts of values that break out of their place.
var valuePieces = []string{
	"'", "'", "'", `"`, `\`, `\'`, "''", " ", " ", "a", "b", "1", "2", "0", "or", " or ", " OR ", "and", "||", "|", "&&", "=", " = ", "<", ">", "<>", "!=",
	"-", "+", "*", "/", "%", "^", "--", " -- ", "#", "/*", "*/", "/**/", ")", "(", ",", ";", " union select 1,'a'", " like ", "%", " is null", " not ", "null", "true",
	" in (1,2)", " between 0 and 9", "name", "id", "name=name", "exists(select 1)", "(select 1)", " limit 9", " order by 1", " collate nocase", "\n", "\t", "%27", "’", "＇",
}

// TestLiterals puts values that toolvet takes for mere values into a query, without any
// care, as a server should not. The query must not find more than it finds for a value.
func TestLiterals(t *testing.T) {
	t.Parallel()
	rows := "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, '')"
	for _, server := range []struct {
		dialect string
		open    func(t testing.TB) *server
	}{
		{"sqlite", func(t testing.TB) *server { return newServerSQLite(t, filepath.Join(t.TempDir(), "t.db")) }},
		{"postgres", func(t testing.TB) *server { return newServerPostgres(t) }},
		{"mysql", func(t testing.TB) *server { return newServerMySQL(t) }},
	} {
		t.Run(server.dialect, func(t *testing.T) {
			db := server.open(t)
			db.run(t, "CREATE TABLE t (id int, name varchar(20))", rows)
			for _, dialect := range []string{server.dialect, "generic"} {
				literals(t, db, dialect)
			}
		})
	}
}

const literalTexts = 10_000

func literals(t *testing.T, db *server, dialect string) {
	t.Helper()
	literal := &sqltext.Options{Dialect: dialect, Parameter: sqltext.Literal}
	number := &sqltext.Options{Dialect: dialect, Parameter: sqltext.Number}
	random := rand.New(rand.NewPCG(5, 6))
	ran := 0
	for range literalTexts {
		var b strings.Builder
		for range 1 + random.IntN(7) {
			b.WriteString(valuePieces[random.IntN(len(valuePieces))])
		}
		value := b.String()
		for query, o := range map[string]*sqltext.Options{
			"SELECT COUNT(*) FROM t WHERE name = '" + value + "'":              literal,
			"SELECT COUNT(*) FROM t WHERE (name = '" + value + "' AND id > 0)": literal,
			"SELECT COUNT(*) FROM t WHERE id = " + value:                       number,
		} {
			if o.Refuses(value) {
				continue
			}
			got, err := db.ask(query)
			if err != nil {
				continue
			}
			if ran++; got > "1" {
				t.Errorf("%s: %q finds %s rows by %s", dialect, value, got, query)
			}
		}
	}
	if ran < 1000 {
		t.Errorf("only %d queries ran: the test does not test much", ran)
	}
}
