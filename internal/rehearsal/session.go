// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/machine/cgroup"
	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
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
	Network  policy.RehearsalNetwork // what the server reaches; the zero value allows nothing

	// Gate judges the calls and reviews their results; it may be nil. Server is the server's name in the Gate, and
	// Session identifies the caller.
	Gate    *toolvet.Gate
	Server  string
	Session *call.Session

	Timeout  time.Duration // of the start with its handshake, and of each call; default [upstream.DefaultTimeout]
	search   time.Duration // see [sandbox.Config.Search]
	journals string        // the directory of journals; default [journalDir]
	ahead    bool          // nobody waits for the session yet
	inside   []string      // variables without a network
	fault    error         // why the server cannot be started
	// Committed hears of each change as soon as [Session.Commit] has made it. It may be nil.
	Committed func(Change)
}

// Run is the body of the process that [Config.Init] starts, with the arguments that [Start] adds. It returns the exit
// code of that process.
func Run(args []string) int { return sandbox.Run(args) }

// A Session is a server in a sandbox. It is not safe for concurrent use.
type Session struct {
	cfg     Config
	box     *sandbox.Sandbox
	client  servers.Client
	tools   *call.Catalog
	redact  *redactor
	began   time.Time
	born    time.Time // before the server started
	report  Report
	atStart map[string]mark   // of entries that changed before the first call
	checked map[string]stamp  // see [walker]
	copies  map[string]*State // see [walker]
	held    map[string]stamp  // see [walker]
	resting map[int]int       // timers of processes before the first call
	running []sandbox.Pending // what goes on after the last call
	events  int               // before the first call
	settled time.Time         // time of the first possible call
	outside *outside
	layers  []*layer
	changes []change          // those in the report
	retire  func(end func())  // runs end for Close, without waiting; nil: Close runs it
	reached func(what string) // tests follow the progress of a commit
	close   sync.Once
	// finished: the report is complete. Closed: the changes are gone.
	finished, closed bool
	fetched          string // the command that fetched the server outside; "" if there was none
}

// Start starts a server in a sandbox and shakes hands. The error is an [UnsupportedError] if this machine cannot
// rehearse.
func Start(ctx context.Context, cfg Config) (*Session, error) {
	switch {
	case len(cfg.Command) == 0:
		return nil, errors.New("it is not known how to start the server: give its command")
	case len(cfg.Init) == 0:
		return nil, errNoInit
	}
	if err := elsewhere(cfg.Command); err != nil {
		return nil, err
	}
	l := launcherOf(cfg.Command)
	if l != nil {
		cfg.inside = l.inside
	}
	s, err := launch(ctx, cfg)
	var missing *UnsupportedError
	if err == nil || l == nil || errors.As(err, &missing) || errors.Is(err, process.ErrAbsent) || ctx.Err() != nil {
		return s, err
	}
	if l.fetch == nil {
		return nil, fmt.Errorf("a rehearsal has no network, so the launcher must have its server already: %s; its start without a network: %w", l.once, err)
	}
	if failed := l.bring(ctx, cfg.Dir, merge(os.Environ(), cfg.Env)); failed != nil {
		return nil, fmt.Errorf("the server is not in the launcher's cache and could not be fetched: %w: %s; its start without a network: %w", failed, l.once, err)
	}
	if s, err = launch(ctx, cfg); err == nil {
		s.fetched = strings.Join(l.fetch, " ")
	}
	return s, err
}

// launch starts a server that needs nothing from outside.
func launch(ctx context.Context, cfg Config) (*Session, error) {
	kept, withheld := environment(os.Environ(), cfg.Pass)
	cfg.Env = merge(kept, cfg.Env)
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), upstream.DefaultTimeout)
	s := &Session{cfg: cfg, redact: newRedactor(), began: time.Now(), born: time.Now()}
	s.report.Withheld = without(withheld, cfg.Env)
	var err error
	if s.outside, err = newOutside(cfg.Network); err != nil {
		return nil, err
	}
	s.client, err = servers.Connect(ctx, dialer{s}, servers.Options{Timeout: cfg.Timeout})
	if err != nil {
		s.Close()
		return nil, err
	}
	if s.tools, _, err = s.client.Tools(ctx); err != nil { // a faulty tool is refused when it is called
		s.Close()
		return nil, fmt.Errorf("listing the server's tools: %w", err)
	}
	if err := s.settle(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

var errNoInit = errors.New("it is not known how to start a sandbox: give Init, a command whose function main calls rehearse.Run")

// A dialer starts the session's sandbox.
type dialer struct{ s *Session }

func (d dialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	c := d.s.cfg
	env := c.Env
	if d.s.outside.server.Guard == nil {
		env = merge(merge(env, egress.Offline), c.inside)
	}
	config := sandbox.Config{Args: c.Command, Env: env, Dir: c.Dir, Init: c.Init, Writable: c.Writable, Search: c.search, Limits: sandbox.Limits(c.Limits)}
	config.Built = d.s.built
	d.s.outside.configure(&config)
	box, err := sandbox.Start(ctx, config)
	if err != nil {
		return nil, unsupported(err)
	}
	d.s.box = box
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(stderr, box.Stderr()) // until the server ends
		<-box.Done()
		close(over)
	}()
	return transport{box, over}, nil
}

