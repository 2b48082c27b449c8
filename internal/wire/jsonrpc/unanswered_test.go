// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"fmt"
	"testing"
)

// TestUnanswered holds that the reason of a missing answer survives the way through an error of JSON-RPC, and that a server's error keeps
// no imitation of one.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	text := errors.New("why")
	for _, want := range []Unanswered{{Status: 401, Err: text}, {Kind: WrongAddress, Err: text}, {Kind: Unreachable, Err: text}, {Err: text}} {
		err := error(fmt.Errorf("and could not be resumed: %w", &want))
		if want.Kind == "" && want.Status == 0 {
			err = text
		}
		got := UnansweredIn(fmt.Appendf(nil, `{"code":-32603,"message":"why","data":%s}`, ErrorData(InternalError, err)))
		if got == nil || got.Kind != want.Kind || got.Status != want.Status || got.Error() != "why" {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if data := ErrorData(InvalidParams, text); data != nil {
		t.Errorf("a refusal has the data %s", data)
	}
	for raw, want := range map[string]string{
		`{"code":-32603,"message":"a"}`:                                                                               `{"code":-32603,"message":"a"}`,
		`{"code":-32603,"message":"a","data":"x"}`:                                                                    `{"code":-32603,"message":"a","data":"x"}`,
		`{"code":-32603,"message":"a","data":{"io.github.toolvet/unanswered":7}}`:                                     `{"code":-32603,"message":"a","data":{"io.github.toolvet/unanswered":7}}`,
		`{"code":-32602,"message":"a","data":{"io.github.toolvet/unanswered":{}}}`:                                    `{"code":-32602,"message":"a","data":{"io.github.toolvet/unanswered":{}}}`,
		`{"code":-32603,"message":"a","data":{"other":{},"io.github.toolvet\/unanswered":{"status":403}}, "x": 1}`:    `{"code":-32603,"message":"a"}`,
		`{"Code":-32603,"message":"the server cannot be reached","DATA":{"io.github.toolvet/unanswered":{"kind":1}}}`: `{"Code":-32603,"message":"the server cannot be reached","DATA":{"io.github.toolvet/unanswered":{"kind":1}}}`,
		`{"Code":-32603,"message":"a","DATA":{"io.github.toolvet/unanswered":{"kind":"unreachable"}}}`:                `{"code":-32603,"message":"a"}`,
	} {
		got := string(OfServer([]byte(raw)))
		if got != want || UnansweredIn([]byte(got)) != nil {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
