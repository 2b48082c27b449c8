// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

// first is the first message about a text, or "".
func first(o *Options, text string) string {
	faults := o.Judge(text)
	if len(faults) == 0 {
		return ""
	}
	return faults[0].Message
}

func TestStatements(t *testing.T) {
	t.Parallel()
	of := func(dialect string, kinds ...string) *Options { return &Options{Dialect: dialect, Statements: kinds} }
	generic := new(Options)
	pg, my, lite, ms := of("postgres"), of("mysql"), of("sqlite"), of("mssql")
	for _, o := range []*Options{pg, my, lite, ms} {
		o.Statements = nil
	}
	for name, tt := range map[string]struct {
		options *Options
		text    string
		want    string // part of the first message; "" for none
	}{
		"select":           {generic, "select name from orders where id = 5;", ""},
		"values":           {generic, "VALUES (1), (2)", ""},
		"brackets":         {generic, "((SELECT 1) UNION (SELECT 2))", ""},
		"common table":     {generic, "WITH a AS (SELECT 1), b (x) AS (SELECT 2) SELECT * FROM a, b", ""},
		"words in strings": {generic, "SELECT 'DROP TABLE a; DELETE', \"update\" FROM t", ""},
		"names as words":   {generic, "SELECT update, t.delete, x AS insert FROM t", ""},
		"comments":         {generic, "/* a */ SELECT 1 -- b; DROP TABLE a\n", ""},
		"empty statements": {generic, ";; SELECT 1 ;;", ""},
		"explain":          {generic, "EXPLAIN SELECT 1", ""},
		"explain, options": {pg, "EXPLAIN (ANALYZE, FORMAT json) SELECT 1", ""},

		"module in a string":       {lite, "SELECT * FROM 'fsdir'('/')", "in a string"},
		"module behind a comma":    {generic, "SELECT * FROM a, 'zipfile'('x.zip')", "in a string"},
		"table in a string":        {lite, "SELECT * FROM a JOIN 'sqlite_dbpage'", "in a string"},
		"file in a string":         {generic, "SELECT * FROM '/etc/passwd.csv'", "in a string"},
		"module without arguments": {lite, "SELECT data FROM fsdir WHERE path = '/etc/passwd'", "reaches files"},
		"raw pages":                {&Options{Dialect: "sqlite", Statements: []string{"update"}}, "UPDATE sqlite_dbpage SET data = x''", "reaches files"},
		"module of a schema":       {lite, `SELECT name FROM "main".fsdir WHERE path = '/etc/passwd'`, "reaches files"},
		"module of a schema, text": {lite, "SELECT * FROM main.'csv'('/etc/passwd')", "in a string"},
		"module behind IN":         {lite, "SELECT 1 WHERE ('x', 2) IN main.zipfile('x.zip')", "reaches files"},
		"module in brackets":       {lite, "SELECT * FROM a JOIN ((csv('/etc/passwd')))", "reaches files"},
		"module with a comma":      {lite, "SELECT * FROM a, main.zipfile('x.zip')", "reaches files"},
		"module without, schema":   {lite, "SELECT * FROM main.zipfile WHERE file = 'x.zip'", "reaches files"},
		"an archive":               {lite, "SELECT t.zipfile, zipfile(name, data) FROM t", ""},
		"raw pages, schema":        {&Options{Dialect: "sqlite", Statements: []string{"update"}}, "UPDATE OR REPLACE main.sqlite_dbpage SET data = x''", "reaches files"},
		"raw pages, with":          {&Options{Dialect: "sqlite", Statements: []string{"update"}}, "WITH a AS (SELECT 1) UPDATE sqlite_dbpage SET data = x''", "reaches files"},
		"table function, list":     {of("clickhouse"), "SELECT * FROM a, url('http://x')", "reaches files"},
		"table function, brackets": {of("clickhouse"), "SELECT * FROM (url('http://x'))", "reaches files"},
		"table function, IN":       {of("clickhouse"), "SELECT 1 IN url('http://x', 'CSV', 'a int')", "reaches files"},
		"table function, insert":   {of("clickhouse", "insert"), "INSERT INTO FUNCTION file('x.csv') VALUES (1)", "reaches files"},
		"table function, describe": {of("clickhouse", "show", "select"), "DESCRIBE TABLE url('http://x')", "reaches files"},
		"tables of those names":    {of("clickhouse", "insert"), "INSERT INTO file (url) SELECT a.url FROM a JOIN b AS url (x) ON lower(url(x)) = ''", ""},

		"call as a column":            {pg, "SELECT x.pg_read_file FROM unnest(array['/etc/passwd']) x", "reads files"},
		"call as a column, generic":   {generic, "SELECT ('/etc/passwd'::text) . \"pg_read_file\"", "reads files"},
		"call as a column, chain":     {pg, "SELECT ('/etc/passwd'::text).pg_stat_file.size", "reads files"},
		"call as a column, element":   {pg, "SELECT (array['/etc'])[1].PG_LS_DIR", "reads files"},
		"call as a column, locks":     {pg, "SELECT 1 FROM generate_series(1, 9) q ORDER BY q.pg_advisory_lock", "locks"},
		"call as a column, objects":   {pg, "SELECT q.lo_unlink FROM unnest(array[1::oid]) q", "large objects"},
		"geometry, added":             {pg, "SELECT AddGeometryColumn('public', 'orders', 'g', 4326, 'POINT', 2)", "changes tables"},
		"geometry, dropped":           {pg, "SELECT public.DropGeometryTable('orders')", "changes tables"},
		"geometry, as a column":       {pg, "SELECT ('orders'::text).dropgeometrytable", "changes tables"},
		"geometry, read":              {pg, "SELECT ST_AsText(g), Find_SRID('public', 'orders', 'g') FROM orders", ""},
		"topology":                    {pg, "SELECT topology.DropTopology('t')", "changes tables"},
		"extension of one's own":      {pg, "SELECT pgtle.install_extension('a', '1', '', 'SELECT 1')", "changes tables or extensions"},
		"text of SQLite":              {lite, "SELECT eval('DROP TABLE t')", "runs a text as SQL"},
		"text that is hashed":         {lite, "SELECT sha3_query('DELETE FROM t')", "runs a text as SQL"},
		"files of SpatiaLite":         {lite, "SELECT ImportSHP('/etc/a', 't', 'UTF-8')", "writes files"},
		"text of another database":    {of("trino"), "SELECT * FROM TABLE(pg.system.query(query => 'DELETE FROM t'))", "runs a text as SQL"},
		"text of DuckDB":              {generic, "SELECT * FROM query('SELECT 1')", "reaches files"},
		"scalar file":                 {of("clickhouse"), "SELECT file('a.csv')", "reaches files"},
		"loop":                        {of("clickhouse"), "SELECT * FROM loop(url('http://x')) LIMIT 1", "reaches files"},
		"scalar file, escaped":        {of("clickhouse"), "SELECT `fil\\x65`('a.csv')", "an escape in a quoted name"},
		"table function, escaped":     {of("clickhouse"), `SELECT * FROM "u\x72l"('http://x')`, "an escape in a quoted name"},
		"schema, escaped":             {of("bigquery"), "SELECT * FROM `a\\x62` . c", "an escape in a quoted name"},
		"unknown database, escaped":   {of("generic"), `SELECT "fil\x65" /**/ ('a.csv')`, "an escape in a quoted name"},
		"a text of MySQL, escaped":    {of("generic"), `SELECT a FROM b WHERE c = "d\ne"`, ""},
		"oss":                         {of("clickhouse"), "SELECT * FROM oss('http://x', 'CSV')", "reaches files"},
		"column of such names":        {of("clickhouse"), "SELECT file, loop FROM logs", ""},
		"another address of Oracle":   {of("oracle"), "SELECT DBURITYPE('/PUBLIC/T').getClob() FROM dual", "other hosts"},
		"text for Mroonga":            {my, "SELECT mroonga_command('table_remove t')", "runs a text as SQL"},
		"call as a column, SQL":       {pg, "SELECT ('SELECT 1'::text).ts_stat", "runs a text as SQL"},
		"call as a column, hosts":     {pg, "SELECT (('GET', 'http://x', NULL, NULL, NULL)::http_request).http", "other hosts"},
		"call as a column, U&":        {pg, `SELECT ('/etc'::text).U&"pg_ls\005fdir"`, "by a name in U&"},
		"call as a column, forbidden": {&Options{Dialect: "postgres", DenyFunctions: []string{"secret_*"}}, "SELECT (1).secret_of", "the policy forbids"},
		"call as a column, allowed":   {&Options{Dialect: "postgres", AllowFunctions: []string{"pg_ls_dir"}}, "SELECT ('/etc'::text).pg_ls_dir", ""},
		"columns of such names":       {pg, "SELECT t.sleep, t.lo_revenue, t.edit, t.file, pg_catalog.pg_class.relname, c.pg_x FROM t", ""},
		"call as a column, MySQL":     {my, "SELECT t.pg_read_file FROM t", ""},
		"settings' files":             {pg, "SELECT * FROM pg_catalog.pg_file_settings", "reaches files"},
		"who may log in":              {pg, "TABLE pg_hba_file_rules", "reaches files"},
		"names of users":              {pg, `SELECT * FROM "pg_ident_file_mappings"`, "reaches files"},
		"statistics of calls":         {pg, "SELECT * FROM pg_stat_activity, pg_settings", ""},
		"the log before writes":       {pg, "SELECT pg_get_wal_block_info('0/1', '0/2')", "reads files"},
		"page by HTTP, no table":      {pg, "SELECT (http(('GET', 'http://x', NULL, NULL, NULL)::http_request)).content", "other hosts"},
		"page by HTTP, schema":        {generic, "SELECT * FROM a, public.http(('GET', 'http://x', NULL, NULL, NULL)::http_request)", "other hosts"},
		"page by HTTP, allowed":       {&Options{Dialect: "postgres", AllowFunctions: []string{"http"}}, "SELECT http(a) FROM a", ""},

		"raw pages, postgres":   {pg, "SELECT get_raw_page('pg_' || 'authid', 0)", "reads files"},
		"a function of a cloud": {pg, "SELECT \"aws_lambda\".invoke('arn', '{}')", "reaches other hosts"},
		"pgTAP":                 {pg, "SELECT lives_ok('COPY (SELECT 1) TO PROGRAM id')", "runs a text as SQL"},
		"pgTAP, in a schema":    {pg, "SELECT * FROM tap.results_eq('SELECT 1', 'SELECT 1')", "runs a text as SQL"},
		"pgRouting":             {pg, "SELECT * FROM pgr_dijkstra('SELECT 1', 1, 2)", "runs a text as SQL"},
		"memcached":             {pg, "SELECT memcache_server_add('192.0.2.1:11211')", "reaches other hosts or programs"},
		"Citus":                 {pg, "SELECT run_command_on_workers('SELECT 1')", "reaches other hosts or programs"},
		"an alert":              {pg, "SELECT dbms_alert.waitone('a', 3600)", "keeps the database busy"},
		"a job":                 {pg, "SELECT cron.schedule('* * * * *', 'DROP TABLE a')", "runs a text as SQL"},
		"a job of that name":    {pg, "SELECT * FROM jobs WHERE cron = 'x'", ""},
		"strings, no tables":    {generic, "SELECT extract(year FROM '2026-01-01'), trim('a' FROM 'abc'), a IS DISTINCT FROM 'x' FROM (VALUES ('a'), ('b')) AS v(a)", ""},
		"lists, no tables":      {generic, "SELECT 1 FROM t ARRAY JOIN ['1', '2'] AS x", ""},

		"two":                     {generic, "SELECT 1; SELECT 2", "2 statements, and 1 may be sent"},
		"two, allowed":            {&Options{MaxStatements: 2}, "SELECT 1; SELECT 2", ""},
		"three, two allowed":      {&Options{MaxStatements: 2}, "SELECT 1; SELECT 2; SELECT 3", "3 statements, and 2 may be sent"},
		"without a semicolon":     {ms, "SELECT 1 DELETE FROM a", "delete within it"},
		"GO":                      {ms, "SELECT 1\nGO\nSELECT 2", "2 statements"},
		"a table named go":        {ms, "SELECT go FROM a", ""},
		"delete":                  {generic, "DELETE FROM a", "of the kind delete"},
		"behind a comment":        {generic, "/* SELECT */ DELETE FROM a", "of the kind delete"},
		"in brackets":             {generic, "(DELETE FROM a)", "of the kind delete"},
		"explained":               {generic, "EXPLAIN ANALYZE DELETE FROM a", "of the kind delete"},
		"explained, options":      {pg, "EXPLAIN (ANALYZE) UPDATE a SET b = 1", "of the kind update"},
		"plan that is stored":     {of("oracle", "select", "show"), "EXPLAIN PLAN SET STATEMENT_ID = 'a' FOR SELECT 1", "writes its result"},
		"with, delete":            {pg, "WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone", "delete within it"},
		"with, insert":            {generic, "WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", "of the kind insert"},
		"with, function":          {of("oracle"), "WITH FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; SELECT f FROM dual", "statements, and 1"},
		"select into":             {generic, "SELECT * INTO b FROM a", "makes a table"},
		"into a file":             {my, "SELECT 1 INTO OUTFILE '/tmp/x'", "writes a file"},
		"into a variable":         {my, "SELECT 1 INTO @a", "a variable"},
		"for update":              {generic, "SELECT * FROM a FOR UPDATE", "locks"},
		"for key share":           {pg, "SELECT * FROM a FOR KEY SHARE", "locks"},
		"in share mode":           {my, "SELECT * FROM a LOCK IN SHARE MODE", "locks"},
		"hint that locks":         {ms, "SELECT * FROM a WITH (UPDLOCK)", "locks"},
		"lock, allowed":           {of("", "select", "lock"), "SELECT * FROM a FOR UPDATE", ""},
		"sequence":                {ms, "SELECT NEXT VALUE FOR s", "advances"},
		"sequence, Oracle":        {of("oracle", "select"), "SELECT s.nextval FROM dual", "advances"},
		"begin":                   {of("", "transaction"), "BEGIN TRANSACTION READ ONLY", ""},
		"block":                   {of("", "transaction"), "BEGIN DELETE FROM a; END", "2 statements"},
		"copy":                    {pg, "COPY a TO PROGRAM 'id'", "of the kind copy"},
		"unknown":                 {generic, "FROBNICATE a", "does not know"},
		"unknown, allowed":        {of("", "other"), "FROBNICATE a", ""},
		"attach":                  {lite, "ATTACH 'x.db' AS x", "of the kind attach"},
		"pragma reads":            {of("sqlite", "show"), "PRAGMA main.table_info(a)", ""},
		"pragma writes":           {of("sqlite", "select", "show"), "PRAGMA writable_schema = 1", "PRAGMA that may change"},
		"kinds are exact":         {of("", "insert"), "SELECT 1", "allowed are statements of the kind insert"},
		"insert, allowed":         {of("", "insert"), "INSERT INTO a VALUES (1)", ""},
		"insert from select":      {of("", "insert"), "INSERT INTO a SELECT 1", ""},
		"load of a library":       {of("postgres", "copy"), "LOAD 'x'", "LOAD of a library"},
		"table function":          {generic, "SELECT * FROM url('http://x')", "reaches files or other hosts"},
		"a column of that name":   {generic, "SELECT url(a) FROM t", ""},
		"function in capitals":    {pg, "SELECT PG_SLEEP(1)", "keeps the database busy"},
		"function in quotes":      {pg, `SELECT "pg_sleep" (1)`, "keeps the database busy"},
		"function with a schema":  {pg, "SELECT pg_catalog . pg_sleep(1)", "keeps the database busy"},
		"function behind comment": {pg, "SELECT pg_sleep/**/(1)", "keeps the database busy"},
		"function in U&":          {pg, `SELECT U&"pg\005fsleep"(1)`, "by a name in U&"},
		"function of a package":   {of("oracle"), "SELECT utl_http.request('x') FROM dual", "reaches other hosts"},
		"function without call":   {pg, "SELECT pg_sleep FROM t", ""},
		"function, allowed":       {&Options{AllowFunctions: []string{"pg_sleep"}}, "SELECT pg_sleep(1)", ""},
		"family, allowed":         {&Options{AllowFunctions: []string{"PG_*"}}, "SELECT pg_sleep(1)", ""},
		"with within with":        {pg, "WITH a AS (WITH b AS (SELECT 1) DELETE FROM t RETURNING 1) SELECT 1", "delete within it"},
		"with within, explained":  {pg, "EXPLAIN ANALYZE WITH a AS (WITH b AS (SELECT 1) UPDATE t SET x = 1) SELECT 1", "update within it"},
		"with within, reads":      {pg, "WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT * FROM a", ""},
		"with, column as a word":  {pg, "WITH RECURSIVE a(x) AS (SELECT 1) SEARCH DEPTH FIRST BY x SET values DELETE FROM t", "of the kind delete"},
		"with, cycle as a word":   {pg, "WITH RECURSIVE a(x) AS (SELECT 1) CYCLE x SET y USING values DELETE FROM t", "of the kind delete"},
		"with, search":            {pg, "WITH RECURSIVE a(x) AS (SELECT 1) SEARCH DEPTH FIRST BY x SET y SELECT * FROM a", ""},
		"number into a name":      {pg, "SELECT 0x$a$;COMMIT;--$a$", "runs into a $"},
		"number with _, a name":   {pg, "SELECT 1_0$a$;COMMIT;--$a$", "runs into a $"},
		"hexadecimal digits":      {pg, "SELECT 0Xf$$;COMMIT;--$$", "runs into a $"},
		"number before a string":  {pg, "SELECT 1$a$;$a$, 0xf", ""},
		"lock, by a column":       {pg, "SELECT ('i'::regclass).bt_index_parent_check", "takes locks"},
		"text of ts_rewrite":      {pg, "SELECT ts_rewrite('a', 'SELECT x, nextval(''s'')::text::tsquery FROM t')", "runs a text as SQL"},
		"text that is built":      {pg, "SELECT ts_rewrite('a', 'SELECT ' || 'x')", "runs a text as SQL"},
		"text that reads":         {pg, "SELECT ts_rewrite('a', 'SELECT x, y FROM t')", ""},
		"no text of ts_rewrite":   {pg, "SELECT ts_rewrite('a', 'b', f(1, 2))", ""},
		"ts_rewrite, allowed":     {&Options{AllowFunctions: []string{"ts_rewrite"}}, "SELECT ts_rewrite('a', x)", ""},
		"table of a pragma":       {lite, "SELECT * FROM pragma_optimize(0x10002)", "PRAGMA that may change"},
		"table of a pragma, name": {lite, "SELECT * FROM main . [pragma_optimize]", "PRAGMA that may change"},
		"table of a pragma, text": {lite, "SELECT * FROM 'pragma_optimize'", "PRAGMA that may change"},
		"pragma that reads":       {lite, "SELECT * FROM pragma_table_info('t')", ""},
		"text search of SQLite":   {lite, "SELECT optimize(t) FROM t", "changes the session"},
		"procedure in quotes":     {my, "SELECT * FROM a PROCEDURE `analyse`()", "a procedure"},
		"alias before a command":  {ms, "SELECT 1 limit DROP TABLE t", "drop within it"},
		"name before a command":   {ms, "SELECT t.[a], t.limit DELETE t", "delete within it"},
		"else before a command":   {ms, "SELECT 1 IF 1=1 SELECT 1 ELSE EXEC('x')", "call within it"},
		"rows only, a command":    {ms, "SELECT * FROM t ORDER BY 1 OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY DELETE t", "delete within it"},
		"label before a command":  {ms, "SELECT 1 x: DELETE t", "delete within it"},
		"execute as":              {ms, "SELECT 1 EXECUTE AS LOGIN = 'sa'", "call within it"},
		"use":                     {ms, "SELECT 1 USE master", "session within it"},
		"use index":               {generic, "SELECT * FROM t USE INDEX (i)", ""},
		"rollback":                {ms, "SELECT 1 ROLLBACK TRAN", "transaction within it"},
		"update of a text":        {ms, "SELECT 1 UPDATETEXT t.c @p 0 0 'x'", "update within it"},
		"escape string, a table":  {generic, `SELECT e'\' FROM (SELECT 1 e) x; DROP TABLE t; -- '`, "2 statements"},
		"escape string, within":   {generic, `SELECT (SELECT e'\' FROM t); DROP TABLE t; -- '`, "2 statements"},
		"letter before double":    {of("bigquery"), `SELECT b"" ; DROP TABLE a; -- '`, "2 statements"},
		"letter, another dialect": {of("spark"), `SELECT x"" ; DROP TABLE a; -- '`, "2 statements"},
		"function, denied":        {&Options{DenyFunctions: []string{"secret_*"}}, "SELECT Secret_x(1)", "the policy forbids"},
		"denied before allowed":   {&Options{DenyFunctions: []string{"f"}, AllowFunctions: []string{"f"}}, "SELECT f(1)", "the policy forbids"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := first(tt.options, tt.text); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("Judge(%q): %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestReadings holds that each reading counts if databases cut a text differently, and that a
// named dialect is read like its database.
func TestReadings(t *testing.T) {
	t.Parallel()
	for text, dialects := range map[string]string{ // that take the text for one statement
		`SELECT 'a\'; DROP TABLE b -- '`:            "",                 // not even MySQL, which may be told that a backslash is none
		`SELECT E'a\'; DROP TABLE b -- '`:           "postgres generic", // to others a name without a table, which fails
		`SELECT $$; DROP TABLE b$$`:                 "postgres",
		"SELECT `; DROP TABLE b`":                   "mysql sqlite",
		"SELECT [; DROP TABLE b]":                   "sqlite mssql",
		"SELECT 1 # ; DROP TABLE b":                 "mysql",
		"SELECT 1 /* /* */ ; DROP TABLE b */":       "postgres mssql",
		"SELECT 1 --; DROP TABLE b":                 "postgres sqlite mssql",
		`SELECT "; DROP TABLE b"`:                   "postgres mysql sqlite mssql generic",
		"SELECT '; DROP TABLE b'":                   "postgres mysql sqlite mssql generic",
		"SELECT 1 /*! ; DROP TABLE b */":            "postgres sqlite mssql",
		"SELECT 1 -- a\r; DROP TABLE b":             "",
		"SELECT 1\u00a0":                            "",
		"SELECT 1 \u2019; DROP TABLE b \u2019":      "",
		`SELECT 1 \g DROP TABLE b`:                  "",
		"SELECT q'[a'; DROP TABLE b]'":              "",
		"SELECT 1 WHERE a = 'x' -- ' \n OR 1 = '1'": "postgres mysql sqlite mssql generic",
	} {
		for _, dialect := range []string{"postgres", "mysql", "sqlite", "mssql", "generic"} {
			one := !(&Options{Dialect: dialect}).Refuses(text)
			want := strings.Contains(dialects, dialect)
			if one != want {
				t.Errorf("%s, %q: accepted %v, want %v: %s", dialect, text, one, want, first(&Options{Dialect: dialect}, text))
			}
		}
	}
}
