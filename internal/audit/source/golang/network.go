// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

func (t *table) network() {
	sink := func(i int) model {
		return func(c *flow.CallSite) flow.Value {
			c.In.URLSink(c.Pos, c.Name, c.Arg(i), false)
			return flow.Value{}
		}
	}
	t.define(sink(0), "net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm", "net/rpc.DialHTTP",
		"github.com/PuerkitoBio/goquery.NewDocument", "github.com/chromedp/chromedp.Navigate", "github.com/gorilla/websocket.DefaultDialer.Dial", "github.com/gorilla/websocket.Dialer.Dial",
		"github.com/go-resty/resty.Request.Get", "github.com/go-resty/resty.Request.Post", "github.com/gocolly/colly.Collector.Visit", ".Visit", ".MustNavigate", ".MustPage", ".Goto", "github.com/mmcdole/gofeed.Parser.ParseURL", "github.com/go-shiori/go-readability.FromURL")
	t.define(sink(1), "net.Dial", "net.DialTimeout", "crypto/tls.Dial", "net.Dialer.Dial", "github.com/coder/websocket.Dial", "nhooyr.io/websocket.Dial")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.URLSink(c.Pos, c.Name, c.Arg(2), hooked(c.In, c.Recv))
		return flow.Value{}
	}, "net.Dialer.DialContext")
	request := func(i int) model {
		return withError(func(c *flow.CallSite) flow.Value {
			return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(i)).WithNative("net/http.Request")
		})
	}
	t.define(request(1), "net/http.NewRequest")
	t.define(request(2), "net/http.NewRequestWithContext", "github.com/hashicorp/go-retryablehttp.NewRequestWithContext")
	do := func(c *flow.CallSite) flow.Value {
		c.In.URLSink(c.Pos, c.Name, c.Arg(0), hooked(c.In, c.Recv))
		return flow.Value{}
	}
	for _, client := range []string{"net/http.Client", "net/http.DefaultClient", "github.com/hashicorp/go-retryablehttp.Client"} {
		for _, m := range []string{"Do", "Get", "Head", "Post", "PostForm"} {
			t.define(do, client+"."+m)
		}
	}
	t.define(do, "net/http.RoundTripper.RoundTrip", "net/http.Transport.RoundTrip")
	t.urls()
	t.addresses()
}

func (t *table) urls() {
	parse := changed(0, flow.Whole, 0, "net/url.URL")
	t.define(withError(parse), "net/url.Parse", "net/url.ParseRequestURI")
	t.define(ofRecv(flow.Host, 0), "net/url.URL.Hostname")
	t.define(urlString, "net/url.URL.String", "net/url.URL.Redacted")
	t.define(ofRecv(flow.Part, 0), "net/url.URL.Port", "net/url.URL.Query", "net/url.URL.EscapedPath", "net/url.URL.RequestURI")
	t.define(recvCheck(0, 0), "net/url.URL.IsAbs")
	t.define(func(c *flow.CallSite) flow.Value {
		ref := c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
		return flow.Either(ref, c.Recv).WithNative("net/url.URL")
	}, "net/url.URL.ResolveReference", "net/url.URL.Parse")
	behind := func(first flow.Value, c *flow.CallSite, from int) flow.Value {
		var parts []flow.Value
		for i := from; i < len(c.Args); i++ {
			parts = append(parts, c.Arg(i))
		}
		rest := c.In.Derive(flow.Whole, flow.HostFixed, c.Pos, "", parts...)
		return flow.Either(c.In.Derive(flow.Whole, 0, c.Pos, "", first), rest)
	}
	t.define(func(c *flow.CallSite) flow.Value { return behind(c.Recv, c, 0).WithNative("net/url.URL") }, "net/url.URL.JoinPath")
	t.define(withError(func(c *flow.CallSite) flow.Value { return behind(c.Arg(0), c, 1) }), "net/url.JoinPath")
	t.define(changed(0, flow.Whole, 0), "net/url.QueryEscape", "net/url.PathEscape")
	t.define(ofRecv(flow.Whole, flow.HostFixed), "net/url.Values.Encode")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.SetIndex(c.Recv, flow.Value{}, c.Arg(1))
		return flow.Value{}
	}, "net/url.Values.Set", "net/url.Values.Add")
	t.define(withError(changed(0, flow.Decoded, 0)), "net/url.QueryUnescape", "net/url.PathUnescape", "encoding/base64.Encoding.DecodeString", "encoding/hex.DecodeString")
	t.define(changed(0, flow.Decoded, 0), "html.UnescapeString")
}

