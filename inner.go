// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A policy may tell that a tool's arguments describe the call of another tool (see
// policy.Calls). The Gate judges that inner call as if it came by itself, and reports its findings
// at their places in the outer arguments.

// maxInner bounds how deep calls lie within each other.
const maxInner = 4

// innerCheck is the name of findings about a call within the arguments of another.
const innerCheck = "inner-call"

// anyTool stands for an inner tool without a definition, if the policy lets its calls in.
const anyTool = `{"name":%s,"inputSchema":{"type":"object","additionalProperties":true}}`

// definitions reads the files with definitions of inner tools that a policy names.
func definitions(p *policy.Policy) (map[string]*call.Catalog, error) {
	if p == nil {
		return nil, nil
	}
	found := map[string]*call.Catalog{}
	var errs []error
	for _, s := range p.Servers {
		for _, t := range s.Tools {
			if t.Calls == nil || t.Calls.Definitions == "" || found[t.Calls.Definitions] != nil {
				continue
			}
			tools, err := readDefinitions(t.Calls.Definitions)
			if err != nil {
				errs = append(errs, fmt.Errorf("definitions of the tools that %q calls: %w", t.Pattern, err))
			}
			found[t.Calls.Definitions] = tools
		}
	}
	return found, errors.Join(errs...)
}

