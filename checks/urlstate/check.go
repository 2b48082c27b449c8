// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package urlstate asks the network about URLs that the demand of package url allows: which
// addresses their hosts have now, and whether a server answers for them.
package urlstate

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
	"github.com/toolvet/toolvet/checks/url"
)

//go:embed README.md
var doc string

// Check asks the system's resolver, and servers by dial.
var Check = newCheck(&net.Resolver{Dial: probe.DialDNS("")}, dial)

// A resolver asks for all addresses of a name. *net.Resolver is one. The answer should
// come before ctx is done; a resolver that goes on is left behind.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A dialFunc opens a TCP connection to an address, which is an IP address and a port. It must
// call control before it connects, as net.Dialer.Control is called, give up if that fails, and
// heed ctx.
type dialFunc func(ctx context.Context, network, address string, control control) (net.Conn, error)

// A control refuses addresses that are not allowed. Its form is that of
// net.Dialer.Control.
type control func(network, address string, c syscall.RawConn) error

// dial is the dialFunc of a net.Dialer.
func dial(ctx context.Context, network, address string, control control) (net.Conn, error) {
	d := net.Dialer{Control: control}
	return d.DialContext(ctx, network, address)
}

// newCheck makes the check with a resolver and a way to connect of the caller's own. It judges a
// server by the DNS server that its World names.
func newCheck(resolver resolver, dial dialFunc) *check.Check {
	n := &network{resolver: resolver, dial: dial, slots: make(chan struct{}, maxLooks)}
	return &check.Check{
		Name:   "url-state",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: url.Demand,
		Run:    n.run,
	}
}

const (
	// maxLooks bounds the URLs that are looked at in one moment, over all calls: those
	// of resolvers that do not heed their context included.
	maxLooks = 64
	// longest bounds a run whose context has no deadline.
	longest = 10 * time.Second
)

func (n *network) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server runs elsewhere, and its resolver and network are not ours")
		return nil
	}
	var wanted []check.Target
	for _, target := range pass.Targets {
		if o := optionsOf(target); o.Resolve || o.Reachable {
			wanted = append(wanted, target)
		}
	}
	if len(wanted) == 0 {
		pass.Skipf("not looked: the policy asks neither to resolve hosts nor to reach URLs")
		return nil
	}
	ctx, cancel := withMargin(ctx)
	defer cancel()
	if server := pass.World.Resolver; server != "" {
		n = &network{resolver: probe.Resolver(server), dial: n.dial, slots: n.slots, tls: n.tls}
	}
	looks, err := n.lookAll(ctx, wanted)
	for i, findings := range looks {
		for _, f := range findings {
			f.Pointer = wanted[i].Pointer
			pass.Report(f)
		}
	}
	return err
}

// withMargin ends a little before ctx does, in time to report findings.
func withMargin(ctx context.Context) (context.Context, context.CancelFunc) {
	left := longest
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
		left = min(left-min(left/10, 50*time.Millisecond), longest)
	}
	return context.WithTimeout(ctx, left)
}

// A look is what was found at one target.
type look struct {
	index    int
	findings []check.Finding
	err      error
}

// lookAll looks at all targets at once. A look that has not come back when ctx is done is left
// behind, and said to be late.
func (n *network) lookAll(ctx context.Context, targets []check.Target) ([][]check.Finding, error) {
	looks := make(chan look, len(targets))
	for i, target := range targets {
		select {
		case n.slots <- struct{}{}:
			go func() {
				defer func() { <-n.slots }()
				looks <- n.look(ctx, i, target)
			}()
		case <-ctx.Done():
		}
	}
	findings := make([][]check.Finding, len(targets))
	for i, target := range targets {
		findings[i] = []check.Finding{late(optionsOf(target))}
	}
	for range targets {
		l, ok := next(ctx, looks)
		switch {
		case !ok:
			return findings, nil
		case l.err != nil:
			return nil, l.err
		}
		findings[l.index] = l.findings
	}
	return findings, nil
}

// next waits for a look until ctx is done. One that is there counts even then.
func next(ctx context.Context, looks <-chan look) (l look, ok bool) {
	select {
	case l := <-looks:
		return l, true
	case <-ctx.Done():
	}
	select {
	case l := <-looks:
		return l, true
	default:
		return look{}, false
	}
}

// look looks at one target. It runs in a goroutine of its own, so that it must not panic.
func (n *network) look(ctx context.Context, index int, target check.Target) (l look) {
	defer func() {
		if r := recover(); r != nil {
			l = look{index: index, err: fmt.Errorf("panic: %v", r)}
		}
	}()
	raw, ok := target.Value.(string)
	if !ok {
		return look{index: index} // package url reports it
	}
	return look{index: index, findings: n.visit(ctx, optionsOf(target), raw)}
}

// unknown is the finding of a host whose addresses nobody knows: its name server may be slow or broken on purpose.
func unknown(o *url.Options) (f check.Finding) {
	if o.Existence {
		f.Severity = check.Warning
	}
	return f
}

func late(o *url.Options) check.Finding {
	f := unknown(o)
	f.Message = "the host could not be resolved in time, so its addresses are unknown"
	if o.Reachable {
		f.Message = "the URL did not answer in time, so nothing is known about it"
	}
	return f
}

// optionsOf returns the options of a target of the demand, the zero Options if it has none.
func optionsOf(target check.Target) *url.Options {
	if o, ok := target.Options.(*url.Options); ok && o != nil {
		return o
	}
	return new(url.Options)
}
