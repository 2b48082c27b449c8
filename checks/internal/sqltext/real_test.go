// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite"

	parts "github.com/toolvet/toolvet/internal/test/need" // this package has a type need
	"github.com/toolvet/toolvet/internal/test/race"
)

// A database runs statements. It reads a text as the reading says.
type database struct {
	name    string // its dialect
	reading reading
	run     func(statement string) error
}

const table = "CREATE TEMPORARY TABLE t (id int, name varchar(20))"

// viaDriver connects by database/sql, in one session.
func viaDriver(t *testing.T, part parts.Part, driver, dsn, dialect string, r reading, setup ...string) database {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	run := func(statement string) error {
		rows, err := db.Query(statement)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	for _, statement := range setup {
		if err := run(statement); err != nil {
			part.Missing(t, err)
		}
	}
	return database{dialect, r, run}
}

// databases are the real ones on this machine.
func databases(t *testing.T) []database {
	t.Helper()
	list := []database{viaDriver(t, parts.Part{Name: "SQLite"}, "sqlite", ":memory:", "sqlite", sqliteReading, table)}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable")
	if err != nil {
		parts.Postgres.Missing(t, err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	postgres := database{"postgres", postgresReading, func(statement string) error {
		_, err := conn.Exec(context.Background(), statement).ReadAll()
		return err
	}}
	if err := postgres.run(table); err != nil {
		t.Fatal(err)
	}
	list = append(list, postgres)

	name := fmt.Sprintf("toolvet_values_%d", os.Getpid())
	modes := map[string]reading{"": mysqlReading, "ANSI_QUOTES": mysqlNames, "ANSI_QUOTES,NO_BACKSLASH_ESCAPES": mysqlNoBackslash}
	for mode, r := range modes {
		list = append(list, viaDriver(t, parts.MariaDB,
			"mysql", "root@tcp(127.0.0.1:3306)/", "mysql", r,
			"CREATE DATABASE IF NOT EXISTS "+name, "USE "+name, "SET sql_mode = '"+mode+"'", table))
	}
	t.Cleanup(func() {
		if err := list[len(list)-1].run("DROP DATABASE " + name); err != nil {
			t.Error(err)
		}
	})
	return list
}

// pieces are parts of values that leave their quotes.
var pieces = strings.Split(`'~'~'~' ~ '~x'~"~\~''~ ~ ~a~b~n~e~x~1~0~id~name~t~ or ~ and ~||~&&~ = ~=~<~<>~-~+~*~/~%~^~|~&~!~@~--~ -- ~#~/*~*/~)~(~,~;~.~[~]~{d ~}~:~::~?~$~$$~
~ union ~ select ~ like ~ is ~ not ~null~true~ in ~ between ~ where ~ from ~ limit ~ order by ~ group by ~ having ~ is distinct from ~ collate ~ glob ~ regexp ~
 rlike ~ ilike ~ similar to ~ escape ~ div ~ mod ~ xor ~ sounds like ~ member of ~ at time zone ~ operator(pg_catalog.=)~bool ~text ~_utf8~date~interval ~binary ~exists~
case when 1 then 1 end~ isnull~ notnull~ returning ~ as ~ into ~ for update~@a~:=~->~->>~@>~@@~u&~q'~b'~n'~x'~e'~N'~_latin1'~\N~ overlaps ~ day ~pg_catalog.~E'\'~t.~
count(*)~(select 1)~foo~cast(~current_date~ over ~()~ window w as ()~ offset ~ fetch first ~ lock in share mode~ on ~ join ~ left ~ cross join t u~match ~ against ('a')`, "~")

// TestRealDatabases holds that an accepted value that leaves its quotes is an error to the
// database, or one string with the next. It tries all short texts of the marks that matter, and
// many longer ones.
func TestRealDatabases(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	list := databases(t)
	const longest, random = 3, 5_000
	var short func(prefix string)
	short = func(prefix string) {
		for _, d := range list {
			d.try(t, prefix)
		}
		if len(prefix) < longest {
			for _, c := range "'\"`\\-=xbn 0\n#/*();" {
				short(prefix + string(c))
			}
		}
	}
	short("")
	source := rand.New(rand.NewPCG(7, 8))
	for range random {
		var text strings.Builder
		for range 1 + source.IntN(8) {
			text.WriteString(pieces[source.IntN(len(pieces))])
		}
		for _, d := range list {
			d.try(t, text.String())
		}
	}
}

// try puts a text into statements, where it is not refused.
func (d database) try(t *testing.T, text string) {
	t.Helper()
	for _, dialect := range []string{d.name, "generic"} {
		for _, quote := range []string{"'", `"`} {
			l := lex(quote+text+quote, d.reading, nil)
			if !strings.Contains(text, quote) || l.tokens[0].end == len(l.text) || (&Options{Dialect: dialect, Parameter: String}).Refuses(text) {
				continue
			}
			g := &grammar{fragment: &fragment{statement: statement{text: l.text, tokens: l.tokens}, quote: quote[0]}}
			if g.concatenates() || dialect == "generic" && (g.neutral() || strings.Contains(text, ";")) {
				continue
			}
			for _, query := range []string{"SELECT COUNT(*) FROM t WHERE (name = %s AND id > 0)", "EXPLAIN UPDATE t SET name = %s WHERE id = 1"} {
				if query = fmt.Sprintf(query, l.text); d.run(query) == nil {
					t.Errorf("%s takes %q, which is not refused where the dialect is %s", d.name, query, dialect)
				}
			}
		}
	}
}
