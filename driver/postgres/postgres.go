// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package postgres reaches PostgreSQL by pgx's package pgconn. It registers nothing with database/sql.
package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolvet/toolvet/driver"
)

// A Driver reaches PostgreSQL. The options of a dsn, and the relevant parts of the environment and the home directory,
// are those of libpq.
type Driver struct{}

var _ driver.Postgres = Driver{}

// Address implements [driver.Postgres].
func (Driver) Address(dsn string) (host string, port uint16, err error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", 0, driver.ErrDSN
	}
	return cfg.Host, cfg.Port, nil
}

// Connect implements [driver.Postgres].
func (Driver) Connect(ctx context.Context, dsn string) (driver.PostgresConn, error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, driver.ErrDSN
	}
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "toolvet"
	}
	c, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

// Refusal implements [driver.Postgres].
func (Driver) Refusal(err error) (driver.Refusal, bool) {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return driver.Refusal{}, false
	}
	return driver.Refusal{Code: answer.Code, Message: answer.Message, Position: int(answer.Position)}, true
}

type conn struct{ *pgconn.PgConn }

func (c conn) Run(ctx context.Context, statements string) error {
	_, err := c.Exec(ctx, statements).ReadAll()
	return err
}

func (c conn) Query(ctx context.Context, statement string, params ...string) ([][][]byte, error) {
	values := make([][]byte, len(params))
	for i, p := range params {
		values[i] = []byte(p)
	}
	result := c.ExecParams(ctx, statement, values, nil, nil, nil).Read()
	return result.Rows, result.Err
}

func (c conn) Prepare(ctx context.Context, statement string) (*driver.Description, error) {
	d, err := c.PgConn.Prepare(ctx, "", statement, nil)
	if err != nil {
		return nil, err
	}
	columns := make([]driver.Column, len(d.Fields))
	for i, f := range d.Fields {
		columns[i] = driver.Column{Table: f.TableOID, Number: f.TableAttributeNumber}
	}
	return &driver.Description{Parameters: len(d.ParamOIDs), Columns: columns}, nil
}

func (c conn) Close(ctx context.Context) {
	_ = c.PgConn.Close(ctx) // the server notices, if it has not
	<-c.CleanupDone()
}
