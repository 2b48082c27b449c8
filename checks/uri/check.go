// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package uri judges arguments that name a resource by a URI of any scheme.
package uri

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Options are a policy's demands on a URI. The zero Options demand what holds for every URI.
type Options struct {
	Schemes []string `policy:"schemes" doc:"schemes that are allowed, such as file or note; default: all"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	for _, s := range o.Schemes {
		if !isScheme(s) {
			return []check.Problem{{Field: "schemes", Message: "must be names of schemes such as file, without the colon"}}
		}
	}
	if o.Schemes != nil && len(o.Schemes) == 0 {
		return []check.Problem{{Field: "schemes", Message: "lists no scheme, so that no URI would be allowed: leave it out, or list one"}}
	}
	return nil
}

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "uri", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports URIs with several readings, and URIs that climb out of their place.
var Check = &check.Check{
	Name:    "uri",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.Each(judge),
}

func judge(_ *check.Pass, o *Options, value any) []check.Finding {
	s, ok := value.(string)
	if !ok {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a string: a URI such as file:///srv/data/a.txt"}}
	}
	scheme, rest, found := strings.Cut(s, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case !found || !isScheme(scheme):
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a URI that begins with a scheme, such as file: or note:"}}
	case o.Schemes != nil && !slices.ContainsFunc(o.Schemes, func(allowed string) bool { return strings.EqualFold(allowed, scheme) }):
		return []check.Finding{{Message: fmt.Sprintf("the scheme must be one of %s", strings.Join(o.Schemes, ", "))}}
	case strings.ContainsFunc(s, unwritten):
		return []check.Finding{{Message: "must not hold control characters, spaces or invisible characters: readers differ in them", Suggestion: "percent-encode a space as %20"}}
	}
	return unfold(rest)
}

func isScheme(s string) bool {
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		case i > 0 && ('0' <= r && r <= '9' || strings.ContainsRune("+-.", r)):
		default:
			return false
		}
	}
	return s != ""
}

// unwritten reports whether a character cannot stand in a URI and is not seen.
func unwritten(r rune) bool {
	return r == ' ' || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
}

// maxDecoded bounds how often a text is decoded: a server, a library and a framework may each do so once.
const maxDecoded = 4

// unfold looks for what decoding brings to light: servers decode a URI once, twice or not at all.
func unfold(rest string) []check.Finding {
	for range maxDecoded {
		if climbs(rest) {
			return []check.Finding{{Message: `must not hold a segment "..", encoded or not: it leads out of the place that the URI names`, Suggestion: "give the URI that it leads to"}}
		}
		if strings.ContainsRune(rest, 0) {
			return []check.Finding{{Message: "must not hold an encoded NUL: some programs stop reading there", Suggestion: "leave it out"}}
		}
		decoded, err := url.PathUnescape(rest)
		if err != nil {
			return []check.Finding{{Message: "has a percent sign that encodes nothing: readers differ in it", Suggestion: "write a percent sign as %25"}}
		}
		if decoded == rest {
			return nil
		}
		if !strings.Contains(decoded, "%") {
			rest = decoded
			continue
		}
		if _, err := url.PathUnescape(decoded); err != nil { // a percent sign that is meant
			if climbs(decoded) || strings.ContainsRune(decoded, 0) {
				rest = decoded
				continue
			}
			return nil
		}
		rest = decoded
	}
	return []check.Finding{{Message: "is encoded again and again: readers differ in how often they decode it", Suggestion: "encode it once"}}
}

// climbs reports whether a segment is "..", for readers that take a backslash for a slash, or end
// a segment at a semicolon.
func climbs(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(`/\?#;&=`, r) }), func(segment string) bool {
		return strings.Trim(segment, " \t") == ".."
	})
}
