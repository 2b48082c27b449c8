// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0
// toolvet judges every tool call of OpenCode, Pi and OpenClaw. If toolvet fails, the call is blocked.
import { spawn } from "node:child_process"

const confirm = "The user would have to confirm this: allow it in the policy of toolvet, or run it yourself."

const judge = (event) => new Promise((resolve) => {
  const deny = (reason) => (clearTimeout(timer), resolve({ decision: "deny", reason }))
  const out = []
  const child = spawn(process.env.TOOLVET ?? "toolvet", ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
  const timer = setTimeout(() => (child.kill("SIGKILL"), deny("toolvet gave no answer within a minute, so nothing may run.")), 60_000)
  child.on("error", () => deny("toolvet cannot be started, so nothing may run."))
  child.on("close", (code) => {
    clearTimeout(timer)
    try {
      const reply = JSON.parse(Buffer.concat(out).toString())
      if (reply.decision === "deny" || (code === 0 && ["allow", "ask"].includes(reply.decision))) return resolve(reply)
    } catch {}
    deny("toolvet gave no answer, so nothing may run.")
  })
  child.stdout.on("data", (data) => out.push(data))
  child.stdin.on("error", () => {}).end(JSON.stringify(event))
})

const opencode = ({ directory, worktree }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const { decision, reason } = await judge({ event: "tool.execute.before", tool, args, session: sessionID, call: callID, directory, roots: worktree ? [worktree] : [] })
    if (decision !== "allow") throw new Error(decision === "ask" ? `${reason} ${confirm}` : reason)
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
    const { decision, reason, output } = await judge({ event: "tool.execute.after", tool, args, session: sessionID, call: callID, directory, output: result.output })
    if (decision !== "allow") result.output = reason
    else if (output !== undefined) result.output = output
  },
})

const pi = (api) => {
  api.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const { decision, reason } = await judge({ event: "tool_call", tool: toolName, args: input, call: toolCallId, directory: ctx?.cwd })
    if (decision === "allow" || (decision === "ask" && ctx?.hasUI && (await ctx.ui.confirm("toolvet", reason)))) return
    return { block: true, reason: decision === "ask" ? `${reason} ${confirm}` : reason }
  })
  api.on("tool_result", async ({ toolName, toolCallId, input, content }, ctx) => {
    const { decision, reason, output } = await judge({ event: "tool_result", tool: toolName, args: input, call: toolCallId, directory: ctx?.cwd, output: content })
    if (decision !== "allow") return { content: [{ type: "text", text: reason }], details: {} }
    if (output !== undefined) return { content: output }
  })
}

const openclaw = (api) => {
  api.on("before_tool_call", async ({ toolName, params, toolCallId }, ctx) => {
    const { decision, reason } = await judge({ event: "before_tool_call", tool: toolName, args: params, call: toolCallId, session: ctx?.sessionId, agent: ctx?.agentId })
    if (decision === "ask") return { requireApproval: { title: "toolvet", description: reason, severity: "warning" } }
    if (decision !== "allow") return { block: true, blockReason: reason }
  })
}

// Each host calls the only export with an object of its own.
export default (host) => {
  if (typeof host.on !== "function") return opencode(host)
  if (typeof host.registerHook === "function") openclaw(host)
  else pi(host)
}
