// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package standin has programs that stand in for others which reach a device, a cluster or a service: adb,
// kubectl, docker and the like. Each is a script of a shell that answers as the other would if there were one of
// everything, called [Name], so that servers which start it can do their work where there is nothing.
//
// They do nothing but what a caller could see: where the other would write a file that it is given the name of (a
// screenshot, what is copied from a device), so do they. They start no program themselves, so that whoever watches sees what
// the server started, and pass on nothing.
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

// Name is what the device, cluster, container or account of each stand-in is called.
const Name = "audit"

// silent are programs whose stand-ins say nothing, and succeed.
var silent = strings.Fields("ansible az helmfile idb mobilecli psql mysql scp ssh yt-dlp")

// wanting are further ones, for programs that often are not there and reach nothing, or nothing from here: servers give up
// without them.
var wanting = strings.Fields("drush dnstwist flutter glab godot gradle heroku maigret mvn nmap sf sfdx swift task vercel xcodebuild")

// absent are stand-ins that are written only where the program itself is not there.
var absent = append([]string{"git"}, wanting...)

// same are programs with the stand-in of another, which asks how it is called.
var same = map[string]string{"podman": "docker"}

// Names are the programs that have a stand-in, sorted.
func Names() []string {
	names := slices.AppendSeq(slices.Concat(silent, wanting), maps.Keys(same))
	entries, err := programs.ReadDir("programs")
	if err != nil { // it is part of this program
		return names
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".sh"))
	}
	slices.Sort(names)
	return names
}

// Write writes the stand-ins into a directory, for the beginning of a PATH. Has reports whether a program is there
// without them.
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
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o755); err != nil { // it is to be run
			return err
		}
	}
	return nil
}
