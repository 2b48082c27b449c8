// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/url"
)

// A resolverFunc is a Resolver of a function.
type resolverFunc func(ctx context.Context, host string) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return f(ctx, host)
}

// hosts resolves names that it knows; others do not exist.
type hosts map[string][]string

func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	texts, ok := h[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// noDial fails the test if it is called.
func noDial(t *testing.T) dialFunc {
	return func(_ context.Context, _, address string, _ control) (net.Conn, error) {
		t.Errorf("a connection to %s", address)
		return nil, net.ErrClosed
	}
}

// noResolver fails the test if it is asked.
func noResolver(t *testing.T) resolver {
	return resolverFunc(func(_ context.Context, host string) ([]netip.Addr, error) {
		t.Errorf("a question for %s", host)
		return nil, net.ErrClosed
	})
}

// run runs a check over values with the same options, and writes what it finds as case
// files do.
func run(ctx context.Context, t *testing.T, c *check.Check, o *url.Options, values ...any) string {
	t.Helper()
	return runIn(ctx, t, check.World{}, c, o, values...)
}

func runIn(ctx context.Context, t *testing.T, world check.World, c *check.Check, o *url.Options, values ...any) string {
	t.Helper()
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.World = world
	for _, value := range values {
		run.Targets = append(run.Targets, check.Target{Pointer: "/url", Value: value, Options: o})
	}
	if err := run.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return text(run)
}

func text(run *check.Run) string {
	var b strings.Builder
	for _, f := range run.Findings {
		b.WriteString(f.Severity.String() + " " + f.String() + "\n")
		if f.Suggestion != "" {
			b.WriteString("→ " + f.Suggestion + "\n")
		}
	}
	if s := run.Skip; s != nil {
		b.WriteString("skip: " + s.Why + "\n")
	}
	return b.String()
}

func TestCheckIsSound(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check, url.Check}); err != nil {
		t.Error(err)
	}
	if Check.Demand != url.Check.Demand {
		t.Error("the two checks answer different rules")
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	known := hosts{
		"public.example":         {"93.184.215.14", "2606:4700::1"},
		"metadata.example":       {"169.254.169.254"},
		"mixed.example":          {"93.184.215.14", "::ffff:10.0.0.1", "10.0.0.2", "10.0.0.3", "64:ff9b::7f00:1"},
		"local.example":          {"127.0.0.1"},
		"zone.example":           {"fe80::1%eth0"},
		"empty.example":          {},
		"xn--mnchen-3ya.example": {"93.184.215.14"},
	}
	resolve := &url.Options{Resolve: true}
	for _, tt := range []struct {
		name    string
		options *url.Options
		value   any
		want    string
	}{
		{"public", resolve, "https://Public.example./a", ""},
		{"internationalized", resolve, "https://münchen.example/", ""},
		{"metadata", resolve, "https://metadata.example/", "error /url: the host resolves to the address of cloud metadata: only public hosts are allowed\n→ name a public host\n"},
		{"one of several", resolve, "https://mixed.example/", "error /url: the host resolves to a private address inside an IPv4-mapped IPv6 address: only public hosts are allowed\n→ name a public host\n" +
			"error /url: the host resolves to a private address: only public hosts are allowed\n→ name a public host\n" +
			"error /url: the host resolves to the loopback address inside a NAT64 address: only public hosts are allowed\n→ name a public host\n"},
		{"zone", resolve, "https://zone.example/", "error /url: the host resolves to a link-local address: only public hosts are allowed\n→ name a public host\n"},
		{"warned of", &url.Options{Resolve: true, Loopback: "warn"}, "https://local.example/", "warning /url: the host resolves to the loopback address, not a public host: make sure that it is meant\n"},
		{"allowed", &url.Options{Resolve: true, Loopback: "allow"}, "https://local.example/", ""},
		{"unknown", resolve, "https://unknown.example/", "error /url: the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n"},
		{"without addresses", resolve, "https://empty.example/", "error /url: the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n"},
		{"address", resolve, "https://93.184.215.14/", ""},
		{"refused by its text", resolve, "https://unknown.internal/", ""},
		{"no URL", resolve, "unknown.example", ""},
		{"no host", &url.Options{Resolve: true, Relative: true}, "/docs", ""},
		{"no string", resolve, 7, ""},
		{"not asked", &url.Options{}, "https://unknown.example/", "skip: not looked: the policy asks neither to resolve hosts nor to reach URLs\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, run(t.Context(), t, newCheck(known, noDial(t)), tt.options, tt.value)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", tt.value, diff)
			}
		})
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	c := newCheck(hosts{"a.example": {"10.0.0.1"}}, noDial(t))
	run := new(check.Run).Init(c, &call.Call{}, nil)
	o := &url.Options{Resolve: true}
	run.Targets = []check.Target{{Pointer: "/0", Value: "http://a.example", Options: o}, {Pointer: "/1", Value: "http://b.example", Options: o}}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]check.Level{}
	for _, f := range run.Findings {
		got[f.Pointer] = f.Level
	}
	if diff := cmp.Diff(map[string]check.Level{"/0": check.SecurityLevel, "/1": check.RuntimeLevel}, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	c := newCheck(hosts{}, noDial(t))
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.World.Remote = true
	run.Targets = []check.Target{{Value: "https://unknown.example", Options: &url.Options{Resolve: true}}}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("skip: not looked: the server runs elsewhere, and its resolver and network are not ours\n", text(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const lateText = "error /url: the host could not be resolved in time, so its addresses are unknown\n"

// TestSlowResolver holds that a run ends before its context does, with obedient and stubborn
// resolvers, and reports its findings until then. A goroutine that is left over fails the test.
func TestSlowResolver(t *testing.T) {
	t.Parallel()
	for name, heeds := range map[string]bool{"heeds the context": true, "does not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				resolver := resolverFunc(func(ctx context.Context, host string) ([]netip.Addr, error) {
					if host != "slow.example" {
						return hosts{}.LookupNetIP(ctx, "ip", host)
					}
					done := ctx.Done()
					if !heeds {
						done = nil
					}
					select {
					case <-done:
						return nil, ctx.Err()
					case <-release:
						return nil, net.ErrClosed
					}
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				got := run(ctx, t, newCheck(resolver, noDial(t)), &url.Options{Resolve: true}, "https://slow.example", "https://unknown.example")
				want := lateText + "error /url: the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n"
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if took := time.Since(start); took != 950*time.Millisecond {
					t.Errorf("took %v of a second, want 950ms", took)
				}
			})
		})
	}
}

