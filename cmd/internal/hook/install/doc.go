// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package install makes hosts of agents run "toolvet hook HOST", by their own configuration files, and undoes it.
//
//	Install, Uninstall ─▶ Change ─ Apply ─▶ the file, and a note of how it was
//	Status ─▶ which hooks a host runs: toolvet's and others'
//
// An edit changes as few bytes as it can: comments, other entries and the layout of a file stay. The notes hold
// the bytes from before, so that an undone file is the same as it was, unless somebody has changed it since. Then only
// toolvet's entries go.
package install
