// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"

	"github.com/toolvet/toolvet/internal/policy"
)

// A static token is known by its digest.
type static struct {
	digest    policy.Digest
	principal *Principal
}

func statics(tokens []policy.Token) []static {
	list := make([]static, len(tokens))
	for i, t := range tokens {
		if t.Claims == nil {
			t.Claims = map[string]any{} // known to be none
		}
		list[i] = static{t.SHA256, &Principal{
			Subject: t.Subject, Claims: t.Claims, Scopes: scopesOf(t.Claims), Digest: hexDigest(t.SHA256),
		}}
	}
	return list
}

// find compares with every token, each in the same time.
func find(list []static, digest [sha256.Size]byte) (found *Principal) {
	for _, s := range list {
		if subtle.ConstantTimeCompare(s.digest[:], digest[:]) == 1 {
			found = s.principal
		}
	}
	return found
}

func hexDigest(d [sha256.Size]byte) string { return hex.EncodeToString(d[:]) }

// tokenPrefix tells scanners for secrets, and people, whose a token is.
const tokenPrefix = "toolvet_"

// NewToken makes a static token, of at least 128 random bits.
func NewToken() string { return tokenPrefix + rand.Text() }

// Digest is what a policy holds of a static token.
func Digest(token string) policy.Digest { return sha256.Sum256([]byte(token)) }
