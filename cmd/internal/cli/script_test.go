// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/command"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/schema"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolvet":       func() { command.Main(context.Background()) },
		"fakeserver":    fakeServer,
		"hostileserver": hostileServer,
	})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, params("testdata/script", nil))
}

// TestScriptNPM holds sessions with the real servers from npm, where they are installed.
func TestScriptNPM(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	variables := map[string]string{}
	for _, name := range []string{"filesystem", "everything", "memory"} {
		command := npm.Server(t, name)
		variables["NODE"], variables[strings.ToUpper(name)] = command[0], command[1]
	}
	testscript.Run(t, params("testdata/npm", variables))
}

// params runs the scripts of a directory with these environment variables.
func params(dir string, variables map[string]string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector's programs wait before they end
			env.Setenv("ADDRESS", freeAddress())
			env.Setenv("LF", "\n")
			env.Setenv("HOSTILE", "\x1b[31mRED\x1b]52;c;cm0K\x07\u009b31m\r\nFORGED: go \u202eevil\u2028FORGED")
			env.Setenv("TOMORROW", time.Now().AddDate(0, 0, 1).UTC().Format(time.DateOnly))
			for name, value := range variables {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"verdicts": verdicts,
			"empty":    empty,
			"listens":  listens,
			"gets":     gets,
			"reads":    reads,
			"tame":     tame,
		},
	}
}

// reads sets a variable to what a file says:
//
//	reads ID id.txt
func reads(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: reads NAME FILE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// exits runs a program and wants just this exit code:
//
//	exits 2 toolvet check --nonsense
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// tame runs a program, which may fail, and wants nothing in its output that acts on a terminal, and
// no line that the hostile text of terminal.txtar begins. Without a program, it looks at standard
// error of the last one:
//
//	tame toolvet check call.json
func tame(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: tame [PROGRAM [args...]]")
	}
	names := []string{"stderr"}
	if len(args) > 0 {
		names = append(names, "stdout")
		_ = ts.Exec(args[0], args[1:]...) // its exit code is for other scripts
		if ts.ReadFile("stdout")+ts.ReadFile("stderr") == "" {
			ts.Fatalf("it says nothing")
		}
	}
	for _, name := range names {
		text := ts.ReadFile(name)
		for _, r := range text {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				ts.Fatalf("%s: %q acts on a terminal: %q", name, r, text)
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimLeft(line, " \t"), "FORGED") {
				ts.Fatalf("%s: a line is forged: %q", name, text)
			}
		}
	}
}

// freeAddress is a loopback address where nobody listens. Its port is below those that the kernel gives to connections, one of which could
// take it before the program does.
func freeAddress() string {
	for range 100 {
		address := fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	return ""
}

// listens waits until somebody listens at an address:
//
//	listens ADDRESS
func listens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listens ADDRESS")
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", args[0])
		if err == nil {
			ts.Check(conn.Close())
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("nobody listens: %v", err)
		}
	}
}

// gets waits until a GET is answered with a status and a body like this:
//
//	gets 200 URL PATTERN [HEADER VALUE]
func gets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 && len(args) != 5 {
		ts.Fatalf("usage: gets STATUS URL PATTERN [HEADER VALUE]")
	}
	like := regexp.MustCompile(args[2])
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r, err := http.NewRequest(http.MethodGet, args[1], nil)
		ts.Check(err)
		if len(args) == 5 {
			r.Header.Set(args[3], args[4])
			r.Host = r.Header.Get("Host")
		}
		got := ""
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			text, _ := io.ReadAll(resp.Body) // what is missing is not like it
			resp.Body.Close()
			got = fmt.Sprintf("%d %s", resp.StatusCode, text)
		}
		if strings.HasPrefix(got, args[0]) && like.MatchString(got) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s answers %s (%v)", args[1], got, err)
		}
	}
}

// empty wants a directory to be empty:
//
//	empty DIR
func empty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty DIR")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("%s holds %v", args[0], entries)
	}
}

