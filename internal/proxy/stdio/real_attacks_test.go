// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// An attack is what a hostile client sends to run the tool danger, or a call with the
// word never in its arguments, neither of which may run, or a call with other arguments
// than were judged.
type attack struct {
	name, line string
	answers    []string // the ids that are answered, each once
}

func attacks() []attack {
	const (
		danger = `"method":"tools/call","params":{"name":"danger","arguments":{"word":1}}`
		open   = `"method":"tools/call","params":{"name":"open","arguments":{}}`
		never  = `"method":"tools/call","params":{"name":"open","arguments":{"a":"never"}}`
	)
	// The id of each attack is its number, so that answers are told apart.
	n := 0
	var all []attack
	add := func(name, line string, answers ...string) {
		n++
		id := fmt.Sprint(n)
		line = strings.ReplaceAll(line, "$ID", id)
		for i := range answers {
			answers[i] = strings.ReplaceAll(answers[i], "$ID", id)
		}
		all = append(all, attack{name, line, answers})
	}
	request := func(rest string) string { return `{"jsonrpc":"2.0","id":$ID,` + rest + `}` }
	params := func(p string) string { return request(`"method":"tools/call","params":` + p) }
	arguments := func(a string) string { return params(`{"name":"open","arguments":` + a + `}`) }

	add("plain", request(danger), "$ID")

	add("method twice", request(`"method":"ping",`+danger), "$ID")
	add("method twice, the other way", request(danger+`,"method":"ping"`), "$ID")
	add("method twice, escaped", request(`"method":"ping","\u006dethod":"tools/call","params":{"name":"danger"}`), "$ID")
	add("method in capitals", request(`"METHOD":"ping",`+danger), "$ID")
	add("method in capitals, the other way", request(`"method":"ping","Method":"tools/call","params":{"name":"danger"}`), "$ID")
	add("method with escapes", request(`"method":"tools\/c\u0061ll","params":{"name":"danger"}`), "$ID")
	add("method key with escapes", request(`"\u006dethod":"tools/call","params":{"name":"danger"}`), "$ID")
	add("params twice", request(`"method":"tools/call","params":{"name":"open"},"params":{"name":"danger"}`), "$ID")
	add("params in capitals", request(`"method":"tools/call","params":{"name":"open"},"Params":{"name":"danger"}`), "$ID")
	add("params with a long s", request(`"method":"tools/call","params":{"name":"open"},"param\u017f":{"name":"danger"}`), "$ID")
	add("id twice", `{"jsonrpc":"2.0","id":$ID,"id":"x",`+danger+`}`, "null")
	add("id in capitals", `{"jsonrpc":"2.0","id":$ID,"ID":"x",`+danger+`}`, "$ID")
	add("jsonrpc twice", `{"jsonrpc":"2.0","jsonrpc":"1.0","id":$ID,`+danger+`}`, "$ID")
	add("jsonrpc is missing", `{"id":$ID,`+danger+`}`, "$ID")
	add("request and response", `{"jsonrpc":"2.0","id":$ID,"result":{},`+danger+`}`, "$ID")
	add("request and error", `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":""},`+danger+`}`, "$ID")

	add("name twice", params(`{"name":"open","name":"danger"}`), "$ID")
	add("name twice, escaped", params(`{"name":"open","\u006eame":"danger"}`), "$ID")
	add("name in capitals", params(`{"name":"danger","NAME":"open"}`), "$ID")
	add("name in capitals, the other way", params(`{"NAME":"danger","name":"open"}`), "$ID")
	add("name only in capitals", params(`{"Name":"danger"}`), "$ID")
	add("name with escapes", params(`{"name":"d\u0061nger"}`), "$ID")
	add("name is an array", params(`{"name":["danger"]}`), "$ID")
	add("name is an object", params(`{"name":{"toString":"danger"}}`), "$ID")
	add("name with spaces", params(`{"name":" danger "}`), "$ID")
	add("name with NUL", params(`{"name":"open\u0000danger"}`), "$ID")
	add("params is an array", params(`[{"name":"danger"}]`), "$ID")
	add("params is a string", params(`"danger"`), "$ID")
	add("params is missing", request(`"method":"tools/call"`), "$ID")
	add("arguments twice", params(`{"name":"open","arguments":{"a":1},"arguments":{"a":"never"}}`), "$ID")
	add("arguments in capitals", params(`{"name":"open","arguments":{"a":"never"},"Arguments":{"a":2}}`), "$ID")
	add("arguments is an array", arguments(`[1]`), "$ID")
	add("arguments is null", arguments(`null`), "$ID")
	add("argument twice", arguments(`{"path":"/etc/passwd","path":"never"}`), "$ID")
	add("argument twice, deep", arguments(`{"a":[{"b":{"path":1,"x":0,"path":"never"}}]}`), "$ID")
	add("argument twice, escaped", arguments(`{"path":1,"p\u0061th":"never"}`), "$ID")
	add("argument in another case", params(`{"name":"strict","arguments":{"path":"a","PATH":"never"}}`), "$ID")
	add("properties of every object", arguments(`{"constructor":{"prototype":1},"toString":1,"hasOwnProperty":1}`), "$ID")

	add("huge number", arguments(`{"n":1e999,"x":"never"}`), "$ID")
	add("huge negative number", arguments(`{"n":[-1e999],"x":"never"}`), "$ID")
	add("tiny number", arguments(`{"n":1e-999,"x":"never"}`), "$ID")
	add("long number", arguments(`{"n":`+strings.Repeat("9", 5000)+`}`), "$ID")
	add("number beyond 2^53", arguments(`{"n":9007199254740993,"m":-0,"o":1E2}`), "$ID")
	add("not a number", arguments(`{"n":NaN}`), "$ID")
	add("leading zero", arguments(`{"n":010}`), "$ID")
	add("id is a fraction", `{"jsonrpc":"2.0","id":1.5,`+danger+`}`, "null")
	add("id is huge", `{"jsonrpc":"2.0","id":1e400,`+danger+`}`, "null")
	add("id is null", `{"jsonrpc":"2.0","id":null,`+danger+`}`, "null")
	add("id is an object", `{"jsonrpc":"2.0","id":{},`+danger+`}`, "null")
	add("no id", `{"jsonrpc":"2.0",`+danger+`}`)
	add("no id, good call", `{"jsonrpc":"2.0",`+never+`}`)

	add("lone surrogate", arguments(`{"a":"never \ud800"}`), "$ID")
	add("lone surrogate in a key", arguments(`{"\udc00":"never"}`), "$ID")
	add("two lone surrogates, one key to many", arguments(`{"\ud800":1,"\ud801":"never"}`), "$ID")
	add("invalid UTF-8", arguments("{\"a\":\"never \xff\"}"), "$ID")
	add("invalid UTF-8, an overlong quote", arguments("{\"a\":\"never \xc0\xa2\"}"), "$ID")
	add("invalid UTF-8 in a key", arguments("{\"p\xedath\":1,\"path\":\"never\"}"), "$ID")
	add("invalid UTF-8 outside", request("\"x\":\"\xe0\x80\","+danger), "$ID")
	add("surrogate in UTF-8", arguments("{\"a\":\"never \xed\xa0\x80\"}"), "$ID")
	add("byte order mark", "\ufeff"+request(danger), "null")
	add("UTF-16", utf16le(`{"jsonrpc":"2.0","id":$ID,`+danger+`}`)+"\n", "null", "null") // it makes two lines
	add("NUL before", "\x00"+request(danger), "null")
	add("NUL inside", request("\x00"+danger), "$ID")
	add("NUL in a string", arguments("{\"a\":\"\x00\"}"), "$ID")
	add("escaped NUL", arguments(`{"a":"\u0000"}`), "$ID")

	add("carriage returns hide a message", request(`"method":"ping","params":`+"\r"+`{"jsonrpc":"2.0","id":"cr",`+danger+`}`+"\r"), "$ID")
	add("carriage returns around a message", "\r"+request(danger)+"\r", "$ID")
	add("carriage return as white space", request("\r"+danger), "$ID")
	add("line separators", arguments("{\"a\":\"\u2028{}\u2029\u0085\"}"), "$ID")
	add("two messages on a line", request(`"method":"ping"`)+request(danger), "$ID")
	add("trailing data", request(never)+" x", "$ID")
	add("a comment", request(`/* */`+danger), "$ID")
	add("single quotes", `{'jsonrpc':'2.0','id':$ID,'method':'tools/call','params':{'name':'danger'}}`, "null")
	add("no JSON", `tools/call danger`, "null")
	add("cut off", `{"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":{"name":"danger"`, "$ID")

	add("batch", `[`+request(danger)+`]`, "$ID")
	add("batch with good and bad", `[`+request(open)+`,{"jsonrpc":"2.0","id":"b",`+danger+`}]`, "$ID", `"b"`)
	add("batch in a batch", `[[`+request(danger)+`]]`, "null")
	add("batch with spaces before", " \t["+request(danger)+"]", "$ID")
	add("empty batch", `[]`, "null")
	add("batch of a notification", `[{"jsonrpc":"2.0",`+danger+`}]`)
	add("batch is cut off", `[`+request(danger), "null")

	add("deep arguments", arguments(strings.Repeat(`{"a":`, 10_000)+`1`+strings.Repeat(`}`, 10_000)), "$ID")
	add("deep beside", request(`"x":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`,`+danger), "$ID")
	add("deep and open", strings.Repeat("[", 100_000), "null")
	add("long", request(`"x":"`+strings.Repeat("x", maxLine)+`",`+danger), "$ID")
	add("long, the id last", `{`+danger+`,"x":"`+strings.Repeat("x", maxLine)+`","jsonrpc":"2.0","id":$ID}`, "$ID")
	add("long, another id inside", request(`"x":[{"id":"inner"},"`+strings.Repeat("x", maxLine)+`"],`+danger), "$ID")

	add("validate", params(`{"name":"validate","arguments":{"tool":"danger","arguments":{"word":1}}}`), "$ID")
	add("validate of the invalid", params(`{"name":"validate","arguments":{"tool":"danger","arguments":{},"arguments":{}}}`), "$ID")
	add("private id", `{"jsonrpc":"2.0","id":"toolvet-1",`+danger+`}`, `"toolvet-1"`)
	return all
}

const maxLine = 1 << 20

func utf16le(s string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s + "\n")) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// TestAttacks sends the attacks to a server that records what it runs: one of the
// TypeScript SDK, and one that is as lenient as can be. Nothing runs but what was
// judged to be a go, with the arguments that were judged, and every id is answered.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"sdk", "lenient"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ran")
			var judged recorder
			gate := newGate(t, toolvet.WithChecks(append(suite.Default(), judged.check())...))
			cfg := configure(gate, append(npm.Script(t, "recorder.mjs"), mode, file))
			cfg.Limits = call.Limits{Bytes: maxLine}
			cfg.Linger = time.Second
			p := behind(t, cfg)
			c := &plainClient{peer: p, revision: "2025-11-25"}
			p.ask("0", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
			c.await(`"list"`)
			for i, a := range attacks() {
				strike(t, p, a, fmt.Sprintf(`"fence-%d"`, i))
			}
			if got := p.ask(`"last"`, `{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"open","arguments":{"last":true}}}`).callResult(t); got.text() != "ran" {
				t.Fatalf("a good call after the attacks: %+v", got)
			}
			judged.compare(t, file)
		})
	}
}

// TestAttacksAreReal shows that the attacks work where nobody stops them.
func TestAttacksAreReal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ran")
	p, _ := start(t, append(npm.Script(t, "recorder.mjs"), "lenient", file))
	for _, a := range attacks() {
		p.send(a.line)
	}
	p.ask(`"end"`, `{"jsonrpc":"2.0","id":"end","method":"ping"}`)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"name":"danger"`, "never"} {
		if n := strings.Count(string(raw), word); n < 12 {
			t.Errorf("%s ran %d times, want most of the attacks to work", word, n)
		}
	}
}

