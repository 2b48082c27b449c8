// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package credential asks whether a credential that a tool needs is accepted.
package credential

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "credential", Options: func() any {
	return &Options{Header: "Authorization", Scheme: "Bearer", Cache: 5 * time.Minute, CacheFailure: 30 * time.Second}
}, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports credentials that are missing, or not accepted. They are never shown.
var Check = newCheck(probe.Network{}, os.LookupEnv)

// newCheck makes the check for a network and an environment.
func newCheck(network probe.Network, lookup func(name string) (string, bool)) *check.Check {
	d := driver{network: network, lookup: lookup, cache: probe.NewCache(network.Now)}
	return &check.Check{
		Name:   "credential",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    d.run,
	}
}

// Options are what a policy demands of a credential. They are safe for concurrent use.
type Options struct {
	URL          string        `policy:"url" doc:"a resource that only the credential opens; by https, or by http on this machine"`
	TokenEnv     string        `policy:"token_env" secret:"true" variable:"true" doc:"the environment variable that holds the credential"`
	Header       string        `policy:"header" doc:"the header to send it in; default Authorization"`
	Scheme       string        `policy:"scheme" doc:"what stands before it in the header, such as Bearer, token or Basic; an empty text is nothing; default Bearer"`
	Method       string        `policy:"method" doc:"GET or HEAD; default GET, because some services do not check a HEAD"`
	Status       []int         `policy:"status" doc:"statuses that say that it is accepted; default: 200 to 299"`
	AllowPrivate bool          `policy:"allow_private" doc:"true allows private addresses and this machine; never those that hand out a cloud's credentials"`
	Cache        time.Duration `policy:"cache" doc:"how long an accepted credential is believed to be good; 0s: not at all; default 5m"`
	CacheFailure time.Duration `policy:"cache_failure" doc:"how long a refused one is believed to be bad; default 30s, so that no account is locked"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string) { list = append(list, check.Problem{Field: field, Message: message}) }
	if why := probe.URLFault(o.URL); why != "" {
		fail("url", why)
	} else if _, host := probe.Origin(o.URL); strings.HasPrefix(strings.ToLower(o.URL), "http:") && !probe.ThisMachine(host) {
		fail("url", "must have the scheme https, or everybody on the way could read the credential")
	}
	if o.TokenEnv == "" {
		fail("token_env", "is needed: the environment variable that holds the credential")
	}
	if o.Header != "" && !probe.HeaderName(o.Header) {
		fail("header", "must be the name of a header, such as Authorization or X-Api-Key")
	}
	if o.Scheme != "" && !probe.HeaderName(o.Scheme) {
		fail("scheme", "must be one word, such as Bearer")
	}
	if o.Method != "" && o.Method != http.MethodGet && o.Method != http.MethodHead {
		fail("method", "must be GET or HEAD: others may change something")
	}
	if slices.ContainsFunc(o.Status, func(s int) bool { return s < 200 || s > 599 }) {
		fail("status", "must be statuses from 200 to 599")
	}
	return list
}

type driver struct {
	network probe.Network
	lookup  func(name string) (string, bool)
	cache   *probe.Cache
}

func (d driver) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server's credentials are not on this machine")
		return nil
	}
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		o, ok := t.Options.(*Options)
		if !ok || o.URL == "" || o.TokenEnv == "" {
			return nil, "", errors.New("the demand credential needs a URL and an environment variable")
		}
		token, found := d.lookup(o.TokenEnv)
		if !found || !probe.HeaderValue(token) {
			return []check.Finding{{Message: "needs a credential in the environment variable " + o.TokenEnv + ", which holds none"}}, "", nil
		}
		r := o.request(token)
		key, keep := probe.KeyOf(r, o.Status, o.TokenEnv, pass.World.Resolver), probe.Keep{Success: o.Cache, Failure: o.CacheFailure}
		findings, err := d.cache.Do(ctx, key, keep, func(ctx context.Context) ([]check.Finding, error) {
			return look(ctx, d.network.At(pass.World.Resolver), r, o)
		})
		return findings, "", err
	})
}

func (o *Options) request(token string) probe.Request {
	header, method := o.Header, o.Method
	if header == "" {
		header = "Authorization"
	}
	if method == "" {
		method = http.MethodGet
	}
	if o.Scheme != "" {
		token = o.Scheme + " " + token
	}
	return probe.Request{Method: method, URL: o.URL, Header: http.Header{http.CanonicalHeaderKey(header): {token}}, Private: o.AllowPrivate}
}

func look(ctx context.Context, network probe.Network, r probe.Request, o *Options) ([]check.Finding, error) {
	origin, _ := probe.Origin(o.URL)
	status, err := network.Status(ctx, r)
	if ended := probe.Ended(ctx, err); ended != nil {
		return nil, ended
	}
	f := check.Finding{}
	switch {
	case err != nil:
		f.Message = fmt.Sprintf("needs to try its credential at %s, which %s", origin, probe.Why(err))
		if errors.Is(err, probe.ErrForbidden) {
			f.Level = check.SecurityLevel
		}
	case slices.Contains(o.Status, status), len(o.Status) == 0 && status >= 200 && status <= 299:
		return nil, nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Message = fmt.Sprintf("needs a credential that %s accepts, and it refuses the one in the environment variable %s (status %d)", origin, o.TokenEnv, status)
		f.Suggestion = "renew the credential, or give it the missing permissions"
	default:
		f.Message = fmt.Sprintf("needs %s to accept its credential with %s, and it answers with %d", origin, probe.Statuses(o.Status), status)
	}
	return []check.Finding{f}, nil
}
