// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The fixtures of the conformance kit, over stdio. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Raw } from './peers.js';

const fixture = (name: string) => fileURLToPath(new URL(`../fixture/${name}.js`, import.meta.url));
const info = { name: 'test', version: '1' };

/** Starts a program that reads and writes lines of JSON. */
function start(t: TestContext, ...args: string[]): Raw {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  return new Raw(
    (message) => child.stdin!.write(JSON.stringify(message) + '\n'),
    (take) => createInterface({ input: child.stdout! }).on('line', (line) => take(JSON.parse(line))),
  );
}

describe('the fixture servers', () => {
  for (const name of ['server', 'server2']) {
    it(`${name}.ts on 2025-06-18`, async (t) => {
      const raw = start(t, fixture(name));
      const { result } = await raw.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info });
      assert.equal(result.capabilities.experimental.toolValidation.levels.semantic, true);
      assert.deepEqual(result.capabilities.extensions['io.github.toolvet/tool-validation'], result.capabilities.experimental.toolValidation);
      const { tools } = (await raw.request('tools/list', {})).result;
      assert.deepEqual(tools.map((t: { name: string }) => t.name), ['conformance_write', 'conformance_count', 'validate', 'validate_batch']);
      assert.equal(tools[0].inputSchema.additionalProperties, false);
      const dry = (args: object) => raw.call('validate', { tool: 'conformance_write', arguments: args });
      assert.equal((await dry({ path: 'a', mode: 'full' })).result.structuredContent.valid, true);
      const verdict = (await dry({ path: '/a', mode: 'full', retries: 6 })).result.structuredContent;
      assert.deepEqual([verdict.errors, verdict.warnings], [['/path: must not be absolute'], ['/retries: many retries slow the tool down']]);
      const refused = (await raw.call('conformance_write', { path: '/a', mode: 'full' })).result;
      assert.deepEqual([refused.isError, refused._meta['io.github.toolvet/verdict'].valid], [true, false]);
      assert.equal((await raw.call('conformance_count', {})).result.content[0].text, '0');
      assert.equal((await raw.call('conformance_write', { path: 'a', mode: 'full' })).result.content[0].text, 'written');
      assert.equal((await raw.call('conformance_count')).result.content[0].text, '1');
      assert.equal('resultType' in refused, false);
    });
  }

  it('server2.ts on 2026-07-28', async (t) => {
    const raw = start(t, fixture('server2'));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': info,
    };
    const call = async (name: string, args: object) => (await raw.request('tools/call', { name, arguments: args, _meta })).result;
    const { result } = await raw.request('server/discover', { _meta });
    assert.equal(result.capabilities.experimental.toolValidation.method, 'validate');
    assert.deepEqual(result.capabilities.extensions['io.github.toolvet/tool-validation'], result.capabilities.experimental.toolValidation);
    const dry = await call('validate', { tool: 'conformance_write', arguments: { path: 'a', mode: 'ful' } });
    assert.deepEqual([dry.resultType, dry.isError, dry.structuredContent.valid], ['complete', undefined, false]);
    assert.deepEqual(dry.structuredContent.suggestions, ['/mode: did you mean "full"?']);
    const refused = await call('conformance_write', { path: '/a', mode: 'full' });
    assert.deepEqual([refused.resultType, refused.isError, 'structuredContent' in refused], ['complete', true, false]);
    assert.deepEqual(refused._meta['io.github.toolvet/verdict'].errors, ['/path: must not be absolute']);
    const batch = await call('validate_batch', { calls: [{ tool: 'conformance_count', arguments: {} }] });
    assert.deepEqual([batch.resultType, batch.structuredContent.results.length], ['complete', 1]);
    assert.equal((await raw.request('tools/call', { name: 'nope', arguments: {}, _meta })).error.code, -32602);
    assert.equal((await call('conformance_count', {})).content[0].text, '0');
  });
});

describe('the fixture client', () => {
  for (const sdk of ['1', '2']) {
    it(`on the SDK ${sdk}.x`, async (t) => {
      const raw = start(t, fixture('client'), sdk);
      let id = 0;
      const ask = (request: object) => new Promise<any>((resolve) => { // eslint-disable-line @typescript-eslint/no-explicit-any
        raw.expect(`ask ${++id}`, resolve);
        raw.send({ id: `ask ${id}`, ...request });
      });
      for (const name of ['server', 'server2']) {
        const server = { command: process.execPath, args: [fixture(name)] };
        const good = await ask({ server, validate: { tool: 'conformance_write', arguments: { path: 'a', mode: 'full' } } });
        assert.deepEqual([good.result.valid, good.result.method], [true, 'native']);
        assert.match(good.log[0], /native: go/);
        const bad = await ask({ server, validate: { tool: 'conformance_write', arguments: { path: '/a', mode: 'full' }, levels: ['semantic'] } });
        assert.deepEqual(bad.result.errors, ['/path: must not be absolute']);
        assert.equal((await ask({ server, hasCapability: 'toolValidation.levels.syntax' })).result, true);
        const batch = await ask({ server, batch: { calls: [{ tool: 'conformance_count' }, { tool: 'nope' }] } });
        assert.deepEqual(batch.result.results.map((r: { valid: boolean }) => r.valid), [true, false]);
      }
      assert.match((await ask({ server: { command: 'toolvet-no-such-program' }, hasCapability: 'tools' })).error, /ENOENT/);
    });
  }
});
