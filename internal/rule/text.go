// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"net/url"
	"strings"
)

var (
	errHost  = errors.New("the argument of host is not an absolute URL with a plain host")
	errSplit = errors.New("the arguments of split make too many parts, or the separator is empty")
)

// host returns the host of an absolute URL, in lower case and without a port or a final
// dot. A URL that readers could take for one of another host is an error.
func host(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.User != nil || strings.ContainsRune(address, '\\') {
		return "", errHost
	}
	name := strings.TrimSuffix(lowerASCII(u.Hostname()), ".")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:", r))
	}) {
		return "", errHost
	}
	return name, nil
}

// lowerASCII turns A to Z into small letters, and nothing else: case rules of other scripts
// can make two names one.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// maxParts bounds the parts of a text.
const maxParts = 10_000

func split(s, separator string) ([]string, error) {
	if separator == "" || strings.Count(s, separator) >= maxParts {
		return nil, errSplit
	}
	return strings.Split(s, separator), nil
}
