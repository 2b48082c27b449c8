// Copyright the authors of github.com/santhosh-tekuri/jsonschema; changed by the toolvet authors, see doc.go
// SPDX-License-Identifier: Apache-2.0

package jsonschema

import (
	"net/netip"
	gourl "net/url"
	"strings"
)

// Format defined specific format.
type Format struct {
	// Name of format.
	Name string

	// Validate checks if given value is of this format.
	Validate func(v any) error
}

var formats = map[string]*Format{
	"json-pointer":          {"json-pointer", unchecked},
	"relative-json-pointer": {"relative-json-pointer", unchecked},
	"uuid":                  {"uuid", unchecked},
	"duration":              {"duration", unchecked},
	"period":                {"period", unchecked},
	"ipv4":                  {"ipv4", unchecked},
	"ipv6":                  {"ipv6", unchecked},
	"hostname":              {"hostname", unchecked},
	"email":                 {"email", unchecked},
	"date":                  {"date", unchecked},
	"time":                  {"time", unchecked},
	"date-time":             {"date-time", unchecked},
	"uri":                   {"uri", validateURI},
	"iri":                   {"iri", validateURI},
	"uri-reference":         {"uri-reference", validateURIReference},
	"iri-reference":         {"iri-reference", validateURIReference},
	"uri-template":          {"uri-template", unchecked},
	"semver":                {"semver", unchecked},
}

// unchecked accepts what metaschemas do not use; package schema checks formats.
func unchecked(any) error { return nil }

func parseURL(s string) (*gourl.URL, error) {
	u, err := gourl.Parse(s)
	if err != nil {
		return nil, err
	}

	// gourl does not validate ipv6 host address
	hostName := u.Hostname()
	if strings.Contains(hostName, ":") {
		if !strings.Contains(u.Host, "[") || !strings.Contains(u.Host, "]") {
			return nil, LocalizableError("ipv6 address not enclosed in brackets")
		}
		if err := validateIPV6(hostName); err != nil {
			return nil, LocalizableError("invalid ipv6 address: %v", err)
		}
	}

	return u, nil
}

func validateURI(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	u, err := parseURL(s)
	if err != nil {
		return err
	}
	if !u.IsAbs() {
		return LocalizableError("relative url")
	}
	return nil
}

func validateURIReference(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if strings.Contains(s, `\`) {
		return LocalizableError(`contains \`)
	}
	_, err := parseURL(s)
	return err
}

func validateIPV6(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if !strings.Contains(s, ":") {
		return LocalizableError("missing colon")
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return err
	}
	if addr.Zone() != "" {
		return LocalizableError("zone id is not a part of ipv6 address")
	}
	return nil
}