// TestNoDeadline holds that a run ends even if its context never does.
func TestNoDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resolver := resolverFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		got := run(t.Context(), t, newCheck(resolver, noDial(t)), &url.Options{Resolve: true}, "https://slow.example")
		if diff := cmp.Diff(lateText, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestStuckLooksAreBounded holds that resolvers that never return occupy a bounded number of
// goroutines, and that a look without a free slot says so.
func TestStuckLooksAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		entered := make(chan struct{}, maxLooks+2)
		c := newCheck(resolverFunc(func(context.Context, string) ([]netip.Addr, error) {
			entered <- struct{}{}
			<-release
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		}), noDial(t))
		values := make([]any, maxLooks+1)
		for i := range values {
			values[i] = "https://stuck.example"
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, want := run(ctx, t, c, &url.Options{Resolve: true}, values...), strings.Repeat(lateText, maxLooks+1); got != want {
			t.Errorf("got %s", got)
		}
		if got := len(entered); got != maxLooks {
			t.Errorf("%d lookups at once, want %d", got, maxLooks)
		}
		close(release)
		synctest.Wait()
		if got := run(t.Context(), t, c, &url.Options{Resolve: true}, "https://stuck.example"); got != "" {
			t.Errorf("after the release: %s", got)
		}
	})
}

func TestPanic(t *testing.T) {
	t.Parallel()
	c := newCheck(resolverFunc(func(context.Context, string) ([]netip.Addr, error) { panic("broken") }), noDial(t))
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.Targets = []check.Target{{Value: "https://a.example", Options: &url.Options{Resolve: true}}}
	if err := run.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v, want the panic as an error", err)
	}
}

// TestReadmeShowsWhatIsFound holds that the indented lines of the README's example are the
// check's findings.
func TestReadmeShowsWhatIsFound(t *testing.T) {
	t.Parallel()
	_, example, _ := strings.Cut(doc, "\n## Example\n")
	example, _, _ = strings.Cut(example, "\n## ")
	var shown strings.Builder
	for line := range strings.Lines(example) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			shown.WriteString(rest)
		}
	}
	c := newCheck(hosts{"metadata.example": {"169.254.169.254"}}, noDial(t))
	found := run(t.Context(), t, c, &url.Options{Resolve: true}, "https://metadata.example", "https://unknown.example")
	if diff := cmp.Diff(strings.ReplaceAll(found, "error ", ""), shown.String()); diff != "" {
		t.Errorf("the example (-found +shown):\n%s", diff)
	}
}
