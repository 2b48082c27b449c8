// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the database of a server

	"github.com/toolvet/toolvet/internal/test/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(Run(os.Args[2:]))
		case "as-database":
			database(os.Args[2], os.Args[3:])
			return
		case "as-committer":
			commitUntil(os.Args[2:])
			return
		case "as-opener":
			var open []*os.File
			for f, err := os.Open(os.DevNull); err == nil; f, err = os.Open(os.DevNull) {
				open = append(open, f)
			}
			time.Sleep(2 * time.Second)
			fmt.Println(len(open))
			return
		case "as-client":
			connect(os.Args[2:])
			return
		case "as-server":
			serve(os.Args[2:])
			return
		}
	}
	os.Exit(m.Run())
}

// startSession starts a server, or skips the test if this machine cannot rehearse.
func startSession(t testing.TB, cfg Config) *Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Init = []string{self, "as-sandbox"}
	s, err := Start(context.Background(), cfg)
	var missing *UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func arguments(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func finish(t testing.TB, s *Session) *Report {
	t.Helper()
	r, err := s.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// serve is an MCP server with the tool run, which runs a shell script. A script in its
// arguments runs at the start; "tick" stands for tick.
func serve(args []string) {
	for _, script := range args {
		if script == "tick" {
			go tick()
			continue
		}
		_ = exec.Command("/bin/sh", "-c", script).Run()
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments struct{ Script string } }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"test","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"run","inputSchema":{"type":"object","properties":{"script":{"type":"string","default":"echo by default"}}}}]}`
		case "tools/call":
			out, err := exec.Command("/bin/sh", "-c", m.Params.Arguments.Script).CombinedOutput()
			text, _ := json.Marshal(string(out))
			result = fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"isError":%v}`, text, err != nil)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// tick deletes the file victim, some time after somebody makes the file flag.
func tick() {
	for range time.Tick(9 * time.Second) {
		if _, err := os.Stat("flag"); err == nil {
			_ = os.Remove("victim")
		}
	}
}

// connect gets URLs, connects to addresses, and looks up names.
func connect(list []string) {
	for _, what := range list {
		switch {
		case strings.Contains(what, "://"):
			answer, err := http.Post(what, "text/plain", strings.NewReader("hello"))
			if err != nil {
				fmt.Println("no answer", strings.Contains(err.Error(), "certificate"))
				continue
			}
			raw, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			fmt.Println(answer.StatusCode, strings.TrimSpace(string(raw)))
		case strings.HasPrefix(what, "unix:"):
			_, err := net.Dial("unix", strings.TrimPrefix(what, "unix:"))
			fmt.Println("reached", err == nil)
		case what == "itself", strings.HasPrefix(what, "at:"):
			address, named := strings.CutPrefix(what, "at:")
			if !named {
				address = "127.0.0.1:0"
			}
			l, err := net.Listen("tcp", address)
			if err == nil {
				_, err = net.Dial("tcp", l.Addr().String())
			}
			fmt.Println("reached", err == nil)
		case strings.HasPrefix(what, "udp:"):
			conn, err := net.Dial("udp", strings.TrimPrefix(what, "udp:"))
			if err == nil {
				_, err = fmt.Fprint(conn, "no question")
			}
			fmt.Println("sent", err == nil)
		case strings.HasPrefix(what, "txt:"):
			_, err := net.LookupTXT(strings.TrimPrefix(what, "txt:"))
			fmt.Println("looked up", err == nil)
		case strings.HasPrefix(what, "six:"):
			r := net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return net.Dial("udp", "[2001:db8::53]:53") }}
			_, err := r.LookupHost(context.Background(), strings.TrimPrefix(what, "six:"))
			fmt.Println("looked up", err == nil)
		case strings.Contains(what, ":"):
			conn, err := net.DialTimeout("tcp", what, time.Minute)
			if err != nil {
				fmt.Println("refused")
				continue
			}
			fmt.Fprint(conn, "*1\r\n")
			raw, _ := io.ReadAll(conn)
			fmt.Printf("told %q\n", raw)
			conn.Close()
		default:
			_, err := net.LookupHost(what)
			fmt.Println("looked up", err == nil)
		}
	}
}

// database runs statements on a database of SQLite.
func database(file string, statements []string) {
	db, err := sql.Open("sqlite", file)
	for _, s := range statements {
		if err == nil {
			_, err = db.Exec(s)
		}
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// rehearseScripts rehearses shell scripts, each a call, in a directory.
func rehearseScripts(t testing.TB, cfg Config, scripts ...string) (*Session, *Report) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Command = append([]string{self, "as-server"}, cfg.Command...)
	s := startSession(t, cfg)
	for _, script := range scripts {
		if done := s.Call(context.Background(), Call{"run", arguments(t, map[string]string{"script": script})}); done.Result == nil {
			t.Fatal(done.Failed)
		}
	}
	return s, finish(t, s)
}
