// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package badinput holds every door over HTTP to the table of docs/http.md: who misbehaves is
// refused, and another client is served meanwhile. It has tests alone.
package badinput
