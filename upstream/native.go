// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"

	"github.com/toolvet/toolvet/protocol"
)

// NativeValidation reports whether the server announces the validation protocol
// itself, and the name of its validate tool. The capability is an object in
// experimental or, since 2026-07-28, in extensions; one that says "supported": false
// announces nothing.
func (c *Client) NativeValidation() (method string, ok bool) {
	var capabilities struct {
		Experimental map[string]json.RawMessage `json:"experimental"`
		Extensions   map[string]json.RawMessage `json:"extensions"`
	}
	// What cannot be read announces nothing.
	_ = json.Unmarshal(c.capabilities, &capabilities)
	for _, raw := range []json.RawMessage{
		capabilities.Experimental[protocol.Experimental], capabilities.Extensions[protocol.Extension],
	} {
		if method, ok := validateMethod(raw); ok {
			return method, true
		}
	}
	return "", false
}

func validateMethod(raw json.RawMessage) (string, bool) {
	announced := struct {
		Supported *bool  `json:"supported"`
		Method    string `json:"method"`
	}{}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &announced) != nil {
		return "", false
	}
	if announced.Supported != nil && !*announced.Supported {
		return "", false
	}
	if announced.Method == "" {
		announced.Method = protocol.ToolName
	}
	return announced.Method, true
}
