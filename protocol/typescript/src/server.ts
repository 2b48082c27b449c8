// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The validation protocol for a server on the official SDK. The package imports no SDK: it wraps the request handlers
 * of the server that it is given, which both generations of the SDK keep in the same way.
 */

import { type Check, type CheckOptions, type OnBroken, type Registered, runCheck } from './checks.js';
import { SchemaJudge, sdkValidator, syntax, unfit, unknownTool } from './judge.js';
import {
  batchName, batchTool, type Capability, experimentalKey, extensionKey, type Finding, isObject, type Level, levels, type Limit,
  member, type Skipped, type Tool, validateTool, type Verdict, version,
} from './protocol.js';
import { answer, batchOf, refusal, verdictOf } from './result.js';
import { below, listed, printable } from './text.js';

export type { Check, CheckContext, CheckOptions, Fault } from './checks.js';
export type { Level } from './protocol.js';

export interface ValidationOptions {
  /** The largest number of calls in a batch; 100 if it is absent, and 0 for no batches. */
  maxBatchSize?: number;
  /** The name of the validator in `method` of its verdicts; "server" if it is absent. */
  validator?: string;
  /** Whether verdicts depend on more than tool and arguments, such as the caller. */
  contextAware?: boolean;
  /** The most dry runs in a minute that one server object answers; no limit if it is absent. */
  dryRunsPerMinute?: number;
  /** Is told about checks that throw, which the client is not told. */
  onBroken?: OnBroken;
}

export interface Validation {
  /** Registers a check of a tool's calls, dry and live. Any number of checks can be registered for a tool. */
  check(tool: string, run: Check, options?: CheckOptions): Validation;
}

type Handler = (request: Request, extra: unknown) => unknown;
interface Request {
  method: string;
  params?: Record<string, unknown>;
}
interface LowLevelServer {
  _requestHandlers?: Map<string, Handler>;
}

/**
 * Adds the validate tool, the batch tool and the capability to a server, and judges its live calls. Takes an
 * `McpServer` or a `Server` of the SDK 1.x or 2.x. To be called before the server is connected.
 */
export function addValidation(server: object, options: ValidationOptions = {}): Validation {
  const low = ((server as { server?: object }).server ?? server) as LowLevelServer;
  const handlers = low._requestHandlers;
  if (!(handlers instanceof Map)) throw new TypeError('addValidation takes an McpServer or a Server of the MCP SDK, 1.12 or later');
  if (Object.hasOwn(handlers, 'get')) throw new Error('the server has validation already');
  const validator = new Validator((method) => Map.prototype.get.call(handlers, method) as Handler | undefined, low, options);
  // Handlers may be registered later, as McpServer does with the first tool: they are wrapped when they are looked up.
  handlers.get = (method) => validator.wrap(method);
  return validator;
}

class Invalid extends Error {
  readonly code = -32602;
}

const ownMethods = ['initialize', 'server/discover', 'tools/list', 'tools/call'];

class Validator implements Validation {
  #checks = new Map<string, Registered[]>();
  #judge: SchemaJudge;
  #method: string | undefined; // the name of the validate tool, once it is announced or listed
  #revision: string | undefined;
  #recent: number[] = []; // the times of dry runs, for their limit
  readonly #batch: number;
  readonly #name: string;

  constructor(readonly handler: (method: string) => Handler | undefined, server: object, readonly options: ValidationOptions) {
    this.#judge = new SchemaJudge(sdkValidator(server));
    this.#batch = options.maxBatchSize ?? 100;
    this.#name = options.validator ?? 'server';
  }

  check(tool: string, run: Check, options: CheckOptions = {}): Validation {
    const list = this.#checks.get(tool) ?? [];
    const { name = run.name || `check-${list.length + 1}`, level = 'semantic', timeoutMs = 5000 } = options;
    if (!levels.includes(level)) throw new TypeError(`a check has one of the levels ${listed(levels)}`);
    this.#checks.set(tool, [...list, { name, level, timeoutMs, run }]);
    return this;
  }

  wrap(method: string): Handler | undefined {
    const inner = this.handler(method);
    if (inner === undefined || !ownMethods.includes(method)) return inner;
    if (method === 'tools/call') return (request, extra) => this.#call(inner, request, extra);
    if (method === 'tools/list') return (request, extra) => this.#list(inner, request, extra);
    return (request, extra) => this.#greet(inner, request, extra);
  }

