// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Form is the memory for the parsed form of a message, lent by [budget.Held]. The zero Form is none.
type Form struct{ loan *budget.Loan }

// tiny is the largest text, in bytes, whose form takes no loan: it is small in any case.
const tiny = 1 << 10

// Lend takes memory for the form of a text of n bytes, before it is parsed. The owner is the
// principal of the session. The caller must pass the parsed call to [Form.Of], or nil when it no longer
// uses the form. The error is a
// *[jsonrpc.Error] for the client.
func Lend(ctx context.Context, session func(meta map[string]any) *call.Session, n int) (Form, error) {
	if n <= tiny {
		return Form{}, nil
	}
	owner := ""
	if s := session(nil); s != nil {
		owner = s.Principal()
	}
	loan, err := budget.Held.Take(ctx, owner, strictjson.FormBound(n), budget.Brief)
	if err != nil {
		return Form{}, &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the message is refused: " + err.Error(), Err: err}
	}
	return Form{loan}, nil
}

// Of leaves the memory to a parsed call until nobody uses the call any more. A nil call takes none.
func (f Form) Of(c *call.Call) {
	if f.loan == nil {
		return
	}
	if c == nil {
		f.loan.Return()
		return
	}
	f.loan.Shrink(strictjson.FormOf(c.Arguments) + strictjson.FormOf(c.Meta) + strictjson.FormOf(c.Inputs) + strictjson.FormOf(c.Extra))
	budget.Until(f.loan, c)
}
