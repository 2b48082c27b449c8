// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A small JSON Schema validator for draft-07 and 2020-12. It reports every fault with its place and never repeats a
 * value. It refuses schemas with keywords that it does not know. `format` is left to the SDK's validator.
 */

import { isObject, member } from './protocol.js';
import { below, listed, nearest, printable, quoted } from './text.js';

export interface Violation {
  pointer: string;
  message: string;
  suggestion?: string;
  value?: unknown;
}

/** The reason why a tool cannot be judged by its schema. */
export class Unjudgeable extends Error {}

type Schema = boolean | Record<string, unknown>;
type Rule = (e: Evaluation, schema: Record<string, unknown>, value: unknown, pointer: string) => void;

const mostSteps = 200_000;
const mostDepth = 256;
const mostTime = 2000; // milliseconds
const mostFound = 100;

/** One look at one value. */
class Evaluation {
  found: Violation[] = [];
  steps = 0;
  depth = 0;
  readonly start = Date.now();
  constructor(readonly root: Schema) {}

  /** Holds a value against a schema, and adds what is wrong to `found`. */
  apply(schema: Schema, value: unknown, pointer: string): void {
    if (++this.steps > mostSteps || (this.steps % 1000 === 0 && Date.now() - this.start > mostTime)) throw new Unjudgeable('its inputSchema makes too much work of these arguments');
    if (schema === true) return;
    if (schema === false) return this.fail(pointer, 'nothing is allowed here');
    if (++this.depth > mostDepth) throw new Unjudgeable('its inputSchema nests too deep');
    for (const [keyword, rule] of rules) {
      if (Object.hasOwn(schema, keyword)) rule(this, schema, value, pointer);
    }
    this.depth--;
  }

  fail(pointer: string, message: string, more: Partial<Violation> = {}): void {
    if (!this.full()) this.found.push({ pointer, message, ...more });
  }

  /** Whether no further fault is told. */
  full(): boolean {
    return this.found.length >= mostFound;
  }

  /** The faults by one of several schemas, apart from `found`. */
  apart(schema: Schema, value: unknown, pointer: string): Violation[] {
    const outer = this.found;
    this.found = [];
    this.apply(schema, value, pointer);
    const inner = this.found;
    this.found = outer;
    return inner;
  }

