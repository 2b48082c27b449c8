// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"encoding/json"

	"github.com/toolvet/toolvet/internal/wire/splice"
)

// features holds the capabilities that differ between servers and that the gateway must merge.
type features struct{ prompts, resources, subscribe, completions, logging bool }

// allFeatures stands for a server that has never connected.
var allFeatures = features{true, true, true, true, true}

func featuresOf(capabilities json.RawMessage) features {
	has := func(path ...string) bool {
		raw := splice.Get(capabilities, wide, path...)
		return raw != nil && string(raw) != "null" && string(raw) != "false"
	}
	return features{
		prompts: has("prompts"), resources: has("resources"), subscribe: has("resources", "subscribe"),
		completions: has("completions"), logging: has("logging"),
	}
}

func (f features) or(o features) features {
	return features{f.prompts || o.prompts, f.resources || o.resources, f.subscribe || o.subscribe, f.completions || o.completions, f.logging || o.logging}
}

// learn remembers the features of a server.
func (g *Gateway) learn(server string, f features) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if indexOf(g.servers, server) >= 0 {
		g.known[server] = f
	}
}

// features returns the union of all servers' features. A server that has never connected may
// have any of them, so it counts as having all.
func (g *Gateway) features() features {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all features
	for _, s := range g.servers {
		f, ok := g.known[s.Name]
		if !ok {
			f = allFeatures
		}
		all = all.or(f)
	}
	return all
}

// featuresOf returns the features of a server.
func (g *Gateway) featuresOf(server string) features {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f, ok := g.known[server]; ok {
		return f
	}
	return allFeatures
}
