// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

const (
	// mostMemory bounds the memory of toolvet under each attack, in bytes.
	mostMemory = 600_000_000
	// soon bounds the answers to an honest client beside an attack, on a machine that does nothing else.
	soon = 2 * time.Second
)

// A load measures how long work waits for a processor. It makes "within 2 s" a promise of toolvet and
// not of whoever else uses the machine.
type load struct {
	cpu, wall time.Duration
}

// sample does a few milliseconds of work.
func (l *load) sample() {
	runtime.LockOSThread() // so that its time is that of this work
	defer runtime.UnlockOSThread()
	spent := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began, before := time.Now(), spent()
	for block := make([]byte, 64<<10); spent()-before < 4*time.Millisecond; {
		sha256.Sum256(block)
	}
	l.wall += time.Since(began)
	l.cpu += spent() - before
}

// times is d, as much longer as the sampled work took than it would have alone.
func (l *load) times(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, l.wall.Seconds()/l.cpu.Seconds()))
}

// A bounded is a toolvet whose peak of memory is looked at. The bounds are those of a program without
// the race detector.
type bounded struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string
	stderr  syncBuffer
}

// startBounded starts toolvet with arguments, in a new directory with a policy, and waits until it
// listens; ADDRESS stands for a free address, "" for none.
func startBounded(t *testing.T, policy string, arguments ...string) *bounded {
	t.Helper()
	b := prepareBounded(t, policy, arguments...)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.cmd.Process.Signal(os.Interrupt)
		_ = b.cmd.Wait()
		b.report()
	})
	eventually(t, "toolvet listens", func() bool {
		c, err := net.Dial("tcp", b.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return b
}

func prepareBounded(t *testing.T, policy string, arguments ...string) *bounded {
	t.Helper()
	race.Skip(t)
	b := &bounded{t: t, address: freeAddress()}
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments = append([]string{arguments[0], "--policy", file}, arguments[1:]...)
	for i, a := range arguments {
		if a == "ADDRESS" {
			arguments[i] = b.address
		}
	}
	b.cmd = exec.Command("toolvet", arguments...)
	b.cmd.Stderr = &b.stderr
	return b
}

func (b *bounded) report() {
	if b.t.Failed() {
		text := b.stderr.String()
		b.t.Logf("standard error of toolvet:\n%s", text[:min(len(text), 4000)])
	}
}

// small holds that the peak of toolvet's memory is within the bound.
func (b *bounded) small() {
	b.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	if err != nil {
		b.t.Fatal(err)
	}
	peak := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	kibibytes, err := strconv.Atoi(string(peak[1]))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("peak: %d MiB", kibibytes>>10)
	if kibibytes<<10 > mostMemory {
		b.t.Errorf("toolvet took %d MiB", kibibytes>>10)
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// request is a tools/call of 2026-07-28.
func (b *bounded) request(tool, arguments string) *http.Request {
	return b.requestOf("tools/call", tool, `"name":"`+tool+`","arguments":`+arguments)
}

// requestOf is a request of 2026-07-28 with the members of params. The name is that of what it asks for; "" if it has none.
func (b *bounded) requestOf(method, name, params string) *http.Request {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,` + modernMeta + `}}`
	r, err := http.NewRequest(http.MethodPost, "http://"+b.address+"/mcp", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method} {
		r.Header.Set(name, value)
	}
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// beside makes honest calls of a tool during an attack, and holds that each is answered soon.
func (b *bounded) beside(tool string, attack func()) {
	b.t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); attack() }()
	var busy load
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true // and one call more
		case <-time.After(100 * time.Millisecond):
		}
		busy.sample()
		began := time.Now()
		answer, err := http.DefaultClient.Do(b.request(tool, `{"text":["hello"]}`))
		if err != nil {
			b.t.Error(err)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		took := time.Since(began)
		busy.sample()
		if err != nil || took > busy.times(soon) || !bytes.Contains(text, []byte("ran")) {
			b.t.Errorf("an honest call is answered after %v (%v allowed): %d %.300s %v", took, busy.times(soon), answer.StatusCode, text, err)
		}
	}
}

// manyMaps are arguments of n bytes whose parsed form would take fifty times as much.
func manyMaps(n int) string { return `{"text":[` + strings.Repeat(`{"":0},`, n/7) + `0]}` }

// manyKeys are members of an object, of n bytes altogether.
func manyKeys(n int) string {
	var text strings.Builder
	for i := 0; text.Len() < n; i++ {
		fmt.Fprintf(&text, `"k%x":"a",`, i)
	}
	return text.String() + `"last":"a"`
}

// manySmall are members of n bytes altogether, each small and its parsed form large.
func manySmall(n int) string {
	var text strings.Builder
	small := `":[` + strings.Repeat(`{"":0},`, 500) + `0],`
	for i := 0; text.Len() < n; i++ {
		fmt.Fprintf(&text, `"k%x%s`, i, small)
	}
	return text.String() + `"last":0`
}

// send sends a call a number of times at once. It returns the answers.
func (b *bounded) send(tool, arguments string, times int) []string {
	return b.sendEach(times, func(int) *http.Request { return b.request(tool, arguments) })
}

// sendEach is send for different requests.
func (b *bounded) sendEach(times int, request func(i int) *http.Request) []string {
	answers := make([]string, times)
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			answer, err := new(http.Transport).RoundTrip(request(i))
			if err != nil {
				answers[i] = err.Error() // toolvet may end the connection while the body is sent
				return
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			answers[i] = answer.Status + string(text[:min(len(text), 1000)]) + string(text[max(len(text)-2000, 0):])
		})
	}
	all.Wait()
	return answers
}

