// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// Revisions of MCP that clients may speak, the newest first.
var (
	legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	modernVersions = []string{jsonrpc.Modern}
)

// Keys of _meta since 2026-07-28 (basic/index, _meta).
const (
	metaPrefix      = "io.modelcontextprotocol/"
	serverInfoKey   = metaPrefix + "serverInfo"
	subscriptionKey = metaPrefix + "subscriptionId"

	unsupportedVersion = -32022 // 2026-07-28, basic/index, Error Codes
)

// A versionError reports a request of an unsupported revision.
type versionError struct{ requested string }

func (e *versionError) Error() string { return "this revision of MCP is not spoken here" }

func (e *versionError) data() json.RawMessage {
	raw, err := json.Marshal(map[string]any{"supported": slices.Concat(modernVersions, legacyVersions), "requested": e.requested})
	if err != nil { // cannot happen: strings can be encoded
		return nil
	}
	return raw
}

// version finds the revision of a request.
func (s *session) version(r *request) error {
	raw := r.params.Get("_meta", jsonrpc.RevisionKey)
	if raw == nil {
		return nil
	}
	version := textOf(raw)
	if !slices.Contains(modernVersions, version) {
		return &versionError{version[:min(len(version), 64)]}
	}
	r.modern = true
	return nil
}

func textOf(raw []byte) string {
	var s string
	_ = json.Unmarshal(raw, &s) // s stays "" if raw is not a string
	return s
}

// offer normalizes a capability of the client: its presence, and the presence of the named
// parts. It drops everything else. Connections are shared by equal capabilities, so a client
// that varied the rest could open new connections to all servers each time.
func (s *session) offer(r *request, name string, parts ...string) string {
	has := func(path ...string) bool {
		said := r.params.Get(append([]string{"capabilities", name}, path...)...)
		return len(said) > 0 && said[0] == '{'
	}
	if !has() {
		return ""
	}
	var offered []string
	for _, part := range parts {
		if has(part) {
			offered = append(offered, fmt.Sprintf("%q:{}", part))
		}
	}
	return "{" + strings.Join(offered, ",") + "}"
}

// initialize begins a session of 2025-11-25 or older.
func (s *session) initialize(ctx context.Context, r *request) (json.RawMessage, error) {
	requested := textOf(r.params.Get("protocolVersion"))
	version := legacyVersions[0]
	if slices.Contains(legacyVersions, requested) {
		version = requested
	}
	s.mu.Lock()
	if s.begun || s.pool != nil {
		s.mu.Unlock()
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "initialize comes first, and once"}
	}
	s.begun = true
	s.offers = principal{elicitation: s.offer(r, "elicitation", "form", "url"), sampling: s.offer(r, "sampling", "context", "tools")}
	s.caller.ProtocolVersion = version
	s.caller.ClientName = textOf(r.params.Get("clientInfo", "name"))
	s.caller.ClientVersion = textOf(r.params.Get("clientInfo", "version"))
	s.mu.Unlock()
	capabilities, instructions, err := s.announce(ctx, false)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Version      string         `json:"protocolVersion"`
		Capabilities map[string]any `json:"capabilities"`
		Info         implementation `json:"serverInfo"`
		Instructions string         `json:"instructions,omitempty"`
	}{version, capabilities, info(), instructions})
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func info() implementation { return implementation{"toolvet", toolvet.Version} }

// discover answers server/discover (2026-07-28).
func (s *session) discover(ctx context.Context) (json.RawMessage, error) {
	capabilities, instructions, err := s.announce(ctx, true)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Type         string         `json:"resultType"`
		Versions     []string       `json:"supportedVersions"`
		Capabilities map[string]any `json:"capabilities"`
		Instructions string         `json:"instructions,omitempty"`
		TTL          int            `json:"ttlMs"`
		Scope        string         `json:"cacheScope"`
		Meta         map[string]any `json:"_meta"`
	}{"complete", slices.Concat(modernVersions, legacyVersions), capabilities, instructions, 0, "private", map[string]any{serverInfoKey: info()}})
}

