// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// recording is the file in a judge's state directory that holds the directory for recorded payloads.
const recording = "record"

// StartRecording has the judges of a state directory write what hosts tell into another directory, each payload to a file of its own:
// HOST-EVENT-TIME.json. It makes that directory, for this user alone.
func StartRecording(state, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(state, recording), []byte(dir), 0o600)
}

// StopRecording ends that, and returns the directory; "" if nothing was recorded.
func StopRecording(state string) (dir string, err error) {
	file := filepath.Join(state, recording)
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(raw), os.Remove(file)
}

// record keeps a host's payload while the user records. A fault is no reason to refuse a call, so it goes to the log.
func (j *Judge) record(host *hook.Host, r *link.Request) {
	if j.state == "" {
		return
	}
	dir, err := os.ReadFile(filepath.Join(j.state, recording))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		event := "unread"
		if e, err := host.Decode(r.Payload, r.Getenv); err == nil {
			event = strings.Map(func(c rune) rune {
				if unicode.IsLetter(c) {
					return c
				}
				return '_'
			}, e.Name)
		}
		name := fmt.Sprintf("%s-%.40s-%d.json", host.Name, event, time.Now().UnixNano())
		err = os.WriteFile(filepath.Join(string(dir), name), r.Payload, 0o600)
	}
	if err != nil {
		j.log.Warn("a payload is not recorded", "err", err)
	}
}
