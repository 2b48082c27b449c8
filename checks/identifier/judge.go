// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package identifier

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A kind is a form that programs agree on.
type kind struct {
	what string // with an example
	fits func(s string) bool
}

// kinds are strict on purpose: none begins with a hyphen, like flags, and none holds white space,
// quotes or other characters that are special to a shell or a database.
var kinds = map[string]kind{
	"uuid":         {"a UUID such as 123e4567-e89b-12d3-a456-426614174000", form(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)}, // RFC 9562
	"slug":         {"a slug such as release-notes-2: lower-case letters and digits, joined by hyphens", form(`[a-z0-9]+(-[a-z0-9]+)*`)},
	"sql":          {"a name in a database such as orders or public.orders: letters, digits and underscores, up to 63 a part", form(`[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62}){0,2}`)},
	"env":          {"the name of an environment variable such as LOG_LEVEL", form(`[A-Za-z_][A-Za-z0-9_]*`)}, // POSIX.1-2017, 8.1
	"docker_image": {"a container image such as ghcr.io/acme/app:1.4, in lower case", image},
	"git_ref":      {"a git branch, tag or commit such as feature/login", gitRef},
	"name":         {"a name of one thing such as feature/login: no dash at its beginning, no step such as .., no control character", name},
	"hostname":     {"a host name such as db-1.example.org", hostname},
	"semver":       {"a version such as 1.4.0 or 2.0.0-rc.1", version}, // semver.org 2.0.0
}

// form is not inlined: its copies weigh 5 kB.
//
//go:noinline
func form(pattern string) func(string) bool {
	return lazyregexp.New(`\A(?:` + pattern + `)\z`).MatchString
}

// judge says what is wrong with an identifier. The findings have no pointer yet.
func (o *Options) judge(s string) []check.Finding {
	limit := o.MaxLength
	if limit <= 0 {
		limit = defaultLength
	}
	if utf8.RuneCountInString(s) > limit {
		return []check.Finding{{Message: fmt.Sprintf("must have at most %d characters", limit)}}
	}
	if len(o.Kinds) > 0 && !slices.ContainsFunc(o.Kinds, func(k string) bool { return kinds[k].fits != nil && kinds[k].fits(s) }) {
		return []check.Finding{{Message: "must be " + o.allowed()}}
	}
	if o.Pattern != nil && !matchesWhole(o.Pattern, s) {
		return []check.Finding{{Message: "must match the whole pattern " + o.Pattern.String()}}
	}
	return nil
}

func (o *Options) allowed() string {
	var list []string
	for _, k := range o.Kinds {
		list = append(list, kinds[k].what)
	}
	return strings.Join(list, ", or ")
}

// hostname follows RFC 1123, section 2.1. A name whose last label is a number is an
// address in some spelling to many programs.
func hostname(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if !hostLabel(l) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(s) <= 253 && strings.Trim(last, "0123456789") != "" && !hexNumber(last)
}

var (
	hostLabel = form(`[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`)
	hexNumber = form(`0[xX][0-9a-fA-F]*`)
)

// name reports whether nothing in a name means more than a name: to a program an option, to a path or URL a step upwards.
func name(s string) bool {
	if s == "" || s[0] == '-' || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	for range maxDecodes {
		decoded := plainly.Replace(s)
		if decoded == s {
			break
		}
		s = decoded
	}
	for step := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
		step, _, _ = strings.Cut(step, ";")
		if step = strings.TrimSpace(step); step == ".." {
			return false
		}
	}
	return true
}

const maxDecodes = 4

// plainly replaces other spellings of what steps are made of.
var plainly = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "\\", "%5C", "\\", "%25", "%", "．", ".", "／", "/", "＼", "\\")

// gitRef follows git-check-ref-format, and refuses what means more than a name to git:
// a leading hyphen, ~ ^ : @{ and globs.
func gitRef(s string) bool {
	if s == "" || s == "@" || s[0] == '-' || strings.HasSuffix(s, ".") ||
		strings.Contains(s, "..") || strings.Contains(s, "@{") ||
		strings.ContainsFunc(s, func(r rune) bool {
			return r <= ' ' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("~^:?*[\\\"'`$;&|<>(){}!#", r)
		}) {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

var (
	semver  = form(`(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?`)
	leading = form(`0\d+`)
)

func version(s string) bool {
	if !semver(s) {
		return false
	}
	release, _, _ := strings.Cut(s, "+")
	_, pre, _ := strings.Cut(release, "-")
	return !slices.ContainsFunc(strings.Split(pre, "."), leading)
}

var (
	imagePath = form(`[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*`)
	imageTag  = form(`[A-Za-z0-9_][A-Za-z0-9._-]{0,127}`)
	digest    = form(`sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}`)
	port      = form(`[1-9][0-9]{0,4}`)
)

// image follows the grammar of container images (distribution, package reference).
func image(s string) bool {
	s, sum, summed := strings.Cut(s, "@")
	if summed && !digest(sum) {
		return false
	}
	if first, rest, found := strings.Cut(s, "/"); found && (strings.ContainsAny(first, ".:") || first == "localhost") {
		host, number, numbered := strings.Cut(first, ":")
		if numbered && !port(number) || !registry(host) {
			return false
		}
		s = rest
	}
	path, tag, tagged := strings.Cut(s, ":")
	return imagePath(path) && (!tagged || imageTag(tag))
}

// registry is a host name, or an IPv4 address.
func registry(host string) bool {
	return !slices.ContainsFunc(strings.Split(host, "."), func(l string) bool { return !hostLabel(l) })
}

// matchesWhole reports whether an expression matches all of a text: its leftmost-longest match does, if any.
func matchesWhole(re *regexp.Regexp, s string) bool {
	longest := *re
	longest.Longest()
	at := longest.FindStringIndex(s)
	return at != nil && at[0] == 0 && at[1] == len(s)
}
