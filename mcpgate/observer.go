// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import "github.com/toolvet/toolvet"

// WithObserver tells o what becomes of calls. The default is nobody. Package record makes
// one of a log, metrics and traces.
func WithObserver(o toolvet.Observer) Option {
	return optionFunc(func(g *guard) { g.observer = o })
}
