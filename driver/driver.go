// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package driver is the common name of the drivers by which toolvet reaches databases. The packages below it have one
// each, with the weight of its database; this package has none. A program hands over those that it wants:
//
//	databases := sqlstate.New(postgres.New(), sqlite.New())
//	defer databases.Close()
//	gate, err := toolvet.New(toolvet.WithChecks(suite.With(databases.Check())...))
//
// A call that needs another database cannot be checked, and is refused. Two of the packages link a driver that
// registers itself with [database/sql]: driver/mysql as "mysql", driver/sqlite as "sqlite".
package driver

import (
	"github.com/toolvet/toolvet/internal/dbdriver"
	"github.com/toolvet/toolvet/internal/limit"
)

// Counters count the calls of several processes together, for a policy whose limits are shared
// (policyfile.Options.Shared). They are safe for concurrent use. Package driver/redis has the only ones.
type Counters interface{ limit.Opener }

// A Driver reaches one kind of database. It holds no connection, and is safe for concurrent use. Drivers come from
// the packages below this one alone.
type Driver interface{ dbdriver.Driver }
