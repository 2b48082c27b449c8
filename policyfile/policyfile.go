// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package policyfile puts a whole policy file in force: its preset, demands, rules, limits, lock, log,
// rehearsals and output layer. A part that cannot be put in force is an error of [Open], never a part
// that is left out.
//
//	file, err := policyfile.Open("toolvet.yaml", policyfile.Options{Server: "shop"})
//	if err != nil {
//		return err
//	}
//	defer file.Close(ctx)
//	go file.Run(ctx) // a changed policy is in force within a second
//	err = mcpgate.Install(server, file)
//
// A program in front of several servers leaves Server out, and takes each gate by its name:
//
//	set, err := upstream.NewSet(upstream.Config{Servers: servers, Gate: file.Gate})
//
// The command toolvet makes its gates in the same way.
package policyfile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/driver"
	"github.com/toolvet/toolvet/internal/access"
	resource "github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/observe"
	internal "github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/schema"
	"github.com/toolvet/toolvet/telemetry"
)

// Options of a File. The zero Options put the file in force as it is.
type Options struct {
	// Server is the policy's name for the only server that the program is, or guards; a name that the
	// policy does not have is an error. "" stands for the policy's only server, or for all of them.
	Server string
	// Checks are all checks that run; nil: those of suite.Default.
	Checks []*check.Check
	// Gate are further options of each Gate, such as toolvet.WithTool. One that the file decides is an error:
	// toolvet.WithPolicy, WithChecks, WithServer and WithObserver.
	Gate []toolvet.Option
	// Logger logs which policy is in force, broken checks, and refused tokens. Nil discards.
	Logger *slog.Logger
	// Observer receives metrics and traces. Those of the module export also tell which policy is in force: of
	// several Files with one Observer, the last that was opened. Nil: none.
	Observer telemetry.Observer
	// Shared counts the calls of several processes together: redis.New of the module driver/redis. Nil: a policy
	// whose limits are shared is an error.
	Shared driver.Counters
	// Rehearse makes the check that rehearses calls: rehearse.Before. Nil: a policy with rehearsals is an
	// error.
	Rehearse func(*policy.Policy) (*check.Check, error)
}

// A File is a policy file in force. It is a [toolvet.Source] for the server of its Options. It is safe for
// concurrent use. The zero File has no Gate, so doors refuse every call.
type File struct {
	name     string
	o        Options
	watcher  internal.Watcher
	record   *record.Recorder
	logged   internal.Log
	counters access.Counters

	loading  sync.Mutex                  // held while a text is put in force
	enforcer map[string]*access.Enforcer // by server, so that counts stay; guarded by loading
	closed   bool                        // likewise
	now      atomic.Pointer[inForce]
}

// ErrClosed is the error of [File.Reload] after [File.Close].
var ErrClosed = errors.New("policyfile: the file is closed")

// An inForce is what one text of the policy says.
type inForce struct {
	gates    map[string]*toolvet.Gate // by server
	asks     *internal.Authorization  // nil: nobody is asked for a token
	resource *resource.Resource       // nil likewise
}

