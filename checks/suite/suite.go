// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package suite lists the checks that a Gate runs by default, in order.
package suite

//go:generate go run github.com/toolvet/toolvet/cmd/internal/gen/checkdocs checks ../../docs/checks.md

import (
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/ambiguousargument"
	"github.com/toolvet/toolvet/checks/binary"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/commandstate"
	"github.com/toolvet/toolvet/checks/credential"
	"github.com/toolvet/toolvet/checks/cron"
	"github.com/toolvet/toolvet/checks/disk"
	"github.com/toolvet/toolvet/checks/email"
	"github.com/toolvet/toolvet/checks/env"
	"github.com/toolvet/toolvet/checks/format"
	"github.com/toolvet/toolvet/checks/glob"
	"github.com/toolvet/toolvet/checks/httpprobe"
	"github.com/toolvet/toolvet/checks/identifier"
	"github.com/toolvet/toolvet/checks/injection"
	"github.com/toolvet/toolvet/checks/inputschema"
	"github.com/toolvet/toolvet/checks/json"
	"github.com/toolvet/toolvet/checks/knownmethod"
	"github.com/toolvet/toolvet/checks/knowntool"
	"github.com/toolvet/toolvet/checks/moment"
	"github.com/toolvet/toolvet/checks/nulchar"
	"github.com/toolvet/toolvet/checks/numberprecision"
	"github.com/toolvet/toolvet/checks/outputschema"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/pathstate"
	"github.com/toolvet/toolvet/checks/redactionmarker"
	"github.com/toolvet/toolvet/checks/regex"
	"github.com/toolvet/toolvet/checks/secret"
	"github.com/toolvet/toolvet/checks/sql"
	"github.com/toolvet/toolvet/checks/sqlstate"
	"github.com/toolvet/toolvet/checks/substitution"
	"github.com/toolvet/toolvet/checks/tcp"
	"github.com/toolvet/toolvet/checks/text"
	"github.com/toolvet/toolvet/checks/unknownargument"
	"github.com/toolvet/toolvet/checks/uri"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/checks/urlstate"
)

// Default returns the default checks in the order in which their findings are told. They need no database, and
// sql-state refuses a call for which a policy asks one: see With.
// The slice is the caller's own.
//
// Left out on purpose: a check of the tool's annotations. They are hints that a
// server gives of itself (MCP, server/tools), so nothing may rest on them.
func Default() []*check.Check {
	return []*check.Check{
		knowntool.Check,
		knownmethod.Check,
		inputschema.Check,
		format.Check,
		unknownargument.Check,
		ambiguousargument.Check,
		numberprecision.Check,
		redactionmarker.Check,
		nulchar.Check,
		substitution.Check,
		text.Check,
		identifier.Check,
		json.Check,
		email.Check,
		path.Check,
		url.Check,
		uri.Check,
		command.Check,
		sql.Check,
		glob.Check,
		regex.Check,
		cron.Check,
		moment.Check,
		pathstate.Check,
		urlstate.Check,
		commandstate.Check,
		sqlstate.Check,
		env.Check,
		binary.Check,
		disk.Check,
		tcp.Check,
		httpprobe.Check,
		credential.Check,
		outputschema.Check,
		secret.Check,
		injection.Check,
	}
}

// With returns the default checks, with own in the place of those of the same name: checks/sqlstate with drivers, for
// example. Others of own follow at the end. The slice is the caller's own.
func With(own ...*check.Check) []*check.Check {
	checks := Default()
	for _, c := range own {
		if i := slices.IndexFunc(checks, func(d *check.Check) bool { return d.Name == c.Name }); i >= 0 {
			checks[i] = c
		} else {
			checks = append(checks, c)
		}
	}
	return checks
}

// Demands returns the demands of the default checks, in their order: those that a policy can
// make. The slice is the caller's own.
func Demands() []*check.Demand {
	var demands []*check.Demand
	for _, c := range Default() {
		if c.Demand != nil && !slices.Contains(demands, c.Demand) {
			demands = append(demands, c.Demand)
		}
	}
	return demands
}
