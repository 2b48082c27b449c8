// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	internal "github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/policy"
)

// Config describes a rehearsal. Command and Init are required.
type Config struct {
	Command []string // the server's program and its arguments
	// Env are variables of the server's environment, NAME=value. The server also gets those of our variables that
	// usually hold no secrets (PATH, HOME, LANG and their like), and those that Pass names: NAME or PREFIX_*.
	Env  []string
	Pass []string
	Dir  string // its working directory; "" is ours
	// Init is a command that calls [Run] in a new process. Start adds arguments to it. Its path is absolute.
	Init     []string
	Writable []string // places that the server may write to, if it does not find them itself
	Limits   Limits
	Network  Network

	// Gate judges the calls and reviews their results; it may be nil. Server is the server's name in the Gate, and
	// Session identifies the caller.
	Gate    *toolvet.Gate
	Server  string
	Session *call.Session

	Timeout time.Duration // of the start with its handshake, and of each call; default 30 s
}

// Limits bound a server in a rehearsal. Zero values mean the defaults.
type Limits struct {
	Storage   int64         // bytes that the server writes, in memory; default 256 MiB
	Files     int64         // files and directories that it makes or changes; default 50,000
	Memory    int64         // bytes of memory of all processes together; default 2 GiB
	Processes int64         // processes and threads; default 512
	CPU       time.Duration // processor time of one process; default 5 min
}

// A Network is what a rehearsed server reaches. The zero value is nothing.
type Network struct {
	Allow        []string // hosts on the internet that are reached for real: HOST, HOST:PORT or *.HOST; without a port, 80 and 443
	AllowPrivate []string // the same, for hosts of a private network and for localhost:PORT
	Replay       string   // an HTTP Archive (HAR), from which requests are answered by their method and URL
	Record       string   // an HTTP Archive to write, with the answers of allowed hosts
}

// Run is the body of the process that [Config.Init] starts, with the arguments that [Start] adds. It returns the exit
// code of that process.
func Run(args []string) int { return rehearsal.Run(args) }

// Probe reports whether this machine can rehearse; if so, the error is nil. It starts the program itself in a sandbox;
// init is as in [Config].
func Probe(ctx context.Context, init []string) error {
	_, err := rehearsal.Probe(ctx, init)
	return outward(err)
}

// Before returns a function that makes the check "rehearsal" for the policy of one server: it rehearses the calls that the policy
// names before they run, and refuses those whose effects the policy does not allow. The command starts the server; nil stands
// for the policy's. Init is as in [Config]. The function is what policyfile.Options take.
//
// Policies that start a server in the same way share the servers that are kept ready. Such a server ends by itself, a
// minute after the last call or with the program.
func Before(command, init []string) func(*policy.Policy) (*check.Check, error) {
	return rehearsal.Before(command, init)
}

// A Session is a server in a sandbox. It is not safe for concurrent use.
type Session struct{ inner *rehearsal.Session }

// Start starts a server in a sandbox and shakes hands. The error is an [UnsupportedError] if this machine cannot
// rehearse.
func Start(ctx context.Context, cfg Config) (*Session, error) {
	inner, err := rehearsal.Start(ctx, rehearsal.Config{
		Command: cfg.Command, Env: cfg.Env, Pass: cfg.Pass, Dir: cfg.Dir, Init: cfg.Init, Writable: cfg.Writable,
		Limits: rehearsal.Limits{
			Storage: cfg.Limits.Storage, Files: cfg.Limits.Files, Memory: cfg.Limits.Memory, Processes: cfg.Limits.Processes, CPU: cfg.Limits.CPU,
		},
		Network: internal.RehearsalNetwork{
			Allow: cfg.Network.Allow, AllowPrivate: cfg.Network.AllowPrivate, Replay: cfg.Network.Replay, Record: cfg.Network.Record,
		},
		Gate: cfg.Gate, Server: cfg.Server, Session: cfg.Session, Timeout: cfg.Timeout,
	})
	if err != nil {
		return nil, outward(err)
	}
	return &Session{inner}, nil
}

// A Call is a call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// A Called is the outcome of a call.
type Called struct {
	Tool string
	// Result is the CallToolResult as the output layer leaves it.
	Result json.RawMessage
	// Failed is the reason for a missing result: the call was refused, its result was withheld, or the server did not
	// answer.
	Failed string
	// Refused means that the policy refused the call and it was not made.
	Refused bool
}

// Call makes a call, and adds its outcome to the report.
func (s *Session) Call(ctx context.Context, c Call) Called {
	return called(s.inner.Call(ctx, rehearsal.Call(c)))
}

