// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sql"
	"github.com/toolvet/toolvet/checks/sqlstate"
	"github.com/toolvet/toolvet/driver/postgres"
	"github.com/toolvet/toolvet/driver/sqlite"
	"github.com/toolvet/toolvet/internal/policy"
)

// judge has a Gate with the policy of a worked example judge a call.
func judge(t *testing.T, at toolvet.Point, query string) toolvet.Verdict {
	t.Helper()
	state := sqlstate.New(postgres.New(), sqlite.New())
	t.Cleanup(state.Close)
	return judgeBy(t, state.Check(), at, query)
}

func judgeBy(t *testing.T, asks *check.Check, at toolvet.Point, query string) toolvet.Verdict {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte(`version: 1
servers:
  shop:
    command: [shop]
    tools:
      query:
        arguments:
          sql:
            sql: {dsn: "${TOOLVET_TEST_DSN}"}
`), sql.Demand)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"), toolvet.WithChecks(sql.Check, asks), toolvet.WithTimeout(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name": "query", "inputSchema": {"type": "object", "properties": {"sql": {"type": "string"}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return gate.Judge(t.Context(), &call.Call{Server: "shop", Name: "query", Tool: tool, Arguments: map[string]any{"sql": query}}, at)
}

// TestGateLate holds that a late answer of the database refuses a live call, and is a warning in
// a dry run.
func TestGateLate(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("TOOLVET_TEST_DSN", "postgres://me:s3cr3t@"+l.Addr().String()+"/shop?sslmode=disable")
	for point, want := range map[toolvet.Point]bool{toolvet.PointProxy: false, toolvet.PointValidate: true} {
		v := judge(t, point, "SELECT 1")
		if v.Go != want || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, `the check "sql-state" did not finish within 200ms`) {
			t.Errorf("%v: go %v, findings %v; want go %v and that the check did not finish", point, v.Go, v.Findings, want)
		}
	}
}

// TestGateAbsent holds that a missing database refuses a call, and that the dsn may come from the
// environment.
// TestNoDriver holds that a Gate refuses what it cannot ask a database about.
func TestNoDriver(t *testing.T) {
	for dsn, name := range map[string]string{"postgres://127.0.0.1/shop": "PostgreSQL", "mysql://127.0.0.1/shop": "MySQL", "sqlite:/shop.db": "SQLite"} {
		t.Setenv("TOOLVET_TEST_DSN", dsn)
		v := judgeBy(t, sqlstate.Check, toolvet.PointProxy, "SELECT 1")
		want := "cannot be checked: the database is of " + name + ", for which this program has no driver"
		if v.Go || len(v.Findings) != 1 || v.Findings[0].Message != want {
			t.Errorf("%s: go %v, findings %v; want a refusal: %s", dsn, v.Go, v.Findings, want)
		}
	}
}

func TestGateAbsent(t *testing.T) {
	t.Setenv("TOOLVET_TEST_DSN", "sqlite:"+filepath.Join(t.TempDir(), "shop.db"))
	v := judge(t, toolvet.PointProxy, "SELECT 1")
	if v.Go || len(v.Findings) != 1 || v.Findings[0].Message != "cannot be checked: the SQLite database shop.db does not exist" {
		t.Errorf("go %v, findings %v", v.Go, v.Findings)
	}
}
