// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Sync decides when lines are forced to the disk (fsync). In either case the operating system has the line before
// [Log.Append] returns, so the end of toolvet, even by kill -9, loses nothing.
type Sync int

// The ways to sync. The zero Sync is SyncEverySecond.
const (
	// SyncEverySecond syncs a second after a write, and when the log is closed or rotated. A power failure, or a
	// crash of the operating system, loses up to about a second of records at the end.
	SyncEverySecond Sync = iota
	// SyncAlways syncs before Append returns, once for all waiting records. A power failure loses no record of a call
	// that was forwarded.
	SyncAlways
)

// Options configure a log.
type Options struct {
	// File is the path of the log; its directory must exist. While another process writes to it, the log goes to a
	// file of its own beside it: log.2.jsonl beside log.jsonl, and so on. See Log.File.
	File string
	// MaxBytes is the size above which the file is rotated. 0 means DefaultMaxBytes, a negative number never.
	MaxBytes int64
	// MaxAge is the age of the file's first record above which the file is rotated. 0 means never.
	MaxAge time.Duration
	// Keep is the number of rotated files to keep; older ones are deleted. 0 keeps all.
	Keep int
	// Key makes hashes that take this key to compute (see LoadKey). It may be nil.
	Key []byte
	// Sync decides when lines are forced to the disk.
	Sync Sync
	// MaxWait bounds the wait of an Append, whatever its context. 0 means DefaultMaxWait.
	MaxWait time.Duration
	// Logger logs errors in the background: of rotation, deletion and syncing. Nil discards.
	Logger *slog.Logger
}

// Defaults of Options.
const (
	DefaultMaxBytes = 100 << 20
	DefaultMaxWait  = time.Second
)

// withDefaults checks the options and fills in the defaults.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.File == "":
		return o, errors.New("calllog: no file is named")
	case o.MaxAge < 0 || o.Keep < 0 || o.MaxWait < 0:
		return o, errors.New("calllog: the greatest age, the files to keep and the time to wait must not be negative")
	case o.Sync != SyncEverySecond && o.Sync != SyncAlways:
		return o, fmt.Errorf("calllog: unknown way to sync: %d", o.Sync)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxWait == 0 {
		o.MaxWait = DefaultMaxWait
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, checkKey(o.Key)
}
