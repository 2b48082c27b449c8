// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Release makes everything that a release of toolvet consists of, from release.yaml and the tree:
//
//	go run ./release                 all targets, into dist
//	go run ./release -o d linux/amd64
//	go run ./release publish         tags the commit and pushes the tags: the workflow "release" does the rest
//	go run ./release repeat dist     builds all or the named targets again without a cache, and compares
//	go run ./release plugin          renews the plugin for Claude Code in the repository
//
// Equal trees give equal bytes. A file with a fault in it is not written: each is read again and held against the others
// first (see lint).
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const usage = `Usage, in the root of the repository:

  go run ./release [flags] [TARGET...]   write the files of all targets, or of these, such as linux/amd64
  go run ./release repeat DIR [TARGET...]
                                         build them again without a cache, and compare with the SHA256SUMS of DIR
  go run ./release plugin                renew the plugin for Claude Code in the repository
  go run ./release publish               tag the commit and push the tags: the workflow does the rest

A target takes some two minutes on an idle machine. Only the first command has flags:

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("o", "dist", "directory for the files")
	commit := flags.String("commit", "", "commit of a tree without git; needs SOURCE_DATE_EPOCH")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	c, err := readConfig(filepath.Join(root, "release", "release.yaml"))
	if err != nil {
		return fmt.Errorf("start this in the root of the repository: %w", err)
	}
	s, err := readSource(ctx, root, *commit)
	if err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "publish":
		return c.publish(ctx, s, os.Stdin, os.Stdout)
	case "repeat":
		if flags.NArg() < 2 {
			return errors.New("repeat needs the directory of a release")
		}
		if err := c.only(flags.Args()[2:]); err != nil {
			return err
		}
		return c.repeat(ctx, s, flags.Arg(1), os.Stdout)
	case "plugin":
		return c.renewPlugin(ctx, s)
	}
	if err := c.only(flags.Args()); err != nil {
		return err
	}
	began := time.Now()
	builds, err := c.build(ctx, s, c.compile)
	if err != nil {
		return err
	}
	files, err := c.files(ctx, s, builds)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(*out, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.data, modeOf(f)); err != nil {
			return err
		}
		fmt.Printf("%11d  %s\n", len(f.data), f.name)
	}
	fmt.Printf("%d files in %s, %v\n", len(files), *out, time.Since(began).Round(time.Second))
	return nil
}

// A compiler makes the program of a target.
type compiler func(context.Context, *source, target) ([]byte, error)

// build builds all targets, one after the other: the compiler itself uses all processors.
func (c *config) build(ctx context.Context, s *source, compile compiler) ([]*build, error) {
	var list []*build
	for _, t := range c.Targets {
		began := time.Now()
		b := &build{target: t}
		var err error
		if b.modules, err = c.linked(ctx, s, t); err != nil {
			return nil, err
		}
		if b.texts, err = c.texts(s, b.modules); err != nil {
			return nil, err
		}
		if b.program, err = compile(ctx, s, t); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%-14s %10d bytes, %v\n", t, len(b.program), time.Since(began).Round(time.Second))
		list = append(list, b)
	}
	return list, nil
}

// A checksum is a line of SHA256SUMS.
type checksum struct{ name, sum string }

func sumOf(sums []checksum, name string) string {
	if i := slices.IndexFunc(sums, func(s checksum) bool { return s.name == name }); i >= 0 {
		return sums[i].sum
	}
	return ""
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// archiveName is the file that most users download.
func (c *config) archiveName(t target) string {
	if t.os == "windows" {
		return c.base(t) + ".zip"
	}
	return c.base(t) + ".tar.gz"
}

// files returns everything that a release publishes, and holds it to lint.
func (c *config) files(ctx context.Context, s *source, builds []*build) ([]file, error) {
	var list []file
	var sums []checksum
	add := func(name string, data []byte, err error) error {
		if err == nil && data != nil {
			list = append(list, file{name, 0o644, data})
			sums = append(sums, checksum{name, digest(data)})
		}
		return err
	}
	for _, b := range builds {
		inside := c.base(b.target) + "/" + c.Name + b.exe()
		sums = append(sums, checksum{inside, digest(b.program)}) // for "toolvet version --verify"
		if err := c.addTarget(add, b, s.at, sumOf(sums, inside)); err != nil {
			return nil, fmt.Errorf("%s: %w", b.target, err)
		}
	}
	image, err := c.image(builds, s.at)
	if err := add(c.Name+"_"+c.version+"_oci.tar", image, err); err != nil {
		return nil, err
	}
	packages, err := c.npm(builds, s.at)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		_ = add(p.name, p.data, nil)
	}
	brew, err := c.homebrew(sums)
	if err := add(c.Name+".rb", []byte(brew), err); err != nil {
		return nil, err
	}
	manifest, err := c.scoop(sums)
	if err := add(c.Name+".json", manifest, err); err != nil {
		return nil, err
	}
	entry, err := c.serverJSON()
	if err := add("server.json", entry, err); err != nil {
		return nil, err
	}
	if err := c.addPlugin(ctx, add, builds, s.at); err != nil {
		return nil, err
	}
	var lines strings.Builder
	for _, sum := range sums {
		fmt.Fprintf(&lines, "%s  %s\n", sum.sum, sum.name)
	}
	list = append(list, file{"SHA256SUMS", 0o644, []byte(lines.String())})
	attestation, err := c.provenance(s, sums)
	if err != nil {
		return nil, err
	}
	list = append(list, file{fmt.Sprintf("%s_%s_provenance.json", c.Name, c.version), 0o644, attestation})
	return list, c.lint(list)
}

func (c *config) addTarget(add func(string, []byte, error) error, b *build, at time.Time, sum string) error {
	base := c.base(b.target)
	files := append([]file{{c.Name + b.exe(), 0o755, b.program}}, b.texts...)
	var archive []byte
	var err error
	if b.os == "windows" {
		var inside []file
		for _, f := range files {
			inside = append(inside, file{base + "/" + f.name, f.mode, f.data})
		}
		archive, err = zipped(inside, at)
	} else {
		archive, err = tarGz(files, at, base+"/", false)
	}
	if err := add(c.archiveName(b.target), archive, err); err != nil {
		return err
	}
	if b.os == "linux" {
		data, err := c.deb(b.target, b.program, b.texts, at)
		if err := add(fmt.Sprintf("%s_%s_%s.deb", c.Name, c.version, b.arch), data, err); err != nil {
			return err
		}
		data, err = c.rpm(b.target, b.program, b.texts, at)
		if err := add(fmt.Sprintf("%s-%s-1.%s.rpm", c.Name, c.version, rpmMachines[b.arch]), data, err); err != nil {
			return err
		}
	}
	bundle, err := c.bundle(b, at)
	if err := add(base+".mcpb", bundle, err); err != nil {
		return err
	}
	bom, err := c.sbom(b, sum, at)
	return add(base+".cdx.json", bom, err)
}

// addPlugin adds the plugin if this machine is a target: its program writes the hooks.
func (c *config) addPlugin(ctx context.Context, add func(string, []byte, error) error, builds []*build, at time.Time) error {
	i := slices.IndexFunc(builds, func(b *build) bool { return b.os == runtime.GOOS && b.arch == runtime.GOARCH })
	if i < 0 || runtime.GOOS == "windows" {
		fmt.Fprintln(os.Stderr, "no plugin for Claude Code: its hooks are written by the program for Linux or macOS, on that system")
		return nil
	}
	dir, err := os.MkdirTemp("", "toolvet-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, c.Name)
	if err := os.WriteFile(program, builds[i].program, 0o755); err != nil {
		return err
	}
	files, err := c.plugin(ctx, program)
	if err != nil {
		return err
	}
	data, err := c.pluginZip(files, at)
	return add(fmt.Sprintf("%s_%s_claude-code-plugin.zip", c.Name, c.version), data, err)
}

// renewPlugin writes the plugin into the repository.
func (c *config) renewPlugin(ctx context.Context, s *source) error {
	data, err := c.compile(ctx, s, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "toolvet-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, c.Name)
	if err := os.WriteFile(program, data, 0o755); err != nil {
		return err
	}
	files, err := c.plugin(ctx, program)
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(s.root, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.data, modeOf(f))); err != nil {
			return err
		}
	}
	return nil
}

// repeat builds the targets again, with an empty build cache, and compares them with SHA256SUMS of a directory.
func (c *config) repeat(ctx context.Context, s *source, dist string, out io.Writer) error {
	text, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "toolvet-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	if err := os.Setenv("GOCACHE", cache); err != nil {
		return err
	}
	compared := 0
	for _, t := range c.Targets {
		inside := c.base(t) + "/" + c.Name + t.exe()
		if !strings.Contains(string(text), "  "+inside+"\n") {
			continue
		}
		program, err := c.compile(ctx, s, t)
		if err != nil {
			return err
		}
		if line := digest(program) + "  " + inside + "\n"; !strings.Contains(string(text), line) {
			return fmt.Errorf("%s: this build has other bytes (sha256 %s)", inside, digest(program))
		}
		fmt.Fprintf(out, "%s: the same bytes\n", inside)
		compared++
	}
	if compared == 0 {
		return fmt.Errorf("%s/SHA256SUMS names no program of release.yaml", dist)
	}
	return nil
}
