// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/dbdriver"
)

// mariadb asks a MariaDB or MySQL database.
type mariadb struct {
	driver dbdriver.MySQL
	cfg    dbdriver.MySQLConfig
	err    error // the fault of the dsn
	pool   *pool[*mysqlConn]
}

// A mysqlConn is a connection, and what is known of it.
type mysqlConn struct {
	sqldriver.Conn
	driver  dbdriver.MySQL
	id      string // by which it can be killed
	mariadb bool
	// cut marks a connection left in the middle of a question; the server goes on with it.
	cut bool
}

func newMySQL(d dbdriver.MySQL, src *source) *mariadb {
	m := &mariadb{driver: d}
	m.cfg, m.err = mysqlConfig(src.dsn)
	m.pool = newPool(m.open, m.shut)
	return m
}

// mysqlConfig reads a dsn. It allows nothing by which a server could read our files, and
// no second statement in a text.
func mysqlConfig(dsn string) (dbdriver.MySQLConfig, error) {
	u, err := url.Parse(dsn) // its error may hold parts of the dsn
	if err != nil || u.Opaque != "" {
		return dbdriver.MySQLConfig{}, badDSN
	}
	cfg := dbdriver.MySQLConfig{
		Network: "tcp", Address: net.JoinHostPort(cmp.Or(u.Hostname(), "127.0.0.1"), cmp.Or(u.Port(), "3306")),
		User: u.User.Username(), Database: strings.TrimPrefix(u.Path, "/"),
	}
	cfg.Password, _ = u.User.Password()
	for name, values := range u.Query() {
		switch value := values[0]; name {
		case "tls":
			cfg.TLS = value
		case "socket":
			cfg.Network, cfg.Address = "unix", value
		case "collation":
			cfg.Collation = value
		case "allowCleartextPasswords":
			cfg.CleartextPasswords = value == "true"
		default:
			return dbdriver.MySQLConfig{}, &unusable{"has a dsn with a parameter that is not known", "leave out what is not tls, socket, collation or allowCleartextPasswords"}
		}
	}
	return cfg, nil
}

func (m *mariadb) connect(ctx context.Context) (sqldriver.Conn, error) {
	if m.err != nil {
		return nil, m.err
	}
	conn, err := m.driver.Connect(ctx, m.cfg)
	if err == nil {
		return conn, nil
	}
	answer, refused := m.driver.Refusal(err)
	switch {
	case errors.Is(err, dbdriver.ErrDSN):
		return nil, badDSN
	case ended(ctx) || errors.Is(err, context.DeadlineExceeded):
		return nil, errUnfinished
	case refused:
		return nil, mysqlRefusal(answer.Number)
	}
	return nil, networkFault(err)
}

func (m *mariadb) open(ctx context.Context) (*mysqlConn, error) {
	conn, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &mysqlConn{Conn: conn, driver: m.driver}
	rows, err := c.query(ctx, "SELECT CONNECTION_ID(), VERSION()")
	if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		_ = conn.Close()
		if ended(ctx) {
			return nil, errUnfinished
		}
		return nil, &unusable{"does not answer as MySQL does", "correct the dsn"}
	}
	c.id, c.mariadb = rows[0][0], strings.Contains(strings.ToLower(rows[0][1]), "mariadb")
	return c, nil
}

// shut closes a connection. The server does not notice soon that a client has gone
// while it waits for a lock, so it is told on another connection.
func (m *mariadb) shut(c *mysqlConn) {
	_ = c.Close() // it has gone, or goes now
	if !c.cut {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := m.connect(ctx)
	if err != nil {
		return // the limit of the session ends the question
	}
	defer conn.Close()
	_ = (&mysqlConn{Conn: conn}).exec(ctx, "KILL "+c.id)
}

func (m *mariadb) close() { m.pool.close() }

func (m *mariadb) ask(ctx context.Context, q *question, r *report) error {
	return m.pool.with(ctx, func(c *mysqlConn) (again bool, err error) {
		defer func() { c.cut = ended(ctx) }()
		s := &mysqlSession{mysqlConn: c, q: q, r: r}
		if err := s.begin(ctx); err != nil {
			return false, stale{err}
		}
		planned, err := s.look(ctx)
		if err != nil || planned { // planning may have changed the session
			return false, err
		}
		return true, s.exec(ctx, "ROLLBACK")
	})
}

// exec runs a statement of ours.
func (c *mysqlConn) exec(ctx context.Context, statement string) error {
	_, err := c.Conn.(sqldriver.ExecerContext).ExecContext(ctx, statement, nil)
	return err
}

// query runs a query of ours, with texts as parameters.
func (c *mysqlConn) query(ctx context.Context, query string, params ...string) ([][]string, error) {
	stmt, err := c.Conn.(sqldriver.ConnPrepareContext).PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	args := make([]sqldriver.NamedValue, len(params))
	for i, p := range params {
		args[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: p}
	}
	rows, err := stmt.(sqldriver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return allRows(rows)
}

// allRows reads rows as texts. NULL is "".
func allRows(rows sqldriver.Rows) ([][]string, error) {
	var list [][]string
	values := make([]sqldriver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); err {
		case nil:
			list = append(list, texts(values))
		case io.EOF:
			return list, nil
		default:
			return nil, err
		}
	}
}

func texts(values []sqldriver.Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case []byte:
			list[i] = string(v)
		default:
			list[i] = fmt.Sprint(v)
		}
	}
	return list
}