// strike sends an attack and a fence, and compares the ids that are answered before
// the fence and the answers are complete.
func strike(t *testing.T, p *peer, a attack, fence string) {
	t.Helper()
	ping := `{"jsonrpc":"2.0","id":` + fence + `,"method":"ping"}`
	if _, err := io.WriteString(p.stdin, a.line+"\n"+ping+"\n"); err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	var got []string
	for fenced := false; !fenced || len(got) < len(a.answers); {
		line, err := p.next()
		if err != nil {
			t.Fatalf("%s: ids answered %v, want %v: %v", a.name, got, a.answers, err)
		}
		if id := string(decode(t, line).ID); id == fence {
			fenced = true
		} else {
			got = append(got, id)
		}
	}
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(a.answers)); !slices.Equal(got, want) {
		t.Errorf("%s: ids answered %v, want %v", a.name, got, want)
	}
}

// A recorder notes the calls that pass all checks before it.
type recorder struct {
	mu    sync.Mutex
	calls []ranCall
}

type ranCall struct {
	Name      string
	Arguments any
}

func (r *recorder) check() *check.Check {
	return &check.Check{
		Name: "recorder", Doc: "# recorder\n\nNotes what passes the checks before it.\n",
		Stage: check.Policy, Level: check.SecurityLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			c := ranCall{Name: pass.Call.Name}
			if err := json.Unmarshal(pass.Call.Raw, &c.Arguments); err != nil {
				return err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.calls = append(r.calls, c)
			return nil
		},
	}
}