// verdicts wants standard output to be verdicts, a line each, of these outcomes, and
// each as the validation protocol has them:
//
//	verdicts go no-go
func verdicts(ts *testscript.TestScript, neg bool, want []string) {
	if neg || len(want) == 0 {
		ts.Fatalf("usage: verdicts go|no-go...")
	}
	grammar, err := schema.Compile(protocol.ResultSchema, schema.Limits{})
	ts.Check(err)
	var got []string
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		value, err := call.DecodeArguments([]byte(line), call.Limits{})
		ts.Check(err)
		judged, err := grammar.Evaluate(value)
		ts.Check(err)
		if len(judged.Violations) > 0 {
			ts.Fatalf("not a result of the protocol: %s\n%v", line, judged.Violations)
		}
		errs, _ := value["errors"].([]any)
		switch valid := value["valid"].(bool); {
		case valid:
			got = append(got, "go")
		case len(errs) > 0:
			got = append(got, "no-go")
		default:
			ts.Fatalf("a no-go without an error: %s", line)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		ts.Fatalf("verdicts %v, want %v", got, want)
	}
}

// fakeServer is an MCP server that says what a file holds, and notes each call in another:
//
//	fakeserver server.json [calls=FILE]    {"capabilities": {…}, "tools": […], "prompts": […], "resourceTemplates": […], "resources": […], "error": {…}, "name": "…", "stderr": "…", "needs": ["…"]}
func fakeServer() {
	var says struct {
		Capabilities json.RawMessage `json:"capabilities"`
		Tools        json.RawMessage `json:"tools"`
		Prompts      json.RawMessage `json:"prompts"`
		Templates    json.RawMessage `json:"resourceTemplates"`
		Resources    json.RawMessage `json:"resources"`
		Result       json.RawMessage `json:"result"` // of each call; default: a text
		Error        json.RawMessage `json:"error"`  // of each call, in place of a result
		Name         json.RawMessage `json:"name"`
		Stderr       string          `json:"stderr"`
		Needs        []string        `json:"needs"` // variables without which it does not start
	}
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(data, &says)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeserver:", err)
		os.Exit(1)
	}
	fmt.Fprint(os.Stderr, says.Stderr)
	for _, name := range says.Needs {
		if os.Getenv(name) != "hunter2" {
			fmt.Fprintln(os.Stderr, "fakeserver: no", name)
			os.Exit(1)
		}
	}
	if says.Name == nil {
		says.Name = json.RawMessage(`"fake"`)
	}
	results := map[string]string{
		"initialize": fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":%s,"serverInfo":{"name":%s,"version":"1"}}`, oneLine(says.Capabilities), says.Name),
		"tools/list": fmt.Sprintf(`{"tools":%s}`, oneLine(says.Tools)),
		"tools/call": `{"content":[{"type":"text","text":"the server ran it"}]}`,
	}
	for method, list := range map[string]json.RawMessage{listed.Prompts: says.Prompts, listed.Templates: says.Templates, listed.Resources: says.Resources} {
		if list != nil {
			results[method] = fmt.Sprintf(`{%q:%s}`, listed.Member(method), oneLine(list))
		}
	}
	if says.Result != nil {
		results["tools/call"] = oneLine(says.Result)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		m, err := jsonrpc.DecodeEnvelope(line, call.Limits{})
		if err != nil {
			fmt.Fprintln(os.Stderr, "fakeserver:", err)
			os.Exit(1)
		}
		if file, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "calls="); ok && m.Method == "tools/call" {
			noteCall(file)
		}
		if says.Error != nil && m.Method == "tools/call" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", m.ID, oneLine(says.Error))
		} else if result, ok := results[m.Method]; ok {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		} else if m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`+"\n", m.ID)
		}
	}
}

// noteCall adds a line to a file. Servers of several proxies may share it.
func noteCall(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("x\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeserver:", err)
		os.Exit(1)
	}
}

func oneLine(raw json.RawMessage) string { return strings.ReplaceAll(string(raw), "\n", "") }
