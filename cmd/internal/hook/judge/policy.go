// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
)

// A policyFile is a policy in force, as its file and those beside it are now.
type policyFile struct {
	judge    *Judge
	source   enforce.Source
	all      *policy.Policy
	preset   string
	sum      [sha256.Size]byte // of the file and of those beside it
	environ  map[uint64]bool   // the marks of variables that it refers to: of NAME=VALUE true, of the NAME of one that is not set false
	counters *access.Counters
	record   *record.Recorder

	mu    sync.Mutex
	gates map[gateKey]*toolvet.Gate
	side  map[string]*policyFile // for what calls imply, by host
}

// A gateKey names a gate: relative paths of a call begin in its directory.
type gateKey struct {
	server, dir string
	own         bool
	memory      policy.Memory
	writes      string // the names of the file of settings that the call writes, with a NUL between them
}

// maxGates bounds the gates that a policy keeps.
const maxGates = 64

// policy returns the policy of a request. It reads the file each time: a changed policy holds from the next call on, and one that cannot be used
// refuses every call.
func (j *Judge) policy(r *link.Request) (*policyFile, error) {
	source, err := enforce.Source{Policy: r.Policy, Preset: r.Preset, Each: true, Checks: j.checks}.Read()
	if err != nil {
		return nil, err
	}
	name := r.Policy + "\x00" + r.Preset
	j.mu.Lock()
	defer j.mu.Unlock()
	old := j.policies[name]
	if old != nil && old.sum == sumOf(source.Text, old.all.Beside()) {
		return old, nil
	}
	p := &policyFile{judge: j, environ: map[uint64]bool{}, gates: map[gateKey]*toolvet.Gate{}}
	source.Lookup = func(name string) (string, bool) {
		value, set := os.LookupEnv(name)
		if set {
			name += "=" + value
		}
		p.environ[fast.Mark(name)] = set
		return value, set
	}
	p.source = source
	if p.all, p.preset, err = source.Load(); err != nil {
		return nil, err
	}
	p.sum = sumOf(source.Text, p.all.Beside())
	if old != nil {
		p.counters, p.record = old.counters, old.record
	} else {
		p.counters = &access.Counters{Keeper: newCounts(j.file(name, "counts"))}
	}
	if old == nil || !reflect.DeepEqual(old.all.Log, p.all.Log) {
		opened, err := record.Open(p.all.Log, record.Options{Logger: j.log})
		if err != nil {
			return nil, err
		}
		if old != nil {
			j.records = append(j.records, old.record) // calls that it has let in may still end
		}
		p.record = opened
	}
	j.policies[name] = p
	return p, nil
}

// file returns the name of a file for what outlives the process, or "".
func (j *Judge) file(name, ending string) string {
	if j.state == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(j.state, hex.EncodeToString(sum[:8])+"."+ending)
}

// sumOf sums a policy and the files beside it. A missing file counts as an empty one: the gate tells.
func sumOf(text []byte, beside []string) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(text)
	for _, file := range beside {
		content, _ := os.ReadFile(file)
		part := sha256.Sum256(content)
		h.Write(part[:])
	}
	h.Sum(sum[:0])
	return sum
}

// names reports whether the policy says something of a server.
func (p *policyFile) names(server string) bool {
	return p.all.Server(server) != nil && server != ""
}

// asksAbout reports whether the preset asks about a kind of what the commands of a host do.
func (p *policyFile) asksAbout(host, kind string) bool {
	s := p.all.Server(host)
	return (p.preset == "standard" || p.preset == "strict") && (s == nil || len(s.Tools) == 0 && !slices.Contains(s.Unasked.Kinds, kind))
}

// spares reports whether the policy lets a line delete that is one command.
func (p *policyFile) spares(host, line string) bool {
	s := p.all.Server(host)
	line = strings.TrimSpace(line) + " "
	return s != nil && !strings.ContainsAny(line, ";&|\n`$(<>") && slices.ContainsFunc(s.Unasked.Commands, func(words string) bool { return strings.HasPrefix(line, words+" ") })
}

// observer returns who records calls.
func (p *policyFile) observer() toolvet.Observer { return p.record }

