// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/cprogram"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// FuzzForwardsWhatItJudged: an accepted message reads the same to a plain Go decoder, to one that
// ignores case, and to each of the readers.
func FuzzForwardsWhatItJudged(f *testing.F) {
	seeds := forwardSeeds()
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	readers := startReaders(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := jsonrpc.DecodeEnvelope(line, Limits{})
		if err != nil || m.Method != "tools/call" {
			return
		}
		c, err := DecodeParams(m.Params, Limits{})
		if err != nil {
			return
		}
		if diff := cmp.Diff(reading{m.Method, c.Name, c.Arguments}, plainGo(t, line)); diff != "" {
			t.Errorf("Go reads %q otherwise (-judged +read):\n%s", line, diff)
		}
		if bytes.ContainsAny(line, "\r\n") { // the proxy frames by lines
			return
		}
		_, holdsNUL := findNUL(c.Arguments)
		for _, r := range readers {
			if r.inC && holdsNUL { // the check nul refuses the call
				continue
			}
			read, ok := r.read(t, line)
			if !ok && r.inC { // a number of more than 63 characters: nothing runs
				continue
			}
			judged := reading{m.Method, c.Name, numbersAs(c.Arguments, r.number).(map[string]any)}
			if diff := cmp.Diff(judged, read); diff != "" {
				t.Errorf("%s reads %q otherwise (-judged +read):\n%s", r.name, line, diff)
			}
		}
	})
}

// TestReadersRead holds that each reader reads plain calls, so that its silence means something.
func TestReadersRead(t *testing.T) {
	t.Parallel()
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"path":"x","n":[1.5,-0,12345678901234567890]}}}`)
	for _, r := range startReaders(t) {
		if read, ok := r.read(t, line); !ok || read.Name != "a" || read.Arguments["path"] != "x" {
			t.Errorf("%s reads %+v, %v", r.name, read, ok)
		}
	}
}

// TestReadersInC holds that readers in C still take the key "name\u0000" for "name": what the refusal
// of U+0000 in keys rests on.
func TestReadersInC(t *testing.T) {
	t.Parallel()
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name\u0000":"b","name":"a","name\u0000":"b"}}`)
	for _, r := range startReaders(t) {
		if read, ok := r.read(t, line); r.inC && (!ok || read.Name != "b") {
			t.Errorf("%s reads %+v, %v", r.name, read, ok)
		}
	}
	m, err := jsonrpc.DecodeEnvelope(line, Limits{})
	if err == nil {
		_, err = DecodeParams(m.Params, Limits{})
	}
	if err == nil {
		t.Error("toolvet accepts the message")
	}
}

// FuzzOtherLineEnds: a reader that ends lines at other characters than LF finds no message inside an
// accepted one.
func FuzzOtherLineEnds(f *testing.F) {
	for _, seed := range []string{
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":\"\u2028{\\\"jsonrpc\\\":\\\"2.0\\\"}\u2028\"}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":\"\u0085{\",\"b\":1,\"}\u2029\":[\"\u2028\"]}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":\r{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r}",
		"{\"jsonrpc\":\"2.0\",\v\"method\":\"m\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := jsonrpc.DecodeEnvelope([]byte(text), Limits{}); err != nil {
			return
		}
		line := strictjson.OneLine([]byte(text))
		pieces := bytes.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\r\n\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) })
		for _, piece := range pieces {
			if _, err := jsonrpc.DecodeEnvelope(piece, Limits{}); err == nil && len(pieces) > 1 {
				t.Errorf("%q holds the message %q", text, piece)
			}
		}
	})
}

func forwardSeeds() []string {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	return []string{
		call(`{"name":"a","arguments":{"path":"x","n":1.50,"big":12345678901234567890,"e":1e21,"z":-0,"t":[true,null]}}`),
		call(`{"name":"a"}`),
		call(`{"arguments":{"a":{"b":{"c":[[]]}}},"name":"\u0061","_meta":{"k":1}}`),
		call(`{"name":"a","name":"b"}`),
		call(`{"name":"a","NAME":"b"}`),
		call(`{"name":"a","arguments":{"p":"1","p":"2"}}`),
		call(`{"name":"a","arguments":{"p":"1","\u0070":"2"}}`),
		call(`{"name":"a","arguments":{"__proto__":{"x":1},"constructor":2,"toString":"x"}}`),
		call(`{"name":"a","arguments":{"1":1,"0":2,"-1":3,"01":4,"":5}}`),
		call(`{"name":"a","arguments":{"s":"\ud83d\ude00\u0000\u2028é","l":"\ud800"}}`),
		call("{\"name\":\"a\",\"arguments\":{\"s\":\"\xff\",\"t\":\"\u2028\"}}"),
		call(`{"name":"a","arguments":{"n":[1e400,1e-400,0.1e1,5e-324]}}`),
		`{"jsonrpc":"2.0","method":"ping","Method":"tools/call","params":{"name":"a"}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"},"param\u017f":{"name":"b"}}`,
		"\xef\xbb\xbf" + call(`{"name":"a"}`),
		`{"jsonrpc":"2.0","id":1,"method\u0000":"tools/call","method":"ping","params":{"name":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params\u0000":{"name":"b"},"params":{"name":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000","params":{"name":"a"}}`,
		call(`{"name\u0000":"b","name":"a"}`),
		call(`{"name":"a","name\u0000":"b"}`),
		call(`{"name":"a\u0000"}`),
		call(`{"arguments\u0000":{"p":1},"name":"a","arguments":{"p":2}}`),
		call(`{"name":"a","arguments":{"p\u0000":1,"p":2,"q":{"p":1,"p\u0000x":2}}}`),
		call(`{"name":"a","arguments":{"p\\u0000":1,"p":2}}`),
		call(`{"name":"a","arguments":` + strings.Repeat(`{"a":`, 50) + `1` + strings.Repeat(`}`, 50) + `}`),
	}
}

