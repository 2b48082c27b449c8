// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package contain

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Told remembers the places that the log has named for one server, through all of its starts.
type Told struct {
	mu    sync.Mutex
	paths map[string]bool
}

// first reports whether a place is new, and there is room for it.
func (t *Told) first(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paths[path] || len(t.paths) >= maxTold {
		return false
	}
	if t.paths == nil {
		t.paths = map[string]bool{}
	}
	t.paths[path] = true
	return true
}

// An explainer reads the errors in a server's answers, and tells the operator in the log of those that the walls may have caused. It never changes
// an answer: a server chooses its errors, so words in an answer would be toolvet's voice in the server's hands.
type explainer struct {
	viewer
	server, file string
	log          *slog.Logger
	told         *Told
	busy         chan struct{} // bounds the errors that are looked at
}

var (
	// denial finds errors that walls cause. The log has this part of a server's text alone.
	denial = lazyregexp.New(`(?i)\b(EACCES|EPERM|EROFS|ENOENT|permission denied|operation not permitted|read-only file system|no such file or directory)\b`)
	// absent and frozen are errors of places that do not exist, and of places that cannot be changed.
	absent = lazyregexp.New(`(?i)ENOENT|no such`)
	frozen = lazyregexp.New(`(?i)EROFS|read-only`)
	// placeNamed finds absolute paths. Other characters could mislead who reads the log.
	placeNamed = lazyregexp.New(`(?:^|[\s'"(\[=:,\x60])(/[A-Za-z0-9_.@+~/-]*[A-Za-z0-9_@+~-])`)
)

// Bounds of what is read of an answer.
const (
	maxExplained = 16 << 10 // bytes of an answer; errors are short
	maxNamed     = 8        // paths
	maxPath      = 256      // bytes of a path in the log
	maxLooks     = 4        // answers at a time
)

// answer reads one message of the server.
func (e *explainer) answer(line []byte) {
	if !bytes.Contains(line, []byte(`rror"`)) || !denial.Match(line) {
		return
	}
	var m struct {
		Error  struct{ Message string }
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	texts := []string{m.Error.Message}
	for _, c := range m.Result.Content {
		if m.Result.IsError {
			texts = append(texts, c.Text)
		}
	}
	text := strings.Join(texts, "\n")
	said := denial.FindString(text)
	if said == "" {
		return
	}
	select {
	case e.busy <- struct{}{}:
		go func() { // a file system may not answer
			defer func() { <-e.busy }()
			e.explain(said, text)
		}()
	default: // one of many: the log would not have had it
	}
}

// explain logs an error of the server, unless a place that the server sees explains it.
func (e *explainer) explain(said, text string) {
	named := placeNamed.FindAllStringSubmatch(text, maxNamed)
	for _, m := range named {
		path := filepath.Clean(m[1])
		if len(path) > maxPath {
			continue
		}
		if advice, outside := e.advice(said, path); outside {
			if e.told.first(path) {
				e.warn(said, advice, "path", path)
			}
			return
		}
	}
	if len(named) == 0 && !absent.MatchString(said) && e.told.first("") {
		e.warn(said, "if it needs a place, name it under contain: read or write in "+e.file)
	}
}

func (e *explainer) warn(said, advice string, more ...any) {
	e.log.Warn("a contained server reported an error that its walls may have caused", append(append([]any{"server", e.server, "error", strings.ToLower(said)}, more...),
		"walls", "it "+Words(e.view.Write, e.view.Read)+", and no other place", "advice", advice)...)
}

// advice says how a policy would show a place. Outside: the walls hide it, or keep it from changes.
func (e *explainer) advice(said, path string) (advice string, outside bool) {
	real := follow(path, func(string) {})
	in := func(lists ...[]string) bool {
		return slices.ContainsFunc(slices.Concat(lists...), func(dir string) bool { return within(path, dir) || within(real, dir) })
	}
	v := &e.view
	key, place := "read", path
	_, err := os.Lstat(real)
	switch {
	case in(v.Hide):
		return "none: walls hide places of secrets by design", true
	case in(v.Write, v.Caches, []string{"/proc", "/sys", "/dev"}), in(v.Scratch) && !(err == nil && absent.MatchString(said)): // the machine's own /tmp is hidden
		return "", false
	case frozen.MatchString(said):
		key = "write"
	case in(v.Read, v.Programs):
		return "", false
	}
	if err != nil && absent.MatchString(said) {
		if _, err := os.Lstat(filepath.Dir(real)); err != nil {
			return "", false // it is missing outside of the walls, too
		}
		key = "write"
	}
	if info, err := os.Lstat(real); key == "write" && (err != nil || !info.IsDir()) {
		place = filepath.Dir(path)
	}
	if real := follow(place, func(string) {}); e.wide(place) || e.wide(real) {
		return "none: name a smaller directory under contain: " + key + " in " + e.file + " if the server needs one there", true
	}
	return "if the server needs it, contain: {" + key + ": ['" + place + "']} in " + e.file + " shows it", true
}

// A listener passes on the messages of a server, and reads them on the way.
type listener struct {
	io.ReadCloser
	explain *explainer
	line    []byte // the beginning of the current message
	long    bool   // it is longer than that
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if l.long = l.long || len(l.line)+len(part) > maxExplained; !l.long {
			l.line = append(l.line, part...)
		}
		if !ended {
			break
		}
		if !l.long {
			l.explain.answer(l.line)
		}
		l.line, l.long = l.line[:0], false
	}
	return n, err
}
