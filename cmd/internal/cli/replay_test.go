// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/calllog"
)

// FuzzReplay holds that any text in place of a log of calls ends in counts that add up.
func FuzzReplay(f *testing.F) {
	link := `,"chain":"0123456789abcdef","seq":1,"prev":"` + strings.Repeat("0", 64) + `","hash":"` + strings.Repeat("0", 64) + "\"}\n"
	f.Add(`{"kind":"list","server":"s","tools":[{"name":"t","digest":"d","definition":{"name":"t","inputSchema":{"type":"object"}}}]` + link +
		`{"kind":"call","server":"s","tool":"t","verdict":"go","schema_digest":"d","arguments":{"path":"../a"},"roots":["/srv"]` + link)
	f.Add(`{"kind":"call","tool":"t","verdict":"no-go","findings":[{"check":"limit","severity":"error"}],"arguments":[]` + link)
	f.Add(`{"kind":"list","tools":[{"definition":null},{}]` + link + `{"kind":"call"` + link + "\x00\n")
	policy := filepath.Join(f.TempDir(), "toolvet.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\nservers: {s: {roots: [/srv]}}\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := (&app{checks: suite.Default()}).newReplay(replayFlags{policy: policy})
		if err != nil {
			t.Fatal(err)
		}
		calls, changes := 0, 0
		for record, err := range calllog.Records(file) {
			if err != nil {
				continue
			}
			if record.Kind == calllog.KindCall {
				calls++
			}
			c, err := r.record(t.Context(), record)
			if err != nil {
				t.Fatal(err)
			}
			if c != nil {
				changes++
			}
		}
		counted := r.counts.Judged
		for _, n := range r.counts.NotJudged {
			counted += n
		}
		if counted != calls || r.counts.Denied+r.counts.Allowed != changes {
			t.Errorf("%d calls and %d changes are counted as %+v", calls, changes, r.counts)
		}
	})
}
