// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// The protocol versions of the client: with a handshake, and without.
var (
	legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
)

// shakeHands sends initialize. If the server refuses it, shakeHands tries server/discover (MCP
// 2026-07-28, basic/versioning).
func (c *client) shakeHands(ctx context.Context) error {
	err := c.initialize(ctx)
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	if modern := c.discover(ctx); modern != nil {
		if again := (*RefusedError)(nil); errors.As(modern, &again) && again.Message == refused.Message {
			return err // for the same reason
		}
		return fmt.Errorf("%w; then %w", err, modern)
	}
	return nil
}

func clientInfo() map[string]any {
	return map[string]any{"name": "toolvet", "version": toolvet.Version}
}

func (c *client) initialize(ctx context.Context) error {
	raw, err := c.request(ctx, "initialize", map[string]any{
		"protocolVersion": legacyVersions[0], "capabilities": c.offers, "clientInfo": clientInfo(),
	})
	if err != nil {
		return err
	}
	result, err := c.members(raw)
	if err != nil {
		return fmt.Errorf("the server's answer to initialize is malformed: %w", err)
	}
	_ = json.Unmarshal(result["protocolVersion"], &c.version) // stays "" if it is not a string
	if !slices.Contains(legacyVersions, c.version) {
		return fmt.Errorf("the server answers initialize with the protocol version %q: toolvet speaks %s",
			strictjson.Printable(c.version, 32), strings.Join(legacyVersions, ", "))
	}
	c.capabilities, c.info, c.instructions = result["capabilities"], result["serverInfo"], result["instructions"]
	return c.conn.notify(ctx, "notifications/initialized", nil)
}

func (c *client) discover(ctx context.Context) error {
	version, err := json.Marshal(jsonrpc.Modern)
	if err != nil {
		return err
	}
	info, err := json.Marshal(clientInfo())
	if err != nil {
		return err
	}
	c.meta = map[string]json.RawMessage{jsonrpc.RevisionKey: version, jsonrpc.ClientInfoKey: info, jsonrpc.CapabilitiesKey: c.offers}
	raw, err := c.request(ctx, "server/discover", map[string]any{})
	if err != nil {
		return err
	}
	result, err := c.members(raw)
	if err != nil {
		return fmt.Errorf("the server's answer to server/discover is malformed: %w", err)
	}
	var versions []string
	if err := json.Unmarshal(result["supportedVersions"], &versions); err != nil || !slices.Contains(versions, jsonrpc.Modern) {
		return fmt.Errorf("the server's answer to server/discover does not list the protocol version %s", jsonrpc.Modern)
	}
	c.version, c.capabilities, c.instructions = jsonrpc.Modern, result["capabilities"], result["instructions"]
	if meta, err := c.members(result["_meta"]); err == nil {
		c.info = meta[serverInfoKey]
	}
	return nil
}

func (c *client) members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	members, err := strictjson.Members(raw, c.limits)
	if err != nil {
		return nil, err
	}
	object := make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		object[m.Key] = m.Raw
	}
	return object, nil
}
