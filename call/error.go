// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// memberError is jsonError for a member of params. Its places and offsets count from the member's value,
// because nothing else of a message is the same at every door.
func memberError(key string, err error) *jsonrpc.Error {
	if key == "arguments" {
		return argumentsError(err)
	}
	what := fmt.Sprintf(`"params.%s"`, strictjson.Printable(key, 64))
	e := jsonrpc.NewError(paramsCode(err), what, err)
	if !slices.Contains(paramsKeys, key) {
		e.Place = what
	}
	return e
}

// argumentsError refuses arguments, with the same words wherever they stand: in a tools/call, in a dry
// run, in a file.
func argumentsError(err error) *jsonrpc.Error {
	e := jsonrpc.NewError(paramsCode(err), `"arguments"`, err)
	if fault := (*strictjson.Error)(nil); errors.As(err, &fault) && fault.Pointer != "" {
		e.Pointer, e.Fault = fault.Pointer, fault.Fault()
	}
	return e
}

var errNoObject = &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"arguments" must be an object`}

// paramsCode is the code for a fault in the value of a member of params.
func paramsCode(err error) int {
	if e := (*strictjson.Error)(nil); errors.As(err, &e) {
		switch e.Kind {
		case strictjson.Syntax, strictjson.TrailingData, strictjson.InvalidUTF8:
			return jsonrpc.ParseError // the text is no JSON
		}
	}
	return jsonrpc.InvalidParams
}
