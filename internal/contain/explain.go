// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package contain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/subpath"
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

// An explainer reads the errors in a server's answers, and tells the operator in the log of those that the walls may have caused. The place is one that
// the error names, or else one in the arguments of the call. It never changes an answer: a server chooses its errors, so words in an answer would be toolvet's voice in the server's hands.
type explainer struct {
	viewer
	server, file string
	log          *slog.Logger
	told         *Told
	busy         chan struct{} // bounds the errors that are looked at
	asked        asked
}

var (
	// denial finds errors that walls cause. The log has this part of a server's text alone.
	denial = lazyregexp.New(`(?i)\b(EACCES|EPERM|EROFS|ENOENT|permission denied|operation not permitted|read-only file system|no such file or directory)\b`)
	// missed finds a server's words for a missing place. They mean much else, too: the place must exist.
	missed = lazyregexp.New(`(?i)\b(not a git repository|not found|not exist|not a directory)\b`)
	// absent and frozen are errors of missing places, and of places that cannot be changed.
	absent = lazyregexp.New(`(?i)ENOENT|no such|\bnot `)
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
	maxAsked     = 64       // calls, of which the last are remembered
)

// asked remembers the places in the arguments of calls, by the calls' IDs.
type asked struct {
	mu    sync.Mutex
	ids   []string // the oldest first
	named map[string][]string
}

func (a *asked) add(id string, named []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.named == nil {
		a.named = map[string][]string{}
	}
	if _, ok := a.named[id]; !ok {
		if len(a.ids) == maxAsked {
			delete(a.named, a.ids[0])
			a.ids = slices.Delete(a.ids, 0, 1)
		}
		a.ids = append(a.ids, id)
	}
	a.named[id] = named
}

func (a *asked) by(id string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.named[id]
}

// ask reads one message to the server.
func (e *explainer) ask(line []byte) {
	if !bytes.Contains(line, []byte(`"arguments"`)) {
		return
	}
	var m struct {
		ID     json.RawMessage
		Params struct{ Arguments json.RawMessage }
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || len(m.ID) > maxPath {
		return
	}
	if named := places(string(m.Params.Arguments)); len(named) > 0 { // in JSON, a quote stands before a path
		e.asked.add(string(m.ID), named)
	}
}

// places returns the absolute paths in a text.
func places(text string) (named []string) {
	for _, m := range placeNamed.FindAllStringSubmatch(text, maxNamed) {
		if path := filepath.Clean(m[1]); len(path) <= maxPath {
			named = append(named, path)
		}
	}
	return named
}

// answer reads one message of the server.
func (e *explainer) answer(line []byte) {
	if !bytes.Contains(line, []byte(`rror"`)) || !denial.Match(line) && !missed.Match(line) {
		return
	}
	var m struct {
		ID     json.RawMessage
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
	said := cmp.Or(denial.FindString(text), missed.FindString(text))
	if said == "" {
		return
	}
	select {
	case e.busy <- struct{}{}:
		go func() { // a file system may not answer
			defer func() { <-e.busy }()
			e.explain(said, text, e.asked.by(string(m.ID)))
		}()
	default: // one of many: the log would not have had it
	}
}

// explain logs an error of the server, unless a place that the server sees explains it. Asked are places in the call's arguments.
func (e *explainer) explain(said, text string, asked []string) {
	named := places(text)
	for i, path := range slices.Concat(named, asked) {
		if i >= len(named) || !denial.MatchString(said) {
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		if advice, outside := e.advice(said, path); outside {
			if e.told.first(path) {
				e.warn(said, advice, "path", path)
			}
			return
		}
	}
	if (!placeNamed.MatchString(text) || frozen.MatchString(said)) && !absent.MatchString(said) && e.told.first("") {
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
		return slices.ContainsFunc(slices.Concat(lists...), func(dir string) bool { return subpath.In(path, dir) || subpath.In(real, dir) })
	}
	v := &e.view
	key, place := "read", path
	_, err := os.Lstat(real)
	switch {
	case in(v.Hide):
		return "none: walls hide places of secrets by design", true
	case in(v.Write, v.Caches, []string{"/proc", "/sys", "/dev"}), in(v.Scratch) && !in(v.Read) && !(err == nil && absent.MatchString(said)): // the machine's own /tmp is hidden
		return "", false
	case frozen.MatchString(said) && in(v.Programs) && !in(v.Read):
		return "", false // a shell's error begins with its own name
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
	return "if you trust the call, and the server needs the place, contain: {" + key + ": ['" + place + "']} in " + e.file + " shows it", true
}

// messages cuts bytes into messages, and hands over those that are not too long.
type messages struct {
	each func(line []byte)
	line []byte // the beginning of the current message
	long bool   // it is longer than that
}

func (m *messages) read(p []byte) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if m.long = m.long || len(m.line)+len(part) > maxExplained; !m.long {
			m.line = append(m.line, part...)
		}
		if !ended {
			break
		}
		if !m.long {
			m.each(m.line)
		}
		m.line, m.long = m.line[:0], false
	}
}

// A listener passes on the messages of a server, and reads them on the way.
type listener struct {
	io.ReadCloser
	messages messages
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.messages.read(p[:n])
	return n, err
}

// A speaker passes on messages to a server, and reads them before the server can answer.
type speaker struct {
	io.WriteCloser
	messages messages
}

func (s *speaker) Write(p []byte) (int, error) {
	s.messages.read(p)
	return s.WriteCloser.Write(p)
}
