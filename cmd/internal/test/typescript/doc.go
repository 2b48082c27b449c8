// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package typescript holds tests alone: the npm package in protocol/typescript is built, tested and
// used as its readme says, and so is the template beside it. The tests need Node.js, npm and its registry.
package typescript
