// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { addValidation, type Check, type CheckOptions, type ValidationOptions } from '@toolvet/tool-validation';

import { connectRaw, type Definition, type Kind, kinds, makeEmpty, makeServer } from './peers.js';

const verdictKey = 'io.github.toolvet/verdict';
const extension = 'io.github.toolvet/tool-validation';

const backup: Definition = {
  name: 'backup',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      mode: { enum: ['full', 'incremental'] },
      retries: { type: 'integer', minimum: 0, maximum: 9 },
    },
    required: ['path', 'mode'],
    additionalProperties: false,
  },
};
const good = { path: 'reports', mode: 'full' };
const empty = (name: string): Definition => ({ name, inputSchema: { type: 'object' } });

interface Setup {
  tools?: Definition[];
  page?: number;
  checks?: [Check, CheckOptions?][];
  options?: ValidationOptions;
  revision?: string;
  capabilities?: Record<string, unknown>;
}

async function session(kind: Kind, setup: Setup = {}) {
  const runs: { name: string; arguments?: unknown }[] = [];
  const parts = {
    tools: setup.tools ?? [backup],
    ...(setup.page === undefined ? {} : { page: setup.page }),
    ...(setup.capabilities === undefined ? {} : { capabilities: setup.capabilities }),
    call: (params: { name: string; arguments?: unknown }) => {
      runs.push(params);
      return { content: [{ type: 'text', text: 'done' }] };
    },
  };
  const server = makeServer(kind, parts);
  const validation = addValidation(server, setup.options);
  for (const [check, options] of setup.checks ?? []) validation.check('backup', check, options);
  const { raw, capabilities } = await connectRaw(kind, server, setup.revision);
  const dry = async (tool: string, args: unknown, more: object = {}) =>
    body(await raw.call(capabilities.experimental.toolValidation.method, { tool, arguments: args, ...more }));
  return { raw, capabilities, runs, dry, parts, server };
}

/** The verdict of an answer, by its text, which every revision has. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function body(answer: any): any {
  assert.notEqual(answer.result?.isError, true, JSON.stringify(answer));
  return JSON.parse(answer.result.content[0].text);
}

/** Asserts that a call was refused by section 6, and returns the verdict. */
function refused(answer: { result?: any }) { // eslint-disable-line @typescript-eslint/no-explicit-any
  assert.equal(answer.result?.isError, true, JSON.stringify(answer));
  assert.equal('structuredContent' in answer.result, false);
  assert.match(answer.result.content[0].text, /was refused before it ran:\n- error: .*\n[^]*Nothing was executed/);
  assert.equal(answer.result._meta[verdictKey].valid, false);
  return answer.result._meta[verdictKey];
}

