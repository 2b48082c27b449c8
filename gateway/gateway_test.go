// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/upstream"
)

// long is the name of a tool that does not fit behind that of its server.
var long = strings.Repeat("l", 127)

func TestMergedLists(t *testing.T) {
	t.Parallel()
	g := open(t, map[string]*fake{
		"a": lists(map[string]string{
			"tools/list": tools("x", "same", "odd name", long), "prompts/list": `{"name":"p","vendor":1.0}`,
			"resources/list": `{"uri":"file:///1","name":"one"},{"uri":"file:///2","name":"two"}`, "resources/templates/list": `{"uriTemplate":"t:///{x}","name":"t"}`,
		}, echo),
		"b": lists(map[string]string{
			"tools/list": tools("same", "y"), "prompts/list": `{"name":"p"}`,
			"resources/list": `{"uri":"file:///2","name":"other","size":1.0},{"uri":"file:///3","name":"three"}`, "resources/templates/list": `{"uriTemplate":"t:///{x}","name":"t"}`,
		}, echo),
		"c": lists(map[string]string{"tools/list": ""}, echo),
	})
	c := legacy(t, g, "ann", `{}`)
	for _, test := range []struct {
		method, list, key string
		want              []string
	}{
		{"tools/list", "tools", "name", []string{"a__x", "a__same", gateway.Expose("a", "odd name"), gateway.Expose("a", long), "b__same", "b__y", "validate", "validate_batch"}},
		{"prompts/list", "prompts", "name", []string{"a__p", "b__p"}},
		{"resources/list", "resources", "uri", []string{"file:///1", "file:///2", "toolvet://b/file:///2", "file:///3"}},
		{"resources/templates/list", "resourceTemplates", "uriTemplate", []string{"t:///{x}", "toolvet://b/t:///{x}"}},
	} {
		got := c.result(test.method, `{}`)
		if diff := cmp.Diff(test.want, names(t, got, test.list, test.key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.method, diff)
		}
		for _, kept := range map[string][]string{"tools/list": {`"maximum":1.0e2`}, "prompts/list": {`"vendor":1.0`}, "resources/list": {`"size":1.0`}}[test.method] {
			if !strings.Contains(got, kept) {
				t.Errorf("%s lost %s", test.method, kept)
			}
		}
	}
}

