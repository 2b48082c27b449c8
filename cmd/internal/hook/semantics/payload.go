// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package semantics

import "encoding/json"

// Payload returns what a host sends to its hook before a shell runs a command in a directory, and variables of the
// environment, as NAME=VALUE. The result is nil for an unknown host.
func Payload(host, dir, command string) (stdin []byte, env []string) {
	type object = map[string]any
	input := object{"command": command}
	// mirror is the format of Claude Code.
	mirror := func(event, tool, variable string) object {
		if variable != "" {
			env = []string{variable + "=" + dir}
		}
		return object{
			"session_id": "toolvet-doctor", "transcript_path": nil, "cwd": dir, "permission_mode": "default", "hook_event_name": event,
			"tool_name": tool, "tool_input": input, "tool_use_id": "toolvet-doctor",
		}
	}
	var o object
	switch host {
	case "claude-code":
		o = mirror("PreToolUse", "Bash", "CLAUDE_PROJECT_DIR")
	case "codex":
		o = mirror("PreToolUse", "Bash", "")
		o["model"], o["turn_id"] = "toolvet-doctor", "1"
	case "grok", "kimi":
		o = mirror("PreToolUse", "Bash", "")
	case "gemini":
		o = mirror("BeforeTool", "run_shell_command", "GEMINI_PROJECT_DIR")
	case "qwen":
		o = mirror("PreToolUse", "run_shell_command", "QWEN_PROJECT_DIR")
	case "droid":
		o = mirror("PreToolUse", "Execute", "FACTORY_PROJECT_DIR")
	case "vscode":
		o = object{
			"timestamp": "2026-11-28T10:00:00.000Z", "cwd": dir, "sessionId": "toolvet-doctor", "hookEventName": "PreToolUse",
			"tool_name": "run_in_terminal", "tool_input": input, "tool_use_id": "toolvet-doctor",
		}
	case "antigravity":
		o = object{
			"conversationId": "toolvet-doctor", "stepIdx": 1, "workspacePaths": []string{dir},
			"toolCall": object{"name": "run_command", "args": object{"CommandLine": command, "Cwd": dir}},
		}
	case "copilot":
		o = object{"sessionId": "toolvet-doctor", "timestamp": 1795860000000, "cwd": dir, "toolName": "bash", "toolArgs": input}
	case "cursor":
		o = object{
			"conversation_id": "toolvet-doctor", "generation_id": "1", "model": "toolvet-doctor", "cursor_version": "", "workspace_roots": []string{dir},
			"user_email": nil, "hook_event_name": "beforeShellExecution", "command": command, "cwd": dir,
		}
	case "windsurf":
		o = object{
			"agent_action_name": "pre_run_command", "trajectory_id": "toolvet-doctor", "execution_id": "1", "timestamp": "2026-11-28T10:00:00Z",
			"tool_info": object{"command_line": command, "cwd": dir},
		}
	case "cline":
		o = object{
			"clineVersion": "", "hookName": "PreToolUse", "timestamp": "1", "taskId": "toolvet-doctor", "workspaceRoots": []string{dir}, "userId": "u",
			"preToolUse": object{"toolName": "execute_command", "parameters": object{"command": command, "requires_approval": "false"}},
		}
	case "goose":
		o = object{
			"event": "PreToolUse", "session_id": "toolvet-doctor", "matcher_context": "developer__shell", "tool_name": "developer__shell",
			"tool_input": input, "working_dir": dir, "tool_call_id": "toolvet-doctor",
		}
	case "kiro":
		o = object{"hook_event_name": "preToolUse", "cwd": dir, "tool_name": "execute_bash", "tool_input": input}
	case "amp":
		o = object{"cmd": command, "cwd": dir}
		env = []string{"AGENT=amp", "AGENT_TOOL_NAME=Bash", "AMP_THREAD_ID=toolvet-doctor"}
	case "opencode":
		o = object{
			"event": "tool.execute.before", "tool": "bash", "args": object{"command": command, "description": "doctor"},
			"session": "toolvet-doctor", "call": "toolvet-doctor", "directory": dir, "roots": []string{dir},
		}
	default:
		return nil, nil
	}
	stdin, err := json.Marshal(o)
	if err != nil { // a directory's name that is no text
		return nil, nil
	}
	return stdin, env
}