  fits(schema: Schema, value: unknown, pointer: string): boolean {
    return this.apart(schema, value, pointer).length === 0;
  }
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

function hasType(value: unknown, type: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/** The same text for the same JSON value, whatever the order of its members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    isObject(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v) ?? '';
}

/** A value of the schema, as messages show it. */
const shown = (value: unknown): string => printable(JSON.stringify(value) ?? '', 80);

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const entries = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
const names = (schema: Record<string, unknown>): string[] => entries(schema['properties']).map(([name]) => name);

/** How many characters a text has, counted only as far as a bound needs it. */
const lengthOf = (text: string, bound: number): number => (text.length > 2 * bound ? text.length : [...text].length);

const pattern = (source: unknown): RegExp => {
  try {
    return new RegExp(String(source), 'u');
  } catch {
    return new RegExp(String(source));
  }
};

/** A rule for one kind of values: the keyword as a number, and the measure of the value. */
function bound(keyword: string, measure: (value: unknown, limit: number) => number | undefined, ok: (n: number, limit: number) => boolean, words: string): [string, Rule] {
  return [keyword, (e, schema, value, pointer) => {
    const limit = Number(schema[keyword]);
    const n = measure(value, limit);
    if (n !== undefined && !ok(n, limit)) e.fail(pointer, words.replace('N', String(limit)));
  }];
}
const number = (v: unknown) => (typeof v === 'number' ? v : undefined);
const text = (v: unknown, limit: number) => (typeof v === 'string' ? lengthOf(v, limit) : undefined);
const items = (v: unknown) => (Array.isArray(v) ? v.length : undefined);
const members = (v: unknown) => (isObject(v) ? Object.keys(v).length : undefined);
const most = (n: number, limit: number) => n <= limit;
const least = (n: number, limit: number) => n >= limit;

/** The rules by keyword, in the order of their findings. */
const rules = new Map<string, Rule>([
  ['$ref', (e, schema, value, pointer) => e.apply(resolve(e.root, schema['$ref']), value, pointer)],
  ['type', (e, schema, value, pointer) => {
    const types = asList(schema['type']);
    if (!types.some((type) => hasType(value, type))) e.fail(pointer, `expected ${types.join(' or ')}, got ${typeOf(value)}`);
  }],
  ['enum', (e, schema, value, pointer) => choice(e, asList(schema['enum']), value, pointer)],
  ['const', (e, schema, value, pointer) => choice(e, [schema['const']], value, pointer)],
  bound('minimum', number, least, 'expected N or more'),
  bound('maximum', number, most, 'expected N or less'),
  bound('exclusiveMinimum', number, (n, limit) => n > limit, 'expected more than N'),
  bound('exclusiveMaximum', number, (n, limit) => n < limit, 'expected less than N'),
  bound('multipleOf', number, (n, step) => Math.abs(n / step - Math.round(n / step)) < 1e-9, 'expected a multiple of N'),
  bound('minLength', text, least, 'expected at least N characters'),
  bound('maxLength', text, most, 'expected at most N characters'),
  ['pattern', (e, schema, value, pointer) => {
    if (typeof value === 'string' && !pattern(schema['pattern']).test(value)) {
      e.fail(pointer, `expected a text that matches ${shown(schema['pattern'])}`);
    }
  }],
  bound('minItems', items, least, 'expected at least N items'),
  bound('maxItems', items, most, 'expected at most N items'),
  ['uniqueItems', (e, schema, value, pointer) => {
    if (schema['uniqueItems'] === true && Array.isArray(value) && new Set(value.map(canonical)).size < value.length) {
      e.fail(pointer, 'expected items that all differ');
    }
  }],
  ['prefixItems', (e, schema, value, pointer) => tuple(e, schema['prefixItems'] as Schema[], value, pointer)],
  ['items', (e, schema, value, pointer) => {
    if (Array.isArray(schema['items'])) return tuple(e, schema['items'] as Schema[], value, pointer);
    rest(e, schema['items'] as Schema, value, pointer, asList(schema['prefixItems'] ?? []).length);
  }],
  ['additionalItems', (e, schema, value, pointer) => {
    if (Array.isArray(schema['items'])) rest(e, schema['additionalItems'] as Schema, value, pointer, schema['items'].length);
  }],
  ['contains', (e, schema, value, pointer) => {
    if (!Array.isArray(value)) return;
    const n = value.filter((item, i) => e.fits(schema['contains'] as Schema, item, below(pointer, i))).length;
    if (n < Number(schema['minContains'] ?? 1) || n > Number(schema['maxContains'] ?? Infinity)) {
      e.fail(pointer, 'the array has too few or too many items of the kind that it must contain');
    }
  }],
  bound('minProperties', members, least, 'expected at least N properties'),
  bound('maxProperties', members, most, 'expected at most N properties'),
  ['required', (e, schema, value, pointer) => required(e, schema, value, pointer, asList(schema['required']) as string[])],
  ['dependentRequired', (e, schema, value, pointer) => {
    for (const [name, needed] of entries(schema['dependentRequired'])) {
      if (member(value, name) !== undefined) required(e, schema, value, pointer, asList(needed) as string[]);
    }
  }],
  ['dependentSchemas', (e, schema, value, pointer) => {
    for (const [name, needed] of entries(schema['dependentSchemas'])) {
      if (member(value, name) !== undefined) e.apply(needed as Schema, value, pointer);
    }
  }],
  ['dependencies', (e, schema, value, pointer) => {
    for (const [name, needed] of entries(schema['dependencies'])) {
      if (member(value, name) === undefined) continue;
      if (Array.isArray(needed)) required(e, schema, value, pointer, needed as string[]);
      else e.apply(needed as Schema, value, pointer);
    }
  }],
  ['properties', (e, schema, value, pointer) => {
    for (const [name, inner] of entries(schema['properties'])) {
      if (isObject(value) && Object.hasOwn(value, name)) e.apply(inner as Schema, value[name], below(pointer, name));
    }
  }],
  ['patternProperties', (e, schema, value, pointer) => {
    for (const [source, inner] of entries(schema['patternProperties'])) {
      for (const [name, v] of entries(value)) if (pattern(source).test(name)) e.apply(inner as Schema, v, below(pointer, name));
    }
  }],
  ['propertyNames', (e, schema, value, pointer) => {
    for (const [name] of entries(value)) {
      if (!e.fits(schema['propertyNames'] as Schema, name, pointer)) e.fail(below(pointer, name), 'a property of this name is not allowed');
    }
  }],
  ['additionalProperties', additional],
  ['allOf', (e, schema, value, pointer) => {
    for (const inner of schema['allOf'] as Schema[]) e.apply(inner, value, pointer);
  }],
  ['anyOf', (e, schema, value, pointer) => {
    if (!(schema['anyOf'] as Schema[]).some((inner) => e.fits(inner, value, pointer))) e.fail(pointer, 'fits none of the allowed alternatives');
  }],
  ['oneOf', (e, schema, value, pointer) => {
    const n = (schema['oneOf'] as Schema[]).filter((inner) => e.fits(inner, value, pointer)).length;
    if (n !== 1) e.fail(pointer, n === 0 ? 'fits none of the allowed alternatives' : `fits ${n} alternatives, and must fit one`);
  }],
  ['not', (e, schema, value, pointer) => {
    if (e.fits(schema['not'] as Schema, value, pointer)) e.fail(pointer, 'is of a form that is not allowed');
  }],
  ['if', (e, schema, value, pointer) => {
    const branch = schema[e.fits(schema['if'] as Schema, value, pointer) ? 'then' : 'else'];
    if (branch !== undefined) e.apply(branch as Schema, value, pointer);
  }],
]);

function choice(e: Evaluation, allowed: unknown[], value: unknown, pointer: string): void {
  const same = typeof value === 'object' && value !== null ? ((own) => (a: unknown) => typeof a === 'object' && canonical(a) === own)(canonical(value)) : (a: unknown) => a === value;
  if (allowed.some(same)) return;
  const options = allowed.filter((a) => typeof a === 'string');
  const meant = typeof value === 'string' ? nearest(value, options) : undefined;
  const words = allowed.slice(0, 20).map(shown).join(', ') + (allowed.length > 20 ? ` or ${allowed.length - 20} more` : '');
  e.fail(pointer, `expected ${allowed.length > 1 ? 'one of ' : ''}${words}`,
    meant === undefined ? {} : { suggestion: `did you mean ${shown(meant)}?`, value: meant });
}

function tuple(e: Evaluation, schemas: Schema[], value: unknown, pointer: string): void {
  if (!Array.isArray(value)) return;
  schemas.slice(0, value.length).forEach((inner, i) => e.apply(inner, value[i], below(pointer, i)));
}

function rest(e: Evaluation, schema: Schema, value: unknown, pointer: string, from: number): void {
  if (!Array.isArray(value)) return;
  for (let i = from; i < value.length; i++) e.apply(schema, value[i], below(pointer, i));
}

function required(e: Evaluation, schema: Record<string, unknown>, value: unknown, pointer: string, needed: string[]): void {
  if (!isObject(value)) return;
  const missing = needed.filter((n) => !Object.hasOwn(value, n));
  const meant = missing.length > 0 ? renames(schema, value) : new Map<string, string>();
  for (const name of missing) {
    const type = member(member(schema['properties'], name), 'type');
    const foreign = [...meant].find(([, declared]) => declared === name)?.[0];
    e.fail(below(pointer, name), 'required property is missing' + (typeof type === 'string' ? `; expected ${type}` : ''),
      foreign === undefined ? {} : { suggestion: repair(meant, foreign) });
  }
}

function additional(e: Evaluation, schema: Record<string, unknown>, value: unknown, pointer: string): void {
  if (!isObject(value)) return;
  const declared = new Set(names(schema));
  const patterns = entries(schema['patternProperties']).map(([source]) => pattern(source));
  const foreign = Object.keys(value).filter((name) => !declared.has(name) && !patterns.some((p) => p.test(name)));
  const meant = schema['additionalProperties'] === false && foreign.length > 0 ? renames(schema, value) : new Map<string, string>();
  for (const name of foreign) {
    if (e.full()) return;
    if (schema['additionalProperties'] !== false) e.apply(schema['additionalProperties'] as Schema, value[name], below(pointer, name));
    else e.fail(below(pointer, name), `property is not allowed; allowed: ${listed([...declared])}`, { suggestion: repair(meant, name) });
  }
}

/** The declared properties that were probably meant by undeclared ones, the first twenty of these. */
export function renames(schema: Record<string, unknown>, value: Record<string, unknown>): Map<string, string> {
  const declared = new Set(names(schema));
  const absent = [...declared].filter((name) => !Object.hasOwn(value, name));
  const meant = new Map<string, string>();
  for (const name of Object.keys(value).filter((key) => !declared.has(key)).slice(0, 20)) {
    const near = nearest(name, absent);
    if (near !== undefined) meant.set(name, near);
  }
  return meant;
}

/** How to mend an undeclared property. */
export function repair(meant: Map<string, string>, name: string): string {
  const near = meant.get(name);
  return near === undefined ? `remove ${quoted(name)}` : `rename ${quoted(name)} to ${quoted(near)}`;
}

function resolve(root: Schema, ref: unknown): Schema {
  if (typeof ref !== 'string' || (ref !== '#' && !ref.startsWith('#/'))) {
    throw new Unjudgeable('its inputSchema has a "$ref" to something outside itself');
  }
  let at: unknown = root;
  for (const token of ref.split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(key)] : member(at, key);
  }
  if (typeof at !== 'boolean' && !isObject(at)) throw new Unjudgeable('its inputSchema has a "$ref" to nothing');
  return at;
}

// Where schemas stand within a schema: by themselves, in a list, or as the members of an object.
const single = ['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'];
const lists = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const maps = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
const unknown = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', 'unevaluatedItems', 'unevaluatedProperties'];
const counts = ['maxItems', 'maxLength', 'maxProperties', 'minItems', 'minLength', 'minProperties', 'minContains', 'maxContains'];
const figures = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', ...counts];
const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Throws if a schema is malformed, or has a keyword that this validator does not know. */
export function survey(root: unknown): asserts root is Record<string, unknown> {
  let left = 20_000;
  const visit = (schema: unknown, depth: number): void => {
    if (--left < 0 || depth > mostDepth) throw new Unjudgeable('its inputSchema is too large');
    if (typeof schema === 'boolean') return;
    const fault = faultOf(schema, depth === 0);
    if (fault !== undefined || !isObject(schema)) throw new Unjudgeable(`its inputSchema ${fault}`);
    if (Object.hasOwn(schema, '$ref')) resolve(root as Schema, schema['$ref']);
    for (const k of single) if (Object.hasOwn(schema, k) && !Array.isArray(schema[k])) visit(schema[k], depth + 1);
    for (const k of lists) if (Array.isArray(schema[k])) for (const inner of schema[k]) visit(inner, depth + 1);
    for (const k of maps) for (const [, inner] of entries(schema[k])) if (!Array.isArray(inner)) visit(inner, depth + 1);
  };
  if (typeof root === 'boolean') throw new Unjudgeable('its inputSchema is no object');
  visit(root, 0);
}

/** What is wrong with a schema itself, apart from those within it. */
function faultOf(schema: unknown, isRoot: boolean): string | undefined {
  if (!isObject(schema)) return 'holds something in the place of a schema that is none';
  const has = (k: string) => Object.hasOwn(schema, k);
  const strange = [...unknown, ...(isRoot ? [] : ['$id'])].find(has);
  if (strange !== undefined) return `has the keyword ${quoted(strange)}, which this validator does not know`;
  if (has('type') && !asList(schema['type']).every((t) => types.includes(t as string))) return 'has a "type" that does not exist';
  if (has('enum') && !Array.isArray(schema['enum'])) return 'has an "enum" that is no list';
  const notNumber = figures.find((k) => has(k) && (typeof schema[k] !== 'number' || (k === 'multipleOf' && !(Number(schema[k]) > 0))));
  if (notNumber !== undefined) return `has a value of ${quoted(notNumber)} that it cannot have`;
  const notList = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'required'].find((k) => has(k) && !Array.isArray(schema[k]));
  if (notList !== undefined) return `has a value of ${quoted(notList)} that is no list`;
  const notMap = [...maps, 'dependentRequired'].find((k) => has(k) && !isObject(schema[k]));
  if (notMap !== undefined) return `has a value of ${quoted(notMap)} that is no object`;
  try {
    for (const source of [...(has('pattern') ? [schema['pattern']] : []), ...Object.keys(schema['patternProperties'] ?? {})]) pattern(source);
  } catch {
    return 'has a regular expression that does not compile';
  }
  return undefined;
}

/** What is wrong with a value by a schema that `survey` has found good. */
export function violations(schema: Record<string, unknown>, value: unknown): Violation[] {
  const evaluation = new Evaluation(schema);
  evaluation.apply(schema, value, '');
  return evaluation.found;
}