// hold sends calls but for the last byte of each, and holds their connections for a while.
func (b *bounded) hold(tool, arguments string, times int) {
	like := b.request(tool, arguments)
	body, err := io.ReadAll(like.Body)
	if err != nil {
		b.t.Error(err)
	}
	var all sync.WaitGroup
	for range times {
		all.Go(func() {
			r := like.Clone(b.t.Context())
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)-1]), waiting(2*time.Second)))
			if answer, err := new(http.Transport).RoundTrip(r); err == nil {
				answer.Body.Close()
			}
		})
	}
	all.Wait()
}

// A waiting reader ends after a while, without a byte.
type waiting time.Duration

func (w waiting) Read([]byte) (int, error) {
	time.Sleep(time.Duration(w))
	return 0, io.ErrUnexpectedEOF
}

// TestBoundsOfRequests holds the memory of toolvet, and the time of an honest call, while large calls
// come: one of many small maps, three, and sixty whose bodies do not end; and while twelve requests of 2 to 6 MiB come at
// once, of an unknown method and for a prompt.
func TestBoundsOfRequests(t *testing.T) {
	need.Minutes(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeEnvelope(body, call.Limits{})
		if err != nil {
			return // toolvet has given up
		}
		w.Header().Set("Content-Type", "application/json")
		result := `{"resultType":"complete","content":[{"type":"text","text":"ran"}]}`
		if m.Method == "tools/list" {
			result = `{"resultType":"complete","ttlMs":60000,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	defer server.Close()
	program := "version: 1\nservers: {s: {command: [hostileserver]}}\n"
	for name, door := range map[string]struct {
		policy, tool string
		arguments    []string
	}{
		"proxy to a URL":     {"version: 1\nservers: {s: {url: '" + server.URL + "'}}\n", "t", []string{"proxy", "--listen", "ADDRESS"}},
		"proxy to a program": {program, "t", []string{"proxy", "--listen", "ADDRESS"}},
		"serve":              {program, "s__t", []string{"serve", "--listen", "ADDRESS"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBounded(t, door.policy, door.arguments...)
			large := manyMaps(15 << 20)
			for _, times := range []int{1, 3} {
				b.beside(door.tool, func() {
					for _, answer := range b.send(door.tool, large, times) {
						if !strings.Contains(answer, "Send less at once") && !strings.Contains(answer, "too many large messages at once") && times == 1 {
							t.Errorf("a call of 15 MiB is answered with %s", answer)
						}
					}
				})
			}
			unknown := []string{manyKeys(2 << 20), manySmall(2 << 20), manyKeys(6 << 20), manySmall(6 << 20)}
			prompt := strings.Replace(door.tool, "t", "p", 1)
			for method, request := range map[string]func(i int) *http.Request{
				"x/y": func(i int) *http.Request { return b.requestOf("x/y", "", unknown[i%len(unknown)]) },
				"prompts/get": func(i int) *http.Request {
					return b.requestOf("prompts/get", prompt, `"name":"`+prompt+`","arguments":{`+unknown[i%len(unknown)]+`}`)
				},
			} {
				b.beside(door.tool, func() {
					for _, answer := range b.sendEach(12, request) {
						if strings.Contains(answer, `"result":`) {
							t.Errorf("%s: a request of many members is answered with %s", method, answer)
						}
					}
				})
			}
			b.beside(door.tool, func() { b.hold(door.tool, `{"text":"`+strings.Repeat("a", 15<<20)+`"}`, 60) })
			if answer := b.send(door.tool, `{"text":"`+strings.Repeat("a", 15<<20)+`"}`, 1)[0]; !strings.Contains(answer, "ran") {
				t.Errorf("afterwards, a large call is answered with %s", answer)
			}
			b.small()
		})
	}
}

// TestBoundsOfResults holds the same while results of 62 MiB come, full of what the output layer finds.
func TestBoundsOfResults(t *testing.T) {
	need.Minutes(t)
	b := startBounded(t, "version: 1\nservers: {s: {command: [hostileserver]}}\n", "serve", "--listen", "ADDRESS")
	for kind, want := range map[string]string{"orders": "orders to you", "tokens": "holds more than 100000 secrets"} {
		b.beside("s__t", func() {
			if answer := b.send("s__big", `{"kind":"`+kind+`"}`, 1)[0]; !strings.Contains(answer, want) {
				t.Errorf("%s: %.1000s", kind, answer)
			}
		})
	}
	b.small()
}

// TestBoundsOfUnread holds the same while forty clients ask for 30 MiB each, and read nothing.
func TestBoundsOfUnread(t *testing.T) {
	b := startBounded(t, "version: 1\nservers: {s: {command: [hostileserver]}, other: {command: [hostileserver]}}\n", "serve", "--listen", "ADDRESS")
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	for range 40 {
		conn, err := net.Dial("tcp", b.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.(*net.TCPConn).SetReadBuffer(4096)
		if err := b.request("s__big", `{"kind":"plain"}`).Write(conn); err != nil {
			t.Fatal(err)
		}
	}
	b.beside("other__t", func() { <-ctx.Done() })
	b.small()
	if logged := b.stderr.String(); !strings.Contains(logged, "withheld what the server sent") && !strings.Contains(logged, "dropped an answer") {
		t.Error("nothing was refused: the test shows nothing")
	}
}

// TestBoundsOfRefusals holds that toolvet ends a server that sends requests that are withheld, and never
// reads that they are; and that each request of the client has one answer.
func TestBoundsOfRefusals(t *testing.T) {
	b := prepareBounded(t, "version: 1\nservers: {s: {command: [hostileserver]}}\noutput: {secrets: {action: withhold}}\n", "proxy")
	stdin, err := b.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer b.report()
	defer b.cmd.Wait()
	killed := time.AfterFunc(time.Minute, func() { _ = b.cmd.Process.Kill() })
	_, _ = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flood","arguments":{}}}
`)
	answers := map[string]int{}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m, err := jsonrpc.DecodeEnvelope(lines.Bytes(), call.Limits{})
		if err != nil || m.Method != "" {
			t.Errorf("the client gets %.200s", lines.Text())
		}
		answers[string(m.ID)]++
	}
	if !killed.Stop() {
		t.Error("toolvet did not end the server")
	}
	if answers["1"] != 1 || answers["2"] != 1 {
		t.Errorf("answers by id: %v", answers)
	}
	if logged := b.stderr.String(); !strings.Contains(logged, "does not read the refusals") {
		t.Error("nobody is told why")
	}
}