// A reading is what a decoder makes of a forwarded call.
type reading struct {
	Method, Name string
	Arguments    map[string]any
}

// plainGo reads a line as a server in Go would: with encoding/json into a struct, which
// matches keys in any case and lets the last of two win.
func plainGo(t *testing.T, line []byte) reading {
	t.Helper()
	var m struct {
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("encoding/json refuses what was accepted: %v", err)
	}
	if m.Params.Arguments == nil {
		m.Params.Arguments = map[string]any{}
	}
	return reading{m.Method, m.Params.Name, m.Params.Arguments}
}

// numbersAs replaces numbers by what a reader makes of them.
func numbersAs(v any, number func(string) float64) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = numbersAs(e, number)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = numbersAs(e, number)
		}
		return out
	case json.Number:
		return number(string(v)) + 0 // -0 is 0
	}
	return v
}

// double reads numbers as JavaScript and cJSON do.
func double(text string) float64 {
	d, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return d
}

// clamped reads numbers as json-c does: integers beyond 64 bits are its largest ones.
func clamped(text string) float64 {
	if strings.ContainsAny(text, ".eE") {
		return double(text)
	}
	return min(max(double(text), math.MinInt64), math.MaxUint64)
}

// A lineReader is a process that answers each line with what a server reads in it: [method, name,
// arguments], or null.
type lineReader struct {
	name   string
	inC    bool                 // strings end at U+0000
	number func(string) float64 // what it makes of a number

	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

const nodeProgram = `
let rest = Buffer.alloc(0);
process.stdin.on("data", chunk => {
	rest = Buffer.concat([rest, chunk]);
	for (let i; (i = rest.indexOf(10)) >= 0; rest = rest.subarray(i + 1)) {
		let out;
		try {
			const m = JSON.parse(rest.toString("utf8", 0, i));
			out = JSON.stringify([m.method, m.params.name, m.params.arguments ?? {}]);
		} catch (e) { out = JSON.stringify(String(e)); }
		process.stdout.write(out + "\n");
	}
});`

const pythonProgram = `
import json, sys
for line in sys.stdin.buffer:
    try:
        m = json.loads(line)
        out = [m["method"], m["params"]["name"], m["params"].get("arguments", {})]
    except Exception as e:
        out = str(e)
    print(json.dumps(out), flush=True)
`

// startReaders starts the readers that this machine has; CI has all.
func startReaders(tb testing.TB) (readers []*lineReader) {
	start := func(r *lineReader, command ...string) {
		if path, err := exec.LookPath(command[0]); err == nil {
			r.start(tb, path, command[1:]...)
			readers = append(readers, r)
		} else if os.Getenv("CI") == "true" {
			tb.Fatalf("CI has no %s", command[0])
		} else {
			tb.Logf("no %s on PATH: not compared", command[0])
		}
	}
	start(&lineReader{name: "Node", number: double}, "node", "-e", nodeProgram)
	start(&lineReader{name: "Python", number: double}, "python3", "-c", pythonProgram)
	for _, r := range []*lineReader{{name: cprogram.CJSONReader, number: double, inC: true}, {name: cprogram.JSONCReader, number: clamped, inC: true}} {
		if program, err := cprogram.Compile(tb, r.name); err != nil {
			tb.Logf("%s: not compared: %v", r.name, err)
		} else {
			start(r, program)
		}
	}
	return readers
}

func (r *lineReader) start(tb testing.TB, path string, args ...string) {
	cmd := exec.Command(path, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	r.in, r.out = in, bufio.NewScanner(out)
	r.out.Buffer(nil, 64<<20)
}

// read returns what the reader reads in a line. Only a reader in C may refuse an accepted message.
func (r *lineReader) read(t *testing.T, line []byte) (_ reading, ok bool) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := fmt.Fprintf(r.in, "%s\n", line); err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	if !r.out.Scan() {
		t.Fatalf("%s ended: %v", r.name, r.out.Err())
	}
	answer := r.out.Bytes()
	if r.inC && string(answer) == "null" {
		return reading{}, false
	}
	var members []any
	v, err := strictjson.Parse(answer, Limits{Depth: 2 * strictjson.DefaultDepth}) // finds a key that stands twice
	if members, ok = v.([]any); err != nil || !ok || len(members) != 3 {
		t.Fatalf("%s refuses %q: %s (%v)", r.name, line, answer, err)
	}
	arguments, ok := numbersAs(members[2], double).(map[string]any)
	if !ok {
		t.Fatalf("%s reads arguments of %q that are no object: %s", r.name, line, answer)
	}
	method, _ := members[0].(string)
	name, _ := members[1].(string)
	return reading{method, name, arguments}, true
}
