// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package daemon runs toolvet's long-lived programs: [Serve], all servers of a policy behind one
// endpoint; [Proxy], one server; and [Plan.Serve], the scheduler alone. Each follows its policy
// file while it runs. Package cli turns flags into their configurations.
package daemon
