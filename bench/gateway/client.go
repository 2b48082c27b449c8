// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// A client makes calls over HTTP: with a session of 2025-11-25, or by 2026-07-28.
type client struct {
	url     string
	http    *http.Client
	session string // "" since 2026-07-28
	last    atomic.Int64
}

func newClient(ctx context.Context, url string, legacy bool) (*client, error) {
	c := &client{url: url, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 20}}}
	if !legacy {
		return c, nil
	}
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	head, _, err := c.post(ctx, hello, "initialize", "")
	if err != nil {
		return nil, err
	}
	c.session = head.Get("Mcp-Session-Id")
	_, _, err = c.post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized", "")
	return c, err
}

// echo calls a server, and checks that the answer is the echo.
func (c *client) echo(ctx context.Context, server string) error {
	id := strconv.FormatInt(c.last.Add(1), 10)
	meta := ""
	if c.session == "" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	tool := server + "__echo"
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"message":"word %s"}%s}}`, id, tool, id, meta)
	_, answer, err := c.post(ctx, body, "tools/call", tool)
	if err == nil && !strings.Contains(answer, "word "+id+`"`) {
		err = fmt.Errorf("a call of %s is answered %.300s", tool, answer)
	}
	return err
}

func (c *client) post(ctx context.Context, body, method, tool string) (http.Header, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case c.session != "":
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	case tool != "":
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", tool)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s is answered with %s: %.300s", method, resp.Status, text)
	}
	return resp.Header, string(text), err
}

func (c *client) close() { c.http.CloseIdleConnections() }
