// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/machine/cgroup"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/upstream"
)

// Config says what to rehearse. Command and Init are required.
type Config struct {
	Command []string // the server's program and its arguments
	// Env are variables of the server's environment, NAME=value. Of ours it has, besides, those
	// that hold no secrets as a rule (PATH, HOME, LANG and their like; see [Environment]), and
	// those that Pass names: NAME or PREFIX_*.
	Env  []string
	Pass []string
	Dir  string // its working directory; "" is ours
	// Init is the command, without arguments to come, that calls [Run] in a new process. Its
	// path is absolute.
	Init     []string
	Writable []string // places that the server may write to, if it does not find them
	Limits   Limits
	Network  policy.RehearsalNetwork // what the server reaches; the zero value is nothing

	// Gate judges the calls and reviews their results; nil: nobody does. Server is the
	// server's name in it, and Session who makes the calls.
	Gate    *toolvet.Gate
	Server  string
	Session *call.Session

	Timeout time.Duration // of the start with its handshake, and of each call; default [upstream.DefaultTimeout]
	// Grace is how long the server may take to end when its input has ended, before it is
	// told to, and then before it is made to. Default 1 s.
	Grace  time.Duration
	Stderr io.Writer     // receives what the server says beside its messages; nil discards
	search time.Duration // see [sandbox.Config.Search]
	// Committed is told of each change that [Session.Commit] has made, as soon as it is made; nil: nobody is.
	Committed func(Change)
}

// Run is the body of the program that [Config.Init] names; see [sandbox.Run].
func Run(args []string) int { return sandbox.Run(args) }

// A Session is a server in a sandbox. Its methods must not be used concurrently.
type Session struct {
	cfg     Config
	box     *sandbox.Sandbox
	client  *upstream.Client
	tools   *call.Catalog
	redact  *redactor
	began   time.Time
	report  Report
	atStart map[string]mark              // of what was changed before the first call
	roots   map[string]map[string]string // see [walker]
	events  int                          // before the first call
	settled time.Time                    // when the first call could be made
	outside *outside
	layers  []*layer
	changes []change          // as in the report
	retire  func(end func())  // has end run, for Close; nil: Close waits for it
	reached func(what string) // of tests: how far a commit is
	close   sync.Once
}

// Start starts a server in a sandbox and shakes hands. The error is an [UnsupportedError]
// if that cannot be done on this machine.
func Start(ctx context.Context, cfg Config) (*Session, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("it is not known how to start the server: give its command")
	}
	kept, withheld := environment(os.Environ(), cfg.Pass)
	cfg.Env = merge(kept, cfg.Env)
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), upstream.DefaultTimeout)
	cfg.Grace = cmp.Or(max(cfg.Grace, 0), time.Second)
	s := &Session{cfg: cfg, redact: newRedactor(), began: time.Now()}
	s.report.Withheld = without(withheld, cfg.Env)
	var err error
	if s.outside, err = newOutside(cfg.Network); err != nil {
		return nil, err
	}
	s.client, err = upstream.Connect(ctx, dialer{s}, upstream.Options{Timeout: cfg.Timeout, Stderr: cfg.Stderr})
	if err != nil {
		s.Close()
		return nil, err
	}
	if s.tools, _, err = s.client.Tools(ctx); err != nil { // a tool that is at fault is refused when it is called
		s.Close()
		return nil, fmt.Errorf("listing the server's tools: %w", err)
	}
	return s, s.settle(ctx)
}

// A dialer starts the session's sandbox.
type dialer struct{ s *Session }

func (d dialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	c := d.s.cfg
	env := c.Env
	if d.s.outside.server.Guard == nil {
		env = offline(env)
	}
	config := sandbox.Config{Args: c.Command, Env: env, Dir: c.Dir, Init: c.Init, Writable: c.Writable, Search: c.search, Limits: sandbox.Limits(c.Limits)}
	d.s.outside.configure(&config)
	box, err := sandbox.Start(ctx, config)
	if err != nil {
		return nil, unsupported(err)
	}
	d.s.box = box
	go func() { _, _ = io.Copy(stderr, box.Stderr()) }() // to its end, which is the server's
	return transport{box, c.Grace}, nil
}

// A transport ends its server within the session's time.
type transport struct {
	*sandbox.Sandbox
	grace time.Duration
}

func (t transport) Stop(ctx context.Context, _ process.Grace) process.Exit {
	return t.Sandbox.Stop(ctx, process.Grace{EOF: t.grace, Term: t.grace})
}

// settle notes what the server has done before the first call.
func (s *Session) settle(ctx context.Context) error {
	s.roots = map[string]map[string]string{}
	w := newWalker(ctx, true, s.roots)
	layers, err := s.open(w)
	if err != nil {
		return err
	}
	s.atStart = map[string]mark{}
	for _, l := range layers {
		w.layer(l)
		l.close()
	}
	for _, c := range w.changes {
		s.atStart[c.Path] = c.mark()
	}
	_ = s.box.Settle() // where the sandbox has ended, what is known is all
	s.events, s.settled = len(s.box.Events()), time.Now()
	return nil
}

// refresh has a session that has waited see what has changed on the machine meanwhile.
func (s *Session) refresh() error {
	select {
	case <-s.client.Done():
		return s.client.Err()
	default:
	}
	s.began = time.Now()
	return s.box.Refresh()
}

