// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** A bound for the time of regular expressions: schemas bring them, and callers the texts. */

import { Unjudgeable } from './schema.js';

const mostTime = 1000; // milliseconds

interface Vm {
  createContext(global: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

// Without an import, so that clients in browsers still load. Node.js has it since 20.16.
const vm = (globalThis as { process?: { getBuiltinModule?(name: string): Vm | undefined } }).process?.getBuiltinModule?.('node:vm');
const global: { look?: () => unknown } = {};
const context = vm?.createContext(global);
const script = vm && new vm.Script('look()');

/** What `look` returns. It must be synchronous. The script's timeout ends it wherever it is, within a regular expression, too. */
export function bounded<T>(look: () => T): T {
  if (!script || !context) throw new Unjudgeable('its inputSchema has a regular expression, and this runtime cannot bound its time');
  global.look = look;
  try {
    return script.runInContext(context, { timeout: mostTime }) as T;
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Unjudgeable('a regular expression of its inputSchema takes too long for these arguments');
  } finally {
    delete global.look;
  }
}
