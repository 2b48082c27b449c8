// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // names of git's objects
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Many servers refuse a directory that is not a repository, or not a project of their kind, before they look at
// anything else. So the root and the directories outside are git repositories with their files committed, and
// contain the typical file of each kind of project.
var projectFiles = map[string]string{
	"project.godot": "config_version=5\n\n[application]\n\nconfig/name=\"audit\"\n",
	"package.json":  `{"name": "audit", "version": "1.0.0"}` + "\n",
	"composer.json": `{"name": "audit/audit"}` + "\n",
	"Cargo.toml":    "[package]\nname = \"audit\"\nversion = \"1.0.0\"\n",
	"go.mod":        "module example.org/audit\n",
	"pom.xml":       "<project><modelVersion>4.0.0</modelVersion><groupId>audit</groupId><artifactId>audit</artifactId><version>1</version></project>\n",
	"Package.swift": "// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: \"audit\")\n",

	"audit.xcodeproj/project.pbxproj": "// !$*UTF8*$!\n{\n}\n",
}

const gitConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
[user]
	name = audit
	email = audit@example.org
[remote "origin"]
	url = https://github.com/audit/audit.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[safe]
	directory = *
`

// projects makes projects of the root and of the directories outside.
func (w *world) projects() error {
	for dir, tracked := range map[string]string{"root": insideName, "outside": outsideName, "root-evil": outsideName} {
		if err := repository(filepath.Join(w.dir, dir), tracked); err != nil {
			return err
		}
		for name, content := range projectFiles {
			if err := put(filepath.Join(w.dir, dir, filepath.FromSlash(name)), []byte(content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A plant is a file and a directory of the root. The command in their names makes a file of the name id.
type plant struct {
	file, dir, id string
	quoting       quoting
}

// plant makes a plant for each kind of quoting.
func (w *world) plant() error {
	for _, l := range []payload{{expanded, "$(RUN)"}, {single, "';RUN;'"}, {double, `";RUN;"`}, {bare, ";RUN;"}} {
		p := plant{id: token(), quoting: l.quoting}
		name := l.with(w.fire(p.id))
		p.file, p.dir = "plant"+name+".txt", "plants"+name
		w.plants = append(w.plants, p)
		files := map[string]string{p.file: w.control + "\n", p.dir + "/" + insideName + ".txt": w.control + "\n"}
		for name, content := range projectFiles {
			files[p.dir+"/"+name] = content
		}
		for name, content := range files {
			if err := put(filepath.Join(w.dir, "root", filepath.FromSlash(name)), []byte(content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// repository turns a directory into a git repository. The first commit contains its files of the given name.
func repository(dir, name string) error {
	git := filepath.Join(dir, ".git")
	for _, sub := range []string{"objects", "refs/heads", "refs/tags", "info"} {
		if err := os.MkdirAll(filepath.Join(git, filepath.FromSlash(sub)), 0o755); err != nil {
			return err
		}
	}
	var entries []byte
	for _, ext := range slices.Sorted(slices.Values(extensions)) {
		content, err := os.ReadFile(filepath.Join(dir, name+ext))
		if err != nil {
			return err
		}
		_, sum, err := object(git, "blob", content)
		if err != nil {
			return err
		}
		entries = append(fmt.Appendf(entries, "100644 %s\x00", name+ext), sum...)
	}
	tree, _, err := object(git, "tree", entries)
	if err != nil {
		return err
	}
	who := "audit <audit@example.org> 1767225600 +0000\n"
	commit, _, err := object(git, "commit", []byte("tree "+tree+"\nauthor "+who+"committer "+who+"\naudit\n"))
	if err != nil {
		return err
	}
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": gitConfig, "refs/heads/main": commit + "\n"} {
		if err := put(filepath.Join(git, filepath.FromSlash(name)), []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

// object writes an object of git, and returns its name.
func object(git, kind string, content []byte) (name string, sum []byte, err error) {
	raw := append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...)
	digest := sha1.Sum(raw)
	name = hex.EncodeToString(digest[:])
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(raw) // into memory
	_ = z.Close()
	return name, digest[:], put(filepath.Join(git, "objects", name[:2], name[2:]), b.Bytes())
}

func put(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644) // the server is to read it
}
