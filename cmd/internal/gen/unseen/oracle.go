// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// A database says of a statement whether its grammar accepts it. It prepares the statement and never runs it.
type database struct {
	driver, dsn string
	grammar     *regexp.Regexp // errors of PREPARE that are of grammar
	mu          sync.Mutex     // guards db and err
	db          *sql.DB        // nil before the first question
	err         error          // why the database says nothing
}

// Other errors say that a table, a column or a function is not there, or that types differ: then the database has read the statement.
var (
	postgres = &database{driver: "pgx", dsn: "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable",
		grammar: regexp.MustCompile(`(?s)ERROR: (syntax error|unterminated|trailing junk|zero-length|improper use).*SQLSTATE 42601|ERROR: .*encoding.*SQLSTATE 22`)}
	mariadb = &database{driver: "mysql", dsn: "root@tcp(127.0.0.1:3306)/mysql", grammar: regexp.MustCompile(`^Error 106[45] `)}
)

// second is in MariaDB's complaint about a second statement, which PREPARE does not take and other ways to run a text do.
var second = regexp.MustCompile(`near '\s*;`)

// open connects on the first call. Later calls return the same.
func (d *database) open() (*sql.DB, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil && d.err == nil {
		if d.db, d.err = sql.Open(d.driver, d.dsn); d.err == nil {
			d.err = d.db.PingContext(context.Background())
		}
	}
	return d.db, d.err
}

// failure returns why the database answered no question, or nil if none was asked.
func (d *database) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// reads reports whether the grammar of a database accepts a statement. Without the database it does not, and failure says why.
func (d *database) reads(statement string) bool {
	db, err := d.open()
	if err != nil {
		return false
	}
	s, err := db.PrepareContext(context.Background(), statement)
	if err != nil {
		text := err.Error()
		said := strings.Contains(text, "SQLSTATE") || strings.HasPrefix(text, "Error 1") // not: a NUL, which the protocol cannot carry
		return said && (!d.grammar.MatchString(text) || second.MatchString(text))
	}
	s.Close()
	return true
}

// places are those of a value in a query that somebody builds of text, and the quotes that a value has to end there.
var places = []struct{ query, quote string }{
	{"c = %s", ""}, {"c = (%s)", ""}, {"c = ((%s))", ""},
	{"c = '%s'", "'"}, {"c = ('%s')", "'"}, {"c = (('%s'))", "'"}, {"c LIKE '%%%s%%'", "'"}, {"c = lower(lower('%s'))", "'"},
	{`c = "%s"`, `"`}, {`c = ("%s")`, `"`},
}

// labelSpliced says reject of a fragment with an effect that PostgreSQL or MariaDB accepts in place of a value. One of another
// database counts if it ends the value and begins a statement or a call that only that database has.
func labelSpliced(input string) string {
	if labelFragment(input) == flagged {
		return flagged
	}
	for _, place := range places {
		if !strings.Contains(input, place.quote) {
			continue // it stays in its quotes
		}
		statement := fmt.Sprintf("SELECT a FROM b WHERE "+place.query, input)
		if postgres.reads(statement) || mariadb.reads(statement) {
			return reject
		}
	}
	if otherStatement.MatchString(input) {
		return reject
	}
	return flagged
}

var otherStatement = regexp.MustCompile(`(?i)^\s*(\w*['"]|-?\d+)[\s)]*(;\s*(exec\b|waitfor\s+delay|declare\s+@|shutdown\b)|waitfor\s+delay|(and|or|\|\|)\s+\d+\s*=\s*(utl_|dbms_|ctxsys\.)\w+)`)

// changes is in queries that do more than read tables: they write, lock, wait, count up, or read files, settings and other hosts. An elided
// or open part makes a pattern of a query.
var changes = regexp.MustCompile(`(?i)\b(into|insert|update|delete|merge|truncate|drop|alter|create|grant|call|exec|execute|lock|replace\s+into|sleep|pg_sleep\w*|benchmark|nextval|setval|currval|lastval|` +
	`load_file|dblink\w*|pg_(read|ls|stat_file|terminate|cancel|advisory|reload|logical|switch|create|drop|notify|try)\w*|lo_\w+|pg_notify|txid_current|set_config|external_query|openrowset|openquery|` +
	`read_(csv|parquet|json)\w*|\w*http\w*|s3\w*|url|urlcluster|file|remote\w*|get_lock|release_lock|for\s+(update|share|no\s+key|key))\b|` +
	`\.\.\.|…|<\w[\w -]*>|\[[a-z ]+\]|\?|\{|\}|\$\$`)

// labelRead says accept of a query that only reads tables and that its database accepts. Without a database to ask, it
// is a query by its words.
func labelRead(d *database) func(input string) string {
	return func(input string) string {
		if labelQuery(input) == flagged || changes.MatchString(input) || d != nil && !d.reads(strings.TrimRight(input, "; \n\t")) {
			return flagged
		}
		return accept
	}
}

// statementWords begin statements. A value that begins so is one for a database to run.
var statementWords = regexp.MustCompile(`(?i)^\W*(select|with|insert|update|delete|create|drop|alter|truncate|grant|exec|declare|merge|union|show|explain)\b`)

// labelValue says accept of a text that no database reads as more than a value: it has neither an effect nor the beginning of a
// statement.
func labelValue(input string) string {
	if sqlEffect.MatchString(input) || statementWords.MatchString(input) || !utf8.ValidString(input) {
		return flagged
	}
	return accept
}