// gate returns the gate of a server, for calls from a directory. A server that the policy does not name has no demands of its own.
func (p *policyFile) gate(server string, e hook.Event, own bool, memory policy.Memory) (*toolvet.Gate, error) {
	key := gateKey{server: server, dir: e.Dir, own: own, memory: memory}
	if own {
		key.writes = strings.Join(writtenSettings(e), "\x00")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.gates[key]; g != nil {
		return g, nil
	}
	g, err := p.newGate(key)
	if err != nil {
		return nil, err
	}
	if len(p.gates) >= maxGates {
		clear(p.gates)
	}
	p.gates[key] = g
	return g, nil
}

// aside returns the policy for what the calls of a server, or of a host's own tools, imply: the settings of checks, its directories and the preset.
// Rules, limits and demands name tools, and an implied call is of none.
func (p *policyFile) aside(host string) *policyFile {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.side == nil || len(p.side) >= maxGates {
		p.side = map[string]*policyFile{}
	}
	if p.side[host] == nil {
		all := *p.all
		all.Rules, all.Limits, all.Shared, all.Pinning, all.Rehearsal, all.DryRun, all.Servers = nil, nil, nil, policy.Pinning{}, policy.Rehearsal{}, policy.BoundCalls{}, nil
		if s := p.all.Server(host); s != nil {
			bare := *s
			bare.Tools, bare.Requests = nil, nil
			all.Servers = []*policy.Server{&bare}
		}
		p.side[host] = &policyFile{judge: p.judge, source: p.source, preset: p.preset, all: &all, gates: map[gateKey]*toolvet.Gate{}, counters: p.counters, record: p.record}
	}
	return p.side[host]
}

func (p *policyFile) newGate(key gateKey) (*toolvet.Gate, error) {
	all := *p.all
	all.Servers = slices.Clone(all.Servers)
	i := slices.IndexFunc(all.Servers, func(s *policy.Server) bool { return s.Name == key.server })
	server := &policy.Server{Name: key.server, ClientRoots: true, Agent: true}
	if i >= 0 {
		if err := all.Servers[i].Unplaced(); err != nil {
			return nil, err
		}
		given := *all.Servers[i]
		server = &given
		server.Agent = server.Agent || key.own
		all.Servers[i] = server
	} else {
		all.Servers = append(all.Servers, server)
	}
	server.Memory = key.memory
	if !server.ClientRoots { // those of the session do not count
		server.World.Roots = append(slices.Clip(server.World.Roots), server.Unasked.Directories...)
	}
	if server.World.Base == "" && filepath.IsAbs(key.dir) {
		server.World.Base = key.dir
	}
	server.Unasked.Files = slices.Clone(server.Unasked.Files)
	if key.writes != "" {
		server.Unasked.Files = append(server.Unasked.Files, strings.Split(key.writes, "\x00")...)
	}
	for i, file := range server.Unasked.Files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(server.World.Base, file)
		}
		server.Unasked.Files[i] = filepath.Clean(file)
	}
	source := p.source
	source.Server = key.server
	narrowed, err := source.Narrow(&all, p.preset, nil)
	if err != nil {
		return nil, err
	}
	enforcer := &access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: key.server, Log: p.judge.log, Counters: p.counters}
	if len(narrowed.Rehearsal.Before) == 0 {
		return p.judge.checks.NewGate(enforcer, narrowed)
	}
	command, err := shellServer(key)
	if err != nil {
		return nil, err
	}
	narrowed.Servers[0].Dir = narrowed.Servers[0].World.Base
	return p.judge.checks.NewRehearsingGate(enforcer, narrowed, backend.Before(command))
}

// session describes who calls, and where they work.
func (p *policyFile) session(host *hook.Host, e hook.Event) *call.Session {
	s := p.source.Session(p.all)
	s.ID, s.Transport, s.Asks, s.ClientName = e.Session, "hook", host.Asks, host.Name
	for _, dir := range e.Roots {
		if filepath.IsAbs(dir) && !slices.Contains(s.Roots, dir) {
			s.Roots = append(s.Roots, dir)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(real) && !slices.Contains(s.Roots, real) { // the project has both names
			s.Roots = append(s.Roots, real)
		}
	}
	if own := p.all.Server(host.Name); own != nil {
		s.Roots = append(s.Roots, own.Unasked.Directories...)
	}
	if p.preset != "strict" || len(s.Roots) == 0 { // files there are of no consequence, and without any place nothing would be outside
		s.Roots = append(s.Roots, strings.TrimSuffix(os.TempDir(), "/"))
	}
	return &s
}
