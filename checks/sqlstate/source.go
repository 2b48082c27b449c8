// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/sqltext"
	"github.com/toolvet/toolvet/internal/dbdriver"
)

// A source is a database as a policy names it.
type source struct {
	dialect string // "postgres", "mysql" or "sqlite"
	dsn     string // secret
	where   string // the part of it for messages
	file    string // of SQLite
	skip    string // why it is not asked
}

// sourceOf reads the dsn of options.
func sourceOf(drivers dbdriver.Databases, o *sqltext.Options, world check.World) (*source, error) {
	dsn := o.DSN
	if o.DSNEnv != "" {
		if dsn = os.Getenv(o.DSNEnv); dsn == "" {
			return nil, &unusable{"is named by the environment variable " + o.DSNEnv + ", which is not set", "set it where toolvet runs"}
		}
	}
	src, err := parseDSN(drivers, dsn, world)
	if err != nil {
		return nil, err
	}
	if name := o.DialectName(); name != "generic" && src.skip == "" && name != src.dialect {
		return nil, &unusable{"is not of the policy's dialect", "leave out dialect, which is then that of the dsn"}
	}
	return src, nil
}

var badDSN = &unusable{"has a dsn that cannot be read", "write postgres://USER:PASSWORD@HOST:PORT/DATABASE, mysql://USER:PASSWORD@HOST:PORT/DATABASE or sqlite:FILE"}

func parseDSN(drivers dbdriver.Databases, dsn string, world check.World) (*source, error) {
	scheme, rest, _ := strings.Cut(dsn, ":")
	switch strings.ToLower(scheme) {
	case "postgres", "postgresql":
		return postgresSource(drivers.Postgres, dsn)
	case "mysql", "mariadb":
		return mysqlSource(drivers.MySQL, dsn)
	case "sqlite", "sqlite3", "file":
		return sqliteSource(drivers.SQLite, dsn, rest, world)
	}
	return nil, badDSN
}

// unlinked is the error of a database without a driver. How to link one is the business of whoever builds the program.
func unlinked(name, pkg string) error {
	return &unusable{"is of " + name + ", for which this program has no driver",
		"build the program with the package driver/" + pkg + ", or leave out dsn and dsn_env"}
}

func postgresSource(d dbdriver.Postgres, dsn string) (*source, error) {
	if d == nil {
		return nil, unlinked("PostgreSQL", "postgres")
	}
	host, port, err := d.Address(dsn)
	if err != nil {
		return nil, badDSN
	}
	address := host
	if !strings.HasPrefix(host, "/") {
		address = net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	return &source{dialect: "postgres", dsn: dsn, where: "the PostgreSQL database at " + address}, nil
}

func mysqlSource(d dbdriver.MySQL, dsn string) (*source, error) {
	if d == nil {
		return nil, unlinked("MySQL", "mysql")
	}
	cfg, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	return &source{dialect: "mysql", dsn: dsn, where: "the MySQL database at " + cfg.Address}, nil
}

// sqliteSource reads "sqlite:dir/file", "sqlite:/dir/file" and "sqlite:///dir/file".
func sqliteSource(d dbdriver.SQLite, dsn, rest string, world check.World) (*source, error) {
	if world.Remote {
		return &source{skip: "the server is remote, and so is its SQLite file"}, nil
	}
	if d == nil {
		return nil, unlinked("SQLite", "sqlite")
	}
	file, query, _ := strings.Cut(rest, "?")
	if strings.HasPrefix(file, "//") {
		file = "/" + strings.TrimLeft(file, "/")
	}
	file, err := url.PathUnescape(file)
	if err != nil || file == "" || file == ":memory:" || query != "" && query != "mode=ro" {
		return nil, badDSN
	}
	if !filepath.IsAbs(file) {
		if world.Base == "" {
			return nil, &unusable{"has a dsn with a relative file", "write the file with its directory"}
		}
		file = filepath.Join(world.Base, file)
	}
	return &source{dialect: "sqlite", dsn: dsn, file: file, where: "the SQLite database " + filepath.Base(file)}, nil
}
