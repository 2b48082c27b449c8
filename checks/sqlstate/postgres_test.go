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

func TestPostgres(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE customers (id int PRIMARY KEY, name text, created_at timestamptz)",
		"CREATE TABLE orders (id int, customer_id int)", `CREATE TABLE "Odd Name" (a int, "Mixed" int)`,
		"CREATE SCHEMA "+db.name+"_other", "CREATE TABLE "+db.name+"_other.invoices (id int)")
	t.Cleanup(func() { db.run(t, "DROP SCHEMA "+db.name+"_other CASCADE") })
	s := newState(t)
	for statement, want := range map[string]string{
		"SELECT id, name FROM customers WHERE id = $1":                               "",
		`SELECT a FROM "Odd Name"`:                                                   "",
		"WITH c AS (SELECT 1 AS x) SELECT x FROM c":                                  "",
		`SELECT "Mixed" FROM "Odd Name" AS o(a, "Mixed")`:                            "",
		"SELECT name FROM customers WHERE (id, name) = ($1, $2) AND created_at > $3": "",
		"SELECT relname FROM pg_class":                                               "",
		"EXPLAIN SELECT * FROM customers":                                            "",
		"INSERT INTO customers (id) VALUES (1)":                                      "",
		"UPDATE customers SET name = '' WHERE id = 1":                                "",
		"SELECT * FROM customers FOR UPDATE":                                         "",
		"SELECT nmae FROM customers":                                                 "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"name\"?\n",
		"SELECT c.creatd_at FROM customers c":                                        "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"created_at\"?\n",
		"SELECT 'ä',\n nme FROM customers":                                           "error /query: names a column at line 2, character 2 that does not exist in the database\n→ did you mean \"name\"?\n",
		"SELECT zzz FROM customers":                                                  "error /query: names a column at character 8 that does not exist in the database\n",
		"SELECT * FROM custmers":                                                     "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT * FROM public.custmers":                                              "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT * FROM invoices":                                                     "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"" + db.name + "_other.invoices\"?\n",
		"EXPLAIN SELECT * FROM custmers":                                             "error /query: names a table at character 23 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT id FORM customers":                                                   "error /query: is no SQL of this database at character 16\n→ correct the syntax there\n",
		"SELECT id FROM customers WHERE (":                                           "error /query: is no SQL of this database at character 33\n→ correct the syntax there\n",
		"SELECT id FROM customers JOIN orders ON true":                               "error /query: names a column of more than one table at character 8\n→ put the table's name before it\n",
		"SELECT nofunction(id) FROM customers":                                       "error /query: calls a function or uses an operator that does not exist for these types at character 8\n→ correct the name, or cast the arguments\n",
		"SELECT name, count(*) FROM customers":                                       "error /query: uses a column that is neither grouped nor in an aggregate at character 8\n→ put it into GROUP BY or an aggregate\n",
		"SELECT id FROM customers WHERE id = '" + secret + "'":                       "error /query: has a value of a type that does not fit at character 37\n→ cast it, or write it in the form of the type\n",
		"SELECT mixed FROM \"Odd Name\"":                                             "error /query: names a column at character 8 that does not exist in the database\n→ did you mean \"Mixed\"?\n",
		"SELECT * FROM \"Odd Nmae\"":                                                 "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"Odd Name\"?\n",
		"SELECT * FROM nosuch.customers":                                             "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"customers\"?\n",
		"SELECT id FROM customers WHERE id = :id":                                    "error /query: is no SQL of this database at character 37\n→ correct the syntax there\n",
		"SELECT 'x'::nosuch":                                                         "error /query: names a type, collation or the like that does not exist at character 13\n→ correct the name\n",
		"SELECT dblink('', '')":                                                      "skip: not looked: the text is refused as it is\n",
		"":                                                                           "skip: not looked: the text is refused as it is\n",
		" -- nothing":                                                                "skip: not looked: the text is refused as it is\n",
		"SHOW search_path":                                                           "skip: not looked: the text is refused as it is\n",
		"SELECT 1; SELECT 2":                                                         "skip: not looked: the text is refused as it is\n",
		"CREATE TABLE x (a int)":                                                     "skip: not looked: statements of the kind create are not prepared\n",
	} {
		if diff := cmp.Diff(want, look(t, s, everything(db.dsn), statement)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
}

// TestPostgresChangesNothing asks about statements that would write, with a policy that allows
// them all, so that every statement reaches the database.
func TestPostgresChangesNothing(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE log (id int)", "CREATE SEQUENCE seq", "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1), (2)",
		"CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN INSERT INTO log VALUES (1); RETURN 1; END$$",
		"CREATE FUNCTION lies() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM writes(); RETURN 1; END$$",
		"CREATE VIEW hidden AS SELECT * FROM t WHERE id = lies()")
	s := newState(t)
	for statement, want := range map[string]string{
		"INSERT INTO log VALUES (1)": "",
		"DELETE FROM t":              "",
		"UPDATE t SET id = 3":        "",
		"WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone":  "",
		"WITH new AS (INSERT INTO log VALUES (1) RETURNING 1) SELECT 1": "",
		"SELECT nextval('seq')":                              "skip: not looked: the cost is not known, because it calls a function that toolvet refuses by default\n",
		"SELECT writes()":                                    "warning /query: calls a function at character 8 that the database declares volatile: it may write\n→ let the tool's role have no right to what it may write\n",
		"SELECT * FROM t WHERE id = writes()":                "warning /query: calls a function at character 28 that the database declares volatile: it may write\n→ let the tool's role have no right to what it may write\n",
		"SELECT * FROM t WHERE id = lies()":                  "skip: not looked: the cost is not known, because it calls a function that the planner may run\n",
		"SELECT * FROM hidden":                               "error /query: calls a function that writes\n→ leave it out\n",
		"SELECT set_config('toolvet.changed', 'yes', false)": "skip: not looked: the cost is not known, because it calls a function that toolvet refuses by default\n",
	} {
		o := everything(db.dsn)
		o.WarnCost = 1e9
		got := look(t, s, o, statement)
		if strings.Contains(statement, "writes()") {
			got, _, _ = strings.Cut(got, "skip:")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM log": "0", "SELECT count(*) FROM t": "2", "SELECT min(id) FROM t": "1", "SELECT last_value || ' ' || is_called FROM seq": "1 false",
	} {
		if got := db.value(t, query); got != want {
			t.Errorf("%s = %s afterwards, want %s", query, got, want)
		}
	}
}

