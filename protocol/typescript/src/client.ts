// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The validation protocol for a client on the official SDK: detection, dry runs, and what to do without them. */

import { readFaults } from './checks.js';
import { SchemaJudge, sdkValidator, unfit, unknownTool } from './judge.js';
import {
  batchName, type BatchVerdict, type Capability, experimentalKey, extensionKey, type Finding, isObject, type Level, member,
  type Tool, type Verdict,
} from './protocol.js';
import { batchOf, verdictOf } from './result.js';
import { printable } from './text.js';

export type { Capability, Level, Verdict } from './protocol.js';

/** A `Client` of the SDK 1.x or 2.x, as far as this package uses it. */
export interface ClientLike {
  getServerCapabilities(): unknown;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  request(request: any, schema: any, options?: any): Promise<any>;
}

/** The client's own checks. Their findings are errors and warnings beside those of the schema. */
export type Policy = (tool: string, args: Record<string, unknown>) => readonly PolicyFault[] | Promise<readonly PolicyFault[]>;
export interface PolicyFault {
  pointer?: string;
  message: string;
  suggestion?: string;
  severity?: 'error' | 'warning';
}

export interface ValidateOptions {
  /** The looks to take; all if it is absent. A server whose validate tool has no levels takes all of them. */
  levels?: Level[];
  policy?: Policy;
  /** Is told a line about each verdict, and about each way of validation that could not be used. */
  log?: (line: string) => void;
  /** How long the policy may take, and how long the server's validate tool; 10000 if it is absent. */
  timeoutMs?: number;
}

/** The object by which capabilities announce the protocol (section 3.3); undefined if they do not. */
export function announced(capabilities: unknown): Capability | undefined {
  const places = [
    member(member(capabilities, 'experimental'), experimentalKey),
    member(member(capabilities, 'extensions'), extensionKey),
  ];
  for (const place of places) {
    const { supported, version = '1.0', method = 'validate' } = { supported: member(place, 'supported'), version: member(place, 'version'), method: member(place, 'method') };
    const known = typeof version === 'string' && /^1\.\d+$/.test(version);
    if (supported === true && known && typeof method === 'string' && method !== '') return { ...(place as object), supported, version, method };
  }
  return undefined;
}

/**
 * Whether capabilities have something at a path with dots, such as `tools.listChanged`. Paths that begin with
 * `toolValidation` lead into the object that announces the protocol, in either place. Of keys with dots the longest
 * counts. An object is a yes, as are true, numbers other than 0, and texts and lists that are not empty.
 */
export function hasCapability(capabilities: unknown, path: string): boolean {
  const steps = path.split('.');
  if (steps[0] !== experimentalKey) return leads(capabilities, steps);
  const capability = announced(capabilities);
  return capability !== undefined && leads(capability, steps.slice(1));
}

function leads(value: unknown, steps: string[]): boolean {
  if (steps.length === 0) return Array.isArray(value) ? value.length > 0 : Boolean(value);
  for (let n = steps.length; n > 0; n--) {
    const inner = member(value, steps.slice(0, n).join('.'));
    if (inner !== undefined) return leads(inner, steps.slice(n));
  }
  return false;
}

type Log = (line: string) => void;

const judges = new WeakMap<object, SchemaJudge>();

function judgeOf(client: object): SchemaJudge {
  const judge = judges.get(client) ?? new SchemaJudge(sdkValidator(client));
  judges.set(client, judge);
  return judge;
}

/** The name of a tool; "", which no tool has, for what is no name. Callers in JavaScript may pass anything. */
const nameOf = (tool: unknown): string => (typeof tool === 'string' ? tool : '');

/** A log that cannot break a verdict. */
function logOf({ log }: ValidateOptions): Log {
  return (line) => {
    try {
      log?.(line);
    } catch {
      // Nobody hears of it: the log itself is broken.
    }
  };
}

/** The row of section 3.4 without the server. */
const fallbackOf = (options: ValidateOptions): string => (options.policy ? 'toolvet' : 'schema-only');

