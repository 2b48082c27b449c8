// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0
// Stand-ins for OpenCode, Pi and OpenClaw: they load the plugin as each of them does, make one call, and report it.
import * as module from "./toolvet.mjs"

const args = { command: "ls" }
const report = {}

// OpenCode calls every function that a module exports, each once, and awaits the hooks.
const hooks = []
for (const plugin of new Set(Object.values(module))) hooks.push(await plugin({ directory: "/work/dir", worktree: "/work" }))
const opencode = async () => {
  for (const h of hooks) await h["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args })
  return "ran"
}
report.opencode = await opencode().catch((err) => `blocked: ${err.message}`)
const result = { title: "", output: "secret", metadata: {} }
for (const h of hooks) await h["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args }, result)
report.output = result.output

// Pi calls the default export with its API, and reads what handlers return.
const load = (extra) => {
  const handlers = {}
  const returned = module.default({ on: (name, handler) => (handlers[name] = handler), ...extra })
  if (returned !== undefined) throw new Error("an extension returns nothing")
  return handlers
}
const pi = load({ registerTool() {} })
const call = async (ctx) => {
  const r = await pi.tool_call({ toolName: "bash", toolCallId: "c", input: args }, { cwd: "/work/dir", ...ctx })
  return r?.block ? `blocked: ${r.reason}` : "ran"
}
report.pi = await call({ hasUI: false })
report.piUI = await call({ hasUI: true, ui: { confirm: async () => true } })
const after = await pi.tool_result({ toolName: "bash", toolCallId: "c", input: args, content: [{ type: "text", text: "secret" }] }, { cwd: "/work/dir" })
report.piOutput = Array.isArray(after.content) ? after.content[0].text : after.content

// OpenClaw takes a function that is the default export for "register".
const claw = load({ registerTool() {}, registerHook() {} })
const r = await claw.before_tool_call({ toolName: "bash", params: args, toolCallId: "c" }, { sessionId: "s", agentId: "a" })
report.openclaw = r?.block ? `blocked: ${r.blockReason}` : r?.requireApproval ? `asked: ${r.requireApproval.description}` : "ran"

console.log(JSON.stringify(report))