// grace is the time that a server gets to end after the end of its input, and again after a request to end.
const grace = time.Second

// A transport ends its server within that grace.
type transport struct {
	*sandbox.Sandbox
	over chan struct{}
}

// Done is closed when the server has ended and all that it said is read: errors quote it.
func (t transport) Done() <-chan struct{} { return t.over }

func (t transport) Stop(ctx context.Context) error {
	return t.End(ctx, process.Grace{EOF: grace, Term: grace}).Err()
}

// settle notes the server's effects before the first call.
func (s *Session) settle(ctx context.Context) error {
	s.rest(ctx)
	s.checked = map[string]stamp{}
	w := s.walker(ctx, true)
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
	s.events, s.settled = len(s.box.Events()), time.Now()
	return nil
}

// built notes the copies of the machine's files that the server starts with.
func (s *Session) built(layers []sandbox.Layer) {
	s.copies, s.held = map[string]*State{}, map[string]stamp{}
	w := s.walker(context.Background(), false)
	for _, l := range layers {
		w.note(l)
	}
}

func (s *Session) walker(ctx context.Context, live bool) *walker {
	return &walker{ctx: ctx, own: os.Geteuid() == 0, live: live, copies: s.copies, held: s.held, checked: s.checked, born: s.born, began: fileClock(), budget: maxRead}
}

// refresh shows a waiting session the changes of the machine since its start.
func (s *Session) refresh() error {
	select {
	case <-s.client.Done():
		return s.client.Err()
	default:
	}
	s.began = time.Now()
	return s.box.Refresh()
}

// A mark identifies a state of an entry, to recognise changes from before the first call.
type mark struct {
	stamp
	mode        Mode
	user, group int
	attributes  string
	// content is a digest: a write through shared memory (mmap(2)) does not move the times.
	content string
}

func (c *change) mark() mark {
	if c.After == nil {
		return mark{}
	}
	m := mark{c.After.stamp, c.After.Mode, c.After.User, c.After.Group, fmt.Sprint(c.After.Attributes), c.After.SHA256}
	if c.After.Type == "directory" { // its entries have marks of their own
		m.size, m.changed = 0, 0
		if c.After.dated {
			m.changed = c.After.Modified.UnixNano()
		}
	}
	return m
}

func (s *Session) open(w *walker) ([]*layer, error) {
	var open []*layer
	layers, _ := s.box.Layers()
	for _, l := range layers {
		if w.untouched(l) {
			continue
		}
		o, err := w.openLayer(l)
		switch {
		case w.live && errors.Is(err, os.ErrPermission): // changes at the start count as changes of the first call then
		case err != nil:
			return nil, err
		case o != nil:
			open = append(open, o)
		}
	}
	return open, nil
}

// Call makes a call, and adds its outcome to the report.
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
	judged := &call.Call{Server: s.cfg.Server, Name: c.Tool, Arguments: arguments, Raw: c.Arguments, Session: engine.AllowWarnings(s.cfg.Session)}
	judged.Resolve(s.tools)
	if s.cfg.Gate != nil {
		v := s.cfg.Gate.Judge(ctx, judged, toolvet.PointValidate)
		if !v.Go {
			words := protocol.NewResult(c.Tool, v)
			return Called{Refused: true, Failed: words.Text()}
		}
		if v.Arguments != nil { // as a live call gets them
			c.Arguments = v.Arguments
		}
	}
	raw, err := s.client.Call(ctx, c.Tool, c.Arguments)
	if err != nil {
		return Called{Failed: s.redact.text(ctx, err.Error())}
	}
	return s.review(ctx, judged, raw)
}

// review passes a result through the output layer.
func (s *Session) review(ctx context.Context, c *call.Call, raw json.RawMessage) Called {
	if s.cfg.Gate == nil || !inside.Of(s.cfg.Gate).Reviews() {
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

// Tools returns the tools that the server lists.
func (s *Session) Tools() *call.Catalog { return s.tools }

// Finish ends the server and returns the report about all calls. After it, call only [Session.Commit] and
// [Session.Close]. A second Finish returns the same report.
func (s *Session) Finish(ctx context.Context) (*Report, error) {
	switch {
	case s.closed:
		return nil, errClosed
	case s.finished:
		return &s.report, nil
	}
	if len(s.report.Calls) > 0 {
		s.running = s.await(ctx)
	}
	s.client.Close(ctx)
	<-s.box.Done()
	if err := s.outside.end(); err != nil {
		return nil, err
	}
	w := s.walker(ctx, false)
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
	s.finished = true
	return &s.report, nil
}

var errClosed = errors.New("the session is closed, and has forgotten its changes")

// Close ends the server, and forgets its changes.
func (s *Session) Close() {
	s.close.Do(func() {
		s.closed = true
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

// Probe reports whether this machine can rehearse; if so, the error is nil. It starts toolvet itself in a sandbox.
// Bounds describes how servers are held within their limits.
func Probe(ctx context.Context, init []string) (Bounds, error) {
	if len(init) == 0 {
		return Bounds{}, errNoInit
	}
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

// Bounds describes the means that hold a server within its limits.
type Bounds struct {
	Group []string // as [Report.Group]
	Why   string   // why there is no control group; "" if there is one
	Fix   string   // how to get one, "" if unknown
}
