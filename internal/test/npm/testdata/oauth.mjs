// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// usage: node oauth.mjs PACKAGE URL ISSUER
// A client of the TypeScript SDK that is told a server's URL, finds out where tokens are to be had, gets
// one by client credentials, and prints the names of the server's tools.

const [sdk, url, issuer] = process.argv.slice(2);
const parts = sdk.endsWith('/client')
  ? [sdk]
  : ['client/index.js', 'client/streamableHttp.js', 'client/auth-extensions.js'].map((part) => `${sdk}/${part}`);
const { Client, StreamableHTTPClientTransport, ClientCredentialsProvider } =
  Object.assign({}, ...(await Promise.all(parts.map((part) => import(part)))));

// Version 1 asks for the scopes that it is told, not for those of the challenge.
const scope = sdk.endsWith('/client') ? undefined : 'mcp files:read';
const authProvider = new ClientCredentialsProvider({ clientId: 'typescript', clientSecret: 's3cret', expectedIssuer: issuer, scope });
const client = new Client({ name: 'oauth', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
console.log((await client.listTools()).tools.map((tool) => tool.name).join(' '));
await client.close();
