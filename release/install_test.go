// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/cavaliergopher/cpio"
)

// unpack writes the files of an archive below dir.
func unpack(t *testing.T, name string, data []byte, dir string) {
	t.Helper()
	if path.Ext(name) == ".zip" || path.Ext(name) == ".mcpb" {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			content, err := zipEntry(data, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			place(t, filepath.Join(dir, filepath.FromSlash(f.Name)), content, f.Mode().Perm())
		}
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			place(t, filepath.Join(dir, filepath.FromSlash(h.Name)), content, h.FileInfo().Mode().Perm())
		}
	}
}

func place(t *testing.T, name string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		t.Fatal(err)
	}
}

// does runs a command that must succeed.
func does(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// answers holds that a program is this version of toolvet.
func answers(t *testing.T, c *config, command ...string) {
	t.Helper()
	if out := does(t, t.TempDir(), command[0], append(command[1:], "version")...); !strings.HasPrefix(out, c.Name+" "+c.version+"\n") {
		t.Errorf("%v version: %s", command, out)
	}
}

// unpacked returns the program of this machine's archive.
func unpacked(t *testing.T) (c *config, files map[string][]byte, program string) {
	t.Helper()
	c, files = release(t)
	dir := t.TempDir()
	unpack(t, c.archiveName(here), files[c.archiveName(here)], dir)
	return c, files, filepath.Join(dir, c.base(here), c.Name+here.exe())
}

func TestArchive(t *testing.T) {
	t.Parallel()
	c, files, program := unpacked(t)
	answers(t, c, program)
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY_NOTICES.txt"} {
		if info, err := os.Stat(filepath.Join(filepath.Dir(program), name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"SHA256SUMS", c.Name + "_" + c.version + "_provenance.json"} {
		list := filepath.Join(t.TempDir(), name)
		place(t, list, files[name], 0o600)
		if out := does(t, t.TempDir(), program, "version", "--verify", list); !strings.Contains(out, "verified: ") || !strings.Contains(out, "source   commit ") {
			t.Errorf("version --verify %s: %s", name, out)
		}
	}
}

func TestDeb(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	dpkg := need.Packagers.Program(t, "dpkg-deb")
	dir := t.TempDir()
	name := filepath.Join(dir, "x.deb")
	place(t, name, files[fmt.Sprintf("%s_%s_%s.deb", c.Name, c.version, here.arch)], 0o644)
	about := does(t, dir, dpkg, "--info", name)
	for _, want := range []string{"Package: " + c.Name, "Version: " + c.version, "Architecture: " + here.arch, "Description: " + c.Summary} {
		if !strings.Contains(about, want) {
			t.Errorf("dpkg-deb --info has no %q:\n%s", want, about)
		}
	}
	root := filepath.Join(dir, "root")
	for _, d := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	place(t, filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644)
	does(t, dir, "dpkg", "--root="+root, "--log="+filepath.Join(dir, "log"), "--force-not-root", "--force-architecture", "--force-bad-path", "--install", name)
	if out := does(t, dir, "dpkg", "--root="+root, "--verify", c.Name); out != "" {
		t.Errorf("dpkg --verify: %s", out)
	}
	answers(t, c, filepath.Join(root, "usr/bin", c.Name))
	if _, err := os.Stat(filepath.Join(root, "usr/share/doc", c.Name, "THIRD_PARTY_NOTICES.txt")); err != nil {
		t.Error(err)
	}
}

// TestRPM reads the package as rpm2cpio does: a lead, a signature's header, a header, and a compressed cpio archive. Where
// rpm is installed, it installs the package.
func TestRPM(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	data := files[fmt.Sprintf("%s-%s-1.%s.rpm", c.Name, c.version, rpmMachines[here.arch])]
	if len(data) < 96 {
		t.Skip("no RPM for this system")
	}
	rest := data[96:]
	for i := range 2 {
		if !bytes.HasPrefix(rest, []byte{0x8e, 0xad, 0xe8, 1}) {
			t.Fatalf("header %d begins with %x", i, rest[:4])
		}
		number := func(at int) int {
			return int(rest[at])<<24 | int(rest[at+1])<<16 | int(rest[at+2])<<8 | int(rest[at+3])
		}
		size := 16 + 16*number(8) + number(12)
		if i == 0 {
			size = (size + 7) / 8 * 8
		}
		rest = rest[size:]
	}
	z, err := gzip.NewReader(bytes.NewReader(rest))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := cpio.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		place(t, filepath.Join(dir, filepath.FromSlash(h.Name)), content, os.FileMode(h.Mode).Perm())
	}
	answers(t, c, filepath.Join(dir, "usr/bin", c.Name))
	t.Run("rpm", func(t *testing.T) {
		rpm := need.Packagers.Program(t, "rpm")
		name, root := filepath.Join(t.TempDir(), "x.rpm"), filepath.Join(t.TempDir(), "root")
		place(t, name, data, 0o644)
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if out := does(t, root, rpm, "--root", root, "-qip", "--nosignature", name); !strings.Contains(out, c.Summary) {
			t.Errorf("rpm -qi: %s", out)
		}
		does(t, root, rpm, "--root", root, "--install", "--nosignature", "--nodeps", "--noscripts", name)
		if out := does(t, root, rpm, "--root", root, "--verify", "--nodeps", c.Name); strings.TrimSpace(out) != "" {
			t.Errorf("rpm --verify: %s", out)
		}
		answers(t, c, filepath.Join(root, "usr/bin", c.Name))
	})
}

// TestNPM installs the packages without a registry, and starts the program as npx does.
func TestNPM(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	npm, npx, node := need.Node.Program(t, "npm"), need.Node.Program(t, "npx"), need.Node.Program(t, "node")
	packages, dir := t.TempDir(), t.TempDir()
	own := c.manifestFile(here)
	for _, name := range []string{"npm/" + c.NPM.Name + "-" + c.version + ".tgz", own} {
		place(t, filepath.Join(packages, path.Base(name)), files[name], 0o644)
	}
	place(t, filepath.Join(dir, "package.json"), []byte("{}"), 0o644)
	does(t, dir, npm, "install", "--offline", "--no-audit", "--no-fund", "--cache", t.TempDir(),
		filepath.Join(packages, c.NPM.Name+"-"+c.version+".tgz"), filepath.Join(packages, path.Base(own)))
	if out := does(t, dir, npx, "--offline", "--no", c.Name, "version"); !strings.HasPrefix(out, c.Name+" "+c.version+"\n") {
		t.Errorf("npx: %s", out)
	}
	launcher := filepath.Join(dir, "node_modules", c.NPM.Name, "bin", c.Name+".js")
	err := exec.CommandContext(t.Context(), node, launcher, "no-such-command").Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("an exit code of 2 becomes %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", c.NPM.Scope)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, launcher, "version").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is not installed") {
		t.Errorf("without the package of this machine: %v, %s", err, out)
	}
}

