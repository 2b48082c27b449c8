// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"fmt"
	"testing"
)

// TestUnanswered holds that the reason of a missing answer survives the way through an error of JSON-RPC, and that of a foreign error only what
// toolvet writes counts.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	text := errors.New("why")
	for _, want := range []Unanswered{{Status: 401, Err: text}, {Kind: WrongAddress, Err: text}, {Kind: Unreachable, Err: text}, {Err: text}} {
		err := error(fmt.Errorf("and could not be resumed: %w", &want))
		if want.Kind == "" && want.Status == 0 {
			err = text
		}
		got := UnansweredIn(InternalError, "why", ErrorData(InternalError, err))
		if got == nil || got.Kind != want.Kind || got.Status != want.Status || got.Error() != "why" {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if data := ErrorData(InvalidParams, text); data != nil {
		t.Errorf("a refusal has the data %s", data)
	}
	for data, want := range map[string]string{
		``: "<nil>", `"x"`: "<nil>", `{}`: "<nil>", `{"io.github.toolvet/unanswered":7}`: "<nil>", `{"io.github.toolvet/unanswered":null}`: "<nil>",
		`{"io.github.toolvet/unanswered":{"kind":"hunter2","status":7000}}`: "{ 0}",
		`{"other":{},"io.github.toolvet/unanswered":{"status":403}}`:        "{ 403}",
	} {
		got := "<nil>"
		if u := UnansweredIn(InternalError, "why", []byte(data)); u != nil {
			got = fmt.Sprintf("{%s %d}", u.Kind, u.Status)
		}
		if got != want || UnansweredIn(InvalidParams, "why", []byte(data)) != nil {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
}
