// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/kit"
)

// TestDocument holds that docs/conformance.md lists each scenario and each broken peer.
func TestDocument(t *testing.T) {
	t.Parallel()
	const name, mark = "../../../docs/conformance.md", "-run TestDocument -->\n"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, got, found := strings.Cut(string(page), mark)
	want := table(t)
	switch {
	case !found:
		t.Fatalf("%s has no place for the table", name)
	case got == want:
	case os.Getenv("TOOLVET_UPDATE") != "":
		if err := os.WriteFile(name, []byte(head+mark+want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: run TOOLVET_UPDATE=1 go test ./cmd/internal/kit -run TestDocument", name)
	}
}

func table(t *testing.T) string {
	t.Helper()
	all, err := kit.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string][]string{}
	for name, f := range flaws {
		caught[f.scenario] = append(caught[f.scenario], name)
	}
	for name, f := range clientFlaws {
		caught[f.scenario] = append(caught[f.scenario], name)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n%d scenarios, and %d broken peers:\n\n| scenario | for a | sentence | broken peers that it catches |\n|---|---|---|---|\n", len(all), len(flaws)+len(clientFlaws))
	for _, s := range all {
		names := caught[s.Name]
		slices.Sort(names)
		sentence := strings.NewReplacer("|", `\|`, "\n", " ").Replace(s.Text)
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", s.Name, s.Peer, sentence, strings.Join(names, ", "))
	}
	return out.String()
}
