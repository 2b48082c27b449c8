// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxFiles = 2000 // that are looked at
	maxPath  = 4096
)

// files has a job validated at once when a file that one of its arguments may name comes, goes
// or becomes of another kind or mode. It looks, rather than being told: that works on every
// file system. What it does not see, the next validation does.
func (e *engine) files(ctx context.Context) {
	var jobs map[string][]string // paths by the id of the job
	var listed time.Time
	seen := map[string]fs.FileMode{}
	every := max(e.cfg.Poll, time.Second)
	for pause(ctx, every, nil) {
		if time.Since(listed) > 10*every {
			found, err := e.paths(ctx)
			if err != nil {
				continue // the loop says so
			}
			jobs, listed = found, time.Now()
		}
		now := make(map[string]fs.FileMode, len(seen))
		for id, paths := range jobs {
			changed := false
			for _, path := range paths {
				if _, looked := now[path]; !looked {
					now[path] = lookAt(path)
				}
				before, known := seen[path]
				changed = changed || !known || before != now[path]
			}
			if changed {
				e.checkNow(ctx, id)
			}
		}
		seen = now
	}
}

// lookAt is what can be seen of a file in passing; 0 is nothing.
func lookAt(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode() | fs.ModeIrregular // never 0
}

// paths are the files that arguments of active jobs may name.
func (e *engine) paths(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	n := 0
	f := JobFilter{State: Active, Limit: 1000}
	for n < maxFiles {
		list, err := e.store.Jobs(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, j := range list {
			server, _, _ := strings.Cut(j.Tool, ":")
			var v any
			if err := json.Unmarshal(j.Arguments, &v); err != nil {
				continue
			}
			for _, text := range texts(v, nil) {
				for _, path := range e.places(server, text) {
					found[j.ID] = append(found[j.ID], path)
					n++
				}
			}
		}
		if len(list) < 1000 {
			break
		}
		f.After = list[len(list)-1].ID
	}
	return found, nil
}

// texts are the strings in a value.
func texts(v any, list []string) []string {
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, e := range v {
			list = texts(e, list)
		}
	case map[string]any:
		for _, e := range v {
			list = texts(e, list)
		}
	}
	return list
}

// places are where a text would lie if it is a path.
func (e *engine) places(server, text string) (list []string) {
	if text == "" || len(text) > maxPath || strings.ContainsAny(text, "\n\x00") || strings.Contains(text, "://") {
		return nil
	}
	if filepath.IsAbs(text) {
		return []string{text}
	}
	if e.cfg.Bases != nil && filepath.IsLocal(text) {
		for _, base := range e.cfg.Bases(server) {
			list = append(list, filepath.Join(base, text))
		}
	}
	return list
}

// checkNow makes the validation of a job due.
func (e *engine) checkNow(ctx context.Context, id string) {
	_, err := e.store.UpdateJob(ctx, id, func(j *Job) error {
		if j.State == Active && !j.Next.IsZero() {
			j.CheckAt = e.now()
		}
		return nil
	})
	if err == nil {
		kick(e.check)
	}
}
