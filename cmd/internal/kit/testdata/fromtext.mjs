// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// A server on stdio for the validation protocol, written from docs/protocol.md to test that text: it shares no code with
// toolvet, its packages or its examples. It has levels, batches, progress and tokens. It has no tasks and keeps no verdicts.

import { randomBytes } from 'node:crypto';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const VERDICT = 'io.github.toolvet/verdict';
const TOKEN = 'io.github.toolvet/token';
const MOST_BYTES = 2 << 20;
const MOST_DEPTH = 100;
const MOST_CALLS = 20;
const LIFE = 300_000; // milliseconds of a token

// ---- JSON, as strictly as section 9 has it ------------------------------------------------------------------------------

/** A number in its own spelling. */
class Num {
  constructor(text) { this.text = text; this.value = Number(text); }
  toJSON() { return this.value; }
}

/** A part of the arguments that cannot be read, and why. */
class Unreadable {
  constructor(fault) { this.fault = fault; }
}

/** A fault of a text: of its grammar, or one that two readers could read differently. */
class Fault extends Error {
  constructor(kind, message) { super(message); this.kind = kind; }
}

/** Where a part that cannot be read leaves the rest of the message readable. */
const anchors = /^params(\.arguments(\.arguments|\.calls\.\d+(\.arguments)?)?)?$/;

/** Reads a message, a byte a character. What cannot be read within its params stands in as Unreadable. */
class Reader {
  constructor(bytes) { this.text = bytes.toString('latin1'); this.at = 0; }

  message() {
    const value = this.value([]);
    this.space();
    if (this.at < this.text.length) throw new Fault('grammar', 'there is something behind the message');
    return value;
  }

  space() { while (' \t\n\r'.includes(this.text[this.at] || 'x')) this.at++; }

  value(path) {
    this.space();
    const start = this.at;
    try {
      if (path.length > MOST_DEPTH) throw new Fault('limit', 'it nests too deep');
      const c = this.text[this.at];
      if (c === '{') return this.object(path);
      if (c === '[') return this.array(path);
      if (c === '"') return this.string();
      return this.word();
    } catch (fault) {
      if (!(fault instanceof Fault) || !anchors.test(path.join('.'))) throw fault;
      this.at = start;
      this.skip();
      return new Unreadable(fault);
    }
  }

  word() {
    const rest = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)/.exec(this.text.slice(this.at, this.at + 400));
    if (!rest) throw new Fault('grammar', 'it is no JSON');
    this.at += rest[0].length;
    if (/[\w.+-]/.test(this.text[this.at] || ' ')) throw new Fault('grammar', 'it is no JSON');
    return { true: true, false: false, null: null }[rest[0]] ?? (rest[0] === 'null' ? null : new Num(rest[0]));
  }

  string() {
    const end = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
    end.lastIndex = this.at;
    const found = end.exec(this.text);
    if (!found) throw new Fault('grammar', 'a text does not end, or has a character that JSON does not allow');
    this.at = end.lastIndex;
    let text;
    try {
      text = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(found[0], 'latin1')));
    } catch {
      throw new Fault('grammar', 'it is no UTF-8');
    }
    if (!text.isWellFormed()) throw new Fault('readers', 'it has an unpaired surrogate');
    return text;
  }

  array(path) {
    const list = [];
    this.at++;
    this.space();
    if (this.text[this.at] === ']') { this.at++; return list; }
    for (;;) {
      list.push(this.value([...path, list.length]));
      this.space();
      const c = this.text[this.at++];
      if (c === ']') return list;
      if (c !== ',') throw new Fault('grammar', 'a list does not end');
    }
  }

  object(path) {
    const object = Object.create(null);
    this.at++;
    this.space();
    if (this.text[this.at] === '}') { this.at++; return object; }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') throw new Fault('grammar', 'a key is no text');
      const key = this.string();
      if (key in object) throw new Fault('readers', 'a key is given twice');
      if (key.includes('\0')) throw new Fault('readers', 'a key holds U+0000');
      this.space();
      if (this.text[this.at++] !== ':') throw new Fault('grammar', 'a key has no value');
      object[key] = this.value([...path, key]);
      this.space();
      const c = this.text[this.at++];
      if (c === '}') return object;
      if (c !== ',') throw new Fault('grammar', 'an object does not end');
    }
  }

  /** Moves behind a value that cannot be read: to where its brackets close. */
  skip() {
    for (let depth = 0; this.at < this.text.length; this.at++) {
      const c = this.text[this.at];
      if (c === '"') {
        const end = /"(?:[^"\\]|\\.)*"/y;
        end.lastIndex = this.at;
        if (!end.exec(this.text)) break;
        this.at = end.lastIndex - 1;
      } else if ('{['.includes(c)) depth++;
      else if ('}]'.includes(c) && depth === 0) return;
      else if (c === ',' && depth === 0) return;
      else if ('}]'.includes(c)) depth--;
    }
    throw new Fault('grammar', 'it is no JSON');
  }
}

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v) && !(v instanceof Num) && !(v instanceof Unreadable);
const has = (object, key) => Object.hasOwn(object, key);

