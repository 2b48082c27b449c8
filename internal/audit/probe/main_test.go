// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/test/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(sandbox.Run(os.Args[2:]))
		case "as-server":
			serve(os.Args[2:])
			return
		}
	}
	os.Exit(m.Run())
}

// run audits a server, or skips the test where nothing can be run in a sandbox.
func run(t testing.TB, cfg Config) *Result {
	t.Helper()
	r, err := try(t, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func try(t testing.TB, cfg Config) (*Result, error) {
	t.Helper()
	cfg.Init = []string{selfPath(t), "as-sandbox"}
	r, err := Run(context.Background(), cfg)
	var missing *sandbox.UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	return r, err
}

// inAll are facts as the cases write them: tool, parameter, class, verdict or confidence, and all kinds of the cell.
func inAll(facts []audit.Fact) []string {
	kinds := map[string][]string{}
	for _, f := range facts {
		verdict := string(f.Verdict)
		if f.Confidence != "" {
			verdict = string(f.Confidence)
		}
		key := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", f.Tool, f.Param, f.Class, verdict)), " ")
		kinds[key] = append(kinds[key], f.Kind)
	}
	var all []string
	for key, list := range kinds {
		slices.Sort(list)
		all = append(all, strings.TrimSpace(key+" "+strings.Join(list, ", ")))
	}
	slices.Sort(all)
	return all
}

// inShort is a fact as the tests write it.
func inShort(f audit.Fact) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s%s %s %s %s", f.Class, f.Tool, f.Param, f.Verdict, f.Confidence, f.Kind))
}

func selfPath(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}
