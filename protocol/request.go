// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// DecodeRequest reads the arguments of a call of the validate tool, whose shape the
// InputSchema has found good, and returns the call that it describes. The tool is
// looked up in catalog.
func DecodeRequest(arguments json.RawMessage, catalog *call.Catalog, limits call.Limits) (*call.Call, error) {
	members, err := strictjson.Members(arguments, limits)
	if err != nil {
		return nil, fmt.Errorf("the arguments of validate: %w", err)
	}
	c := &call.Call{}
	for _, m := range members {
		switch m.Key {
		case "tool":
			if err := json.Unmarshal(m.Raw, &c.Name); err != nil {
				return nil, fmt.Errorf(`"tool" must be a string`)
			}
		case "arguments":
			c.Raw = m.Raw
			if c.Arguments, err = call.DecodeArguments(m.Raw, limits); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("the validate tool takes tool and arguments, nothing else")
		}
	}
	if c.Name == "" || c.Raw == nil {
		return nil, fmt.Errorf("the validate tool takes tool and arguments: one is missing")
	}
	c.Resolve(catalog)
	return c, nil
}
