// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A token is a JWT before its verification (RFC 7519).
type token struct {
	text      string
	algorithm string
	keyID     string
	typ       string
	issuer    string
	claims    map[string]any
}

// parse reads the header and the claims of a JWT. It refuses duplicate names, because readers disagree about them. It
// ignores keys in the header (jwk, jku, x5c, x5u).
func parse(text string) (*token, *refusal) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, invalid("the token is neither known nor a signed JWT")
	}
	header, ok := object(parts[0])
	if !ok {
		return nil, invalid("the header of the token is not JSON that every reader reads alike")
	}
	claims, ok := object(parts[1])
	if !ok {
		return nil, invalid("the claims of the token are not JSON that every reader reads alike")
	}
	if _, critical := header["crit"]; critical {
		return nil, invalid("the header of the token has critical extensions, and none is known here")
	}
	t := &token{text: text, claims: claims}
	for _, f := range []struct {
		from map[string]any
		name string
		into *string
	}{{header, "alg", &t.algorithm}, {header, "kid", &t.keyID}, {header, "typ", &t.typ}, {claims, "iss", &t.issuer}} {
		if v, given := f.from[f.name]; given {
			if *f.into, ok = v.(string); !ok {
				return nil, invalid(f.name + " of the token is not a string")
			}
		}
	}
	return t, nil
}

// object reads one part of a JWT.
func object(part string) (map[string]any, bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return nil, false
	}
	v, err := strictjson.Parse(text, strictjson.Limits{Bytes: maxToken, Depth: 32})
	if err != nil {
		return nil, false
	}
	o, ok := v.(map[string]any)
	return o, ok
}

// times checks the validity period of the token, and returns its end, clock skew included.
func (t *token) times(now time.Time, skew time.Duration) (expires time.Time, bad *refusal) {
	exp, given, ok := t.time("exp")
	switch {
	case !ok:
		return expires, invalid("exp of the token is not a time")
	case !given:
		return expires, invalid("the token has no time at which it expires (exp)")
	case !now.Before(exp.Add(skew)):
		return expires, invalid("the token has expired")
	}
	for _, name := range []string{"nbf", "iat"} {
		at, _, ok := t.time(name)
		switch {
		case !ok:
			return expires, invalid(name + " of the token is not a time")
		case at.Add(-skew).After(now):
			return expires, invalid("the token is not valid yet (" + name + ")")
		}
	}
	return exp.Add(skew), nil
}

// maxTime is the end of the year 9999.
const maxTime = 253402300799

// time reads a NumericDate (RFC 7519, section 2). A missing claim is ok, and zero.
func (t *token) time(claim string) (at time.Time, given, ok bool) {
	v, given := t.claims[claim]
	if !given {
		return at, false, true
	}
	number, ok := v.(json.Number)
	if !ok {
		return at, true, false
	}
	seconds, err := number.Float64()
	if err != nil || seconds < 0 || seconds > maxTime {
		return at, true, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), true, true
}

// identity returns the statements of the token about its principal.
func (t *token) identity() (*identity, *refusal) {
	if _, bound := t.claims["cnf"]; bound {
		return nil, invalid("the token is bound to a key (cnf), which a bearer cannot prove to have")
	}
	subject, _ := t.claims["sub"].(string)
	if subject == "" {
		return nil, invalid("the token names no subject (sub)")
	}
	audiences, ok := texts(t.claims["aud"])
	if !ok {
		return nil, invalid("aud of the token is neither a string nor a list of strings")
	}
	client, _ := t.claims["client_id"].(string)
	if client == "" {
		client, _ = t.claims["azp"].(string)
	}
	return &identity{audiences: audiences, principal: &Principal{
		Subject: subject, Issuer: t.issuer, ClientID: client, Claims: t.claims, Scopes: scopesOf(t.claims),
	}}, nil
}

// scopesOf returns the scopes in claims: scope, a text with spaces (RFC 8693, section 4.2), or scp, which is either
// such a text or a list.
func scopesOf(claims map[string]any) []string {
	list, _ := texts(claims["scope"])
	more, _ := texts(claims["scp"])
	var scopes []string
	for _, s := range append(list, more...) {
		scopes = append(scopes, strings.Fields(s)...)
	}
	return scopes
}

// texts reads a string or a list of strings. Nil means none.
func texts(v any) ([]string, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, false
			}
			list[i] = s
		}
		return list, true
	}
	return nil, false
}
