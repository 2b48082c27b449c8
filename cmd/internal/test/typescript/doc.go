// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package typescript holds tests alone: the npm package in protocol/typescript is built, tested and
// used as its readme says, and so is the template beside it. The package's client and the official Inspector meet its servers, and
// one without it, behind the proxy. The tests need Node.js, npm and its registry.
package typescript
