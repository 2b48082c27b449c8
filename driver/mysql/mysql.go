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
	"github.com/toolvet/toolvet/internal/dbdriver"
)

// New returns a driver for MySQL and MariaDB.
func New() driver.Driver { return reach{} }

type reach struct{}

var _ dbdriver.MySQL = reach{}

func (reach) Join(d *dbdriver.Databases) { d.MySQL = reach{} }

func (reach) Connect(ctx context.Context, c dbdriver.MySQLConfig) (sqldriver.Conn, error) {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr = c.Network, c.Address
	cfg.User, cfg.Passwd, cfg.DBName = c.User, c.Password, c.Database
	cfg.TLSConfig, cfg.Collation, cfg.AllowCleartextPasswords = c.TLS, c.Collation, c.CleartextPasswords
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, dbdriver.ErrDSN
	}
	return connector.Connect(ctx)
}

func (reach) Refusal(err error) (dbdriver.Refusal, bool) {
	answer, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return dbdriver.Refusal{}, false
	}
	return dbdriver.Refusal{Number: answer.Number, Message: answer.Message}, true
}
