// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzForwardsWhatItJudged: an accepted message reads the same to a plain Go decoder, to one that
// ignores case, and to Node.
func FuzzForwardsWhatItJudged(f *testing.F) {
	seeds := forwardSeeds()
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	node := startNode(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := DecodeEnvelope(line, Limits{})
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
		if node == nil || bytes.ContainsAny(line, "\r\n") { // the proxy frames by lines
			return
		}
		judged := reading{m.Method, c.Name, asDoubles(c.Arguments).(map[string]any)}
		if diff := cmp.Diff(judged, node.read(t, line)); diff != "" {
			t.Errorf("Node reads %q otherwise (-judged +read):\n%s", line, diff)
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

// asDoubles replaces numbers by the doubles that JavaScript reads.
func asDoubles(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = asDoubles(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = asDoubles(e)
		}
		return out
	case json.Number:
		d, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return err
		}
		return d + 0 // -0 is 0
	}
	return v
}

// nodeReader is a Node process that reads calls as a server in JavaScript would.
type nodeReader struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

// nodeProgram answers each line with what JSON.parse makes of it.
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

// startNode returns nil where there is no Node; in CI that is a failure.
func startNode(tb testing.TB) *nodeReader {
	path, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("CI has no node")
		}
		tb.Log("no node on PATH: comparing with Go alone")
		return nil
	}
	cmd := exec.Command(path, "-e", nodeProgram)
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
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 64<<20)
	return &nodeReader{in: in, out: scanner}
}

func (n *nodeReader) read(t *testing.T, line []byte) reading {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := fmt.Fprintf(n.in, "%s\n", line); err != nil {
		t.Fatalf("node: %v", err)
	}
	if !n.out.Scan() {
		t.Fatalf("node ended: %v", n.out.Err())
	}
	var answer [3]any
	if err := json.Unmarshal(n.out.Bytes(), &answer); err != nil {
		t.Fatalf("node refuses what was accepted: %s", n.out.Bytes())
	}
	arguments, ok := answer[2].(map[string]any)
	if !ok {
		t.Fatalf("node reads arguments that are no object: %s", n.out.Bytes())
	}
	method, _ := answer[0].(string)
	name, _ := answer[1].(string)
	return reading{method, name, arguments}
}
