// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "a shop?.db"))
	db.run(t, "CREATE TABLE customers (id int PRIMARY KEY, name text, created_at datetime)", "CREATE TABLE orders (id int, customer_id int)")
	s := newState(t)
	for statement, want := range map[string]string{
		"SELECT id, name FROM customers WHERE id = ?":     "",
		"SELECT [id] FROM \"customers\" -- all":           "",
		"WITH c AS (SELECT 1 AS x) SELECT x FROM c":       "",
		"EXPLAIN QUERY PLAN SELECT * FROM customers":      "",
		"SELECT name FROM pragma_table_info('customers')": "",
		"INSERT INTO customers VALUES (1, '', 0)":         "",
		"SELECT nmae FROM customers":                      "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"name\"?\n",
		"SELECT c.creatd_at FROM customers c":             "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"created_at\"?\n",
		"SELECT * FROM custmers":                          "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT id FORM customers":                        "error /query: is no SQL of this database at character 16\n→ correct the syntax there\n",
		"SELECT id FROM customers WHERE (":                "error /query: is no SQL of this database at character 33\n→ correct the syntax there\n",
		"SELECT id FROM customers WHERE id @ 1":           "error /query: is no SQL of this database at character 35\n→ correct the syntax there\n",
		"SELECT id FROM customers JOIN orders":            "error /query: names a column of more than one table\n→ put the table's name before it\n",
		"SELECT nofunction(id) FROM customers":            "error /query: calls a function that does not exist in SQLite, or that only the tool's own connection has\n→ correct the name\n",
		"SELECT abs(1, 2)":                                "error /query: calls a function with a wrong number of arguments\n→ correct the arguments\n",
		"SELECT 1 UNION SELECT 1, 2":                      "error /query: has queries with different numbers of columns\n→ give each the same number\n",
		"SELECT :id, @id, $id, ?1, ? FROM customers":      "",
		"SELECT * FROM Customers":                         "",
		"SELECT id, id FROM customers WHERE FROM":         "error /query: is no SQL of this database at character 36\n→ correct the syntax there\n",
		"SELECT 'WHERE' FROM customers WHERE WHERE":       "error /query: is no SQL of this database at character 37\n→ correct the syntax there\n",
		"SELECT 'ä',\n nme FROM customers":                "error /query: names a column at line 2, character 2 that does not exist in the database\n→ did you mean \"name\"?\n",
		"INSERT INTO customers VALUES (1)":                "error /query: gives a table the wrong number of values\n→ give each column a value, or name the columns\n",
		"DELETE FROM customers; DELETE FROM orders":       "skip: not looked: the text is refused as it is\n",
		"":                             "skip: not looked: the text is refused as it is\n",
		"PRAGMA journal_mode = delete": "skip: not looked: the text is refused as it is\n",
	} {
		if diff := cmp.Diff(want, look(t, s, everything(db.dsn), statement)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
}

// TestSQLiteCost holds that a limit of the cost refuses, because SQLite estimates none, and that
// a mere warning does not.
func TestSQLiteCost(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	o := everything(db.dsn)
	o.WarnCost = 1
	if got, want := look(t, newState(t), o, "SELECT 1"), "skip: not looked: the cost is not known, because SQLite does not estimate it\n"; got != want {
		t.Errorf("warn_cost: %q, want %q", got, want)
	}
	o.MaxCost = 2
	if got := look(t, newState(t), o, "SELECT 1"); !strings.HasPrefix(got, "error /query: has a cost that is not known, because SQLite does not estimate it; at most 2 is allowed\n") {
		t.Errorf("max_cost: %q", got)
	}
}

// TestSQLiteLeftOver asks about files left by a killed process: a -wal file, with and without its
// -shm file, and a journal that is to be rolled back. A database that cannot be read without a
// write is told, and nothing is written.
func TestSQLiteLeftOver(t *testing.T) {
	t.Parallel()
	const unrecovered = "error /query: cannot be checked: the SQLite database shop.db was left in the middle of a change, which only who may write can recover\n" +
		"→ have the program that writes to it open it once\n"
	for name, left := range map[string]struct {
		journal string
		suffix  []string
		want    string
	}{
		"wal and shm": {"wal", []string{"", "-wal", "-shm"}, ""},
		"wal alone":   {"wal", []string{"", "-wal"}, unrecovered},
		"journal":     {"delete", []string{"", "-journal"}, unrecovered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live, dead := filepath.Join(t.TempDir(), "shop.db"), filepath.Join(t.TempDir(), "shop.db")
			db := newServerSQLite(t, live)
			db.run(t, "PRAGMA journal_mode = "+left.journal, "PRAGMA cache_size = 1", "PRAGMA cache_spill = 1", "CREATE TABLE t (id int, a)",
				"INSERT INTO t SELECT 1, randomblob(9000)", "BEGIN", "UPDATE t SET a = randomblob(900000)")
			for _, suffix := range left.suffix {
				text, err := os.ReadFile(live + suffix)
				if err == nil {
					err = os.WriteFile(dead+suffix, text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			db.run(t, "ROLLBACK")
			before := contents(t, filepath.Dir(dead))
			got := look(t, newState(t), everything("sqlite:"+dead), "SELECT id FROM t")
			if got != left.want {
				t.Errorf("%q, want %q", got, left.want)
			}
			if diff := cmp.Diff(before, contents(t, filepath.Dir(dead))); diff != "" {
				t.Errorf("the directory changed:\n%s", diff)
			}
		})
	}
}

// TestSQLiteChangesNothing holds that neither the database nor its directory changes, even while
// others have it open.
func TestSQLiteChangesNothing(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"delete", "wal"} {
		for _, open := range []bool{false, true} {
			dir := t.TempDir()
			db := newServerSQLite(t, filepath.Join(dir, "shop.db"))
			db.run(t, "PRAGMA journal_mode = "+journal, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE TABLE log (id int)",
				"CREATE TRIGGER note AFTER DELETE ON t BEGIN INSERT INTO log VALUES (1); END")
			if !open {
				db.close()
			}
			before := contents(t, dir)
			s := newState(t)
			for _, statement := range []string{"SELECT * FROM t", "DELETE FROM t", "INSERT INTO t VALUES (2)", "REPLACE INTO t VALUES (2)", "UPDATE t SET id = 3"} {
				if got := look(t, s, everything(db.dsn), statement); got != "" {
					t.Errorf("%s, open %v: %s: %s", journal, open, statement, got)
				}
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("%s, open %v: the directory changed:\n%s", journal, open, diff)
			}
		}
	}
}

// contents are the files of a directory. The locks in a -shm file come and go.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if files[e.Name()] = string(text); filepath.Ext(e.Name()) == ".db-shm" {
			files[e.Name()] = ""
		}
	}
	return files
}

func TestSQLiteUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text.db"), slices.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newState(t)
	for dsn, want := range map[string]string{
		"sqlite:" + dir + "/none.db":   "error /query: cannot be checked: the SQLite database none.db does not exist\n→ create it, or correct the file in the policy's dsn\n",
		"sqlite:none.db":               "error /query: cannot be checked: the SQLite database none.db does not exist\n→ create it, or correct the file in the policy's dsn\n",
		"sqlite:" + dir:                "error /query: cannot be checked: the SQLite database " + filepath.Base(dir) + " is no regular file\n→ correct the file in the policy's dsn\n",
		"sqlite://" + dir + "/text.db": "error /query: cannot be checked: the SQLite database text.db is no SQLite database, or is damaged\n→ correct the file in the policy's dsn\n",
	} {
		got := lookWithin(t.Context(), t, s, everything(dsn), "SELECT * FROM t", check.World{Base: dir})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", dsn, diff)
		}
	}
	remote := lookWithin(t.Context(), t, s, everything("sqlite:"+dir+"/none.db"), "SELECT 1", check.World{Remote: true})
	if want := "skip: not looked: the server is remote, and so is its SQLite file\n"; remote != want {
		t.Errorf("of a remote server: %q, want %q", remote, want)
	}
}

// TestSQLiteLocked asks about a database that another connection holds for itself.
func TestSQLiteLocked(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	db.run(t, "CREATE TABLE t (id int)", "BEGIN EXCLUSIVE", "INSERT INTO t VALUES (1)")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	want := "error /query: cannot be checked: the SQLite database shop.db is locked by who writes to it\n→ try again\n"
	if diff := cmp.Diff(want, lookWithin(ctx, t, newState(t), everything(db.dsn), "SELECT * FROM t", check.World{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	db.run(t, "ROLLBACK")
}
