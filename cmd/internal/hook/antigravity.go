// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

// antigravity must always hear a decision before a tool: it has none for "no opinion", and takes {} for a denial. Its
// input names no event, and toolCall comes only before and after tools.
func antigravity() *Host {
	return &Host{
		Name: "antigravity", Title: "Antigravity CLI", Asks: true,
		Verified: "from third parties: michaeldhopkins/safe-chains HARNESS-BEHAVIORS.md at 2189398f (agy 1.1.2, live); google-antigravity/antigravity-cli#628, #1053 (agy 1.2.7), 2026-11-28",
		Decode:   antigravityDecode, Encode: antigravityEncode,
		Refuse: func(reason string) Reply {
			return say(antigravityReply{"deny", Answer{Reason: reason}.reason()})
		},
	}
}

func antigravityDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host:    "antigravity",
		Name:    o.text("hookEventName", "hook_event_name"),
		Session: o.text("conversationId"),
		Roots:   o.texts("workspacePaths"),
	}
	if len(e.Roots) > 0 {
		e.Dir = e.Roots[0]
	}
	switch {
	case e.Name != "":
		e.Kind = kindOf(e.Name)
	case !o.has("toolCall"):
		e.Kind = Other
	case o.has("toolResult"), o.has("toolResponse"), o.has("error"):
		e.Kind, e.Name = AfterTool, "PostToolUse"
	default:
		e.Kind, e.Name = BeforeTool, "PreToolUse"
	}
	if e.Kind == BeforeTool || e.Kind == AfterTool {
		call := o.child("toolCall")
		e.Tool = call.need("name")
		e.Input = call.arguments("args")
		e.Call = call.text("id")
		split(&e, "mcp__", "__", "")
		_, e.Output = o.raw("toolResult", "toolResponse", "error")
		e.Failed = o.has("error")
	}
	return e, *o.fault
}

type antigravityReply struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

func antigravityEncode(e Event, a Answer) Reply {
	if e.Kind != BeforeTool {
		if a = asked("Antigravity CLI", a); e.Kind == Other && a.Decision == Deny {
			return say(antigravityReply{"deny", a.reason()})
		}
		return say(struct{}{}) // the answer that every other event expects
	}
	switch a.Decision {
	case Allow:
		return say(antigravityReply{"allow", a.Reason})
	case Ask: // "ask" would respect what the user has once allowed
		return say(antigravityReply{"force_ask", a.reason()})
	case None:
		return say(antigravityReply{"ask", a.Reason})
	}
	return say(antigravityReply{"deny", a.reason()})
}
