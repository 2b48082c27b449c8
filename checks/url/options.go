// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Options say which URLs are allowed. The zero Options allow http and https URLs of public
// hosts.
type Options struct {
	Schemes     []string  `policy:"schemes" doc:"schemes that are allowed; default http and https"`
	Hosts       []Pattern `policy:"hosts" doc:"hosts that are allowed: names, addresses, or names with * for whole labels (*.example.org is every name below example.org, s3.*.example.org has one label in the middle); * says that any public host is meant; default any public host"`
	DenyHosts   []Pattern `policy:"deny_hosts" doc:"hosts that are refused, even if hosts allows them; with resolve, also the addresses of names"`
	Ports       []int     `policy:"ports" doc:"ports that are allowed, a scheme's own included; default any"`
	Userinfo    bool      `policy:"userinfo" doc:"allow a user name or password before the host; default false"`
	Private     string    `policy:"private" doc:"private addresses (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7) and names such as *.internal: refuse, warn or allow; default refuse"`
	Loopback    string    `policy:"loopback" doc:"addresses and names of this machine: refuse, warn or allow; default refuse"`
	SingleLabel string    `policy:"single_label" doc:"other host names without a dot, unless hosts lists them: refuse, warn or allow; default warn"`
	Bare        bool      `policy:"bare" doc:"allow a host without a scheme, such as www.example.org/docs, and judge it as https; default false"`
	Relative    bool      `policy:"relative" doc:"allow references without scheme and host, such as /docs?page=2; default false"`
	MaxLength   int       `policy:"max_length" doc:"greatest length in bytes, at most 65536; default 8192"`
	Resolve     bool      `policy:"resolve" doc:"ask the resolver for the host, and judge every address it gives; default false"`
	Reachable   bool      `policy:"reachable" doc:"ask the server for the URL with HEAD, which includes resolve; default false"`

	// Guess says that the value is only thought to be a URL. A malformed URL then brings a
	// warning, unless a client could make one of it that leads to a link-local or metadata
	// address or has a scheme of attacks; other schemes that are not allowed are warned of.
	Guess bool

	// Existence says that Resolve asks only whether there is such a host, as presets do for jobs. A resolver that fails or is late then
	// brings a warning, and otherwise an error: the host's addresses must be known.
	Existence bool
}

// Defaults.
const (
	defaultMaxLength = 8192
	// greatestMaxLength bounds the time for a URL, which grows with the square of its host's
	// length. Browsers take no longer ones.
	greatestMaxLength = 65536
)

var defaultSchemes = []string{"http", "https"}

// The decisions about a URL of a certain kind.
const (
	refuse = "refuse"
	warn   = "warn"
	allow  = "allow"
)

var schemeForm = lazyregexp.New(`^[a-z][a-z0-9+.-]*$`)

// problems says what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var problems []check.Problem
	add := func(field, format string, args ...any) {
		problems = append(problems, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	for _, scheme := range o.Schemes {
		if !schemeForm.MatchString(scheme) {
			add("schemes", "must be schemes in lower case, without the colon, such as https")
		}
		if o.Reachable && scheme != "http" && scheme != "https" {
			add("reachable", "asks with HTTP: allow no schemes but http and https beside it")
		}
	}
	for _, d := range []struct{ field, value string }{{"private", o.Private}, {"loopback", o.Loopback}, {"single_label", o.SingleLabel}} {
		if !slices.Contains([]string{"", refuse, warn, allow}, d.value) {
			add(d.field, "must be refuse, warn or allow")
		}
	}
	for _, port := range o.Ports {
		if port < 1 || port > 65535 {
			add("ports", "must be from 1 to 65535")
		}
	}
	if o.MaxLength < 0 || o.MaxLength > greatestMaxLength {
		add("max_length", "must be from 0 to %d", greatestMaxLength)
	}
	if slices.ContainsFunc(o.DenyHosts, func(p Pattern) bool { return p.any }) {
		add("deny_hosts", "denies every host: list some")
	}
	for _, p := range o.Hosts {
		if why := o.never(p); why != "" && !p.any {
			add("hosts", "lists a host that would be refused all the same: it is %s", why)
		}
	}
	const nothing = "lists nothing, so that no URL would be allowed: leave it out, or list one"
	if o.Schemes != nil && len(o.Schemes) == 0 {
		add("schemes", nothing)
	}
	if o.Hosts != nil && len(o.Hosts) == 0 {
		add("hosts", nothing)
	}
	if o.Ports != nil && len(o.Ports) == 0 {
		add("ports", nothing)
	}
	return problems
}

// never says why no URL of a listed host passes, or nothing.
func (o *Options) never(p Pattern) string {
	class := p.class()
	if f := o.judgeClass("", class, ""); f != nil && f.Severity == check.Error {
		return class.Name + lift(class.Group)
	}
	return ""
}

func (o *Options) schemes() []string {
	if len(o.Schemes) == 0 {
		return defaultSchemes
	}
	return o.Schemes
}

func (o *Options) maxLength() int {
	if o.MaxLength == 0 {
		return defaultMaxLength
	}
	return o.MaxLength
}