// Finish ends the server and returns the report about all calls. After it, call only [Session.Commit] and
// [Session.Close]. A second Finish returns the same report.
func (s *Session) Finish(ctx context.Context) (*Report, error) {
	r, err := s.inner.Finish(ctx)
	if err != nil {
		return nil, outward(err)
	}
	return newReport(r), nil
}

// Commit makes the changes of the calls on the machine, after [Session.Finish]. It leaves out the changes that the
// server made as it started, because the server makes them whenever it starts.
//
// Commit first compares everything that it would touch with the report; if anything differs, the error is a
// [StaleError]. Then it writes a journal, and copies each file, with its attributes, to a name beside its place
// (.toolvet-…). Then it moves each copy to its place in one step, in the order in which the server wrote the files. It
// deletes last.
//
// Commit changes nothing if there is no report, or it is incomplete, if there are sockets or devices, which it cannot make, if a
// directory is closed to us, if another Commit in the same place takes longer than 10 s, or if there is no room for
// the copies or the journal. If it fails after some changes, the error is a [PartialError]. Commit returns the number of steps that
// it took, even with an error.
//
// A process that is killed in the middle is no harm: the next [Recover], or the next Commit of the same user, finishes its
// work, or removes its copies if it had not changed anything.
func (s *Session) Commit(ctx context.Context) (int, error) {
	n, err := s.inner.Commit(ctx)
	return n, outward(err)
}

// A Recovered describes how an interrupted commit ended.
type Recovered struct {
	// Finished means that all changes are made, but for those of Left. Otherwise the commit had not begun to change
	// anything, and its copies are removed.
	Finished bool
	// Left are paths that could not be changed, each with the reason: somebody else has changed them meanwhile, for
	// instance.
	Left []string
}

// Recover ends the commits of this user that were cut off, by kill -9 for instance. It leaves alone those that are under
// way. Call it when the program starts. The error is about journals that cannot be read; the others are done.
//
// The journals are in toolvet/commits below $XDG_STATE_HOME, by default ~/.local/state.
func Recover(ctx context.Context) ([]Recovered, error) {
	done, err := rehearsal.Recover(ctx)
	var list []Recovered
	for _, r := range done {
		one := Recovered{Finished: r.Finished}
		for _, g := range r.Left {
			one.Left = append(one.Left, place(g))
		}
		list = append(list, one)
	}
	return list, err
}

// Close ends the server, and forgets its changes.
func (s *Session) Close() { s.inner.Close() }

// An UnsupportedError reports that this machine cannot rehearse anything. It tells what is missing, and how to enable it if that
// is known.
type UnsupportedError struct{ reason *rehearsal.UnsupportedError }

func (e *UnsupportedError) Error() string {
	if e.reason == nil {
		return "cannot rehearse here"
	}
	return e.reason.Error()
}

// A StaleError reports that a file has changed since the report was written. No part of the change was made.
type StaleError struct{ Path string }

func (e *StaleError) Error() string { return (*rehearsal.StaleError)(e).Error() }

// A PartialError reports that a commit stopped in the middle. Each file is whole, either old or new. New directories
// may lack their mode and owner.
type PartialError struct {
	Made  []string // paths of complete changes
	Begun []string // of partial changes: renamed files with both names, new directories
	Left  []string // of changes that were not made

	err *rehearsal.PartialError
}

func (e *PartialError) Error() string {
	if e.err == nil {
		return "the commit stopped in the middle"
	}
	return e.err.Error()
}

// Unwrap returns the reason.
func (e *PartialError) Unwrap() error {
	if e.err == nil {
		return nil
	}
	return outward(e.err.Err)
}

// outward turns errors of the rehearsal into those of this package.
func outward(err error) error {
	var unsupported *rehearsal.UnsupportedError
	var partial *rehearsal.PartialError // before the stale file that may be its reason
	var stale *rehearsal.StaleError
	switch {
	case errors.As(err, &unsupported):
		return &UnsupportedError{unsupported}
	case errors.As(err, &partial):
		return &PartialError{partial.Made, partial.Begun, partial.Left, partial}
	case errors.As(err, &stale):
		return (*StaleError)(stale)
	}
	return err
}

func called(c rehearsal.Called) Called { return Called{c.Tool, c.Result, c.Failed, c.Refused} }

// place names a gap.
func place(g rehearsal.Gap) string {
	if g.Path == "" {
		return g.Why
	}
	return fmt.Sprintf("%s: %s", g.Path, g.Why)
}
