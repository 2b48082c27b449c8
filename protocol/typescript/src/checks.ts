// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The checks that an author registers for tools: how they run, and what becomes of their answers. */

import { type Finding, isObject, type Level, levels, type Skipped } from './protocol.js';
import { printable } from './text.js';

/** What a check reports. */
export interface Fault {
  /** The place, a JSON Pointer into the arguments; "" or absent is all of them. */
  pointer?: string;
  /** The fault, without the place and without values of the arguments. */
  message: string;
  /** How to mend it. */
  suggestion?: string;
  /** An error, the default, refuses the call; a warning does not. */
  severity?: 'error' | 'warning';
  /** The kind of look that found it, if it is not the check's. */
  level?: Level;
}

export interface CheckContext {
  /** Name of the tool. */
  tool: string;
  /** Whether the call is live, and not a dry run. A check must not change anything in either case. */
  live: boolean;
  /** Aborted when the time of the check is over. */
  signal: AbortSignal;
  /** What the SDK hands to the handler of the request: `extra` in 1.x, `ctx` in 2.x. */
  extra: unknown;
}

/** A check looks at a copy of the arguments. They may not fit the tool's schema. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Check = (args: any, ctx: CheckContext) => readonly Fault[] | void | Promise<readonly Fault[] | void>;

export interface CheckOptions {
  /** Name of the check in findings; that of the function if it is absent. */
  name?: string;
  /** The kind of look; "semantic" if it is absent. */
  level?: Level;
  /** The longest time; 5000 if it is absent. */
  timeoutMs?: number;
}

export interface Registered extends Required<CheckOptions> {
  run: Check;
}

/** What is known about the call before the checks run. */
export interface Judged {
  tool: string;
  args: Record<string, unknown>;
  /** The tool's inputSchema as text: values in it are no secrets. */
  schema: string;
  /** Whether the arguments fit it. */
  fits: boolean;
  live: boolean;
  extra: unknown;
}

export type OnBroken = (tool: string, check: string, error: unknown) => void;

/** Runs one check within its time. A check that breaks or is late is a no-go. */
export async function runCheck(check: Registered, call: Judged, broken: OnBroken): Promise<{ findings: Finding[]; skipped: Skipped[] }> {
  const finding = (message: string): Finding =>
    ({ code: 'SEMANTIC', check: check.name, level: check.level, severity: 'error', pointer: '', message });
  let answer: unknown;
  try {
    answer = await inTime(check, call);
  } catch (error) {
    if (error === late) {
      return { findings: [finding(`the check did not finish within ${check.timeoutMs} ms, so the call was not judged in full`)], skipped: [] };
    }
    if (!call.fits) {
      const why = 'it could not look at arguments that do not fit the schema';
      return { findings: [], skipped: [{ check: check.name, level: check.level, why }] };
    }
    broken(call.tool, check.name, error);
    return { findings: [finding('the check broke, so the call was not judged in full')], skipped: [] };
  }
  const findings = readFaults(answer, check, call);
  return { findings: findings ?? [finding('the answer of the check cannot be read, so the call was not judged in full')], skipped: [] };
}

const late = Symbol('late');

function inTime(check: Registered, call: Judged): Promise<unknown> {
  const abort = new AbortController();
  const { tool, live, extra } = call;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(late);
      abort.abort();
    }, check.timeoutMs);
    const run = async () => check.run(structuredClone(call.args), { tool, live, extra, signal: abort.signal });
    run().then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The findings in the answer of a check; undefined if it cannot be read. */
export function readFaults(answer: unknown, check: Pick<Registered, 'name' | 'level'>, call: Pick<Judged, 'args' | 'schema'>): Finding[] | undefined {
  if (answer === undefined || answer === null) return [];
  if (!Array.isArray(answer) || answer.length > 1000) return undefined;
  if (answer.length === 0) return [];
  const clean = cleaner(call);
  const findings: Finding[] = [];
  for (const fault of answer as unknown[]) {
    if (!isObject(fault)) return undefined;
    const { pointer = '', message, suggestion, severity = 'error', level = check.level } = fault as Partial<Fault>;
    const readable = typeof message === 'string' && message !== '' && typeof pointer === 'string' && /^(\/|$)/.test(pointer) &&
      (suggestion === undefined || typeof suggestion === 'string') && ['error', 'warning'].includes(severity) && levels.includes(level);
    if (!readable) return undefined;
    findings.push({
      code: 'SEMANTIC', check: check.name, level, severity, pointer, message: clean(message),
      ...(suggestion === undefined ? {} : { suggestion: clean(suggestion) }),
    });
  }
  return findings;
}

/**
 * Makes a text of a check fit for a result: on one line, and without the texts of the arguments, except those that the
 * tool's definition has as well. Short ones stay, because they are parts of words.
 */
function cleaner(call: Pick<Judged, 'args' | 'schema'>): (text: string) => string {
  const known = new Set(call.schema.match(/"(?:[^"\\]|\\.)*"/g));
  const values = new Set<string>();
  const open: unknown[] = [call.args];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length >= 4 && !known.has(JSON.stringify(value))) values.add(value);
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  return (text) => {
    text = text.slice(0, 20_000);
    for (const value of longestFirst) text = text.replaceAll(value, '…');
    return printable(text.split(/\s+/).join(' ').trim(), 2000);
  };
}
