// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';

import { addValidation, announced, hasCapability, validate, validateBatch, type ValidateOptions } from '@toolvet/tool-validation';

import { connectClient, connectFake, type Fake, kinds, makeServer } from './peers.js';

const extension = 'io.github.toolvet/tool-validation';
const target = { name: 'backup', inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } };
const args = { path: 'reports' };
const dryRun = {
  name: 'dry_run',
  inputSchema: {
    type: 'object', properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
    required: ['tool', 'arguments'], additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};
const announce = (capability: object) => ({ experimental: { toolValidation: capability } });
const announcing = announce({ supported: true, method: 'dry_run', version: '1.0' });
const go = { valid: true, errors: [], warnings: [], suggestions: [] };
const structured = (value: unknown, more: object = {}) => ({ content: [{ type: 'text', text: 'see structuredContent' }], structuredContent: value, ...more });

describe('detection', () => {
  const cases: [string, unknown, string | undefined][] = [
    ['nothing', undefined, undefined],
    ['no capabilities', {}, undefined],
    ['an object', announce({ supported: true, method: 'dry_run', version: '1.0' }), 'dry_run'],
    ['absent method', announce({ supported: true, version: '1.0' }), 'validate'],
    ['absent version', announce({ supported: true, method: 'x' }), 'x'],
    ['a later minor version', announce({ supported: true, version: '1.27' }), 'validate'],
    ['another major version', announce({ supported: true, version: '2.0' }), undefined],
    ['a version that only begins alike', announce({ supported: true, version: '10.0' }), undefined],
    ['a version that is a number', announce({ supported: true, version: 1 }), undefined],
    ['a version that is null', announce({ supported: true, version: null }), undefined],
    ['not supported', announce({ supported: false, version: '1.0' }), undefined],
    ['supported is a text', announce({ supported: 'true', version: '1.0' }), undefined],
    ['an empty method', announce({ supported: true, method: '' }), undefined],
    ['a method that is none', announce({ supported: true, method: null }), undefined],
    ['true', { experimental: { toolValidation: true } }, undefined],
    ['a list', { experimental: { toolValidation: [{ supported: true }] } }, undefined],
    ['another case', { experimental: { toolvalidation: { supported: true } } }, undefined],
    ['a member in another case', announce({ Supported: true }), undefined],
    ['inherited', { experimental: Object.create({ toolValidation: { supported: true } }) }, undefined],
    ['a key of its own', { toolValidation: { supported: true } }, undefined],
    ['an extension', { extensions: { [extension]: { supported: true, method: 'e' } } }, 'e'],
    ['both: experimental first', { ...announce({ supported: true, method: 'a' }), extensions: { [extension]: { supported: true, method: 'b' } } }, 'a'],
    ['both: the first that announces', { ...announce({ supported: true, version: '2.0' }), extensions: { [extension]: { supported: true, method: 'b' } } }, 'b'],
    ['unknown members', announce({ supported: true, method: 'a', future: { x: 1 } }), 'a'],
    ['a new extension of version 2', { extensions: { [`${extension}-v2`]: { supported: true } } }, undefined],
  ];
  for (const [name, capabilities, method] of cases) {
    it(name, () => assert.equal(announced(capabilities)?.method, method));
  }

  it('by hasCapability', () => {
    const capabilities = {
      tools: { listChanged: true }, prompts: {}, logging: null, n: 0, one: 1, list: [], text: 'x', 'a.b': { c: true }, a: { b: { d: true } },
      experimental: { toolValidation: { supported: true, version: '2.0', levels: { syntax: false } } },
      extensions: { [extension]: { supported: true, levels: { syntax: true, runtime: false }, maxBatchSize: 100 } },
    };
    const expected: Record<string, boolean> = {
      tools: true, 'tools.listChanged': true, 'tools.nothing': false, 'tools.listChanged.deeper': false, prompts: true, logging: false,
      resources: false, n: false, one: true, list: false, text: true, '': false, constructor: false, 'a.b.c': true, 'a.b.d': false,
      toolValidation: true, 'toolValidation.supported': true, 'toolValidation.levels.syntax': true, 'toolValidation.levels.runtime': false,
      'toolValidation.maxBatchSize': true, 'toolValidation.method': true, 'toolValidation.async': false, 'toolValidation.levels.__proto__': false,
      'experimental.toolValidation.levels.syntax': false, [`extensions.${extension}.supported`]: true,
    };
    for (const [path, has] of Object.entries(expected)) assert.equal(hasCapability(capabilities, path), has, path);
    assert.equal(hasCapability(undefined, 'toolValidation'), false);
    assert.equal(hasCapability(announce({ supported: false }), 'toolValidation.supported'), false);
  });
});

describe('a runtime without a bound for regular expressions', () => {
  it('makes calls of tools with a pattern no-goes, and judges others', () => {
    const script = `
      process.getBuiltinModule = undefined;
      const { validate } = await import('@toolvet/tool-validation');
      for (const rule of [{ pattern: '^a' }, {}]) {
        const tools = [{ name: 't', inputSchema: { type: 'object', properties: { p: { type: 'string', ...rule } } } }];
        const client = { getServerCapabilities: () => ({}), request: async () => ({ tools }) };
        console.log((await validate(client, 't', { p: 'abc' })).valid);
      }`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }), 'false\ntrue\n');
  });
});

