// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"net/mail"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{Domains: []string{"example.org", "*.example.org"}}, "someone@example.com")
}

func TestFine(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"a@example.org", "first.last+tag@sub.example.co.uk", "o'brien@example.ie", "x_y=z@example.org", "user%host@example.org",
		"用户@例え.jp", "grüße@müller.example", "a@xn--bcher-kva.example", "1@1.example", "a@e-x.org", strings.Repeat("n", 64) + "@example.org",
	} {
		if got := find(t, Check, check.World{}, nil, s); got != nil {
			t.Errorf("%q: got %q, want nothing", s, got)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const (
		form   = "error syntax: must be an e-mail address such as name@example.org"
		inject = "error security: must hold no line breaks, control or invisible characters, plain or percent-encoded: they add headers and receivers to a message"
		one    = "error security: must be one e-mail address alone, without a display name, angle brackets or a second address"
		dots   = "error syntax: must have a name before the @ that does not begin or end with a dot, nor has two in a row"
		atoms  = "error syntax: must have nothing before the @ but letters, digits and " + specials + " and dots"
		behind = "error syntax: must have a domain such as example.org behind the @"
	)
	for s, want := range map[string]string{
		"":                                       form,
		"word":                                   form,
		"a@example.org\r\nBcc: b@example.org":    inject,
		"a@example.org\n":                        inject,
		"a%0aBcc:b@example.org":                  inject,
		"a%0D%0A@example.org":                    inject,
		"a@example.org%00":                       inject,
		"a\x00@example.org":                      inject,
		"a\u2028@example.org":                    inject,
		"a\u200b@example.org":                    inject,
		"a\u202e@example.org":                    inject,
		"a@example.org,b@example.org":            one,
		"a@example.org;b@example.org":            one,
		"Name <a@example.org>":                   one,
		"<a@example.org":                         one,
		".a@example.org":                         dots,
		"a..b@example.org":                       dots,
		"a.@example.org":                         dots,
		"@example.org":                           dots,
		"a b@example.org":                        atoms,
		"a@b@example.org":                        atoms,
		"a(note)@example.org":                    atoms,
		`a"b@example.org`:                        atoms,
		`"a b"@example.org`:                      "error syntax: must have no quotes before the @",
		strings.Repeat("n", 65) + "@example.org": "error syntax: must have at most 64 bytes before the @",
		"a@localhost":                            behind,
		"a@":                                     behind,
		"a@example.org.":                         behind,
		"a@-example.org":                         behind,
		"a@example-.org":                         behind,
		"a@exa_mple.org":                         behind,
		"a@example.org>":                         behind,
		"a@exam ple.org":                         behind,
		"a@192.0.2.1":                            behind,
		"a@" + strings.Repeat("n", 64) + ".org":  behind,
		"a@[192.0.2.1]":                          "error syntax: must have a domain behind the @, not an address",
		"a@" + strings.Repeat("nnnnnnn.", 32) + "org": "error syntax: must have at most 254 bytes",
	} {
		if got := append(find(t, Check, check.World{}, &Options{}, s), "")[0]; got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	no := false
	domains := &Options{Domains: []string{"Example.org", "*.example.net"}}
	const listed = "error security: must be an e-mail address at one of these domains: Example.org, *.example.net"
	const literal = "error syntax: must have an address such as [192.0.2.1] or [IPv6:2001:db8::1] behind the @"
	const quotes = "error syntax: must have a closed quote before the @, with \\ before quotes and backslashes in it"
	for name, tt := range map[string]struct {
		options *Options
		value   any
		want    string
	}{
		"number":         {&Options{}, 1.0, "error syntax: must be a string: an e-mail address"},
		"domain":         {domains, "a@EXAMPLE.ORG", ""},
		"below":          {domains, "a@b.c.example.net", ""},
		"not below":      {domains, "a@b.example.org", listed},
		"above":          {domains, "a@example.net", listed},
		"suffix":         {domains, "a@badexample.net", listed},
		"local":          {&Options{Local: true}, "root@localhost", ""},
		"quoted":         {&Options{Quoted: true}, `"a b, \"c\""@example.org`, ""},
		"quote open":     {&Options{Quoted: true}, `"a@example.org`, quotes},
		"quote within":   {&Options{Quoted: true}, `"a"b"@example.org`, quotes},
		"quote escaped":  {&Options{Quoted: true}, `"a\"@example.org`, quotes},
		"quote and line": {&Options{Quoted: true}, "\"a\r\n\"@example.org", "error security: must hold no line breaks, control or invisible characters, plain or percent-encoded: they add headers and receivers to a message"},
		"literal":        {&Options{Literal: true}, "a@[192.0.2.1]", ""},
		"literal v6":     {&Options{Literal: true}, "a@[IPv6:2001:db8::1]", ""},
		"literal tag":    {&Options{Literal: true}, "a@[2001:db8::1]", literal},
		"literal zone":   {&Options{Literal: true}, "a@[IPv6:fe80::1%eth0]", literal},
		"literal open":   {&Options{Literal: true}, "a@[192.0.2.1", literal},
		"literal listed": {&Options{Literal: true, Domains: domains.Domains}, "a@[192.0.2.1]", listed},
		"ascii name":     {&Options{Unicode: &no}, "ü@example.org", "error syntax: must have nothing before the @ but letters, digits and " + specials + " and dots"},
		"ascii quote":    {&Options{Unicode: &no, Quoted: true}, `"ü"@example.org`, "error syntax: must be in ASCII"},
		"ascii domain":   {&Options{Unicode: &no}, "a@müller.example", "error syntax: must be in ASCII: write the domain as xn--…"},
		"ascii":          {&Options{Unicode: &no}, "a@example.org", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := append(find(t, Check, check.World{}, tt.options, tt.value), "")[0]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, domains := range [][]string{{}, {"exa mple.org"}, {"*"}, {"a.*.org"}, {""}} {
		if got := (&Options{Domains: domains}).Problems(); len(got) != 1 || got[0].Field != "domains" {
			t.Errorf("%q: got %v, want a problem of domains", domains, got)
		}
	}
	if got := (&Options{Domains: []string{"localhost", "*.example.org"}}).Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// FuzzJudge holds that what is accepted is one address on one line, and that to the
// standard library it is the same one.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"a@example.org", "a@example.org\nBcc: b@c.de", "ü@ü.example", `"a"@b.c`, "a@b.c,d@e.f", "a@b@c.de", "%0a@b.c", "a@[1.2.3.4]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		if len((&Options{}).judge(s)) > 0 {
			return
		}
		if strings.ContainsAny(s, "\r\n\x00 ,;<>") || strings.Count(s, "@") != 1 {
			t.Errorf("%q is accepted, and is not one address", s)
		}
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s || a.Name != "" {
			t.Errorf("%q is accepted, and reads as %v: %v", s, a, err)
		}
	})
}
