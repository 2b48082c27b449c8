// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package pin remembers the definitions of a server's tools as a person has accepted
// them, in a lock file, and says what has changed since.
//
// A model obeys what a tool's description says, and a server may say something else tomorrow than
// on the day it was looked at (a "rug pull"). The digest of a definition therefore covers all of
// it: name, title, description, both schemas, annotations, icons, _meta, and members that MCP
// does not define, since some client may show them to a model. Differences that no reader can see
// do not count: the order of keys, white space, escapes, and the spelling of a number (1, 1.0 and
// 10e-1).
//
//	Load ─▶ Lock ─ Compare ─▶ changes ─ WriteDiff ─▶ a person ─ Accept ─▶ Lock ─ Write
//	          └─ NewCheck: a call of a tool whose definition has changed is refused
package pin
