// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The names, types and tool definitions of the validation protocol (docs/protocol.md). */

export const version = '1.0';
/** The key of the capability in `capabilities.experimental`. */
export const experimentalKey = 'toolValidation';
/** The key of the capability in `capabilities.extensions`. */
export const extensionKey = 'io.github.toolvet/tool-validation';
/** The key of the verdict in the `_meta` of a refused call's result. */
export const verdictKey = 'io.github.toolvet/verdict';

/** The kind of look that a check takes. */
export type Level = 'syntax' | 'semantic' | 'runtime' | 'security';
export const levels: readonly Level[] = ['syntax', 'semantic', 'runtime', 'security'];

export interface Capability {
  supported: boolean;
  method: string;
  version: string;
  async?: boolean;
  streaming?: boolean;
  contextAware?: boolean;
  cacheable?: boolean;
  levels?: Record<string, boolean>;
  batchValidation?: boolean;
  maxBatchSize?: number;
  caching?: { enabled: boolean; ttl?: number; invalidateOn?: string[] };
}

/** The report of a check: an error refuses the call, a warning does not. */
export interface Finding {
  code: 'SCHEMA' | 'SEMANTIC' | 'POLICY' | 'RATE_LIMIT' | 'OUTPUT';
  check: string;
  level: Level;
  severity: 'error' | 'warning';
  /** The place, a JSON Pointer into the arguments; "" is all of them. */
  pointer: string;
  message: string;
  suggestion?: string;
  /** A value of the tool's definition to put at the place. */
  value?: unknown;
}

export interface Skipped {
  check: string;
  level: Level;
  why: string;
}

export interface Limit {
  name: string;
  meter: 'rate';
  max: number;
  remaining: number;
  retryAfterMs?: number;
}

/** The result of a dry run. */
export interface Verdict {
  valid: boolean;
  errors: string[];
  warnings: string[];
  suggestions: string[];
  tool?: string;
  method?: string;
  version?: string;
  findings?: Finding[];
  levels?: Level[];
  skipped?: Skipped[];
  limits?: Limit[];
}

export interface BatchVerdict extends Verdict {
  results: Verdict[];
}

/** A tool as `tools/list` gives it, as far as the protocol reads it. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  [member: string]: unknown;
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const texts = { type: 'array', items: { type: 'string' } };
const core = { valid: { type: 'boolean' }, errors: texts, warnings: texts, suggestions: texts };
const coreNames = ['valid', 'errors', 'warnings', 'suggestions'];

/** The name of the batch tool beside a validate tool. */
export const batchName = (method: string): string => method + '_batch';

/** The definition of the validate tool. */
export function validateTool(name: string): Tool {
  return {
    name,
    title: 'Validate a tool call',
    description:
      'Dry run of another tool of this server: judges the call that you describe and answers {valid, errors, warnings, ' +
      'suggestions} without running it and without side effects. Use it before a call that is costly, destructive or ' +
      'scheduled for later.',
    inputSchema: {
      type: 'object',
      properties: {
        tool: { type: 'string', minLength: 1, description: 'Name of the tool of this server that would be called' },
        arguments: { type: 'object', description: 'The arguments that it would be called with; {} for none' },
        levels: {
          type: 'array',
          items: { enum: [...levels] },
          minItems: 1,
          uniqueItems: true,
          description: 'The looks to take; leave it out for all',
        },
      },
      required: ['tool', 'arguments'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: core, required: coreNames },
    annotations,
  };
}

/** The definition of the batch tool, for at most `limit` calls at once. */
export function batchTool(method: string, limit: number): Tool {
  return {
    name: batchName(method),
    title: 'Validate several tool calls',
    description:
      'Dry run of several calls of tools of this server at once: judges each call by itself, as the validate tool does, ' +
      'and answers {valid, errors, warnings, suggestions, results} with one result for each call, in their order. ' +
      'Nothing is run.',
    inputSchema: {
      type: 'object',
      properties: {
        calls: {
          type: 'array',
          minItems: 1,
          maxItems: limit,
          items: { description: 'What the validate tool takes, as an object' },
        },
      },
      required: ['calls'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { ...core, results: { type: 'array', items: { type: 'object' } } },
      required: [...coreNames, 'results'],
    },
    annotations,
  };
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of an object, never one of its prototype. */
export function member(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}
