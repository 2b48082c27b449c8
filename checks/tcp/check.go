// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package tcp asks whether a server that a tool needs accepts connections.
package tcp

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "tcp", Options: func() any {
	return &Options{WarnExpiry: 14 * 24 * time.Hour, Cache: time.Minute, CacheFailure: 5 * time.Second}
}, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports servers that do not accept connections.
var Check = newCheck(probe.Network{})

// newCheck makes the check for a network.
func newCheck(network probe.Network) *check.Check {
	d := driver{network: network, cache: probe.NewCache(network.Now)}
	return &check.Check{
		Name:   "tcp",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    d.run,
	}
}

// Options are what a policy demands of a server. They are safe for concurrent use.
type Options struct {
	Address      string        `policy:"address" doc:"host:port to connect to; default: what the argument names"`
	TLS          bool          `policy:"tls" doc:"true: shake hands by TLS as well, and check the certificate"`
	WarnExpiry   time.Duration `policy:"warn_expiry" doc:"a certificate that expires sooner brings a warning; default 336h"`
	AllowPrivate bool          `policy:"allow_private" doc:"true allows private addresses and this machine; never those that hand out a cloud's credentials"`
	Cache        time.Duration `policy:"cache" doc:"how long a server that answered is believed to; 0s: not at all; default 1m"`
	CacheFailure time.Duration `policy:"cache_failure" doc:"how long a server that did not answer is believed not to; default 5s"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	if o.Address == "" {
		return nil
	}
	if _, _, ok := split(o.Address); !ok {
		return []check.Problem{{Field: "address", Message: "must be a host and a port, such as db.example.org:5432 or [2001:db8::1]:443"}}
	}
	return nil
}

func split(address string) (host string, port int, ok bool) {
	host, text, err := net.SplitHostPort(address)
	if err != nil || host == "" || len(host) > 253 {
		return "", 0, false
	}
	port, err = strconv.Atoi(text)
	return host, port, err == nil && port > 0 && port <= 65535 && text[0] != '+'
}

type driver struct {
	network probe.Network
	cache   *probe.Cache
}

func (d driver) run(ctx context.Context, pass *check.Pass) error {
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options)
		}
		address, what := o.Address, "the server "+o.Address
		if address == "" {
			address, _ = t.Value.(string)
			what = "the server that it names"
		}
		host, port, ok := split(address)
		if !ok {
			return []check.Finding{{Message: "must be a host and a port, such as db.example.org:5432"}}, "", nil
		}
		if pass.World.Remote && probe.ThisMachine(host) {
			return nil, "this machine is not the one that the server is on", nil
		}
		l := look{d.network.At(pass.World.Resolver), host, port, o, what}
		key := probe.KeyOf(address, o.TLS, o.WarnExpiry, o.AllowPrivate, what, pass.World.Resolver)
		findings, err := d.cache.Do(ctx, key, probe.Keep{Success: o.Cache, Failure: o.CacheFailure}, l.take)
		return findings, "", err
	})
}

// A look is one connection.
type look struct {
	network probe.Network
	host    string
	port    int
	options *Options
	what    string // for messages
}

func (l look) take(ctx context.Context) ([]check.Finding, error) {
	conn, err := l.network.Connect(ctx, l.host, l.port, l.options.AllowPrivate)
	if err != nil {
		return l.refused(ctx, err)
	}
	defer func() { _ = conn.Close() }() // nothing was sent that could be lost
	if !l.options.TLS {
		return nil, nil
	}
	secured, err := l.network.Secure(ctx, conn, l.host)
	if err != nil {
		return l.refused(ctx, err)
	}
	now := l.network.Now
	if now == nil {
		now = time.Now
	}
	leaf := secured.ConnectionState().PeerCertificates[0]
	if left := leaf.NotAfter.Sub(now()); left < l.options.WarnExpiry {
		return []check.Finding{{Severity: check.Warning, Message: fmt.Sprintf("needs %s, whose certificate expires within %d days", l.what, int(left.Hours()/24)+1)}}, nil
	}
	return nil, nil
}

func (l look) refused(ctx context.Context, err error) ([]check.Finding, error) {
	if ended := probe.Ended(ctx, err); ended != nil {
		return nil, ended
	}
	f := check.Finding{Message: fmt.Sprintf("needs %s, which %s", l.what, probe.Why(err))}
	if errors.Is(err, probe.ErrForbidden) {
		f.Level = check.SecurityLevel
	}
	return []check.Finding{f}, nil
}
