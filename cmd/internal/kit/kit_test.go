// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestScenarios holds that the scenarios can be played, and test sentences that the protocol has.
func TestScenarios(t *testing.T) {
	t.Parallel()
	text := protocolText(t)
	count := map[string]int{}
	for _, s := range scenarios(t) {
		count[s.Peer]++
		expected := slices.Clone(s.Expect)
		for _, step := range s.Steps {
			expected = append(expected, step.Expect...)
		}
		for _, e := range expected {
			if _, err := compile(e); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
		if !strings.Contains(text, plain(s.Text)) {
			t.Errorf("%s: docs/protocol.md does not say: %s", s.Name, s.Text)
		}
		if _, err := Explain(s); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if count[Server] < 80 || count[Proxy] < 20 || count[Client] < 30 {
		t.Errorf("%v", count)
	}
	t.Log(count)
}

// TestEveryMust holds that each MUST and MUST NOT of the protocol has a scenario, or a reason why none can exist.
func TestEveryMust(t *testing.T) {
	t.Parallel()
	untested, err := Untested()
	if err != nil {
		t.Fatal(err)
	}
	all, used := scenarios(t), map[string]bool{}
	musts := 0
	for _, sentence := range sentences(t) {
		if !strings.Contains(sentence, "MUST") || strings.HasPrefix(sentence, "The key words") {
			continue
		}
		musts++
		tested := slices.ContainsFunc(all, func(s *Scenario) bool {
			p := plain(s.Text)
			return strings.Contains(sentence, p) || strings.Contains(p, sentence)
		})
		for _, u := range untested {
			if strings.Contains(sentence, plain(u.Text)) {
				used[u.Text] = true
				if tested {
					t.Errorf("this has a scenario, and a reason why it has none: %s", u.Text)
				}
				tested = true
			}
		}
		if !tested {
			t.Errorf("no scenario: %s", sentence)
		}
	}
	for _, u := range untested {
		if !used[u.Text] {
			t.Errorf("docs/protocol.md does not say: %s", u.Text)
		}
		if len(u.Why) < 20 {
			t.Errorf("why can there be no scenario for %q?", u.Text)
		}
	}
	if musts < 110 {
		t.Errorf("%d sentences with MUST were found", musts)
	}
	t.Logf("%d sentences, %d without a scenario", musts, len(untested))
}

func scenarios(t *testing.T) []*Scenario {
	t.Helper()
	all, err := Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	blockEnd  = regexp.MustCompile(`\n\s*\n|\n\* |\n\||\n> `)
	inBlock   = regexp.MustCompile(`[.:;]\s+`)
)

// protocolText is docs/protocol.md in one line.
func protocolText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	return plain(codeBlock.ReplaceAllString(string(text), " "))
}

// sentences are those of docs/protocol.md.
func sentences(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, block := range blockEnd.Split(codeBlock.ReplaceAllString(string(text), "\n\n"), -1) {
		block = plain(block)
		rest := block
		for {
			at := inBlock.FindStringIndex(rest)
			if at == nil {
				list = append(list, rest)
				break
			}
			list = append(list, strings.TrimSpace(rest[:at[1]]))
			rest = rest[at[1]:]
		}
	}
	return list
}

// plain makes one line of a text.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
