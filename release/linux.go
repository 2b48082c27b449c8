// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/google/rpmpack"
)

func modeOf(f file) fs.FileMode { return fs.FileMode(f.mode) }

// installed returns where a Linux package puts its files.
func (c *config) installed(program []byte, texts []file) []file {
	list := []file{{"usr/bin/" + c.Name, 0o755, program}}
	for _, f := range texts {
		list = append(list, file{"usr/share/doc/" + c.Name + "/" + f.name, 0o644, f.data})
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list
}

// deb returns a Debian package. Its format (deb(5)) is an ar archive of a version, a tar archive about the package, and
// one of its files. The program is static: the package depends on nothing.
func (c *config) deb(t target, program []byte, texts []file, at time.Time) ([]byte, error) {
	files := c.installed(program, texts)
	var size int
	var sums strings.Builder
	for _, f := range files {
		size += len(f.data)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name) // dpkg --verify reads MD5 and nothing else
	}
	about := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSection: utils\nPriority: optional\nHomepage: %s\nDescription: %s\n%s",
		c.Name, c.version, t.arch, c.maintainer(), (size+1023)/1024, c.Repository, c.Summary, folded(c.Description))
	control, err := tarGz([]file{{"control", 0o644, []byte(about)}, {"md5sums", 0o644, []byte(sums.String())}}, at, "./", false)
	if err != nil {
		return nil, err
	}
	data, err := tarGz(files, at, "./", true)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	buf.WriteString("!<arch>\n")
	for _, f := range []file{{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: control}, {name: "data.tar.gz", data: data}} {
		fmt.Fprintf(&buf, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", f.name, at.Unix(), 0, 0, "100644", len(f.data))
		buf.Write(f.data)
		if len(f.data)%2 == 1 {
			buf.WriteByte('\n')
		}
	}
	return buf.Bytes(), nil
}

// maintainer is a name with an address, which Debian demands; the project has none but that of its repository.
func (c *config) maintainer() string {
	return fmt.Sprintf("%s <noreply@%s>", c.Maintainer, strings.TrimPrefix(c.Repository, "https://"))
}

// folded returns a description as Debian's control files continue them.
func folded(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(" " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// rpm returns an RPM package.
func (c *config) rpm(t target, program []byte, texts []file, at time.Time) ([]byte, error) {
	r, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: c.Name, Version: c.version, Release: "1", Arch: rpmMachines[t.arch], OS: "linux",
		Summary: c.Summary, Description: strings.TrimSpace(c.Description), Licence: c.Licence, URL: c.Repository,
		Vendor: c.Maintainer, Packager: c.Maintainer, Group: "Development/Tools",
		BuildHost: c.Name, BuildTime: at, Compressor: "gzip", Epoch: rpmpack.NoEpoch,
	})
	if err != nil {
		return nil, err
	}
	for _, f := range c.installed(program, texts) {
		kind := rpmpack.GenericFile
		if strings.HasPrefix(f.name, "usr/share/doc/") {
			kind = rpmpack.DocFile
		}
		r.AddFile(rpmpack.RPMFile{Name: "/" + f.name, Body: f.data, Mode: uint(f.mode), Owner: "root", Group: "root", MTime: uint32(at.Unix()), Type: kind})
	}
	var buf bytes.Buffer
	if err := r.Write(&buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
