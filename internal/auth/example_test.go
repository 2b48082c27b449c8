// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"

	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/policy"
)

// A server that accepts requests with one static token.
func ExampleResource_Handler() {
	token := auth.NewToken()
	p, err := policy.Parse("toolvet.yaml", fmt.Appendf(nil, `
version: 1
authorization:
  tokens: [{sha256: %x, subject: ci}]
`, auth.Digest(token)))
	if err != nil {
		fmt.Println(err)
		return
	}
	resource, err := auth.New(p.Authorization, auth.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(resource.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintf(w, "hello, %s", auth.FromContext(req.Context()).Identity())
	})))
	defer server.Close()
	for _, authorization := range []string{"Bearer " + token, "Bearer other"} {
		req, _ := http.NewRequest(http.MethodGet, server.URL, nil)
		req.Header.Set("Authorization", authorization)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, string(body))
	}
	// Output:
	// 200 hello, ci
	// 401 {"error":"invalid_token","error_description":"the token is neither known nor a signed JWT"}
}

// A client that presents the credentials of the policy to a server, whatever its own clients presented.
func ExampleNewTransport() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprint(w, req.Header.Get("Authorization"))
	}))
	defer api.Close()
	p, err := policy.Parse("toolvet.yaml", fmt.Appendf(nil, `
version: 1
servers:
  api:
    url: %s/mcp
    credentials: {header: {Authorization: Bearer of-toolvet}}
`, api.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := auth.NewTransport(p.Server("api"), nil, auth.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	req, _ := http.NewRequest(http.MethodGet, api.URL+"/mcp", nil)
	req.Header.Set("Authorization", "Bearer of-the-client")
	resp, err := transport.RoundTrip(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(string(body))
	// Output: Bearer of-toolvet
}

// TestDocumentedPolicies: the policies in the document are valid.
func TestDocumentedPolicies(t *testing.T) {
	t.Setenv("API_SECRET", "s3cret")
	text, err := os.ReadFile("../../docs/authorization.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Errorf("the document has %d policies", len(blocks))
	}
	for _, m := range blocks {
		block := m[1]
		if !regexp.MustCompile(`(?m)^version:`).Match(block) {
			block = append([]byte("version: 1\n"), block...)
		}
		p, err := policy.Parse("docs/authorization.md", block)
		if err != nil {
			t.Error(err)
		} else if p.Authorization != nil {
			if _, err := auth.New(p.Authorization, auth.Options{}); err != nil {
				t.Error(err)
			}
		}
	}
}