func TestPostgresPrivileges(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	role := db.name + "_reader"
	db.run(t, "CREATE TABLE open (id int)", "CREATE TABLE secret (id int)", "CREATE TABLE partly (id int, salary int)", "CREATE SCHEMA "+db.name+"_closed",
		"CREATE TABLE "+db.name+"_closed.t (id int)", "CREATE ROLE "+role+" LOGIN", "GRANT USAGE ON SCHEMA "+db.name+" TO "+role,
		"GRANT SELECT ON open TO "+role, "GRANT SELECT (id) ON partly TO "+role)
	t.Cleanup(func() {
		db.run(t, "DROP SCHEMA "+db.name+"_closed CASCADE", "DROP OWNED BY "+role, "DROP ROLE "+role)
	})
	s := newState(t)
	o := everything(strings.Replace(db.dsn, "postgres@", role+"@", 1))
	for statement, want := range map[string]string{
		"SELECT * FROM open":                                     "",
		"SELECT id FROM partly":                                  "",
		"SELECT * FROM open AS secret":                           "",
		"WITH secret AS (SELECT 1) SELECT * FROM secret":         "",
		"SELECT * FROM secret":                                   "error /query: uses a table at character 15 on which the role of the dsn has no privilege SELECT\n→ leave it out, or grant SELECT on it to the role of the tool\n",
		"SELECT * FROM open WHERE id IN (SELECT id FROM secret)": "error /query: uses a table at character 48 on which the role of the dsn has no privilege SELECT\n→ leave it out, or grant SELECT on it to the role of the tool\n",
		"INSERT INTO open VALUES (1)":                            "error /query: uses a table at character 13 on which the role of the dsn has no privilege INSERT\n→ leave it out, or grant INSERT on it to the role of the tool\n",
		"DELETE FROM open":                                       "error /query: uses a table at character 13 on which the role of the dsn has no privilege DELETE\n→ leave it out, or grant DELETE on it to the role of the tool\n",
		"SELECT * FROM partly":                                   "error /query: returns columns that the role of the dsn has no privilege to read: 1 of them\n→ name the columns that the role may read, or grant SELECT on the others to it\n",
		"SELECT * FROM " + db.name + "_closed.t":                 "error /query: uses what the role of the dsn has no privilege for at character 15\n→ leave it out, or grant the privilege to the role of the tool\n",
		"SELECT * FROM opne":                                     "error /query: names a table at character 15 that does not exist in the database\n→ did you mean \"open\"?\n",
		"SELECT * FROM secrte":                                   "error /query: names a table at character 15 that does not exist in the database\n", // not told of what it may not read
	} {
		if diff := cmp.Diff(want, look(t, s, o, statement)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", statement, diff)
		}
	}
	o.WarnCost = 1e9 // the planner looks at all columns
	want := "error /query: uses what the role of the dsn has no privilege for\n→ leave it out, or grant the privilege to the role of the tool\n"
	if diff := cmp.Diff(want, look(t, s, o, "SELECT id FROM partly WHERE salary > 1")); diff != "" {
		t.Errorf("planned (-want +got)\n%s", diff)
	}
}

