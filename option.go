// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	internal "github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/schema"
)

// An Option changes what [New] makes. WithMoreChecks, WithTool and WithElsewhere add to what others of the name say;
// of WithTimeout, WithLogger and WithSchemaLimits the last counts. Any other option given twice is an error.
type Option interface{ apply(*config) }

type config struct {
	checks  []*check.Check
	more    []*check.Check
	limiter engine.Limiter
	visible func(context.Context, *call.Call) bool
	listed  func(context.Context, *call.Call) bool
	needs   func(*call.Call) []string
	policy  *internal.Policy
	tools   []internal.Tool
	server  string
	caller  call.Session
	observe Observer
	apart   []string
	schema  schema.Limits
	timeout time.Duration
	logger  *slog.Logger

	given  []string // options that may be given once
	faults []error
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// A single option decides what is refused, so another of its name must not replace it in silence.
type single struct {
	name string
	set  func(*config)
}

func (o single) apply(c *config) {
	if slices.Contains(c.given, o.name) {
		c.faults = append(c.faults, fmt.Errorf("%s is given twice, and the second would replace the first", o.name))
	}
	c.given = append(c.given, o.name)
	o.set(c)
}

// WithChecks replaces the default suite. Each stage runs its checks in the given order. To
// add a check, append it to a copy of suite.Default. A Gate with an empty list refuses
// every call, because no check has looked at it.
func WithChecks(checks ...*check.Check) Option {
	return single{"WithChecks", func(c *config) { c.checks = checks }}
}

// WithMoreChecks adds checks to those of the Gate.
func WithMoreChecks(checks ...*check.Check) Option {
	return optionFunc(func(c *config) { c.more = append(c.more, checks...) })
}

// WithInside is for toolvet's own packages: the type of its value is internal. New refuses a value of any other type.
func WithInside(parts any) Option {
	return optionFunc(func(c *config) {
		p, ok := parts.(engine.Parts)
		if !ok {
			c.faults = append(c.faults, errors.New("WithInside is for toolvet's own packages: leave it out"))
		}
		once := func(name string, given bool, set func(*config)) {
			if given {
				single{name, set}.apply(c)
			}
		}
		once("a visibility", p.Visible != nil, func(c *config) { c.visible = p.Visible })
		once("a listing", p.Listed != nil, func(c *config) { c.listed = p.Listed })
		once("a function for needed lists", p.Needs != nil, func(c *config) { c.needs = p.Needs })
		once("a limiter", p.Limiter != nil, func(c *config) { c.limiter = p.Limiter })
	})
}

// WithPolicy selects the checks and the effect of their findings. With nil, the default,
// every check behaves as it documents.
func WithPolicy(p *policy.Policy) Option {
	return single{"WithPolicy", func(c *config) { c.policy = internal.Unseal(p) }}
}

// WithServer names the server that the Gate guards, as in the policy. It counts for calls that name no
// server. [New] refuses a name that the policy does not have.
func WithServer(name string) Option {
	return single{"WithServer", func(c *config) { c.server = name }}
}

// WithCaller identifies the caller of sessions over a transport without authentication. By default it is
// the subject in the policy's session.
func WithCaller(s call.Session) Option {
	return single{"WithCaller", func(c *config) { c.caller = s }}
}

// WithObserver sets the observer of the Gate's calls; package record makes one. A door with an Observer
// of its own uses that one.
func WithObserver(o Observer) Option {
	return single{"WithObserver", func(c *config) { c.observe = o }}
}

// The parts of a policy that a Gate cannot carry out by itself. Authorization is not among them, because a Gate refuses
// what comes over HTTP unauthenticated if the policy has that section.
const (
	partPreset    = "preset"    // demands on arguments that the policy does not mention
	partLog       = "log"       // a log of calls
	partRehearsal = "rehearsal" // rehearsals before calls
	partContain   = "contain"   // walls around servers
)

// WithElsewhere says that the program carries out parts of the policy without the Gate, or leaves them out on
// purpose: "preset" (demands on arguments that the policy does not mention), "log", "rehearsal" or "contain" (walls around
// servers, which only the command toolvet builds). [New] refuses a policy with such parts that the options do not carry out, and an unknown part.
func WithElsewhere(parts ...string) Option {
	return optionFunc(func(c *config) { c.apart = append(c.apart, parts...) })
}

// WithSchemaLimits bounds the schemas to compile and the time to validate arguments against
// them. The default is schema.DefaultLimits.
func WithSchemaLimits(l schema.Limits) Option {
	return optionFunc(func(c *config) { c.schema = l })
}

// WithTimeout bounds each stage of a judgement. The default is one second; a value of zero
// or less means the default. The review of a result gets five times as long, plus one time-out
// for each MiB of the result.
func WithTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d > 0 {
			c.timeout = d
		}
	})
}

// WithLogger sets the logger for broken checks. Its lines name the tool and the check, with
// the check's error, which may quote an argument. Without a logger, or with nil, they are
// discarded.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(c *config) {
		if l != nil {
			c.logger = l
		}
	})
}
