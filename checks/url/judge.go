// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"errors"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url/internal/whatwg"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// judged says where a URL leads and what is wrong with it, without asking the network. The
// findings have no pointer. The host counts only if none of them is an error.
func (o *Options) judged(raw string) (leads.Host, []check.Finding) {
	if o.Guess {
		return o.guess(raw)
	}
	j := judging{options: o}
	place := j.judge(raw)
	return place, j.findings
}

func (j *judging) judge(raw string) leads.Host {
	if len(raw) > j.options.maxLength() {
		j.tooLong()
		return leads.Host{}
	}
	if strings.ContainsFunc(raw, unicode.IsControl) {
		j.malformed("holds a control character or a line break, which parsers read in different ways: leave it out")
		return leads.Host{}
	}
	raw = j.options.whole(raw)
	u, err := whatwg.Parse(raw)
	switch {
	case errors.Is(err, whatwg.ErrNoScheme):
		j.reference(raw)
		return leads.Host{}
	case err != nil:
		j.malformed("is not a URL: %v", err)
		return leads.Host{}
	}
	j.url(raw, &u)
	h := hostOf(u.Host)
	return leads.Host{Scheme: u.Scheme, Name: h.name, Addr: h.addr, Port: u.Port}
}

var (
	bareHost = lazyregexp.New(`^([A-Za-z0-9_][A-Za-z0-9_-]*\.)+[A-Za-z0-9-]+(:[0-9]+)?([/?#]|$)|^localhost(:[0-9]+)?([/?#]|$)`)
	gitPlace = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9_.-]*@)([A-Za-z0-9][A-Za-z0-9.-]*):([^/:][^:]*)$`)
)

var (
	hosted = lazyregexp.New(`^(git|svn|hg|bzr|ssh|sftp|scp|rsync|ftps|telnet|ldaps?|redis|amqp|mqtt)(\+[a-z]+)?$`) // useless without a host
	dashed = lazyregexp.New(`(?i)^(-|%2d)`)
)

// whole writes a URL in full where people leave its scheme out: in user@host:path, which git and scp take for ssh, and in
// www.example.org if bare hosts are allowed. Other texts stay as they are.
func (o *Options) whole(raw string) string {
	if m := gitPlace.FindStringSubmatch(raw); m != nil && slices.Contains(o.schemes(), "ssh") {
		return "ssh://" + m[1] + m[2] + "/" + m[3]
	}
	if o.Bare && bareHost.MatchString(raw) {
		return "https://" + raw
	}
	return raw
}

// A judging collects what is found in one URL.
type judging struct {
	options  *Options
	findings []check.Finding
}

// refuse is not inlined: its copies weigh more than they save.
//
//go:noinline
func (j *judging) refuse(format string, args ...any) {
	j.findings = append(j.findings, check.Finding{Message: fmt.Sprintf(format, args...)})
}

func (j *judging) warn(format string, args ...any) {
	j.findings = append(j.findings, check.Finding{Severity: check.Warning, Message: fmt.Sprintf(format, args...)})
}

func (j *judging) malformed(format string, args ...any) {
	j.findings = append(j.findings, check.Finding{Level: check.SyntaxLevel, Message: fmt.Sprintf(format, args...)})
}

func (j *judging) tooLong() { j.malformed("is longer than %d bytes", j.options.maxLength()) }

func (j *judging) url(raw string, u *whatwg.URL) {
	o := j.options
	switch schemes := o.schemes(); {
	case slices.Contains(schemes, u.Scheme):
	case o.Guess && !slices.Contains(attacks, u.Scheme):
		j.warn("the scheme is none that tools usually fetch: make sure that it is meant")
	default:
		j.refuse("the scheme is not allowed: must be %s", alternatives(schemes))
	}
	if u.Userinfo && !o.Userinfo {
		j.refuse("a user name or password before the host is not allowed: begin with the host")
	}
	if u.Host.Opaque && u.Host.Text != "" {
		// A connecting client takes the host for a name or an address all the same.
		h, err := whatwg.ParseHost(u.Host.Text)
		if err != nil {
			j.malformed("is not a URL: %v", err)
			return
		}
		u.Host = h
	}
	if u.Host.Text == "" && !u.Host.Addr.IsValid() && hosted.MatchString(u.Scheme) {
		j.malformed("is not a URL: %v", whatwg.ErrNoHost) // git takes ssh:a for the path a on the host ssh
		return
	}
	if dashed.MatchString(u.Host.Text) || dashed.MatchString(u.Username) {
		j.refuse("the host or user begins with a dash, which programs behind the server take for an option: name a host")
	}
	j.host(hostOf(u.Host))
	j.port(u)
	j.otherReaders(raw, u)
}

func (j *judging) port(u *whatwg.URL) {
	ports := j.options.Ports
	switch {
	case u.HasPort && u.Port == 0:
		j.refuse("port 0 cannot be reached: leave the port out")
	case len(ports) > 0 && !slices.Contains(ports, int(u.Port)):
		texts := make([]string, len(ports))
		for i, port := range ports {
			texts[i] = fmt.Sprint(port)
		}
		j.refuse("the port is not allowed: must be %s", alternatives(texts))
	}
}

// reference judges what has no scheme. A reference that begins with two slashes names a host, and
// backslashes count as slashes, as in browsers.
func (j *judging) reference(raw string) {
	stripped := whatwg.Strip(raw)
	switch {
	case !j.options.Relative:
		j.malformed("is not a URL: %v", whatwg.ErrNoScheme)
	case len(stripped) > 1 && strings.Trim(stripped[:2], `/\`) == "":
		j.refuse("begins with two slashes, so the text behind them is a host: write the whole URL, or a path")
	default:
		g, err := neturl.Parse(raw)
		if errors.As(err, new(neturl.EscapeError)) {
			return // a percent sign that encodes nothing makes no host
		}
		if err != nil || g.Scheme != "" || g.Host != "" || g.Opaque != "" {
			j.refuse("parsers disagree about what this refers to: begin it with a slash")
		}
	}
}

// maxListed bounds how many of a policy's values a message lists.
const maxListed = 8

func alternatives(words []string) string {
	listed := words[:min(len(words), maxListed)]
	last := len(listed) - 1
	switch {
	case len(words) > len(listed):
		return fmt.Sprintf("%s, or one of %d more", strings.Join(listed, ", "), len(words)-len(listed))
	case last == 0:
		return listed[0]
	}
	return strings.Join(listed[:last], ", ") + " or " + listed[last]
}
