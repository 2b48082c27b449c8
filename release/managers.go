// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"text/template"
)

var formula = template.Must(template.New("formula").Parse(`# Written by "go run ./release" of {{.Repository}}.
class {{.Class}} < Formula
  desc "{{.Summary}}"
  homepage "{{.Repository}}"
  version "{{.Version}}"
  license "{{.Licence}}"
{{range $system, $list := .Systems}}
  on_{{$system}} do
{{- range $list}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "{{.Name}}"
    doc.install "LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY_NOTICES.txt"
  end

  test do
    assert_match "{{.Name}} #{version}", shell_output("#{bin}/{{.Name}} version")
  end
end
`))

// homebrew returns a formula for the archives.
func (c *config) homebrew(sums []checksum) (string, error) {
	type bottle struct{ CPU, URL, Sum string }
	systems := map[string][]bottle{}
	for _, t := range c.Targets {
		name := map[string]string{"darwin": "macos", "linux": "linux"}[t.os]
		if name == "" {
			continue
		}
		file := c.archiveName(t)
		systems[name] = append(systems[name], bottle{map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch], c.download(file), sumOf(sums, file)})
	}
	var b strings.Builder
	err := formula.Execute(&b, map[string]any{
		"Class": strings.ToUpper(c.Name[:1]) + c.Name[1:], "Name": c.Name, "Summary": c.Summary, "Repository": c.Repository,
		"Version": c.version, "Licence": c.Licence, "Systems": systems,
	})
	return b.String(), err
}

// A scoop is a manifest of Scoop.
type scoop struct {
	Version      string                 `json:"version"`
	Description  string                 `json:"description"`
	Homepage     string                 `json:"homepage"`
	License      string                 `json:"license"`
	Architecture map[string]scoopTarget `json:"architecture"`
	Bin          string                 `json:"bin"`
	Checkver     string                 `json:"checkver"`
	Autoupdate   map[string]any         `json:"autoupdate"`
}

type scoopTarget struct {
	URL        string `json:"url"`
	Hash       string `json:"hash,omitempty"`
	ExtractDir string `json:"extract_dir"`
}

// scoop returns the manifest of the Windows targets; nil without any.
func (c *config) scoop(sums []checksum) ([]byte, error) {
	now, later := map[string]scoopTarget{}, map[string]scoopTarget{}
	for _, t := range c.Targets {
		if t.os != "windows" {
			continue
		}
		name := map[string]string{"amd64": "64bit", "arm64": "arm64"}[t.arch]
		file := c.archiveName(t)
		now[name] = scoopTarget{c.download(file), sumOf(sums, file), c.base(t)}
		any := strings.NewReplacer("v"+c.version, "v$version", "_"+c.version+"_", "_$version_")
		later[name] = scoopTarget{URL: any.Replace(c.download(file)), ExtractDir: any.Replace(c.base(t))}
	}
	if len(now) == 0 {
		return nil, nil
	}
	return indented(scoop{
		Version: c.version, Description: c.Summary, Homepage: c.Repository, License: c.Licence, Architecture: now, Bin: c.Name + ".exe",
		Checkver:   "github",
		Autoupdate: map[string]any{"architecture": later, "hash": map[string]string{"url": fmt.Sprintf("%s/releases/download/v$version/SHA256SUMS", c.Repository)}},
	})
}
