// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	t.Parallel()
	const (
		condition = "adds a condition"
		query     = "adds a query"
		union     = "adds a second query"
		stacked   = "adds a second statement"
		function  = "calls a function"
		comments  = "comments out what follows"
		clause    = "adds a condition or a clause"
		goesOn    = "goes on as SQL"
	)
	for text, want := range map[string]string{
		"":                                 "",
		"O'Brien":                          "",
		"rock 'n' roll":                    "",
		"5' 10\" tall":                     "",
		"select a colour; drop me a line":  "",
		"update the docs and set the date": "",
		"cats and dogs":                    "",
		"to be or not to be":               "",
		"Fix foo and bar (#12)":            "",
		"dress -blue -red --green":         "",
		"the 'like' operator":              "",
		"credit union select committee":    "",
		"a, b; c":                          "",
		"call sleep from the main loop":    "",
		"100% of 5 + 3":                    "",
		"C++ and Java":                     "",
		"-0.5e3":                           "",
		"https://example.com/?a=1&b=2#c":   "",
		"'To be or not to be' -- Hamlet":   "",
		"'a' (b) --":                       "",

		"'a')--":                           comments,
		"'a' --":                           comments,
		`"a" )) -- `:                       comments,
		"'x y')#":                          comments,
		"x' OR '1'='1":                     condition,
		`x" OR "1"="1`:                     goesOn,
		"1 OR 1=1":                         condition,
		"1 or 2>1":                         condition,
		"x') OR ('1'='1":                   condition,
		"1 AND ASCII(SUBSTR(a,1,1))=53":    condition,
		"1 and (select 1)=1":               query,
		"some words or 1=1":                condition,
		"1 where id=1 or 1=1":              condition,
		"1 as x where 1=1 and 1=0":         condition,
		"x' and '1":                        condition,
		"x' y(z) and '1":                   goesOn,
		"1/**/or/**/1=1":                   condition,
		"1%20or%201%3D1":                   condition,
		"1%2520or%25201%253D1":             condition,
		"1+or+1%3D1%zz":                    condition,
		"1+or+1=1":                         condition,
		"x\u2019 or \u20181\u2019=\u20181": condition,
		"x\uff07 or 1=1 --":                condition,
		"1 UNION SELECT 1,2":               union,
		"x' union all select null --":      union,
		"words union select 1":             union,
		"1; DROP TABLE t":                  stacked,
		"x'; delete from t; --":            stacked,
		"1; exec xp_cmdshell 'x'":          "procedure",
		"1; shutdown with nowait":          stacked,
		"(select a from b)":                query,
		"pg_sleep(5)":                      function,
		"1 - sleep(5)":                     function,
		"x' || utl_http.request('y') || '": function,
		"x' waitfor delay '0:0:5' --":      "waits",
		"1 into outfile '/tmp/x'":          "writes a file",
		"admin'#":                          comments,
		"admin' -- ":                       comments,
		"admin'/*":                         comments,
		"1 order by 5 -- ":                 comments,
		"1 --":                             comments,
		"1);--":                            comments,
		"1;":                               "ends the statement",
		"1;%00":                            "NUL",
		"1;shutdown":                       stacked,
		"1; set @a=1":                      stacked,
		"1; copy x from program 'id'":      stacked,
		"1 drop table x":                   stacked,
		"1 select 1":                       stacked,
		"1 begin select 1 end":             stacked,
		"1 if 1=1 select 1":                stacked,
		"1 for json path":                  clause,
		"1 or not 0":                       clause,
		"1 or 1 limit 1":                   clause,
		"1,@@version":                      clause,
		"1) as x from users--":             clause,
		"1) buy milk -- urgent":            "",
		"2 select a colour":                "",
		"1 drop of water":                  "",
		"1),(1":                            "",
		"1. create table for guests":       "",
		"1; exec will create the case 7":   "",
		"UNION SELECT":                     union,
		"1 union table users":              union,
		`\Nunion select 1`:                 union,
		`\x27 or 1=1-- `:                   condition,
		`\u0027;drop table t-- `:           stacked,
		"declare @q varchar(9) select @q":  stacked,
		"exec (@q)":                        "runs a text as SQL",
		"@a:=1":                            "sets a variable",
		"1 between 0 and 9":                clause,
		"-1 is not null":                   clause,
		"1 not in (2)":                     clause,
		"(1) < 2":                          clause,
		"1 or true":                        clause,
		"1 or 1":                           clause,
		"1 && 1":                           clause,
		"|| 1":                             clause,
		"or true":                          clause,
		"1 order by 10":                    clause,
		"1 limit 1 offset 5":               clause,
		"1 for update":                     clause,
		"1 and elt(1=1,2)":                 clause,
		"1 or not f('x')":                  clause,
		"1, f('x')":                        clause,
		"if(a='x',1,2)":                    "adds a condition (CASE, IF)",
		"make_set(a='x',1)":                "adds a condition (CASE, IF)",
		"('q'||(select user)||'q')":        query,
		"cast((select user) as integer)":   query,
		"1;if(1=1) drop table t":           stacked,
		"gtid_subset(concat('q',user),1)":  function,
		"a colour, (select one)":           "",
		"5, (select one)":                  query,
		"1, 2":                             "",
		"concat(0x7e,version(),0x7e)":      "tells of the database",
		"convert(int,@@version)":           "tells of the database",
		"' or name<":                       condition,
		"' and name like":                  condition,
		"declare @b":                       stacked,
		"-1 union select table_name as a from information_schema.tables": union,
		"-1 union select name a from users":                              union,
		"-1 lock in share mode union select a from users":                union,
		"u&'a' uescape '!' union select * from t":                        union,
		"_latin7'a' union select * from t":                               union,
		"or ``--x``. See `y`_":                                           "",
		"the student union select a chair from the list":                 "",
		"1 or 2":                 "",
		"100 or more":            "",
		"7 is enough":            "",
		"3 in (76 mm)":           "",
		"1 order by mail":        "",
		"western union select":   "",
		"union select committee": "",
		"return 0;":              "",
		`C:\New folder`:          "",
		"exec('import os')":      "",
		"1 -- and owner = 5":     comments,
		"-1.5)#":                 comments,
		"0x31/*":                 comments,
		"1 /* x */":              "",
		"9 -- 5":                 "",
		"1 # 2":                  "",
		"issue #5":               "",
		"C# 5":                   "",
		"x'||'y":                 condition,
		"1 /*!50000 x */":        "that some databases run",

		"1'Union DistinctRow/**/Select 1":                            union,
		"1 union unique select 1":                                    union,
		"1' union select sql_no_cache 1":                             union,
		"' SELECT pg_sleep(5);":                                      stacked,
		"1%') ) ( select (case when (1=1) then 1 else 2 end) from t": "query",
		"the boys' (select team (under 12))":                         "",
		"'\tselect\n@@version":                                       stacked,
		"'select/**/@@version":                                       stacked,
		"' select @@version":                                         stacked,
		"SELECT CONCAT(CHAR(75),CHAR(76))":                           "query",
		"select concat('0x',hex(x))":                                 "query",
		"Select item(s), then press OK":                              "",
		"Select size(s)":                                             "",
		"Select color(red, blue or green) first":                     "",
		"the boys' select team (under 12)":                           "",
		`sql = f"SELECT * FROM users WHERE name LIKE '%{{query}}%'"`: "",
	} {
		if got := first(&Options{Parameter: Literal}, text); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("Judge(%q): %q, want %q", text, got, want)
		}
	}
}

// TestPlaces holds that a value is tried only where the parameter stands, and as the
// dialect reads it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect, parameter, text string
		refused                  bool
	}{
		{"", Literal, "1 or 1=1", true},
		{"", String, "1 or 2 > 1", false},
		{"", String, "x' or 2 > 1 -- ", true},
		{"", Number, "12", false},
		{"", Number, " -1.5e3 ", false},
		{"", Number, "0x1", true},
		{"", Number, "", true},
		{"mysql", String, `x\' or 1 -- `, true}, // \' is a quote, and '' with NO_BACKSLASH_ESCAPES is the end
		{"postgres", String, "admin'#", false},  // no comment, and no operator with an operand
		{"mysql", String, "admin'#", true},
		{"", String, "a\x00b", true},
	} {
		o := &Options{Dialect: tt.dialect, Parameter: tt.parameter}
		if got := o.Refuses(tt.text); got != tt.refused {
			t.Errorf("%+v, %q: refused %v, want %v: %s", o, tt.text, got, tt.refused, first(o, tt.text))
		}
	}
}
