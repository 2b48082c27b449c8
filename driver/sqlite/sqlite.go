// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlite reads SQLite's files by modernc.org/sqlite, which registers itself with database/sql and needs no cgo.
package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/toolvet/toolvet/driver"
	"github.com/toolvet/toolvet/internal/dbdriver"
)

// New returns a driver for SQLite's files.
func New() driver.Driver { return reach{} }

type reach struct{}

var _ dbdriver.SQLite = reach{}

func (reach) Join(d *dbdriver.Databases) { d.SQLite = reach{} }

func (reach) Open(ctx context.Context, file string, immutable bool) (sqldriver.Conn, error) {
	query := url.Values{"mode": {"ro"}, "_busy_timeout": {"100"}, "_pragma": {"query_only(1)"}, "_defensive": {"1"}}
	if immutable {
		query.Set("immutable", "1")
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/dir/file (SQLite, "Uniform Resource Identifiers")
	}
	connector, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode())
	if err != nil {
		return nil, err
	}
	return connector.Connect(ctx)
}

func (reach) Authorize(conn sqldriver.Conn, allow func(action int, arg1, arg2, trigger string) bool) error {
	c, ok := conn.(sqlite.AuthorizerRegisterer)
	if !ok {
		return fmt.Errorf("a connection of the type %T has no authorizer", conn)
	}
	return c.RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, arg1, arg2, _, trigger string) sqlite.AuthorizerReturnCode {
		if allow(int(action), arg1, arg2, trigger) {
			return sqlite.AuthorizerOK
		}
		return sqlite.AuthorizerDeny
	})
}

func (reach) Code(err error) int {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return 0
	}
	return e.Code()
}
