// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// usage: node session-v2.mjs legacy|auto|REVISION SERVER-COMMAND... | URL
// A session of a client of the TypeScript SDK 2.x with server-everything, or a server
// with tools of the same names.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { answers, session } from './session.mjs';

const [mode, command, ...args] = process.argv.slice(2);
const pinned = mode !== 'legacy' && mode !== 'auto';
const client = new Client({ name: 'session', version: '2' }, {
  capabilities: { sampling: {}, elicitation: { form: {} } },
  versionNegotiation: { mode: pinned ? { pin: mode } : mode },
});
client.setRequestHandler('sampling/createMessage', () => answers.sampling);
client.setRequestHandler('elicitation/create', () => answers.elicitation);
await client.connect(command.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(command))
  : new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }));

await session({
  knows: ['cancel', 'sampling', 'elicitation'],
  capabilities: () => client.getServerCapabilities(),
  listTools: () => client.listTools(),
  call: (params, options) => client.callTool(params, options),
  ping: () => client.listTools(), // 2026-07-28 has no ping
  close: () => client.close(),
}, client.getNegotiatedProtocolVersion());
