// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
)

// A diary remembers a session. It is a file of lines and only grows. So nothing is lost when judges take turns, die or run at the same time. The
// first call that matters begins it:
//
//	asked KIND CALL  toolvet has asked the user about a call
//	ended CALL       the host has told its end: it has run
//	told             the host has told the end of another call
//
// A call counts as run once toolvet has asked about it. If the host tells the end of another call first, the user may have denied this one; then it
// counts when its own end is told. Of hosts without an event for failures, no end is noted: a failed call may have shown a secret.
//
// The kinds are those of [policy.Memory].
const (
	readSecret  = "secret"
	readForeign = "foreign"
)

// maxDiary bounds a diary, in bytes. A full one remembers everything.
const maxDiary = 64 << 10

// diaryAge is how long a session is remembered after its last line. Hosts let users go on with old sessions.
const diaryAge = 30 * 24 * time.Hour

// diary returns the name of the file of an event's session, and a key in its place for a judge that keeps no files.
func (j *Judge) diary(e hook.Event) string {
	sum := sha256.Sum256([]byte(e.Host + "\x00" + e.Session))
	return filepath.Join(j.state, hex.EncodeToString(sum[:8])+".session")
}

// readDiary returns the text of a diary. An unreadable one is full: everything counts as read.
func (j *Judge) readDiary(name string) string {
	if j.state == "" {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.diaries[name]
	}
	text, err := readOwn(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return strings.Repeat("\n", maxDiary)
	}
	return string(text)
}

// readOwn reads a diary, as far as it may be long. A link or a pipe in its place is none of ours.
func readOwn(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxDiary))
}

// write adds a line to the diary of an event's session. An error refuses the call, since nobody would remember it.
func (j *Judge) write(e hook.Event, line string) error {
	name := j.diary(e)
	if j.state == "" {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.diaries[name] += line + "\n"
		return nil
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return errors.New("no regular file stands in " + name + ": delete it")
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	return errors.Join(err, file.Close())
}

// remembered returns the memory of an event's session, and what is certain of it. Without a name for the session there is none: its questions would
// never end.
func (j *Judge) remembered(e hook.Event) (m, certain policy.Memory) {
	if e.Session == "" {
		return policy.Memory{}, policy.Memory{}
	}
	m, certain, _ = recall(j.readDiary(j.diary(e)))
	return m, certain
}

// recall reads a diary. Certain is without the calls whose end has not been told; begun reports whether any call was asked about.
func recall(text string) (m, certain policy.Memory, begun bool) {
	if len(text) >= maxDiary {
		return policy.Memory{Secret: true, Foreign: true}, policy.Memory{}, false
	}
	type asked struct{ kind, call string }
	var all, maybe []asked // maybe: since the last end of another call
	done := func(kind string) {
		switch kind {
		case readSecret:
			m.Secret = true
		case readForeign:
			m.Foreign = true
		}
	}
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch verb {
		case "asked":
			kind, call, _ := strings.Cut(rest, " ")
			all, maybe = append(all, asked{kind, call}), append(maybe, asked{kind, call})
		case "ended":
			for _, a := range all {
				if a.call == rest {
					done(a.kind)
				}
			}
			maybe = nil
		case "told":
			maybe = nil
		}
	}
	certain = m
	for _, a := range maybe {
		done(a.kind)
	}
	return m, certain, len(all) > 0
}

// note remembers a question to the user.
func (j *Judge) note(host *hook.Host, e hook.Event, kinds []string) error {
	if len(kinds) == 0 || e.Session == "" {
		return nil
	}
	text := j.readDiary(j.diary(e))
	m, known, _ := recall(text)
	if !host.TellsFailures || len(text) >= maxDiary {
		known = m // nothing will take it away
	}
	for _, kind := range kinds {
		if kind == readSecret && known.Secret || kind == readForeign && known.Foreign {
			continue
		}
		if err := j.write(e, "asked "+kind+" "+callSum(e)); err != nil {
			return err
		}
	}
	return nil
}

// ended remembers the end of a call, in a session with questions.
func (j *Judge) ended(host *hook.Host, e hook.Event) {
	if e.Session == "" || !host.TellsFailures {
		return
	}
	text := j.readDiary(j.diary(e))
	if _, _, begun := recall(text); !begun {
		return
	}
	line := "told"
	if sum := callSum(e); strings.Contains(text, " "+sum+"\n") {
		line = "ended " + sum
	}
	if line == "told" && strings.HasSuffix(text, "told\n") {
		return // nothing was asked in between
	}
	if err := j.write(e, line); err != nil {
		j.log.Warn("what a session has read is not remembered", "err", err) // it counts as read until another end is told
	}
}

// callSum stands for a call in a diary: its name may hold anything.
func callSum(e hook.Event) string {
	sum := sha256.Sum256([]byte(key(e)))
	return hex.EncodeToString(sum[:8])
}

// matters returns the words of the diary for a call that is asked about.
func matters(v toolvet.Verdict) (kinds []string) {
	has := map[string]bool{}
	for _, f := range v.Findings {
		if !f.Asks() {
			continue
		}
		switch {
		case f.Source == "credential" || f.Source == "secret" || f.Source == "key":
			has[readSecret] = true
		case f.Source == "network" || f.Source == "package" || f.Check == "url":
			has[readForeign] = true
		}
	}
	for _, kind := range []string{readSecret, readForeign} {
		if has[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// because says which earlier reading is behind a question, in a line; "" if none is.
func because(m, certain policy.Memory, v toolvet.Verdict) string {
	for _, f := range v.Findings {
		switch {
		case !f.Asks():
		case m.Secret && (f.Source == "network" || f.Source == "sending" || f.Check == "url"):
			return afterSecret(certain) + ".\n"
		case m.Foreign && f.Source == "steering":
			return afterStranger(certain) + ".\n"
		}
	}
	return ""
}

func afterStranger(certain policy.Memory) string {
	return hasRead(certain.Foreign, "what a host or a server says that nobody lists") + " Its words may be behind this change"
}

func afterSecret(certain policy.Memory) string {
	return hasRead(certain.Secret, "what may hold a secret") + " From then on toolvet asks about everything that leaves this machine"
}

// hasRead says what a session has read. Of a call whose end nobody told, toolvet knows only its own question.
func hasRead(certain bool, what string) string {
	if certain {
		return "This session has read " + what + "."
	}
	return "toolvet has asked about a call in this session that reads " + what + ", and does not know whether it ran."
}

// carries says why a call sends its arguments away, whatever they are; "" if it does not.
func carries(host string, e hook.Event, server string) string {
	switch {
	case server != host:
		return "this is a call of the MCP server " + server + ", which may send its arguments anywhere"
	case searchesWeb.MatchString(e.Tool):
		return "this call sends its words to a search engine"
	case sends(lineIn(e)):
		return "this call may send something to another machine"
	}
	return ""
}

var searchesWeb = lazyregexp.New(`(?i)web_?search|search_?web|google|brave|exa_|tavily`)

// forget removes the diaries of old sessions.
func (j *Judge) forget(now time.Time) {
	if j.state == "" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(j.state, "*.session"))
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && now.Sub(info.ModTime()) > diaryAge {
			_ = os.Remove(file) // the next judge tries again
		}
	}
}