// TestProcesses holds the bound of processes: sessions without use make room for others, and a client
// whose sessions are all in use is told why there is no room.
func TestProcesses(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{
		"serve": {"serve", "--max-processes", "2", "--listen", "ADDRESS"},
		"proxy": {"proxy", "--path", "/mcp/s", "--max-processes", "2", "--listen", "ADDRESS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			policy := fmt.Sprintf("version: 1\nservers: {s: {command: [sh, -c, %q]}}\n", "echo $$$$ >> "+pids+"; exec hostileserver")
			b := startBounded(t, policy, arguments...)
			for range 6 {
				if status, text, _ := b.initialize(); status != http.StatusOK {
					t.Errorf("%d %s", status, text)
				}
			}
			if n := alive(t, pids); n > 2 {
				t.Errorf("%d processes run", n)
			}
			var last *http.Response
			for range 2 {
				status, text, session := b.initialize()
				if status != http.StatusOK {
					t.Fatalf("%d %s", status, text)
				}
				last = b.listen(session)
			}
			status, text, _ := b.initialize()
			if status != http.StatusServiceUnavailable || !strings.Contains(text, "2 processes of this server run for you already") {
				t.Errorf("%d %s", status, text)
			}
			last.Body.Close()
			eventually(t, "a session that is not in use makes room", func() bool { status, _, _ := b.initialize(); return status == http.StatusOK })
			if n := alive(t, pids); n > 2 {
				t.Errorf("%d processes run", n)
			}
		})
	}
}

func (b *bounded) initialize() (status int, text, session string) {
	b.t.Helper()
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	r, err := http.NewRequest(http.MethodPost, "http://"+b.address+"/mcp/s", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Error(err)
	}
	return answer.StatusCode, string(all), answer.Header.Get("Mcp-Session-Id")
}

// listen opens the stream of a session, which is then in use.
func (b *bounded) listen(session string) *http.Response {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+b.address+"/mcp/s", http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.t.Fatalf("%v %v", answer, err)
	}
	b.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// alive counts the processes in a list of ids that still run.
func alive(t *testing.T, pids string) (n int) {
	t.Helper()
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for id := range strings.FieldsSeq(string(text)) {
		if _, err := os.Stat("/proc/" + id); err == nil {
			n++
		}
	}
	return n
}
