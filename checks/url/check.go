// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package url checks where a URL leads, without asking the network. Package urlstate asks.
package url

import (
	_ "embed"
	"net/netip"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is "url: {…}" in a policy.
var Demand = &check.Demand{Name: "url", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports URLs that the options do not allow.
var Check = &check.Check{
	Name:   "url",
	Doc:    doc,
	Stage:  check.Semantic,
	Level:  check.SecurityLevel,
	Demand: Demand,

	Bounded: bounded.Promised(), // by max_length
	Run:     check.Each(judge),
}

// Inside is for toolvet's own packages; the value's type is internal.
func (o *Options) Inside() any { return inside{o} }

// inside is what package urlstate asks.
type inside struct{ o *Options }

func (i inside) Judge(raw string) (leads.Host, []check.Finding) { return i.o.judged(raw) }

func (i inside) JudgeAddr(subject string, addr netip.Addr) *check.Finding {
	return i.o.judgeAddr(subject, addr)
}

func judge(_ *check.Pass, o *Options, value any) []check.Finding {
	raw, ok := value.(string)
	if !ok {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a string with a URL"}}
	}
	_, findings := o.judged(raw)
	return findings
}
