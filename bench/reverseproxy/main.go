// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Reverseproxy is net/http's own reverse proxy. It only moves bytes: the benchmark compares HTTP proxies with it.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

func main() {
	listen := flag.String("listen", "", "serve HTTP at `ADDRESS`")
	upstream := flag.String("upstream", "", "the `URL` of the server")
	flag.Parse()
	target, err := url.Parse(*upstream)
	if err != nil {
		log.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1, // as event streams need
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true},
	}
	log.Fatal(http.ListenAndServe(*listen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Else the first byte of an answer closes the body of the request, and the transport gives up the answer if it has
		// not seen the body's end yet.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})))
}
