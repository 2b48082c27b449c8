// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policyfile_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/policyfile"
	"github.com/toolvet/toolvet/upstream"
	"github.com/toolvet/toolvet/upstream/upstreamtest"
)

// The policy authenticates the clients of a gateway, and its rules know them.
func ExampleFile_Authenticate() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "policyfile-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "toolvet.yaml")
	text := fmt.Sprintf(`version: 1
servers: {files: {}}
authorization: {tokens: [{sha256: "%x", subject: ann}, {sha256: "%x", subject: bob}]}
rules: [{name: only-ann, effect: allow, tools: "files:*", when: session.subject == "ann"}]
`, sha256.Sum256([]byte("token-of-ann")), sha256.Sum256([]byte("token-of-bob")))
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	file, err := policyfile.Open(name, policyfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close(ctx)
	files := upstreamtest.Server{{Name: "read"}} // in earnest: upstream.Command{Args: []string{"files-server"}}
	g, err := gateway.New(gateway.Config{Servers: []gateway.Server{{
		Server: upstream.Server{Name: "files", Dialer: files},
		Gate:   func() *toolvet.Gate { return file.Gate("files") },
	}}})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(ctx)
	handler, err := g.Handler(gateway.HandlerConfig{Caller: func(r *http.Request) (call.Session, error) {
		token := auth.TokenInfoFromContext(r.Context())
		if token == nil {
			return call.Session{}, errors.New("the policy has no authorization")
		}
		return call.Session{Subject: token.UserID, Claims: token.Extra}, nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close(ctx)
	web := httptest.NewServer(file.Authenticate(handler))
	defer web.Close()

	for _, token := range []bearer{"token-of-ann", "token-of-bob", "token-of-eve"} {
		set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "all", Dialer: upstream.HTTP{URL: web.URL, Transport: token}}}})
		if err != nil {
			log.Fatal(err)
		}
		outcome, err := set.Call(ctx, "all:files__read", json.RawMessage(`{}`))
		var result struct{ IsError bool }
		_ = json.Unmarshal(outcome.Raw, &result)
		fmt.Println(token, "may read:", err == nil && !result.IsError)
		set.Close(ctx)
	}
	// Output:
	// token-of-ann may read: true
	// token-of-bob may read: false
	// token-of-eve may read: false
}
