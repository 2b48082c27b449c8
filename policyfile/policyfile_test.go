// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policyfile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/observe"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/mcpgate"
	public "github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/policyfile"
	"github.com/toolvet/toolvet/telemetry"
	"github.com/toolvet/toolvet/upstream"
	"github.com/toolvet/toolvet/upstream/upstreamtest"
)

const readTool = `{"name":"read_file","description":"Reads a file.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`

// write writes a policy into a new directory.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "toolvet.yaml")
	if err := os.WriteFile(name, []byte("version: 1\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t *testing.T, name string, o policyfile.Options) *policyfile.File {
	t.Helper()
	f, err := policyfile.Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(context.Background()) })
	return f
}

// toolCall makes a call of read_file.
func toolCall(t *testing.T, server, path string) *call.Call {
	t.Helper()
	tool, err := call.DecodeTool([]byte(readTool), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	params, err := json.Marshal(map[string]any{"name": "read_file", "arguments": map[string]any{"path": path}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := call.DecodeParams(params, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c.Server = server
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	return c
}

// TestOpen holds that each part of a policy is in force after the one call, for a call that nothing else refuses.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, path string
		want       string // in the refusal
	}{
		"preset":          {"servers: {shop: {roots: [/srv/data]}}\n", "../../etc/passwd", "[path]"},
		"preset by name":  {"preset: strict\nservers: {shop: {roots: [/srv/data]}}\n", "../../etc/passwd", "[path]"},
		"demand":          {"preset: none\nservers: {shop: {tools: {read_file: {arguments: {path: {text: {max_length: 3}}}}}}}\n", "abcd", "[text]"},
		"rule":            {"servers: {shop: {}}\nrules: [{name: no, effect: deny, tools: 'shop:read_*', message: not this}]\n", "a", "not this"},
		"limit":           {"servers: {shop: {}}\nlimits: [{name: none, tools: 'shop:*', quota: 1/day}]\n", "a", "[limit]"},
		"check severity":  {"preset: none\nservers: {shop: {}}\nchecks: {unknown-argument: {severity: error}}\n", "a", ""},
		"authorization":   {"servers: {shop: {}}\nauthorization: {tokens: [{sha256: '" + fmt.Sprintf("%x", auth.Digest("t")) + "', subject: ci}]}\n", "a", "nobody has authenticated"},
		"another server":  {"servers: {shop: {}, other: {}}\n", "a", ""},
		"others in walls": {"servers: {shop: {}, other: {command: [x], contain: {}}}\n", "a", ""},
		"nothing refuses": {"servers: {shop: {}}\n", "a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := open(t, write(t, tt.text), policyfile.Options{Server: "shop"}).Current()
			c := toolCall(t, "", tt.path) // the Gate knows the server's name
			c.Session = &call.Session{Transport: "http"}
			v := g.Judge(t.Context(), c, toolvet.PointLibrary)
			if name == "limit" && v.Go {
				v = g.Judge(t.Context(), c, toolvet.PointLibrary)
			}
			if v.Go != (tt.want == "") || !strings.Contains(v.String(), tt.want) {
				t.Errorf("got %v, want %q", v, tt.want)
			}
		})
	}
}

// refusing is a policy that refuses every call in several ways.
const refusing = "servers: {shop: {}}\nrules: [{name: no, effect: deny}]\nvisibility: allowed\nlimits: [{name: few, quota: 1/day}]\n"

func with(options ...toolvet.Option) policyfile.Options { return policyfile.Options{Gate: options} }

// idle is a check of one's own that finds nothing.
func idle(name string) *check.Check {
	return &check.Check{Name: name, Doc: "# " + name + "\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
		Run: func(context.Context, *check.Pass) error { return nil }}
}

// TestOpenRefuses holds that what cannot be put in force is an error that tells what to do.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	odd := idle("odd")
	odd.Demand = &check.Demand{Name: "odd", Options: func() any {
		return new(struct {
			F func() `policy:"f"`
		})
	}}
	for name, tt := range map[string]struct {
		text string
		o    policyfile.Options
		want string
	}{
		"a misspelt server":     {"servers: {shop: {}, other: {}}\n", policyfile.Options{Server: "shp"}, `did you mean "shop"?`},
		"a misspelt check":      {"checks: {paht: off}\n", policyfile.Options{}, `did you mean "path"?`},
		"rehearsals":            {"servers: {shop: {command: [x]}}\nrehearsal: {before: ['*:*']}\n", policyfile.Options{}, "Options.Rehearse"},
		"walls":                 {"servers: {shop: {command: [x], contain: {}}}\n", policyfile.Options{}, "does not build the walls"},
		"walls of one of many":  {"servers: {other: {}, shop: {command: [x], contain: {}}}\n", policyfile.Options{}, "does not build the walls"},
		"a lock that is absent": {"servers: {shop: {}}\npinning: {lock: absent.lock}\n", policyfile.Options{}, "absent.lock"},
		"a shared store":        {"servers: {shop: {}}\nlimits: [{name: a, rate: 1/s}]\nshared: {redis: 'redis://127.0.0.1:1'}\n", policyfile.Options{}, "shared"},
		"a broken rule":         {"rules: [{name: a, effect: deny, when: 'args.('}]\n", policyfile.Options{}, "toolvet.yaml:2:"},
		"no authorization":      {"authorization: {}\n", policyfile.Options{}, "authorization"},
		"another policy":        {refusing, with(toolvet.WithPolicy(nil)), "WithPolicy is given twice"},
		"other checks":          {refusing, with(toolvet.WithChecks()), "WithChecks is given twice"},
		"another limiter":       {refusing, with(toolvet.WithInside(engine.Parts{Limiter: (*nothing)(nil)})), "a limiter is given twice"},
		"another visibility":    {refusing, with(toolvet.WithInside(engine.Parts{Visible: func(context.Context, *call.Call) bool { return true }})), "a visibility is given twice"},
		"parts of another type": {refusing, with(toolvet.WithInside("log")), "WithInside is for toolvet's own packages"},
		"another server":        {refusing, with(toolvet.WithServer("")), "WithServer is given twice"},
		"another observer":      {refusing, with(toolvet.WithObserver(nil)), "WithObserver is given twice"},
		"a misspelt part":       {refusing, with(toolvet.WithElsewhere("presett")), `no part "presett"`},
		"a rule of one's own":   {refusing, with(toolvet.WithMoreChecks(idle("rule"))), "choose another"},
		"a nil check":           {refusing, policyfile.Options{Checks: []*check.Check{nil}}, "check 0 is nil"},
		"a nil option":          {refusing, with(nil), "is nil"},
		"options of a function": {"servers: {shop: {tools: {read_file: {arguments: {path: {odd: {f: 1}}}}}}}\n", policyfile.Options{Checks: []*check.Check{odd}}, `the option "f" is of type func()`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := policyfile.Open(write(t, tt.text), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v and %v, want %q", f, err, tt.want)
			}
		})
	}
	open(t, write(t, "servers: {shop: {command: [x], contain: {}}}\n"), with(toolvet.WithElsewhere("contain"))) // it may say so
	if _, err := policyfile.Open(filepath.Join(t.TempDir(), "absent.yaml"), policyfile.Options{}); err == nil {
		t.Error("an absent file is opened")
	}
}

