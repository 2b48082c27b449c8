// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import "github.com/toolvet/toolvet/internal/protocol"

func (c *client) NativeValidation() (method string, ok bool) {
	method = protocol.Announced(c.capabilities)
	return method, method != ""
}
