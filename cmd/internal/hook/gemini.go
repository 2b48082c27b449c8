// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import "time"

// gemini has an undocumented decision "ask" since March 2026. Older versions take it for an allow, so it is not used.
func gemini() *Host {
	return &Host{
		Name: "gemini", ExitTwo: true, Title: "Gemini CLI", ReplacesOutput: true, Timeout: time.Minute,
		Verified: "npm @google/gemini-cli-core 0.61.0; github google-gemini/gemini-cli at 5411f113, docs/hooks/reference.md and packages/core/src/hooks/hookRunner.ts, 2026-11-28",
		Decode:   geminiDecode, Encode: geminiEncode, Refuse: stop,
	}
}

func geminiDecode(raw []byte, env func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host:    "gemini",
		Name:    o.need("hook_event_name"),
		Session: o.text("session_id"),
		Dir:     o.text("cwd"),
		Roots:   one(env("GEMINI_PROJECT_DIR")),
	}
	e.Kind = kindOf(e.Name)
	mcp := o.child("mcp_context")
	readTool(&e, o, "mcp_", "_", mcp.text("server_name"))
	if tool := mcp.text("tool_name"); tool != "" {
		e.Server, e.MCPTool = mcp.text("server_name"), tool
	}
	return e, *o.fault
}

type geminiReply struct {
	Decision string          `json:"decision,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Message  string          `json:"systemMessage,omitempty"`
	Specific *geminiSpecific `json:"hookSpecificOutput,omitempty"`
}

type geminiSpecific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

func geminiEncode(e Event, a Answer) Reply {
	a = asked("Gemini CLI", a)
	r := geminiReply{Message: a.Notice}
	switch e.Kind {
	case SessionEnd, SubagentEnd:
		a.Context = ""
	case SessionStart, SubagentStart: // a decision is ignored
	case BeforeTool:
		a.Context = ""
		fallthrough
	default:
		switch {
		case a.Decision == Deny:
			r.Decision, r.Reason = "deny", a.reason()
		case a.Output != nil && e.Kind == AfterTool: // the reason of a denial takes the place of the output
			r.Decision, r.Reason = "deny", outputText(a.Output, "llmContent")
		case a.Decision == Allow && e.Kind == BeforeTool:
			r.Decision = "allow"
		}
	}
	if a.Context != "" {
		r.Specific = &geminiSpecific{e.Name, a.Context}
	}
	if r == (geminiReply{}) {
		return Reply{}
	}
	return say(r)
}