// manifestFile is the npm package of a target.
func (c *config) manifestFile(t target) string {
	return fmt.Sprintf("npm/%s-%s-%s-%s.tgz", c.NPM.Name, npmSystems[t.os], npmMachines[t.arch], c.version)
}

// TestImage reads the image as a registry does, by digests, and runs the program of this machine's layer.
func TestImage(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	blobs := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(files[c.Name+"_"+c.version+"_oci.tar"])); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		blobs[h.Name] = data
	}
	var index struct{ Manifests []descriptor }
	read := func(d descriptor, value any) {
		t.Helper()
		data := blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if d.Digest != "sha256:"+digest(data) || d.Size != len(data) {
			t.Fatalf("the blob of %+v has %d bytes, sha256 %s", d, len(data), digest(data))
		}
		if value != nil {
			if err := json.Unmarshal(data, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("index.json: %v", err)
	}
	read(index.Manifests[0], &index)
	ran := false
	for _, d := range index.Manifests {
		var m struct {
			Config descriptor
			Layers []descriptor
		}
		read(d, &m)
		var about struct {
			Config struct {
				User       string
				Entrypoint []string
				Labels     map[string]string
			}
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		read(m.Config, &about)
		read(m.Layers[0], nil)
		layer := blobs["blobs/sha256/"+strings.TrimPrefix(m.Layers[0].Digest, "sha256:")]
		z, err := gzip.NewReader(bytes.NewReader(layer))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || about.RootFS.DiffIDs[0] != "sha256:"+digest(plain) {
			t.Errorf("the layer is not that of diff_ids: %v", err)
		}
		if about.Config.User != imageUser || about.Config.Labels["io.modelcontextprotocol.server.name"] != c.Registry {
			t.Errorf("the configuration is %+v", about.Config)
		}
		if (target{d.Platform.OS, d.Platform.Architecture}) == here {
			dir := t.TempDir()
			unpack(t, "layer.tar.gz", layer, dir)
			answers(t, c, filepath.Join(dir, about.Config.Entrypoint[0]))
			if roots, err := os.ReadFile(filepath.Join(dir, "etc/ssl/certs/ca-certificates.crt")); err != nil || bytes.Count(roots, []byte("BEGIN CERTIFICATE")) < 100 {
				t.Errorf("root certificates: %v, %d bytes", err, len(roots))
			}
			ran = true
		}
	}
	if !ran && here.os == "linux" {
		t.Error("there is no image for this machine")
	}
}

// TestFormula has Ruby read the formula, where it is installed; lint has compared addresses and hashes.
func TestFormula(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	text := string(files[c.Name+".rb"])
	for _, t2 := range c.Targets {
		if t2.os != "windows" && !strings.Contains(text, c.download(c.archiveName(t2))) {
			t.Errorf("the formula has no %s", t2)
		}
	}
	ruby := need.Packagers.Program(t, "ruby")
	name := filepath.Join(t.TempDir(), "x.rb")
	place(t, name, []byte(text), 0o644)
	does(t, t.TempDir(), ruby, "-c", name)
}

func TestScoop(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	var m scoop
	d := json.NewDecoder(bytes.NewReader(files[c.Name+".json"]))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		at := m.Architecture[name]
		file := c.archiveName(target{"windows", arch})
		if at.URL != c.download(file) || at.Hash != digest(files[file]) {
			t.Errorf("%s: %+v", name, at)
		}
		if _, err := zipEntry(files[file], at.ExtractDir+"/"+m.Bin); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