func TestPostgresCost(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE big (id int)", "INSERT INTO big SELECT generate_series(1, 10000)", "ANALYZE big")
	s := newState(t)
	o := everything(db.dsn)
	o.WarnCost, o.MaxCost, o.WarnRows = 1000, 100_000, 50_000
	if got := look(t, s, o, "SELECT * FROM big LIMIT 10"); got != "" {
		t.Errorf("a cheap statement: %s", got)
	}
	got := look(t, s, o, "SELECT count(*) FROM big a, big b")
	for _, want := range []string{"error /query: costs about ", " and at most 100000 is allowed", "warning /query: works through about 100000000 rows"} {
		if !strings.Contains(got, want) {
			t.Errorf("a costly statement: %q, want %q in it", got, want)
		}
	}
	o.MaxCost = 0
	if got := look(t, s, o, "SELECT count(*) FROM big a, big b"); !strings.Contains(got, "warning /query: costs about ") || strings.Contains(got, "error") {
		t.Errorf("a costly statement, warned of: %s", got)
	}
}

// TestPostgresCostOfMore holds that parameters and changes of rows have a cost as well, and that
// a limit refuses unplanned statements.
func TestPostgresCostOfMore(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE big (id int PRIMARY KEY, txt text)", "INSERT INTO big SELECT generate_series(1, 10000), 'a'", "ANALYZE big",
		"CREATE FUNCTION own() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'")
	s := newState(t)
	o := everything(db.dsn)
	o.MaxCost = 100
	const costly, unknown = "error /query: costs about ", "error /query: has a cost that is not known, because "
	for range 2 { // what the first round left behind must not trouble the second
		for statement, want := range map[string]string{
			"SELECT * FROM big WHERE id = $1":                                      "",
			"SELECT * FROM big WHERE txt = $1 AND id > $2":                         costly,
			"SELECT id FROM big WHERE txt = 'a'":                                   costly,
			"UPDATE big SET txt = 'b'":                                             costly,
			"UPDATE big SET txt = 'b' WHERE id = 1":                                "",
			"DELETE FROM big WHERE txt = $1":                                       costly,
			"WITH gone AS (DELETE FROM big RETURNING *) SELECT count(*) FROM gone": costly,
			"SELECT * FROM big FOR UPDATE":                                         costly,
			"EXPLAIN SELECT * FROM big":                                            unknown + "it is an EXPLAIN itself",
			"EXPLAIN ANALYZE SELECT * FROM big":                                    unknown + "it is an EXPLAIN itself",
			"SELECT own()":                                                         unknown + "it calls a function that the planner may run",
		} {
			got := look(t, s, o, statement)
			if want == "" && got != "" || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", statement, got, want)
			}
		}
	}
}

// TestPostgresLocked asks about a table that another session holds.
func TestPostgresLocked(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE held (id int)")
	other := newPostgresAdmin(t, db.dsn)
	if _, err := other.ask("BEGIN; LOCK TABLE held IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	t.Run("the server's limit", func(t *testing.T) {
		o := everything(db.dsn)
		o.StatementTimeout = 50 * time.Millisecond
		want := "error /query: cannot be checked: the PostgreSQL database at 127.0.0.1:5432 did not answer in time\n→ try again, or give the policy's statement_timeout more time\n"
		if got := look(t, newState(t), o, "SELECT * FROM held"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("our limit", func(t *testing.T) {
		o := everything(strings.Replace(db.dsn, "postgres?", "postgres?application_name="+db.name+"&", 1))
		o.StatementTimeout = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if got := lookWithin(ctx, t, newState(t), o, "SELECT * FROM held", check.World{}); got != late {
			t.Errorf("%q, want %q", got, late)
		}
		waitUntil(t, "the statement is cancelled on the server", func() bool {
			return db.value(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"+db.name+"'") == "0"
		})
	})
}

// TestPostgresConnections holds that there are few, and none in the end.
func TestPostgresConnections(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	db.run(t, "CREATE TABLE t (id int)")
	s := newState(t)
	o := everything(strings.Replace(db.dsn, "postgres?", "postgres?application_name="+db.name+"&", 1))
	const calls = 40
	found := make(chan string, calls)
	for range calls {
		go func() { found <- look(t, s, o, "SELECT * FROM t") }()
	}
	for range calls {
		if got := <-found; got != "" {
			t.Error(got)
		}
	}
	count := "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + db.name + "'"
	if got := db.value(t, count); got < "1" || got > "4" {
		t.Errorf("%s connections are kept, want 1 to 4", got)
	}
	db.run(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+db.name+"'")
	if got := look(t, s, o, "SELECT * FROM t"); got != "" {
		t.Errorf("after the server closed the connections: %s", got)
	}
	s.Close()
	waitUntil(t, "no connection is left", func() bool { return db.value(t, count) == "0" })
}

// waitUntil waits for something that happens elsewhere.
func waitUntil(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("does not come true: %s", what)
		}
	}
}