// A mark tells whether a change has been seen before.
type mark struct {
	stamp
	mode        Mode
	user, group int
	attributes  string
}

func (c *change) mark() mark {
	if c.After == nil {
		return mark{}
	}
	m := mark{c.After.stamp, c.After.Mode, c.After.User, c.After.Group, fmt.Sprint(c.After.Attributes)}
	if c.After.Type == "directory" { // what is made in it has a mark of its own
		m.size, m.changed = 0, 0
	}
	return m
}

func (s *Session) open(w *walker) ([]*layer, error) {
	var open []*layer
	layers, _ := s.box.Layers()
	for _, l := range layers {
		o, err := w.openLayer(l)
		switch {
		case w.live && errors.Is(err, os.ErrPermission): // then what the server did there is the first call's
		case err != nil:
			return nil, err
		case o != nil:
			open = append(open, o)
		}
	}
	return open, nil
}

// Call makes a call, and adds what became of it to the report.
func (s *Session) Call(ctx context.Context, c Call) Called {
	began := time.Now()
	done := s.call(ctx, c)
	done.Tool, done.Took = c.Tool, Duration(time.Since(began))
	s.report.Calls = append(s.report.Calls, done)
	return done
}

func (s *Session) call(ctx context.Context, c Call) Called {
	if c.Arguments == nil {
		c.Arguments = json.RawMessage("{}")
	}
	arguments, err := call.DecodeArguments(c.Arguments, call.Limits{})
	if err != nil {
		return Called{Refused: true, Failed: fmt.Sprintf("the arguments cannot be used: %v", err)}
	}
	judged := &call.Call{Server: s.cfg.Server, Name: c.Tool, Arguments: arguments, Raw: c.Arguments, Session: s.cfg.Session}
	judged.Resolve(s.tools)
	if s.cfg.Gate != nil {
		if v := s.cfg.Gate.Judge(ctx, judged, toolvet.PointValidate); !v.Go {
			words := protocol.NewResult(c.Tool, v)
			return Called{Refused: true, Failed: words.Text()}
		}
	}
	raw, err := s.client.Call(ctx, c.Tool, c.Arguments)
	if err != nil {
		return Called{Failed: s.redact.text(ctx, err.Error())}
	}
	return s.review(ctx, judged, raw)
}

// review puts a result through the output layer.
func (s *Session) review(ctx context.Context, c *call.Call, raw json.RawMessage) Called {
	if s.cfg.Gate == nil || !s.cfg.Gate.Reviews() {
		return Called{Result: raw}
	}
	read, err := result.Read("tools/call", raw)
	if err != nil {
		return Called{Failed: "the result is withheld: it could not be read"}
	}
	v := s.cfg.Gate.Review(ctx, c, read)
	if !v.Go {
		words := protocol.NewResult(c.Name, v.Verdict)
		return Called{Failed: "the result is withheld: " + words.Text()}
	}
	return Called{Result: bytes.Clone(v.Raw)}
}

// Finish ends the server and says what all calls have done. After it, only [Session.Commit]
// and [Session.Close] may be called.
func (s *Session) Finish(ctx context.Context) (*Report, error) {
	s.client.Close(ctx)
	<-s.box.Done()
	if err := s.outside.end(); err != nil {
		return nil, err
	}
	w := newWalker(ctx, false, s.roots)
	layers, err := s.open(w)
	if err != nil {
		return nil, err
	}
	s.layers = layers
	for _, l := range layers {
		w.layer(l)
	}
	w.over()
	s.changes = pairRenames(w.changes)
	s.report.Changes, s.report.Processes, s.report.Network = []Change{}, []Process{}, []Attempt{}
	for i := range s.changes {
		s.describe(ctx, &s.changes[i])
		s.report.Changes = append(s.report.Changes, s.changes[i].Change)
	}
	s.circumstances(ctx, w.gaps, w.doubts)
	return &s.report, nil
}

// Close ends the server, and forgets what it did.
func (s *Session) Close() {
	s.close.Do(func() {
		if s.retire != nil {
			s.retire(s.end)
			return
		}
		s.end()
	})
}

func (s *Session) end() {
	for _, l := range s.layers {
		l.close()
	}
	s.outside.server.Close()
	if s.box != nil {
		s.box.Close()
	}
	if s.client != nil {
		s.client.Close(context.Background())
	}
}

// Probe reports whether servers can be rehearsed on this machine: the error is nil if so. It starts
// toolvet itself in a sandbox. Bounds says what holds servers within their limits.
func Probe(ctx context.Context, init []string) (Bounds, error) {
	box, err := sandbox.Start(ctx, sandbox.Config{Args: init, Dir: "/", Init: init})
	if err != nil {
		return Bounds{}, unsupported(err)
	}
	defer box.Close()
	var b Bounds
	b.Group, err = box.Group()
	if err != nil {
		b.Why = err.Error()
	}
	var missing *cgroup.UnavailableError
	if errors.As(err, &missing) {
		b.Fix = missing.Fix
	}
	return b, nil
}

// Bounds is what holds a server within its limits.
type Bounds struct {
	Group []string // as [Report.Group]
	Why   string   // there is no control group; "" if there is one
	Fix   string   // how to have one, "" if that is not known
}
