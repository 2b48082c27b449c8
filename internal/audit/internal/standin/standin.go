// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package standin has replacements for programs that reach a device, a cluster or a service: adb,
// kubectl, docker and the like. Each is a shell script that answers like the original with one device,
// cluster or service called [Name]. So servers that start these programs can work on a machine without
// any.
//
// They have only the visible effects of the originals: they write files that an argument names, such as
// a screenshot or a copy from a device. They start no programs, so that an observer sees only programs
// of the server, and pass nothing on.
package standin

import (
	"cmp"
	"embed"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed programs
var programs embed.FS

// Name is the name of the device, cluster, container or account of each stand-in.
const Name = "audit"

// silent are programs with stand-ins that print nothing and succeed.
var silent = strings.Fields("ansible az helmfile idb mobilecli psql mysql scp ssh yt-dlp")

// wanting are further ones, for programs that are often missing and reach nothing from here. Servers
// give up without them.
var wanting = strings.Fields("drush dnstwist flutter glab godot gradle heroku maigret mvn nmap sf sfdx swift task vercel xcodebuild")

// absent are stand-ins for missing programs only.
var absent = append([]string{"git"}, wanting...)

// same are programs with the stand-in of another, which reads its own name.
var same = map[string]string{"podman": "docker"}

// Names returns the programs with a stand-in, sorted.
func Names() []string {
	names := slices.AppendSeq(slices.Concat(silent, wanting), maps.Keys(same))
	entries, err := programs.ReadDir("programs")
	if err != nil { // the scripts are embedded
		return names
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".sh"))
	}
	slices.Sort(names)
	return names
}

//go:embed any.sh
var anyProgram []byte

// WriteOne writes a stand-in for a program that nothing is known of into a directory.
func WriteOne(dir, name string) error {
	return os.WriteFile(filepath.Join(dir, name), anyProgram, 0o755) // executable
}

// Write writes the stand-ins into a directory, for the beginning of a PATH. Has reports whether the
// machine has a program.
func Write(dir string, has func(program string) bool) error {
	for _, name := range Names() {
		if slices.Contains(absent, name) && has(name) {
			continue
		}
		script := []byte("#!/bin/sh\nexit 0\n")
		if !slices.Contains(silent, name) && !slices.Contains(wanting, name) {
			var err error
			if script, err = programs.ReadFile(path.Join("programs", cmp.Or(same[name], name)+".sh")); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o755); err != nil { // executable
			return err
		}
	}
	return nil
}
