// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:embed files/npm.js
var npmLauncher string

// A manifest is a package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Homepage             string            `json:"homepage"`
	Repository           map[string]string `json:"repository"`
	MCPName              string            `json:"mcpName,omitempty"` // the MCP Registry looks for it
	Bin                  map[string]string `json:"bin,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // Yarn must not keep a program in a ZIP archive
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func (c *config) manifest(name, what string) manifest {
	return manifest{
		Name: name, Version: c.version, Description: what, License: c.Licence, Homepage: c.Repository,
		Repository: map[string]string{"type": "git", "url": "git+" + c.Repository + ".git"},
	}
}

// npmPackage is the name of a target's package, such as @toolvet/linux-x64.
func (c *config) npmPackage(t target) string {
	return c.NPM.Scope + "/" + npmSystems[t.os] + "-" + npmMachines[t.arch]
}

// npm returns packages for "npm publish": one a target with the program, and one that starts the program of the machine. npm
// installs only the one of the machine, because the others ask for another system.
func (c *config) npm(builds []*build, at time.Time) ([]file, error) {
	first := c.manifest(c.NPM.Name, c.Summary)
	first.MCPName, first.Engines = c.Registry, map[string]string{"node": ">=18"}
	first.Bin = map[string]string{c.Name: "bin/" + c.Name + ".js"}
	first.OptionalDependencies = map[string]string{}
	var list []file
	for _, b := range builds {
		name := c.npmPackage(b.target)
		first.OptionalDependencies[name] = c.version
		m := c.manifest(name, fmt.Sprintf("The program of %s for %s", c.NPM.Name, b.target))
		m.OS, m.CPU, m.PreferUnplugged = []string{npmSystems[b.os]}, []string{npmMachines[b.arch]}, true
		about, err := indented(m)
		if err != nil {
			return nil, err
		}
		files := append([]file{{"package.json", 0o644, about}, {"bin/" + c.Name + b.exe(), 0o755, b.program}}, b.texts...)
		data, err := tarGz(files, at, "package/", false)
		if err != nil {
			return nil, err
		}
		list = append(list, file{fmt.Sprintf("npm/%s-%s.tgz", strings.NewReplacer("@", "", "/", "-").Replace(name), c.version), 0o644, data})
	}
	about, err := indented(first)
	if err != nil {
		return nil, err
	}
	launcher := strings.NewReplacer("@SCOPE@", c.NPM.Scope, "@NAME@", c.Name, "@NPM@", c.NPM.Name, "@REPOSITORY@", c.Repository).Replace(npmLauncher)
	files := []file{{"package.json", 0o644, about}, {"bin/" + c.Name + ".js", 0o755, []byte(launcher)}}
	for _, f := range builds[0].texts {
		if f.name != "THIRD_PARTY_NOTICES.txt" { // it holds no code of others
			files = append(files, f)
		}
	}
	data, err := tarGz(files, at, "package/", false)
	return append(list, file{fmt.Sprintf("npm/%s-%s.tgz", c.NPM.Name, c.version), 0o644, data}), err
}
