// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
	"github.com/toolvet/toolvet/checks/sql"
)

// reckless allows everything that a policy can allow, and asks for the cost, so that only this
// package stands between a statement and the database.
func reckless(dsn string) *sql.Options {
	return &sql.Options{
		DSN:            dsn,
		MaxStatements:  10,
		MaxLength:      10 << 20,
		AllowFunctions: []string{"*"},
		WarnCost:       1,
		Statements: []string{"select", "show", "insert", "update", "delete", "merge", "create", "alter", "drop", "truncate", "grant", "lock",
			"transaction", "session", "call", "copy", "maintenance", "attach", "pragma", "other"},
	}
}

// unchanged asks about statements that would change the value of a query, or wait for
// long, if anything of them was run.
func unchanged(t *testing.T, db *server, query string, statements []string) {
	t.Helper()
	before := db.value(t, query)
	s := newState(t)
	for _, statement := range statements {
		start := time.Now()
		look(t, s, reckless(db.dsn), statement)
		if took := time.Since(start); took > soon {
			t.Errorf("%s took %v: it was run", statement, took)
		}
		if after := db.value(t, query); after != before {
			t.Fatalf("%s changed %q to %q", statement, before, after)
		}
	}
}

func TestPostgresRunsNothing(t *testing.T) {
	t.Parallel()
	db := newServerPostgres(t)
	file := filepath.Join(t.TempDir(), "out")
	db.run(t, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE SEQUENCE seq",
		"CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN INSERT INTO t VALUES (7); RETURN 1; END$$",
		"CREATE FUNCTION steady() RETURNS int LANGUAGE plpgsql STABLE AS $$BEGIN PERFORM writes(); RETURN 1; END$$",
		"CREATE FUNCTION lies() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM writes(); RETURN 1; END$$",
		"CREATE FUNCTION counts() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN nextval('seq'); END$$",
		"CREATE FUNCTION copies() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN COPY t FROM PROGRAM 'echo 9'; RETURN 1; END$$",
		"CREATE OPERATOR ### (leftarg = int, rightarg = int, function = int4pl)",
		"CREATE FUNCTION liar(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM writes(); RETURN true; END$$",
		"CREATE OPERATOR #### (leftarg = int, rightarg = int, function = liar)",
		"CREATE VIEW hidden_write AS SELECT * FROM t WHERE id = lies()", "CREATE VIEW hidden_steady AS SELECT * FROM t WHERE id = steady()",
		"CREATE VIEW hidden_count AS SELECT * FROM t WHERE id = counts()", "CREATE VIEW hidden_copy AS SELECT * FROM t WHERE id = copies()")
	unchanged(t, db, "SELECT (SELECT count(*) || ' ' || sum(id) FROM t) || (SELECT last_value || ' ' || is_called FROM seq) || "+
		"(SELECT count(*) FROM pg_class WHERE relnamespace = '"+db.name+"'::regnamespace)", []string{
		"INSERT INTO t VALUES (2)", "UPDATE t SET id = 2", "DELETE FROM t", "TRUNCATE t", "DROP TABLE t", "CREATE TABLE u (id int)", "SELECT 1 AS id INTO u",
		"MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
		"WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone", "WITH new AS (INSERT INTO t VALUES (3) RETURNING id) SELECT * FROM new",
		"SELECT nextval('seq')", "SELECT setval('seq', 50)", "SELECT writes()", "SELECT steady()", "SELECT lies()", "SELECT counts()",
		"SELECT * FROM t WHERE id = lies()", "SELECT * FROM t WHERE id = (SELECT lies())", "SELECT 1 LIMIT lies()",
		"SELECT * FROM hidden_write", "SELECT * FROM hidden_steady", "SELECT * FROM hidden_count", "SELECT * FROM hidden_copy",
		"SELECT 1 #### 2", "SELECT * FROM t WHERE 1 #### 2", "SELECT * FROM t WHERE id = $1 AND 1 #### 2",
		"EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN (ANALYZE) INSERT INTO t VALUES (4)", "EXPLAIN (ANALYZE true, BUFFERS) SELECT writes()",
		"ANALYZE t", "ANALYZE SELECT writes()", "(ANALYZE) SELECT writes()", "/**/ ANALYZE DELETE FROM t",
		"SELECT pg_sleep(100)", "SELECT * FROM t WHERE pg_sleep(100) IS NULL", "SELECT pg_sleep(100) FROM generate_series(1, 10)",
		"SELECT 1; INSERT INTO t VALUES (5)", "COMMIT; INSERT INTO t VALUES (5)", "ROLLBACK; INSERT INTO t VALUES (5)", "SELECT $1; INSERT INTO t VALUES (5)",
		"COMMIT", "ROLLBACK", "SET TRANSACTION READ WRITE", "SET default_transaction_read_only = off", "SELECT set_config('transaction_read_only', 'off', false)",
		"PREPARE p AS INSERT INTO t VALUES (6)", "EXECUTE p", "DO $$BEGIN INSERT INTO t VALUES (6); END$$", "CALL writes()", "VACUUM t",
		"COPY t TO PROGRAM 'touch " + file + "'", "COPY t FROM PROGRAM 'echo 9'", "COPY t TO '" + file + "'", "COPY t FROM STDIN",
		"SELECT pg_notify('a', 'b')", "NOTIFY a", "LISTEN a", "LOCK TABLE t", "SELECT pg_advisory_lock(7)",
		"SELECT * FROM dblink('dbname=postgres', 'INSERT INTO t VALUES (8)') AS d(id int)", "SELECT lo_import('/etc/hostname')", "SELECT lo_create(0)",
		"SELECT query_to_xml('INSERT INTO t VALUES (8)', true, true, '')", "SELECT pg_terminate_backend(pg_backend_pid())",
	})
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s was written", file)
	}
	if got := db.value(t, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7"); got != "0" {
		t.Errorf("%s advisory locks are held", got)
	}
}