/** Asks whether a call would work, by the first row of section 3.4 that applies. Never throws: a doubt is a no-go. */
export async function validate(client: ClientLike, tool: string, args: unknown = {}, options: ValidateOptions = {}): Promise<Verdict> {
  options ??= {};
  tool = nameOf(tool);
  const log = logOf(options);
  const name = printable(tool, 128);
  let verdict: Verdict;
  try {
    const tools = await listTools(client);
    verdict = await judged(client, tools, tool, args, options, log);
  } catch {
    verdict = verdictOf(tool, fallbackOf(options), []);
    verdict.errors.push('the tools of the server could not be listed, so the call was not judged');
    verdict.valid = false;
  }
  tell(log, verdict, name);
  return verdict;
}

function tell(log: Log, { method, valid, errors, warnings }: Verdict, name: string): void {
  log(`validate ${name}: ${method}: ${valid ? 'go' : 'no-go'}, ${errors.length} errors, ${warnings.length} warnings`);
}

interface Plan {
  tool: string;
  args: unknown;
  /** The client's own verdict. Its method is the row that applies if the server can be asked. */
  own: Verdict;
  /** The method without the server. */
  fallback: string;
  /** The server's validate tool, if it is to be asked. */
  native: Tool | undefined;
}

async function judged(client: ClientLike, tools: Map<string, Tool>, tool: string, args: unknown, options: ValidateOptions, log: Log): Promise<Verdict> {
  const plan = await planOf(client, tools, tool, args, options, log);
  if (plan.native === undefined) return plan.own;
  try {
    return join(plan.own, await askNative(client, plan.native, tool, args, options));
  } catch (error) {
    return without(plan, error, log);
  }
}

/** The client's own judgement, and whether the server is to be asked: not about a call that is a no-go already. */
async function planOf(client: ClientLike, tools: Map<string, Tool>, tool: string, args: unknown, options: ValidateOptions, log: Log): Promise<Plan> {
  const name = printable(tool, 128);
  const fallback = fallbackOf(options);
  args = sent(args);
  const findings = await ownFindings(client, tools, tool, args, options);
  const capability = announced(client.getServerCapabilities());
  const native = capability && tools.get(capability.method);
  if (capability && !native) log(`validate ${name}: the server announces a validate tool that it does not list`);
  if (!native) log(`validate ${name}: the server offers no validation; falls back to ${fallback}`);
  const asked = native !== undefined && findings.every((f) => f.severity !== 'error');
  const own = verdictOf(tool, asked ? (options.policy ? 'toolvet+native' : 'native') : fallback, findings, [], ['syntax']);
  return { tool, args, own, fallback, native: asked ? native : undefined };
}

/** The verdict if the server's answer cannot be used: never a go because of it, and never silent. */
function without(plan: Plan, error: unknown, log: Log): Verdict {
  const why = `the server's own validation could not be used: ${error instanceof Unusable ? error.message : 'it answers with an error, or too late'}`;
  log(`validate ${printable(plan.tool, 128)}: falls back from ${plan.own.method} to ${plan.fallback}: ${why}`);
  const finding: Finding = { code: 'SEMANTIC', check: 'native', level: 'semantic', severity: 'warning', pointer: '', message: why };
  return verdictOf(plan.tool, plan.fallback, [...(plan.own.findings ?? []), finding], [{ check: 'native', level: 'semantic', why }], ['syntax']);
}

/** The arguments as they go over the wire: NaN is null there, and a member that is undefined is gone. Those that cannot be sent fit nothing. */
function sent(args: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(args)) as unknown;
  } catch {
    return undefined;
  }
}

/** What the client itself finds: by the tool's schema, and by its policy. */
async function ownFindings(client: ClientLike, tools: Map<string, Tool>, tool: string, args: unknown, options: ValidateOptions): Promise<Finding[]> {
  const target = tools.get(tool);
  if (target === undefined) return [unknownTool(tool, [...tools.keys()])];
  const shape = unfit(args);
  if (shape !== undefined) return [shape];
  const findings = judgeOf(client).judge(target, args as Record<string, unknown>);
  if (options.policy === undefined) return findings;
  const broken: Finding = { code: 'POLICY', check: 'policy', level: 'semantic', severity: 'error', pointer: '', message: "the client's own checks broke, so the call was not judged" };
  try {
    const faults = await inTime(options.timeoutMs ?? 10_000, options.policy(tool, structuredClone(args) as Record<string, unknown>));
    const read = readFaults(faults, { name: 'policy', level: 'semantic' }, { args: args as Record<string, unknown>, schema: JSON.stringify(target.inputSchema) ?? '' });
    return [...findings, ...(read ?? [broken]).map((f): Finding => ({ ...f, code: 'POLICY' }))];
  } catch {
    return [...findings, broken];
  }
}