func readDefinitions(file string) (*call.Catalog, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tools, _, faults, err := call.DecodeTools(raw, call.Limits{Bytes: len(raw) + 1})
	if err = errors.Join(err, errors.Join(faults...)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return call.NewCatalog(tools), nil
}

// callsOf returns the policy's settings for calls within the arguments of c, or nil.
func (g *Gate) callsOf(c *call.Call) *policy.Calls {
	if g.policy == nil || c == nil || c.Tool == nil || c.Validation || !c.IsTool() {
		return nil
	}
	return g.policy.Calls(c.Server, c.Name)
}

// inner adds the verdict on the call within the arguments of c to v, and returns the canonical arguments of that call, if it is to
// get such. Depth is the number of calls around it.
func (g *Gate) inner(ctx context.Context, c *call.Call, at Point, dry *dryRun, depth int, v *Verdict) *innerArguments {
	calls := g.callsOf(c)
	if _, final := v.refused(); calls == nil || at.live() && final {
		return nil
	}
	dry.loosen() // the verdict depends on another tool's definition
	if depth >= maxInner {
		v.refuse(innerFinding(calls.Tool, fmt.Sprintf("calls lie within each other, deeper than %d", maxInner)))
		return nil
	}
	in, text, fault := g.readInner(ctx, c, calls)
	if fault != nil {
		v.refuse(*fault)
		return nil
	}
	in = g.seen(ctx, in)
	named := &call.Call{Server: in.Server, Name: in.Name, Tool: in.Tool, Meta: in.Meta, Session: in.Session}
	v.Inner = append(v.Inner, named)
	if in.Tool == nil && calls.Unknown {
		in.Tool = unknownTool(in.Name)
	}
	var own *dryRun
	if dry != nil {
		own = &dryRun{DryRun: engine.DryRun{Levels: dry.Levels}, basis: dry.basis}
	}
	iv := g.judgeAt(ctx, in, at, own, depth+1)
	place := &innerPlace{calls: calls, text: text, known: named.Tool != nil, name: in.Name}
	v.Inner = append(v.Inner, iv.Inner...)
	v.within(&iv, calls.Tool, place.of)
	if iv.Arguments == nil {
		return nil
	}
	return &innerArguments{calls.Arguments, text, iv.Arguments, iv.Changes}
}

// subscribed adds the verdicts on the resources that c asks to be told of. Since 2026-07-28 a subscription is one request for all of them, and a policy
// speaks of each as of one before (resources/subscribe).
func (g *Gate) subscribed(ctx context.Context, c *call.Call, at Point, dry *dryRun, depth int, v *Verdict) {
	if c.Method != subscriptions || c.FromServer {
		return
	}
	dry.loosen() // a limit counts each of them
	const place = "/notifications/resourceSubscriptions"
	list, _ := valueAt(c.Arguments, place)
	uris, _ := list.([]any)
	if len(uris) > maxSubscriptions {
		v.refuse(innerFinding(place, fmt.Sprintf("has more than %d resources", maxSubscriptions)))
		return
	}
	for i, uri := range uris {
		if _, final := v.refused(); final && at.live() {
			return
		}
		raw, _ := json.Marshal(uri) // it came from JSON, and what cannot be written cannot be read below
		in, err := call.DecodeRequest("resources/subscribe", fmt.Appendf(nil, `{"uri":%s}`, raw), call.Limits{})
		if err != nil {
			v.refuse(innerFinding(place, err.Error()))
			return
		}
		in.Server, in.Meta, in.Session, in.Listed = c.Server, c.Meta, c.Session, c.Listed
		v.Inner = append(v.Inner, in)
		iv := g.judgeAt(ctx, in, at, nil, depth+1)
		own := place + "/" + strconv.Itoa(i)
		v.within(&iv, own, func(f *check.Finding) {
			if f.Pointer == "/uri" {
				f.Pointer = own
			}
		})
		if iv.Arguments != nil { // nobody puts them into the list
			v.refuse(innerFinding(own, "is not in the canonical form that the policy asks for"))
		}
	}
}

// within adds the verdict on a call within the call that v is on, at a pointer. Place turns each finding into one about the call around.
func (v *Verdict) within(iv *Verdict, pointer string, place func(*check.Finding)) {
	if iv.Stopped != nil {
		v.Stopped = iv.Stopped
	}
	first := len(v.Findings)
	v.Findings = append(v.Findings, iv.Findings...)
	for i := first; i < len(v.Findings); i++ {
		place(&v.Findings[i])
	}
	for _, s := range iv.Skipped {
		v.skip(s)
	}
	if _, final := v.refused(); !iv.Go && !iv.Ask && !final {
		v.refuse(innerFinding(pointer, "the inner call was not judged"))
	}
}

const (
	subscriptions    = "subscriptions/listen"
	maxSubscriptions = 500 // resources of one request
)

// innerFinding is not inlined: its copies weigh more than they save.
//
//go:noinline
func innerFinding(pointer, message string) check.Finding {
	return check.Finding{Check: innerCheck, Stage: check.Schema, Level: check.SyntaxLevel, Pointer: pointer, Message: message}
}

// readInner reads the call within the arguments of c. Text reports that its arguments are a JSON text.
// Its memory is lent by [budget.Held], until nobody uses it.
func (g *Gate) readInner(ctx context.Context, c *call.Call, calls *policy.Calls) (in *call.Call, text bool, fault *check.Finding) {
	refuse := func(pointer, message string) (*call.Call, bool, *check.Finding) {
		f := innerFinding(pointer, message)
		return nil, false, &f
	}
	for _, place := range []string{calls.Tool, calls.Arguments} {
		if misspelt, found := variantAt(c.Arguments, place); found {
			return refuse(misspelt, "differs in case alone from a place of the inner call, and some servers take the one for the other")
		}
	}
	name, _ := valueAt(c.Arguments, calls.Tool)
	in = &call.Call{Server: c.Server, Meta: c.Meta, Session: c.Session, Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	if in.Name, _ = name.(string); in.Name == "" {
		return refuse(calls.Tool, "must name the tool that the call is to make")
	}
	lend := func(n int) error {
		owner := ""
		if c.Session != nil {
			owner = c.Session.Principal()
		}
		loan, err := budget.Held.Take(ctx, owner, n, budget.Brief)
		if err == nil {
			budget.Until(loan, in)
		}
		return err
	}
	switch given, _ := valueAt(c.Arguments, calls.Arguments); given := given.(type) {
	case nil:
	case map[string]any:
		if err := lend(strictjson.FormOf(given)); err != nil { // for its text
			return refuse(calls.Arguments, "is refused: "+err.Error())
		}
		raw, err := json.Marshal(given)
		if err != nil { // impossible: it came from JSON
			return refuse(calls.Arguments, "cannot be read as the arguments of the inner call")
		}
		in.Arguments, in.Raw = given, raw
	case string:
		if err := lend(strictjson.FormBound(len(given))); err != nil {
			return refuse(calls.Arguments, "is refused: "+err.Error())
		}
		arguments, err := call.DecodeArguments([]byte(given), call.Limits{})
		if err != nil {
			return refuse(calls.Arguments, "must be an object or a JSON text of one that every reader reads alike: "+err.Error())
		}
		in.Arguments, in.Raw, text = arguments, json.RawMessage(given), true
	default:
		return refuse(calls.Arguments, "must be the arguments of the inner call, an object")
	}
	tools := c.Known
	if calls.Definitions != "" {
		tools = g.definitions[calls.Definitions]
	}
	in.Resolve(tools)
	return in, text, nil
}

// unknownTool returns a definition that demands nothing.
func unknownTool(name string) *call.Tool {
	quoted, err := json.Marshal(name)
	if err != nil {
		return nil
	}
	t, err := call.DecodeTool(fmt.Appendf(nil, anyTool, quoted), call.Limits{})
	if err != nil {
		return nil
	}
	return t
}

// valueAt returns the value at a JSON Pointer.
func valueAt(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch within := v.(type) {
		case map[string]any:
			inner, ok := within[jsonpointer.Unescape(step)]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(within) || strconv.Itoa(i) != step {
				return nil, false
			}
			v = within[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// variantAt returns the place of a key that differs only in case from a step of a JSON Pointer. A server
// that matches keys in any case would find another value there than valueAt.
func variantAt(v any, pointer string) (place string, found bool) {
	if pointer == "" {
		return "", false
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		within, ok := v.(map[string]any)
		if !ok {
			v, _ = valueAt(v, "/"+step)
			place += "/" + step
			continue
		}
		key := jsonpointer.Unescape(step)
		for other := range within {
			if other != key && strings.EqualFold(other, key) {
				return place + "/" + check.EscapePointer(other), true
			}
		}
		v = within[key]
		place += "/" + step
	}
	return "", false
}

// An innerPlace turns findings about an inner call into findings about the outer one.
type innerPlace struct {
	calls *policy.Calls
	text  bool // the arguments are a JSON text, in which no pointer leads
	known bool // the tool has a definition, so its name can be told
	name  string
}

func (p *innerPlace) of(f *check.Finding) {
	switch {
	case f.Pointer == "" && f.Check != "input-schema":
		f.Pointer = p.calls.Tool
	case p.text:
		if f.Pointer != "" {
			f.Message = f.String()
		}
		f.Pointer, f.Value = p.calls.Arguments, nil
	default:
		f.Pointer = p.calls.Arguments + f.Pointer
	}
	if p.known {
		f.Message = fmt.Sprintf("in the call of %q: %s", strictjson.Printable(p.name, 128), f.Message)
	}
}

// tickets are those of a call and of the calls within it.
type tickets []engine.Ticket

func (t tickets) Release() {
	for _, one := range t {
		one.Release()
	}
}

func (t tickets) Rollback() {
	for _, one := range t {
		one.Rollback()
	}
}

// countInner counts the calls within a call that has the ticket t, and adds what limits have against them.
func (g *Gate) countInner(ctx context.Context, at Point, v *Verdict, t engine.Ticket) engine.Ticket {
	if len(v.Inner) == 0 || g.limiter == nil || at.live() && !v.admits(v.Inner[0].Session) {
		return t
	}
	all := tickets{t}
	for _, in := range v.Inner {
		own := Verdict{Go: v.Go, Ask: v.Ask}
		all = append(all, g.count(ctx, in, at, &own))
		v.Allowances = append(v.Allowances, own.Allowances...)
		v.refuse(own.Findings...)
		if own.Stopped != nil {
			v.Stopped = own.Stopped
		}
	}
	if at.live() && !v.admits(v.Inner[0].Session) {
		all.Rollback()
		return freeTicket{}
	}
	return all
}
