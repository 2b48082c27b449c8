// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/toolvet/toolvet/checks/url/internal/address"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
)

// A Pattern names hosts: one address, one name, or names by wildcards. A * stands for
// whole labels: in front for one or more ("*.example.org" is every name below
// example.org, not example.org itself), elsewhere for exactly one ("s3.*.example.org").
// The zero Pattern names none.
type Pattern struct {
	text   string
	any    bool // "*": any host
	addr   netip.Addr
	below  bool     // it begins with *.
	labels []string // of the name, without that *; nil for an address
	suffix string   // "." and the labels, if none of them is *
}

// ParsePattern reads a pattern. Names may be internationalized.
func ParsePattern(text string) (Pattern, error) {
	if text == "*" {
		return Pattern{text: text, any: true}, nil
	}
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		if addr.Zone() != "" {
			return Pattern{}, errors.New("an address must not have a zone")
		}
		return Pattern{text: text, addr: addr.Unmap()}, nil
	}
	if strings.ContainsAny(text, "/:@?#[]%") {
		return Pattern{}, errors.New("must be a host alone, such as api.example.org: no scheme, port or path")
	}
	p := Pattern{text: text}
	rest, below := strings.CutPrefix(strings.TrimSuffix(text, "."), "*.")
	p.below = below
	for label := range strings.SplitSeq(rest, ".") {
		if label != "*" {
			ascii, err := patternLabel(label)
			if err != nil {
				return Pattern{}, err
			}
			label = ascii
		}
		p.labels = append(p.labels, label)
	}
	if last := p.labels[len(p.labels)-1]; last == "*" {
		return Pattern{}, errors.New("the last label must not be *: \"*\" alone stands for every host")
	}
	if !strings.Contains(rest, "*") {
		p.suffix = "." + strings.Join(p.labels, ".")
		if h, err := whatwg.ParseHost(p.suffix[1:]); err != nil {
			return Pattern{}, errors.New("is not a host: " + err.Error())
		} else if h.Addr.IsValid() {
			return Pattern{}, errors.New("must be a name, or an address in its usual form")
		}
	}
	return p, nil
}

func patternLabel(label string) (string, error) {
	ascii, err := whatwg.ToASCII(label)
	switch {
	case strings.Contains(label, "*"):
		return "", errors.New("a * stands for whole labels, as in *.example.org")
	case err != nil || strings.ContainsAny(ascii, ". \t\r\n"):
		return "", errors.New("is not a host name")
	case ascii == "":
		return "", errors.New("is not a host name: a label is empty")
	}
	return ascii, nil
}

// UnmarshalText reads a pattern as ParsePattern does.
func (p *Pattern) UnmarshalText(text []byte) error {
	parsed, err := ParsePattern(string(text))
	if err == nil {
		*p = parsed
	}
	return err
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// MarshalText writes what UnmarshalText reads.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// match reports whether the pattern names a host.
func (p *Pattern) match(h host) bool {
	switch {
	case p.any:
		return true
	case h.addr.IsValid():
		return p.addr == h.addr.Unmap()
	case p.labels == nil:
		return false
	case p.suffix != "" && p.below:
		return strings.HasSuffix(h.name, p.suffix) && len(h.name) > len(p.suffix)
	case p.suffix != "":
		return h.name == p.suffix[1:]
	}
	labels := strings.Split(h.name, ".")
	extra := len(labels) - len(p.labels)
	if extra < 0 || p.below != (extra > 0) {
		return false
	}
	for i, want := range p.labels {
		if want != "*" && want != labels[extra+i] {
			return false
		}
	}
	return true
}

// class is the kind of the pattern's host, as far as known.
func (p *Pattern) class() address.Class {
	if p.addr.IsValid() {
		return address.Classify(p.addr)
	}
	return classifyName(strings.Join(p.labels, "."))
}