func TestNamesOfCalls(t *testing.T) {
	t.Parallel()
	a := lists(map[string]string{"tools/list": tools("x", "same", "odd name", long, "write_file")}, echo)
	b := lists(map[string]string{"tools/list": tools("same", "y")}, echo)
	g := open(t, map[string]*fake{"a": a, "b": b})
	c := legacy(t, g, "ann", `{}`)
	for _, test := range []struct{ name, want string }{ // what the server is asked for, or why not
		{"a__x", `"name":"x"`},
		{"a:x", `"name":"x"`},
		{"x", `"name":"x"`},
		{gateway.Expose("a", "odd name"), `"name":"odd name"`},
		{gateway.Expose("a", long), `"name":"` + long + `"`},
		{"b__same", `"name":"same"`},
		{"same", `say \"a__same\" or \"b__same\"`},
		{"a__y", `the server lists no tool of this name`},
		{"z__y", `there is no tool called \"z__y\"`},
		{"a__write_fil", `The call to \"a__write_fil\" was refused before it ran:\n- error: the server lists no tool of this name\n  fix: did you mean the tool a__write_file?`},
		{"a:odd nam", `did you mean the tool ` + gateway.Expose("a", "odd name") + `?`},
		{"writ_file", `did you mean \"write_file\"?`},
	} {
		got := c.result("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"n":1.50},"task":{"ttl":1.0},"_meta":{"k":2.0}}`, test.name))
		if !strings.Contains(got, test.want) {
			t.Errorf("a call of %q: %s, want %s", test.name, got, test.want)
		}
		if strings.HasPrefix(test.want, `"name"`) {
			for _, kept := range []string{`"n":1.50`, `"ttl":1.0`, `"k":2.0`} {
				if !strings.Contains(got, kept) {
					t.Errorf("a call of %q: the server does not get %s: %s", test.name, kept, got)
				}
			}
		}
		dry := c.result("tools/call", fmt.Sprintf(`{"name":"validate","arguments":{"tool":%q,"arguments":{"n":1.50}}}`, test.name))
		if valid := strings.Contains(dry, `"valid":true`); valid != strings.HasPrefix(test.want, `"name"`) {
			t.Errorf("validate of %q: %s", test.name, dry)
		}
	}
	dry := c.result("tools/call", `{"name":"validate_batch","arguments":{"calls":[{"tool":"a__x","arguments":{"n":1}},{"tool":"b:y","arguments":{"n":"1"}},{"tool":"same","arguments":{}},{"tool":"y","arguments":{"n":2}},7]}}`)
	var batch struct {
		StructuredContent struct {
			Results []struct {
				Valid  bool
				Errors []string
			}
		}
	}
	if err := json.Unmarshal([]byte(dry), &batch); err != nil {
		t.Fatal(err)
	}
	var valid []bool
	for _, r := range batch.StructuredContent.Results {
		valid = append(valid, r.Valid)
	}
	if diff := cmp.Diff([]bool{true, false, false, true, false}, valid); diff != "" {
		t.Errorf("validate_batch over two servers (-want +got):\n%s\n%s", diff, dry)
	}
	if n := len(a.got("tools/call")) + len(b.got("tools/call")); n != 6 {
		t.Errorf("the servers had %d calls, want 6", n)
	}
}

func TestNamesOfServers(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"files": true, "a_b": true, "a-b.c9": true, "": false, "a__b": false, "a_": false, "_a": false, "a b": false, "a:b": false, strings.Repeat("s", 65): false,
	} {
		if err := gateway.CheckServerName(name); (err == nil) != good {
			t.Errorf("CheckServerName(%q) = %v", name, err)
		}
	}
}

