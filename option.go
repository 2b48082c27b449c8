// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/schema"
)

// An Option changes what [New] makes.
type Option interface{ apply(*config) }

type config struct {
	checks  []*check.Check
	more    []*check.Check
	limiter Limiter
	visible func(context.Context, *call.Call) bool
	listed  func(context.Context, *call.Call) bool
	policy  *policy.Policy
	tools   []policy.Tool
	schema  schema.Limits
	timeout time.Duration
	logger  *slog.Logger
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithChecks replaces the default suite. Each stage runs its checks in the given order. To
// add a check, append it to a copy of suite.Default. A Gate with an empty list refuses
// every call, because no check has looked at it.
func WithChecks(checks ...*check.Check) Option {
	return optionFunc(func(c *config) { c.checks = checks })
}

// WithMoreChecks adds checks to those of the Gate.
func WithMoreChecks(checks ...*check.Check) Option {
	return optionFunc(func(c *config) { c.more = append(c.more, checks...) })
}

// WithVisibility decides which tools a session may know of. See [Gate.Visible].
func WithVisibility(visible func(context.Context, *call.Call) bool) Option {
	return optionFunc(func(c *config) { c.visible = visible })
}

// WithListing decides which definitions appear in a list of tools, where a model reads them.
// A tool left out of the list can still be called, and its calls are judged like any other.
// See [Gate.Lists].
func WithListing(listed func(context.Context, *call.Call) bool) Option {
	return optionFunc(func(c *config) { c.listed = listed })
}

// WithLimiter bounds the number of calls of each caller.
func WithLimiter(l Limiter) Option {
	return optionFunc(func(c *config) { c.limiter = l })
}

// WithPolicy selects the checks and the effect of their findings. With nil, the default,
// every check behaves as it documents.
func WithPolicy(p *policy.Policy) Option {
	return optionFunc(func(c *config) { c.policy = p })
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