// announce returns the servers' joint capabilities, limited to those that the gateway
// supports, and their instructions for models. A server that does not answer soon counts as
// having them all, unless an earlier connection told its features.
func (s *session) announce(ctx context.Context, modern bool) (map[string]any, string, error) {
	p, err := s.connections()
	if err != nil {
		return nil, "", err
	}
	instructions := p.instructions(ctx)
	f := s.g.features()
	changing := map[string]any{"listChanged": true}
	all := map[string]any{"tools": changing}
	if f.prompts {
		all["prompts"] = changing
	}
	if f.resources {
		resources := map[string]any{"listChanged": true}
		if f.subscribe {
			resources["subscribe"] = true
		}
		all["resources"] = resources
	}
	if f.completions {
		all["completions"] = map[string]any{}
	}
	if f.logging && !modern {
		all["logging"] = map[string]any{}
	}
	capability := s.g.validator.Capability(s.g.cfg.ValidateName, validate.Door{Levels: p.levels(), Progress: true, Tasks: modern})
	if s.g.rehearses() {
		capability.Levels[protocol.RehearseLevel] = true
	}
	extensions := map[string]any{protocol.Extension: capability}
	if modern {
		extensions[protocol.TasksExtension] = map[string]any{}
	}
	all["experimental"], all["extensions"] = map[string]any{protocol.Experimental: capability}, extensions
	return all, instructions, nil
}

// levels returns the levels of all servers' checks.
func (p *pool) levels() []check.Level {
	levels := inside.Of(p.g.plain).Levels()
	for _, peer := range p.all() {
		for _, level := range inside.Of(peer.judge()).Levels() {
			if !slices.Contains(levels, level) {
				levels = append(levels, level)
			}
		}
	}
	return levels
}

// maxInstructions bounds the instructions of one server, in bytes.
const maxInstructions = 8 << 10

// instructions connects to the servers and joins their instructions for models. A server
// has as much time as for a list. Of one that needs more, or cannot start, the text says that its tools are missing.
func (p *pool) instructions(ctx context.Context) string {
	peers := p.all()
	said, silent := make([]string, len(peers)), make([]string, len(peers))
	var asking sync.WaitGroup
	for i, peer := range peers {
		if text, ok := peer.instructionsKept(); ok {
			said[i] = text
			continue
		}
		asking.Go(func() {
			if _, known := peer.list(ctx, servers.Tools); !known {
				silent[i] = peer.name
				return // it has used up its time
			}
			ctx, cancel := context.WithTimeout(ctx, p.g.cfg.patience)
			defer cancel()
			raw, err := servers.Of(peer.set).Capabilities(ctx, peer.name)
			if err != nil {
				return
			}
			p.g.learn(peer.name, featuresOf(raw))
			if _, raw, err = servers.Of(peer.set).Info(ctx, peer.name); err != nil {
				return
			}
			if raw != nil && len(raw) <= maxInstructions {
				said[i] = textOf(splice.Get(peer.reviewed(ctx, fmt.Appendf(nil, `{"instructions":%s}`, raw)), wide, "instructions"))
			}
			text := said[i]
			peer.mu.Lock()
			peer.said = &text
			peer.mu.Unlock()
		})
	}
	asking.Wait()
	var b strings.Builder
	for i, text := range said {
		if text != "" {
			fmt.Fprintf(&b, "# Tools called %s%s…\n\n%s\n\n", peers[i].name, separator, strings.TrimSpace(text))
		}
	}
	if silent = slices.DeleteFunc(silent, func(name string) bool { return name == "" }); len(silent) > 0 {
		fmt.Fprintf(&b, "These servers had not answered when the session began, so look at the list of tools again before you miss theirs: %s", strings.Join(silent, ", "))
	}
	return strings.TrimSpace(b.String())
}
