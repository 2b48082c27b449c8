// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"errors"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// errURL repeats nothing of the URL, which may hold a password.
var errURL = errors.New("limits shared through Redis: url: has a part that the Redis client does not know; an example is redis://user:password@host:6379/0")

// dial makes a client. It connects at its first use, and never repeats a command: a repeated command could count a
// call twice, and the breaker tries again by itself.
func dial(text string, patience time.Duration) (redis.UniversalClient, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errURL
	}
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if u.Query().Has("addr") {
		o, err := redis.ParseClusterURL(text)
		if err != nil {
			return nil, errURL
		}
		o.MaxRetries, o.DialerRetries = -1, 1
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
		o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = true, true, quiet
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(text)
	if err != nil {
		return nil, errURL
	}
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	o.ContextTimeoutEnabled, o.DisableIdentity, o.MaintNotificationsConfig = true, true, quiet
	return redis.NewClient(o), nil
}
