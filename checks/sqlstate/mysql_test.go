// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestMySQL(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	db.run(t, "CREATE TABLE customers (id int PRIMARY KEY, name text, created_at datetime)", "CREATE TABLE orders (id int, customer_id int)")
	s := newState(t)
	for statement, want := range map[string]string{
		"SELECT id, name FROM customers WHERE id = ?":                                "",
		"SELECT `id` FROM `customers` # all of them":                                 "",
		"WITH c AS (SELECT 1 AS x) SELECT x FROM c":                                  "",
		"EXPLAIN SELECT * FROM customers":                                            "",
		"SELECT * FROM customers FOR UPDATE":                                         "skip: not looked: the database prepares what writes or locks only where it could be run; only its tables are looked up\n",
		"SELECT nmae FROM customers":                                                 "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"name\"?\n",
		"SELECT c.creatd_at FROM customers c":                                        "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"created_at\"?\n",
		"SELECT * FROM custmers":                                                     "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT * FROM `" + db.name + "`.`custmers`":                                 "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT id FORM customers":                                                   "error /query: is no SQL of this database at character 16\n→ correct the syntax there\n",
		"SELECT id FROM customers WHERE (":                                           "error /query: is no SQL of this database at character 33\n→ correct the syntax there\n",
		"SELECT id FROM customers JOIN orders ON true":                               "error /query: names a column of more than one table at character 8\n→ put the table's name before it\n",
		"SELECT nofunction(id) FROM customers":                                       "error /query: calls a function that does not exist at character 8\n→ correct the name\n",
		"SELECT id, id FROM customers WHERE FROM":                                    "error /query: is no SQL of this database at character 36\n→ correct the syntax there\n",
		"SELECT (id)) FROM customers WHERE name = '" + strings.Repeat("a", 99) + "'": "error /query: is no SQL of this database at character 12\n→ correct the syntax there\n",
		"SELECT 'ä',\n nme FROM customers":                                           "error /query: names a column at line 2, character 2 that does not exist in the database\n→ did you mean \"name\"?\n",
		"SELECT :id FROM customers":                                                  "error /query: is no SQL of this database at character 8\n→ correct the syntax there\n",
		"SELECT * FROM Customers":                                                    "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT * FROM nosuch.customers":                                             "error /query: names a table at character 15 that does not exist in the database\n",
		"SHOW TABLES":                                                                "skip: not looked: the text is refused as it is\n",
		"":                                                                           "skip: not looked: the text is refused as it is\n",
		"INSERT INTO custmers (id) VALUES (1)": "error /query: names a table at character 13 that does not exist in the database\n→ did you mean \"customers\"?\n" +
			"skip: not looked: the database prepares what writes or locks only where it could be run; only its tables are looked up\n",
		"INSERT INTO customers (id) VALUES (1)": "skip: not looked: the database prepares what writes or locks only where it could be run; only its tables are looked up\n",
		"SELECT 1; SELECT 2":                    "skip: not looked: the text is refused as it is\n",
	} {
		if diff := cmp.Diff(want, look(t, s, everything(db.dsn), statement)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
}

// TestMySQLChangesNothing asks about what writes when it is run, and when MariaDB plans
// it: it runs deterministic functions then.
func TestMySQLChangesNothing(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	db.run(t, "CREATE TABLE log (id int)", "CREATE TABLE plain (id int) ENGINE=MyISAM", "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)",
		"CREATE FUNCTION writes() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO log VALUES (1); RETURN 1; END",
		"CREATE FUNCTION lies() RETURNS int DETERMINISTIC NO SQL BEGIN INSERT INTO log VALUES (1); INSERT INTO plain VALUES (1); RETURN 1; END",
		"CREATE FUNCTION sets() RETURNS int DETERMINISTIC NO SQL BEGIN SET @toolvet = 1; RETURN 1; END",
		"CREATE VIEW hidden AS SELECT * FROM t WHERE id = lies()", "CREATE VIEW derived AS SELECT * FROM (SELECT lies() AS x) d")
	db.run(t, "EXPLAIN SELECT * FROM hidden")
	before := db.value(t, "SELECT COUNT(*) FROM log") // what EXPLAIN alone does: this is no idle fear
	t.Logf("EXPLAIN alone wrote %s rows", before)
	s := newState(t)
	for statement, want := range map[string]string{
		"INSERT INTO log VALUES (1)":            "skip: not looked: the database prepares what writes or locks only where it could be run; only its tables are looked up\n",
		"DELETE FROM t":                         "skip: not looked: the database prepares what writes or locks only where it could be run; only its tables are looked up\n",
		"SELECT writes()":                       "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT * FROM t WHERE id = lies()":     "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT * FROM (SELECT lies() AS x) d":  "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT * FROM hidden":                  "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT * FROM derived":                 "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT sets()":                         "skip: not looked: the cost is not known, because it calls a stored function, which the planner may run\n",
		"SELECT * FROM t WHERE id = SLEEP(100)": "skip: not looked: the cost is not known, because it calls a function that toolvet refuses by default\n",
		"SELECT GET_LOCK('toolvet', 100)":       "skip: not looked: the cost is not known, because it calls a function that toolvet refuses by default\n",
	} {
		o := everything(db.dsn)
		o.WarnCost = 1e9
		if diff := cmp.Diff(want, look(t, s, o, statement)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
	for query, want := range map[string]string{
		"SELECT COUNT(*) FROM log": before, "SELECT COUNT(*) FROM t": "2", "SELECT COUNT(*) FROM plain": before, "SELECT COALESCE(IS_USED_LOCK('toolvet'), 'free')": "free",
	} {
		if got := db.value(t, query); got != want {
			t.Errorf("%s = %s afterwards, want %s", query, got, want)
		}
	}
}

func TestMySQLPrivileges(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	user := strings.Replace(db.name, "toolvet", "tv", 1) // MySQL's names of users are short
	db.run(t, "CREATE TABLE open (id int)", "CREATE TABLE secret (id int)", "CREATE TABLE partly (id int, salary int)",
		"CREATE USER '"+user+"'@'%' IDENTIFIED BY 'right horse'", "GRANT SELECT ON "+db.name+".open TO '"+user+"'@'%'", "GRANT SELECT (id) ON "+db.name+".partly TO '"+user+"'@'%'")
	t.Cleanup(func() { db.run(t, "DROP USER '"+user+"'@'%'") })
	s := newState(t)
	dsn := strings.Replace(db.dsn, "root@", user+":right%20horse@", 1)
	denied := "error /query: uses something without a privilege for the user of the dsn%s\n→ leave it out, or grant the privilege to the user of the tool\n"
	for statement, want := range map[string]string{
		"SELECT * FROM open":                                         "",
		"SELECT id FROM partly":                                      "",
		"SELECT * FROM secret":                                       denied,
		"SELECT salary FROM partly":                                  denied,
		"SELECT id FROM partly WHERE salary > 1":                     denied,
		"INSERT INTO open VALUES (1)":                                denied,
		"SELECT * FROM mysql.user":                                   denied,
		"SELECT * FROM open WHERE ID = (SELECT MAX(id) FROM secret)": denied,
	} {
		got := look(t, s, everything(dsn), statement)
		before, after, found := strings.Cut(want, "%s")
		if got != want && !(found && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)) {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
	wrong := strings.Replace(db.dsn, "root@", user+":wrong%20horse@", 1)
	got := look(t, s, everything(wrong), "SELECT 1")
	if !strings.Contains(got, "refuses the user or the password") || strings.Contains(got, "horse") {
		t.Errorf("with a wrong password: %s", got)
	}
}

func TestMySQLCost(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	db.run(t, "CREATE TABLE big (id int)", "INSERT INTO big VALUES "+strings.TrimSuffix(strings.Repeat("(1),", 1000), ","), "ANALYZE TABLE big")
	s := newState(t)
	o := everything(db.dsn)
	o.WarnCost, o.MaxCost, o.WarnRows = 10_000, 100_000, 100_000
	if got := look(t, s, o, "SELECT * FROM big LIMIT 10"); got != "" {
		t.Errorf("a cheap statement: %s", got)
	}
	got := look(t, s, o, "SELECT count(*) FROM big a, big b")
	for _, want := range []string{"error /query: costs about ", "warning /query: works through about 1000000 rows"} {
		if !strings.Contains(got, want) {
			t.Errorf("a costly statement: %q, want %q in it", got, want)
		}
	}
}

// TestMySQLUnknownCost holds that a limit of the cost refuses statements without an estimate, and
// that a mere warning refuses nothing.
func TestMySQLUnknownCost(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	db.run(t, "CREATE TABLE t (id int)")
	s := newState(t)
	limit, warning := everything(db.dsn), everything(db.dsn)
	limit.MaxCost, warning.WarnCost = 1000, 1000
	for statement, why := range map[string]string{
		"SELECT 1 FROM t UNION SELECT 2":                 "this database estimates it only for queries without UNION and subqueries",
		"SELECT * FROM t WHERE id IN (SELECT 1 FROM t)":  "this database estimates it only for queries without UNION and subqueries",
		"SELECT * FROM (SELECT id FROM t GROUP BY id) d": "this database estimates it only for queries without UNION and subqueries",
		"SELECT * FROM t WHERE id = ?":                   "it has parameters, whose values the planner does not know",
		"EXPLAIN SELECT * FROM t":                        "it is an EXPLAIN itself",
	} {
		want := "error /query: has a cost that is not known, because " + why + "; at most 1000 is allowed\n" +
			"→ write it without that, or ask whoever keeps the policy to do without max_cost\n"
		if diff := cmp.Diff(want, look(t, s, limit, statement)); diff != "" {
			t.Errorf("max_cost, %s (-want +got)\n%s", statement, diff)
		}
		want = "skip: not looked: the cost is not known, because " + why + "\n"
		if diff := cmp.Diff(want, look(t, s, warning, statement)); diff != "" {
			t.Errorf("warn_cost, %s (-want +got)\n%s", statement, diff)
		}
	}
	for _, statement := range []string{"SELECT 1", "SELECT * FROM t WHERE 1 = 0", "SELECT * FROM t"} {
		if got := look(t, s, limit, statement); got != "" {
			t.Errorf("%s: %s", statement, got)
		}
	}
}

// TestMySQLLocked asks about a table that another session is changing, which blocks readers.
func TestMySQLLocked(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	db.run(t, "CREATE TABLE held (id int)")
	reader, writer := newMySQLAdmin(t, db.dsn), newMySQLAdmin(t, db.dsn)
	if _, err := reader.ask("BEGIN"); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.ask("SELECT * FROM held"); err != nil {
		t.Fatal(err)
	}
	altered := make(chan error, 1)
	go func() {
		_, err := writer.ask("ALTER TABLE held ADD COLUMN more int")
		altered <- err
	}()
	waiting := "SELECT COUNT(*) FROM information_schema.processlist WHERE db = '" + db.name + "' AND state LIKE 'Waiting for table metadata lock'"
	waitUntil(t, "the change waits", func() bool { return db.value(t, waiting) == "1" })
	t.Cleanup(func() {
		if _, err := reader.ask("ROLLBACK"); err != nil {
			t.Error(err)
		}
		if err := <-altered; err != nil {
			t.Error(err)
		}
	})
	t.Run("the server's limit", func(t *testing.T) {
		o := everything(db.dsn)
		o.StatementTimeout = 50 * time.Millisecond
		want := "error /query: cannot be checked: the MySQL database at 127.0.0.1:3306 did not answer in time\n→ try again, or give the policy's statement_timeout more time\n"
		if got := look(t, newState(t), o, "SELECT * FROM held"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("our limit", func(t *testing.T) {
		o := everything(db.dsn)
		o.StatementTimeout = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if got := lookWithin(ctx, t, newState(t), o, "SELECT * FROM held", check.World{}); got != late {
			t.Errorf("%q, want %q", got, late)
		}
		waitUntil(t, "the statement is killed on the server", func() bool { return db.value(t, waiting) == "1" })
	})
}
