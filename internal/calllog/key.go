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
	maxKey = 4 << 10 // a larger file is not a key
)

// LoadKey reads the key of a log from a file, without the line feed at its end. The key must have at least 32 bytes,
// and on Unix only its owner may read the file.
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

// checkKey refuses a key that somebody could guess. No key at all is fine.
func checkKey(key []byte) error {
	if key != nil && len(key) < minKey {
		return fmt.Errorf("calllog: the key has %d bytes: it must have at least %d, such as 'openssl rand -hex 32' prints", len(key), minKey)
	}
	return nil
}

// newHash returns the hash for sealing lines: SHA-256, or with a key HMAC-SHA256 (RFC 2104).
func newHash(key []byte) hash.Hash {
	if key == nil {
		return sha256.New()
	}
	return hmac.New(sha256.New, key)
}

// digestKey returns the key for digests of values. Values are often few and easy to guess, so a plain hash would give
// them away. Without a key for the log, it is random, and lost with the process.
func digestKey(key []byte) ([]byte, error) {
	if key == nil {
		random := make([]byte, sha256.Size)
		_, err := rand.Read(random)
		return random, err
	}
	return hkdf.Key(sha256.New, key, nil, "toolvet log: digests of values", sha256.Size)
}

// Digest returns the digest of a value, such as a call's arguments: HMAC-SHA256 over its JSON (members sorted by
// name, no white space, numbers with their spelling). Equal values have equal digests. Its key is derived from the
// log's key, and testing a guess takes that key. A log without a key draws a random one each time that it is opened.
// The digest of a value that is not JSON is "". Digest is safe for concurrent use.
func (l *Log) Digest(value any) string {
	mac := hmac.New(sha256.New, l.digestKey)
	enc := json.NewEncoder(mac)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return ""
	}
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// Fingerprint returns the SHA-256 of a text without secrets: a policy, or a tool's definition.
func Fingerprint(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
