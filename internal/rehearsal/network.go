// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a report about requests.
const (
	maxRequests = 10_000
	maxAddress  = 512  // characters
	maxURL      = 2048 // characters
)

// An outside is everything that a server can connect to.
type outside struct {
	server    *egress.Server
	local     []uint16 // ports of this machine that the server may reach
	recording *egress.Recording
	file      string // of the recording

	mu   sync.Mutex
	told []egress.Attempt
	lost bool // there were more
}

// newOutside makes the outside that a policy describes.
func newOutside(n policy.RehearsalNetwork) (*outside, error) {
	authority, err := egress.NewAuthority()
	if err != nil {
		return nil, err
	}
	o := &outside{server: &egress.Server{Authority: authority}, file: n.Record}
	o.server.Record = o.record
	if err := errors.Join(o.allow(n), o.replay(n.Replay)); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *outside) allow(n policy.RehearsalNetwork) error {
	allow, local, err := egress.ParseHosts(n.Allow)
	if err != nil {
		return err
	}
	private, own, err := egress.ParseHosts(n.AllowPrivate)
	if err != nil {
		return err
	}
	o.local = slices.Concat(local, own)
	switch {
	case len(allow)+len(private) == 0 && n.Record != "":
		return errors.New("there are no answers to record, because no host is allowed")
	case len(allow)+len(private) == 0:
		return nil
	case n.Replay != "":
		return errors.New("the network either replays answers or lets hosts through, not both")
	}
	guard := &egress.Guard{Allow: allow, Private: private}
	if n.Record != "" {
		o.recording = new(egress.Recording)
	}
	o.server.Guard, o.server.Intercept = guard, o.recording != nil
	o.server.Handler = egress.NewForwarder(guard, o.recording, nil)
	return nil
}

const thisMachine = "localhost"

func (o *outside) replay(file string) error {
	if file == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("the answers to replay: %w", err)
	}
	defer f.Close()
	replay, err := egress.ReadReplay(f)
	if err != nil {
		return fmt.Errorf("the answers to replay: %s: %w", file, err)
	}
	o.server.Handler, o.local = replay, append(o.local, replay.Ports()...)
	return nil
}

// configure directs the connections from a sandbox to o.
func (o *outside) configure(c *sandbox.Config) {
	c.Network, c.Trust, c.Local = sandbox.Observed, o.server.Authority.PEM(), o.local
	c.Accept = func(conn net.Conn, to sandbox.Target) {
		host := to.Host()
		if to.Address.Addr().IsLoopback() {
			host = thisMachine
		}
		o.server.Serve(conn, egress.Target{Host: host, Port: to.Address.Port()})
	}
}

func (o *outside) record(a egress.Attempt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost = len(o.told) >= maxRequests; !o.lost {
		o.told = append(o.told, a)
	}
}

// end ends all connections and writes the recording.
func (o *outside) end() (err error) {
	o.server.Close()
	if o.recording == nil {
		return nil
	}
	f, err := os.OpenFile(o.file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("the recording: %w", err)
	}
	missing, err := o.recording.Write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the recording: %w", err)
	}
	if missing > 0 {
		return fmt.Errorf("the recording %s lacks %d answers that are too large or did not end", o.file, missing)
	}
	return nil
}

// network merges the events of system calls and the outcomes of connections into the report. Events before s.settled
// belong to the start of the server.
func (s *Session) network(ctx context.Context, events []sandbox.Event) []Attempt {
	var list []Attempt
	for i, e := range events {
		switch {
		case e.Name != "":
			list = append(list, Attempt{Address: strictjson.Printable(s.redact.text(ctx, e.Name), maxAddress), AtStart: i < s.events})
		case e.Connect != "" && !idle(e.Connect):
			list = append(list, Attempt{Address: strictjson.Printable(s.outside.named(e.Connect), maxAddress), Answer: s.outside.within(e), AtStart: i < s.events})
		}
	}
	s.outside.mu.Lock()
	defer s.outside.mu.Unlock()
	for i := range s.outside.told {
		list = append(list, s.attempt(ctx, &s.outside.told[i]))
	}
	return attempts(list)
}

// within tells who answers at a closed port of this machine; "" means somebody outside the rehearsal. If a program of
// the machine listens there, the live server may reach that program, whoever listened first.
func (o *outside) within(e sandbox.Event) Answer {
	a, err := netip.ParseAddrPort(e.Connect)
	switch {
	case err != nil || !loopback(a.Addr()) || slices.Contains(o.local, a.Port()):
		return ""
	case sandbox.Listening(a.Port(), false) || sandbox.Listening(a.Port(), true):
		return ""
	case e.Own:
		return Itself
	}
	return Closed
}

