// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import "slices"

// ToolsCall is the method that calls a tool. Every other request of a client is a Call whose
// Method names it.
const ToolsCall = "tools/call"

// Notifications are those that clients send.
var Notifications = []string{
	"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "notifications/tasks/status",
}

// KnownNotification reports whether MCP has such a notification from clients.
func KnownNotification(method string) bool { return slices.Contains(Notifications, method) }
