// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"strings"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of an address. The zero Options demand one address of
// the form that mail systems deliver: name@example.org. They are safe for concurrent use.
type Options struct {
	Domains []string `policy:"domains" doc:"allowed domains; *.example.org is all below it; default: any"`
	Unicode *bool    `policy:"unicode" doc:"false: ASCII alone (RFC 5321); default true, RFC 6531"`
	Quoted  bool     `policy:"quoted" doc:"true allows a quoted name, \"john doe\"@example.org; default false"`
	Literal bool     `policy:"literal" doc:"true allows an address in place of the domain, name@[192.0.2.1]; default false"`
	Local   bool     `policy:"local" doc:"true allows a domain without a dot, name@localhost; default false"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	for _, d := range o.Domains {
		if domain(strings.TrimPrefix(d, "*."), true) != "" {
			return []check.Problem{{Field: "domains", Message: "must be domains such as example.org or *.example.org"}}
		}
	}
	if o.Domains != nil && len(o.Domains) == 0 {
		return []check.Problem{{Field: "domains", Message: "lists no domain, so that no address would be allowed: leave it out, or list one"}}
	}
	return nil
}

// allows reports whether a domain is listed. Case does not matter.
func (o *Options) allows(domain string) bool {
	if len(o.Domains) == 0 {
		return true
	}
	domain = strings.ToLower(domain)
	for _, d := range o.Domains {
		below, wild := strings.CutPrefix(strings.ToLower(d), "*")
		if domain == below || wild && strings.HasSuffix(domain, below) && len(domain) > len(below) {
			return true
		}
	}
	return false
}
