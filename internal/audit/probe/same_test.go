// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/render"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestSame audits a server twice, in several sessions at a time, with tools that end it, hang or work for long: both reports
// are the same, byte for byte, in each form. The second time three programs for each processor want to work besides, so the first call of each
// session takes longer than its limit.
func TestSame(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	t.Parallel()
	fixtures := []string{"warm", "crash", "hang", "read-prefix+", "write-open+", "fetch-words+", "shell-quoted", "search-prefix", "move-prefix", "delete", "save-device", "list-open", "read-said", "fetch-list+", "host-device", "save-adb", "silent-make", "silent-cat", "steer-words", "option-open", "request-open"}
	reports := func() map[string]string {
		r := run(t, Config{Command: fixtureServer(t, fixtures...), CallTimeout: 4 * time.Second, Budget: 5 * time.Minute})
		report := audit.New(audit.Input{Target: audit.Target{Name: "server", Server: r.Server, Methods: []audit.Method{audit.Dynamic}}, Tools: r.Tools, Facts: r.Facts, Notes: r.Notes})
		all := map[string]string{}
		for name, write := range map[string]func(io.Writer, *audit.Report) error{
			"text": render.Text, "json": render.JSON, "html": render.HTML, "markdown": render.Markdown, "badge": render.Badge,
			"sarif": func(w io.Writer, r *audit.Report) error {
				return render.SARIF(w, r, render.Repository{Anchor: "package.json"}, "1.2.3")
			},
		} {
			var b bytes.Buffer
			if err := write(&b, report); err != nil {
				t.Fatal(err)
			}
			all[name] = b.String()
		}
		return all
	}
	first := reports()
	for range 3 * runtime.NumCPU() {
		busy := exec.Command("/bin/sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { busy.Process.Kill(); busy.Wait() }()
	}
	second := reports()
	for name, text := range first {
		if diff := cmp.Diff(text, second[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if late := regexp.MustCompile(`tool read_index.*answer`).FindString(first["text"]); late != "" {
		t.Errorf("its three seconds of work count as more than its limit of four: %s", late)
	}
	if len(first["json"]) < 10_000 {
		t.Errorf("there is not much to compare: %s", first["json"])
	}
}
