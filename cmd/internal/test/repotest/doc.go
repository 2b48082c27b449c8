// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package repotest tests the repository as a whole: the allowed imports of each package, with reasons,
// and the rules of style that a program can check. It has no other code.
package repotest
