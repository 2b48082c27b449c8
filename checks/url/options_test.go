// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func addr(t testing.TB, text string) netip.Addr {
	t.Helper()
	a, err := netip.ParseAddr(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestProblems(t *testing.T) {
	t.Parallel()
	hosts := func(texts ...string) (list []Pattern) {
		for _, text := range texts {
			list = append(list, pattern(t, text))
		}
		return list
	}
	const nothing = "lists nothing, so that no URL would be allowed: leave it out, or list one"
	for name, tt := range map[string]struct {
		options Options
		want    []check.Problem
	}{
		"defaults":                 {Options{}, nil},
		"all well":                 {Options{Schemes: []string{"https"}, Hosts: hosts("*.example.org", "8.8.8.8", "wiki"), Ports: []int{1, 65535}, MaxLength: 1, Reachable: true}, nil},
		"private host, allowed":    {Options{Hosts: hosts("intranet.corp", "10.1.2.3"), Private: allow}, nil},
		"private host, warned of":  {Options{Hosts: hosts("intranet.corp"), Private: warn}, nil},
		"private host":             {Options{Hosts: hosts("*.corp")}, []check.Problem{{Field: "hosts", Message: "lists a host that would be refused all the same: it is a name that only a private network answers; set private: allow"}}},
		"loopback host":            {Options{Hosts: hosts("[::1]"), Private: allow}, []check.Problem{{Field: "hosts", Message: "lists a host that would be refused all the same: it is the loopback address; set loopback: allow"}}},
		"metadata":                 {Options{Hosts: hosts("169.254.169.254"), Private: allow}, []check.Problem{{Field: "hosts", Message: "lists a host that would be refused all the same: it is the address of cloud metadata, which no option allows"}}},
		"scheme":                   {Options{Schemes: []string{"HTTPS:"}}, []check.Problem{{Field: "schemes", Message: "must be schemes in lower case, without the colon, such as https"}}},
		"reachable by other means": {Options{Schemes: []string{"ssh"}, Reachable: true}, []check.Problem{{Field: "reachable", Message: "asks with HTTP: allow no schemes but http and https beside it"}}},
		"ports":                    {Options{Ports: []int{0, 65536}}, []check.Problem{{Field: "ports", Message: "must be from 1 to 65535"}, {Field: "ports", Message: "must be from 1 to 65535"}}},
		"length":                   {Options{MaxLength: -1}, []check.Problem{{Field: "max_length", Message: "must be from 0 to 65536"}}},
		"too long":                 {Options{MaxLength: 1 << 20}, []check.Problem{{Field: "max_length", Message: "must be from 0 to 65536"}}},
		"empty lists":              {Options{Schemes: []string{}, Hosts: []Pattern{}, Ports: []int{}}, []check.Problem{{Field: "schemes", Message: nothing}, {Field: "hosts", Message: nothing}, {Field: "ports", Message: nothing}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.options.problems()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecision(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "refuse", "warn", "allow"} {
		if got := (&Options{Private: good, Loopback: good, SingleLabel: good}).problems(); len(got) > 0 {
			t.Errorf("%q: %v", good, got)
		}
	}
	for _, bad := range []string{"Allow", "yes"} {
		o := &Options{Private: bad, Loopback: bad, SingleLabel: bad}
		if got := o.problems(); len(got) != 3 {
			t.Errorf("%q: %v, want three problems", bad, got)
		}
		if _, found := o.judged("http://127.0.0.1/"); !refuses(found) { // whoever does not ask for problems
			t.Errorf("%q: %v, want a refusal", bad, found)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for text, hosts := range map[string]map[string]bool{
		"example.org":         {"example.org": true, "EXAMPLE.org.": true, "a.example.org": false, "anexample.org": false, "example.org.evil.example": false},
		"*.example.org":       {"a.example.org": true, "a.b.example.org": true, "example.org": false, "anexample.org": false, "a.example.org.": true},
		"s3.*.example.org":    {"s3.eu.example.org": true, "s3.example.org": false, "s3.a.b.example.org": false, "x.s3.eu.example.org": false},
		"*.s3.*.example.org":  {"b.s3.eu.example.org": true, "a.b.s3.eu.example.org": true, "s3.eu.example.org": false},
		"MÜNCHEN.de.":         {"münchen.de": true, "xn--mnchen-3ya.de": true, "munchen.de": false},
		"8.8.8.8":             {"8.8.8.8": true, "0x08080808": true, "[::ffff:8.8.8.8]": true, "8.8.8.9": false, "8.8.8.8.example": false},
		"[2606:4700::1]":      {"[2606:4700:0:0::1]": true, "[2606:4700::2]": false},
		"::ffff:8.8.8.8":      {"8.8.8.8": true},
		"*.123.example":       {"a.123.example": true},
		"xn--mnchen-3ya.de":   {"münchen.de": true},
		"localhost":           {"localhost": true, "a.localhost": false},
		"under_score.example": {"under_score.example": true},
	} {
		p := pattern(t, text)
		if p.String() != text {
			t.Errorf("%s as a string: %s", text, p)
		}
		o := &Options{Hosts: []Pattern{p}, Loopback: allow}
		for h, want := range hosts {
			_, found := o.judged("https://" + h + "/")
			got := true
			for _, f := range found {
				got = got && f.Severity == check.Warning
			}
			if got != want {
				t.Errorf("%s allows %s: %v, want %v (%v)", text, h, got, want, found)
			}
		}
	}
	var none Pattern
	if none.match(host{name: "a"}) || none.match(host{}) {
		t.Error("the zero pattern names a host")
	}
}

// TestAnyHost: a policy may say that it means any public host, and nothing else changes.
func TestAnyHost(t *testing.T) {
	t.Parallel()
	anyOf, err := ParsePattern("*")
	if err != nil {
		t.Fatal(err)
	}
	given, without := &Options{Hosts: []Pattern{anyOf}, SingleLabel: refuse}, &Options{SingleLabel: refuse}
	for _, problems := range [][]check.Problem{given.problems(), (&Options{Hosts: []Pattern{anyOf}, Private: allow}).problems()} {
		if len(problems) > 0 {
			t.Errorf("has problems: %v", problems)
		}
	}
	if len((&Options{DenyHosts: []Pattern{anyOf}}).problems()) == 0 {
		t.Error("every host may be denied")
	}
	for _, text := range []string{"https://example.org/", "http://93.184.215.14/", "http://intranet/", "http://127.0.0.1/", "http://10.0.0.1/", "http://x.internal/", "http://169.254.169.254/"} {
		if got, want := findingsOf(given, text), findingsOf(without, text); len(got) != len(want) {
			t.Errorf("%s: %v with *, %v without", text, got, want)
		}
	}
}

func TestPatternIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.org": "must be a host alone",
		"example.org:443":     "must be a host alone",
		"example.org/a":       "must be a host alone",
		"u@example.org":       "must be a host alone",
		"[example.org]":       "must be a host alone",
		"fe80::1%eth0":        "must not have a zone",
		"*.*":                 "the last label must not be *",
		"example.*":           "the last label must not be *",
		"*example.org":        "a * stands for whole labels",
		"a*.example.org":      "a * stands for whole labels",
		"":                    "a label is empty",
		"a..b":                "a label is empty",
		".":                   "a label is empty",
		"*.":                  "the last label must not be *",
		"a b.example":         "is not a host",
		"a。b.example":         "is not a host name",
		"xn--a.example":       "is not a host name",
		"127.1":               "must be a name, or an address in its usual form",
		"1.2.3.4.5":           "is not a host",
		"a|b.example":         "is not a host",
	} {
		var p Pattern
		err := p.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || p.text != "" {
			t.Errorf("%q: %v, want %q and the pattern unchanged", text, err, want)
		}
	}
}

func findingsOf(o *Options, text string) []check.Finding {
	_, found := o.judged(text)
	return found
}
