// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/policy"
)

func TestKept(t *testing.T) {
	t.Parallel()
	p := &policy.Policy{
		Log: policy.Log{File: "/p/calls.jsonl", KeyFile: "/p/key"}, Pinning: policy.Pinning{Lock: "/p/lock.json"},
		Servers: []*policy.Server{
			{Name: "local"},
			{Name: "far", Credentials: &policy.Credentials{HeaderFiles: map[string]string{"X-Key": "/s/header"}, Client: &policy.ClientCredentials{SecretFile: "/s/secret"}}},
		},
	}
	got := Kept("/p/toolvet.yaml", p)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"/p/calls.jsonl", "/p/key", "/p/lock.json", "/p/toolvet.yaml", "/s/header", "/s/secret"}, got); diff != "" {
		t.Errorf("kept files (-want +got):\n%s", diff)
	}
	lacking := "version: 1\nservers: {far: {url: 'https://${NOBODY_SETS}/', credentials: {header_file: {X-Key: /s/header}, client_credentials: {token_url: 'https://a.example/', client_id: i, client_secret_file: /s/secret}}}}\n"
	p, err := policy.ParseFor(policy.NoServer, os.LookupEnv, "/p/toolvet.yaml", []byte(lacking))
	if err != nil {
		t.Fatal(err)
	}
	if got := Kept("/p/toolvet.yaml", p); !slices.Contains(got, "/s/header") || !slices.Contains(got, "/s/secret") {
		t.Errorf("of a server that lacks a variable: %v", got)
	}
	if got := Kept("", p); got != nil {
		t.Errorf("without a policy: %v", got)
	}
}
