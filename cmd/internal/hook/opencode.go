// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	_ "embed"
	"encoding/json"
)

// Plugin is the plugin for OpenCode, Pi and OpenClaw, which run JavaScript in place of hooks. It starts
// "toolvet hook opencode" for every call, and blocks unless that says otherwise.
//
//go:embed opencode.js
var Plugin []byte

// opencode is the format between toolvet and Plugin: toolvet's own.
func opencode() *Host {
	deny := func(reason string) Reply {
		r := stop(reason)
		r.Stdout = text(pluginReply{Decision: "deny", Reason: Answer{Reason: reason}.reason()})
		return r
	}
	return &Host{
		Name: "opencode", Title: "OpenCode, Pi, OpenClaw", Asks: true, ReplacesOutput: true,
		Verified: "npm @opencode-ai/plugin 1.18.33, dist/index.d.ts; npm @earendil-works/pi-coding-agent 0.74.2, docs/extensions.md; npm openclaw 2026.9.6, docs/plugins/hooks/tool-policy.md, 2026-11-28",
		Refuse:   deny, Decode: pluginDecode,
		Encode: func(e Event, a Answer) Reply {
			r := pluginReply{Decision: "allow", Reason: a.Reason, Output: a.Output}
			switch a.Decision {
			case Deny:
				if e.Kind != BeforeTool && e.Kind != AfterTool && e.Kind != Other {
					break
				}
				return deny(a.Reason)
			case Ask:
				r.Decision, r.Reason = "ask", a.reason()
			}
			return say(r)
		},
	}
}

type pluginReply struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	Output   json.RawMessage `json:"output,omitempty"`
}

func pluginDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host: "opencode", Name: o.need("event"), Session: o.text("session"), Agent: o.text("agent"),
		Dir: o.text("directory"), Call: o.text("call"), Roots: o.texts("roots"),
	}
	if e.Kind = kindOf(e.Name); e.Kind == BeforeTool || e.Kind == AfterTool {
		e.Tool = o.need("tool")
		e.Input = o.arguments("args")
		_, e.Output = o.raw("output")
		split(&e, "mcp__", "__", "")
	}
	return e, *o.fault
}
