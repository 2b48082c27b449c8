// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package repotest holds the tests of the repository as a whole: which package may
// import which and why, and the rules of style that a program can see. It has no
// other code.
package repotest
