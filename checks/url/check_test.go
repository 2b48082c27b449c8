// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
)

// findings runs the check over one value, and writes what it finds as case files do.
func findings(t *testing.T, o any, value any) string {
	t.Helper()
	run := new(check.Run).Init(Check, &call.Call{}, nil)
	run.Targets = []check.Target{{Pointer: "/url", Value: value, Options: o}}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := run.Skip; s != nil {
		t.Errorf("skipped: %s", s.Why)
	}
	var b strings.Builder
	for _, f := range run.Findings {
		b.WriteString(f.Severity.String() + " " + f.String() + "\n")
		if f.Suggestion != "" {
			b.WriteString("→ " + f.Suggestion + "\n")
		}
	}
	return b.String()
}

func pattern(t testing.TB, text string) Pattern {
	t.Helper()
	p, err := ParsePattern(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func TestCheckIsSound(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
	if _, ok := Demand.Options().(*Options); !ok {
		t.Errorf("the rule's options are %T", Demand.Options())
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	tight := &Options{Hosts: []Pattern{pattern(t, "*.example.org")}, Ports: []int{443}}
	open := &Options{Loopback: warn, Private: allow, SingleLabel: allow, Userinfo: true, Relative: true, Schemes: []string{"https", "ssh", "mailto", "file"}, MaxLength: 40}
	const control = "error /url: holds a control character or a line break, which parsers read in different ways: leave it out\n"
	for _, tt := range []struct {
		name    string
		options any
		value   any
		want    string
	}{
		{"public", &Options{}, "https://example.com/a?b#c", ""},
		{"no options", nil, "https://example.com/", ""},
		{"not a string", &Options{}, 7, "error /url: must be a string with a URL\n"},
		{"null", &Options{}, nil, "error /url: must be a string with a URL\n"},
		{"no scheme", &Options{}, "example.com", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"empty", &Options{}, "", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"zone", &Options{}, "http://[fe80::1%25eth0]/", "error /url: is not a URL: the IPv6 address has a zone, which means something on one machine alone: leave it out\n"},
		{"scheme", &Options{}, "gopher://example.com/", "error /url: the scheme is not allowed: must be http or https\n"},
		{"loopback", &Options{}, "http://127.0.0.1:8080/", "error /url: the host is the loopback address: only public hosts are allowed\n→ name a public host\n"},
		{"decimal", &Options{}, "http://2130706433/", "error /url: the host is the loopback address written as a decimal number: only public hosts are allowed\n→ name a public host\n"},
		{"several bases", &Options{}, "http://0x7f.0.0.01/", "error /url: the host is the loopback address written in several number bases: only public hosts are allowed\n→ name a public host\n"},
		{"embedded", &Options{}, "http://[64:ff9b::a9fe:a9fe]/", "error /url: the host is the address of cloud metadata inside a NAT64 address: only public hosts are allowed\n→ name a public host\n"},
		{"internal name", &Options{}, "http://db.prod.internal./", "error /url: the host is a name that only a private network answers written with a dot at its end: only public hosts are allowed\n→ name a public host\n"},
		{"metadata name", open, "https://metadata.google.internal/", "error /url: the host is a name of cloud metadata: only public hosts are allowed\n→ name a public host\n"},
		{"warned of", open, "https://localhost/", "warning /url: the host is a name of this machine, not a public host: make sure that it is meant\n"},
		{"private allowed", open, "https://10.0.0.1/", ""},
		{"single label", &Options{}, "https://wiki/", "warning /url: the host is a name without a dot, for private networks only: write the full name\n"},
		{"single label refused", &Options{SingleLabel: refuse}, "https://wiki/", "error /url: the host is a name without a dot, for private networks only: write the full name\n"},
		{"single label allowed", open, "https://wiki/", ""},
		{"single label listed", &Options{Hosts: []Pattern{pattern(t, "wiki")}}, "https://wiki/", ""},
		{"spells its address", &Options{}, "https://10.0.0.1.nip.io/", "warning /url: the host is a name that spells its own address, private or not: use the name of a server\n"},
		{"spells its address, resolved", &Options{Resolve: true}, "https://10.0.0.1.nip.io/", ""},
		{"rebinding", open, "https://7f000001.c0a80001.rbndr.us/", "error /url: the host is a name that changes its address between two questions: only public hosts are allowed\n→ name a public host\n"},
		{"unusual", &Options{}, "https://0x08080808/", "warning /url: the host is a public address written in hexadecimal, which some readers take for a name: write it as four decimal numbers\n"},
		{"userinfo", &Options{}, "https://u:p@example.com/", "error /url: a user name or password before the host is not allowed: begin with the host\n"},
		{"userinfo allowed", open, "https://u:p@example.com/", ""},
		{"two @", open, "https://u@10.0.0.1@example.com/", "error /url: parsers disagree about which @ the host follows: percent-encode the others as %40\n"},
		{"port 0", &Options{}, "https://example.com:0/", "error /url: port 0 cannot be reached: leave the port out\n"},
		{"tight", tight, "https://api.example.org/", ""},
		{"tight, all wrong", tight, "http://0x7f.1/", "error /url: the host is the loopback address written in hexadecimal: only public hosts are allowed\n→ name a public host\n" +
			"error /url: the host is not allowed: must be *.example.org\n" + "error /url: the port is not allowed: must be 443\n"},
		{"denied", &Options{DenyHosts: []Pattern{pattern(t, "*.example.org")}}, "https://a.b.example.org/", "error /url: the policy denies the host\n"},
		{"a host that ends early for some", tight, "https://evil.example;.example.org/", "error /url: the host has a character that no name has, and at which some readers end it\n→ write the name of the host alone\n"},
		{"backslash", tight, `https://api.example.org\@10.0.0.1/`, "error /url: parsers disagree about where this leads: write slashes instead of backslashes\n"},
		{"line break", &Options{}, "https://example.com\r\nHost: x/", control},
		{"tab", &Options{}, "https://exam\tple.com/", control},
		{"white space", &Options{}, " https://example.com/", "error /url: parsers disagree about where this leads: leave out the white space at its ends\n"},
		{"no slashes", &Options{}, "https:example.com", "error /url: parsers disagree about where this leads: two slashes must follow the scheme's colon\n"},
		{"encoded host", &Options{}, "https://ex%61mple.com/", "error /url: parsers disagree about where this leads: strict ones refuse it; write the host in plain characters, and percent-encode special ones behind it\n"},
		{"percent behind the host", &Options{}, "https://example.com/100%?q=%zz", ""},
		{"older reader", &Options{}, "https://example.com#@10.0.0.1/", "error /url: an @ follows the host with no / before it (put one there), so that to older readers the host is a private address: only public hosts are allowed\n"},
		{"older reader, harmless", &Options{}, "https://example.com?mail=a@example.org", ""},
		{"leading zeros", &Options{}, "https://010.8.8.8/", "warning /url: the host is a public address written in octal, which some readers take for a name: write it as four decimal numbers\n" +
			"error /url: the address has leading zeros, which some readers take for octal and others leave out, so that the host is a private address: only public hosts are allowed\n"},
		{"empty label", &Options{}, "https://a..b/", "error /url: is not a URL: a label of the host is empty\n"},
		{"only a dot", &Options{}, "https://./", "error /url: is not a URL: a label of the host is empty\n"},
		{"too long", open, "https://example.com/" + strings.Repeat("a", 40), "error /url: is longer than 40 bytes\n"},
		{"relative", open, "/docs?page=2#a", ""},
		{"relative, not allowed", &Options{}, "/docs", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"relative with a host", open, "//10.0.0.1/", "error /url: begins with two slashes, so the text behind them is a host: write the whole URL, or a path\n"},
		{"relative with a hidden host", open, "/\\evil.example/", "error /url: begins with two slashes, so the text behind them is a host: write the whole URL, or a path\n"},
		{"relative with a percent sign", open, "/a%zz/b", ""},
		{"relative to one parser", open, "1a:b", "error /url: parsers disagree about what this refers to: begin it with a slash\n"},
		{"relative with a control", open, "/a\x7f", control},
		{"other scheme", open, "ssh://git@example.com:22/x", ""},
		{"other scheme, number for a host", open, "ssh://169.254.43518/x", "error /url: the host is the address of cloud metadata written in a short form: only public hosts are allowed\n→ name a public host\n"},
		{"git over ssh", open, "git@example.com:a/b.git", ""},
		{"git over ssh, not allowed", &Options{}, "git@example.com:a/b.git", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"git over ssh, metadata", open, "git@169.254.169.254:a/b.git", "error /url: the host is the address of cloud metadata: only public hosts are allowed\n→ name a public host\n"},
		{"git over ssh, an option", open, "-oProxyCommand@example.com:a", "error /url: parsers disagree about what this refers to: begin it with a slash\n"},
		{"git over ssh, no host", open, "ssh:10.0.0.1:x", "error /url: is not a URL: the host is missing\n"},
		{"git over ssh, no authority", open, "ssh::x", "error /url: is not a URL: the host is missing\n"},
		{"git over ssh, an option for a host", open, "ssh://-oProxyCommand=id/x", "error /url: the host or user begins with a dash, which programs behind the server take for an option: name a host\n"},
		{"git over ssh, an option for a user", open, "ssh://%2doProxyCommand=id@example.com/x", "error /url: the host or user begins with a dash, which programs behind the server take for an option: name a host\n"},
		{"bare host, an option", &Options{Bare: true}, "-K.curlrc", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"bare host, an option with a path", &Options{Bare: true}, "-oa.example.com/x", "error /url: is not a URL: it does not begin with a scheme such as https://\n"},
		{"bare host", &Options{Bare: true}, "www.example.com/docs?a=b", ""},
		{"bare host with a port", &Options{Bare: true}, "example.com:8080", ""},
		{"bare host of this machine", &Options{Bare: true}, "localhost:3000", "error /url: the host is a name of this machine: only public hosts are allowed\n→ name a public host\n"},
		{"bare address", &Options{Bare: true}, "169.254.169.254/latest", "error /url: the host is the address of cloud metadata: only public hosts are allowed\n→ name a public host\n"},
		{"bare host, two readings", &Options{Bare: true}, "example.com#@10.0.0.1", "error /url: an @ follows the host with no / before it (put one there), so that to older readers the host is a private address: only public hosts are allowed\n"},
		{"no host", open, "mailto:someone@example.com", ""},
		{"no host, but hosts", &Options{Schemes: []string{"mailto"}, Hosts: tight.Hosts}, "mailto:a@example.com", "error /url: the host is not allowed: must be *.example.org\n"},
		{"file", open, "file:///srv/data", ""},
		{"file of this machine", open, "file://localhost/srv/data", ""},
		{"file of another", open, "file://nas.corp/x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, findings(t, tt.options, tt.value)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", tt.value, diff)
			}
		})
	}
}

