// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/subpath"
)

// A probe can be judged at the system call: a random name in it turns up in the path that a program opens, in the
// host that it looks up, or at the port that it connects to. That needs no answer of the tool, no known root, and no
// service. A harmless value shows first where names of the parameter land; a name elsewhere has got out.

// markSize is the length of the world's mark. With the rest of a name, it is as long as a token.
const markSize = 10

// name is a random name with the mark of the world: the sandbox reports system calls with it.
func (w *world) name() string { return w.mark + token()[markSize:] }

// witnesses reports whether a system call proves what a server does. In walls it proves nothing: they end it.
func (a *auditor) witnesses() bool {
	return a.session != nil && a.session.box != nil && (a.launcher == nil || a.launcher.walls == nil)
}

// gather takes over the new events of the session.
func (a *auditor) gather() {
	if a.session == nil || a.session.box == nil {
		return
	}
	_ = a.session.box.Settle() // if the sandbox has ended, nothing more will come
	events := a.session.box.Events()
	for _, e := range events[min(a.session.gathered, len(events)):] {
		if e.Path != "" || e.Name != "" || e.Connect != "" {
			a.events = append(a.events, e)
		}
		a.events = append(a.events, a.given(e)...)
		a.session.lost = a.session.lost || e.Lost
	}
	a.session.gathered = len(events)
}

// A happening is what became of calls.
type happening struct {
	events  []sandbox.Event
	refused []bool // the answer refuses the value: see [refuses]
	failed  string // why not every call was answered
}

// happened makes calls with values, and returns what the sandbox saw of them.
func (a *auditor) happened(ctx context.Context, t *tool, p parameter, values ...string) (h happening) {
	a.gather()
	a.events = nil
	h.refused = make([]bool, len(values))
	calls := make([]map[string]any, len(values))
	for i, value := range values {
		calls[i] = t.sample(a.world, setting{p, value})
	}
	a.each(ctx, t, calls, func(i int, r reply) bool {
		a.mend()
		if r.failed != "" && (!r.late && !r.gone || a.silent(t)) {
			h.failed = r.failed
		}
		h.refused[i] = refuses(p, values[i], r)
		return h.failed != ""
	})
	if a.gather(); a.blind() {
		h.failed = tooMuch
		a.spend() // the next session reports again
	}
	if p.kind != infer.Path || onAnother.MatchString(p.name+" "+p.description) { // any text may be an argument of a program, and no path
		a.events = slices.DeleteFunc(a.events, func(e sandbox.Event) bool { return e.Exec != nil })
	}
	h.events = a.events
	return h
}

// onAnother finds parameters for paths of another machine.
var onAnother = lazyregexp.New(`(?i)remote|device|container|\bpod\b|\bhost\b|cluster|bucket|sdcard|emulator|simulator|guest|\bvm\b|in the (app|image|vault|repository)`)

// given are the paths with a mark among the arguments of a missing program's stand-in: the program would open them. A program
// that reaches another machine would look for them there, and has a stand-in of its own.
func (a *auditor) given(e sandbox.Event) []sandbox.Event {
	if len(e.Exec) == 0 || !a.world.learned[a.world.standsIn(e.Exec)] {
		return nil
	}
	var list []sandbox.Event
	for _, arg := range e.Exec[1:] {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if strings.Contains(arg, a.world.mark) && path.IsAbs(arg) && !strings.ContainsAny(arg, "\x00\n\"'`$;|&<>(){}\\") {
			list = append(list, sandbox.Event{PID: e.PID, Exec: e.Exec, Path: a.world.leadsTo(arg), Call: "execve of " + path.Base(e.Exec[0])})
		}
	}
	return list
}

const tooMuch = "the server did more at once than the sandbox reports"

// blind reports whether something may have happened unseen.
func (a *auditor) blind() bool { return a.session != nil && a.session.lost }

// A landing is where a harmless name of a parameter turned up.
type landing struct {
	dirs  []string // below which a path with it lies
	hosts []string // what follows it in a host's name
}

