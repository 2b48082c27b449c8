// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// strictGate is the gate of a policy with the preset strict.
func strictGate(t *testing.T, yaml string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "files"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = preset.Apply("strict", p, suite.Default()); err != nil {
		t.Fatal(err)
	}
	return gate(t, append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
}

// TestSideDoors holds that somebody whom no rule allows anything gets nothing of a server: no
// resource, no prompt, no completion, no subscription, and no entry of a list. Somebody whom a rule
// allows to read gets what the preset lets through.
func TestSideDoors(t *testing.T) {
	t.Parallel()
	files := lists(map[string]string{
		"tools/list":               tools("read_file"),
		"resources/list":           `{"uri":"file:///srv/data/a","name":"a"}`,
		"resources/templates/list": `{"uriTemplate":"file:///{+path}","name":"files"}`,
		"prompts/list":             `{"name":"cat","arguments":[{"name":"path"}]}`,
	}, echo)
	for method, result := range map[string]string{
		"resources/read": `{"contents":[{"uri":"file:///srv/data/a","text":"root:x:0:0"}]}`, "resources/subscribe": `{}`,
		"prompts/get": `{"messages":[]}`, "completion/complete": `{"completion":{"values":["root:x:0:0"]}}`,
	} {
		files.on(method, says(result))
	}
	g := strictGate(t, `
servers: {files: {roots: [/srv/data]}}
visibility: allowed
rules:
  - {name: only ann, effect: allow, tools: "files:*", requests: "files:*", when: 'session.subject == "ann"'}
limits: [{name: tight, requests: "files:resources/read", quota: 1/month}]
`)
	gw := open(t, map[string]*fake{"files": files}, func(c *gateway.Config) { c.Servers[0].Gate = func() *toolvet.Gate { return g } })
	bob, ann := legacy(t, gw, "bob", `{}`), legacy(t, gw, "ann", `{}`)
	asked := []string{"resources/read", "resources/subscribe", "prompts/get", "completion/complete"}
	for _, tt := range []struct{ method, good, evil string }{
		{asked[0], `{"uri":"file:///srv/data/a"}`, `{"uri":"file:///etc/passwd"}`},
		{asked[1], `{"uri":"file:///srv/data/a"}`, `{"uri":"file:///etc/passwd"}`},
		{asked[2], `{"name":"files__cat","arguments":{"text":"x"}}`, `{"name":"files__cat","arguments":{"path":"/etc/passwd"}}`},
		{asked[3], `{"ref":{"type":"ref/prompt","name":"files__cat"},"argument":{"name":"text","value":"x"}}`,
			`{"ref":{"type":"ref/prompt","name":"files__cat"},"argument":{"name":"path","value":"/etc/passwd"}}`},
	} {
		for who, m := range map[string]message{
			"bob":               bob.request(tt.method, tt.good),
			"bob, an evil one":  bob.request(tt.method, tt.evil),
			"ann, an evil one ": ann.request(tt.method, tt.evil),
		} {
			if !strings.Contains(string(m.Error), "-32602") || !strings.Contains(string(m.Error), "was refused before it reached the server") {
				t.Errorf("%s: %s: %s%s", who, tt.method, m.Result, m.Error)
			}
		}
		if n := len(files.got(tt.method)); n != 0 {
			t.Errorf("the server was asked %d times for %s", n, tt.method)
		}
		if m := ann.request(tt.method, tt.good); m.Error != nil {
			t.Errorf("ann: %s: %s", tt.method, m.Error)
		}
		if n := len(files.got(tt.method)); n != 1 {
			t.Errorf("the server was asked %d times for %s, want 1", n, tt.method)
		}
	}
	if m := ann.request("resources/read", `{"uri":"file:///srv/data/a"}`); !strings.Contains(string(m.Error), "too many calls") {
		t.Errorf("beyond the limit: %s%s", m.Result, m.Error)
	}
	for _, list := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
		if got := bob.result(list, `{}`); !strings.Contains(got, ":[]") {
			t.Errorf("bob lists %s: %s", list, got)
		}
		if got := ann.result(list, `{}`); strings.Contains(got, ":[]") {
			t.Errorf("ann lists %s: %s", list, got)
		}
	}
	if m := bob.request("vendor/exec", fmt.Sprintf(`{"cmd":%q}`, "x")); !strings.Contains(string(m.Error), "-32601") {
		t.Errorf("an unknown method: %s%s", m.Result, m.Error)
	}
}