// TestDisagreement holds that each part of a URL is compared, with invented readings for parts
// that known parsers agree about.
func TestDisagreement(t *testing.T) {
	t.Parallel()
	const raw = "https://u@a.example:8443/b"
	for other, want := range map[string]string{
		raw:                              "",
		"https://u@A.EXAMPLE:08443/c#d":  "",
		"http://u@a.example:8443/b":      "the scheme differs",
		"https://u@b.example:8443/b":     "the host differs",
		"https://u@a.example:8444/b":     "the port differs",
		"https://u@a.example/b":          "the port differs",
		"https://a.example:8443/b":       "the user name differs",
		"https://u@xn--0ca.example:8443": "the host differs",
	} {
		u, err := whatwg.Parse(other)
		if err != nil {
			t.Fatal(err)
		}
		if got := disagreement(raw, &u); got != want {
			t.Errorf("%s: got %q, want %q", other, got, want)
		}
	}
}

// TestReadmeShowsWhatIsFound holds that the indented lines of the README's example are the
// findings on its two URLs.
func TestReadmeShowsWhatIsFound(t *testing.T) {
	t.Parallel()
	_, example, _ := strings.Cut(doc, "\n## Example\n")
	example, _, _ = strings.Cut(example, "\n## ")
	var shown []string
	for line := range strings.Lines(example) {
		if text, ok := strings.CutPrefix(line, "    "); ok {
			shown = append(shown, strings.TrimSpace(text))
		}
	}
	o := &Options{Hosts: []Pattern{pattern(t, "*.example.org")}, Ports: []int{443}}
	var found []string
	for _, value := range []string{"http://0x7f.1/", `https://api.example.org\@10.0.0.1/`} {
		if !strings.Contains(example, "`"+value+"`") {
			t.Errorf("the example does not show %s", value)
		}
		for line := range strings.Lines(findings(t, o, value)) {
			found = append(found, strings.TrimPrefix(strings.TrimSpace(line), "error "))
		}
	}
	if diff := cmp.Diff(found, shown); diff != "" {
		t.Errorf("the example (-found +shown):\n%s", diff)
	}
}

