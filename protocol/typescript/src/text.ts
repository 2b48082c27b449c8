// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** Texts about names and places, which come from the caller and are hostile until they are bounded. */

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text of at most `limit` characters, with "?" for control and invisible characters; a longer one lacks its middle. */
export function printable(text: string, limit: number): string {
  if (text.length > limit) {
    const half = Math.floor((limit - 1) / 2);
    text = text.slice(0, half) + '…' + text.slice(-half);
  }
  return text.replace(invisible, '?');
}

/** A name in quotation marks. */
export const quoted = (name: string): string => JSON.stringify(printable(name, 64));

/** The JSON Pointer of a member below a place. */
export function below(pointer: string, key: string | number): string {
  return pointer + '/' + String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A text behind its place. */
export const at = (pointer: string, text: string): string => (pointer === '' ? text : `${pointer}: ${text}`);

/** Names as English lists them, the first ten of them. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map(quoted);
  if (names.length > shown.length) return `${shown.join(', ')} and ${names.length - shown.length} more`;
  const last = shown.pop() ?? 'none';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** The candidate that was probably meant by a misspelt name; undefined if none is near. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_. ]/g, '');
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates.slice(0, 1000)) {
    if (name.length > 64 || candidate.length > 64) continue;
    const bound = Math.min(Math.max(1, Math.floor(candidate.length / 3)), candidate.length - 1);
    const far = Math.abs(name.length - candidate.length) > bound;
    const steps = plain(name) === plain(candidate) ? 0 : far ? Infinity : distance(name, candidate);
    if (steps < least && steps <= bound) {
      [best, least] = [candidate, steps];
    }
  }
  return best;
}

/** How many characters must be put in, left out or replaced to make one text the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
