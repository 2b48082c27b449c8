// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
)

// WriteJSON writes results as a JSON document.
func WriteJSON(w io.Writer, results []Result) error {
	type row struct {
		Scenario string `json:"scenario"`
		Peer     string `json:"peer"`
		Revision string `json:"revision,omitempty"`
		Status   string `json:"status"`
		Why      string `json:"why,omitempty"`
		Text     string `json:"text"`
	}
	report := struct {
		Protocol string         `json:"protocol"`
		Counts   map[string]int `json:"counts"`
		Results  []row          `json:"results"`
	}{"1.0", Counts(results), []row{}}
	for _, r := range results {
		report.Results = append(report.Results, row{r.Scenario.Name, r.Scenario.Peer, r.Revision, r.Status, r.Why, r.Scenario.Text})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(report)
}

// Counts returns the number of results of each status.
func Counts(results []Result) map[string]int {
	count := map[string]int{Passed: 0, Failed: 0, Skipped: 0, Advised: 0}
	for _, r := range results {
		count[r.Status]++
	}
	return count
}

// The elements of JUnit's reports that CI systems read.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Seconds string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes results in the format of JUnit, with a suite for each revision.
func WriteJUnit(w io.Writer, results []Result) error {
	var report junitSuites
	for _, r := range results {
		name := "validation protocol 1.0"
		if r.Revision != "" {
			name += ", MCP " + r.Revision
		}
		if n := len(report.Suites); n == 0 || report.Suites[n-1].Name != name {
			report.Suites = append(report.Suites, junitSuite{Name: name})
		}
		s := &report.Suites[len(report.Suites)-1]
		c := junitCase{Class: r.Scenario.Peer, Name: r.Scenario.Name, Seconds: fmt.Sprintf("%.3f", r.Took.Seconds())}
		s.Tests++
		switch r.Status {
		case Failed:
			s.Failures++
			c.Failure = &junitMessage{r.Scenario.Text, r.Why}
		case Skipped:
			s.Skipped++
			c.Skipped = &junitMessage{Message: r.Why}
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Explain describes a scenario for people: its sentence, reason, requests and expectations.
func Explain(s *Scenario) (string, error) {
	data := struct {
		Steps  []Step         `yaml:"steps,omitempty"`
		Behind *Behind        `yaml:"behind,omitempty"`
		Ask    map[string]any `yaml:"ask,omitempty"`
		Expect []string       `yaml:"expect,omitempty"`
	}{s.Steps, s.Behind, s.Ask, s.Expect}
	text, err := yaml.MarshalWithOptions(data, yaml.IndentSequence(true))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s (for a %s)\n\ndocs/protocol.md says:\n  %s\n\nWhy: %s\n", s.Name, s.Peer, s.Text, s.Why)
	for _, n := range s.Needs {
		fmt.Fprintf(&out, "Needs %s.\n", needs[n])
	}
	if s.Since != "" {
		fmt.Fprintf(&out, "Since MCP %s.\n", s.Since)
	}
	if s.Until != "" {
		fmt.Fprintf(&out, "Up to MCP %s.\n", s.Until)
	}
	fmt.Fprintf(&out, "\n%s", text)
	return out.String(), nil
}
