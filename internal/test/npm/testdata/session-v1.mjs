// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// usage: node session-v1.mjs PACKAGE SERVER-COMMAND... | URL
// A session of a client of the TypeScript SDK 0.4 to 1.x with server-everything.

import { answers, session } from './session.mjs';

const [sdk, command, ...args] = process.argv.slice(2);
const { Client } = await import(`${sdk}/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
const transport = async () => {
  if (!command.startsWith('http')) return new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
  const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
  return new StreamableHTTPClientTransport(new URL(command));
};
const types = await import(`${sdk}/types.js`);

// The first releases had neither capabilities of the client nor options of a request.
const first = /-0\./.test(sdk);
const capabilities = {};
const knows = [];
if (!first) {
  capabilities.sampling = {};
  knows.push('cancel', 'sampling');
}
if (types.ElicitRequestSchema) {
  capabilities.elicitation = {};
  knows.push('elicitation');
}

const client = new Client({ name: 'session', version: '1' }, { capabilities });
if (capabilities.sampling) client.setRequestHandler(types.CreateMessageRequestSchema, () => answers.sampling);
if (capabilities.elicitation) client.setRequestHandler(types.ElicitRequestSchema, () => answers.elicitation);
await client.connect(await transport());

await session({
  knows,
  capabilities: () => client.getServerCapabilities(),
  listTools: () => client.listTools(),
  call: (params, options) => client.callTool(params, types.CallToolResultSchema, first ? options?.onprogress : options),
  ping: () => client.ping(),
  close: () => client.close(),
}, types.LATEST_PROTOCOL_VERSION);
