// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The messages of the server against the grammar of the protocol, which is elsewhere in the repository. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { addValidation } from '@toolvet/tool-validation';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { connectRaw, kinds, makeServer } from './peers.js';

const grammar = process.env['TOOLVET_GRAMMAR'] ?? fileURLToPath(new URL('../../../../internal/protocol', import.meta.url));

it('follows the grammar', { skip: !existsSync(grammar) }, async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const fits = (name: string, value: unknown) => {
    const schema = JSON.parse(readFileSync(join(grammar, `${name}.schema.json`), 'utf8'));
    assert.ok(ajv.validate(schema, value), `${name}: ${ajv.errorsText()}: ${JSON.stringify(value)}`);
  };
  for (const kind of kinds) {
    const tool = { name: 'backup', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
    const server = makeServer(kind, { tools: [tool], call: () => ({ content: [] }) });
    addValidation(server, { dryRunsPerMinute: 100 }).check('backup', () => [{ message: 'no', severity: 'warning' }], { level: 'security' });
    const { raw, capabilities } = await connectRaw(kind, server);
    fits('capability', capabilities.experimental.toolValidation);
    const { tools } = (await raw.request('tools/list', {})).result;
    fits('validate-tool', tools[1]);
    fits('validate-batch-tool', tools[2]);
    const verdict = async (name: string, args: object) => JSON.parse((await raw.call(name, args)).result.content[0].text);
    for (const args of [{}, { path: 7 }, { pth: 'x' }, 7]) {
      fits('validate-result', await verdict('validate', { tool: 'backup', arguments: args, levels: ['syntax'] }));
      fits('validate-batch-result', await verdict('validate_batch', { calls: [{ tool: 'backup', arguments: args }, args] }));
    }
    const refused = (await raw.call('backup', { path: 7 })).result;
    fits('refused-call', refused);
    fits('validate-result', refused._meta['io.github.toolvet/verdict']);
    fits('refused-call', (await raw.call('validate', {})).result);
  }
});
