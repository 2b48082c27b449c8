// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx", which schedule/sqlstore asks for; driver/sqlite registers "sqlite"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sqlstate"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/driver/mysql"
	"github.com/toolvet/toolvet/driver/postgres"
	"github.com/toolvet/toolvet/driver/sqlite"
)

// DefaultChecks returns the checks of the command: those of [suite.Default], with all databases. The slice is the
// caller's own.
func DefaultChecks() []*check.Check {
	return suite.With(sqlstate.New(postgres.New(), mysql.New(), sqlite.New()).Check())
}
