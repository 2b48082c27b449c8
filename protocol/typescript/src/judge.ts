// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The judgement of arguments by their shape and by the tool's `inputSchema`: the level `syntax`. */

import { bounded } from './bounded.js';
import { type Finding, isObject, type Tool } from './protocol.js';
import { renames, repair, survey, Unjudgeable, violations } from './schema.js';
import { below, nearest } from './text.js';

/** The JSON Schema validator of an SDK, which both generations keep in their servers and clients. */
export interface SdkValidator {
  getValidator(schema: unknown): (value: unknown) => { valid: boolean; errorMessage?: string | undefined };
}

/** The validator within a server or client of the SDK; undefined for releases before it had one. */
export function sdkValidator(peer: object): SdkValidator | undefined {
  const validator = (peer as { _jsonSchemaValidator?: SdkValidator })._jsonSchemaValidator;
  return typeof validator?.getValidator === 'function' ? validator : undefined;
}

/** A finding of the level `syntax`. */
export function syntax(check: string, pointer: string, message: string, more: Partial<Finding> = {}): Finding {
  return { code: 'SCHEMA', check, level: 'syntax', severity: 'error', pointer, message, ...more };
}

/** The finding about a tool that the server does not list. */
export function unknownTool(name: string, known: readonly string[]): Finding {
  const near = nearest(name, known);
  return syntax('known-tool', '', 'the server lists no tool of this name',
    near === undefined ? {} : { suggestion: `did you mean the tool ${near}?` });
}

const mostDepth = 256;
const mostValues = 200_000;
const mostText = 16 << 20;

/** Why arguments cannot be looked at: what they are, how deep, how many, or a name with two readings. */
export function unfit(args: unknown): Finding | undefined {
  if (!isObject(args)) return syntax('arguments', '', 'the arguments must be an object');
  let [values, text] = [0, 0];
  const open: { value: unknown; pointer: string; depth: number }[] = [{ value: args, pointer: '', depth: 1 }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { value, pointer, depth } = top;
    if (typeof value === 'string') text += value.length;
    if (++values > mostValues || text > mostText) return syntax('arguments', '', 'the arguments are too large to be judged');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > mostDepth) return syntax('arguments', '', `the arguments are nested deeper than ${mostDepth}, too deep to be judged`);
    for (const key of Object.keys(value)) {
      const place = depth < 32 ? below(pointer, key) : pointer;
      text += key.length;
      if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) {
        return syntax('arguments', place, 'a property of this name is not read alike by all readers, and is refused');
      }
      open.push({ value: (value as Record<string, unknown>)[key], pointer: place, depth: depth + 1 });
    }
  }
  return undefined;
}

/** Judges arguments by the inputSchemas of tools. */
export class SchemaJudge {
  /** Compiled schemas by their text, because servers make the same definitions anew for each request. */
  #compiled = new Map<string, (args: Record<string, unknown>) => Finding[]>();

  constructor(readonly sdk: SdkValidator | undefined) {}

  /** The findings about arguments that `unfit` has let through. */
  judge(tool: Tool, args: Record<string, unknown>): Finding[] {
    try {
      return this.#compile(tool.inputSchema)(args);
    } catch (error) {
      const why = error instanceof Unjudgeable ? error.message : 'its inputSchema does not compile';
      return [syntax('input-schema', '', `the tool cannot be judged: ${why}`)];
    }
  }

  #compile(schema: unknown): (args: Record<string, unknown>) => Finding[] {
    const text = JSON.stringify(schema) ?? '';
    let compiled = this.#compiled.get(text);
    if (compiled === undefined) {
      survey(schema);
      const second = secondOpinion(this.sdk, schema);
      const look = (args: Record<string, unknown>) => {
        const found = violations(schema, args).map((v) => syntax('input-schema', v.pointer, v.message, { ...v }));
        return [...(found.length > 0 ? found : second(args)), ...undeclared(schema, args)];
      };
      compiled = /"pattern(Properties)?":/.test(text) ? (args) => bounded(() => look(args)) : look;
      if (this.#compiled.size >= 1000) this.#compiled.clear();
      this.#compiled.set(text, compiled);
    }
    return compiled;
  }
}

/**
 * What the SDK's own validator finds, which knows formats. Without formats it only compiles the schema, because it has no
 * bounds: `uniqueItems` of many items takes it minutes. Its messages are not passed on: they may repeat values.
 */
function secondOpinion(sdk: SdkValidator | undefined, schema: Record<string, unknown>): (args: unknown) => Finding[] {
  if (sdk === undefined) return () => [];
  const { $id: _, ...plain } = JSON.parse(JSON.stringify(schema, (key, value: unknown) =>
    (key === 'uniqueItems' && value === true ? undefined : value))) as Record<string, unknown>; // an id would tie it to other schemas
  let validator: ReturnType<SdkValidator['getValidator']>;
  try {
    validator = sdk.getValidator(plain);
  } catch (error) {
    if (typeof plain['$schema'] !== 'string' || plain['$schema'].includes('draft-07')) throw error;
    return () => []; // a dialect that the SDK does not know, and this package does
  }
  if (!JSON.stringify(plain).includes('"format"')) return () => [];
  return (args) => {
    const { valid, errorMessage } = validator(args);
    if (valid) return [];
    const format = /^data(\/[^\s,]*)? must match format "([\w-]+)"/.exec(errorMessage ?? '');
    if (format !== null) return [syntax('input-schema', format[1] ?? '', `expected the format ${JSON.stringify(format[2])}`)];
    return [syntax('input-schema', '', "the arguments do not fit the tool's inputSchema")];
  };
}

/** Warnings about properties that an open schema does not declare: often misspelt names of others. */
function undeclared(schema: Record<string, unknown>, args: Record<string, unknown>): Finding[] {
  const open = ['additionalProperties', 'patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];
  if (!isObject(schema['properties']) || open.some((keyword) => Object.hasOwn(schema, keyword))) return [];
  const declared = schema['properties'];
  const meant = renames(schema, args);
  return Object.keys(args).filter((name) => !Object.hasOwn(declared, name)).slice(0, 100).map((name) =>
    syntax('unknown-argument', below('', name), 'the tool does not declare this property, and may ignore it',
      { severity: 'warning', suggestion: repair(meant, name) }));
}
