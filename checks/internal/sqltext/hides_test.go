// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

// forms are expressions with a place for another one.
var forms = []string{
	"%s", "(%s)", "-%s", "1 + %s", "CASE WHEN 1=1 THEN %s END", "CASE WHEN %s=1 THEN 1 ELSE 2 END", "case 1 when %s then 2 end",
	"CASE CASE WHEN %s THEN 1 END WHEN 1 THEN 2 END", "CASE WHEN 1 THEN 'end' WHEN %s THEN 2 END", "coalesce(case when 1 then %s end, 2)",
	"COALESCE(%s, 1)", "NULLIF(1, %s)", "CAST(%s AS text)", "%s::text", "convert(int, %s)", "try_cast(%s as int)",
	"ARRAY[%s]", "ARRAY[1, ARRAY[%s]]", "[%s]", "{'a': %s}", "{fn abs(%s)}", "a[%s]", "(a).b[%s]", "ROW(%s, 1)", "STRUCT(%s AS a)",
	"INTERVAL %s DAY", "interval '1' day + %s", "DATE '2026-01-01' + %s", "timestamptz '2026-01-01' + %s",
	"E'a' || %s", "$$a$$ || %s", "$x$a$x$ || %s", "N'a' || %s", "_utf8'a' || %s", "x'41' || %s", "U&'a' || %s", "q'[a]' || %s",
	"1 AT TIME ZONE %s", "1 IS DISTINCT FROM %s", "1 BETWEEN 0 AND %s", "1 IN (%s)", "1 ? %s : 0", "1 COLLATE x || %s",
	"count(*) FILTER (WHERE %s)", "sum(x) OVER (ORDER BY %s)", "EXTRACT(epoch FROM %s)", "OVERLAY('a' PLACING %s FROM 1)",
	"TRIM(BOTH FROM %s)", "SUBSTRING('a' FROM %s FOR 1)", "xmlelement(name a, %s)", "json_object('a' VALUE %s)", "f(a => %s)",
	"id DESC, %s", "10 OFFSET %s", "1 /* x */ + %s", "1 + -- x\n%s",
}

// TestHidden holds that no expression hides a call or a query in a bare value, in any dialect.
func TestHidden(t *testing.T) {
	t.Parallel()
	for dialect := range dialects {
		o := &Options{Dialect: dialect, Parameter: Literal}
		for _, form := range forms {
			for _, inside := range []string{
				"pg_sleep(5)", "pg_catalog.pg_sleep(5)", "sleep/**/(5)", "load_extension(char(47))", `"pg_sleep"(5)`, "dbms_lock.sleep(5)",
				"(SELECT password FROM users LIMIT 1)", "(WITH a AS (SELECT 1) SELECT * FROM a)", "(VALUES (1))", "(TABLE users)", "(FROM users SELECT id)",
				"(SELECT password p FROM users)", "(SELECT password::text FROM users LIMIT 1)", "(SELECT HIGH_PRIORITY password FROM users)", "(SELECT [password] FROM users)",
				"(SELECT NOT admin FROM users)", "(SELECT ALL password FROM users)", "(TABLE ONLY users)", "(TABLE users FOR UPDATE)", "(VALUES ROW(1))",
				"('/etc'::text).pg_ls_dir", "(array['/etc'])[1].pg_ls_dir", "pg_sleep(5 OPERATOR(pg_catalog.+) 1)", "sleep(5 MEMBER OF('[5]'))", "extensions.http_get('http://example.org')", "x.dblink('a', 'b')",
			} {
				if strings.Contains(inside, `"`) && dialect != "generic" && dialects[dialect][0].doubleString && dialect != "mysql" {
					continue // a string
				}
				if text := strings.ReplaceAll(form, "%s", inside); !o.Refuses(text) {
					t.Errorf("%s: passes: %s", dialect, text)
				}
			}
		}
		for _, text := range []string{
			"CASE WHEN substr(password,1,1)='a' THEN 1 ELSE 1/0 END", "if(ascii(lower(password)),1,id)", "select password from users", "select * from users", "[load_extension]('x')",
			"password like 'a%'", "users.password ILIKE '%a'", "password NOT LIKE 'a%'", "password regexp '^a'", "password > 'a'",
			"substr(password,1,1)='a'", "ascii(substr(password,1,1))>100", "1 = ascii(password)", "mid(password,1,1) in ('a')", "char_length(password) BETWEEN 3 AND 5",
			"not password like 'a%'", "left(password,1)='a'", "right(password, 1) = 'a'", "locate('a',password)=1", "strpos(password,'a')=1", "unicode(substr(password,1,1))>97",
			"(FROM users)", "1 IN (FROM users)", "exists(from users)", "VALUES (1)", "values ('a'), ('b')",
			"U&\"\\0070g_sleep\"(5)", "x'||CASE WHEN CASE WHEN 1 THEN 1 END THEN 'a' END||'",
		} {
			if strings.HasPrefix(text, "U&") && dialects[dialect][0].doubleString && dialect != "mysql" {
				continue // a string behind U and &
			}
			if !o.Refuses(text) {
				t.Errorf("%s: passes: %s", dialect, text)
			}
		}
	}
}

