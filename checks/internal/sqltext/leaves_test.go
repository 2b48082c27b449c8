// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

// TestLeaves holds that a value is refused if and only if a database of the dialect would run
// text behind its quotes. The named databases ran each of those refused.
func TestLeaves(t *testing.T) {
	t.Parallel()
	const all = "postgres mysql sqlite generic"
	for text, refused := range map[string]string{
		// The quote that follows the value belongs to a letter before it.
		"x'-b'": all, "x'=x'": all, "x'=n'": all, "x'<>e'": all, "x'-_utf8'": all, `x'-u&'`: all, `x"-n"`: "mysql generic",
		// Operators of one database.
		"x' is distinct from 'y": all, "x' operator(pg_catalog.<>) 'y": all, "x' ~~ 'y": all,
		"x' @@ 'y": "postgres generic", "x' !~ 'y": "postgres generic", "x' glob '*": all, "x' or {d 1} = '1": all, "x' = any (select 'y') or '": all,
		"x' or bool 't": all, "x' or _utf8 '1": all, "t' is not null = 't": all, "t'.name = 't'.name or '": all, "t'.name -- ": "sqlite generic",
		"x' at time zone 'utc": all, "x' or match name against ('a') or '": all, "x'::text::double precision is null or '1": all,
		// Clauses.
		"x' where id > 0 -- ": all, "x' where id > '0": all, "x' from t -- ": all, "x' returning id -- ": all, "x', name = 'y": all,
		"x' window w as () -- ": all, "x' cross join t u -- ": all, "x' as y from t -- ": all, "x') as y, ('z": all,
		// The end of the statement: where no dialect is named, only if no prose follows.
		"x';": "mysql sqlite generic", "x'; vacuum; select '1": all, "x'; y": "mysql sqlite", "x'; y z 'a": "mysql sqlite",
		// Quotes of another kind, which the next value closes.
		"x' or `": "mysql sqlite generic", "x' or $$": "postgres generic", `x" or '`: all, `x' - "`: "",
		// Beginnings of the text behind a value that left its quotes odd.
		" - '": all, " or id > '0": all, "'y' - 'z": "postgres mysql sqlite", "- don't": "", "-'": all,
		// Everyday texts, and the statements in them for databases.
		"the 'like' operator": "postgres mysql sqlite", "the 'not like' operator": all, "the 'or' yes": all, "x 'or not' y": all, "x 'or' 1": all,
		"a -b -c' --d": "postgres sqlite", `"#2 MOM"`: "mysql", "MEN';S COATS": "mysql sqlite", `"WHERE'S GEORGE"`: "mysql sqlite",
		"O'Brien": "", "the dogs' bowls and the cats' toys": "", "rock 'n' roll": "", "James'": "", "5' 10\" tall": "", `6'2"`: "", "'tis": "", "x''": "",
		"x' 'y": "", "the 'null' value": "", "the workers' union selected a few": "", `C:\dir\`: "", "it's \"on\" and 'off'": "",
	} {
		for dialect := range strings.FieldsSeq(all) {
			o := &Options{Dialect: dialect, Parameter: String}
			if got, want := o.Refuses(text), strings.Contains(refused, dialect); got != want {
				t.Errorf("%s, %q: refused %v, want %v: %s", dialect, text, got, want, first(o, text))
			}
		}
	}
}
