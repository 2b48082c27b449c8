// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

// seeds are texts for fuzzing: invented secrets, and the text around some of them.
var seeds = []string{
	"",
	"token: \"ghp_" + "0123456789abcdefghijABCDEFGHIJ456789\"",
	"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ\nKLMNOPQRSTUVWXYZ\n-----END RSA PRIVATE KEY-----",
	"curl -H 'Authorization: Bearer abcdefgh12345678' \\\n  https://example.org -u user:pa55word\n",
	"apiVersion: v1\nkind: Secret\ndata:\n  a: aGVsbG8gd29ybGQ=\n  b: aGVsbG8=\n",
	"AWS_SECRET_ACCESS_KEY=abcdEFGH1234+/abcdEFGH1234+/abcdEFGH1234\nAKIAQWERTYUIOPASDFGH",
	"{\"text\": \"twitterToken=\\\"3bsvq6uoe4ys64as52li5ojza\\\"\\n\"}",
	"postgres://app:Zx81-kq93mm@db.internal:5432/app?sslmode=disable",
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
	"key key = key: key=> api_key || secret ::= 'aB3dE5gH7jK9mN1p'",
	"\xff\xfe\u200bpass\u200bword\u00ad = 'x'&quot;&amp;\\u0022\\\"",
}
