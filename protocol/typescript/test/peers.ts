// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** Real servers and clients of each generation of the SDK, in memory. */

import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as Memory2, Server as Server2 } from '@modelcontextprotocol/server';
import { Client as ClientOld } from 'sdk-1.12.1/client/index.js';
import { InMemoryTransport as MemoryOld } from 'sdk-1.12.1/inMemory.js';
import { Server as ServerOld } from 'sdk-1.12.1/server/index.js';
import * as typesOld from 'sdk-1.12.1/types.js';
import type { ClientLike } from '@toolvet/tool-validation/client';

// The generations differ in their types, and the tests use what they have in common.
/* eslint-disable @typescript-eslint/no-explicit-any */
type Any = any;

export const kinds = ['sdk 1.12', 'sdk 1.32', 'sdk 2.4'] as const;
export type Kind = (typeof kinds)[number];

const memory: Record<Kind, Any> = { 'sdk 1.12': MemoryOld, 'sdk 1.32': Memory1, 'sdk 2.4': Memory2 };
const servers: Record<Kind, Any> = { 'sdk 1.12': ServerOld, 'sdk 1.32': Server1, 'sdk 2.4': Server2 };
const clients: Record<Kind, Any> = { 'sdk 1.12': ClientOld, 'sdk 1.32': Client1, 'sdk 2.4': Client2 };
const info = { name: 'test', version: '1' };

export interface Definition {
  name: string;
  inputSchema: Record<string, unknown>;
  [member: string]: unknown;
}

export interface Parts {
  capabilities?: Record<string, unknown>;
  /** The tools, as they are when they are listed. */
  tools: Definition[];
  /** How many tools a page of the list has. */
  page?: number;
  /** Answers a call. */
  call(params: { name: string; arguments?: Any }): Any;
}

/** A low-level server. Its tools are not judged by the SDK. */
export function makeServer(kind: Kind, parts: Parts): Any {
  const server = makeEmpty(kind, parts.capabilities);
  const list = ({ params }: Any) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + (parts.page ?? parts.tools.length + 1);
    return { tools: parts.tools.slice(from, to), ...(to < parts.tools.length ? { nextCursor: String(to) } : {}) };
  };
  const call = ({ params }: Any) => parts.call(params);
  const types = kind === 'sdk 1.12' ? typesOld : types1;
  server.setRequestHandler(kind === 'sdk 2.4' ? 'tools/list' : types.ListToolsRequestSchema, list);
  server.setRequestHandler(kind === 'sdk 2.4' ? 'tools/call' : types.CallToolRequestSchema, call);
  return server;
}

/** A server that announces tools and answers nothing. */
export function makeEmpty(kind: Kind, capabilities: Record<string, unknown> = {}): Any {
  return new servers[kind](info, { capabilities: { tools: {}, ...capabilities } });
}

/** A client of one generation that is connected to a server of it. */
export async function connectClient(kind: Kind, server: Any): Promise<ClientLike & { close(): Promise<void> }> {
  const [near, far] = memory[kind].createLinkedPair();
  const client = new clients[kind](info);
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

/** A peer that sends messages as they are, and sees the answers as they are. */
export class Raw {
  #id = 0;
  #waiting = new Map<unknown, (message: Any) => void>();
  constructor(readonly send: (message: object) => void, listen: (take: (message: Any) => void) => void) {
    listen((message) => this.#waiting.get(message.id)?.(message));
  }

  /** Calls a function with the message that has an id. */
  expect(id: unknown, take: (message: Any) => void): void {
    this.#waiting.set(id, take);
  }

  request(method: string, params?: object): Promise<Any> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    });
  }

  call(name: string, args?: unknown): Promise<Any> {
    return this.request('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
  }
}

/** A raw peer of a server, after the handshake of a revision; and the server's capabilities. */
export async function connectRaw(kind: Kind, server: Any, protocolVersion = '2025-06-18'): Promise<{ raw: Raw; capabilities: Any }> {
  const [near, far] = memory[kind].createLinkedPair();
  await server.connect(far);
  const raw = new Raw((message) => near.send(message), (take) => { near.onmessage = take; });
  await near.start();
  const { result } = await raw.request('initialize', { protocolVersion, capabilities: {}, clientInfo: info });
  near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { raw, capabilities: result.capabilities };
}

export interface Fake {
  capabilities?: Record<string, unknown>;
  tools?: unknown[];
  /** The result of a call, which may be anything; undefined for no answer, an Error for a JSON-RPC error. */
  call?: (params: { name: string; arguments?: Any }) => unknown;
}

/** A client of one generation that is connected to a server by hand, which may answer anything. */
export async function connectFake(kind: Kind, fake: Fake, revision?: string): Promise<ClientLike & { close(): Promise<void> }> {
  const [near, far] = memory[kind].createLinkedPair();
  const capabilities = { tools: {}, ...fake.capabilities };
  const modern = revision === undefined ? {} : { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const answers: Record<string, (params: Any) => unknown> = {
    initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: info }),
    'server/discover': () => ({ ...modern, supportedVersions: [revision], capabilities, serverInfo: info }),
    'tools/list': () => ({ ...modern, tools: fake.tools ?? [] }),
    'tools/call': (params) => fake.call?.(params),
  };
  far.onmessage = ({ id, method, params }: Any) => {
    const result = answers[method]?.(params);
    if (id === undefined || result === undefined) return;
    const error = { code: -32603, message: 'broken' };
    void far.send({ jsonrpc: '2.0', id, ...(result instanceof Error ? { error } : { result }) });
  };
  await far.start();
  const client = new clients[kind](info, revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } });
  await client.connect(near);
  return client;
}
