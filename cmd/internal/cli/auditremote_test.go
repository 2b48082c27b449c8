// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/audit"
)

// remoteTools are one that says that it only reads, one that says nothing, and one whose name says that it
// does not only read.
const remoteTools = `{"tools":[
	{"name":"read_file","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
	{"name":"write_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
	{"name":"delete_file","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}`

// An elsewhere is a server of HTTP, of the era with sessions or the one without, that remembers its calls. It
// answers them all, or hangs.
type elsewhere struct {
	modern, hangs bool
	tools         string // in the place of remoteTools
	mu            sync.Mutex
	calls         []string
}

func (s *elsewhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	_ = json.Unmarshal(body, &m) // of what is no message, nothing is said
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := `{"content":[{"type":"text","text":"done"}]}`
	switch m.Method {
	case "initialize":
		if result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"remote","version":"1"}}`; s.modern {
			result = ""
		}
		w.Header().Set("Mcp-Session-Id", "s-1")
	case "server/discover":
		result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"remote","version":"1"}}`
	case "tools/list":
		if result = remoteTools; s.tools != "" {
			result = s.tools
		}
	case "tools/call":
		s.mu.Lock()
		s.calls = append(s.calls, m.Params.Name+" "+string(m.Params.Arguments))
		s.mu.Unlock()
		if s.hangs {
			<-r.Context().Done()
			return
		}
	default:
		result = ""
	}
	w.Header().Set("Content-Type", "application/json")
	if result == "" {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, m.ID)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.ReplaceAll(result, "\n", ""))
}

// TestAuditRemote holds that a server elsewhere gets no call but those that break the schema of a tool that
// only reads, in both eras; and that one which hangs gives a report.
func TestAuditRemote(t *testing.T) {
	t.Parallel()
	broken := []string{`read_file {"path":{"a":[1]}}`, `read_file {}`}
	for name, tt := range map[string]struct {
		server *elsewhere
		cells  []string
	}{
		"sessions":    {&elsewhere{}, []string{"vulnerable schema: tool read_file"}},
		"no sessions": {&elsewhere{modern: true}, []string{"vulnerable schema: tool read_file"}},
		"hangs":       {&elsewhere{hangs: true}, []string{"inconclusive schema: tool read_file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.server)
			t.Cleanup(server.Close)
			var stdout, stderr bytes.Buffer
			Main(t.Context(), suite.Default(), []string{"audit", "--json", "--i-own-this", "--call-timeout", "500ms", server.URL}, strings.NewReader(""), &stdout, &stderr)
			var report audit.Report
			if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
				t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
			}
			var cells []string
			for _, c := range report.Cells {
				cells = append(cells, string(c.Verdict)+" "+c.Cell.String())
			}
			slices.Sort(cells)
			want := append([]string{
				"skipped path: tool delete_file, parameter path", "skipped path: tool read_file, parameter path", "skipped path: tool write_file, parameter path",
				"skipped schema: tool delete_file", "skipped schema: tool write_file",
			}, tt.cells...)
			slices.Sort(want)
			if diff := cmp.Diff(want, cells); diff != "" {
				t.Error(diff)
			}
			tt.server.mu.Lock() // a call that was given up may arrive late
			calls := slices.Sorted(slices.Values(tt.server.calls))
			tt.server.mu.Unlock()
			n := len(calls)
			if diff := cmp.Diff(broken, slices.Compact(calls)); diff != "" || n > 4 {
				t.Errorf("%d calls: %s", n, diff)
			}
		})
	}
}

// TestAuditRemoteRefused holds that a server elsewhere that leads astray, cannot be trusted or says nothing is not
// audited: the error says why, and nobody else is asked.
func TestAuditRemoteRefused(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	redirects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(redirects.Close)
	untrusted := httptest.NewTLSServer(&elsewhere{})
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(untrusted.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\x1b[31m") }))
	t.Cleanup(html.Close)
	for name, tt := range map[string]struct {
		url, want string
		flags     []string
	}{
		"not one's own": {other.URL, "add --i-own-this", nil},
		"redirect":      {redirects.URL, "redirects to another origin", []string{"--i-own-this"}},
		"certificate":   {untrusted.URL, "certificate", []string{"--i-own-this"}},
		"nobody":        {gone.URL, "refused", []string{"--i-own-this"}},
		"no MCP":        {html.URL, "", []string{"--i-own-this"}},
		"credentials":   {strings.Replace(other.URL, "://", "://user:secret@", 1), "credentials in it", []string{"--i-own-this"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := Main(t.Context(), suite.Default(), append([]string{"audit", tt.url}, tt.flags...), strings.NewReader(""), &stdout, &stderr)
			if code != exitNotJudged || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 || strings.ContainsAny(stderr.String(), "\x1b") || strings.Contains(stderr.String(), "secret") {
				t.Errorf("exit code %d: %s%s", code, stdout.String(), stderr.String())
			}
		})
	}
	t.Cleanup(func() {
		if asked.Load() > 0 {
			t.Error("a host was asked that nobody named")
		}
	})
}

// TestAuditInterrupted holds that the report of an audit that was interrupted is none to go by.
func TestAuditInterrupted(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&elsewhere{hangs: true})
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := Main(ctx, suite.Default(), []string{"audit", "--i-own-this", "--call-timeout", "1m", server.URL}, strings.NewReader(""), &stdout, &stderr)
	if code != exitNotJudged || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d: %s%s", code, stdout.String(), stderr.String())
	}
}

// TestAuditRemoteBounded holds that a server elsewhere gets a bounded number of calls, in a bounded time, however
// many tools it lists and however slow it is.
func TestAuditRemoteBounded(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 250 {
		list = append(list, fmt.Sprintf(`{"name":"read_%d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`, i))
	}
	s := &elsewhere{tools: `{"tools":[` + strings.Join(list, ",") + `]}`}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var stdout, stderr bytes.Buffer
	if code := Main(t.Context(), suite.Default(), []string{"audit", "--i-own-this", server.URL}, strings.NewReader(""), &stdout, &stderr); code != exitGo || len(s.calls) > 200 {
		t.Errorf("exit code %d, %d calls: %s", code, len(s.calls), stderr.String())
	}
	if !strings.Contains(stdout.String(), "too many calls would have been made") {
		t.Errorf("what was not tried is not told:\n%.2000s", stdout.String())
	}
	slow := &elsewhere{tools: s.tools, hangs: true}
	server = httptest.NewServer(slow)
	t.Cleanup(server.Close)
	began := time.Now()
	stdout.Reset()
	Main(t.Context(), suite.Default(), []string{"audit", "--i-own-this", "--time", "3s", "--call-timeout", "200ms", server.URL}, strings.NewReader(""), &stdout, &stderr)
	if took := time.Since(began); took > 30*time.Second || !strings.Contains(stdout.String(), "the time for the audit ran out") && !strings.Contains(stdout.String(), "no answer within") {
		t.Errorf("%s: %.2000s%s", took, stdout.String(), stderr.String())
	}
}
