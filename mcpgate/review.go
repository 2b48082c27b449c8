// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
)

// review runs the output layer over the result of any request other than a tools/call. It
// returns the same result if the review changes nothing.
func (g *guard) review(ctx context.Context, method string, res mcp.Result, err error) (mcp.Result, error) {
	switch {
	case !inside.Of(g.gate()).Reviews():
		return res, err
	case err != nil:
		return nil, g.reviewError(ctx, method, err)
	case res == nil:
		return res, nil
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return nil, fmt.Errorf("mcpgate: the result cannot be written: %w", err)
	}
	v := g.door.Review(ctx, &call.Call{Server: g.server}, method, raw)
	switch {
	case !v.Go:
		words := protocol.NewResult("", v.Verdict)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the result is withheld: " + words.Text()}
	case bytes.Equal(v.Raw, raw):
		return res, nil
	}
	changed := reflect.New(reflect.TypeOf(res).Elem()).Interface()
	if err := json.Unmarshal(v.Raw, changed); err != nil {
		return nil, fmt.Errorf("mcpgate: the SDK does not read the changed result: %w", err)
	}
	return changed.(mcp.Result), nil
}

// reviewError is review for a handler's error, because its text reaches the client.
func (g *guard) reviewError(ctx context.Context, method string, failure error) error {
	wire := wireError(failure)
	hidden := &jsonrpc.Error{Code: wire.Code, Message: "the error is withheld; the reason is in toolvet's log"}
	raw, err := json.Marshal(wire)
	if err != nil {
		return hidden
	}
	shown, ok := g.door.ReviewError(ctx, &call.Call{Server: g.server}, method, raw)
	switch {
	case !ok:
		g.logger.Warn("an error is withheld", "method", method)
		return hidden
	case bytes.Equal(shown, raw):
		return failure
	}
	return readError(shown)
}

// wireError returns an error in the form that the SDK sends, with its whole text.
func wireError(failure error) *jsonrpc.Error {
	if wire := (*jsonrpc.Error)(nil); errors.As(failure, &wire) {
		return &jsonrpc.Error{Code: wire.Code, Message: failure.Error(), Data: wire.Data}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failure.Error()}
}

// readError decodes an error changed by a review.
func readError(raw json.RawMessage) error {
	changed := new(jsonrpc.Error)
	if json.Unmarshal(raw, changed) != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the error is withheld; the reason is in toolvet's log"}
	}
	return changed
}
