// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Sync says when what is written is forced to the disk (fsync). In either case it is in
// the hands of the operating system before [Log.Append] returns, so that the end of
// toolvet, by kill -9 as well, loses nothing.
type Sync int

// The ways to sync. The zero Sync is SyncEverySecond.
const (
	// SyncEverySecond syncs a second after a write, and when the log is closed or
	// rotated. A power failure, or a crash of the operating system, loses up to about a
	// second of records at the end.
	SyncEverySecond Sync = iota
	// SyncAlways syncs before Append returns, all records together that wait. A power
	// failure loses nothing that a call was forwarded upon.
	SyncAlways
)

// Options say how a log is kept.
type Options struct {
	// File is the path of the log; its directory must exist. While another process
	// writes to it, the log is kept in a file of its own beside it: log.2.jsonl
	// beside log.jsonl, and so on. See Log.File.
	File string
	// MaxBytes is the size above which the file is rotated. 0 is DefaultMaxBytes, less
	// is never.
	MaxBytes int64
	// MaxAge is the age of the file's first record above which it is rotated. 0 is never.
	MaxAge time.Duration
	// Keep is the number of rotated files that are kept; older ones are deleted. 0
	// keeps all.
	Keep int
	// Key makes hashes that only its holder can make (see LoadKey). Nil: no key.
	Key []byte
	// Sync says when what is written is forced to the disk.
	Sync Sync
	// MaxWait bounds how long an Append waits, whatever its context says. 0 is
	// DefaultMaxWait.
	MaxWait time.Duration
	// Logger is told what goes wrong in the background: rotating, deleting, syncing.
	// Nil discards.
	Logger *slog.Logger
}

// Defaults of Options.
const (
	DefaultMaxBytes = 100 << 20
	DefaultMaxWait  = time.Second
)

// withDefaults are the options, checked and filled in.
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
