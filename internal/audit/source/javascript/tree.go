// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// A tree is the directory that is audited. All reading goes through an os.Root: neither "..", nor an
// absolute path, nor a symbolic link leads out of it.
type tree struct {
	root   *os.Root
	opts   source.Options
	single bool   // one file was given
	name   string // and it is called so
	bytes  int64
	views  []*view
	files  map[string]*parse.File // that were read
	unread map[string]string
	mu     sync.Mutex        // of texts
	texts  map[string]parsed // by name
	maps   map[string]*parse.Map
	units  []*unit // the packages: that of the directory, and those below it
}

// openTree opens what is audited.
func openTree(dir string, opts source.Options) (*tree, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("what is to be audited cannot be read: %w", err)
	}
	t := &tree{opts: opts, files: map[string]*parse.File{}, texts: map[string]parsed{}, maps: map[string]*parse.Map{}, unread: map[string]string{}}
	if !info.IsDir() {
		t.single, t.name = true, filepath.Base(dir)
		dir = filepath.Dir(dir)
	}
	if t.root, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("what is to be audited cannot be read: %w", err)
	}
	t.units = []*unit{{dir: "."}}
	if !t.single {
		t.units[0] = t.unitIn(".")
		t.readUnits()
	}
	return t, nil
}

func (t *tree) close() { t.root.Close() }

// maxUnread bounds what is told of that is not looked at.
const maxUnread = 10_000

// skip notes that something is not looked at. The first reason stays.
func (t *tree) skip(what, why string) {
	if _, ok := t.unread[what]; !ok && len(t.unread) < maxUnread {
		t.unread[what] = why
	}
}

// isFile says whether a regular file lies there.
func (t *tree) isFile(name string) bool {
	if name == "" || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	info, err := t.root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

var errTooMuch = errors.New("not read: budget of bytes")

// read reads a file of the directory that is none of the program, within the budget.
func (t *tree) read(name string) ([]byte, error) {
	data, err := t.readWithin(name, t.opts.Bytes-t.bytes)
	t.bytes += int64(len(data))
	return data, err
}

// readWithin reads a file of the directory, if it is within the bounds of one, and no larger than what is left of the budget.
func (t *tree) readWithin(name string, left int64) ([]byte, error) {
	if !t.isFile(name) {
		return nil, errors.New("not a file of the directory")
	}
	f, err := t.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, errors.New("cannot be opened")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a file of the directory")
	}
	most := max(t.opts.FileBytes, maxMap)
	if isSource(name) {
		most = t.opts.FileBytes
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(data)) > most {
		return nil, fmt.Errorf("not read: larger than %d bytes", most)
	}
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if int64(len(data)) > left {
		return nil, errTooMuch
	}
	return data, nil
}

// A parsed file is what parsing it came to.
type parsed struct {
	file  *parse.File
	why   string // it cannot be read
	bytes int64
	mapAt string // where its map is
}

// parsed reads a file once, for whoever asks first.
func (t *tree) parsed(name string, left int64) parsed {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.texts[name]
	if ok && p.bytes > left {
		return parsed{why: errTooMuch.Error()}
	}
	if ok {
		return p
	}
	data, err := t.readWithin(name, left)
	if errors.Is(err, errTooMuch) {
		return parsed{why: err.Error()} // another one may have more left
	}
	if err == nil {
		p.bytes = int64(len(data))
		p.file, err = parse.Parse(name, data)
	}
	if err != nil {
		p.why = err.Error()
	} else if m := mapComment.FindSubmatch(data); m != nil {
		p.mapAt = string(m[1])
	}
	t.texts[name] = p
	return p
}

var mapComment = regexp.MustCompile(`//[#@] ?sourceMappingURL=(\S+)\s*$`)

// maxMap bounds the size of a map that is read.
const maxMap = 24 << 20

// mapOf is the map that a file names, if it is within the directory. It is read when it is first asked for.
func (t *tree) mapOf(name string) *parse.Map {
	m, ok := t.maps[name]
	if !ok {
		m = t.readMap(name, t.texts[name].mapAt)
		t.maps[name] = m
	}
	return m
}

func (t *tree) readMap(name, target string) *parse.Map {
	var text []byte
	if head, rest, ok := strings.Cut(target, ";base64,"); ok && strings.HasPrefix(head, "data:application/json") {
		text, _ = base64.StdEncoding.DecodeString(rest)
	} else if target != "" && !strings.Contains(target, ":") {
		text, _ = t.read(path.Join(path.Dir(name), target))
	}
	if len(text) == 0 || len(text) > maxMap {
		return nil
	}
	m, err := parse.DecodeMap(text)
	if err != nil {
		return nil
	}
	return m
}

var extensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"}

func isSource(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	for _, e := range extensions {
		if e == ext && e != ".json" {
			return !strings.HasSuffix(name, ".d.ts") && !strings.HasSuffix(name, ".d.mts") && !strings.HasSuffix(name, ".d.cts")
		}
	}
	return false
}

// locate finds the file that a path without a certain ending names.
func (t *tree) locate(name string) (string, bool) {
	name = path.Clean(name)
	if t.isFile(name) && (isSource(name) || path.Ext(name) == ".json") {
		return name, true
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".mjs"), ".cjs"), ".js")
	stems := []string{name}
	if stem != name { // TypeScript imports "./a.js" and means a.ts
		stems = append(stems, stem)
	}
	for _, s := range append(stems, path.Join(name, "index")) {
		for _, e := range extensions {
			if t.isFile(s + e) {
				return s + e, true
			}
		}
	}
	if t.isFile(name) && path.Ext(name) == "" {
		return name, true
	}
	return "", false
}

// resolve finds the file that a module asks for, and says whether it is one of the directory.
func (t *tree) resolve(from, specifier string) (name string, ours bool) {
	specifier, _, _ = strings.Cut(specifier, "?")
	u := t.of(from)
	other, subpath := t.named(specifier)
	switch {
	case specifier == "." || specifier == ".." || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../"):
		return t.found(u, path.Join(path.Dir(from), specifier)), true
	case strings.HasPrefix(specifier, "/"):
		return "", true
	case strings.HasPrefix(specifier, "#"):
		if target := u.manifest.imports(specifier); target != "" {
			return t.found(u, path.Join(u.dir, target)), true
		}
	case other != nil:
		if n := t.exported(other, subpath); n != "" || other == u {
			return n, true
		}
	}
	paths := u.paths
	if len(paths) == 0 {
		paths = t.units[0].paths
	}
	for _, a := range paths {
		if target, ok := a.apply(specifier); ok {
			if n := t.found(u, target); n != "" {
				return n, true
			}
		}
	}
	return "", false
}

// exported is the file that a package gives for a part of its name.
func (t *tree) exported(u *unit, subpath string) string {
	if target := u.manifest.export(subpath); target != "" {
		if n := t.found(u, path.Join(u.dir, target)); n != "" {
			return n
		}
	}
	if subpath != "." {
		return ""
	}
	for _, n := range usual {
		if f, ok := t.locate(path.Join(u.dir, n)); ok {
			return f
		}
	}
	return ""
}

// found is the file of a name of the directory. Where there are only sources of a package, what will
// be written from them is looked for there.
func (t *tree) found(u *unit, name string) string {
	if n, ok := t.locate(name); ok {
		return n
	}
	inside := path.Clean(name)
	if u.dir != "." {
		var ok bool
		if inside, ok = strings.CutPrefix(inside, u.dir+"/"); !ok {
			return ""
		}
	}
	dir, rest, ok := strings.Cut(inside, "/")
	if !ok {
		return ""
	}
	for _, out := range append([]string{"dist", "build", "lib", "out", "bin", "esm", "cjs"}, u.outDirs...) {
		if dir != out {
			continue
		}
		for _, src := range []string{"src", "source", "lib", "."} {
			if n, ok := t.locate(path.Join(u.dir, src, rest)); ok && n != name {
				return n
			}
		}
	}
	return ""
}

// maxWalk bounds the files that are listed.
const maxWalk = 50_000

// others are all files that may hold a server, in order, when the entries lead to none.
func (t *tree) others(not []string) []string {
	skip := map[string]bool{}
	for _, n := range not {
		skip[n] = true
	}
	var list []string
	n := 0
	_ = fs.WalkDir(t.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if n++; n > maxWalk {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		base := path.Base(name)
		if d.IsDir() {
			if name != "." && skipped(base) {
				return fs.SkipDir
			}
			return nil
		}
		if isSource(name) && d.Type().IsRegular() && !strings.Contains(base, ".test.") && !strings.Contains(base, ".spec.") && !strings.Contains(base, ".config.") && !skip[name] {
			list = append(list, name)
		}
		return nil
	})
	sort.Strings(list)
	return append(append([]string(nil), not...), list...)
}
