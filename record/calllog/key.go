// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"runtime"
)

const (
	minKey = 32      // bytes
	maxKey = 4 << 10 // bytes; whatever is longer is another file
)

// LoadKey reads the key of a log: what the file holds, without the line feed at its end.
// It must be at least 32 bytes, and on Unix nobody but its owner may read it.
func LoadKey(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("calllog: reading the key: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("calllog: the key %s is not a regular file", file)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("calllog: others than its owner may read the key %s (mode %#o): chmod 600 it", file, info.Mode().Perm())
	case info.Size() > maxKey:
		return nil, fmt.Errorf("calllog: the key %s is longer than %d bytes", file, maxKey)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("calllog: reading the key: %w", err)
	}
	key = bytes.TrimSuffix(bytes.TrimSuffix(key, []byte("\n")), []byte("\r"))
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return key, nil
}

// checkKey refuses a key that could be guessed. No key at all is none.
func checkKey(key []byte) error {
	if key != nil && len(key) < minKey {
		return fmt.Errorf("calllog: the key has %d bytes: it must have at least %d, such as 'openssl rand -hex 32' prints", len(key), minKey)
	}
	return nil
}

// newHash is what seals lines: SHA-256, or with a key HMAC-SHA256 (RFC 2104).
func newHash(key []byte) hash.Hash {
	if key == nil {
		return sha256.New()
	}
	return hmac.New(sha256.New, key)
}

// digestKey is the key of digests of values. Values are often few and easy to guess, so
// a plain hash would give them away. Without a key it is random, and gone with the process.
func digestKey(key []byte) ([]byte, error) {
	if key == nil {
		random := make([]byte, sha256.Size)
		_, err := rand.Read(random)
		return random, err
	}
	return hkdf.Key(sha256.New, key, nil, "toolvet log: digests of values", sha256.Size)
}

// Digest is the digest of a value, such as a call's arguments: HMAC-SHA256 over its JSON
// (members in order of their names, no white space, numbers as they are spelt). Its key
// is derived from the log's, so that equal values have equal digests, and only who holds
// the key can test a guess. A log without a key draws a random one each time that it is
// opened. It is "" for a value that is not JSON. Digest is safe for concurrent use.
func (l *Log) Digest(value any) string {
	mac := hmac.New(sha256.New, l.digestKey)
	enc := json.NewEncoder(mac)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return ""
	}
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// Fingerprint is the SHA-256 of what is no secret: a policy, a tool's definition.
func Fingerprint(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