for (const kind of kinds) {
  describe(`the server on the ${kind}`, () => {
    it('announces nothing that it cannot serve, and survives a list that fails', async () => {
      const fallback = makeEmpty(kind);
      fallback.fallbackRequestHandler = async () => ({ content: [] });
      addValidation(fallback);
      assert.equal((await connectRaw(kind, fallback)).capabilities.experimental, undefined);

      const tools: Definition[] = [];
      Object.defineProperty(tools, 'slice', { value: () => { throw new Error('login first'); } });
      const { capabilities, raw, runs } = await session(kind, { tools });
      assert.equal(capabilities.experimental.toolValidation.method, 'validate');
      assert.ok((await raw.call('backup', good)).error, 'a call that nobody could judge');
      assert.equal(runs.length, 0);
    });

    it('announces the same capability in two places and keeps what is there', async () => {
      const { capabilities } = await session(kind, {
        capabilities: { experimental: { other: { x: 1 } } },
        checks: [[() => [], { level: 'runtime' }]],
      });
      assert.deepEqual(capabilities.experimental.toolValidation, {
        supported: true, method: 'validate', version: '1.0', async: false, streaming: false, contextAware: false, cacheable: false,
        levels: { syntax: true, semantic: false, runtime: true, security: false, rehearsal: false },
        batchValidation: true, maxBatchSize: 100, caching: { enabled: false },
      });
      assert.deepEqual(capabilities.extensions[extension], capabilities.experimental.toolValidation);
      assert.deepEqual(capabilities.experimental.other, { x: 1 });
    });

    it('lists its tools once, and last, on the last page', async () => {
      const { raw } = await session(kind, { tools: [empty('a'), empty('b'), empty('c')], page: 2 });
      const first = (await raw.request('tools/list', {})).result;
      assert.deepEqual(first.tools.map((t: Definition) => t.name), ['a', 'b']);
      const last = (await raw.request('tools/list', { cursor: first.nextCursor })).result;
      assert.deepEqual(last.tools.map((t: Definition) => t.name), ['c', 'validate', 'validate_batch']);
      assert.equal(last.tools[1].annotations.readOnlyHint, true);
      assert.equal(last.tools[2].inputSchema.properties.calls.maxItems, 100);
    });

    it('takes another name beside a tool of its name or of its batch tool', async () => {
      for (const name of ['validate', 'validate_batch']) {
        const { raw, capabilities, runs } = await session(kind, { tools: [backup, empty(name)] });
        assert.equal(capabilities.experimental.toolValidation.method, 'toolvet_validate');
        const names = (await raw.request('tools/list', {})).result.tools.map((t: Definition) => t.name);
        assert.deepEqual(names, ['backup', name, 'toolvet_validate', 'toolvet_validate_batch']);
        await raw.call(name, { tool: 'backup' });
        assert.equal(runs.length, 1, 'the tool of the server is the server’s');
      }
    });

    it('answers dry runs of its announced name, although the server has a tool of that name later', async () => {
      const { raw, runs, parts } = await session(kind);
      parts.tools.push(empty('validate'));
      refused(await raw.call('validate', { Tool: 'backup', ARGUMENTS: {} }));
      assert.equal(body(await raw.call('validate', { tool: 'backup', arguments: good })).valid, true);
      assert.equal(runs.length, 0);
      assert.equal((await raw.call('validate', { other: 1 })).result.content[0].text, 'done');
      assert.equal(runs.length, 1);
      const names = (await raw.request('tools/list', {})).result.tools.map((t: Definition) => t.name);
      assert.deepEqual(names, ['backup', 'validate', 'validate_batch']);
      parts.tools.pop();
    });

    it('judges dry runs without running the target', async () => {
      const { raw, runs } = await session(kind);
      const answer = await raw.call('validate', { tool: 'backup', arguments: good });
      const older = kind === 'sdk 1.12'; // which speaks 2025-03-26 at most
      assert.deepEqual(answer.result.structuredContent, older ? undefined : body(answer));
      assert.deepEqual(body(answer), {
        valid: true, errors: [], warnings: [], suggestions: [], tool: 'backup', method: 'server', version: '1.0',
        findings: [], levels: ['syntax'], skipped: [],
      });
      assert.deepEqual(runs, []);
    });

    it('tells what is wrong and how to mend it, without values', async () => {
      const { dry } = await session(kind);
      const verdict = await dry('backup', { pth: 'secret-path', mode: 'ful', retries: 12 });
      assert.deepEqual(verdict.errors, [
        '/path: required property is missing; expected string',
        '/mode: expected one of "full", "incremental"',
        '/retries: expected 9 or less',
        '/pth: property is not allowed; allowed: "path", "mode" and "retries"',
      ]);
      assert.deepEqual(verdict.suggestions, ['/path, /pth: rename "pth" to "path"', '/mode: did you mean "full"?']);
      assert.equal(verdict.findings.find((f: { pointer: string }) => f.pointer === '/mode').value, 'full');
      assert.doesNotMatch(JSON.stringify(verdict), /secret-path/);
    });

    it('warns of properties that an open schema does not declare', async () => {
      const tools = [{ name: 'backup', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];
      const { dry } = await session(kind, { tools });
      const verdict = await dry('backup', { pth: 'x' });
      assert.equal(verdict.valid, true);
      assert.deepEqual(verdict.warnings, ['/pth: the tool does not declare this property, and may ignore it']);
      assert.deepEqual(verdict.suggestions, ['/pth: rename "pth" to "path"']);
    });

    it('refuses live calls by the same checks, and lets the others through', async () => {
      const check: Check = (args) => (args.path === 'bad' ? [{ pointer: '/path', message: 'is bad', suggestion: 'take a good one' }] : []);
      const { raw, runs, dry } = await session(kind, { checks: [[check]] });
      const verdict = refused(await raw.call('backup', { path: 'bad', mode: 'full' }));
      assert.deepEqual(verdict.errors, ['/path: is bad']);
      assert.deepEqual(verdict.suggestions, ['/path: take a good one']);
      assert.deepEqual(await dry('backup', { path: 'bad', mode: 'full' }), verdict);
      assert.deepEqual(refused(await raw.call('backup', {})).errors.length, 2);
      assert.deepEqual(runs, []);
      assert.equal((await raw.call('backup', good)).result.content[0].text, 'done');
      assert.deepEqual((runs as { arguments?: unknown }[]).map((r) => r.arguments), [good]);
    });

    it('keeps the levels apart', async () => {
      const checks: [Check, CheckOptions][] = [
        [() => [{ message: 'of meaning' }], { name: 'meaning', level: 'semantic' }],
        [() => [{ message: 'of state', severity: 'warning' }], { name: 'state', level: 'runtime' }],
      ];
      const { raw, dry } = await session(kind, { checks });
      const all = await dry('backup', good);
      assert.deepEqual([all.errors, all.warnings, all.levels], [['of meaning'], ['of state'], ['syntax', 'semantic', 'runtime']]);
      const some = await dry('backup', good, { levels: ['runtime', 'security'] });
      assert.equal(some.valid, true);
      assert.deepEqual(some.levels, ['syntax', 'runtime']);
      assert.deepEqual(some.skipped.map((s: { check: string; level: string }) => [s.check, s.level]), [['meaning', 'semantic']]);
      assert.match(some.warnings[1], /"valid" does not speak for checks of the levels semantic/);
      assert.equal((await dry('backup', {}, { levels: ['security'] })).valid, false, 'the shape is always looked at');
      for (const levels of [[], ['rehearsal'], ['syntax', 'syntax'], 'syntax', null]) {
        refused(await raw.call('validate', { tool: 'backup', arguments: good, levels }));
      }
    });

    it('answers as section 7 says', async () => {
      const { raw, dry, runs } = await session(kind, { tools: [backup, { name: 'odd', inputSchema: { type: 'object', unevaluatedProperties: false } }] });
      assert.deepEqual((await dry('bakup', {})).errors, ['the server lists no tool of this name']);
      assert.deepEqual((await dry('bakup', {})).suggestions, ['did you mean the tool backup?']);
      assert.equal((await raw.call('bakup', {})).error.code, -32602);
      assert.match((await dry('odd', {})).errors[0], /cannot be judged.*unevaluatedProperties/);
      assert.match(refused(await raw.call('odd', {})).errors[0], /cannot be judged/);
      for (const args of [[], 'text', 7, null, true]) {
        assert.deepEqual((await dry('backup', args)).errors, ['the arguments must be an object'], JSON.stringify(args));
        assert.equal((await raw.call('backup', args)).error.code, -32602, JSON.stringify(args));
      }
      for (const request of [{}, { arguments: {} }, { tool: 7, arguments: {} }, { tool: '', arguments: {} }, { tool: 'backup', arguments: {}, more: 1 }, { tool: 'backup', TOOL: 'x' }]) {
        assert.equal(refused(await raw.call('validate', request)).tool, 'validate', JSON.stringify(request));
      }
      assert.equal(body(await raw.call('validate', { tool: 'backup' })).valid, false, 'missing arguments are {}');
      for (const request of [{}, { calls: [] }, { calls: {} }, { calls: Array(101).fill({ tool: 'backup' }) }, { calls: [{ tool: 'backup' }], more: 1 }]) {
        assert.equal(refused(await raw.call('validate_batch', request)).tool, 'validate_batch');
      }
      assert.equal((await raw.request('tools/call', { arguments: {} })).error.code, -32602);
      assert.equal((await raw.request('tools/call', { name: 7 })).error.code, -32602);
      assert.equal((await raw.request('tools/call')).error.code, -32602);
      assert.equal((await raw.request('no/such')).error.code, -32601);
      assert.deepEqual(runs, []);
    });

    it('judges dry runs of its own tools without running them', async () => {
      const { dry } = await session(kind, { options: { dryRunsPerMinute: 3 } });
      assert.equal((await dry('validate', { tool: 'backup', arguments: {} })).valid, true);
      assert.deepEqual((await dry('validate', { tool: 'backup', arguments: [], x: 1 })).errors,
        ['/x: property is not allowed; allowed: "tool", "arguments" and "levels"', '/arguments: expected object']);
      const verdict = await dry('validate_batch', { calls: [] });
      assert.deepEqual([verdict.valid, verdict.limits[0].remaining], [false, 0]);
    });

    it('judges batches entry by entry', async () => {
      const { raw } = await session(kind);
      const calls = [{ tool: 'backup', arguments: good }, { tool: 'backup', arguments: { path: '' } }, 7, { arguments: {} }, { tool: 'backup', arguments: 'x' }, { tool: 'nope' }];
      const answer = await raw.call('validate_batch', { calls });
      const verdict = body(answer);
      assert.deepEqual(answer.result.structuredContent, kind === 'sdk 1.12' ? undefined : verdict);
      assert.deepEqual(verdict.results.map((r: { valid: boolean }) => r.valid), [true, false, false, false, false, false]);
      assert.equal(verdict.valid, false);
      assert.deepEqual(verdict.errors, [
        'calls/1: /mode: required property is missing', 'calls/1: /path: expected at least 1 characters', 'calls/2: expected an object',
        'calls/3: /tool: required property is missing; expected string', 'calls/4: the arguments must be an object', 'calls/5: the server lists no tool of this name',
      ]);
    });

    it('limits dry runs if it is told to', async () => {
      const { raw } = await session(kind, { options: { dryRunsPerMinute: 2, maxBatchSize: 3 } });
      const entry = { tool: 'backup', arguments: good };
      const { results } = body(await raw.call('validate_batch', { calls: [entry, entry, entry] }));
      assert.deepEqual(results.map((r: { valid: boolean }) => r.valid), [true, true, false]);
      const verdict = refused(await raw.call('validate', entry));
      assert.equal(verdict.findings[0].code, 'RATE_LIMIT');
      assert.ok(verdict.limits[0].retryAfterMs > 0);
      assert.equal((await raw.call('backup', good)).result.isError, undefined, 'live calls are apart');
    });

    it('has no structuredContent before 2025-06-18', async () => {
      const { raw } = await session(kind, { revision: '2024-11-05' });
      const { result } = await raw.call('validate', { tool: 'backup', arguments: good });
      assert.equal('structuredContent' in result, false);
      assert.equal('resultType' in result, false);
      assert.equal(JSON.parse(result.content[0].text).valid, true);
    });
  });

  describe(`hostile calls on the ${kind}`, () => {
    it('refuses names that readers take differently', async () => {
      const { dry, raw, runs } = await session(kind, { tools: [empty('backup')] });
      const polluted = JSON.parse('{"a":{"__proto__":{"polluted":true}}}');
      assert.match((await dry('backup', polluted)).errors[0], /^\/a\/__proto__: a property of this name/);
      refused(await raw.call('backup', polluted));
      refused(await raw.call('backup', { 'a\0b': 1 }));
      assert.equal((await dry('backup', { ['x\ud800']: 1 })).valid, false);
      assert.equal((await dry('__proto__', {})).valid, false);
      assert.equal((await dry('constructor', {})).valid, false);
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
      assert.deepEqual(runs, []);
    });

    it('bounds depth, size and names', async () => {
      const { dry, raw, runs } = await session(kind);
      const deep = JSON.parse('{"path":' + '['.repeat(10_000) + ']'.repeat(10_000) + '}');
      assert.match((await dry('backup', deep)).errors[0], /nested deeper than 256/);
      refused(await raw.call('backup', deep));
      const huge = 'x'.repeat(17 << 20);
      const verdict = await dry('backup', { path: huge, mode: 'full' });
      assert.match(verdict.errors[0], /too large/);
      const named = await dry('backup', { ...good, ['n'.repeat(1 << 20)]: 1 });
      assert.ok(JSON.stringify(named).length < 2000);
      assert.match((await dry('backup', { ...good, 'a\u202eb': 1 })).errors[0], /^\/a\?b: /);
      assert.equal((await dry('b'.repeat(1 << 20), {})).tool.length <= 128, true);
      assert.deepEqual(runs, []);
    });

    it('bounds its work', async () => {
      const wide = { anyOf: [{ enum: ['a'] }, { enum: ['b'] }], type: 'string' };
      const tools = [
        { name: 'backup', inputSchema: { ...backup.inputSchema, properties: { ...(backup.inputSchema['properties'] as object), list: { type: 'array', uniqueItems: true } } } },
        { name: 'loop', inputSchema: { type: 'object', properties: { a: { $ref: '#/properties/a' } } } },
        { name: 'wide', inputSchema: { type: 'object', additionalProperties: { type: 'array', items: wide } } },
      ];
      const { dry } = await session(kind, { tools, checks: [[() => [{ message: 'told' }]]] });
      const start = Date.now();
      const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`pth${i}`, 'path' + i]));
      assert.equal((await dry('backup', many)).errors.length, 101);
      assert.equal((await dry('backup', { ...good, list: Array.from({ length: 150_000 }, (_, i) => 'item' + i) })).errors.at(-1), 'told');
      assert.match((await dry('loop', { a: 1 })).errors[0], /cannot be judged/);
      assert.match((await dry('wide', { a: Array(150_000).fill('c') })).errors[0], /too much work/);
      assert.ok(Date.now() - start < 20_000, `${Date.now() - start} ms`);
    });

    it('outlives checks that throw, hang, answer rubbish or change the arguments', async () => {
      const told: unknown[] = [];
      const cases: [Check, RegExp][] = [
        [() => { throw new Error('secret'); }, /^the check broke/],
        [async () => { throw null; }, /^the check broke/],
        [() => new Promise(() => {}), /did not finish within 50 ms/],
        [(() => 'no') as never, /cannot be read/],
        [(() => [{ pointer: 'path', message: 'x' }]) as never, /cannot be read/],
        [(() => [{ message: 'x', severity: 'fatal' }]) as never, /cannot be read/],
      ];
      for (const [check, expected] of cases) {
        const { dry, raw, runs } = await session(kind, { checks: [[check, { timeoutMs: 50 }]], options: { onBroken: (...all) => told.push(all) } });
        const verdict = await dry('backup', good);
        assert.match(verdict.errors[0], expected);
        assert.equal(verdict.errors.length, 1);
        assert.doesNotMatch(JSON.stringify(verdict), /secret/);
        refused(await raw.call('backup', good));
        assert.deepEqual(runs, []);
      }
      assert.equal(told.length, 4);
      const { raw, runs } = await session(kind, { checks: [[(args) => { args.path = '/etc'; }]] });
      await raw.call('backup', good);
      assert.deepEqual(runs[0]!.arguments, good);
    });

    it('runs checks even if the schema does not fit, and forgives them that they break then', async () => {
      const checks: [Check, CheckOptions][] = [
        [(args) => args.path.trim() && [], { name: 'sure' }],
        [(_, { tool, live, signal }) => [{ message: `${tool} ${live} ${signal.aborted}` }], { name: 'other' }],
      ];
      const { dry } = await session(kind, { checks });
      const verdict = await dry('backup', { mode: 'full' });
      assert.deepEqual(verdict.errors, ['/path: required property is missing; expected string', 'backup false false']);
      assert.equal(verdict.skipped[0].check, 'sure');
    });

    it('keeps values out of the messages of checks', async () => {
      const check: Check = (args) => [{ pointer: '/path', message: `${args.path} is not ${args.mode}\nenough` }];
      const { dry } = await session(kind, { checks: [[check]] });
      assert.deepEqual((await dry('backup', { path: 'my secret path', mode: 'full' })).errors, ['/path: … is not full enough']);
    });
  });
}

describe('addValidation', () => {
  it('takes servers of the SDK only, and each once', () => {
    assert.throws(() => addValidation({}), /takes an McpServer/);
    const server = makeServer('sdk 1.32', { tools: [], call: () => ({}) });
    addValidation(server);
    assert.throws(() => addValidation(server), /already/);
    assert.throws(() => addValidation(makeServer('sdk 2.4', { tools: [], call: () => ({}) })).check('x', () => [], { level: 'deep' as never }), /levels/);
  });

  it('lets the SDK judge formats, where it can', async () => {
    const tools = [{ name: 'backup', inputSchema: { type: 'object', properties: { day: { type: 'string', format: 'date' } } } }];
    for (const kind of ['sdk 1.32', 'sdk 2.4'] as const) {
      const { dry } = await session(kind, { tools });
      assert.equal((await dry('backup', { day: '2026-11-29' })).valid, true);
      assert.deepEqual((await dry('backup', { day: 'tomorrow' })).errors, ['/day: expected the format "date"'], kind);
    }
  });
});
