// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Options say what the check pinned-tool does. The zero Options refuse every call of a
// tool, and every request for a prompt or resource, that is not as it was locked.
type Options struct {
	Server  string         // of calls that name none; default: [DefaultServer]
	Changed check.Severity // of calls of a tool whose definition is not the one in the lock
	Unknown check.Severity // of calls of a tool that the lock does not have
}

func (o Options) server(c *call.Call) string { return cmp.Or(c.Server, o.Server, DefaultServer) }

func (o Options) severity(c *Change) check.Severity {
	if c.Kind == Added {
		return o.Unknown
	}
	return o.Changed
}

// NewListing returns a function that selects the definitions that a model may read in a list: unchanged ones, and changed ones that the options only warn of. Both are told to the
// log; nil discards. Without a lock none may.
func NewListing(lock *Lock, o Options, log *slog.Logger) func(context.Context, *call.Call) bool {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return func(ctx context.Context, c *call.Call) bool {
		if lock == nil || c.Tool == nil {
			return false
		}
		list := cmp.Or(c.List, Tools)
		if list != Tools && !lock.Pins(list, o.server(c)) {
			return true
		}
		change := lock.VerifyEntry(list, o.server(c), c.Tool)
		if change == nil {
			return true
		}
		listed := o.severity(change) == check.Warning
		said := article[list] + " is left out of the list until its definition is accepted"
		if listed {
			said = article[list] + " is listed whose definition nobody has accepted"
		}
		log.WarnContext(ctx, said, "server", o.server(c), nouns[list], Visible(c.Tool.Name), "definition", change.Kind)
		return listed
	}
}

// NewCheck makes the check pinned-tool. Without a lock it breaks, so that it refuses
// every call: no lock is not an empty one.
func NewCheck(lock *Lock, o Options) *check.Check {
	c := checker{lock, o}
	return &check.Check{
		Name:     "pinned-tool",
		Doc:      doc,
		Stage:    check.Policy,
		Level:    check.SecurityLevel,
		Bounded:  bounded.Promised(),
		Requests: true,
		Run:      c.run,
	}
}

type checker struct {
	lock    *Lock
	options Options
}

var errNoLock = errors.New("there is no lock to compare the tool with: lock the tools with 'toolvet lock'")

func (c checker) run(_ context.Context, pass *check.Pass) error {
	if c.lock == nil {
		return errNoLock
	}
	if !pass.Call.IsTool() {
		c.request(pass)
		return nil
	}
	if pass.Call.Tool == nil {
		pass.Skipf("the server lists no tool of this name")
		return nil
	}
	change := c.lock.Verify(c.options.server(pass.Call), pass.Call.Tool)
	if change == nil {
		return nil
	}
	pass.Report(c.finding(change))
	return nil
}

func (c checker) finding(change *Change) check.Finding {
	f := check.Finding{
		Severity:   c.options.severity(change),
		Suggestion: "the operator can look at the change with 'toolvet lock', and accept it with 'toolvet lock --accept'",
	}
	noun := nouns[change.Method()]
	switch change.Kind {
	case Added:
		f.Message = "the " + noun + " is not in the lock: nobody has accepted its definition"
	case Removed:
		f.Message = "the server does not list the " + noun + " any more, so its definition cannot be compared with the lock"
	case Unusable:
		f.Message = "the " + noun + "'s definition cannot be compared with the lock, because it means nothing for certain"
	default:
		f.Message = fmt.Sprintf("the %s's definition is not the accepted one; it differs in: %s", noun, parts(change.Members))
	}
	return f
}

// defined are the members of a definition that MCP knows. A message names no others: they
// are the server's words, and messages reach models.
var defined = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "icons", "_meta",
	"arguments", "uri", "uriTemplate", "mimeType"}

func parts(members []string) string {
	known := slices.DeleteFunc(slices.Clone(members), func(m string) bool { return !slices.Contains(defined, m) })
	if len(known) < len(members) {
		known = append(known, "a member that MCP does not define")
	}
	return strings.Join(known, ", ")
}