type nothing struct{ engine.Limiter }

// TestWirings holds that no wiring of a policy's parts by hand runs a call that the file refuses: each step left
// out or misspelt is an error of New or Install, or a refusal.
func TestWirings(t *testing.T) {
	t.Parallel()
	const text = "servers: {shop: {roots: [/srv/data], base: /srv/data}}\nsession: {subject: ann}\n"
	parse := func(t *testing.T, more string) *policy.Policy {
		p, err := policy.Load(write(t, text+more))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, tt := range map[string]struct {
		more    string
		options []toolvet.Option
		want    string
	}{
		"no preset":             {"", nil, "policyfile"},
		"no preset, strict":     {"preset: strict\n", nil, "policyfile"},
		"no rules":              {"preset: none\nrules: [{name: a, effect: deny}]\n", nil, "policyfile"},
		"no limits":             {"preset: none\nlimits: [{name: a, rate: 1/s}]\n", nil, "policyfile"},
		"no lock":               {"preset: none\npinning: {lock: toolvet.lock}\n", nil, "policyfile"},
		"no log":                {"preset: none\nlog: {file: log.jsonl}\n", nil, "policyfile"},
		"no rehearsal":          {"preset: none\nrehearsal: {before: ['*:*']}\n", nil, "policyfile"},
		"a misspelt server":     {"preset: none\n", []toolvet.Option{toolvet.WithServer("shp")}, `did you mean "shop"?`},
		"no hiding":             {"preset: none\nvisibility: allowed\nrules: [{name: a, effect: deny}]\n", nil, "policyfile"},
		"a nil limiter":         {"preset: none\nlimits: [{name: a, rate: 1/s}]\n", []toolvet.Option{toolvet.WithInside(engine.Parts{Limiter: (*nothing)(nil)})}, "policyfile"},
		"a nil observer":        {"preset: none\nlog: {file: log.jsonl}\n", []toolvet.Option{toolvet.WithObserver((*record.Recorder)(nil))}, "policyfile"},
		"a rule of one's own":   {"preset: none\nrules: [{name: a, effect: deny}]\n", []toolvet.Option{toolvet.WithMoreChecks(idle("rule"))}, "choose another"},
		"a lock of one's own":   {"preset: none\npinning: {lock: toolvet.lock}\n", []toolvet.Option{toolvet.WithMoreChecks(idle("pinned-tool"))}, "choose another"},
		"a rehearsal of one's":  {"preset: none\nrehearsal: {before: ['*:*']}\n", []toolvet.Option{toolvet.WithMoreChecks(idle("rehearsal"))}, "choose another"},
		"two policies":          {"preset: none\n", []toolvet.Option{toolvet.WithPolicy(nil)}, "WithPolicy is given twice"},
		"a misspelt part":       {"", []toolvet.Option{toolvet.WithElsewhere("presett")}, `use "preset", "log", "rehearsal" or "contain"`},
		"no checks for a check": {"preset: none\nchecks: {rule: off}\n", nil, "rule"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := toolvet.New(append(tt.options, toolvet.WithPolicy(policy.Seal(parse(t, tt.more))))...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("a call of another server", func(t *testing.T) {
		t.Parallel()
		g := open(t, write(t, text), policyfile.Options{}).Current()
		if v := g.Judge(t.Context(), toolCall(t, "shp", "a"), toolvet.PointLibrary); v.Go {
			t.Error("a call of a server that the policy does not name is go")
		}
	})
	t.Run("a policy that names no server", func(t *testing.T) {
		t.Parallel()
		f := open(t, write(t, "rules: [{name: reads, effect: allow, tools: 'x:*'}]\n"), policyfile.Options{})
		for server, want := range map[string]bool{"x": true, "y": false} {
			if v := f.Gate(server).Judge(t.Context(), toolCall(t, server, "a"), toolvet.PointLibrary); v.Go != want {
				t.Errorf("%s: %v", server, v)
			}
		}
	})
	t.Run("a server that is not named", func(t *testing.T) {
		t.Parallel()
		f := open(t, write(t, "servers: {shop: {}, other: {}}\n"), policyfile.Options{})
		if err := mcpgate.Install(mcp.NewServer(&mcp.Implementation{Name: "s"}, nil), f); err == nil {
			t.Error("a policy of two servers is installed")
		}
		if f.Gate("shp") != nil {
			t.Error("there is a gate of an unknown server")
		}
	})
	t.Run("a misspelt server of a Set and of a gateway", func(t *testing.T) {
		t.Parallel()
		ran := false
		fake := upstreamtest.Server{{Name: "read_file", Handler: func(context.Context, json.RawMessage) (string, error) { ran = true; return "ran", nil }}}
		f := open(t, write(t, text+"rules: [{name: no, effect: deny}]\n"), policyfile.Options{})
		set, err := upstream.NewSet(upstream.Config{Gate: f.Gate, Servers: []upstream.Server{{Name: "shp", Dialer: fake}}})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close(context.Background())
		if o, err := set.Call(t.Context(), "shp:read_file", json.RawMessage(`{}`)); err == nil || ran {
			t.Errorf("a Set: %+v", o)
		}
		door, err := gateway.New(gateway.Config{Servers: []gateway.Server{{Server: upstream.Server{Name: "shp", Dialer: fake}, Gate: func() *toolvet.Gate { return f.Gate("shp") }}}})
		if err != nil {
			t.Fatal(err)
		}
		defer door.Close(context.Background())
		caller := door.NewCaller(nil)
		if o, err := caller.Call(t.Context(), "shp:read_file", json.RawMessage(`{}`)); err == nil || ran {
			t.Errorf("a gateway: %+v", o)
		}
	})
	t.Run("a file that was not opened", func(t *testing.T) {
		t.Parallel()
		for _, f := range []*policyfile.File{nil, {}} {
			if err := mcpgate.Install(mcp.NewServer(&mcp.Implementation{Name: "s"}, nil), f); err == nil || f.Gate("shop") != nil || f.Servers() != nil {
				t.Error("a file that was not opened has gates")
			}
		}
	})
	t.Run("a server too many, while it serves", func(t *testing.T) {
		t.Parallel()
		name := write(t, text)
		f := open(t, name, policyfile.Options{})
		web := serve(t, f, false)
		if got := ask(t, web, http.DefaultClient); got != "ran" {
			t.Errorf("before: %s", got)
		}
		if err := os.WriteFile(name, []byte("version: 1\nservers: {shop: {}, other: {}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Reload(); err != nil {
			t.Fatal(err)
		}
		v := f.Current().Judge(t.Context(), toolCall(t, "shop", "a"), toolvet.PointLibrary)
		if got := ask(t, web, http.DefaultClient); got == "ran" || !strings.Contains(v.String(), "no policy is in force") {
			t.Errorf("of two servers none is named: %s, %v", got, v)
		}
	})
	t.Run("after Close", func(t *testing.T) {
		t.Parallel()
		name := write(t, text)
		f := open(t, name, policyfile.Options{})
		f.Close(t.Context())
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := f.Reload(); err != policyfile.ErrClosed {
			t.Errorf("Reload: %v", err)
		}
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		f := open(t, write(t, text), policyfile.Options{})
		server := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
		if err := mcpgate.Install(server, f); err != nil {
			t.Fatal(err)
		}
		if err := mcpgate.Install(server, f); err == nil {
			t.Error("a second gate is installed")
		}
	})
}

// serve puts a Go server with read_file behind a policy file, over HTTP.
func serve(t *testing.T, f *policyfile.File, protect bool) *httptest.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	if err := mcpgate.Install(server, f); err != nil {
		t.Fatal(err)
	}
	type in struct {
		Path string `json:"path"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "read_file"}, func(_ context.Context, r *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
		text := "ran"
		if r.Extra.Header.Get("Authorization") != "" {
			text = "the tool sees a token"
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	if protect {
		handler = f.Authenticate(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// ask calls read_file, and returns what a model reads.
func ask(t *testing.T, web *httptest.Server, client *http.Client) string {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return "no session"
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "a"}})
	if err != nil {
		return err.Error()
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// TestAuthenticate holds that the policy's tokens are asked for, that the subject reaches rules, and that a
// program that leaves Authenticate out runs no call.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	token := auth.NewToken()
	f := open(t, write(t, fmt.Sprintf(`servers: {shop: {}}
authorization: {tokens: [{sha256: "%x", subject: ci}]}
rules: [{name: ci, effect: allow, tools: "*:*", when: session.subject == "ci"}]
`, auth.Digest(token))), policyfile.Options{})
	protected, open := serve(t, f, true), serve(t, f, false)
	if got := ask(t, protected, &http.Client{Transport: bearer(token)}); got != "ran" {
		t.Errorf("with the token: %s", got)
	}
	if got := ask(t, protected, http.DefaultClient); got != "no session" {
		t.Errorf("without a token: %s", got)
	}
	if got := ask(t, open, &http.Client{Transport: bearer(token)}); strings.Contains(got, "ran") {
		t.Errorf("without Authenticate: %s", got)
	}
}

// TestReload holds that a changed text counts, that a text with a fault does not, and that counts stay.
func TestReload(t *testing.T) {
	t.Parallel()
	name := write(t, "servers: {shop: {}}\nlimits: [{name: two, quota: 2/day}]\n")
	f := open(t, name, policyfile.Options{})
	judge := func() bool { return f.Current().Judge(t.Context(), toolCall(t, "shop", "a"), toolvet.PointLibrary).Go }
	rewrite := func(text string) error {
		if err := os.WriteFile(name, []byte("version: 1\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return f.Reload()
	}
	if !judge() {
		t.Error("the first call is refused")
	}
	if err := rewrite("servers: {shop: {}}\nlimits: [{name: two, quota: 2/dya}]\n"); err == nil || !strings.Contains(err.Error(), ":3:") {
		t.Errorf("a fault: %v", err)
	}
	if err := rewrite("servers: {shop: {}}\nlimits: [{name: two, quota: 2/day}]\nrules: [{name: all, effect: allow}]\n"); err != nil {
		t.Error(err)
	}
	if !judge() || judge() {
		t.Error("the second of two is refused, or the third is not: counts are lost")
	}
	if err := rewrite("servers: {shop: {}}\nlog: {file: log.jsonl}\n"); err == nil || !strings.Contains(err.Error(), "starts again") {
		t.Errorf("another log: %v", err)
	}
}

// TestFaults holds that the errors of Open, Reload and toolvet.New tell the places of all faults.
func TestFaults(t *testing.T) {
	t.Parallel()
	const wrong = "servers: {shop: {location: far}}\nchecks: {paht: off}\n"
	_, opening := policyfile.Open(write(t, wrong), policyfile.Options{})
	name := write(t, "servers: {shop: {}}\n")
	f := open(t, name, policyfile.Options{})
	if err := os.WriteFile(name, []byte("version: 1\n"+wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := policy.Load(write(t, "preset: none\nservers: {shop: {}}\nchecks: {paht: off}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, making := toolvet.New(toolvet.WithPolicy(policy.Seal(parsed)))
	for from, tt := range map[string]struct {
		err  error
		want string
	}{
		"Open":   {opening, "2:28"},
		"Reload": {f.Reload(), "2:28"},
		"New":    {making, "4:10"},
	} {
		var places []string
		for _, fault := range public.Faults(tt.err) {
			places = append(places, fmt.Sprintf("%d:%d", fault.Line, fault.Column))
		}
		if got := strings.Join(places, " "); got != tt.want {
			t.Errorf("%s: faults at %q, want %q: %v", from, got, tt.want, tt.err)
		}
	}
}

// A policyObserver learns which policy is in force.
type policyObserver struct {
	telemetry.Observer
	read func() observe.Policy
}

func (o *policyObserver) Policy(read func() observe.Policy) { o.read = read }

// TestObserver holds that an Observer is told which policy is in force, and whether the file holds another.
func TestObserver(t *testing.T) {
	t.Parallel()
	o := &policyObserver{Observer: telemetry.Join()}
	name := write(t, "servers: {shop: {}}\n")
	f := open(t, name, policyfile.Options{Observer: telemetry.Join(o)})
	first := o.read()
	if first.Digest != f.InForce().Digest || first.Digest == "" || first.Since.IsZero() || first.Refused {
		t.Errorf("after Open: %+v", first)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Reload(); err == nil {
		t.Error("an empty file is a policy")
	}
	if got := o.read(); !got.Refused || got.Digest != first.Digest {
		t.Errorf("after a fault: %+v", got)
	}
}

// TestRun holds that a changed file is in force without a call of Reload.
func TestRun(t *testing.T) {
	t.Parallel()
	name := write(t, "servers: {shop: {}}\n")
	f := open(t, name, policyfile.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go f.Run(ctx)
	if err := os.WriteFile(name, []byte("version: 1\nservers: {shop: {}}\nrules: [{name: none, effect: deny}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); f.Current().Judge(t.Context(), toolCall(t, "shop", "a"), toolvet.PointLibrary).Go; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the change does not count")
		}
	}
	if in := f.InForce(); in.Problem != "" || in.Digest == "" {
		t.Errorf("in force: %+v", in)
	}
}

// TestLog holds that the log of the policy has each call, once.
func TestLog(t *testing.T) {
	t.Parallel()
	name := write(t, "servers: {shop: {}}\nlog: {file: log.jsonl}\n")
	f := open(t, name, policyfile.Options{Server: "shop"})
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	if err := mcpgate.Install(server, f); err != nil {
		t.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "now"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "now"}); err != nil {
		t.Fatal(err)
	}
	f.Close(t.Context())
	var kinds []string
	for r, err := range calllog.Records(filepath.Join(filepath.Dir(name), "log.jsonl")) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Tool == "now" {
			kinds = append(kinds, fmt.Sprint(r.Kind, " ", r.Server))
		}
	}
	if got := strings.Join(kinds, ", "); got != "call shop, result shop" {
		t.Errorf("recorded: %s", got)
	}
}
