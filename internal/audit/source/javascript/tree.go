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
	"sort"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A tree is the audited directory. All reading goes through an os.Root: neither "..", nor an
// absolute path, nor a symbolic link leads out of it. The directory is hostile input; names in
// its manifests, maps and imports are only ever opened through the root.
type tree struct {
	root *os.Root
	opts source.Options
	// a single file was given, and name is its name
	single bool
	name   string
	bytes  int64
	views  []*view
	// files that were read
	files  map[string]*parse.File
	unread map[string]string
	// of unread, what is code
	missing map[string]bool
	// guards texts, because two interpreters parse at the same time
	mu sync.Mutex
	// by name
	texts map[string]parsed
	maps  map[string]*parse.Map
	// the package of the directory first, and then those below it
	units []*unit
}

// openTree opens the audited directory, or that of a file.
func openTree(dir string, opts source.Options) (*tree, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("the audited file or directory cannot be read: %w", err)
	}
	t := &tree{opts: opts, files: map[string]*parse.File{}, texts: map[string]parsed{}, maps: map[string]*parse.Map{}, unread: map[string]string{}, missing: map[string]bool{}}
	if !info.IsDir() {
		t.single, t.name = true, filepath.Base(dir)
		dir = filepath.Dir(dir)
	}
	if t.root, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("the audited file or directory cannot be read: %w", err)
	}
	t.units = []*unit{{dir: "."}}
	if !t.single {
		t.units[0] = t.unitIn(".")
		t.readUnits()
	}
	return t, nil
}

func (t *tree) close() { t.root.Close() }

// maxUnread bounds the list of gaps.
const maxUnread = 10_000

// skip notes a gap: something that is not looked at. The first reason stays.
func (t *tree) skip(what, why string) {
	if _, ok := t.unread[what]; !ok && len(t.unread) < maxUnread {
		t.unread[what] = why
	}
}

// lose notes a gap in the code.
func (t *tree) lose(what, why string) {
	t.skip(what, why)
	t.missing[what] = true
}

// isFile reports whether a name is a regular file.
func (t *tree) isFile(name string) bool {
	if name == "" || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	info, err := t.root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

var errTooMuch = errors.New("not read: budget of bytes")

// read reads a file that is not part of the program, within the budget.
func (t *tree) read(name string) ([]byte, error) {
	data, err := t.readWithin(name, t.opts.Bytes-t.bytes)
	t.bytes += int64(len(data))
	return data, err
}

// readWithin reads a file if it is not larger than a file may be, and not larger than the
// rest of the budget. It looks at the opened file again, since another file may have taken
// the name.
func (t *tree) readWithin(name string, left int64) ([]byte, error) {
	if !t.isFile(name) {
		return nil, errors.New("not a file of the directory")
	}
	f, err := t.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, errors.New("cannot be opened")
	}
	defer f.Close()
	// A pipe or a device would block or never end.
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a file of the directory")
	}
	// A map is several times as large as the file that it belongs to.
	most := max(t.opts.FileBytes, maxMap)
	if isSource(name) {
		most = t.opts.FileBytes
	}
	// One byte more than allowed tells a file at the bound from a larger one.
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

// A parsed file is the result of parsing it, or the reason why it cannot be read.
type parsed struct {
	file  *parse.File
	why   string
	bytes int64
	// the comment with the place of the map
	mapAt string
}

// parsed reads a file once for all views. A failure for want of budget is not kept: another
// view may have more left.
func (t *tree) parsed(name string, left int64) parsed {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.texts[name]
	// Parsed for another view, but too large for the rest of this one's budget.
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

// mapComment is the comment at the end of a written file that names its map.
var mapComment = lazyregexp.New(`//[#@] ?sourceMappingURL=(\S+)\s*$`)

// maxMap bounds the size of a map.
const maxMap = 24 << 20

// mapOf is the map that a file names, if it lies within the directory. It is read on first use,
// since only files in the report need theirs.
func (t *tree) mapOf(name string) *parse.Map {
	m, ok := t.maps[name]
	if !ok {
		m = t.readMap(name, t.texts[name].mapAt)
		t.maps[name] = m
	}
	return m
}

// readMap reads a map from a file beside the code, or from the comment itself. A map that
// cannot be read counts as none: places in the written file still help.
func (t *tree) readMap(name, target string) *parse.Map {
	var text []byte
	// The map stands in the comment itself.
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

// extensions are tried in this order: sources come before the files written from them.
var extensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"}

// isSource reports whether a file contains code. Declarations (.d.ts) do not.
func isSource(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	for _, e := range extensions {
		if e == ext && e != ".json" {
			return !strings.HasSuffix(name, ".d.ts") && !strings.HasSuffix(name, ".d.mts") && !strings.HasSuffix(name, ".d.cts")
		}
	}
	return false
}

// locate finds a file by a path that may lack an extension or name a directory.
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
	// Programs without an extension: bin/server.
	if t.isFile(name) && path.Ext(name) == "" {
		return name, true
	}
	return "", false
}

// resolve finds the file for a specifier, and reports whether it belongs to the directory. A
// specifier of the directory without a file is a gap; anything else is a package.
func (t *tree) resolve(from, specifier string) (name string, ours bool) {
	specifier, _, _ = strings.Cut(specifier, "?")
	u := t.of(from)
	other, subpath := t.named(specifier)
	switch {
	case specifier == "." || specifier == ".." || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../"):
		return t.found(u, path.Join(path.Dir(from), specifier)), true
	// Absolute paths lead out of the directory.
	case strings.HasPrefix(specifier, "/"):
		return "", true
	case strings.HasPrefix(specifier, "#"):
		if target := u.manifest.imports(specifier); target != "" {
			return t.found(u, path.Join(u.dir, target)), true
		}
	// A package of the directory, by its name. If its file is not there, an alias may still
	// lead to it.
	case other != nil:
		if n := t.exported(other, subpath); n != "" || other == u {
			return n, true
		}
	}
	paths := u.paths
	// Packages of a repository often share the configuration of its root.
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

// exported is the file for a subpath of a package.
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

// found is the file for a name in the directory. Repositories contain sources, and manifests
// name files that a build will write; such a name is looked for among the sources:
//
//	dist/tools/read.js → src/tools/read.ts
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

// maxWalk bounds the files of a listing.
const maxWalk = 50_000

// others are all files with code, in order, behind the entries that led to no server. Tests and
// configurations are left out: they register tools that the server does not have.
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
