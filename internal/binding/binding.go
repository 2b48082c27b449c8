// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package binding makes the tokens that bind a live call to the verdict of its dry run (docs/protocol.md,
// section 5.8), and redeems them.
//
// A dry run must not have side effects, so nothing is stored for a token: it holds a random number, its end and an
// HMAC (RFC 2104) over these and over what the verdict holds for. Only the numbers of redeemed tokens are stored,
// until their end.
package binding

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
)

const (
	// Key is the key of tokens in _meta: of a dry run, where true asks for one, of its result, and of the live call.
	Key = "io.github.toolvet/token"
	// Life is the life of a token from its dry run.
	Life = 5 * time.Minute

	maxNative   = 1 << 10 // bytes of a token of the server behind
	maxRedeemed = 1 << 16 // tokens at once: a few megabytes
	prefix      = "toolvet-"
)

// Tokens issues and redeems tokens for one Gate. Those of another Gate, which has another policy, are not valid. The zero
// Tokens is ready for use. It is safe for concurrent use.
type Tokens struct {
	begin sync.Once
	key   [sha256.Size]byte

	mu       sync.Mutex
	redeemed map[number]time.Time // until when their tokens would be valid
	swept    time.Time            // when those that are over were last looked for
}

type number [16]byte

// A token in its parts, in the order in which they are encoded.
type token struct {
	number number
	end    time.Time // to the millisecond
	mac    [sha256.Size]byte
	native string // the token of the server behind; "" if there is none
}

const headSize = len(number{}) + 8 + sha256.Size

// Issue returns a token for a call whose dry run ended with a go. Native is the token of the server behind, or "". Ok is
// false if the call cannot be bound: its arguments are over [MaxArguments], or its tool is unknown.
func (t *Tokens) Issue(c *call.Call, native string) (text string, ok bool) {
	sum, ok := SumOf(c)
	if !ok || len(native) > maxNative {
		return "", false
	}
	made := token{end: time.Now().Add(Life), native: native}
	rand.Read(made.number[:]) // never fails: see crypto/rand
	made.mac = t.seal(made, sum)
	return made.String(), true
}

// seal returns the HMAC of a token for a call.
func (t *Tokens) seal(of token, sum Sum) (mac [sha256.Size]byte) {
	t.begin.Do(func() { rand.Read(t.key[:]) })
	h := hmac.New(sha256.New, t.key[:])
	h.Write(of.number[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(of.end.UnixMilli())))
	h.Write(sum[:])
	h.Write([]byte(of.native))
	h.Sum(mac[:0])
	return mac
}

// A Redeemed token has let its call in, and is spent.
type Redeemed struct {
	tokens *Tokens
	number number
}

// Return makes the token valid again, since its call was not made.
func (r Redeemed) Return() {
	r.tokens.mu.Lock()
	defer r.tokens.mu.Unlock()
	delete(r.tokens.redeemed, r.number)
}

// Redeem spends the token of a live call. The error says to a model why the call does not have a valid one. Value is the
// member of the request's _meta.
func (t *Tokens) Redeem(c *call.Call, value any) (Redeemed, error) {
	text, _ := value.(string)
	given, err := parse(text)
	if err != nil {
		return Redeemed{}, err
	}
	sum, ok := SumOf(c)
	if mac := t.seal(given, sum); !ok || !hmac.Equal(mac[:], given.mac[:]) {
		return Redeemed{}, errOther
	}
	now := time.Now()
	if now.UnixMilli() >= given.end.UnixMilli() {
		return Redeemed{}, errLate
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, spent := t.redeemed[given.number]; spent {
		return Redeemed{}, errSpent
	}
	if len(t.redeemed) >= maxRedeemed && now.Sub(t.swept) >= time.Second {
		t.swept = now
		for n, end := range t.redeemed {
			if !now.Before(end) {
				delete(t.redeemed, n)
			}
		}
	}
	if len(t.redeemed) >= maxRedeemed {
		return Redeemed{}, errMany
	}
	if t.redeemed == nil {
		t.redeemed = map[number]time.Time{}
	}
	t.redeemed[given.number] = given.end
	return Redeemed{t, given.number}, nil
}

var (
	errForm  = errors.New("is none of a dry run here")
	errOther = errors.New("is not that of a dry run of this call: the arguments, the tool's definition, the caller or the policy are others")
	errLate  = errors.New("is too old")
	errSpent = errors.New("has let a call in before, and lets in one only")
	errMany  = errors.New("cannot be redeemed: too many have been in the last minutes")
)

// NativeOf returns the token of the server behind within a token, or "". The token must have been redeemed.
func NativeOf(value any) string {
	text, _ := value.(string)
	given, err := parse(text)
	if err != nil {
		return ""
	}
	return given.native
}

// String returns the token as text, without characters that JSON, headers or URLs treat specially.
func (t token) String() string {
	b := make([]byte, 0, headSize+len(t.native))
	b = append(b, t.number[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(t.end.UnixMilli()))
	b = append(b, t.mac[:]...)
	b = append(b, t.native...)
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// parse reads the text of a token. Each token has one text.
func parse(text string) (t token, err error) {
	encoded, ok := strings.CutPrefix(text, prefix)
	if !ok || len(encoded) > base64.RawURLEncoding.EncodedLen(headSize+maxNative) {
		return t, errForm
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(b) < headSize || strings.ContainsAny(encoded, "\r\n") {
		return t, errForm
	}
	b = b[copy(t.number[:], b):]
	t.end = time.UnixMilli(int64(binary.BigEndian.Uint64(b)))
	b = b[8:]
	b = b[copy(t.mac[:], b):]
	t.native = string(b)
	return t, nil
}
