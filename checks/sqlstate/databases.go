// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"maps"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/internal/dbdriver"
)

// maxDatabases bounds how many databases are remembered.
const maxDatabases = 64

// databases are those that have been asked. It is safe for concurrent use.
type databases struct {
	drivers dbdriver.Databases

	mu  sync.Mutex
	all map[string]database // by their dsn, of SQLite the file
}

// of returns the database of a source.
func (d *databases) of(src *source) database {
	key := src.dsn
	if src.file != "" {
		key = src.file
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if db, ok := d.all[key]; ok {
		return db
	}
	if d.all == nil {
		d.all = make(map[string]database)
	}
	if len(d.all) >= maxDatabases {
		d.forget()
	}
	db := d.open(src)
	d.all[key] = db
	return db
}

func (d *databases) open(src *source) database {
	switch src.dialect {
	case "sqlite":
		return newSQLite(d.drivers.SQLite, src.file)
	case "mysql":
		return newMySQL(d.drivers.MySQL, src)
	}
	return newPostgres(d.drivers.Postgres, src)
}

// forget makes room for another database. Whichever goes is opened again when it is
// asked again; its connections close when they have been idle.
func (d *databases) forget() {
	for key := range d.all {
		delete(d.all, key)
		return
	}
}

func (d *databases) close() {
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.all))
	d.mu.Unlock()
	for _, db := range all {
		db.close()
	}
}
