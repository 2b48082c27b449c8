// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// maxWriters bounds the processes with logs of the same name.
const maxWriters = 100

// claim locks a file for this process. It takes the named file, or if other processes write to that, the first file
// beside it that nobody writes to. The lock is a file of its own, because the log's file is renamed.
func claim(file string) (string, *flock.Flock, error) {
	for n := 1; n <= maxWriters; n++ {
		name := numbered(file, n)
		lock := flock.New(name+".lock", flock.SetPermissions(0o600))
		locked, err := lock.TryLock()
		if err != nil {
			return "", nil, fmt.Errorf("calllog: locking the log: %w", err)
		}
		if locked {
			return name, lock, nil
		}
		if err := lock.Close(); err != nil {
			return "", nil, fmt.Errorf("calllog: locking the log: %w", err)
		}
	}
	return "", nil, fmt.Errorf("calllog: %d processes keep logs beside %s already", maxWriters, file)
}

// numbered returns the file of the nth process: log.jsonl, log.2.jsonl, …
func numbered(file string, n int) string {
	if n == 1 {
		return file
	}
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(file, ext), n, ext)
}

const seqDigits = 12

// rotatedName returns the new name of a rotated file whose last record has this number: log-000000004711.jsonl. The
// names sort in the order of the chain.
func rotatedName(file string, last uint64) string {
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s-%0*d%s", strings.TrimSuffix(file, ext), seqDigits, last, ext)
}

// rotatedFiles returns the rotated files of a log, oldest first.
func rotatedFiles(file string) ([]string, error) {
	dir := filepath.Dir(file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("calllog: looking for rotated files: %w", err)
	}
	ext := filepath.Ext(file)
	prefix := strings.TrimSuffix(filepath.Base(file), ext) + "-"
	var list []string
	for _, e := range entries {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ext), prefix)
		if ok && len(digits) >= seqDigits && strings.Trim(digits, "0123456789") == "" && strings.HasSuffix(e.Name(), ext) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) { // more digits
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return list, nil
}

// syncDir makes a renamed or new file survive a power failure. Not every system can do that; then only the name may
// be lost.
func syncDir(file string) error {
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(ignoreUnsupported(dir.Sync()), dir.Close())
}