// compare looks for each call that the server ran among those that were judged.
func (r *recorder) compare(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines {
		var ran ranCall
		if err := json.Unmarshal([]byte(line), &ran); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.calls, func(c ranCall) bool { return reflect.DeepEqual(c, ran) })
		if i < 0 || ran.Name == "danger" || strings.Contains(line, "never") {
			t.Errorf("the server ran what nobody let through: %.300s", line)
			continue
		}
		r.calls = slices.Delete(r.calls, i, i+1)
	}
	if len(lines) < 5 {
		t.Errorf("the server ran %d calls: the good ones among the attacks did not reach it", len(lines))
	}
}

// TestAttackOnEverything shows that the attack is real, and that the proxy stops it.
func TestAttackOnEverything(t *testing.T) {
	t.Parallel()
	const (
		hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		leak  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-env","NAME":"echo","arguments":{"message":"hi"}}}`
	)
	command := npm.Server(t, "everything")
	direct, _ := start(t, command)
	direct.ask("0", hello)
	if got := direct.ask("1", leak).callResult(t); !strings.Contains(got.text(), `"PATH"`) {
		t.Errorf("the server alone: %+v, want its environment", got)
	}
	proxied := behind(t, configure(newGate(t), command))
	proxied.ask("0", hello)
	if got := proxied.ask("1", leak); got.Error == nil || got.Error.Code != jsonrpc.InvalidParams {
		t.Errorf("through the proxy: %+v, want the error %d", got, jsonrpc.InvalidParams)
	}
}