/** The same text for the same value, with numbers in their spelling. */
function canonical(v) {
  if (v instanceof Num) return v.text;
  if (Array.isArray(v)) return `[${v.map(canonical).join()}]`;
  if (isObject(v)) return `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`).join()}}`;
  return JSON.stringify(v);
}

/** A fault in a value, if it has a part that cannot be read. */
function unreadable(v) {
  if (v instanceof Unreadable) return v.fault;
  if (typeof v !== 'object' || v === null || v instanceof Num) return undefined;
  for (const inner of Object.values(v)) {
    const fault = unreadable(inner);
    if (fault) return fault;
  }
  return undefined;
}

// ---- Tools --------------------------------------------------------------------------------------------------------------

let runs = 0;
const closed = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
const tools = new Map([
  ['conformance_write', {
    schema: closed({
      path: { type: 'string', minLength: 1 },
      mode: { type: 'string', enum: ['full', 'incremental'] },
      retries: { type: 'integer', minimum: 0, maximum: 9 },
    }, ['path', 'mode']),
    run: () => { runs++; return 'written'; },
    checks: [{ name: 'relative-path', level: 'semantic', look: (a) => (a.path?.startsWith?.('/') ? [['/path', 'must not be absolute']] : []) }],
  }],
  ['conformance_count', { schema: closed({}, []), run: () => String(runs), checks: [] }],
]);

const LEVELS = ['syntax', 'semantic'];
const texts = { type: 'array', items: { type: 'string' } };
const core = { valid: { type: 'boolean' }, errors: texts, warnings: texts, suggestions: texts };
const dryRun = closed({
  tool: { type: 'string', minLength: 1 },
  arguments: { type: 'object' },
  levels: { type: 'array', items: { enum: LEVELS }, minItems: 1 },
}, ['tool', 'arguments']);
const batchOf = closed({ calls: { type: 'array', minItems: 1, maxItems: MOST_CALLS } }, ['calls']);
const own = [['validate', 'Dry run of a call of another tool of this server.', dryRun], ['validate_batch', 'Dry run of several calls of tools of this server.', batchOf]];

const capability = {
  supported: true, method: 'validate', version: '1.0', async: false, streaming: true, contextAware: false, cacheable: false,
  levels: { syntax: true, semantic: true, runtime: false, security: false },
  batchValidation: true, maxBatchSize: MOST_CALLS, caching: { enabled: false }, tokens: true,
};

function listed() {
  const all = [...tools].map(([name, t]) => ({ name, inputSchema: t.schema }));
  for (const [name, description, inputSchema] of own) {
    all.push({
      name, description, inputSchema, outputSchema: { type: 'object', properties: core, required: Object.keys(core) },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
  }
  return all;
}

// ---- Schemas ------------------------------------------------------------------------------------------------------------

/** A name as a step of a JSON Pointer, short and printable. */
const step = (name) => '/' + String(name).slice(0, 60).replace(/[\p{C}\p{Z}]/gu, '\ufffd').replaceAll('~', '~0').replaceAll('/', '~1');

const typeOf = (v) => (v === null ? 'null' : v instanceof Num ? 'number' : Array.isArray(v) ? 'array' : typeof v);
const fitsType = (v, type) => (type === 'integer' ? v instanceof Num && Number.isInteger(v.value) : typeOf(v) === type);

/** Every fault of a value by a schema: a place and a message. */
function faults(schema, v, at = '') {
  if (v instanceof Unreadable) return [[at, `cannot be read: ${v.fault.message}`]];
  if (schema.type && !fitsType(v, schema.type)) return [[at, `expected ${schema.type}, got ${typeOf(v)}`]];
  const out = [];
  if (schema.enum && !schema.enum.includes(v)) out.push([at, `expected one of ${schema.enum.map((e) => JSON.stringify(e)).join(', ')}`]);
  if (typeof v === 'string' && v.length < (schema.minLength ?? 0)) out.push([at, 'must not be empty']);
  if (v instanceof Num && (v.value < schema.minimum || v.value > schema.maximum)) out.push([at, `expected a number from ${schema.minimum} to ${schema.maximum}`]);
  if (Array.isArray(v)) {
    if (v.length < (schema.minItems ?? 0)) out.push([at, `expected at least ${schema.minItems} items`]);
    if (v.length > (schema.maxItems ?? Infinity)) out.push([at, `expected at most ${schema.maxItems} items`]);
    else if (schema.items) v.forEach((item, i) => out.push(...faults(schema.items, item, `${at}/${i}`)));
  }
  if (isObject(v)) {
    for (const name of schema.required ?? []) if (!has(v, name)) out.push([at + step(name), 'required property is missing']);
    for (const [name, inner] of Object.entries(v)) {
      if (has(schema.properties ?? {}, name)) out.push(...faults(schema.properties[name], inner, at + step(name)));
      else if (schema.additionalProperties === false) out.push([at + step(name), 'property is not allowed', `${at + step(name)}: remove it`]);
    }
  }
  return out;
}

// ---- Verdicts -----------------------------------------------------------------------------------------------------------

/** A place of more than 200 bytes lacks its middle. */
function place(at) {
  const bytes = Buffer.from(at);
  return bytes.length <= 200 ? at : `${bytes.subarray(0, 90).toString().replaceAll('\ufffd', '')}…${bytes.subarray(-90).toString().replaceAll('\ufffd', '')}`;
}
const line = ([at, message]) => (at === '' ? message : `${place(at)}: ${message}`);

function verdict(found, more = {}) {
  return { valid: found.length === 0, errors: found.map(line), warnings: [], suggestions: found.flatMap((f) => f[2] ?? []), ...more };
}

/** Judges a call, as dry runs and live calls do. The levels choose among the checks; undefined takes all. */
function judge(name, args, levels, progress = () => {}) {
  const schema = tools.get(name)?.schema ?? own.find(([n]) => n === name)?.[2];
  if (!schema) return verdict([['', 'the server has no tool of this name']], { tool: undefined });
  const checks = tools.get(name)?.checks ?? [];
  const total = checks.length + 1;
  const found = faults(schema, args);
  const findings = found.map((f) => finding('SCHEMA', 'input-schema', 'syntax', f));
  const shape = found.length === 0;
  progress(1, total, 'input-schema');
  const skipped = [];
  const taken = new Set(['syntax']);
  checks.forEach((check, i) => {
    if (levels && !levels.includes(check.level)) skipped.push({ check: check.name, level: check.level, why: 'the request did not choose its level' });
    else if (!shape) skipped.push({ check: check.name, level: check.level, why: 'the arguments do not have the right shape' });
    else {
      taken.add(check.level);
      let seen;
      try {
        seen = check.look(args);
      } catch {
        seen = [['', `the check ${check.name} broke, so the call was not judged`]];
      }
      found.push(...seen);
      findings.push(...seen.map((f) => finding('SEMANTIC', check.name, check.level, f)));
    }
    progress(i + 2, total, check.name);
  });
  const v = verdict(found, { tool: name, method: 'fromtext', version: '1.0', findings, levels: [...taken], skipped });
  if (levels && skipped.some((s) => !levels.includes(s.level))) {
    const message = 'checks were left out, and valid does not speak for them';
    v.warnings.push(message);
    findings.push({ code: 'SEMANTIC', check: 'levels', level: 'semantic', severity: 'warning', pointer: '', message });
  }
  return v;
}

const finding = (code, check, level, [pointer, message]) => ({ code, check, level, severity: 'error', pointer: place(pointer), message });

/** The faults of a request for a dry run, apart from the target's own arguments. */
function shapeOf(ask) {
  const all = isObject(ask) && !has(ask, 'arguments') ? { ...ask, arguments: {} } : ask;
  return faults(dryRun, isObject(all) ? { ...all, arguments: {} } : all);
}

/** The verdict of a dry run whose shape is right. Arguments that are no object are the target's fault. */
function dry(ask, progress) {
  const args = has(ask, 'arguments') ? ask.arguments : {};
  if (args instanceof Unreadable || !isObject(args)) return verdict(faults({ type: 'object' }, args));
  return judge(ask.tool, args, ask.levels, progress);
}

function batch(calls, progress) {
  const results = calls.map((ask, i) => {
    const shape = shapeOf(ask);
    const v = shape.length > 0 ? verdict(shape) : dry(ask);
    progress(i + 1, calls.length, `calls/${i}`);
    return v;
  });
  const joined = (list) => results.flatMap((r, i) => r[list].map((text) => `calls/${i}: ${text}`));
  return { valid: results.every((r) => r.valid), errors: joined('errors'), warnings: joined('warnings'), suggestions: joined('suggestions'), results };
}

function refusal(v) {
  const text = ['The call was refused before it ran:', ...v.errors.map((e) => `- ${e}`), 'Nothing was executed. Fix the errors before you call it again.'].join('\n');
  return { content: [{ type: 'text', text }], isError: true, _meta: { [VERDICT]: v } };
}

// ---- Tokens -------------------------------------------------------------------------------------------------------------

const tokens = new Map(); // by the string: the call, and when it ends

function issue(ask, v) {
  if (!v.valid || has(ask, 'levels') || !tools.has(ask.tool)) return null;
  const token = randomBytes(24).toString('base64url');
  tokens.set(token, { call: canonical([ask.tool, ask.arguments ?? {}]), ends: Date.now() + LIFE });
  if (tokens.size > 1000) tokens.delete(tokens.keys().next().value);
  return { token, ttlMs: LIFE };
}

/** Why a token does not let a call in; undefined if it does. */
function bound(token, name, args) {
  const given = typeof token === 'string' ? tokens.get(token) : undefined;
  if (!given) return 'the token is not one of this server, or was used; ask for a new one with a dry run';
  if (given.ends < Date.now()) return 'the token is too old; ask for a new one with a dry run';
  if (given.call !== canonical([name, args])) return 'the token is of another call; ask for a new one with a dry run';
  return undefined;
}

// ---- Requests -----------------------------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(code, message) { super(message); this.code = code; }
}

const codeOf = (fault) => ({ grammar: -32700, limit: -32600 })[fault.kind] ?? -32602;

const known = (object, names) => Object.keys(object).some((k) => !names.includes(k) && names.includes(k.toLowerCase()));
const session = { revision: '2025-11-25' };

function call(params, revision, meta) {
  if (typeof params.name !== 'string') throw new Refused(-32602, 'params.name must be the name of a tool');
  if (params.name.includes('\0')) throw new Refused(-32602, 'the name holds U+0000');
  const { name } = params;
  const args = has(params, 'arguments') ? params.arguments : Object.create(null);
  const broken = name === 'validate' || name === 'validate_batch' ? args.fault : unreadable(args);
  if (broken instanceof Fault) throw new Refused(codeOf(broken), `params.arguments cannot be read: ${broken.message}`);
  if (!isObject(args)) throw new Refused(-32602, 'params.arguments must be an object');
  const token = meta[TOKEN];
  if (name === 'validate' || name === 'validate_batch') {
    const shape = name === 'validate' ? shapeOf(args) : faults(batchOf, args);
    if (shape.length > 0) return refusal(verdict(shape));
    const progress = (n, total, message) => {
      if (typeof meta.progressToken !== 'string' && !(meta.progressToken instanceof Num)) return;
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: n, total, message } });
    };
    const v = name === 'validate' ? dry(args, progress) : batch(args.calls, progress);
    const result = { content: [{ type: 'text', text: JSON.stringify(v) }] };
    if (revision >= '2025-06-18') result.structuredContent = v;
    if (token === true) {
      const given = name === 'validate' ? issue(args, v) : args.calls.map((ask, i) => issue(ask, v.results[i]));
      if (given) result._meta = { [TOKEN]: given };
    }
    return result;
  }
  const v = judge(name, args);
  if (has(meta, TOKEN)) {
    const why = bound(token, name, args);
    if (why) {
      v.valid = false;
      v.errors.push(why);
      v.findings?.push({ code: 'POLICY', check: 'token', level: 'security', severity: 'error', pointer: '', message: why });
    }
  }
  if (!v.valid) return refusal(v);
  tokens.delete(token);
  try {
    return { content: [{ type: 'text', text: tools.get(name).run(args) }] };
  } catch {
    return { content: [{ type: 'text', text: 'the tool broke' }], isError: true };
  }
}

function answer(method, params) {
  const meta = params._meta ?? {};
  if (!isObject(meta)) throw new Refused(-32602, 'params._meta must be an object');
  const told = meta['io.modelcontextprotocol/protocolVersion'];
  if (told !== undefined && !REVISIONS.includes(told)) throw new Refused(-32602, 'the server does not speak this revision');
  const revision = told ?? session.revision;
  const modern = revision >= '2026-07-28';
  const announced = { capabilities: { tools: {}, experimental: { toolValidation: capability }, extensions: { 'io.github.toolvet/tool-validation': capability } }, serverInfo: { name: 'fromtext', version: '1.0' } };
  const kept = { ttlMs: 0, cacheScope: 'private' };
  let result;
  switch (method) {
    case 'initialize':
      session.revision = REVISIONS.slice(0, 4).includes(params.protocolVersion) ? params.protocolVersion : '2025-11-25';
      return { protocolVersion: session.revision, ...announced };
    case 'server/discover': return { resultType: 'complete', supportedVersions: ['2026-07-28'], ...announced, ...kept };
    case 'ping': result = {}; break;
    case 'tools/list': result = { tools: listed(), ...(modern ? kept : {}) }; break;
    case 'tools/call': result = call(params, revision, meta); break;
    default: throw new Refused(-32601, 'the server does not know this method');
  }
  return modern ? { resultType: 'complete', ...result } : result;
}

function respond(m) {
  if (!isObject(m) || m.jsonrpc !== '2.0') return failure(null, -32600, 'the message is no JSON-RPC request');
  const idless = !has(m, 'id');
  const id = typeof m.id === 'string' || (m.id instanceof Num && Number.isSafeInteger(m.id.value)) ? m.id : null;
  if (typeof m.method !== 'string') return has(m, 'result') || has(m, 'error') ? undefined : failure(id, -32600, 'the message has no method');
  if (idless) return undefined;
  if (id === null) return failure(null, -32600, 'the id must be a text, or a whole number within 2^53');
  if (known(m, ['jsonrpc', 'id', 'method', 'params'])) return failure(id, -32600, 'a key has another case');
  const params = has(m, 'params') ? m.params : Object.create(null);
  if (params instanceof Unreadable) return failure(id, codeOf(params.fault), `params cannot be read: ${params.fault.message}`);
  if (!isObject(params) || known(params, ['name', 'arguments', '_meta'])) return failure(id, -32602, 'two readers could read params differently');
  try {
    return { jsonrpc: '2.0', id, result: answer(m.method, params) };
  } catch (e) {
    if (e instanceof Refused) return failure(id, e.code, e.message);
    return failure(id, -32603, 'the server broke');
  }
}

const failure = (id, code, message) => ({ jsonrpc: '2.0', id, error: { code, message } });
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function handle(bytes) {
  if (bytes.length > MOST_BYTES) return failure(null, -32600, 'the message is too long');
  if (bytes.subarray(0, -1).includes(13)) return failure(null, -32600, 'the line holds a carriage return');
  try {
    const m = new Reader(bytes).message();
    if (!Array.isArray(m)) return respond(m);
    if (session.revision !== '2025-03-26' || m.length === 0) return failure(null, -32600, 'this revision has no JSON-RPC batches');
    const all = m.map(respond).filter(Boolean);
    return all.length > 0 ? all : undefined;
  } catch (fault) {
    if (!(fault instanceof Fault)) return failure(null, -32603, 'the server broke');
    return failure(null, fault.kind === 'grammar' ? -32700 : -32600, fault.message);
  }
}

let pending = [];
process.stdin.on('data', (chunk) => {
  for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
    const message = handle(Buffer.concat([...pending, chunk.subarray(0, end)]));
    pending = [];
    if (message) send(message);
  }
  pending.push(chunk);
});
