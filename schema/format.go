// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

// A format is a "format" that is asserted.
type format struct {
	name  string
	words string // reads after "expected"
	valid func(string) bool
	slow  bool // one text may take as long as many steps
}

// assertedFormats are the formats that matter to tools. Their grammars come from JSON Schema
// (2020-12 validation §7.3), not from the library, which lets through "+1:00:00Z", "+1.2.3.4" and
// "http://a/b c".
var assertedFormats = map[string]*format{
	"date-time":    {"date-time", "a date and time such as 2026-01-31T09:30:00Z", isDateTime, false},
	"date":         {"date", "a date such as 2026-01-31", isDate, false},
	"time":         {"time", "a time with its offset, such as 09:30:00Z", isTime, false},
	"email":        {"email", "an email address such as name@example.com", isEmail, false},
	"hostname":     {"hostname", "a host name such as www.example.com", isHostname, false},
	"ipv4":         {"ipv4", "an IPv4 address such as 192.0.2.1", isIPv4, false},
	"ipv6":         {"ipv6", "an IPv6 address such as 2001:db8::1", isIPv6, false},
	"uri":          {"uri", "a full URI such as https://example.com/path", isURI, false},
	"uuid":         {"uuid", "a UUID such as 123e4567-e89b-12d3-a456-426614174000", isUUID, false},
	"regex":        {"regex", "a regular expression", isRegex, true},
	"json-pointer": {"json-pointer", "a JSON Pointer such as /items/0", isJSONPointer, false},
}
