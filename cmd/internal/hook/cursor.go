// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"time"
)

// cursor has an event for each sort of tool beside the general ones, with arguments spread over the input, and nests JSON
// in strings. It asks its user about shell commands and MCP tools alone. Empty output counts as a failed hook, so
// something is always printed.
func cursor() *Host {
	return &Host{
		Name: "cursor", ExitTwo: true, Title: "Cursor", Asks: true, Timeout: time.Minute, FailClosed: `"failClosed": true at the hook`,
		Verified: "from third parties: a copy of cursor.com/docs/agent/hooks (pcomans/caruso at 0d41427e), cupcake.eqtylab.io, a reading of the CLI 2026.09.18-9a7762b, 2026-11-28",
		Decode:   cursorDecode, Encode: cursorEncode, Refuse: func(reason string) Reply {
			reason = Answer{Reason: reason}.reason()
			return say(cursorReply{Continue: new(bool), Permission: "deny", User: reason, Agent: reason})
		},
	}
}

func cursorDecode(raw []byte, env func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host:    "cursor",
		Name:    o.need("hook_event_name"),
		Session: o.text("conversation_id"),
		Dir:     o.text("cwd"),
		Roots:   o.texts("workspace_roots"),
		Call:    o.text("tool_use_id"),
	}
	e.Kind, e.Chosen = kindOf(e.Name), e.Dir != ""
	if len(e.Roots) == 0 {
		e.Roots = one(env("CURSOR_PROJECT_DIR"))
	}
	if e.Dir == "" && len(e.Roots) > 0 {
		e.Dir = e.Roots[0]
	}
	switch e.Name {
	case "beforeShellExecution", "afterShellExecution":
		e.Tool = "Shell"
		o.need("command")
		e.Input = o.withMembers("command", "cwd")
		_, e.Output = o.raw("output")
	case "beforeMCPExecution", "afterMCPExecution":
		e.Tool = o.need("tool_name")
		e.MCPTool = e.Tool
		// The server is known by how it is reached alone.
		if e.Server = o.text("url"); e.Server == "" {
			e.Server = o.text("command")
		}
		e.Input = o.arguments("tool_input")
		e.Output = o.nested("result_json")
	case "beforeReadFile", "beforeTabFileRead":
		e.Tool = "Read"
		o.need("file_path")
		e.Input = o.withMembers("file_path")
	case "afterFileEdit", "afterTabFileEdit":
		e.Tool = "Write"
		o.need("file_path")
		e.Input = o.withMembers("file_path", "edits")
	case "beforeSubmitPrompt":
		e.Prompt = o.text("prompt")
	default:
		if e.Kind == BeforeTool || e.Kind == AfterTool {
			e.Tool = o.need("tool_name")
			e.Input = o.arguments("tool_input")
			e.Output = o.nested("tool_output")
			split(&e, "mcp__", "__", "")
			if len(e.Tool) > 4 && e.Tool[:4] == "MCP:" {
				e.MCPTool = e.Tool[4:]
			}
			if o.has("error_message") {
				_, e.Output = o.raw("error_message")
				e.Failed = true
			}
		}
	}
	return e, *o.fault
}

// nested returns the JSON in a string, or the string if it holds none.
func (o object) nested(key string) json.RawMessage {
	_, raw := o.raw(key)
	if raw != nil && raw[0] == '"' {
		if inner := json.RawMessage(o.string(key, raw)); json.Valid(inner) {
			return inner
		}
	}
	return raw
}

type cursorReply struct {
	Continue   *bool           `json:"continue,omitempty"`
	Permission string          `json:"permission,omitempty"`
	User       string          `json:"user_message,omitempty"`
	Agent      string          `json:"agent_message,omitempty"`
	Context    string          `json:"additional_context,omitempty"`
	Output     json.RawMessage `json:"updated_mcp_tool_output,omitempty"`
}

func cursorEncode(e Event, a Answer) Reply {
	asks := e.Name == "beforeShellExecution" || e.Name == "beforeMCPExecution"
	if !asks {
		a = asked("Cursor", a)
	}
	r := cursorReply{User: a.Notice}
	user := a.Notice
	if user == "" {
		user = a.Reason
	}
	switch e.Kind {
	case BeforeTool, SubagentStart:
		switch a.Decision {
		case Deny:
			r.Permission, r.User, r.Agent = "deny", Answer{Reason: user}.reason(), a.reason()
		case Ask:
			r.Permission, r.User, r.Agent = "ask", Answer{Reason: user}.reason(), a.reason()
		case Allow:
			r.Permission = "allow"
		}
		if e.Kind == SubagentStart && a.Decision == Allow {
			r.Permission = ""
		}
	case Prompt:
		r.Context = a.Context
		if a.Decision == Deny {
			r.Continue, r.User, r.Context = new(bool), Answer{Reason: user}.reason(), ""
		}
	case AfterTool:
		r = cursorReply{Context: a.Context}
		if a.Decision == Deny {
			r.Context = a.reason()
			if a.Output == nil {
				a.Output = withheld(e.Output, a.reason())
			}
		}
		if e.MCPTool != "" && !e.Failed {
			r.Output = a.Output
		}
	case SessionStart:
		r = cursorReply{Context: a.Context}
	case Other:
		if a.Decision == Deny {
			return stop(a.Reason)
		}
		r = cursorReply{}
	default:
		r = cursorReply{}
	}
	return say(r)
}