describe('the client on 2026-07-28', () => {
  it('uses complete results only', async () => {
    for (const [resultType, method] of [['complete', 'native'], ['task', 'schema-only'], ['input_required', 'schema-only'], ['other', 'schema-only'], [undefined, 'schema-only']]) {
      const call = () => structured(go, { resultType });
      const client = await connectFake('sdk 2.4', { tools: [target, dryRun], capabilities: announcing, call }, '2026-07-28');
      const verdict = await validate(client, 'backup', args, { timeoutMs: 500 });
      assert.deepEqual([verdict.valid, verdict.method], [true, method], `${resultType}: ${JSON.stringify(verdict)}`);
      await client.close();
    }
  });
});

for (const kind of kinds) {
  const ask = async (fake: Fake, options: ValidateOptions = {}, params: unknown = args) => {
    const log: string[] = [];
    const calls: { name: string; arguments?: unknown }[] = [];
    const call: Fake['call'] = (p) => { calls.push(p); return fake.call?.(p); };
    const client = await connectFake(kind, { tools: [target, dryRun], capabilities: announcing, ...fake, call });
    const verdict = await validate(client, 'backup', params, { timeoutMs: 200, log: (line) => log.push(line), ...options });
    await client.close();
    return { verdict, log: log.join('\n'), calls };
  };

  describe(`the client on the ${kind}`, () => {
    it('prefers the server’s own validation', async () => {
      const { verdict, log, calls } = await ask({ call: () => structured({ ...go, warnings: ['/path: old'], suggestions: ['clean up'] }) });
      assert.deepEqual([verdict.valid, verdict.method, verdict.warnings, verdict.suggestions], [true, 'native', ['/path: old'], ['clean up']]);
      assert.deepEqual(verdict.skipped, []);
      assert.deepEqual(calls.map((c) => [c.name, c.arguments]), [['dry_run', { tool: 'backup', arguments: args }]]);
      assert.match(log, /native: go/);
    });

    it('takes a no-go in any wrapping', async () => {
      for (const result of [
        structured({ valid: false, errors: ['no'], warnings: [], suggestions: [] }),
        structured({ valid: false, errors: 7 }),
        structured({ valid: false }, { isError: true }),
        structured({ ...go, errors: ['but'] }), structured({ valid: true, errors: [7] }, { isError: true }),
        { content: [{ type: 'text', text: '{"valid":false,"errors":["no"]}' }] },
      ]) {
        const { verdict } = await ask({ call: () => result });
        assert.equal(verdict.valid, false, JSON.stringify(result));
        assert.equal(verdict.method, 'native');
        assert.ok(verdict.errors.length > 0);
      }
    });

    it('does not use other answers, and says so', async () => {
      for (const result of [
        structured(go, { isError: true }), structured({ valid: true, errors: [], warnings: [] }), structured({ ...go, warnings: [7] }),
        structured({ ...go, valid: 'true' }),
        // On older revisions, the SDK 2.x drops the resultType before this package can see it.
        ...(kind === 'sdk 2.4' ? [] : [structured(go, { resultType: 'task' }), structured(go, { resultType: 'input_required' })]),
        structured([go]), { content: [] }, { content: [{ type: 'text', text: 'valid' }] }, {}, 7, new Error(), undefined,
        ...['"valid":false,"valid":true,"errors":[]', '"v\\u0061lid" :false,"valid":true,"errors":[]', '"valid":true,"errors":["no"],"errors":[]',
          '"valid":true,"errors":[],"x":[{"a":1,"a":2}]'].map((text) => ({ content: [{ type: 'text', text: `{${text},"warnings":[],"suggestions":[]}` }] })),
      ]) {
        const { verdict, log } = await ask({ call: () => result });
        const what = `${JSON.stringify(result)}: ${JSON.stringify(verdict)}`;
        assert.deepEqual([verdict.valid, verdict.method], [true, 'schema-only'], what);
        assert.match(verdict.warnings[0] ?? '', /^the server's own validation could not be used/, what);
        assert.deepEqual(verdict.skipped!.map((s) => s.check), ['native'], what);
        assert.match(log, /falls back from native to schema-only/, what);
      }
    });

    it('reads the text of older servers', async () => {
      const { verdict } = await ask({ call: () => ({ content: [{ type: 'text', text: JSON.stringify(go) }] }) });
      assert.deepEqual([verdict.valid, verdict.method], [true, 'native']);
    });

    it('judges by the schema alone if the server announces nothing', async () => {
      for (const capabilities of [{}, announce({ supported: false }), announce({ supported: true, version: '2.0' }), announce({ supported: true, method: 'missing' })]) {
        const { verdict, log, calls } = await ask({ capabilities, call: () => structured(go) });
        assert.deepEqual([verdict.valid, verdict.method, verdict.warnings], [true, 'schema-only', []]);
        assert.deepEqual(calls, []);
        assert.match(log, /falls back to schema-only/);
      }
      const { log } = await ask({ capabilities: announce({ supported: true, method: 'missing' }) });
      assert.match(log, /does not list/);
    });

    it('does not ask about calls that do not fit the schema', async () => {
      for (const params of [{}, { path: 7 }, [], 'x', null, JSON.parse('{"path":"x","__proto__":1}')]) {
        const { verdict, calls } = await ask({ call: () => structured(go) }, {}, params);
        assert.deepEqual([verdict.valid, verdict.method, calls], [false, 'schema-only', []], JSON.stringify(params));
      }
      const { verdict } = await ask({ tools: [dryRun] });
      assert.deepEqual(verdict.errors, ['the server lists no tool of this name']);
    });

    it('does not call tools that are defined otherwise', async () => {
      const schema = dryRun.inputSchema;
      for (const tool of [
        { ...dryRun, annotations: undefined }, { ...dryRun, annotations: { readOnlyHint: false } },
        { ...dryRun, annotations: { readOnlyHint: true, destructiveHint: true } }, { ...dryRun, inputSchema: { type: 'object' } },
        { ...dryRun, inputSchema: { ...schema, additionalProperties: true } }, { ...dryRun, inputSchema: { ...schema, required: ['tool'] } },
        { ...dryRun, inputSchema: { ...schema, properties: { ...schema.properties, run: { type: 'boolean' } } } },
        { ...dryRun, outputSchema: { type: 'object', properties: { done: {} } } },
      ]) {
        const { verdict, calls } = await ask({ tools: [target, tool], call: () => structured(go) });
        assert.deepEqual([verdict.method, calls], ['schema-only', []], JSON.stringify(tool));
        assert.equal(verdict.skipped!.length, 1);
      }
      const { annotations: _, ...bare } = dryRun;
      const { additionalProperties: __, ...open } = schema;
      const plain = { ...bare, name: 'validate', inputSchema: open };
      const { verdict } = await ask({ tools: [target, plain], capabilities: announce({ supported: true }), call: () => structured(go) });
      assert.equal(verdict.method, 'native', 'the definition of the first documents');
    });

    it('sends levels only where the tool has them', async () => {
      const { calls } = await ask({ call: () => structured(go) }, { levels: ['syntax'] });
      assert.deepEqual(calls[0]!.arguments, { tool: 'backup', arguments: args });
      const levels = { ...dryRun, inputSchema: { ...dryRun.inputSchema, properties: { ...dryRun.inputSchema.properties, levels: { type: 'array' } } } };
      const modern = await ask({ tools: [target, levels], call: () => structured(go) }, { levels: ['syntax'] });
      assert.deepEqual(modern.calls[0]!.arguments, { tool: 'backup', arguments: args, levels: ['syntax'] });
    });

    it('combines both with a policy', async () => {
      const strict: ValidateOptions = { policy: () => [{ pointer: '/path', message: 'not by us' }] };
      const loose: ValidateOptions = { policy: () => [] };
      const no = () => structured({ ...go, valid: false, errors: ['not by them'] });
      const cases: [Fake, ValidateOptions, boolean, string, number][] = [
        [{ call: () => structured(go) }, loose, true, 'toolvet+native', 1],
        [{ call: no }, loose, false, 'toolvet+native', 1],
        [{ call: () => structured(go) }, strict, false, 'toolvet', 0],
        [{ call: () => new Error() }, loose, true, 'toolvet', 1],
        [{ capabilities: {} }, loose, true, 'toolvet', 0],
        [{ capabilities: {} }, strict, false, 'toolvet', 0],
        [{ capabilities: {} }, { policy: () => { throw new Error(); } }, false, 'toolvet', 0],
        // What the type lets through, and is no answer of a policy.
        [{ capabilities: {} }, { policy: () => [{ message: 'no', severity: undefined }] }, false, 'toolvet', 0],
        [{ capabilities: {} }, { policy: () => [{ message: 'no', pointer: undefined }] }, false, 'toolvet', 0],
        [{ capabilities: {} }, { policy: () => ['no'] as never }, false, 'toolvet', 0],
        [{ capabilities: {} }, { policy: () => [{ message: 'no', severity: 'ask' as never }] }, false, 'toolvet', 0],
      ];
      for (const [fake, options, valid, method, asked] of cases) {
        const { verdict, calls } = await ask(fake, options);
        assert.deepEqual([verdict.valid, verdict.method, calls.length], [valid, method, asked]);
      }
    });

    it('judges what goes over the wire', async () => {
      const client = await connectFake(kind, { tools: [target], capabilities: {} });
      for (const sent of [{ path: undefined }, { path: Number.NaN }, { path: 10n }, null]) {
        const wire = await validate(client, 'backup', sent);
        assert.equal(wire.valid, false, String(sent));
      }
      assert.equal((await validateBatch(client, [{ tool: 'backup', arguments: null }])).valid, false);
      assert.equal((await validate(client, 'backup', { path: { toJSON: () => 'a' } })).valid, true);
      await client.close();
    });

    it('never throws, whatever it is given', async () => {
      const client = await connectFake(kind, { tools: [target], capabilities: {} });
      for (const tool of [undefined, null, 7, Symbol('x'), {}, '']) {
        assert.deepEqual((await validate(client, tool as never, args)).errors, ['the server lists no tool of this name'], String(tool));
        assert.equal((await validateBatch(client, [{ tool: tool as never, arguments: args }])).valid, false);
      }
      assert.equal((await validate(client, 'backup', args, null as never)).valid, true);
      for (const calls of [undefined, null, [], [null], [undefined], 7]) assert.equal((await validateBatch(client, calls as never)).valid, false);
      for (const nobody of [undefined, null, 7, {}]) {
        assert.equal((await validate(nobody as never, 'backup', args)).valid, false);
        assert.equal((await validateBatch(nobody as never, [{ tool: 'backup', arguments: args }])).valid, false);
      }
      await client.close();
    });

    it('bounds the time of regular expressions', async () => {
      const slow = '^(\\w+\\s?)+$';
      const text = 'a'.repeat(60) + '!';
      for (const [schema, params] of [
        [{ properties: { path: { type: 'string', pattern: slow } } }, { path: text }],
        [{ patternProperties: { [slow]: {} } }, { [text]: 1 }],
        [{ properties: { day: { format: 'date' }, path: { anyOf: [{ pattern: slow }, {}] } } }, { day: '2026-11-29', path: text }],
      ] as const) {
        const client = await connectFake(kind, { tools: [{ name: 'backup', inputSchema: { type: 'object', ...schema } }], capabilities: {} });
        const start = Date.now();
        const verdict = await validate(client, 'backup', params);
        assert.deepEqual(verdict.errors, ['the tool cannot be judged: a regular expression of its inputSchema takes too long for these arguments']);
        assert.ok(Date.now() - start < 20_000);
        assert.equal((await validate(client, 'backup', { path: 'fine' })).valid, true);
        await client.close();
      }
    });

    it('waits for no policy, and for no log', async () => {
      const client = await connectFake(kind, { tools: [target], capabilities: {} });
      const policy = () => new Promise<never>(() => {});
      assert.equal((await validate(client, 'backup', args, { policy, timeoutMs: 20 })).valid, false);
      assert.equal((await validate(client, 'backup', args, { log: () => { throw new Error(); } })).valid, true);
      await client.close();
    });

    it('is a no-go if the server is gone', async () => {
      const client = await connectFake(kind, { tools: [target] });
      await client.close();
      const verdict = await validate(client, 'backup', args);
      assert.equal(verdict.valid, false);
      assert.match(verdict.errors[0]!, /could not be listed/);
      assert.equal((await validateBatch(client, [{ tool: 'backup', arguments: args }])).valid, false);
    });

    it('understands the server of this package, batches too', async () => {
      const server = makeServer(kind, { tools: [target], call: () => ({ content: [] }) });
      addValidation(server).check('backup', (a) => (a.path === 'bad' ? [{ pointer: '/path', message: 'is bad' }] : []));
      const client = await connectClient(kind, server);
      assert.equal(hasCapability(client.getServerCapabilities(), 'toolValidation.levels.semantic'), true);
      assert.equal((await validate(client, 'backup', args)).method, 'native');
      assert.deepEqual((await validate(client, 'backup', { path: 'bad' })).errors, ['/path: is bad']);
      const batch = await validateBatch(client, [{ tool: 'backup', arguments: args }, { tool: 'nope' }, { tool: 'backup', arguments: { path: 'bad' } }]);
      assert.deepEqual([batch.valid, batch.method], [false, 'native']);
      assert.deepEqual(batch.errors, ['calls/1: the server lists no tool of this name', 'calls/2: /path: is bad']);
      assert.equal((await validateBatch(client, [])).valid, false);
      await client.close();
    });

    it('needs no support to see one more tool', async () => {
      const server = makeServer(kind, { tools: [target], call: () => ({ content: [] }) });
      addValidation(server);
      const client = (await connectClient(kind, server)) as any; // eslint-disable-line @typescript-eslint/no-explicit-any
      assert.equal((await client.listTools()).tools.length, 3);
      for (const [params, isError] of [[{ tool: 'backup', arguments: {} }, undefined], [{ tool: 7 }, true]] as const) {
        assert.equal((await client.callTool({ name: 'validate', arguments: params })).isError || undefined, isError);
      }
      assert.equal((await client.callTool({ name: 'validate_batch', arguments: { calls: [{ tool: 'backup', arguments: {} }] } })).isError || undefined, undefined);
      assert.equal((await client.callTool({ name: 'backup', arguments: {} })).isError, true);
      await client.close();
    });
  });
}
