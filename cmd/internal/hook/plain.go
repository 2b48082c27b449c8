// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"errors"
	"time"
)

// Hosts that understand little more than "no".

// windsurf blocks on the exit code 2 of its events that begin with "pre_", and reads nothing else.
func windsurf() *Host {
	return &Host{
		Name: "windsurf", ExitTwo: true, Title: "Windsurf",
		Verified: "docs.windsurf.com/windsurf/cascade/hooks.md, in excerpts, 2026-11-28; members of tool_info from third parties",
		Decode:   windsurfDecode, Encode: exitCode("Windsurf"), Refuse: stop,
	}
}

func windsurfDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host:    "windsurf",
		Name:    o.need("agent_action_name"),
		Session: o.text("trajectory_id"),
		Call:    o.text("execution_id"),
	}
	e.Kind = kindOf(e.Name)
	info := o.child("tool_info")
	switch e.Kind {
	case BeforeTool, AfterTool:
		switch e.Name {
		case "pre_run_command", "post_run_command":
			e.Tool, e.Dir = "run_command", info.text("cwd")
			e.Chosen = e.Dir != ""
			info.need("command_line")
			e.Input = info.withMembers("command_line", "cwd")
		case "pre_write_code", "post_write_code":
			e.Tool = "write_code"
			info.need("file_path")
			e.Input = info.withMembers("file_path", "edits")
		case "pre_read_code", "post_read_code":
			e.Tool = "read_code"
			info.need("file_path")
			e.Input = info.withMembers("file_path")
		default:
			e.Tool = info.need("mcp_tool_name")
			e.Server, e.MCPTool = info.need("mcp_server_name"), e.Tool
			e.Input = info.arguments("mcp_tool_arguments")
			_, e.Output = info.raw("mcp_result")
		}
	case Prompt:
		e.Prompt = info.text("user_prompt")
	}
	return e, *o.fault
}

// exitCode is the encoder of hosts that read the exit code 2 before tools and prompts, with the reason on standard error.
func exitCode(title string) func(Event, Answer) Reply {
	return func(e Event, a Answer) Reply {
		a = asked(title, a)
		switch e.Kind {
		case BeforeTool, Permission, Prompt, Other:
			if a.Decision == Deny {
				return stop(a.Reason)
			}
		}
		return Reply{}
	}
}

// kiro blocks on the exit code 2, and adds the output of the hooks of prompts and sessions to what the model reads.
func kiro() *Host {
	return &Host{
		Name: "kiro", ExitTwo: true, Title: "Kiro", Timeout: 30 * time.Second,
		Verified: "kiro.dev/docs/cli/hooks, in excerpts, 2026-11-28; exit codes and timeout from third parties",
		Decode:   kiroDecode, Refuse: stop,
		Encode: func(e Event, a Answer) Reply {
			r := exitCode("Kiro")(e, a)
			if r.Exit == 0 && a.Context != "" && (e.Kind == Prompt || e.Kind == SessionStart) {
				r.Stdout = []byte(a.Context + "\n")
			}
			return r
		},
	}
}

func kiroDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{Host: "kiro", Name: o.need("hook_event_name"), Session: o.text("session_id"), Dir: o.text("cwd")}
	e.Kind = kindOf(e.Name)
	readTool(&e, o, "@", "/", "")
	return e, *o.fault
}

// goose can be blocked before a tool alone. Its other events before a tool only observe.
func goose() *Host {
	return &Host{
		Name: "goose", ExitTwo: true, Title: "goose", Timeout: 30 * time.Second, FailClosed: `"on_failure": "block" at the hook`,
		Verified: "github block/goose, documentation/docs/guides/context-engineering/hooks.md at 0825b570, 2026-11-28",
		Decode:   gooseDecode,
		Refuse:   gooseBlock,
		Encode: func(e Event, a Answer) Reply {
			if a = asked("goose", a); a.Decision == Deny && (e.Kind == BeforeTool || e.Kind == Other && e.Name != "Stop") {
				return gooseBlock(a.Reason)
			}
			return Reply{}
		},
	}
}

type verdict struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

func gooseBlock(reason string) Reply {
	r := stop(reason)
	r.Stdout = text(verdict{"block", Answer{Reason: reason}.reason()})
	return r
}

func gooseDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{Host: "goose", Name: o.need("event"), Session: o.text("session_id"), Dir: o.text("working_dir")}
	switch e.Kind = kindOf(e.Name); e.Name {
	case "BeforeReadFile", "BeforeShellExecution", "AfterFileEdit", "AfterShellExecution":
		e.Kind = Other
	}
	switch e.Kind {
	case BeforeTool, AfterTool:
		e.Tool = o.need("tool_name")
		e.Call = o.text("tool_call_id")
		e.Input = o.arguments("tool_input")
		e.Failed = e.Name == "PostToolUseFailure"
		split(&e, "", "__", "")
	case Prompt:
		e.Prompt = o.text("message")
	}
	return e, *o.fault
}