// urlString is a URL as text. Only the parsed text and the host that was set decide where it
// goes.
func urlString(c *flow.CallSite) flow.Value {
	out := flow.Either(c.In.Derive(flow.Whole, 0, c.Pos, "", c.Recv.Bare()), c.In.Derive(flow.Whole, 0, c.Pos, "", c.In.Field(c.Recv, "Host")))
	for _, f := range []string{"Path", "RawQuery", "RawPath", "Fragment", "Opaque"} {
		if v := c.In.Field(c.Recv, f); v.Tainted() {
			out = flow.Either(out, c.In.Derive(flow.Whole, flow.HostFixed, c.Pos, "", v))
		}
	}
	return out
}

func (t *table) addresses() {
	t.define(func(c *flow.CallSite) flow.Value {
		v := changed(0, flow.Address, 0, "net.IP")(c)
		if c.In.Labelled(c.Arg(0), flow.Resolved) { // the result of a look-up is an address
			v = flow.NotNil(v)
		}
		return v
	}, "net.ParseIP")
	t.define(withError(changed(0, flow.Address, 0, "net/netip.Addr")), "net/netip.ParseAddr")
	t.define(changed(0, flow.Address, 0, "net/netip.Addr"), "net/netip.MustParseAddr")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Tuple(c.In.Derive(flow.Address, 0, c.Pos, "", c.Arg(0)).WithNative("net/netip.Addr"), flow.Value{})
	}, "net/netip.AddrFromSlice")
	lookup := func(i int) model {
		return withError(changed(i, flow.Address, flow.Resolved, "net.IP"))
	}
	t.define(lookup(0), "net.LookupIP", "net.LookupHost")
	t.define(lookup(1), "net.ResolveTCPAddr", "net.ResolveIPAddr", "net.ResolveUDPAddr", "net.Resolver.LookupIPAddr", "net.Resolver.LookupHost")
	t.define(lookup(2), "net.Resolver.LookupIP", "net.Resolver.LookupNetIP")
	t.define(func(c *flow.CallSite) flow.Value {
		how := flow.Whole
		return c.In.Tuple(c.In.Derive(how, 0, c.Pos, "", c.Arg(0)), c.In.Derive(flow.Part, 0, c.Pos, "", c.Arg(0)), flow.Value{})
	}, "net.SplitHostPort")
	t.define(func(c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
	}, "net.JoinHostPort")
	for _, ip := range []string{"net.IP.", "net/netip.Addr."} {
		t.define(recvCheck(0, flow.ChkLoop), ip+"IsLoopback")
		t.define(recvCheck(0, flow.ChkPriv), ip+"IsPrivate")
		t.define(recvCheck(0, flow.ChkLink), ip+"IsLinkLocalUnicast")
		t.define(recvCheck(0, 0), ip+"IsLinkLocalMulticast", ip+"IsMulticast", ip+"IsUnspecified", ip+"IsGlobalUnicast", ip+"Is4", ip+"Is6")
		t.define(ofRecv(flow.Address, 0, strings.TrimSuffix(ip, ".")), ip+"To4", ip+"To16", ip+"Unmap", ip+"String", ip+"WithZone")
	}
	within := func(c *flow.CallSite) flow.Value { return c.In.Contained(c.Arg(0), c.Recv) }
	t.define(within, "net.IPNet.Contains", "net/netip.Prefix.Contains")
	t.define(withError(changed(0, flow.Through, 0, "net/netip.Prefix")), "net/netip.ParsePrefix")
}