// add notes where the name in a value landed.
func (l *landing) add(events []sandbox.Event, value, name string) {
	for _, e := range events {
		if dir, ok := landedIn(e.Path, value, name); ok && !slices.Contains(l.dirs, dir) {
			l.dirs = append(l.dirs, dir)
		}
		if _, rest, ok := strings.Cut(e.Name, name); ok && !slices.Contains(l.hosts, rest) {
			l.hosts = append(l.hosts, rest)
		}
	}
}

// landedIn is the directory in which a value was put to make a path: the one before the whole value, or else the one
// with the name.
func landedIn(place, value, name string) (string, bool) {
	before, _, ok := strings.Cut(place, name)
	if !ok {
		return "", false
	}
	if dir, whole := strings.CutSuffix(place, "/"+strings.Trim(value, "/")); whole && dir != "" {
		return dir, true
	}
	return path.Dir(before + "x"), true
}

// land finds where harmless values of a parameter land. Few are tried of one that does not look like a path.
func (a *auditor) land(ctx context.Context, t *tool, p parameter) (l landing, ext, failed string) {
	extensions := []string{"", ".txt", ".md"}
	if p.kind != infer.Path && !t.names(p) {
		extensions = extensions[:1]
	}
	for _, ext = range extensions {
		dirs := []string{"", a.world.inside("root") + "/"}
		if t.base != "" {
			dirs = append(dirs, t.base+"/")
		}
		for _, dir := range dirs {
			name := a.world.name()
			h := a.happened(ctx, t, p, dir+name+ext)
			if l.add(h.events, dir+name+ext, name); h.failed != "" {
				return l, ext, h.failed
			}
		}
		if len(l.dirs) > 0 {
			return l, ext, ""
		}
	}
	return l, "", ""
}

// marks tries whether names of a parameter get out of the place where a harmless one lands. A weakness that was found
// in another way needs no second proof.
func (a *auditor) marks(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.Path)
	if !a.witnesses() || a.found(c) {
		return
	}
	l, ext, failed := a.land(ctx, t, p)
	if len(l.hosts) > 0 && failed == "" && !a.found(cell(t, p, audit.URL)) {
		a.markedHosts(ctx, t, p, l)
	}
	if failed != "" && len(l.dirs) > 0 {
		a.forget(c)
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: failed})
	}
	if len(l.dirs) == 0 || failed != "" {
		return
	}
	probes := a.pathProbes(form{writes: true, ext: ext})
	ups := []string{"../", "../../../", "~/.ssh/", "~/"} // of a root of the server's own
	if t.base != "" {
		ups = append([]string{t.base + "/../../../"}, ups...)
	}
	for _, up := range ups {
		fresh := a.world.name()
		probe := pathProbe{kind: "dot-dot", words: "a path with ..", value: up + fresh + ext, fresh: fresh}
		if strings.HasPrefix(up, "~/") {
			probe.kind, probe.words = "home", "a path that begins with ~"
		}
		probes = append(probes, probe)
	}
	values := make([]string, len(probes))
	for i, probe := range probes {
		values[i] = probe.value
	}
	h := a.happened(ctx, t, p, values...)
	got := map[string]bool{}
	// A server that was told of no root may take the user's directory for one of its own. It holds its roots if nothing else got out, and if
	// the hidden part of that directory is closed.
	own, settled := false, false
	for i, probe := range probes { // those of the user's directory come last
		plain := probe.kind == "absolute" || probe.kind == "dot-dot" // an odd name may pass where these do not
		settled = settled || plain && h.refused[i]
		for _, e := range h.events {
			if !strings.Contains(e.Path, path.Base(probe.fresh)) {
				continue
			}
			if settled = settled || plain; !a.outside(e.Path, l) {
				continue
			}
			if probe.kind == "sibling-prefix" && !subpath.In(e.Path, a.world.inside("root-evil")) { // of another root
				probe.kind, probe.words = "dot-dot", "a path with .."
			}
			if got[probe.kind] {
				continue
			}
			if probe.kind == "home" && len(got) == 0 && !a.rootGiven && !subpath.In(e.Path, a.world.inside("home", ".ssh")) {
				own = true
				continue
			}
			if got[probe.kind] = true; len(got) == 1 {
				a.forget(c)
			}
			a.proof(c, t, p, probe.value, probe.kind, probe.words+" gets out of the place of a harmless value", "the system call "+e.Call+" with the path "+a.shown(e.Path), len(probes))
		}
	}
	switch {
	case len(got) > 0:
	case h.failed != "" || len(h.events) == 0 && !a.answering(t):
		a.forget(c)
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "a harmless name became a path, and not every probe was answered"})
	case slices.ContainsFunc(a.result.Facts, func(f audit.Fact) bool { return f.Cell == c && f.Verdict == audit.Guarded }):
	case !settled:
		a.forget(c)
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "a harmless name became a path, and the names of probes were seen neither there nor refused"})
	default:
		a.forget(c)
		why := fmt.Sprintf("a harmless name became a path, and none of %d probes became one elsewhere", len(probes))
		if own {
			why += ", but that of the user's directory, which the server takes for its own"
		}
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: why})
	}
}