func TestMySQLRunsNothing(t *testing.T) {
	t.Parallel()
	db := newServerMySQL(t)
	file := "/tmp/" + db.name + ".out" // the server itself must be able to write there
	db.run(t, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)", "CREATE TABLE plain (id int) ENGINE=MyISAM",
		"CREATE FUNCTION lies() RETURNS int DETERMINISTIC NO SQL BEGIN INSERT INTO plain VALUES (1); RETURN 1; END",
		"CREATE PROCEDURE writes() INSERT INTO plain VALUES (2)",
		"CREATE VIEW hidden AS SELECT * FROM t WHERE id = lies()", "CREATE VIEW derived AS SELECT * FROM (SELECT lies() AS x) d")
	unchanged(t, db, "SELECT CONCAT((SELECT COUNT(*) FROM t), ' ', (SELECT COUNT(*) FROM plain), ' ', COALESCE(IS_USED_LOCK('"+db.name+"'), 'free'), ' ', "+
		"(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '"+db.name+"'))", []string{
		"INSERT INTO plain VALUES (2)", "UPDATE t SET id = id + 5", "DELETE FROM t", "REPLACE INTO plain VALUES (3)", "TRUNCATE t", "DROP TABLE t", "CREATE TABLE u (id int)",
		"SELECT lies()", "SELECT * FROM t WHERE id = lies()", "SELECT * FROM (SELECT lies() AS x) d", "SELECT (SELECT lies())", "SELECT * FROM hidden", "SELECT * FROM derived",
		"ANALYZE SELECT lies()", "ANALYZE FORMAT=JSON SELECT lies()", "/*!50000 ANALYZE */ SELECT lies()", "/*M! ANALYZE */ SELECT lies()",
		"EXPLAIN ANALYZE SELECT lies()", "EXPLAIN FORMAT=JSON SELECT * FROM hidden", "ANALYZE TABLE t", "ANALYZE DELETE FROM t",
		"SELECT SLEEP(100)", "SELECT * FROM t WHERE id = SLEEP(100)", "SELECT * FROM t WHERE id = (SELECT SLEEP(100))", "SELECT * FROM (SELECT SLEEP(100)) d",
		"SELECT BENCHMARK(10000000000, MD5('a'))", "SELECT * FROM t WHERE id = BENCHMARK(10000000000, MD5('a'))",
		"SELECT GET_LOCK('" + db.name + "', 100)", "SELECT * FROM t WHERE id = GET_LOCK('" + db.name + "', 100)", "SELECT * FROM (SELECT GET_LOCK('" + db.name + "', 100)) d",
		"SELECT 1 INTO OUTFILE '" + file + "'", "SELECT * FROM t INTO DUMPFILE '" + file + "'", "SELECT 1 INTO @a", "SELECT @a := 1",
		"SELECT 1; INSERT INTO plain VALUES (4)", "COMMIT; INSERT INTO plain VALUES (4)", "COMMIT", "SET SESSION TRANSACTION READ WRITE", "SET GLOBAL read_only = 0",
		"PREPARE p FROM 'INSERT INTO plain VALUES (5)'", "EXECUTE IMMEDIATE 'INSERT INTO plain VALUES (5)'", "CALL writes()", "DO lies()", "HANDLER t OPEN",
		"LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE plain", "LOCK TABLES t WRITE", "FLUSH TABLES", "KILL CONNECTION_ID()", "SELECT * FROM t PROCEDURE ANALYSE()",
		"SELECT 1 /*! INTO OUTFILE '" + file + "' */", "SELECT 1 /*!99999 ; INSERT INTO plain VALUES (6) */",
	})
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s was written", file)
	}
}

func TestSQLiteRunsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := newServerSQLite(t, filepath.Join(dir, "shop.db"))
	db.run(t, "CREATE TABLE t (id int)", "INSERT INTO t VALUES (1)", "CREATE TABLE log (id int)",
		"CREATE TRIGGER note AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (1); END")
	unchanged(t, db, "SELECT (SELECT COUNT(*) || ' ' || SUM(id) FROM t) || ' ' || (SELECT COUNT(*) FROM log) || (SELECT COUNT(*) FROM sqlite_schema)", []string{
		"INSERT INTO t VALUES (2)", "UPDATE t SET id = 2", "DELETE FROM t", "REPLACE INTO t VALUES (3)", "DROP TABLE t", "CREATE TABLE u (id int)", "ALTER TABLE t ADD COLUMN b int",
		"WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c", "INSERT INTO t VALUES (1) RETURNING id",
		"EXPLAIN INSERT INTO t VALUES (2)", "EXPLAIN QUERY PLAN DELETE FROM t",
		"ATTACH '" + dir + "/other.db' AS o", "ATTACH 'file:" + dir + "/shop.db?mode=rwc' AS o", "VACUUM", "VACUUM INTO '" + dir + "/copy.db'",
		"PRAGMA query_only = 0", "PRAGMA journal_mode = wal", "PRAGMA user_version = 5", "PRAGMA writable_schema = 1", "SELECT * FROM pragma_journal_mode('wal')",
		"SELECT load_extension('/no/such')", "SELECT writefile('" + dir + "/out', 'x')", "SELECT edit('a')", "SELECT fts3_tokenizer('simple', x'00')",
		"BEGIN; INSERT INTO t VALUES (4); COMMIT", "SELECT 1; INSERT INTO t VALUES (5)", "SAVEPOINT a", "COMMIT", "REINDEX", "ANALYZE", "CREATE TEMP TABLE x (id int)",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c", "SELECT randomblob(1000000000)",
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, want shop.db alone (%v)", entries, err)
	}
}

// TestSessionCannotWrite holds that no statement can write in the sessions of this package.
func TestSessionCannotWrite(t *testing.T) {
	t.Parallel()
	postgresDB, mysqlDB, sqliteDB := newServerPostgres(t), newServerMySQL(t), newServerSQLite(t, filepath.Join(t.TempDir(), "t.db"))
	for _, db := range []*server{postgresDB, mysqlDB, sqliteDB} {
		db.run(t, "CREATE TABLE t (id int)")
	}
	const insert = "INSERT INTO t VALUES (1)"
	q := &question{o: &sqltext.Options{}, source: insert, text: sqltext.Read(insert, "generic"), timeout: time.Second}
	refused := func(name string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("%s: an insert: %v, want an error that says %q", name, err, want)
		}
	}

	conn, err := drivers.Postgres.Connect(t.Context(), postgresDB.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	session := &postgresSession{driver: drivers.Postgres, conn: conn, q: q}
	if err := session.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused("PostgreSQL", conn.Run(t.Context(), insert), "read-only transaction")

	m := newMySQLAdmin(t, mysqlDB.dsn).(mysqlAdmin)
	if err := (&mysqlSession{mysqlConn: m.mysqlConn, q: q}).begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused("MySQL", m.exec(t.Context(), insert), "read only transaction")

	src := strings.TrimPrefix(sqliteDB.dsn, "sqlite:")
	lite := &sqliteSession{driver: drivers.SQLite, q: q}
	if err := lite.connect(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	defer lite.conn.Close()
	refused("SQLite", (&mysqlConn{Conn: lite.conn}).exec(t.Context(), insert), "readonly")
}
