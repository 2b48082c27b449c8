// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"fmt"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkCall is a call of a server by HTTP, with and without the proxy between: what the
// proxy adds is the difference.
func BenchmarkCall(b *testing.B) {
	for _, kind := range []string{jsonType, streamType} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if kind == jsonType || strings.Contains(string(body), "tools/list") {
				simple(w, r, string(body))
				return
			}
			w.Header().Set("Content-Type", streamType)
			fmt.Fprintf(w, "event: message\ndata: "+result+"\n\n", member0(string(body), "id"))
		}))
		b.Cleanup(server.Close)
		for _, size := range []int{20, 20_000} {
			body := callOf("1", fmt.Sprintf("%q", strings.Repeat("x", size)))
			for _, way := range []struct{ name, url string }{{"direct", server.URL}, {"proxied", serve(b, server.URL, Config{}, httpguard.Guard{})}} {
				b.Run(fmt.Sprintf("%s/%dB/%s", strings.ReplaceAll(kind, "/", "-"), size, way.name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, way.url, strings.NewReader(body))
						if err != nil {
							b.Fatal(err)
						}
						req.Header.Set("Content-Type", jsonType)
						resp, err := http.DefaultClient.Do(req)
						if err != nil {
							b.Fatal(err)
						}
						got, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						if err != nil || !strings.Contains(string(got), `"done"`) {
							b.Fatalf("%s, %v", got, err)
						}
					}
				})
			}
		}
	}
}
