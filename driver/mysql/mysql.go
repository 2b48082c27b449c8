// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mysql reaches MySQL and MariaDB by github.com/go-sql-driver/mysql, which registers itself with database/sql.
package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/toolvet/toolvet/driver"
)

// A Driver reaches MySQL and MariaDB.
type Driver struct{}

var _ driver.MySQL = Driver{}

// Connect implements [driver.MySQL].
func (Driver) Connect(ctx context.Context, c driver.MySQLConfig) (sqldriver.Conn, error) {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr = c.Network, c.Address
	cfg.User, cfg.Passwd, cfg.DBName = c.User, c.Password, c.Database
	cfg.TLSConfig, cfg.Collation, cfg.AllowCleartextPasswords = c.TLS, c.Collation, c.CleartextPasswords
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, driver.ErrDSN
	}
	return connector.Connect(ctx)
}

// Refusal implements [driver.MySQL].
func (Driver) Refusal(err error) (driver.Refusal, bool) {
	answer, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return driver.Refusal{}, false
	}
	return driver.Refusal{Number: answer.Number, Message: answer.Message}, true
}
