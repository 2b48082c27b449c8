// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package postgres reaches PostgreSQL by pgx's package pgconn. It registers nothing with database/sql.
package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolvet/toolvet/driver"
	"github.com/toolvet/toolvet/internal/dbdriver"
)

// New returns a driver for PostgreSQL. The options of a dsn, and the relevant parts of the environment and the home directory,
// are those of libpq.
func New() driver.Driver { return reach{} }

type reach struct{}

var _ dbdriver.Postgres = reach{}

func (reach) Join(d *dbdriver.Databases) { d.Postgres = reach{} }

func (reach) Address(dsn string) (host string, port uint16, err error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", 0, dbdriver.ErrDSN
	}
	return cfg.Host, cfg.Port, nil
}

func (reach) Connect(ctx context.Context, dsn string) (dbdriver.PostgresConn, error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, dbdriver.ErrDSN
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

func (reach) Refusal(err error) (dbdriver.Refusal, bool) {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return dbdriver.Refusal{}, false
	}
	return dbdriver.Refusal{Code: answer.Code, Message: answer.Message, Position: int(answer.Position)}, true
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

func (c conn) Prepare(ctx context.Context, statement string) (*dbdriver.Description, error) {
	d, err := c.PgConn.Prepare(ctx, "", statement, nil)
	if err != nil {
		return nil, err
	}
	columns := make([]dbdriver.Column, len(d.Fields))
	for i, f := range d.Fields {
		columns[i] = dbdriver.Column{Table: f.TableOID, Number: f.TableAttributeNumber}
	}
	return &dbdriver.Description{Parameters: len(d.ParamOIDs), Columns: columns}, nil
}

func (c conn) Close(ctx context.Context) {
	_ = c.PgConn.Close(ctx) // the server notices, if it has not
	<-c.CleanupDone()
}