// TestNothingHidden holds that texts with the same words stay values.
func TestNothingHidden(t *testing.T) {
	t.Parallel()
	for dialect := range dialects {
		for _, text := range []string{
			"in case when it rains, then stay at the end", "case when then", "the case (select a colour) when ready", "add Sleep (#7480)", "sleep (8 hours)", "sleep (8 hours or more a day)",
			"time.sleep(5)", "[edit](https://example.org/a)", "users (with admin rights)", "a table (from users of the app)", "coalesce(a, b)", "if (ready)",
			"select a colour from the list", "{name}", "[1, 2, 3]", "ARRAY", "values (of a family)", "(table 1)", "(table for two)", "(select all)", "(select one of them)", "interval 5", "main()",
			"movies like 'Inception'", "lang='en'", "a mid (or end) of it", "ascii (art) and more", "the size > 'small'", "x > y", "Ann (from Spain)", "left (or right) = either", "values (1st of two)", "not like 'this'", "who is like 'a%' here",
		} {
			if o := (&Options{Dialect: dialect, Parameter: Literal}); o.Refuses(text) {
				t.Errorf("%s: refused: %q: %s", dialect, text, first(o, text))
			}
		}
	}
}

// TestEscapedQuotes holds that a string with escaped quotes stays one statement where a further reading of the same
// dialect, or of another one, cannot be run, and that one that can be run counts.
func TestEscapedQuotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect, text string
		refused       bool
	}{
		{"mysql", `SELECT 'it\'s; ok'`, false},
		{"mysql", `SELECT "it\"s; ok"`, false},
		{"mysql", `SELECT 'it\'s; that\'s ok'`, false},
		{"mysql", `SELECT 'a\'b; c\'d; e\'f; g'`, false},
		{"mysql", `SELECT 'it\'s; drop me a line'`, true}, // it begins as a statement does
		{"mysql", `SELECT * FROM t WHERE a = 'it\'s # 1; 2' AND b = 'x\'y'`, false},
		{"mysql", `SELECT 'it\'s sleep(1) ok'`, false},
		{"", `SELECT 'it\'s; ok'`, false},
		{"", `SELECT 'it\'s pg_sleep(1) ok'`, false},
		{"", `SELECT $$it's; ok$$`, false},
		{"", `SELECT 1 # it's; ok`, false},
		{"mysql", `SELECT 'it\'; DROP TABLE x; -- '`, true},
		{"mysql", `SELECT 'it\'; DROP TABLE x; ok'`, true},
		{"mysql", `SELECT 'it\'; ok; DROP TABLE x; ok\''`, true},
		{"mysql", `SELECT 'x\'; \! id; y\''`, true},
		{"mysql", `SELECT '\\'; DROP TABLE x`, true},
		{"", `SELECT 'it\'; DROP TABLE x; ok'`, true},
		{"", `SELECT 'it\'; DROP TABLE x'`, true},
		{"postgres", `SELECT 'it\'s; ok'`, true}, // its only reading
		{"", `SELECT 'it`, true},
	} {
		if o := (&Options{Dialect: tt.dialect}); o.Refuses(tt.text) != tt.refused {
			t.Errorf("%q, %s: refused is %v: %s", tt.dialect, tt.text, !tt.refused, first(o, tt.text))
		}
	}
}