// loopback reports whether an address is this machine. Programs use the unspecified address for it, too.
func loopback(a netip.Addr) bool { return a.Unmap().IsLoopback() || a.Unmap().IsUnspecified() }

// named replaces the address of this machine by its name if o answers at the port.
func (o *outside) named(address string) string {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() || !slices.Contains(o.local, a.Port()) {
		return address
	}
	return egress.Target{Host: thisMachine, Port: a.Port()}.String()
}

// attempt describes a connection or a request in the report.
func (s *Session) attempt(ctx context.Context, a *egress.Attempt) Attempt {
	out := Attempt{
		Address: strictjson.Printable(a.Target.String(), maxAddress), Method: strictjson.Printable(a.Method, 32),
		URL: strictjson.Printable(s.redact.text(ctx, a.URL()), maxURL), Status: a.Status, Sent: a.Sent, Received: a.Received,
		AtStart: a.Began.Before(s.settled),
	}
	if name := cmp.Or(hostOf(a.Authority), a.ServerName); name != "" && !strings.EqualFold(name, a.Host) && !(policy.Loopback(name) && policy.Loopback(a.Host)) {
		out.For = strictjson.Printable(name, maxAddress)
	}
	switch {
	case a.Passed && a.Failed == "":
		out.Answer = Allowed
	case a.Replayed:
		out.Answer = Replayed
	}
	return out
}

func hostOf(authority string) string {
	if h, _, err := net.SplitHostPort(authority); err == nil {
		authority = h
	}
	return strings.TrimSuffix(strings.Trim(authority, "[]"), ".")
}

// idle reports whether a connection asks for nothing. By connecting without a port, programs learn which of their
// addresses they would use.
func idle(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == "0"
}

// nameServices are sockets for looking up users and hosts. Programs do without an answer.
var nameServices = []string{"/run/nscd/", "/var/run/nscd/", "/run/systemd/userdb/", "/run/systemd/resolve/", "/var/lib/sss/pipes/", "/run/avahi-daemon/", "/var/run/avahi-daemon/"}

// ofMachine reports whether a socket belongs to this machine, by its path or its abstract name, and was not made in
// the sandbox.
func (s *Session) ofMachine(path string) bool {
	if name, abstract := strings.CutPrefix(path, "@"); abstract {
		sockets, err := os.ReadFile("/proc/net/unix")
		return err != nil || strings.Contains(string(sockets), " @"+name+"\n")
	}
	if slices.ContainsFunc(nameServices, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
		return false
	}
	if i := slices.IndexFunc(s.changes, func(c change) bool { return c.Path == path && c.After != nil }); i >= 0 {
		return !s.madeInside(&s.changes[i])
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// madeInside reports whether a new entry is no other name of a socket of the machine: it has one name, and no socket
// is gone from its place.
func (s *Session) madeInside(c *change) bool {
	return c.After.names <= 1 && !slices.ContainsFunc(s.changes, func(o change) bool { return o.Kind == Deleted && o.Before.Type == "socket" })
}

// attempts removes duplicates, but keeps the start of the server apart. It drops a name or an address if there is a
// request or a connection to it.
func attempts(list []Attempt) []Attempt {
	slices.SortStableFunc(list, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), later(a.AtStart)-later(b.AtStart), -cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Answer, b.Answer))
	})
	var out []Attempt
	for i, a := range list {
		again := i > 0 && a.Address == list[i-1].Address && a.AtStart == list[i-1].AtStart && (a.rank() < rankRequest || a.same(&list[i-1]))
		better := a.rank() == rankName && slices.ContainsFunc(list, func(o Attempt) bool {
			return a.AtStart == o.AtStart && strings.HasPrefix(o.Address, a.Address+":")
		})
		if !again && !better {
			out = append(out, a)
		}
	}
	return out
}

// later sorts the start of the server first.
func later(atStart bool) int {
	if atStart {
		return 0
	}
	return 1
}

// How much an attempt tells.
const (
	rankName = iota
	rankAddress
	rankConnection
	rankRequest
)

func (a *Attempt) rank() int {
	switch {
	case a.Method != "":
		return rankRequest
	case a.Sent > 0 || a.Answer != "" || a.For != "":
		return rankConnection
	case strings.Contains(a.Address, ":"):
		return rankAddress
	}
	return rankName
}

// same reports whether two attempts differ only in sizes and times.
func (a *Attempt) same(o *Attempt) bool {
	return a.Address == o.Address && a.Method == o.Method && a.URL == o.URL && a.For == o.For && a.Status == o.Status && a.Answer == o.Answer
}