// Open reads a policy file and puts it in force. Errors name line and column of the file. The caller must
// call [File.Close].
//
// Two settings are for other programs, and change nothing here: schedule, and rehearsal's allow, which offers
// clients a tool. The program refuses calls over HTTP that nobody has authenticated if the policy has the section
// authorization; see [File.Authenticate]. A server in walls (contain) is an error, because only the command toolvet builds
// them, unless Options.Gate has toolvet.WithElsewhere("contain").
func Open(name string, o Options) (*File, error) {
	if o.Checks == nil {
		o.Checks = suite.Default()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &File{name: name, o: o, enforcer: map[string]*access.Enforcer{}}
	text, err := internal.Read(name)
	if err != nil {
		return nil, fmt.Errorf("policyfile: %w", err)
	}
	beside, err := f.load(text)
	if err != nil {
		if f.record != nil {
			f.record.Close(context.Background())
		}
		return nil, fmt.Errorf("policyfile: %w", err)
	}
	f.watcher = internal.Watcher{File: name, Load: f.load, Log: o.Logger}
	f.watcher.Holds(text, beside...)
	observe.ExportPolicy(o.Observer, func() observe.Policy {
		now := f.InForce()
		return observe.Policy{Digest: now.Digest, Since: now.Since, Refused: now.Problem != ""}
	})
	return f, nil
}

// load puts a text in force. On an error everything stays as it was.
func (f *File) load(text []byte) (beside []string, err error) {
	f.loading.Lock()
	defer f.loading.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	source := enforce.Source{Policy: f.name, Text: text, Here: true, Checks: f.o.Checks}
	all, preset, err := source.Load()
	if err != nil {
		return nil, err
	}
	beside = all.Beside()
	servers, err := f.servers(all)
	if err != nil {
		return beside, err
	}
	if err := f.openLog(all.Log); err != nil {
		return beside, err
	}
	next := &inForce{gates: map[string]*toolvet.Gate{}, asks: all.Authorization}
	for _, server := range servers {
		source.Server = server
		if next.gates[server], err = f.gate(source, all, preset); err != nil {
			return beside, err
		}
	}
	if err := f.authorize(next); err != nil {
		return beside, err
	}
	f.now.Store(next)
	return beside, nil
}

// servers are the names of those for which there are gates. A policy that names none has one without a name.
func (f *File) servers(p *internal.Policy) ([]string, error) {
	var names []string
	for _, s := range p.Servers {
		names = append(names, s.Name)
	}
	switch {
	case f.o.Server != "" && len(names) > 0 && !slices.Contains(names, f.o.Server):
		near := schema.Nearest(f.o.Server, names)
		if near != "" {
			near = fmt.Sprintf(": did you mean %q?", near)
		}
		return nil, fmt.Errorf("the policy has no server %q, but %s%s", f.o.Server, strings.Join(names, ", "), near)
	case f.o.Server != "" && len(names) > 0:
		return []string{f.o.Server}, nil
	case len(names) == 0:
		return []string{""}, nil
	}
	return names, nil
}

func (f *File) openLog(log internal.Log) (err error) {
	if f.record == nil {
		f.logged = log
		f.record, err = record.Open(log, record.Options{Observer: f.o.Observer, Logger: f.o.Logger})
		return err
	}
	return enforce.SameLog(f.logged, log)
}

func (f *File) gate(source enforce.Source, all *internal.Policy, preset string) (*toolvet.Gate, error) {
	p, err := source.Narrow(all, preset, nil)
	if err != nil {
		return nil, err
	}
	if len(p.Rehearsal.Before) > 0 && f.o.Rehearse == nil {
		return nil, errors.New("the policy has rehearsals, and the program no sandbox: set Options.Rehearse, or leave out the section rehearsal")
	}
	e := f.enforcer[source.Server]
	if e == nil {
		e = &access.Enforcer{Server: source.Server, Log: f.o.Logger, Counters: &f.counters, Shared: f.o.Shared}
		f.enforcer[source.Server] = e
	}
	return source.Checks.NewRehearsingGate(e, p, f.o.Rehearse, slices.Concat(f.o.Gate, []toolvet.Option{toolvet.WithObserver(f.record)})...)
}

// authorize prepares the section authorization. If it is unchanged, verified tokens and fetched keys stay.
func (f *File) authorize(next *inForce) (err error) {
	before := f.now.Load()
	switch {
	case before != nil && reflect.DeepEqual(before.asks, next.asks):
		next.resource = before.resource
	case next.asks != nil:
		next.resource, err = resource.New(next.asks, resource.Options{Logger: f.o.Logger})
	case before != nil:
		return errors.New("the policy no longer has authorization, so anybody could connect: start the program again if you want that")
	}
	return err
}

// Current implements [toolvet.Source]. It is nil if the policy has several servers and Options name none.
func (f *File) Current() *toolvet.Gate {
	gates := f.gates()
	if len(gates) != 1 {
		return nil
	}
	for _, g := range gates {
		return g
	}
	return nil
}

// Gate returns the Gate in force of a server of the policy, or nil, which every door takes as a refusal.
func (f *File) Gate(server string) *toolvet.Gate {
	gates := f.gates()
	if g := gates[server]; g != nil {
		return g
	}
	return gates[""] // of a policy that names no server
}

// Servers returns the names of the servers that have a Gate, in order.
func (f *File) Servers() []string {
	return slices.Sorted(maps.Keys(f.gates()))
}

// gates are those in force, by server. A File that was not opened has none.
func (f *File) gates() map[string]*toolvet.Gate {
	if f == nil {
		return nil
	}
	if now := f.now.Load(); now != nil {
		return now.gates
	}
	return nil
}

// Authenticate puts the policy's section authorization in front of an HTTP handler, such as the SDK's
// mcp.StreamableHTTPHandler. A policy without that section lets everybody in. A policy with it, and a program that
// leaves Authenticate out, refuses every call that comes over HTTP. Next never sees a client's token. It learns the caller
// from the SDK's auth.TokenInfoFromContext: UserID is the subject, Extra are the claims.
func (f *File) Authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := f.now.Load()
		if now == nil {
			http.Error(w, "no policy is in force", http.StatusServiceUnavailable)
			return
		}
		if now.resource != nil {
			now.resource.Handler(passOn(next)).ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// passOn tells the SDK the caller. The SDK learns a caller from its own middleware only, and that middleware
// requires a token.
func passOn(next http.Handler) http.Handler {
	verify := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		p := resource.FromContext(ctx)
		if p == nil {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: p.Identity(), Extra: p.Claims, Scopes: p.Scopes, Expiration: p.Expires}, nil // our own middleware knows the clock skew
	}
	inner := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer verified")
		inner.ServeHTTP(w, r)
	})
}

// Reload puts the present content of the file in force at once. On an error, what was in force stays.
func (f *File) Reload() error {
	f.loading.Lock()
	closed := f.closed
	f.loading.Unlock()
	if closed {
		return ErrClosed
	}
	err := f.watcher.Reload()
	if err != nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("policyfile: %w", err)
	}
	return err
}

// Run follows the file until ctx is done; cancel it before [File.Close]. A new text is in force within a second after
// it has rested for half a second; a text with a fault is logged and changes nothing.
func (f *File) Run(ctx context.Context) { f.watcher.Run(ctx) }

// InForce tells which text is in force, and since when.
func (f *File) InForce() InForce { return InForce(f.watcher.InForce()) }

// An InForce tells which text of a policy is in force.
type InForce struct {
	Digest  string    // SHA-256 of the text, in hexadecimal digits
	Since   time.Time // when the text came into force
	Looked  time.Time // when the file was last looked at
	Problem string    // why the present content of the file is not in force; "" if it is
}

// Close ends the log, at the latest when ctx is done. Close the doors first: with a log, a call that comes later cannot be
// recorded. A second Close does nothing.
func (f *File) Close(ctx context.Context) {
	f.loading.Lock()
	defer f.loading.Unlock()
	if !f.closed && f.record != nil {
		f.record.Close(ctx)
	}
	f.closed = true
}
