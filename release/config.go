// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/toolvet/toolvet"
)

// A config is release.yaml, and the version.
type config struct {
	Name, Title, Summary, Description string
	Licence, Maintainer, Repository   string
	Package, Commit                   string
	Modules                           []string
	Targets                           []target
	NPM                               struct{ Name, Scope string } `yaml:"npm"`
	Image, Registry, Tap              string

	version string
}

// A target is a system and an architecture by Go's names, such as linux/amd64.
type target struct{ os, arch string }

func (t *target) UnmarshalYAML(text []byte) error {
	var ok bool
	t.os, t.arch, ok = strings.Cut(strings.TrimSpace(string(text)), "/")
	if _, known := npmSystems[t.os]; !ok || !known || npmMachines[t.arch] == "" {
		return fmt.Errorf("unknown target %q: expected linux, darwin or windows, a slash, and amd64 or arm64", text)
	}
	return nil
}

func (t target) String() string { return t.os + "/" + t.arch }

// exe is the ending of programs.
func (t target) exe() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// summaryLimit is that of the MCP Registry for descriptions, in characters.
const summaryLimit = 100

// readConfig reads release.yaml.
func readConfig(name string) (*config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &config{version: toolvet.Version}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for key, value := range map[string]string{
		"name": c.Name, "title": c.Title, "summary": c.Summary, "description": c.Description, "licence": c.Licence,
		"maintainer": c.Maintainer, "repository": c.Repository, "package": c.Package, "commit": c.Commit,
		"npm.name": c.NPM.Name, "npm.scope": c.NPM.Scope, "image": c.Image, "registry": c.Registry, "tap": c.Tap,
	} {
		if value == "" {
			return nil, fmt.Errorf("%s: the key %q is missing", name, key)
		}
	}
	switch {
	case len(c.Targets) == 0 || len(c.Modules) == 0:
		return nil, fmt.Errorf("%s: targets and modules must not be empty", name)
	case c.Modules[0] != "":
		return nil, fmt.Errorf("%s: the first module has to be the root, \"\"", name)
	case len([]rune(c.Summary)) > summaryLimit:
		return nil, fmt.Errorf("%s: the summary has more than %d characters, and the MCP Registry takes no more", name, summaryLimit)
	case !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(c.Name):
		return nil, fmt.Errorf("%s: the name has to be lower-case letters, digits and hyphens", name)
	case !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(c.version):
		return nil, fmt.Errorf("toolvet.Version is %q: a release needs three numbers", c.version)
	}
	return c, nil
}

// only leaves the named targets.
func (c *config) only(names []string) error {
	var list []target
	for _, name := range names {
		var t target
		if err := t.UnmarshalYAML([]byte(name)); err != nil {
			return err
		}
		if !slices.Contains(c.Targets, t) {
			return fmt.Errorf("%s is no target of release.yaml", name)
		}
		list = append(list, t)
	}
	if len(list) > 0 {
		c.Targets = list
	}
	return nil
}

// base is the name that files of a target begin with, and the directory in its archive.
func (c *config) base(t target) string {
	return fmt.Sprintf("%s_%s_%s_%s", c.Name, c.version, t.os, t.arch)
}

// download is the address of a file of the release.
func (c *config) download(file string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", c.Repository, c.version, file)
}

// The names of systems and architectures elsewhere.
var (
	npmSystems  = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	npmMachines = map[string]string{"amd64": "x64", "arm64": "arm64"}
	rpmMachines = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
)