// outside reports whether a path is where no harmless name lands, or in a directory of ours that nothing has a reason
// to open: a hostile server may open harmless names in more places than it needs.
func (a *auditor) outside(place string, l landing) bool {
	if slices.ContainsFunc(outsideRoot, func(dir string) bool { return subpath.In(place, a.world.inside(dir)) }) {
		return true
	}
	return !slices.ContainsFunc(append(l.dirs, a.world.inside("root")), func(dir string) bool { return subpath.In(place, dir) })
}

// shown is a path for a report: of a place that two audits share.
func (a *auditor) shown(place string) string {
	if subpath.In(place, a.world.at) {
		return place
	}
	return "…/" + path.Base(place)
}

// answering reports whether a tool has answered its last calls.
func (a *auditor) answering(t *tool) bool { return a.late[t.Name] == 0 && a.dead == nil }

// found reports whether a cell has a weakness that counts.
func (a *auditor) found(c audit.Cell) bool {
	return slices.ContainsFunc(a.result.Facts, func(f audit.Fact) bool {
		return f.Cell == c && f.Verdict == audit.Vulnerable && f.Confidence != audit.Metadata
	})
}

// forget drops what was said of a cell, because more is known now.
func (a *auditor) forget(c audit.Cell) {
	a.result.Facts = slices.DeleteFunc(a.result.Facts, func(f audit.Fact) bool { return f.Cell == c })
}

// evilHost is the end of names that no tool means.
const evilHost = "evil-site.com"

// markedHosts tries whether a name that becomes a part of a host can become the whole of it.
func (a *auditor) markedHosts(ctx context.Context, t *tool, p parameter, l landing) {
	c := cell(t, p, audit.URL)
	var values, names []string
	for _, end := range []string{"", "/", "/#", "?", ":80/"} {
		name := a.world.name()
		names, values = append(names, name), append(values, name+"."+evilHost+end)
	}
	h := a.happened(ctx, t, p, values...)
	if slices.Contains(l.hosts, "") { // the value is all of the name: that is what the parameter is for
		return
	}
	arrived := false
	for i, name := range names {
		arrived = arrived || slices.ContainsFunc(h.events, func(e sandbox.Event) bool { return strings.Contains(e.Name, name) })
		if slices.ContainsFunc(h.events, func(e sandbox.Event) bool { return strings.TrimSuffix(e.Name, ".") == name+"."+evilHost }) {
			a.forget(c)
			a.proof(c, t, p, values[i], "allow-list-prefix", "a part of the host's name becomes the whole of it", "a look-up of RANDOM."+evilHost, len(values))
			return
		}
	}
	switch {
	case h.failed != "" || a.found(c):
	case !arrived && !slices.Contains(h.refused, true):
		a.forget(c)
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the text became a part of a host's name, and probes were seen neither there nor refused"})
	default:
		a.forget(c)
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("the text became a part of a host's name, and in none of %d probes the whole of it", len(values))})
	}
}

// A hostProbe is a value that leads to a forbidden address, which nothing else inside connects to.
type hostProbe struct{ kind, words, host, address string }

