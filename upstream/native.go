// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import "github.com/toolvet/toolvet/internal/protocol"

// NativeValidation reports whether the server announces the validation protocol itself.
// Method is the name of its validate tool.
func (c *Client) NativeValidation() (method string, ok bool) {
	method = protocol.Announced(c.capabilities)
	return method, method != ""
}
