// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/url/internal/address"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
)

// A host is what is judged of a URL's host. The zero host is that of a URL without one.
type host struct {
	name     string // in ASCII and lower case, without a dot at its end; "" for an address
	addr     netip.Addr
	spelling whatwg.Spelling
}

func hostOf(h whatwg.Host) host {
	if h.Addr.IsValid() {
		return host{addr: h.Addr, spelling: h.Spelling}
	}
	return host{name: strings.TrimSuffix(h.Text, "."), spelling: h.Spelling}
}

// emptyLabel reports whether nothing stands before a dot of a name.
func (h *host) emptyLabel() bool {
	onlyDot := h.name == "" && h.spelling&whatwg.TrailingDot != 0 && !h.addr.IsValid()
	return onlyDot || strings.HasPrefix(h.name, ".") || strings.HasSuffix(h.name, ".") || strings.Contains(h.name, "..")
}

func (h *host) class() address.Class {
	if h.addr.IsValid() {
		return address.Classify(h.addr)
	}
	return classifyName(h.name)
}

// host judges the host that a URL leads to.
func (j *judging) host(h host) {
	o := j.options
	if h.emptyLabel() {
		j.malformed("is not a URL: a label of the host is empty")
		return
	}
	if !h.addr.IsValid() && strings.ContainsAny(h.name, ";,&!'\"") {
		j.findings = append(j.findings, check.Finding{
			Message:    "the host has a character that no name has, and at which some readers end it",
			Suggestion: "write the name of the host alone",
		})
		return
	}
	class, before := h.class(), len(j.findings)
	if f := o.judgeClass("the host is", class, written(h.spelling, class.Form)); f != nil {
		j.findings = append(j.findings, *f)
	}
	j.listed(h)
	switch {
	case h.addr.IsValid() && h.spelling != 0 && class.Group == address.Public:
		j.warn("the host is a public address%s, which some readers take for a name: write it as four decimal numbers", written(h.spelling, ""))
	case class.Group != address.Public || h.name == "":
	case !strings.Contains(h.name, "."):
		j.singleLabel(h)
	case spellsAddress(h.name) && !o.Resolve && !o.Reachable:
		j.warn("the host is a name that spells its own address, private or not: use the name of a server")
	}
	for i := range j.findings[before:] {
		j.findings[before+i].Source = "network" // as policies name what an agent is not asked about
	}
}

// listed judges a host by the policy's lists.
func (j *judging) listed(h host) {
	o := j.options
	if o.denies(h) {
		j.refuse("the policy denies the host")
	}
	if len(o.Hosts) > 0 && !anyMatches(o.Hosts, h) {
		texts := make([]string, len(o.Hosts))
		for i, p := range o.Hosts {
			texts[i] = p.String()
		}
		j.refuse("the host is not allowed: must be %s", alternatives(texts))
	}
}

// denies reports whether the policy denies a host, or an address inside its address.
func (o *Options) denies(h host) bool {
	return anyMatches(o.DenyHosts, h) || slices.ContainsFunc(address.Embedded(h.addr), func(a netip.Addr) bool {
		return anyMatches(o.DenyHosts, host{addr: a})
	})
}

func anyMatches(patterns []Pattern, h host) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.match(h) })
}

// singleLabel judges a name without a dot. One that the policy lists by its name is meant.
func (j *judging) singleLabel(h host) {
	if slices.ContainsFunc(j.options.Hosts, func(p Pattern) bool { return !p.any && p.match(h) }) {
		return
	}
	const message = "the host is a name without a dot, for private networks only: write the full name"
	switch cmp.Or(j.options.SingleLabel, warn) {
	case refuse:
		j.refuse(message)
	case warn:
		j.warn(message)
	}
}

// judgeAddr judges an address that a host turned out to have. The subject begins the
// message: "the host resolves to". The result is nil if the address is allowed.
func (o *Options) judgeAddr(subject string, addr netip.Addr) *check.Finding {
	if o.denies(host{addr: addr}) {
		return &check.Finding{Message: subject + " an address that the policy denies", Source: "network"}
	}
	class := address.Classify(addr)
	form := ""
	if class.Form != "" {
		form = " " + class.Form
	}
	return o.judgeClass(subject, class, form)
}

// judgeClass says what the options make of a kind of host, or nil if they allow it.
func (o *Options) judgeClass(subject string, class address.Class, written string) *check.Finding {
	decision := refuse
	switch class.Group {
	case address.Public:
		decision = allow
	case address.Loopback:
		decision = cmp.Or(o.Loopback, refuse)
	case address.Private:
		decision = cmp.Or(o.Private, refuse)
	}
	f := &check.Finding{
		Message:    subject + " " + class.Name + written + ": only public hosts are allowed",
		Suggestion: "name a public host",
		Source:     "network",
	}
	switch decision {
	case allow:
		return nil
	case warn:
		f.Severity = check.Warning
		f.Message = subject + " " + class.Name + written + ", not a public host: make sure that it is meant"
		f.Suggestion = ""
	}
	return f
}

// lift says which option allows a group of hosts.
func lift(group address.Group) string {
	switch group {
	case address.Loopback:
		return "; set loopback: allow"
	case address.Private:
		return "; set private: allow"
	}
	return ", which no option allows"
}

// written says in which unusual way a host is written, or nothing.
func written(s whatwg.Spelling, form string) string {
	switch {
	case form != "":
		return " " + form
	case s&whatwg.Percent != 0:
		return " written with percent-encoding"
	case s&whatwg.NonASCII != 0:
		return " written in characters that are not ASCII"
	case s&whatwg.Decimal != 0:
		return " written as a decimal number"
	case s&whatwg.Hex != 0 && s&whatwg.Octal != 0:
		return " written in several number bases"
	case s&whatwg.Hex != 0:
		return " written in hexadecimal"
	case s&whatwg.Octal != 0:
		return " written in octal"
	case s&whatwg.Short != 0:
		return " written in a short form"
	case s&whatwg.TrailingDot != 0:
		return " written with a dot at its end"
	}
	return ""
}
