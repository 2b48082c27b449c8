// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// An MCP server whose calls can be validated before they are made.

import { stat } from 'node:fs/promises';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addValidation } from '@toolvet/tool-validation/server';
import { z } from 'zod';

const server = new McpServer({ name: 'my-mcp-server', version: '0.1.0' });

// 1. The tool. Its schema is the first thing that a call is held against.
server.registerTool(
  'schedule_backup',
  {
    description: 'Copies a directory each day.',
    inputSchema: z.strictObject({ path: z.string().min(1), mode: z.enum(['full', 'incremental']) }),
    annotations: { readOnlyHint: false },
  },
  async ({ path, mode }) => ({ content: [{ type: 'text', text: `A ${mode} backup of ${path} is scheduled.` }] }),
);

// 2. The tools "validate" and "validate_batch", and the capability that announces them.
const validation = addValidation(server);

// 3. What the schema cannot say. The check runs in dry runs and before live calls, and changes nothing.
validation.check(
  'schedule_backup',
  async ({ path }: { path: string }) => {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return [];
    return [{ pointer: '/path', message: 'is no directory', suggestion: 'take the path of a directory that exists' }];
  },
  { name: 'directory', level: 'runtime' },
);

await server.connect(new StdioServerTransport());
