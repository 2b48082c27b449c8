// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// usage: node recorder.mjs sdk|lenient FILE
// A server that appends every call that it runs to FILE, as {"name", "arguments"}.
//
// With sdk it is a server of the TypeScript SDK. With lenient it runs whatever it can
// make a call of: it takes a carriage return for the end of a line, batches in any
// revision, calls without an id, names that are no strings. The argument wait makes it
// answer after so many milliseconds.

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode, file] = process.argv.slice(2);

const tools = [
  { name: 'open', inputSchema: { type: 'object' } },
  { name: 'strict', inputSchema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false } },
  // No call of this one is ever let through: nobody knows the word.
  { name: 'danger', inputSchema: { type: 'object', properties: { word: { const: process.pid } }, required: ['word'] } },
];

function run(params) {
  appendFileSync(file, JSON.stringify({ name: `${params?.name}`, arguments: params?.arguments }) + '\n');
  return { content: [{ type: 'text', text: 'ran' }] };
}

const info = { name: 'recorder', version: '1' };
const capabilities = { tools: {} };

if (mode === 'sdk') {
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const server = new Server(info, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, (request) => run(request.params));
  await server.connect(new StdioServerTransport());
} else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line.trim().replace(/^\uFEFF/, ''));
    } catch {
      return;
    }
    for (const m of Array.isArray(message) ? message : [message]) {
      try {
        handle(m);
      } catch {
        // An object that is no name, say.
      }
    }
  });
}

function handle(m) {
  const answer = (result) => {
    if (m.id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\n');
  };
  switch (m?.method) {
    case 'initialize':
      return answer({ protocolVersion: m.params.protocolVersion, capabilities, serverInfo: info });
    case 'tools/list':
      return answer({ tools });
    case 'tools/call':
      return setTimeout(answer, m.params?.arguments?.wait ?? 0, run(m.params));
    default:
      return answer({});
  }
}