  /** Announces the protocol in the result of initialize or server/discover. */
  async #greet(inner: Handler, request: Request, extra: unknown): Promise<unknown> {
    const result = await inner(request, extra);
    if (!isObject(result)) return result;
    if (typeof result['protocolVersion'] === 'string') this.#revision = result['protocolVersion'];
    const capabilities = result['capabilities'];
    if (!isObject(capabilities) || !isObject(capabilities['tools'])) return result;
    // A server that answers by its fallbackRequestHandler alone has nothing to put the validate tool into: nothing is announced.
    if (this.handler('tools/list') === undefined || this.handler('tools/call') === undefined) return result;
    const tools = await this.#tools(extra).catch(() => new Map<string, Tool>()); // some servers list only after a login
    const capability = this.#capability(this.#methodFor(tools));
    return {
      ...result,
      capabilities: {
        ...capabilities,
        experimental: { ...(capabilities['experimental'] as object | undefined), [experimentalKey]: capability },
        extensions: { ...(capabilities['extensions'] as object | undefined), [extensionKey]: capability },
      },
    };
  }

  #capability(method: string): Capability {
    const enabled = new Set([...this.#checks.values()].flat().map((c) => c.level));
    return {
      supported: true,
      method,
      version,
      async: false,
      streaming: false,
      contextAware: this.options.contextAware ?? false,
      cacheable: false,
      levels: { ...Object.fromEntries(levels.map((l) => [l, l === 'syntax' || enabled.has(l)])), rehearsal: false },
      batchValidation: this.#batch > 0,
      maxBatchSize: this.#batch,
      caching: { enabled: false },
    };
  }

  /** The server's own tools, of all pages. */
  async #tools(extra: unknown): Promise<Map<string, Tool>> {
    const inner = this.handler('tools/list');
    const tools = new Map<string, Tool>();
    let cursor: unknown;
    for (let page = 0; inner !== undefined && page < 1000; page++) {
      const result = await inner({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, extra);
      for (const tool of (member(result, 'tools') as Tool[] | undefined) ?? []) tools.set(tool.name, tool);
      const next = member(result, 'nextCursor');
      if (typeof next !== 'string' || next === '' || next === cursor) break;
      cursor = next;
    }
    return tools;
  }

  /** The name of the validate tool: fixed once it is known, because clients keep it. */
  #methodFor(tools: Map<string, Tool>): string {
    const taken = (name: string) => tools.has(name) || tools.has(batchName(name));
    for (let n = 0; this.#method === undefined; n++) {
      const name = n === 0 ? 'validate' : n === 1 ? 'toolvet_validate' : `toolvet_validate_${n}`;
      if (!taken(name)) this.#method = name;
    }
    return this.#method;
  }

  /** Lists the own tools last. A tool of the server with the same name, added later, gives way. */
  async #list(inner: Handler, request: Request, extra: unknown): Promise<unknown> {
    const result = await inner(request, extra);
    if (!isObject(result) || !Array.isArray(result['tools'])) return result;
    const method = this.#methodFor(await this.#tools(extra));
    const own = [validateTool(method), ...(this.#batch > 0 ? [batchTool(method, this.#batch)] : [])];
    // Clients demand structuredContent of a tool with an outputSchema, whatever the revision.
    if (!this.#structured(extra)) for (const tool of own) delete tool.outputSchema;
    const tools = (result['tools'] as Tool[]).filter((tool) => own.every(({ name }) => name !== tool.name));
    const last = typeof result['nextCursor'] !== 'string' || result['nextCursor'] === '';
    return { ...result, tools: last ? [...tools, ...own] : tools };
  }

  /** Answers a call: of the own tools itself, of others if they are refused. */
  async #call(inner: Handler, request: Request, extra: unknown): Promise<unknown> {
    const name = member(request.params, 'name');
    const args = member(request.params, 'arguments');
    if (typeof name !== 'string') throw new Invalid('the params of tools/call need a "name", a string');
    if (args !== undefined && !isObject(args)) throw new Invalid('the "arguments" of tools/call must be an object');
    const tools = await this.#tools(extra);
    const own = this.#ownTool(name, args ?? {}, tools);
    if (own === 'validate') return this.#dryRun(name, args ?? {}, tools, extra);
    if (own === 'batch') return this.#dryRuns(name, args ?? {}, tools, extra);
    if (!tools.has(name)) throw new Invalid(`Unknown tool: ${printable(name, 128)}`);
    const verdict = await this.#verdict({ tool: name, args: args ?? {}, tools, live: true, extra });
    return verdict.valid ? inner(request, extra) : refusal(verdict);
  }

  /** Which of the own tools a call is for. Beside a tool of the server with the same name, the arguments decide. */
  #ownTool(name: string, args: Record<string, unknown>, tools: Map<string, Tool>): 'validate' | 'batch' | undefined {
    const method = this.#methodFor(tools);
    const own = name === method ? 'validate' : this.#batch > 0 && name === batchName(method) ? 'batch' : undefined;
    if (own === undefined || !tools.has(name)) return own;
    return Object.keys(args).some((key) => ['tool', 'arguments', 'calls'].includes(key.toLowerCase())) ? own : undefined;
  }

  async #dryRun(name: string, args: Record<string, unknown>, tools: Map<string, Tool>, extra: unknown): Promise<unknown> {
    const faults = requestFaults(args);
    if (faults.length > 0) return refusal(verdictOf(name, this.#name, faults, [], ['syntax']));
    const over = this.#count();
    if (over !== undefined) return refusal({ ...verdictOf(name, this.#name, [over]), limits: this.#limits() });
    const verdict = await this.#entry(args, tools, extra);
    if (this.options.dryRunsPerMinute !== undefined) verdict.limits = this.#limits();
    return answer(verdict, this.#structured(extra));
  }

  async #dryRuns(name: string, args: Record<string, unknown>, tools: Map<string, Tool>, extra: unknown): Promise<unknown> {
    const faults = batchFaults(args, this.#batch);
    if (faults.length > 0) return refusal(verdictOf(name, this.#name, faults, [], ['syntax']));
    // Each entry has the whole time of its checks, because all are judged at once.
    const results = (args['calls'] as unknown[]).map(async (entry) => {
      const faults = isObject(entry) ? requestFaults(entry) : [syntax('request', '', 'expected an object')];
      if (faults.length > 0 || !isObject(entry)) return verdictOf('', this.#name, faults, [], ['syntax']);
      const over = this.#count();
      if (over !== undefined) return verdictOf(String(entry['tool']), this.#name, [over]);
      return this.#entry(entry, tools, extra);
    });
    return answer(batchOf(await Promise.all(results), this.#name), this.#structured(extra));
  }

  /** Judges one request whose shape is good. */
  #entry(entry: Record<string, unknown>, tools: Map<string, Tool>, extra: unknown): Promise<Verdict> {
    const args = Object.hasOwn(entry, 'arguments') ? entry['arguments'] : {};
    const chosen = entry['levels'] as Level[] | undefined;
    return this.#verdict({ tool: entry['tool'] as string, args, tools, live: false, extra, ...(chosen && { chosen }) });
  }

  /** Judges a call, dry or live, with the same checks. */
  async #verdict(call: { tool: string; args: unknown; tools: Map<string, Tool>; live: boolean; extra: unknown; chosen?: Level[] }): Promise<Verdict> {
    const { tool, args, tools } = call;
    const shape = unfit(args);
    const fit = args as Record<string, unknown>; // unless there is a shape
    const own = this.#ownTool(tool, shape === undefined ? fit : {}, tools);
    const target = tools.get(tool);
    if (own === undefined && target === undefined) {
      return verdictOf(tool, this.#name, [unknownTool(tool, [...tools.keys()])], [], ['syntax']);
    }
    if (shape !== undefined) return verdictOf(tool, this.#name, [shape], [], ['syntax']);
    if (own !== undefined || target === undefined) {
      const faults = own === 'batch' ? batchFaults(fit, this.#batch) : [...requestFaults(fit), ...targetFaults(fit)];
      return verdictOf(tool, this.#name, faults, [], ['syntax']);
    }
    const findings = this.#judge.judge(target, fit);
    const fits = findings.every((f) => f.severity !== 'error');
    const checks = this.#checks.get(tool) ?? [];
    const taken = checks.filter((c) => call.chosen === undefined || call.chosen.includes(c.level));
    const judged = { tool, args: fit, schema: JSON.stringify(target.inputSchema), fits, live: call.live, extra: call.extra };
    const ran = await Promise.all(taken.map((c) => runCheck(c, judged, this.options.onBroken ?? (() => {}))));
    const left = checks.filter((c) => !taken.includes(c));
    const skipped: Skipped[] = [...ran.flatMap((r) => r.skipped), ...left.map(leftOut)];
    const took = levels.filter((l) => l === 'syntax' || taken.some((c) => c.level === l && skipped.every((s) => s.check !== c.name)));
    return verdictOf(tool, this.#name, [...findings, ...ran.flatMap((r) => r.findings), ...aboutLevels(left)], skipped, took);
  }

  /** Counts a dry run; a finding if there are too many. */
  #count(): Finding | undefined {
    const limit = this.options.dryRunsPerMinute;
    if (limit === undefined) return undefined;
    this.#recent = this.#recent.filter((time) => time > Date.now() - 60_000);
    if (this.#recent.length >= limit) {
      return { code: 'RATE_LIMIT', check: 'dry-runs', level: 'security', severity: 'error', pointer: '', message: 'too many dry runs in a minute', suggestion: 'wait before the next dry run' };
    }
    this.#recent.push(Date.now());
    return undefined;
  }

  #limits(): Limit[] {
    const max = this.options.dryRunsPerMinute ?? 0;
    const remaining = Math.max(0, max - this.#recent.length);
    const wait = { retryAfterMs: Math.max(1, (this.#recent[0] ?? 0) + 60_000 - Date.now()) };
    return [{ name: 'dry-runs', meter: 'rate', max, remaining, ...(remaining === 0 ? wait : {}) }];
  }

  /** Whether the revision of MCP in use has structuredContent. */
  #structured(extra: unknown): boolean {
    const envelope = member(member(extra, 'mcpReq'), 'envelope');
    const headers = member(member(extra, 'requestInfo'), 'headers');
    const revision = member(envelope, 'io.modelcontextprotocol/protocolVersion') ?? this.#revision ?? member(headers, 'mcp-protocol-version');
    return typeof revision !== 'string' || revision >= '2025-06-18';
  }
}

function leftOut(check: Registered): Skipped {
  return { check: check.name, level: check.level, why: 'not asked for: the request names the levels to look at' };
}

function aboutLevels(left: Registered[]): Finding[] {
  if (left.length === 0) return [];
  const missing = [...new Set(left.map((c) => c.level))].join(', ');
  const message = `the request asks for some levels only: "valid" does not speak for checks of the levels ${missing}, which did not run`;
  return [{ code: 'SEMANTIC', check: 'levels', level: 'semantic', severity: 'warning', pointer: '', message }];
}

/** What is wrong with a request for a dry run itself. The arguments of its target may be anything. */
function requestFaults(request: Record<string, unknown>): Finding[] {
  const fault = (pointer: string, message: string) => syntax('request', pointer, message);
  const faults: Finding[] = [];
  const { tool, levels: chosen } = { tool: member(request, 'tool'), levels: member(request, 'levels') };
  if (tool === undefined) faults.push(fault('/tool', 'required property is missing; expected string'));
  else if (typeof tool !== 'string' || tool === '') faults.push(fault('/tool', 'expected a string that is not empty'));
  if (chosen !== undefined) {
    const good = Array.isArray(chosen) && chosen.length > 0 && new Set(chosen).size === chosen.length && chosen.every((l) => levels.includes(l as Level));
    if (!good) faults.push(fault('/levels', `expected a list of some of ${listed(levels)}, each once; leave it out for all`));
  }
  return [...faults, ...foreign(request, ['tool', 'arguments', 'levels'])];
}

/** What the validate tool's `inputSchema` finds in the arguments of the target, if the validate tool itself is judged. */
function targetFaults(request: Record<string, unknown>): Finding[] {
  const args = member(request, 'arguments');
  if (isObject(args)) return [];
  return [syntax('request', '/arguments', args === undefined ? 'required property is missing; expected object' : 'expected object')];
}

/** What is wrong with a batch as a whole. */
function batchFaults(request: Record<string, unknown>, limit: number): Finding[] {
  const calls = member(request, 'calls');
  const good = Array.isArray(calls) && calls.length > 0 && calls.length <= limit;
  const message = calls === undefined ? 'required property is missing; expected array' : `expected a list of 1 to ${limit} calls`;
  return [...(good ? [] : [syntax('request', '/calls', message)]), ...foreign(request, ['calls'])];
}

function foreign(request: Record<string, unknown>, allowed: string[]): Finding[] {
  return Object.keys(request).filter((key) => !allowed.includes(key)).slice(0, 100).map((key) =>
    syntax('request', below('', key), `property is not allowed; allowed: ${listed(allowed)}`));
}
