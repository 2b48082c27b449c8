// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom returns a bill of materials in CycloneDX: the program, Go, and each linked module with hash and licences.
func (c *config) sbom(b *build, sum string, at time.Time) ([]byte, error) {
	purl := func(path, version string) string { return "pkg:golang/" + path + "@" + version }
	root := cyclonedx.Component{
		BOMRef: "program", Type: cyclonedx.ComponentTypeApplication, Name: c.Name, Version: c.version, Description: c.Summary,
		PackageURL: purl(own+"/cmd", "v"+c.version), Licenses: licences([]string{c.Licence}),
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}},
		Properties: &[]cyclonedx.Property{{Name: "goos", Value: b.os}, {Name: "goarch", Value: b.arch}},
	}
	var components []cyclonedx.Component
	var refs []string
	for _, m := range b.modules {
		if m.path == own+"/cmd" {
			continue
		}
		part := cyclonedx.Component{
			BOMRef: purl(m.path, m.version), Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version,
			PackageURL: purl(m.path, m.version), Licenses: licences(m.ids()),
		}
		if m.ours() {
			part.Licenses = licences(append([]string{c.Licence}, m.ids()...))
		}
		if hash, ok := strings.CutPrefix(m.sum, "h1:"); ok {
			raw, err := base64.StdEncoding.DecodeString(hash)
			if err != nil {
				return nil, fmt.Errorf("the hash of %s: %w", m.path, err)
			}
			part.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
			part.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.sum}} // SHA-256 of a list of files, and of no file
		}
		components = append(components, part)
		refs = append(refs, part.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.SpecVersion, bom.JSONSchema = cyclonedx.SpecVersion1_6, "http://cyclonedx.org/schema/bom-1.6.schema.json"
	bom.SerialNumber = "urn:uuid:" + sum[:8] + "-" + sum[8:12] + "-5" + sum[13:16] + "-8" + sum[17:20] + "-" + sum[20:32] // by the program
	bom.Metadata = &cyclonedx.Metadata{Timestamp: at.UTC().Format(time.RFC3339), Component: &root}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: root.BOMRef, Dependencies: &refs}}
	var buf bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&buf, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, bom.SpecVersion); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func licences(ids []string) *cyclonedx.Licenses {
	var list cyclonedx.Licenses
	if len(ids) == 1 {
		list = append(list, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: ids[0]}})
	} else {
		list = append(list, cyclonedx.LicenseChoice{Expression: strings.Join(ids, " AND ")})
	}
	return &list
}

// The parts of an in-toto statement with a provenance by SLSA, version 1.
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []subject  `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     provenance `json:"predicate"`
	}
	subject struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	}
	provenance struct {
		BuildDefinition struct {
			BuildType            string            `json:"buildType"`
			ExternalParameters   map[string]any    `json:"externalParameters"`
			InternalParameters   map[string]string `json:"internalParameters"`
			ResolvedDependencies []resource        `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
			Metadata *struct {
				InvocationID string `json:"invocationId"`
			} `json:"metadata,omitempty"`
		} `json:"runDetails"`
	}
	resource struct {
		URI    string            `json:"uri"`
		Digest map[string]string `json:"digest,omitempty"`
	}
)

// provenance names the source and the builder of the files. It is not signed: the workflow that publishes signs it. Built
// elsewhere, it says so by its builder.
func (c *config) provenance(s *source, sums []checksum) ([]byte, error) {
	st := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1"}
	for _, sum := range sums {
		st.Subject = append(st.Subject, subject{sum.name, map[string]string{"sha256": sum.sum}})
	}
	var targets []string
	for _, t := range c.Targets {
		targets = append(targets, t.String())
	}
	d := &st.Predicate.BuildDefinition
	d.BuildType = c.Repository + "/blob/main/docs/install.md#release"
	d.ExternalParameters = map[string]any{"repository": c.Repository, "ref": "refs/tags/v" + c.version, "targets": targets}
	d.InternalParameters = map[string]string{"go": runtime.Version(), "command": "go run ./release"}
	d.ResolvedDependencies = []resource{{"git+" + c.Repository + "@refs/tags/v" + c.version, map[string]string{"gitCommit": s.commit}}}
	builder := &st.Predicate.RunDetails.Builder
	builder.ID = c.Repository + "/release@local"
	if id := os.Getenv("GITHUB_RUN_ID"); id != "" {
		builder.ID = "https://github.com/" + os.Getenv("GITHUB_WORKFLOW_REF")
		st.Predicate.RunDetails.Metadata = &struct {
			InvocationID string `json:"invocationId"`
		}{c.Repository + "/actions/runs/" + id + "/attempts/" + os.Getenv("GITHUB_RUN_ATTEMPT")}
	}
	return indented(st)
}

// indented returns JSON for people, with a line feed at its end.
func indented(value any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return buf.Bytes(), err
}
