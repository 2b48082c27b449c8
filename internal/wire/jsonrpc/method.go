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

// KnownFromServer reports whether MCP has such a notification from servers.
func KnownFromServer(method string) bool {
	switch method {
	case "notifications/message", "notifications/progress", "notifications/cancelled", "notifications/resources/updated", "notifications/resources/list_changed",
		"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/elicitation/complete", "notifications/tasks/status":
		return true
	}
	return false
}

// KnownNotification reports whether MCP has such a notification from clients.
func KnownNotification(method string) bool { return slices.Contains(Notifications, method) }