// FuzzExpose holds that a name is one that tools may have, tells its server, and is the same
// each time; and that different tools of a server do not share one.
func FuzzExpose(f *testing.F) {
	for _, seed := range []string{"read", "odd name", "", "__", "_x", long, long + "x", "\x00", "ä"} {
		f.Add(seed, seed+"2")
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		const server = "a_b"
		exposed := gateway.Expose(server, one)
		if len(exposed) > 128 || strings.Trim(exposed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
			t.Errorf("Expose(%q) = %q is no name of a tool", one, exposed)
		}
		if !strings.HasPrefix(exposed, server+"__") || exposed != gateway.Expose(server, one) {
			t.Errorf("Expose(%q) = %q", one, exposed)
		}
		if one != other && exposed == gateway.Expose(server, other) {
			t.Errorf("%q and %q are both called %q", one, other, exposed)
		}
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 1500 {
		many = append(many, fmt.Sprintf("t%04d", i))
	}
	a, b := lists(map[string]string{"tools/list": tools(many...)}, echo), lists(map[string]string{"tools/list": tools(many[:600]...)}, echo)
	g := open(t, map[string]*fake{"a": a, "b": b})
	c := legacy(t, g, "ann", `{}`)
	var got []string
	cursor := `{}`
	for page := 0; ; page++ {
		result := c.result("tools/list", cursor)
		got = append(got, names(t, result, "tools", "name")...)
		var next struct{ NextCursor string }
		if err := json.Unmarshal([]byte(result), &next); err != nil {
			t.Fatal(err)
		}
		if next.NextCursor == "" {
			break
		}
		cursor = fmt.Sprintf(`{"cursor":%q}`, next.NextCursor)
		if page == 0 { // a server that goes is no reason to lose the place
			a.refuse = func(int) error { return io.ErrUnexpectedEOF }
			a.kill()
		}
	}
	if len(got) != 2102 || got[0] != "a__t0000" || got[1499] != "a__t1499" || got[1500] != "b__t0000" || got[2101] != "validate_batch" {
		t.Errorf("listed %d tools: %.300v", len(got), got)
	}
	for _, bad := range []string{`{"cursor":"x"}`, `{"cursor":7}`, `{"cursor":"eA"}`} {
		if m := c.request("tools/list", bad); !strings.Contains(string(m.Error), "-32602") {
			t.Errorf("tools/list with %s: %s %s", bad, m.Error, m.Result)
		}
	}
}

// TestParity holds that a call is judged alike through the gateway and through the proxy: the
// refusals are the same bytes, but for the tool's name, which is the one that the client used.
func TestParity(t *testing.T) {
	t.Parallel()
	f := lists(map[string]string{"tools/list": tools("x", "y")}, echo)
	g := open(t, map[string]*fake{"s": f})
	viaGateway := legacy(t, g, "ann", `{}`)
	gate := gate(t)
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	viaProxy := &client{t: t, in: stdin, more: make(chan struct{})}
	go viaProxy.read(stdout)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := stdio.Run(t.Context(), stdio.Config{
			Config:  relay.Config{Server: "s", Gate: func() *toolvet.Gate { return gate }},
			Connect: func() (stdio.Peer, error) { return dial(f) }, Stdin: in, Stdout: out,
		})
		if err != nil {
			t.Error(err)
		}
	}()
	viaProxy.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	viaProxy.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	own := func(m message) string { return strings.ReplaceAll(string(m.Result)+string(m.Error), "s__", "") }
	for _, arguments := range []string{
		`{}`, `{"n":1}`, `{"n":"1"}`, `{"n":101}`, `{"m":1}`, `{"n":1,"n":2}`, `[]`, `{"n":null}`, `{"n":1e400}`, `7`,
	} {
		for _, tool := range []string{"x", "z"} {
			want := viaProxy.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
			got := viaGateway.request("tools/call", fmt.Sprintf(`{"name":"s__%s","arguments":%s}`, tool, arguments))
			if diff := cmp.Diff(string(want.Result)+string(want.Error), own(got)); diff != "" {
				t.Errorf("a call of %s with %s (-proxy +gateway):\n%s", tool, arguments, diff)
			}
			dry := fmt.Sprintf(`{"arguments":%s,"tool":%q}`, arguments, tool)
			want = viaProxy.request("tools/call", fmt.Sprintf(`{"name":"validate","arguments":%s}`, dry))
			got = viaGateway.request("tools/call", fmt.Sprintf(`{"name":"validate","arguments":%s}`, strings.Replace(dry, `"`+tool+`"`, `"s__`+tool+`"`, 1)))
			if diff := cmp.Diff(string(want.Result)+string(want.Error), own(got)); diff != "" {
				t.Errorf("validate of %s with %s (-proxy +gateway):\n%s", tool, arguments, diff)
			}
		}
	}
	stdin.Close()
	<-done
}

func dial(f *fake) (stdio.Peer, error) {
	c, err := f.Dial(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return c.(*conn), nil
}

func TestBadConfigs(t *testing.T) {
	t.Parallel()
	good := lists(nil, echo)
	for name, cfg := range map[string]gateway.Config{
		"the server \"a__b\" cannot have this name": {Servers: listOf(t, map[string]*fake{"a__b": good})},
		"two servers are called":                    {Servers: append(listOf(t, map[string]*fake{"a": good}), listOf(t, map[string]*fake{"a": good})...)},
		"has no Dialer":                             {Servers: []gateway.Server{{Server: upstream.Server{Name: "a"}}}},
		"cannot name the validate tool":             {ValidateName: "a b"},
	} {
		if _, err := gateway.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New: %v, want %q", err, name)
		}
	}
}
