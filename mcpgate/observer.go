// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import "github.com/toolvet/toolvet"

// WithObserver sets the observer of calls. The default is none. Package record makes an observer
// for a log, metrics and traces.
func WithObserver(o toolvet.Observer) Option {
	return optionFunc(func(g *guard) { g.observer = o })
}
