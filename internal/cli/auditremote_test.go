// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/audit"
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
		result = remoteTools
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
			Main(t.Context(), []string{"audit", "--json", "--i-own-this", "--call-timeout", "500ms", server.URL}, strings.NewReader(""), &stdout, &stderr)
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
			slices.Sort(tt.server.calls)
			if diff := cmp.Diff(broken, slices.Compact(tt.server.calls)); diff != "" || len(tt.server.calls) > 4 {
				t.Errorf("%d calls: %s", len(tt.server.calls), diff)
			}
		})
	}
}