/** The answer of a promise, or a rejection when its time is over. */
async function inTime<T>(ms: number, answer: T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), ms);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

class Unusable extends Error {}

/** The arguments for a validate tool. Older ones refuse "levels". */
function requestOf(native: Tool, tool: string, args: unknown, levels: Level[] | undefined): object {
  const known = member(member(native.inputSchema, 'properties'), 'levels') !== undefined;
  return { tool, arguments: args, ...(levels && known ? { levels } : {}) };
}

/** The core of a native answer. Throws if it cannot be used (section 8). */
async function askNative(client: ClientLike, native: Tool, tool: string, args: unknown, options: ValidateOptions): Promise<Verdict> {
  const fault = definitionFault(native);
  if (fault !== undefined) throw new Unusable(fault);
  const params = { name: native.name, arguments: requestOf(native, tool, args, options.levels) };
  const result = await request(client, 'tools/call', params, options.timeoutMs ?? 10_000);
  return readNative(result);
}

/** The verdict in the result of a server's validate tool. */
export function readNative(result: unknown): Verdict {
  const body = bodyOf(result);
  const list = member(body, 'errors');
  const contrary = member(body, 'valid') === true && Array.isArray(list) && list.length > 0; // a refusal, whatever else is wrong
  if (member(body, 'valid') !== false && !contrary) {
    const isError = member(result, 'isError');
    if (isError !== undefined && isError !== false) throw new Unusable('it answers with an error');
    const kind = member(result, 'resultType');
    if (kind !== undefined && kind !== 'complete') throw new Unusable('its result is not complete');
    const whole = member(body, 'valid') === true && ['errors', 'warnings', 'suggestions'].every((list) => isTexts(member(body, list)));
    if (!whole) throw new Unusable('its result lacks one of "valid", "errors", "warnings" and "suggestions"');
  }
  const [errors, warnings, suggestions] = ['errors', 'warnings', 'suggestions'].map((list) => texts(member(body, list)));
  const refused = member(body, 'valid') === false || contrary;
  if (refused && errors!.length === 0) errors!.push("the server's own validation refuses the call and gives no reason");
  return { valid: !refused, errors: errors!, warnings: warnings!, suggestions: suggestions! };
}

/** The structured content of a result or, for servers from before 2025-06-18, the object in its text. */
function bodyOf(result: unknown): unknown {
  const structured = member(result, 'structuredContent');
  if (structured !== undefined && structured !== null) return structured;
  const content = member(result, 'content');
  const text = Array.isArray(content) ? member(content[0], 'text') : undefined;
  try {
    const body: unknown = JSON.parse(String(text));
    // With a key given twice, the text says two things to two readers: it is no go.
    return member(body, 'valid') !== false && repeatsKey(String(text)) ? undefined : body;
  } catch {
    return undefined;
  }
}

