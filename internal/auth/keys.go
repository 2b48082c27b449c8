// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The lifetime of keys. A key that its issuer has withdrawn is trusted for renewKeys longer, and for keepKeys while
// the issuer is out of reach. From earlyKeys on, keys are renewed in the background, so that a busy door never waits.
const (
	earlyKeys = 4 * time.Minute
	renewKeys = 5 * time.Minute
	keepKeys  = time.Hour
	pauseKeys = 10 * time.Second // between two fetches because of unknown keys
	maxKeys   = 100
)

// A keySet holds the public keys of an issuer.
type keySet struct {
	renewed renewed[[]jose.JSONWebKey]
}

func newKeySet(s source, log *slog.Logger) *keySet {
	return &keySet{renewed[[]jose.JSONWebKey]{pause: pauseKeys, fetch: func(ctx context.Context) ([]jose.JSONWebKey, error) {
		keys, err := s.keys(ctx)
		if err != nil {
			log.Warn("the keys of an issuer cannot be fetched", "issuer", s.issuer, "err", err)
		}
		return keys, err
	}}}
}

// find returns the keys that may have signed a token. If the key is unknown, it may be new, and find fetches the
// keys. If they are older than renewKeys, the issuer may have withdrawn some, and find fetches them, too; only if
// that fails do the old ones count. An error means that find cannot fetch keys, and knows none that fit.
func (s *keySet) find(ctx context.Context, algorithm, keyID string) ([]jose.JSONWebKey, error) {
	keys, at := s.renewed.current()
	fit, age := fitting(keys, algorithm, keyID), time.Since(at)
	if len(fit) > 0 && age < renewKeys {
		if age >= earlyKeys {
			s.renewed.renewSoon()
		}
		return fit, nil
	}
	switch err := s.renewed.renew(ctx); {
	case err == nil:
	case ctx.Err() == nil && len(fit) > 0 && time.Since(at) < keepKeys:
		return fit, nil
	default:
		return nil, err
	}
	keys, _ = s.renewed.current()
	return fitting(keys, algorithm, keyID), nil
}

// fitting returns the keys with an id for an algorithm. A token may leave out the id if there is only one key.
func fitting(keys []jose.JSONWebKey, algorithm, keyID string) []jose.JSONWebKey {
	fit := slices.DeleteFunc(slices.Clone(keys), func(k jose.JSONWebKey) bool {
		return keyID != "" && k.KeyID != keyID || k.Algorithm != "" && k.Algorithm != algorithm || !madeFor(k.Key, algorithm)
	})
	if keyID == "" && len(fit) != 1 {
		return nil
	}
	return fit
}

// madeFor reports whether an algorithm uses a key. A secret does not count, because the issuer is not its only holder
// (RFC 8725, section 3.1).
func madeFor(key any, algorithm string) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		bits := key.N.BitLen()
		return (algorithm[0] == 'R' || algorithm[0] == 'P') && bits >= 2048 && bits <= 8192
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && key.Curve == elliptic.P256() || algorithm == "ES384" && key.Curve == elliptic.P384()
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

// readKeys reads a JWK Set (RFC 7517, section 5). It leaves out keys of other kinds, and keys for another use.
func readKeys(text []byte) ([]jose.JSONWebKey, error) {
	var set struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(text, &set); err != nil || set.Keys == nil {
		return nil, fmt.Errorf("the answer is no JWK Set (RFC 7517, section 5)")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the answer holds more than %d keys", maxKeys)
	}
	keys := []jose.JSONWebKey{}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		var use struct {
			KeyOps []string `json:"key_ops"`
		}
		if key.UnmarshalJSON(raw) != nil || json.Unmarshal(raw, &use) != nil || !key.Valid() {
			continue
		}
		if (key.Use == "" || key.Use == "sig") && (use.KeyOps == nil || slices.Contains(use.KeyOps, "verify")) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
