// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

/** The validation protocol, version 1.0, for servers and clients on the TypeScript SDK of MCP. */
export * from './client.js';
export * from './protocol.js';
export { addValidation } from './server.js';
export type { Check, CheckContext, CheckOptions, Fault, Validation, ValidationOptions } from './server.js';
