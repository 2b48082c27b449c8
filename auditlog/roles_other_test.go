// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package auditlog

func addRoles(map[string]func([]string) error) {}