// hooked reports whether a client checks the address as it connects: its transport dials through
// a function with a look at addresses.
func hooked(in *flow.Interp, client flow.Value) bool {
	list := []flow.Value{client, in.Field(client, "Transport")}
	for i := 0; i < len(list) && i < 8; i++ {
		for _, f := range []string{"Control", "ControlContext", "DialContext", "Dial", "DialTLSContext"} {
			v := in.Field(list[i], f)
			if checksAddresses(v.Func(), 3) {
				return true
			}
			if v.HasObject() {
				list = append(list, v)
			}
		}
		if next := in.Field(list[i], "Base"); next.HasObject() {
			list = append(list, next)
		}
	}
	return false
}

var addressChecks = []string{"IsPrivate", "IsLoopback", "IsLinkLocalUnicast", "Contains", "code.dny.dev/ssrf"}

// checksAddresses reports whether a function, or a function called by it, looks at the kind of an
// address.
func checksAddresses(fn *flow.Func, depth int) bool {
	if fn == nil || depth == 0 {
		return false
	}
	return fn.Mentions(func(e *flow.Expr) bool {
		if e.Op == flow.FuncRef && e.Fn != fn {
			return checksAddresses(e.Fn, depth-1)
		}
		return slices.ContainsFunc(addressChecks, func(s string) bool {
			return e.S == s || strings.HasSuffix(e.S, "."+s)
		})
	})
}

func (t *table) processes() {
	args := func(from int) model {
		return func(c *flow.CallSite) flow.Value {
			c.In.ArgsSink(c.Pos, c.Name, c.From(from))
			return flow.NativeValue("os/exec.Cmd")
		}
	}
	t.define(args(0), "os/exec.Command", "github.com/cli/safeexec.Command", "golang.org/x/sys/execabs.Command")
	t.define(args(1), "os/exec.CommandContext")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.ArgsSink(c.Pos, c.Name, c.Arg(0))
		return flow.NativeValue("dagger.io/dagger.Container")
	}, "dagger.io/dagger.Container.WithExec")
	argv := func(c *flow.CallSite) flow.Value {
		c.In.ProgramSink(c.Pos, c.Name, c.Arg(0))
		c.In.ArgsSink(c.Pos, c.Name, c.Arg(1))
		return flow.Value{}
	}
	t.define(argv, "syscall.Exec", "os.StartProcess", "syscall.ForkExec")
	t.define(func(c *flow.CallSite) flow.Value {
		c.In.ShellSink(c.Pos, c.Name, c.Arg(0))
		return flow.Value{}
	}, "golang.org/x/crypto/ssh.Session.Run", "golang.org/x/crypto/ssh.Session.Output", "golang.org/x/crypto/ssh.Session.CombinedOutput", "golang.org/x/crypto/ssh.Session.Start")
	t.define(changed(0, flow.Whole, flow.Quoted), "github.com/alessio/shellescape.Quote", "al.essio.dev/pkg/shellescape.Quote", "github.com/kballard/go-shellquote.Join", "strings.shellQuote")
	t.define(withError(changed(0, flow.Whole, flow.Quoted)), "mvdan.cc/sh/syntax.Quote")
	t.define(withError(changed(0, flow.Word, flow.Parted)), "github.com/google/shlex.Split", "github.com/kballard/go-shellquote.Split", "github.com/mattn/go-shellwords.Parse", "github.com/anmitsu/go-shlex.Split")
	for _, db := range []string{"DB", "Tx", "Conn", "Stmt"} {
		for i, ms := range [][]string{{"Query", "QueryRow", "Exec", "Prepare"}, {"QueryContext", "QueryRowContext", "ExecContext", "PrepareContext"}} {
			for _, m := range ms {
				t.define(func(c *flow.CallSite) flow.Value {
					if q := c.Arg(i); q.Tainted() && !q.Whole() {
						c.In.NoteSink(c.Pos, c.Name, "sql", "the caller's text becomes part of a statement of a database: SINK", q)
					}
					return flow.Value{}
				}, "database/sql."+db+"."+m)
			}
		}
	}
}