// connections tries whether a parameter decides where the server connects to. It needs no answer, so that it also tells
// of tools that speak no HTTP. told reports whether something was said of the parameter.
func (a *auditor) connections(ctx context.Context, t *tool, p parameter) (told bool) {
	if !a.witnesses() {
		return false
	}
	for _, scheme := range schemes(t, p) {
		port := randomPort()
		name := a.world.name() + "." + publicHost
		h := a.happened(ctx, t, p, scheme+withPort(name, port))
		if h.failed != "" {
			return false
		}
		if !slices.ContainsFunc(h.events, func(e sandbox.Event) bool { return e.Connect == withPort(fixedNames()[publicHost][0].String(), port) }) {
			continue
		}
		probes := a.hostProbes()
		values := make([]string, len(probes))
		for i, probe := range probes {
			values[i] = scheme + probe.host
		}
		h = a.happened(ctx, t, p, values...)
		c, got := cell(t, p, audit.URL), map[string]bool{}
		for i, probe := range probes {
			if !got[probe.kind] && slices.ContainsFunc(h.events, func(e sandbox.Event) bool { return e.Connect == probe.address }) {
				got[probe.kind] = true
				a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: probe.kind, Why: "a connection goes to " + probe.words,
					Proof: &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, masked(values[i])}))), Seen: "the system call connect with the address in the value", Probes: len(probes)}})
			}
		}
		switch {
		case len(got) > 0:
		case h.failed != "":
			a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: h.failed})
		case !slices.Contains(h.refused, true):
			a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "a connection to a public address was made, and no answer refuses another address"})
		default:
			a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("a connection to a public address was made, and in none of %d probes one to another", len(probes))})
		}
		return true
	}
	return false
}

// hostProbes are forbidden addresses with random ports.
func (a *auditor) hostProbes() []hostProbe {
	var list []hostProbe
	for _, at := range []struct{ kind, words, host, address string }{
		{"ssrf-loopback", "the machine itself", "127.0.0.1", "127.0.0.1"},
		{"ssrf-loopback", "the machine itself by IPv6", "::1", "::1"},
		{"ssrf-private", "a private address", "10.0.0.5", "10.0.0.5"},
		{"ssrf-private", "a private address of class C", "192.168.1.10", "192.168.1.10"},
		{"ssrf-metadata", "the metadata service of clouds", "169.254.169.254", "169.254.169.254"},
		{"ssrf-spelling", "the machine itself, as an IPv4-mapped address", "::ffff:127.0.0.1", "127.0.0.1"},
		{"ssrf-dns", "the machine itself by a name of the DNS", a.world.name() + "." + loopbackHost, "127.0.0.1"},
		{"ssrf-dns", "a private address by a name of the DNS", a.world.name() + "." + privateHost, "10.20.30.40"},
	} {
		port := randomPort()
		list = append(list, hostProbe{at.kind, at.words, withPort(at.host, port), withPort(at.address, port)})
	}
	return list
}

// withPort is a host with a port.
func withPort(host string, port int) string {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		return fmt.Sprintf("[%s]:%d", host, port)
	}
	return fmt.Sprintf("%s:%d", host, port)
}

// masked is a value without its random port, so that two reports of a server are the same.
func masked(value string) string {
	return value[:strings.LastIndexByte(value, ':')+1] + "PORT"
}

// randomPort is a port that nothing else uses.
func randomPort() int {
	n, err := rand.Int(rand.Reader, big.NewInt(12_000))
	if err != nil { // crypto/rand does not fail
		return 20_011
	}
	return 20_000 + int(n.Int64())
}

// schemeName finds the beginnings of URLs.
var schemeName = lazyregexp.New(`\b[a-z][a-z0-9+.-]{1,15}://`)

// schemes are the beginnings of URLs that a parameter may take: none, that of HTTP, and those in its description.
func schemes(t *tool, p parameter) []string {
	list := []string{"", "http://"}
	for _, m := range schemeName.FindAllString(p.description+" "+t.Description, 10) {
		if !slices.Contains(list, m) && m != "https://" && m != "file://" && len(list) < 5 {
			list = append(list, m)
		}
	}
	return list
}