/** Whether an object within a JSON text has a key twice, in whatever spelling. */
function repeatsKey(json: string): boolean {
  const open: Set<unknown>[] = [];
  for (const [token, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (text === undefined) open.pop();
    else if (colon !== undefined) {
      const keys = open.at(-1)!;
      const key: unknown = JSON.parse(text);
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}

const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((text) => typeof text === 'string');

function texts(list: unknown): string[] {
  const found = (Array.isArray(list) ? list : []).filter((text): text is string => typeof text === 'string' && text.trim() !== '');
  const lines = found.slice(0, 100).map((text) => printable(text.split(/\s+/).join(' ').trim(), 2000));
  return found.length > 100 ? [...lines, `and ${found.length - 100} more`] : lines;
}

/** Why a tool cannot be a validate tool: the server chooses its name, and the call must not be live (section 4.1). */
function definitionFault(tool: Tool): string | undefined {
  const schema = tool.inputSchema;
  const properties = member(schema, 'properties');
  const type = (name: string) => member(member(properties, name), 'type');
  const needed = member(schema, 'required');
  const named = tool.name === 'validate';
  const open = named && member(schema, 'additionalProperties') === undefined;
  const keywords = ['type', 'properties', 'required', 'additionalProperties', 'title', 'description', '$schema', '$comment', '$id', 'examples'];
  const members = ['tool', 'arguments', 'levels', 'schedule', 'timezone', 'allow_warnings'];
  const takes = member(schema, 'type') === 'object' && type('tool') === 'string' && type('arguments') === 'object' &&
    Array.isArray(needed) && needed.length === 2 && needed.includes('tool') && needed.includes('arguments') &&
    (open || member(schema, 'additionalProperties') === false) &&
    Object.keys(schema).every((k) => keywords.includes(k)) && Object.keys(properties as object).every((k) => members.includes(k));
  if (!takes) return 'its tool is not defined as a validate tool';
  const hints = tool.annotations;
  const valid = member(member(member(tool.outputSchema, 'properties'), 'valid'), 'type') === 'boolean';
  const readOnly = member(hints, 'readOnlyHint');
  if ((readOnly !== undefined && readOnly !== true) || member(hints, 'destructiveHint') === true) return 'its tool says that it changes something';
  if ((tool.outputSchema !== undefined && !valid) || (!named && !valid && readOnly !== true)) return 'its tool does not say that it only judges';
  return undefined;
}

/** Adds a native answer to the client's own verdict, which is a go. */
function join(own: Verdict, native: Verdict): Verdict {
  const finding = (severity: Finding['severity']) => (message: string): Finding =>
    ({ code: 'SEMANTIC', check: 'native', level: 'semantic', severity, pointer: '', message });
  return {
    ...own,
    valid: own.valid && native.valid,
    errors: [...own.errors, ...native.errors],
    warnings: [...own.warnings, ...native.warnings],
    suggestions: [...new Set([...own.suggestions, ...native.suggestions])],
    findings: [...(own.findings ?? []), ...native.errors.map(finding('error')), ...native.warnings.map(finding('warning'))],
  };
}

export interface BatchCall {
  tool: string;
  arguments?: unknown;
  levels?: Level[];
}

/** Asks about several calls: those that the client lets through by the server's batch tool, if it has one. Never throws. */
export async function validateBatch(client: ClientLike, calls: BatchCall[], options: ValidateOptions = {}): Promise<BatchVerdict> {
  options ??= {};
  if (!Array.isArray(calls) || calls.length === 0) return { ...batchOf([], fallbackOf(options)), valid: false, errors: ['a batch needs a call'] };
  calls = calls.map((call) => ({ ...(isObject(call) ? call : {}), tool: nameOf(member(call, 'tool')) }));
  try {
    return await batched(client, calls, options);
  } catch {
    const results = await Promise.all(calls.map(({ tool, arguments: args }) => validate(client, tool, args, options)));
    return batchOf(results, fallbackOf(options));
  }
}

async function batched(client: ClientLike, calls: BatchCall[], options: ValidateOptions): Promise<BatchVerdict> {
  const log = logOf(options);
  const one = ({ tool, arguments: args, levels }: BatchCall) => validate(client, tool, args === undefined ? {} : args, { ...options, ...(levels && { levels }) });
  const tools = await listTools(client).catch(() => new Map<string, Tool>());
  const capability = announced(client.getServerCapabilities());
  const batch = capability?.batchValidation === true && calls.length <= (capability.maxBatchSize ?? 0) && tools.get(batchName(capability.method));
  let results: Verdict[] = [];
  if (batch) results = await byBatchTool(client, tools, batch, calls, options, log);
  else for (const call of calls) results.push(await one(call));
  const method = results.map((r) => r.method!).find((m) => m !== fallbackOf(options));
  return batchOf(results, method ?? fallbackOf(options));
}

async function byBatchTool(client: ClientLike, tools: Map<string, Tool>, batch: Tool, calls: BatchCall[], options: ValidateOptions, log: Log): Promise<Verdict[]> {
  const plans: Plan[] = [];
  for (const call of calls) plans.push(await planOf(client, tools, call.tool, call.arguments === undefined ? {} : call.arguments, options, log));
  const asked = plans.filter((plan) => plan.native !== undefined);
  let answers: unknown[] | undefined;
  let failure: unknown;
  if (asked.length > 0) try {
    const fault = batchFault(batch) ?? definitionFault(asked[0]!.native!);
    if (fault !== undefined) throw new Unusable(fault);
    const entries = asked.map((plan) => requestOf(plan.native!, plan.tool, plan.args, calls[plans.indexOf(plan)]!.levels ?? options.levels));
    const result = await request(client, 'tools/call', { name: batch.name, arguments: { calls: entries } }, options.timeoutMs ?? 10_000);
    answers = batchAnswers(result, asked.length);
  } catch (error) {
    failure = error;
  }
  const verdict = (plan: Plan): Verdict => {
    if (plan.native === undefined) return plan.own;
    try {
      if (answers === undefined) throw failure;
      return join(plan.own, readNative({ structuredContent: answers[asked.indexOf(plan)] }));
    } catch (error) {
      return without(plan, error, log);
    }
  };
  return plans.map((plan) => {
    const result = verdict(plan);
    tell(log, result, printable(plan.tool, 128));
    return result;
  });
}

/** The answers in the result of a batch tool, one for each call. Throws if it cannot be used. */
function batchAnswers(result: unknown, count: number): unknown[] {
  const body = bodyOf(result);
  const isError = member(result, 'isError');
  if (isError !== undefined && isError !== false) throw new Unusable('it answers with an error');
  const kind = member(result, 'resultType');
  if (kind !== undefined && kind !== 'complete') throw new Unusable('its result is not complete');
  const results = member(body, 'results');
  if (!Array.isArray(results) || results.length !== count) throw new Unusable('its result lacks "results", one for each call');
  const valid = member(body, 'valid');
  const errors = member(body, 'errors');
  if (typeof valid !== 'boolean' || !isTexts(errors)) throw new Unusable('its result lacks "valid" or "errors"');
  const refused = !valid || (errors as string[]).length > 0;
  if (refused && results.every((r) => member(r, 'valid') === true)) { // a refusal counts, wherever it stands
    return results.map(() => ({ valid: false, errors, warnings: [], suggestions: [] }));
  }
  return results;
}

/** Why a tool cannot be a batch tool. */
function batchFault(tool: Tool): string | undefined {
  const hints = tool.annotations;
  const takes = Object.keys((member(tool.inputSchema, 'properties') ?? {}) as object).join() === 'calls' && member(tool.inputSchema, 'additionalProperties') === false;
  const changes = member(hints, 'destructiveHint') === true || (member(hints, 'readOnlyHint') ?? true) !== true;
  return takes && !changes ? undefined : 'its tool is not defined as a batch tool';
}

async function listTools(client: ClientLike): Promise<Map<string, Tool>> {
  const tools = new Map<string, Tool>();
  let cursor: unknown;
  for (let page = 0; page < 1000; page++) {
    const result = await request(client, 'tools/list', cursor === undefined ? {} : { cursor }, 60_000);
    for (const tool of member(result, 'tools') as Tool[]) tools.set(tool.name, tool);
    const next = member(result, 'nextCursor');
    if (typeof next !== 'string' || next === '' || next === cursor) break;
    cursor = next;
  }
  return tools;
}

// Takes any result, for each way in which the releases of the SDK ask for a schema: a native answer is of use even if
// it does not fit the validate tool's outputSchema, so that the SDK must not judge it.
const anyResult = {
  parse: (value: unknown) => value,
  safeParse: (value: unknown) => ({ success: true, data: value }),
  parseAsync: async (value: unknown) => value,
  safeParseAsync: async (value: unknown) => ({ success: true, data: value }),
  '~standard': { version: 1, vendor: 'toolvet', validate: (value: unknown) => ({ value }) },
};

function request(client: ClientLike, method: string, params: object, timeout: number): Promise<unknown> {
  return client.request({ method, params }, anyResult, { timeout });
}
