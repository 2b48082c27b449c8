// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"net/url"
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Shared names the store in which several proxies count together: a Redis server.
type Shared struct {
	URL      string   `policy:"url" doc:"the Redis server: redis://[user:password@]host[:port][/database], rediss:// for TLS, unix:///path; a cluster has ?addr=host:port for each further node"`
	Prefix   string   `policy:"prefix" doc:"beginning of all its keys, the same for proxies that share limits; default toolvet"`
	WhenAway WhenAway `policy:"when_away" doc:"fate of calls while Redis does not answer: refuse, or local, which counts in each proxy alone; default refuse"`
}

// WhenAway decides about calls while the shared store does not answer.
type WhenAway uint8

// The decisions. The zero WhenAway refuses.
const (
	Refuse WhenAway = iota // with ErrAway
	Local                  // each proxy enforces the limits alone
)

var whenAway = []string{"refuse", "local"}

// UnmarshalText reads "refuse" or "local".
func (w *WhenAway) UnmarshalText(text []byte) error {
	i := slices.Index(whenAway, string(text))
	if i < 0 {
		return errors.New("must be refuse or local")
	}
	*w = WhenAway(i)
	return nil
}

var prefixForm = lazyregexp.New(`^[A-Za-z0-9_.:-]{0,64}$`)

// Problems lists the faults of the settings. It repeats nothing of the URL, which may hold a password.
func (s *Shared) Problems() []check.Problem {
	var list []check.Problem
	u, err := url.Parse(s.URL)
	if err != nil || !slices.Contains([]string{"redis", "rediss", "unix"}, u.Scheme) {
		list = append(list, check.Problem{Field: "url", Message: "must be a URL such as redis://host:6379/0, rediss://host:6379 or unix:///run/redis.sock"})
	}
	if !prefixForm.MatchString(s.Prefix) {
		list = append(list, check.Problem{Field: "prefix", Message: "must hold at most 64 letters, digits and _ . : -"})
	}
	if int(s.WhenAway) >= len(whenAway) {
		list = append(list, check.Problem{Field: "when_away", Message: "must be refuse or local"})
	}
	return list
}
