// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"slices"
	"strings"
)

// presignedRule finds the signatures of presigned URLs. It is looked for only if that is asked
// for.
const presignedRule = "presigned-url"

// signing are the parameters, in lower case, by which a URL carries its own permission:
// those of AWS (S3, CloudFront), Google Cloud Storage and Azure (shared access signatures).
var signing = []string{
	"x-amz-signature", "x-amz-credential", "x-amz-security-token", "awsaccesskeyid", "key-pair-id", "policy", "signature",
	"x-goog-signature", "x-goog-credential", "googleaccessid", "sig",
}

// signers are patterns for the public half of a URL's signing key: the id of a key.
var signers = []string{"aws-access-token", presignedRule}

// longestURL bounds how far before a match its URL may begin, in bytes.
const longestURL = 4096

// presigns reports whether a match is a part of what makes a URL a presigned one. A secret of
// a known issuer that is hidden there is none.
func presigns(text string, f found) bool {
	if !f.pattern.Generic && !slices.Contains(signers, f.pattern.ID) {
		return false
	}
	before := text[max(f.start-longestURL, 0):f.start]
	before = before[strings.LastIndexAny(before, " \t\r\n\"'`<>")+1:]
	if !strings.Contains(before, "://") {
		return false
	}
	_, query, ok := strings.Cut(before, "?")
	if !ok {
		return false
	}
	parameter := query[strings.LastIndexByte(query, '&')+1:]
	name, _, _ := strings.Cut(strings.TrimPrefix(parameter, "amp;"), "=")
	return slices.Contains(signing, strings.ToLower(name))
}
