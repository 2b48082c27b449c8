// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"testing"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// TestHandshakeHint holds that an error of a URL that gives the next step gets no other, and that its type tells which does, not its words.
func TestHandshakeHint(t *testing.T) {
	t.Parallel()
	words := errors.New("the server answers with HTTP 500: correct its URL")
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&jsonrpc.Unanswered{Status: 500, Err: errors.New("no")}, false},
		{&jsonrpc.Unanswered{Kind: jsonrpc.WrongAddress, Err: errors.New("no")}, false},
		{&jsonrpc.Unanswered{Kind: jsonrpc.Unreachable, Err: words}, true},
		{&jsonrpc.Unanswered{Err: words}, true},
		{words, true},
	} {
		if hint := handshakeHint(tt.err, true); (hint != "") != tt.want {
			t.Errorf("%#v: %q", tt.err, hint)
		}
	}
}

// TestInPlace holds that only toolvet in front of a URL is believed that it writes in a server's place.
func TestInPlace(t *testing.T) {
	t.Parallel()
	refused := &upstream.RefusedError{Raw: []byte(`{"code":-32603,"message":"no","data":{"io.github.toolvet/unanswered":{"status":401}}}`)}
	for _, tt := range []struct {
		command []string
		want    bool
	}{
		{[]string{"/bin/toolvet", "proxy", "--upstream", "http://127.0.0.1:1/mcp"}, true},
		{[]string{"toolvet", "proxy", "--", "node", "server.js"}, false},
		{[]string{"node", "server.js", "toolvet"}, false},
	} {
		if got := errors.As(inPlace(tt.command, refused), new(*jsonrpc.Unanswered)); got != tt.want {
			t.Errorf("%q: %t", tt.command, got)
		}
	}
}
