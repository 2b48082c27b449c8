// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/dbdriver"
)

// maxCandidates bounds how many names are read from a catalog.
const maxCandidates = 2000

// rows asks a question of ours with texts as parameters.
func (s *postgresSession) rows(ctx context.Context, query string, params ...string) ([][]string, error) {
	rows, err := s.conn.Query(ctx, query, params...)
	if err != nil {
		return nil, err
	}
	list := make([][]string, len(rows))
	for i, row := range rows {
		list[i] = make([]string, len(row))
		for k, v := range row {
			list[i][k] = string(v)
		}
	}
	return list, nil
}

// array writes texts as an array of PostgreSQL.
func array(texts []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var b strings.Builder
	b.WriteByte('{')
	for i, t := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + escape.Replace(t) + `"`)
	}
	b.WriteByte('}')
	return b.String()
}

// privileges reports tables and columns that the role may not use. PostgreSQL itself checks that
// only when it plans or runs a statement, so the check asks about names in the place of tables,
// and about the columns of the result.
func (s *postgresSession) privileges(ctx context.Context, d *dbdriver.Description) (denied bool, err error) {
	relations := s.q.text.Relations()
	if len(relations) == 0 {
		return false, nil
	}
	names, kinds := make([]string, len(relations)), make([]string, len(relations))
	for i, n := range relations {
		names[i], kinds[i] = n.Written, n.Privilege
	}
	list, err := s.rows(ctx, `SELECT n.i FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) WITH ORDINALITY AS n(name, privilege, i)
		WHERE pg_catalog.to_regclass(n.name) IS NOT NULL AND NOT CASE WHEN n.privilege = 'DELETE'
			THEN pg_catalog.has_table_privilege(pg_catalog.to_regclass(n.name), n.privilege)
			ELSE pg_catalog.has_any_column_privilege(pg_catalog.to_regclass(n.name), n.privilege) END`, array(names), array(kinds))
	if err != nil {
		return false, err
	}
	for _, row := range list {
		i, err := strconv.Atoi(row[0])
		if err != nil || i < 1 || i > len(relations) {
			continue
		}
		s.r.fault("leave it out, or grant "+relations[i-1].Privilege+" on it to the role of the tool",
			"uses a table%s on which the role of the dsn has no privilege %s", s.q.at(relations[i-1].At), relations[i-1].Privilege)
	}
	if len(list) > 0 {
		return true, nil
	}
	return s.columns(ctx, d)
}

// columns reports columns of the result that the role may not read.
func (s *postgresSession) columns(ctx context.Context, d *dbdriver.Description) (denied bool, err error) {
	var tables, numbers []string
	for _, f := range d.Columns {
		if f.Table != 0 && f.Number > 0 && len(tables) < maxCandidates {
			tables = append(tables, strconv.FormatUint(uint64(f.Table), 10))
			numbers = append(numbers, strconv.Itoa(int(f.Number)))
		}
	}
	if len(tables) == 0 {
		return false, nil
	}
	list, err := s.rows(ctx, `SELECT count(*) FROM ROWS FROM (pg_catalog.unnest($1::oid[]), pg_catalog.unnest($2::int2[])) AS c(tab, col)
		WHERE NOT pg_catalog.has_column_privilege(c.tab, c.col, 'SELECT')`, array(tables), array(numbers))
	if err != nil || len(list) != 1 || list[0][0] == "0" {
		return false, err
	}
	s.r.fault("name the columns that the role may read, or grant SELECT on the others to it",
		"returns columns that the role of the dsn has no privilege to read: %s of them", list[0][0])
	return true, nil
}

// functions warns about calls of volatile functions, and reports whether the planner may run
// others. Those that come with PostgreSQL or with an extension do not count: package sql knows
// the ones that matter.
func (s *postgresSession) functions(ctx context.Context) (runs bool, err error) {
	calls := s.q.text.Calls()
	if len(calls) == 0 {
		return false, nil
	}
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Last
	}
	list, err := s.rows(ctx, `SELECT DISTINCT p.proname, p.provolatile FROM pg_catalog.pg_proc p
		WHERE (p.proname = ANY ($1::text[]) OR p.proname = ANY (SELECT pg_catalog.lower(n) FROM pg_catalog.unnest($1::text[]) n))
		AND p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
		AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
			AND d.objid = p.oid AND d.deptype = 'e') ORDER BY 1, 2 LIMIT 1000`, array(names))
	if err != nil {
		return false, err
	}
	for _, row := range list {
		if name, ok := s.q.text.Find(row[0]); ok && row[1] == "v" {
			s.r.warn("let the tool's role have no right to what it may write",
				"calls a function%s that the database declares volatile: it may write", s.q.at(name.At))
		}
	}
	return len(list) > 0, nil
}

// tables are the names of the tables that the role can see and read; those that need
// their schema with it.
func (s *postgresSession) tables(ctx context.Context) ([]string, error) {
	return s.names(ctx, `SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END, c.relname
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema'
		AND n.nspname !~ '^pg_' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
		AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1 LIMIT `+strconv.Itoa(maxCandidates))
}

// columnNames are the columns of the tables that the statement names.
func (s *postgresSession) columnNames(ctx context.Context) ([]string, error) {
	var tables []string
	for _, n := range s.q.text.Relations() {
		tables = append(tables, n.Written)
	}
	return s.names(ctx, `SELECT DISTINCT a.attname FROM pg_catalog.unnest($1::text[]) AS t(name)
		JOIN pg_catalog.pg_attribute a ON a.attrelid = pg_catalog.to_regclass(t.name)
		WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY 1 LIMIT `+strconv.Itoa(maxCandidates), array(tables))
}

func (s *postgresSession) names(ctx context.Context, query string, params ...string) ([]string, error) {
	return first(s.rows(ctx, query, params...))
}
