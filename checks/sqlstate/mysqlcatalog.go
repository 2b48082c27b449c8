// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// tables are the names of the tables beside the one that was looked for; of those that
// the user may not use, the database does not tell.
func (s *mysqlSession) tables(ctx context.Context, name sqltext.Name) ([]string, error) {
	return first(s.query(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = COALESCE(NULLIF(?, ''), DATABASE()) "+
		"ORDER BY table_name LIMIT "+strconv.Itoa(maxCandidates), schemaOf(name)))
}

// schemaOf is the database that a name is written with, or "".
func schemaOf(name sqltext.Name) string {
	schema, _, qualified := strings.Cut(name.Written, ".")
	if !qualified {
		return ""
	}
	return strings.Trim(schema, "`\"")
}

// columns are the columns of the tables that the statement names.
func (s *mysqlSession) columns(ctx context.Context) ([]string, error) {
	var params []string
	var pairs []string
	for _, n := range s.q.text.Relations() {
		pairs = append(pairs, "(COALESCE(NULLIF(?, ''), DATABASE()), ?)")
		params = append(params, schemaOf(n), n.Last)
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	return first(s.query(ctx, "SELECT DISTINCT column_name FROM information_schema.columns WHERE (table_schema, table_name) IN ("+
		strings.Join(pairs, ", ")+") ORDER BY column_name LIMIT "+strconv.Itoa(maxCandidates), params...))
}

// callsStored reports whether the statement calls a stored function, or what may be one.
func (s *mysqlSession) callsStored(ctx context.Context) (bool, error) {
	var params []string
	for _, c := range s.q.text.Calls() {
		params = append(params, c.Last)
	}
	if len(params) == 0 {
		return false, nil
	}
	rows, err := s.query(ctx, "SELECT 1 FROM information_schema.routines WHERE routine_type = 'FUNCTION' AND routine_name IN ("+
		marks(len(params))+") LIMIT 1", params...)
	return len(rows) > 0, err
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// first is the first column of rows.
func first(rows [][]string, err error) ([]string, error) {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = row[0]
	}
	return list, err
}
