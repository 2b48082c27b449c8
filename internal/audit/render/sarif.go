// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
)

// The parts of SARIF 2.1.0 (OASIS) in a report.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"semanticVersion,omitempty"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string         `json:"id"`
		ShortDescription     sarifText      `json:"shortDescription"`
		FullDescription      sarifText      `json:"fullDescription"`
		Help                 sarifHelp      `json:"help"`
		DefaultConfiguration sarifLevel     `json:"defaultConfiguration"`
		Properties           map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifLocation    `json:"locations"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		CodeFlows           []sarifCodeFlow    `json:"codeFlows,omitempty"`
		Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
		Properties          map[string]any     `json:"properties,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical  `json:"physicalLocation"`
		LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
		Message          *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifCodeFlow struct {
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// A Repository is the place of the audited code, for services that show weaknesses beside code.
type Repository struct {
	Dir    string // of the code, relative to the repository's root; "" is the root
	Anchor string // the file for weaknesses without a place in the code, relative to the root
}

// SARIF writes a report as SARIF 2.1.0. Gaps are notifications, and not results of the kind "open":
// code scanning takes any result for a problem. version is toolvet's. The error is that of w.
func SARIF(w io.Writer, r *audit.Report, at Repository, version string) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "toolvet audit", SemanticVersion: version, Rules: sarifRules()}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: r.Grade.Letter != audit.Ungraded}},
		Results:     []sarifResult{}, ColumnKind: "utf16CodeUnits",
		Properties: map[string]any{"grade": r.Grade.String(), "score": r.Grade.Score, "rubric": r.Rubric, "coverage": r.Grade.Coverage},
	}
	if r.Grade.ByDesign != nil {
		run.Properties["byDesign"] = r.Grade.ByDesign
	}
	notify := func(level, text string) {
		list := &run.Invocations[0].ToolExecutionNotifications
		*list = append(*list, sarifNotification{level, sarifText{text}})
	}
	for _, n := range r.Notes {
		notify("note", n)
	}
	for _, a := range r.Unassessed() {
		notify("warning", fmt.Sprintf("%s is not known: %s", a.Cell, a.Why))
	}
	for i := range r.Weaknesses {
		run.Results = append(run.Results, at.result(&r.Weaknesses[i]))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// scores are the severities in the form of code scanning.
var scores = map[class.Severity]string{class.Critical: "9.5", class.High: "8.0", class.Medium: "5.0"}

func level(s class.Severity) string {
	switch s {
	case class.Critical, class.High:
		return "error"
	case class.Medium:
		return "warning"
	}
	return "note"
}

func sarifRules() []sarifRule {
	var rules []sarifRule
	for _, row := range audit.Classes() {
		rules = append(rules, sarifRule{
			ID: audit.Class(row.Name).ID(), ShortDescription: sarifText{"missing: " + row.Missing}, FullDescription: sarifText{row.Summary()},
			Help:                 sarifHelp{sentence(row.Fix.Any), row.Doc},
			DefaultConfiguration: sarifLevel{level(row.Severity)},
			Properties:           map[string]any{"security-severity": scores[row.Severity], "tags": []string{"security", "mcp"}},
		})
	}
	return rules
}

func (at Repository) result(f *audit.Weakness) sarifResult {
	result := sarifResult{
		RuleID: f.Class.ID(), Level: level(f.Severity), Message: sarifText{fmt.Sprintf("%s: %s Fix: %s", f.Name(), sentence(f.Why), f.Fix)},
		PartialFingerprints: map[string]string{"toolvetCell/v1": f.ID, "primaryLocationLineHash": f.ID + ":1"},
		Properties:          map[string]any{"confidence": f.Confidence, "rules": f.KindNames()},
	}
	var sink *audit.Place
	for _, e := range f.Evidence {
		if n := len(e.Flow); n > 0 {
			if sink == nil {
				sink = &e.Flow[n-1]
			}
			result.CodeFlows = append(result.CodeFlows, at.flow(e.Flow, f.Cell))
		}
		if e.Proof != nil && result.Properties["proof"] == nil {
			result.Properties["proof"] = e.Proof
		}
	}
	result.Locations = []sarifLocation{at.place(sink, f.Cell)}
	if f.Suppressed != nil {
		result.Suppressions = []sarifSuppression{{"external", fmt.Sprintf("%s (until %s)", f.Suppressed.Reason, f.Suppressed.Expires)}}
	}
	return result
}

func (at Repository) flow(flow []audit.Place, c audit.Cell) sarifCodeFlow {
	var steps []sarifStep
	for i := range flow {
		l := at.place(&flow[i], c)
		l.LogicalLocations = nil
		if flow[i].Note != "" {
			l.Message = &sarifText{flow[i].Note}
		}
		steps = append(steps, sarifStep{l})
	}
	return sarifCodeFlow{[]sarifThreadFlow{{steps}}}
}

// place is a place in the code, or the anchor.
func (at Repository) place(p *audit.Place, c audit.Cell) sarifLocation {
	l := sarifLocation{}
	switch {
	case c.Param != "":
		l.LogicalLocations = []sarifLogical{{FullyQualifiedName: c.Tool + c.Param, Kind: "parameter"}}
	case c.Tool != "":
		l.LogicalLocations = []sarifLogical{{FullyQualifiedName: c.Tool, Kind: "function"}}
	}
	if p == nil {
		l.PhysicalLocation = sarifPhysical{ArtifactLocation: sarifArtifact{uri(at.Anchor)}, Region: &sarifRegion{StartLine: 1}}
		return l
	}
	l.PhysicalLocation = sarifPhysical{ArtifactLocation: sarifArtifact{uri(path.Join(at.Dir, p.File))}, Region: &sarifRegion{StartLine: max(1, p.Line), StartColumn: max(0, p.Col)}}
	return l
}

func uri(file string) string {
	return (&url.URL{Path: strings.TrimPrefix(file, "./")}).EscapedPath()
}
