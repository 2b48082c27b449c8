// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Revisions are the revisions of MCP that the protocol works on.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// The kinds of peers that a scenario can test.
const (
	Server = "server"
	Proxy  = "proxy" // and the kit is the server behind it
	Client = "client"
)

// A Scenario tests one sentence of the protocol.
type Scenario struct {
	Name string `yaml:"name"`
	// Text is the sentence, or the part of it, as docs/protocol.md has it.
	Text string `yaml:"text"`
	// Why tells what goes wrong if a peer does otherwise.
	Why string `yaml:"why"`
	// Peer is Server, Proxy or Client.
	Peer string `yaml:"-"`
	// Should is set if the sentence is a SHOULD: a peer that does otherwise is told, and conforms.
	Should bool `yaml:"should"`
	// Needs are what the peer must have, else the scenario is skipped: see needs.
	Needs []string `yaml:"needs"`
	// Since is the first revision of MCP that the scenario is for, and Until the last. Empty: no bound.
	Since string `yaml:"since"`
	Until string `yaml:"until"`
	// Steps are the requests to a server, in their order.
	Steps []Step `yaml:"steps"`
	// Behind is the server that the kit plays, behind a proxy or for a client.
	Behind *Behind `yaml:"behind"`
	// Ask is what a client is to do, Times how often (0: once), and Expect what holds then.
	Ask    map[string]any `yaml:"ask"`
	Times  int            `yaml:"times"`
	Expect []string       `yaml:"expect,omitempty"`
}

// A Step sends one message, and says what must hold of the answer. At most one of Dry, Batch, Call, Request and Raw is set;
// without any, the expectations are about what is known from the handshake.
type Step struct {
	Dry     map[string]any `yaml:"dry,omitempty"`     // arguments of the validate tool
	Batch   map[string]any `yaml:"batch,omitempty"`   // arguments of the batch tool
	Call    *ToolCall      `yaml:"call,omitempty"`    // a live call
	Request *Request       `yaml:"request,omitempty"` // any other request
	Raw     string         `yaml:"raw,omitempty"`     // a line; ${id} and the names of tools are replaced
	// ID is the id of a raw line in JSON, if it matters. Empty: the kit's next number.
	ID string `yaml:"id,omitempty"`
	// Meta is added to the _meta of the request.
	Meta map[string]any `yaml:"meta,omitempty"`
	// Expect are expressions in CEL that must be true.
	Expect []string `yaml:"expect,omitempty"`
}

// A ToolCall is the params of a tools/call.
type ToolCall struct {
	Name      string         `yaml:"name,omitempty"`
	Arguments map[string]any `yaml:"arguments,omitempty"`
}

// A Request is any request.
type Request struct {
	Method string         `yaml:"method,omitempty"`
	Params map[string]any `yaml:"params,omitempty"`
}

// A Behind describes a server as data.
type Behind struct {
	// Announce is the capability: under "experimental" and "extensions". Nil: the server announces nothing.
	Announce map[string]any `yaml:"announce,omitempty"`
	// Tools are listed beside the fixture's.
	Tools []map[string]any `yaml:"tools,omitempty"`
	// Answers are the results of these tools, or errors under "error". The fixture's tools answer by themselves.
	Answers map[string]map[string]any `yaml:"answers,omitempty"`
}

//go:embed scenarios/*.yaml
var files embed.FS

// Scenarios returns all scenarios, in the order of the protocol's sections.
var Scenarios = sync.OnceValues(func() ([]*Scenario, error) {
	var all []*Scenario
	seen := map[string]bool{}
	names, err := fs.Glob(files, "scenarios/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		peer := strings.TrimSuffix(path.Base(name), ".yaml")
		peer = peer[strings.LastIndexByte(peer, '-')+1:]
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var list []*Scenario
		if err := yaml.UnmarshalWithOptions(text, &list, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, s := range list {
			s.Peer = peer
			if err := s.check(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, s.Name, err)
			}
			if seen[s.Name] {
				return nil, fmt.Errorf("%s: two scenarios are called %s", name, s.Name)
			}
			seen[s.Name] = true
		}
		all = append(all, list...)
	}
	return all, nil
})

// needs are what a peer may lack.
var needs = map[string]string{
	"fixture":   "the fixture's tools conformance_write and conformance_count",
	"batch":     "batchValidation",
	"single":    "no batchValidation",
	"levels":    "levels in the inputSchema of the validate tool",
	"streaming": "streaming",
	"async":     "async in the handshake of this revision",
	"cacheable": "cacheable",
	"tokens":    "tokens",
	"live":      "a validator that judges live calls (--dry-runs-only leaves them out)",
	"lines":     "a server on stdio",
	"reader":    "a validator that reads messages itself (--sdk leaves out what an SDK refuses before it hands on a message)",
}

func (s *Scenario) check() error {
	switch {
	case s.Name == "" || s.Text == "" || s.Why == "":
		return fmt.Errorf("name, text and why are required")
	case s.Peer != Server && s.Peer != Proxy && s.Peer != Client:
		return fmt.Errorf("the name of the file must end with -server, -proxy or -client, not %q", s.Peer)
	case s.Peer == Client && (s.Ask == nil || len(s.Expect) == 0 || s.Behind == nil || s.Steps != nil):
		return fmt.Errorf("behind, ask and expect are required for a client, and steps are not allowed")
	case s.Peer != Client && (len(s.Steps) == 0 || s.Ask != nil || s.Expect != nil):
		return fmt.Errorf("steps are required, and ask and expect are not allowed")
	case s.Peer == Proxy && s.Behind == nil:
		return fmt.Errorf("behind is required for a proxy")
	}
	expected := len(s.Expect)
	for _, step := range s.Steps {
		expected += len(step.Expect)
	}
	if expected == 0 {
		return fmt.Errorf("nothing is expected")
	}
	for _, n := range s.Needs {
		if needs[n] == "" {
			return fmt.Errorf("needs %q, which is not known", n)
		}
	}
	for _, r := range []string{s.Since, s.Until} {
		if r != "" && !slices.Contains(Revisions, r) {
			return fmt.Errorf("%q is no revision", r)
		}
	}
	return nil
}

// batchSize is the largest number of calls in a batch of the scenario.
func (s *Scenario) batchSize() (n int) {
	for _, step := range s.Steps {
		calls, _ := step.Batch["calls"].([]any)
		n = max(n, len(calls))
	}
	return n
}

// covers reports whether a scenario is for a revision.
func (s *Scenario) covers(revision string) bool {
	return (s.Since == "" || revision >= s.Since) && (s.Until == "" || revision <= s.Until)
}

// An Exception is a sentence that no scenario can test, and the reason.
type Exception struct {
	Text string `yaml:"text"`
	Why  string `yaml:"why"`
}

//go:embed untested.yaml
var untested []byte

// Untested returns the sentences with MUST that have no scenario.
func Untested() ([]Exception, error) {
	var list []Exception
	if err := yaml.UnmarshalWithOptions(untested, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("untested.yaml: %w", err)
	}
	return list, nil
}
