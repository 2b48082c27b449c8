// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"net/url"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/secrets"
)

// A finder finds possible secrets.
type finder struct{ scanner *secrets.Scanner }

func newFinder() (*finder, error) {
	s, err := secrets.New(secrets.Options{})
	return &finder{s}, err
}

var (
	secretName = lazyregexp.New(`(?i)key|token|secret|pass|pwd|auth|cred|cookie|session|private|cert|sign|salt|dsn|conn|hook|jwt|bearer|licen[cs]e|(^|[_-])(pin|pw|pat|otp)$`)

	// Values that are certainly no secrets: booleans, small numbers, plain words, paths, addresses of
	// hosts.
	harmlessValue = lazyregexp.New(`^(|[0-9]{1,6}(\.[0-9]{1,3})?|[A-Za-z]{1,16}|[a-z]{1,12}([-_.][a-z0-9]{1,12}){1,3}|[a-z0-9.-]{1,40}:[0-9]{2,5})$`)
	harmlessPath  = lazyregexp.New(`^(~|\.{1,2}|[A-Za-z]:)?([/\\][A-Za-z0-9 ._@+()-]{0,40})+$`)

	// A mixture of letters and digits without words.
	mixture = lazyregexp.New(`^([A-Za-z0-9+/=_-]{20,}|[0-9a-fA-F]{16,})$`)
)

// harmless reports whether a value may be copied: neither its name nor the value suggests a secret, and
// its kind excludes one.
func (f *finder) harmless(name, value string) bool {
	if secretName.MatchString(name) || f.found(name+"="+value) || f.found(value) {
		return false
	}
	return harmlessValue.MatchString(value) || harmlessPath.MatchString(value) && !blob(value) || f.harmlessURL(value)
}

func (f *finder) found(s string) bool { return len(f.scanner.Scan(s)) > 0 }

// harmlessURL reports whether a text is a URL without room for a secret: no user, no query, and only
// words in its path.
func (f *finder) harmlessURL(s string) bool {
	u, err := url.Parse(s)
	if err == nil && u.Scheme == "file" && u.Host == "" {
		return harmlessPath.MatchString(u.Path) && !blob(u.Path)
	}
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || f.found(s) {
		return false
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) > 30 || blob(part) {
			return false
		}
	}
	return true
}

var (
	upper = lazyregexp.New(`[A-Z]`)
	lower = lazyregexp.New(`[a-z]`)
	digit = lazyregexp.New(`[0-9]`)
	hex   = lazyregexp.New(`^[0-9a-fA-F-]{16,}$`)
)

// blob reports whether a text, or a part of a path, looks random.
func blob(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(`/\.@ `, r) }) {
		if mixture.MatchString(part) && digit.MatchString(part) && (hex.MatchString(part) || upper.MatchString(part) && lower.MatchString(part)) {
			return true
		}
	}
	return false
}

// value returns the template of an environment value.
func (w *words) value(name, given string) string {
	rest, refers := literal(given)
	if w.secrets.harmless(name, rest) || refers && strings.TrimSpace(rest) == "" {
		return w.replace(given)
	}
	reference := w.refer(variableName(name), given)
	w.hides("the value of %s is not copied: set the environment variable %s", name, reference[2:len(reference)-1])
	return reference
}

// header returns the template of a header's value.
func (w *words) header(name, given string) string {
	rest, refers := literal(given)
	if scheme := strings.TrimSpace(rest); refers && (scheme == "" || strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
		return w.replace(given)
	}
	scheme, secret, ok := strings.Cut(given, " ")
	if !ok || !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "basic") {
		scheme, secret = "", given
	} else {
		scheme += " "
	}
	return scheme + w.hide("the header "+name, secret, w.server.Name, name)
}

// hide replaces a possible secret by a reference.
func (w *words) hide(what, value string, name ...string) string {
	reference := w.refer(variableName(name...), value)
	w.hides("%s is not copied: set the environment variable %s, or nobody reaches the server", what, reference[2:len(reference)-1])
	return reference
}

func (w *words) url(given string) string {
	rest, refers := literal(given)
	if refers && !strings.ContainsAny(rest, "?@") && !w.secrets.found(rest) || w.secrets.harmlessURL(given) {
		return w.replace(given)
	}
	return w.hide("the url", given, w.server.Name, "url")
}

var (
	assignment = lazyregexp.New(`^(-{0,2}[A-Za-z_][A-Za-z0-9_-]*)=(.+)$`)
	headerLine = lazyregexp.New(`^([A-Za-z][A-Za-z0-9-]*):\s*(.+)$`)
	flag       = lazyregexp.New(`^--?[A-Za-z][A-Za-z0-9-]*$`)
	headerFlag = lazyregexp.New(`^(-H|--header)$`)

	// USER:PASSWORD, as for curl; docker takes the numbers of a user and a group.
	userFlag = lazyregexp.New(`^(-u|--user)$`)
	login    = lazyregexp.New(`:.*[^0-9]`)
)

// arguments returns the templates of a command's arguments.
func (w *words) arguments(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		before := ""
		if i > 0 {
			before = args[i-1]
		}
		out[i] = w.argument(before, arg)
	}
	return out
}

// argument returns the template of an argument that follows another.
func (w *words) argument(before, arg string) string {
	what := "a part of its arguments"
	rest, refers := literal(arg)
	if refers && strings.TrimSpace(rest) == "" {
		return w.replace(arg)
	}
	if m := headerLine.FindStringSubmatch(arg); m != nil && headerFlag.MatchString(before) {
		return m[1] + ": " + w.header(m[1], m[2])
	}
	named := flag.MatchString(before) && !strings.HasPrefix(arg, "-") && secretName.MatchString(before)
	if named || userFlag.MatchString(before) && login.MatchString(arg) {
		return w.hide(what, arg, w.server.Name, before)
	}
	if m := assignment.FindStringSubmatch(arg); m != nil {
		value, refers := literal(m[2])
		name := strings.TrimLeft(m[1], "-")
		if !(refers && strings.TrimSpace(value) == "") && (secretName.MatchString(name) || w.suspicious(value)) {
			words := []string{w.server.Name, name}
			if name == m[1] { // NAME=VALUE, as in docker run -e
				words = words[1:]
			}
			return escape(m[1]) + "=" + w.hide(what, m[2], words...)
		}
		return w.replace(arg)
	}
	if w.suspicious(rest) {
		return w.hide(what, arg, w.server.Name, "argument")
	}
	return w.replace(arg)
}

// suspicious reports whether an argument may be or contain a secret. Many arguments are programs,
// packages and directories, so not every argument can count as one.
func (w *words) suspicious(arg string) bool {
	if strings.Contains(arg, "://") {
		return !w.secrets.harmlessURL(arg)
	}
	return w.secrets.found(arg) || blob(arg)
}