func TestJudgePlace(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]leads.Host{
		"https://EXAMPLE.com.:8443/": {Scheme: "https", Name: "example.com", Port: 8443},
		"http://münchen.de/":         {Scheme: "http", Name: "xn--mnchen-3ya.de", Port: 80},
		"http://0x08080808/":         {Scheme: "http", Addr: addr(t, "8.8.8.8"), Port: 80},
		"https://[::ffff:8.8.8.8]/":  {Scheme: "https", Addr: addr(t, "::ffff:8.8.8.8"), Port: 443},
		"/docs":                      {},
	} {
		got, found := (&Options{Relative: true}).judged(raw)
		for _, f := range found {
			if f.Severity == check.Error {
				t.Errorf("%s: %s", raw, f)
			}
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestJudgeAddr(t *testing.T) {
	t.Parallel()
	o := &Options{Private: warn, DenyHosts: []Pattern{pattern(t, "1.2.3.4")}}
	for text, want := range map[string]string{
		"8.8.8.8":          "",
		"10.0.0.1":         "warning it has a private address, not a public host: make sure that it is meant",
		"::ffff:127.0.0.1": "error it has the loopback address inside an IPv4-mapped IPv6 address: only public hosts are allowed",
		"fe80::1%eth0":     "error it has a link-local address: only public hosts are allowed",
		"::ffff:1.2.3.4":   "error it has an address that the policy denies",
	} {
		got := ""
		if f := o.judgeAddr("it has", addr(t, text)); f != nil {
			got = f.Severity.String() + " " + f.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