// cline reads "cancel" whatever the exit code is. Its "review" is parsed and used nowhere, so it cannot ask.
func cline() *Host {
	cancel := func(reason string) Reply {
		return say(clineReply{Cancel: true, Error: Answer{Reason: reason}.reason()})
	}
	return &Host{
		Name: "cline", Title: "Cline", Timeout: 30 * time.Second,
		Verified: "github cline/cline at 21cb8d25: apps/vscode/proto/cline/hooks.proto, apps/vscode/src/core/hooks/hook-factory.ts, sdk/packages/core/src/hooks/hook-file-hooks.ts, 2026-11-28",
		Decode:   clineDecode, Refuse: cancel,
		Encode: func(e Event, a Answer) Reply {
			a = asked("Cline", a)
			switch e.Kind {
			case BeforeTool, Prompt, Other:
				if a.Decision == Deny {
					return cancel(a.Reason)
				}
			case AfterTool:
				if a.Decision == Deny {
					a.Context = a.reason() // the output has gone to the model; a cancel would end the task
				}
			case SessionEnd, SubagentEnd:
				a.Context = ""
			}
			return say(clineReply{Context: a.Context})
		},
	}
}

type clineReply struct {
	Cancel  bool   `json:"cancel"`
	Context string `json:"contextModification,omitempty"`
	Error   string `json:"errorMessage,omitempty"`
}

func clineDecode(raw []byte, _ func(string) string) (Event, error) {
	o, err := parse(raw)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Host:    "cline",
		Name:    o.need("hookName"),
		Session: o.text("taskId"),
		Roots:   o.texts("workspaceRoots"),
	}
	if o.text("parent_agent_id") != "" {
		e.Agent = o.text("agent_id")
	}
	if len(e.Roots) > 0 {
		e.Dir = e.Roots[0]
	}
	e.Kind = kindOf(e.Name)
	switch e.Kind {
	case BeforeTool, AfterTool:
		// The SDK and the CLI send the arguments as they are; Visual Studio Code's extension sends texts.
		if c := o.child("tool_call"); c.members != nil {
			e.Tool, e.Call, e.Input = c.need("name"), c.text("id"), c.arguments("input")
		} else if c := o.child("tool_result"); c.members != nil {
			e.Tool, e.Call, e.Input = c.need("name"), c.text("id"), c.arguments("input")
			_, e.Output = c.raw("output")
			e.Failed = c.has("error")
		} else if c := o.child("preToolUse"); c.members != nil {
			e.Tool, e.Input = c.need("toolName"), c.arguments("parameters")
		} else {
			c := o.child("postToolUse")
			e.Tool, e.Input = c.need("toolName"), c.arguments("parameters")
			_, e.Output = c.raw("result")
			e.Failed = string(c.members["success"]) == "false"
		}
		if *o.fault == nil && e.Tool == "use_mcp_tool" {
			clineMCP(&e, o)
		}
	case Prompt:
		e.Prompt = o.child("userPromptSubmit").text("prompt")
	}
	return e, *o.fault
}

// clineMCP reads the call of an MCP tool, which Cline makes by a tool of its own.
func clineMCP(e *Event, o object) {
	in := object{at: "/parameters", fault: o.fault}
	if err := in.read(e.Input); err != nil {
		*o.fault = err
		return
	}
	e.Server, e.MCPTool, e.Input = in.need("server_name"), in.need("tool_name"), in.arguments("arguments")
}

// grok has one event that blocks, before a tool.
func grok() *Host {
	deny := func(reason string) Reply {
		r := stop(reason)
		r.Stdout = text(verdict{"deny", Answer{Reason: reason}.reason()})
		return r
	}
	return &Host{
		Name: "grok", ExitTwo: true, Title: "Grok", Timeout: 5 * time.Second,
		Verified: "docs.x.ai/build/features/hooks.md, in excerpts, 2026-11-28; the members of the input from third parties, as Claude Code's",
		Refuse:   deny,
		Decode: func(raw []byte, env func(string) string) (Event, error) {
			return mirror{Host: Host{Name: "grok"}}.decode(raw, env)
		},
		Encode: func(e Event, a Answer) Reply {
			if a = asked("Grok", a); a.Decision == Deny && (e.Kind == BeforeTool || e.Kind == Other) {
				return deny(a.Reason)
			}
			return Reply{}
		},
	}
}

// amp runs a program for the permission "delegate". The program gets the tool's arguments alone, the rest by its
// environment, and answers by its exit code: 0 allows, 1 asks, 2 and above reject.
func amp() *Host {
	return &Host{
		Name: "amp", Title: "Amp", Asks: true,
		Verified: "from third parties: copies of ampcode.com/manual/appendix, 2026-11-28; the names of the environment's variables are unverified",
		Refuse:   stop,
		Decode: func(raw []byte, env func(string) string) (Event, error) {
			o, err := parse(raw)
			if err != nil {
				return Event{}, err
			}
			e := Event{
				Host: "amp", Name: "delegate", Tool: env("AGENT_TOOL_NAME"), Session: env("AMP_THREAD_ID"),
				Input: json.RawMessage(raw),
			}
			if e.Tool == "" {
				return Event{}, errors.New("the environment of the hook names no tool: AGENT_TOOL_NAME is missing or empty")
			}
			split(&e, "mcp__", "__", "")
			return e, *o.fault
		},
		Encode: func(_ Event, a Answer) Reply {
			switch a.Decision {
			case Allow:
				return Reply{}
			case Ask, None: // the program was asked to decide, so no opinion is the user's turn
				r := stop(a.reason())
				r.Exit = 1
				return r
			}
			return stop(a.Reason)
		},
	}
}
