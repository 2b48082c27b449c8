// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sql

import "testing"

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		text string
		good bool
	}{
		{Options{}, "SELECT 1", true},
		{Options{}, "select name from orders where id = 5;", true},
		{Options{}, "DELETE FROM orders", false},
		{Options{}, "SELECT 1; DROP TABLE orders", false},
		{Options{}, "SELECT * INTO copy FROM orders", false},
		{Options{Dialect: "postgres"}, "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", false},
		{Options{Dialect: "postgres"}, "SELECT pg_read_file('/etc/passwd')", false},
		{Options{Dialect: "postgres"}, "SELECT 'a; DROP TABLE orders'", true},
		{Options{Dialect: "postgres"}, "SELECT * FROM orders FOR UPDATE", false},
		{Options{Dialect: "mysql"}, "SELECT 1 /*! INTO OUTFILE '/tmp/x' */", false},
		{Options{Statements: []string{"select", "insert"}}, "INSERT INTO orders VALUES (1)", true},
		{Options{Parameter: Literal}, "O'Brien", true},
		{Options{Parameter: Literal}, "x' OR '1'='1", false},
		{Options{Parameter: Literal}, "1; DROP TABLE orders", false},
	} {
		faults := tt.o.judge(tt.text)
		if good := len(faults) == 0; good != tt.good {
			t.Errorf("judge(%q) by %+v: %v", tt.text, tt.o, faults)
		}
	}
}
