// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// BenchmarkWays compares this package with the two other ways to a server behind a URL: net/http's
// reverse proxy, which judges nothing, and sessions of lines (a streamable.Front, internal/proxy/stdio and a
// streamable.Client). The ways take turns within each iteration, so load on the machine hits all
// of them. "x" metrics are multiples of the reverse proxy's median latency, or of the time that it
// needs for all calls.
func BenchmarkWays(b *testing.B) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for _, kind := range []string{jsonType, streamType} {
			for _, size := range []int{20, 20_000} {
				for _, clients := range []int{1, 64} {
					b.Run(fmt.Sprintf("%s/%s/%dB/%d", era, kind[strings.Index(kind, "/")+1:], size, clients), func(b *testing.B) {
						benchWays(b, era, kind, size, clients)
					})
				}
			}
		}
	}
}

// A way is one of the ways to the server, with its clients.
type way struct {
	name    string
	clients []benchClient
	took    []time.Duration // by each call
	wall    time.Duration   // of all rounds
}

func benchWays(b *testing.B, era, kind string, size, clients int) {
	text := strings.Repeat("x", size)
	server := httptest.NewServer(benchServer(kind, text))
	b.Cleanup(server.Close)
	ways := []*way{
		{name: "reverse"},
		{name: "door"},
		{name: "lines"},
	}
	at := map[string]string{
		"reverse": serveReverse(b, server.URL), "door": serve(b, server.URL, Config{}, httpguard.Guard{}), "lines": serveLines(b, server.URL),
	}
	for _, w := range ways {
		for range clients {
			w.clients = append(w.clients, newBenchClient(b, at[w.name], era, text))
		}
	}
	for b.Loop() {
		for _, w := range ways {
			w.round(b)
		}
	}
	floor := ways[0]
	b.ReportMetric(0, "ns/op") // of all ways together, which says nothing
	b.ReportMetric(float64(floor.median().Microseconds()), "µs-reverse")
	for _, w := range ways[1:] {
		b.ReportMetric(float64(w.median())/float64(floor.median()), "x-latency-"+w.name)
		b.ReportMetric(float64(w.wall)/float64(floor.wall), "x-time-"+w.name)
	}
}

// round makes each client call a few times, all clients at once.
func (w *way) round(b *testing.B) {
	const calls = 8
	took := make([]time.Duration, calls*len(w.clients))
	began := time.Now()
	var all sync.WaitGroup
	for i := range w.clients {
		all.Go(func() {
			for n := range calls {
				start := time.Now()
				if err := w.clients[i].call(b.Context()); err != nil {
					b.Errorf("%s: %v", w.name, err)
					return
				}
				took[i*calls+n] = time.Since(start)
			}
		})
	}
	all.Wait()
	w.wall += time.Since(began)
	w.took = append(w.took, took...)
}

func (w *way) median() time.Duration {
	slices.Sort(w.took)
	return w.took[len(w.took)/2]
}

// benchServer answers each call with a text.
func benchServer(kind, text string) http.Handler {
	answer := `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"` + text + `"}]}}`
	const list = `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[
		{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}}`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body := string(data)
		switch {
		case strings.Contains(body, `"tools/list"`):
			w.Header().Set("Content-Type", jsonType)
			fmt.Fprintf(w, list, member0(body, "id"))
		case !strings.Contains(body, `"tools/call"`):
			sessionful(w, r, body)
		case kind == jsonType:
			w.Header().Set("Content-Type", jsonType)
			fmt.Fprintf(w, answer, member0(body, "id"))
		default:
			w.Header().Set("Content-Type", streamType)
			fmt.Fprintf(w, "event: message\ndata: "+answer+"\n\n", member0(body, "id"))
		}
	})
}

// A benchClient makes the same call again and again.
type benchClient struct {
	url, body, want string
	header          []string
	http            *http.Client
}

func newBenchClient(b *testing.B, url, era, text string) benchClient {
	c := benchClient{url: url, want: text, http: &http.Client{Transport: streamable.NewTransport()}}
	b.Cleanup(c.http.CloseIdleConnections)
	meta := ""
	if era >= jsonrpc.Modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientCapabilities":{}}`
		c.header = modernHeaders(mcpheader.Name, "echo")
	} else {
		c.header = append(begin(b, url), mcpheader.Version, era)
		post(b, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, c.header...)
	}
	c.body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text + `"}` + meta + `}}`
	if err := c.call(b.Context()); err != nil { // which learns the tools
		b.Fatal(err)
	}
	return c
}

func (c *benchClient) call(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(c.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Accept", jsonType+", "+streamType)
	for i := 0; i < len(c.header); i += 2 {
		req.Header.Set(c.header[i], c.header[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(got), c.want) {
		err = fmt.Errorf("the answer is %.300s", got)
	}
	return err
}

// serveReverse serves net/http's reverse proxy.
func serveReverse(b *testing.B, upstream string) string {
	u, err := url.Parse(upstream)
	if err != nil {
		b.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }, Transport: streamable.NewTransport(),
	})
	b.Cleanup(proxy.Close)
	return proxy.URL
}

// serveLines serves sessions of lines with clients of the server, as "toolvet proxy" could instead
// of a Proxy.
func serveLines(b *testing.B, upstream string) string {
	gate := newGate(b)
	transport := streamable.NewTransport()
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			_, err := stdio.Run(ctx, stdio.Config{
				Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}, Session: who, Stdin: in, Stdout: out,
				Connect: func() (stdio.Peer, error) {
					return streamable.NewClient(streamable.ClientConfig{URL: upstream, Transport: transport})
				},
			})
			return err
		},
	})
	handler, err := httpguard.Guard{}.Handler(front)
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := mcphttp.Server{Handler: handler, End: front.Close, Logger: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx, l) }()
	b.Cleanup(func() { stop(); <-done })
	return "http://" + l.Addr().String()
}

// BenchmarkSession measures the weight of an idle session of 2025-11-25, but no time.
func BenchmarkSession(b *testing.B) {
	const sessions = 90
	for name, open := range map[string]func(*testing.B, string) string{
		"door":  func(b *testing.B, upstream string) string { return serve(b, upstream, Config{}, httpguard.Guard{}) },
		"lines": serveLines,
	} {
		b.Run(name, func(b *testing.B) {
			url := open(b, newFake(b, sessionful).URL)
			use := func() {
				session := begin(b, url)
				post(b, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session...)
				post(b, url, goodCall, session...)
			}
			use()
			goroutines, bytes := weight()
			for range sessions {
				use()
			}
			more, heavier := weight()
			for b.Loop() {
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(more-goroutines)/sessions, "goroutines/session")
			b.ReportMetric(float64(heavier-bytes)/sessions/1024, "KiB/session")
		})
	}
}

// weight counts goroutines and the bytes of memory in use.
func weight() (goroutines int, bytes int64) {
	time.Sleep(time.Second) // for goroutines that end
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), int64(m.HeapAlloc + m.StackInuse)
}
