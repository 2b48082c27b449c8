// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package httpprobe asks whether an HTTP resource that a tool needs is there.
package httpprobe

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "http", Options: func() any {
	return &Options{Cache: time.Minute, CacheFailure: 5 * time.Second}
}, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports resources that do not answer with the expected status.
var Check = newCheck(probe.Network{}, os.LookupEnv)

// newCheck makes the check for a network and an environment.
func newCheck(network probe.Network, lookup func(name string) (string, bool)) *check.Check {
	d := driver{network: network, lookup: lookup, cache: probe.NewCache(network.Now)}
	return &check.Check{
		Name:   "http",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    d.run,
	}
}

// Options are what a policy demands of a resource. They are safe for concurrent use.
type Options struct {
	URL          string            `policy:"url" doc:"what to ask for, by https or http"`
	Method       string            `policy:"method" doc:"GET or HEAD; default HEAD"`
	Status       []int             `policy:"status" doc:"statuses that are fine; default: 200 to 299"`
	HeaderEnv    map[string]string `policy:"header_env" secret:"true" variable:"true" doc:"headers to send, by name, each with the environment variable that holds its value"`
	Redirects    int               `policy:"redirects" doc:"how many redirects are followed, up to 5; default 0: the status of a redirect counts"`
	AllowPrivate bool              `policy:"allow_private" doc:"true allows private addresses and this machine; never those that hand out a cloud's credentials"`
	Cache        time.Duration     `policy:"cache" doc:"how long a good answer is believed; 0s: not at all; default 1m"`
	CacheFailure time.Duration     `policy:"cache_failure" doc:"how long a bad answer is believed; default 5s"`
}

// maxRedirects bounds what a policy may allow.
const maxRedirects = 5

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string) { list = append(list, check.Problem{Field: field, Message: message}) }
	if why := probe.URLFault(o.URL); why != "" {
		fail("url", why)
	}
	if o.Method != "" && o.Method != http.MethodGet && o.Method != http.MethodHead {
		fail("method", "must be GET or HEAD: others may change something")
	}
	if slices.ContainsFunc(o.Status, func(s int) bool { return s < 200 || s > 599 }) {
		fail("status", "must be statuses from 200 to 599")
	}
	if o.Redirects < 0 || o.Redirects > maxRedirects {
		fail("redirects", fmt.Sprintf("must be from 0 to %d", maxRedirects))
	}
	for name, variable := range o.HeaderEnv {
		if !probe.HeaderName(name) || variable == "" {
			fail("header_env", "must be names of headers, each with the name of an environment variable")
			break
		}
	}
	return list
}

type driver struct {
	network probe.Network
	lookup  func(name string) (string, bool)
	cache   *probe.Cache
}

func (d driver) run(ctx context.Context, pass *check.Pass) error {
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		o, ok := t.Options.(*Options)
		if !ok || o.URL == "" {
			return nil, "", errors.New("the demand http needs a URL")
		}
		origin, host := probe.Origin(o.URL)
		if pass.World.Remote && probe.ThisMachine(host) {
			return nil, "this machine is not the one that the server is on", nil
		}
		header, missing := d.header(o)
		if missing != "" {
			return []check.Finding{{Message: "needs the environment variable " + missing + ", which does not hold a header's value"}}, "", nil
		}
		r := probe.Request{Method: o.method(), URL: o.URL, Header: header, Private: o.AllowPrivate, Redirects: o.Redirects, SameOrigin: len(header) > 0}
		key := probe.KeyOf(r, o.Status, pass.World.Resolver)
		findings, err := d.cache.Do(ctx, key, probe.Keep{Success: o.Cache, Failure: o.CacheFailure}, func(ctx context.Context) ([]check.Finding, error) {
			return look(ctx, d.network.At(pass.World.Resolver), r, o, origin)
		})
		return findings, "", err
	})
}

func (o *Options) method() string {
	if o.Method == "" {
		return http.MethodHead
	}
	return o.Method
}

// header reads the headers from the environment, or names the variable that has none.
func (d driver) header(o *Options) (header http.Header, missing string) {
	header = http.Header{}
	for name, variable := range o.HeaderEnv {
		value, found := d.lookup(variable)
		if !found || !probe.HeaderValue(value) {
			if missing == "" || variable < missing {
				missing = variable
			}
			continue
		}
		header.Set(name, value)
	}
	return header, missing
}

func look(ctx context.Context, network probe.Network, r probe.Request, o *Options, origin string) ([]check.Finding, error) {
	status, err := network.Status(ctx, r)
	if ended := probe.Ended(ctx, err); ended != nil {
		return nil, ended
	}
	if err != nil {
		f := check.Finding{Message: fmt.Sprintf("needs %s, which %s", origin, probe.Why(err))}
		if errors.Is(err, probe.ErrForbidden) {
			f.Level = check.SecurityLevel
		}
		return []check.Finding{f}, nil
	}
	if fine := slices.Contains(o.Status, status) || len(o.Status) == 0 && status >= 200 && status <= 299; fine {
		return nil, nil
	}
	return []check.Finding{{Message: fmt.Sprintf("needs %s to answer with %s, and it answers with %d", origin, probe.Statuses(o.Status), status)}}, nil
}
