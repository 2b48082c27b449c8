// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
)

// commit is the commit of a release, which the linker sets (-X). A suffix "-modified" says that the tree had changes.
var commit string

// listLimit bounds a list of checksums or a provenance, in bytes. A release's own have 20 kB.
const listLimit = 4 << 20

// verify prints what the program says of its build, and compares it with a list; args holds the list's name, or nothing.
func (a *app) verify(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for toolvet's own program: %w", err)
	}
	digest, err := fileDigest(self)
	if err != nil {
		return fmt.Errorf("reading toolvet's own program: %w", err)
	}
	terminal.Fprintf(a.stdout, "program  %s\nsha256   %s\n", self, digest)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program has no build information: it was not built as a Go module")
	}
	own, source := builtFrom(info)
	terminal.Fprintf(a.stdout, "source   %s\nmodules  %s\n", source, linkedModules(info))
	if len(args) == 0 {
		return enforce.WithHint(errors.New("not verified: there is no list to compare with"),
			"download SHA256SUMS of https://github.com/toolvet/toolvet/releases/tag/v%s, then: toolvet version --verify SHA256SUMS", toolvet.Version)
	}
	list, err := readList(args[0])
	if err != nil {
		return err
	}
	name := list.nameOf(digest)
	if name == "" {
		a.complain(enforce.WithHint(fmt.Errorf("%s has no line with this program's SHA-256", args[0]),
			"a list speaks of its own version alone, and not of what 'go install' built"))
		return exitCode(exitNoGo)
	}
	if list.commit != "" && own != "" && list.commit != own {
		a.complain(fmt.Errorf("%s is about commit %s, and this program says that it is another's", args[0], list.commit))
		return exitCode(exitNoGo)
	}
	_, err = terminal.Fprintf(a.stdout, "listed   %s\nverified: %s has this program; its own signature was not looked at\n", name, filepath.Base(args[0]))
	return err
}

func fileDigest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// builtFrom returns the commit of the build, "" if nothing names one, and words about the source.
func builtFrom(info *debug.BuildInfo) (revision, words string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision, modified := strings.CutSuffix(cmp.Or(commit, settings["vcs.revision"]), "-modified")
	switch {
	case revision == "" && info.Main.Sum != "": // go install PACKAGE@VERSION
		return "", fmt.Sprintf("module %s %s %s", info.Main.Path, info.Main.Version, info.Main.Sum)
	case revision == "":
		return "", "unknown: the build was told no commit"
	case modified || settings["vcs.modified"] == "true":
		return revision, "commit " + revision + ", with changes that are in no commit"
	}
	return revision, "commit " + revision + ", without changes"
}

// linkedModules says how many modules are linked, and how many of them have the hash of their source in the program: what go.sum
// holds, or the checksum database.
func linkedModules(info *debug.BuildInfo) string {
	var hashed, ours, replaced int
	for _, m := range info.Deps {
		switch {
		case m.Replace != nil:
			replaced++
		case m.Sum != "":
			hashed++
		default:
			ours++
		}
	}
	words := fmt.Sprintf("%d, of which %d have the hash of their source", len(info.Deps), hashed)
	if ours > 0 {
		words += fmt.Sprintf("; %d are toolvet's own, from the same tree", ours)
	}
	if replaced > 0 {
		words += fmt.Sprintf("; %d were replaced by others", replaced)
	}
	return words
}

// A digestList is what a release says of its files.
type digestList struct {
	names  map[string]string // by SHA-256 in lower case
	commit string            // "" if the list names none
}

func (l digestList) nameOf(digest string) string { return l.names[digest] }

var checksumLine = regexp.MustCompile(`^([0-9a-f]{64}) [ *](.+)$`)

// readList reads the output of sha256sum, or an in-toto statement.
func readList(name string) (digestList, error) {
	f, err := os.Open(name)
	if err != nil {
		return digestList{}, fmt.Errorf("reading the list of checksums: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, listLimit+1))
	switch {
	case err != nil:
		return digestList{}, fmt.Errorf("reading the list of checksums: %w", err)
	case len(text) > listLimit:
		return digestList{}, fmt.Errorf("%s is longer than %d bytes: it is no list of checksums", name, listLimit)
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return readStatement(name, text)
	}
	list := digestList{names: map[string]string{}}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		m := checksumLine.FindStringSubmatch(line)
		if m == nil {
			return list, fmt.Errorf("%s, line %d: expected a SHA-256 in 64 hexadecimal digits, two spaces, and the name of a file", name, n)
		}
		list.names[m[1]] = m[2]
	}
	if len(list.names) == 0 {
		return list, fmt.Errorf("%s is empty", name)
	}
	return list, nil
}

// statementType marks statements of the in-toto attestation framework, version 1.
const statementType = "https://in-toto.io/Statement/v1"

func readStatement(name string, text []byte) (digestList, error) {
	var s struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string            `json:"name"`
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct {
					Digest map[string]string `json:"digest"`
				} `json:"resolvedDependencies"`
			} `json:"buildDefinition"`
		} `json:"predicate"`
	}
	list := digestList{names: map[string]string{}}
	if err := json.Unmarshal(text, &s); err != nil {
		return list, fmt.Errorf("%s is no provenance: %w", name, err)
	}
	if s.Type != statementType {
		return list, fmt.Errorf("%s is no provenance: expected the _type %s", name, statementType)
	}
	for _, subject := range s.Subject {
		if digest := subject.Digest["sha256"]; digest != "" {
			list.names[strings.ToLower(digest)] = subject.Name
		}
	}
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		list.commit = cmp.Or(list.commit, d.Digest["gitCommit"])
	}
	if len(list.names) == 0 {
		return list, fmt.Errorf("%s names no file with a SHA-256", name)
	}
	return list, nil
}
