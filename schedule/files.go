// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	maxFiles      = 2000 // all that are watched
	maxFilesOfJob = 100
	maxPath       = 4096
	perPage       = 1000     // jobs
	maxWatched    = 64 << 10 // a larger job is not watched, in characters
)

// files makes the validation of a job due when a file that its arguments may name appears, disappears, or changes its type or
// mode. It polls, because that works on every file system. The next regular validation sees whatever it misses.
func (e *engine) files(ctx context.Context) {
	jobs := watched{paths: map[string][]string{}}
	var listed time.Time
	seen := map[string]fs.FileMode{}
	every := max(e.cfg.Poll, time.Second)
	for pause(ctx, every, nil) {
		if time.Since(listed) > 10*every {
			if err := e.list(ctx, &jobs); err != nil {
				continue // the loop reports it
			}
			listed = time.Now()
		}
		now := make(map[string]fs.FileMode, len(seen))
		for id, paths := range jobs.paths {
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

// lookAt returns the type and mode of a file, or 0 if there is none.
func lookAt(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode() | fs.ModeIrregular // never 0
}

// watched holds the files that arguments of active jobs may name, as far as the jobs have been read.
type watched struct {
	paths  map[string][]string // by the id of the job
	n      int                 // of paths
	newest string              // all jobs up to this id have been read once
	after  string              // where the next page begins that is read again
}

// list reads all new jobs, and one page of the others. Reading all of many jobs would take seconds.
func (e *engine) list(ctx context.Context, w *watched) error {
	again := w.newest != ""
	for w.n < maxFiles {
		last, more, err := e.page(ctx, w, w.newest)
		if err != nil {
			return err
		}
		if w.newest = max(w.newest, last); !more {
			break
		}
	}
	if !again {
		return nil
	}
	last, more, err := e.page(ctx, w, w.after)
	if err != nil {
		return err
	}
	if w.after = last; !more {
		w.after = ""
	}
	return nil
}

// page reads a page of active jobs. Last is the id of the last one.
func (e *engine) page(ctx context.Context, w *watched, after string) (last string, more bool, err error) {
	list, err := e.store.Jobs(ctx, JobFilter{State: Active, After: after, Limit: perPage, Large: maxWatched})
	if err != nil {
		return "", false, err
	}
	if more = len(list) == perPage; more {
		last = list[perPage-1].ID
	}
	for id, paths := range w.paths { // forget this page, including jobs that are not active any more
		if id > after && (!more || id <= last) {
			w.n -= len(paths)
			delete(w.paths, id)
		}
	}
	for _, j := range list {
		last = j.ID
		if paths := e.named(j, maxFiles-w.n); len(paths) > 0 {
			w.paths[j.ID] = paths
			w.n += len(paths)
		}
	}
	return last, more, nil
}

// named returns the files that the arguments of a job may name, at most limit.
func (e *engine) named(j *Job, limit int) (paths []string) {
	server, _, _ := strings.Cut(j.Tool, ":")
	var v any
	if err := json.Unmarshal(j.Arguments, &v); err != nil {
		return nil
	}
	for _, text := range texts(v, nil) {
		paths = append(paths, e.places(server, text)...)
	}
	return paths[:min(len(paths), limit, maxFilesOfJob)]
}

// texts appends the strings in a value to a list.
func texts(v any, list []string) []string {
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, e := range v {
			list = texts(e, list)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) { // always the same ones, if there are too many
			list = texts(v[name], list)
		}
	}
	return list
}

// places returns the places of a text that may be a path.
func (e *engine) places(server, text string) (list []string) {
	if text == "" || len(text) > maxPath || strings.ContainsAny(text, "\n\x00") || strings.Contains(text, "://") {
		return nil
	}
	if filepath.IsAbs(text) {
		return []string{text}
	}
	if e.tuning.Bases != nil && filepath.IsLocal(text) {
		for _, base := range e.tuning.Bases(server) {
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
