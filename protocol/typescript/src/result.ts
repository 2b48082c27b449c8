// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** From findings to the results of the protocol: sections 5 and 6 of docs/protocol.md. */

import { type BatchVerdict, type Finding, type Skipped, type Verdict, verdictKey, version } from './protocol.js';
import { at, printable } from './text.js';

/** A verdict from the findings of the checks. */
export function verdictOf(tool: string, method: string, findings: Finding[], skipped: Skipped[] = [], took: Verdict['levels'] = []): Verdict {
  findings = findings.map((f) => ({ ...f, pointer: printable(f.pointer, 200) }));
  const lines = (severity: Finding['severity']) =>
    findings.filter((f) => f.severity === severity).map((f) => at(f.pointer, f.message));
  const errors = lines('error');
  return {
    valid: errors.length === 0,
    errors,
    warnings: lines('warning'),
    suggestions: [...mended(findings)].map(([text, places]) => at(places.join(', '), text)),
    ...(tool === '' ? {} : { tool: printable(tool, 128) }),
    method,
    version,
    findings,
    levels: took,
    skipped,
  };
}

/** The places that each suggestion mends, by the suggestion. */
function mended(findings: Finding[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { suggestion, pointer } of findings) {
    if (suggestion === undefined) continue;
    const list = places.get(suggestion) ?? [];
    if (pointer !== '' && !list.includes(pointer)) list.push(pointer);
    places.set(suggestion, list);
  }
  return places;
}

const mostTexts = 1000;

/** The result of a batch from those of its entries. */
export function batchOf(results: Verdict[], method: string): BatchVerdict {
  const all = (list: 'errors' | 'warnings' | 'suggestions') => {
    const texts = results.flatMap((r, i) => r[list].map((text) => `calls/${i}: ${text}`));
    return texts.length > mostTexts ? [...texts.slice(0, mostTexts), 'and more: see results'] : texts;
  };
  return {
    valid: results.every((r) => r.valid),
    errors: all('errors'),
    warnings: all('warnings'),
    suggestions: all('suggestions'),
    method,
    version,
    results,
  };
}

/** A CallToolResult, as far as the protocol makes one. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

/** The answer to a dry run: a success, even for an invalid call. */
export function answer(verdict: Verdict, structured: boolean): ToolResult {
  const content: ToolResult['content'] = [{ type: 'text', text: JSON.stringify(verdict) }];
  return structured ? { content, structuredContent: { ...verdict } } : { content };
}

/** The answer to a live call that is refused: a tool execution error, so that the model sees it. */
export function refusal(verdict: Verdict): ToolResult {
  const lines = [`The call to ${JSON.stringify(verdict.tool)} was refused before it ran:`];
  const fixes = mended(verdict.findings ?? []);
  for (const f of verdict.findings ?? []) {
    lines.push(`- ${f.severity}: ${at(f.pointer, f.message)}`);
    const places = fixes.get(f.suggestion ?? '')?.filter((p) => p !== f.pointer);
    if (places === undefined) continue;
    lines.push(`  fix: ${f.suggestion}${places.length > 0 ? ` (for ${places.join(', ')}, too)` : ''}`);
    fixes.delete(f.suggestion!);
  }
  lines.push('Nothing was executed. Fix the errors above before you call it again; if they are not yours to fix, do not repeat the call.');
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true, _meta: { [verdictKey]: verdict } };
}
