// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/test/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(sandbox.Run(os.Args[2:]))
		case "get":
			for _, url := range os.Args[2:] {
				answer, err := http.Get(url)
				if err != nil {
					fmt.Println(err)
					continue
				}
				raw, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				fmt.Printf("%d %s", answer.StatusCode, raw)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// TestSandbox has a program in a sandbox ask for pages, which trusts the authority by its
// environment.
func TestSandbox(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	authority, err := egress.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	server := &egress.Server{Authority: authority, Record: func(a egress.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, a.Method+" "+a.URL())
	}}
	s, err := sandbox.Start(t.Context(), sandbox.Config{
		Args: []string{self, "get", "https://api.example.com/v1/x?y=1", "http://192.0.2.1:8080/z", "https://192.0.2.1:8443/"},
		Init: []string{self, "as-sandbox"}, Dir: "/", Network: sandbox.Observed, Trust: authority.PEM(),
		Accept: func(c net.Conn, to sandbox.Target) {
			server.Serve(c, egress.Target{Host: to.Host(), Port: to.Address.Port()})
		},
	})
	var missing *sandbox.UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() { _, _ = io.Copy(io.Discard, s.Stderr()) }()
	out, _ := io.ReadAll(s.Stdout())
	select {
	case <-s.Done():
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	if n := strings.Count(string(out), "403 toolvet: the network is off"); n != 3 {
		t.Errorf("got %q", out)
	}
	server.Close()
	slices.Sort(got)
	want := []string{"GET http://192.0.2.1:8080/z", "GET https://192.0.2.1:8443/", "GET https://api.example.com/v1/x?y=1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
