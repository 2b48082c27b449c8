// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sql"
)

// TestDoc holds that the README has its sections, names each option, and shows the check's
// findings.
func TestDoc(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
	for _, section := range []string{"Options", "What is asked", "Why", "Example", "How to mend it", "In Go"} {
		if !strings.Contains(doc, "\n## "+section+"\n") {
			t.Errorf("the README has no section %q", section)
		}
	}
	for _, name := range []string{"DSN", "DSNEnv", "StatementTimeout", "WarnCost", "MaxCost", "WarnRows"} {
		field, _ := reflect.TypeFor[sql.Options]().FieldByName(name)
		if option := field.Tag.Get("policy"); option == "" || !strings.Contains(doc, "| `"+option+"` |") {
			t.Errorf("the README does not explain the option %q of %s", option, name)
		}
	}
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	db.run(t, "CREATE TABLE orders (id int, amount int)")
	for line := range strings.Lines(look(t, newState(t), everything(db.dsn), "SELECT id, amuont FROM orders")) {
		line = strings.TrimPrefix(line, "error /query: ")
		if !strings.Contains(doc, "    "+line) {
			t.Errorf("the README does not show %q", line)
		}
	}
}

// TestDocRole holds that the README's statements for a role work, and that the role can only
// read.
func TestDocRole(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	role, shop := db.name+"_role", db.name+"_shop"
	block := regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(doc)
	if block == nil {
		t.Fatal("the README has no block of SQL")
	}
	db.run(t, "CREATE DATABASE "+shop)
	t.Cleanup(func() { db.run(t, "DROP DATABASE "+shop+" WITH (FORCE)", "DROP ROLE "+role) })
	dsn := strings.Replace(postgresBase, "/postgres?", "/"+shop+"?", 1)
	owner := newPostgresAdmin(t, dsn)
	statements := strings.NewReplacer("toolvet_reader", role, "DATABASE shop", "DATABASE "+shop).Replace(block[1])
	for _, statement := range []string{"CREATE TABLE orders (id int)", statements, "CREATE TABLE later (id int)"} {
		if _, err := owner.ask(statement); err != nil {
			t.Fatal(err)
		}
	}
	for statement, allowed := range map[string]bool{
		"SELECT * FROM orders": true, "SELECT * FROM later": true, "INSERT INTO orders VALUES (1)": false,
		"BEGIN READ WRITE; INSERT INTO orders VALUES (1)": false, "BEGIN READ WRITE; CREATE TABLE mine (id int)": false,
		"BEGIN READ WRITE; CREATE TEMP TABLE mine (id int)": false,
	} {
		reader := newPostgresAdmin(t, strings.Replace(dsn, "postgres@", role+"@", 1))
		if _, err := reader.ask(statement); (err == nil) != allowed {
			t.Errorf("%s: %v, want allowed: %v", statement, err, allowed)
		}
	}
}
