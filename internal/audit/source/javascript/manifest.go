// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"encoding/json"
	"path"
	"sort"
	"strings"
)

// A manifest has the fields of package.json that say where the program is.
type manifest struct {
	Name    string          `json:"name"`
	Main    string          `json:"main"`
	Module  string          `json:"module"`
	Source  string          `json:"source"`
	Bin     json.RawMessage `json:"bin"`
	Exports json.RawMessage `json:"exports"`
	Imports json.RawMessage `json:"imports"`

	Dependencies map[string]any `json:"dependencies"`
}

// usual are files where programs begin without being named in a package.json.
var usual = []string{"src/index", "index", "src/server", "server", "src/main", "main", "src/cli", "src/app", "dist/index", "build/index", "lib/index"}

// entries are the files where the program begins: those of package.json first, and all files if
// there are none. In a repository of several packages, those with a library for servers count.
func (t *tree) entries() []string {
	if t.single {
		return []string{t.name}
	}
	var list []string
	seen := map[string]bool{}
	for _, u := range t.units {
		if u.dir != "." && !u.manifest.serves() {
			continue
		}
		for _, n := range t.begins(u) {
			if !seen[n] {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	if len(list) == 0 {
		list = t.others(nil)
	}
	return list
}

// begins are the files where the program of a package begins. package.json may name files
// that a build will write; found looks for their sources then.
func (t *tree) begins(u *unit) []string {
	m := u.manifest
	named := append(targets(m.Bin, true), m.Source, m.Main, m.Module)
	named = append(named, targets(m.Exports, false)...)
	var list []string
	for _, n := range named {
		// Styles, declarations and data are no code, and an asterisk names no file.
		if n == "" || strings.Contains(n, "*") || strings.HasSuffix(n, ".d.ts") || strings.HasSuffix(n, ".css") || path.Ext(n) == ".json" {
			continue
		}
		n = path.Join(u.dir, n)
		if f := t.found(u, n); f == "" {
			t.skip(n, "named by package.json, and not a file of the directory")
		} else if path.Ext(f) != ".json" {
			list = append(list, f)
		}
	}
	// package.json names nothing that exists.
	for i := 0; len(list) == 0 && i < len(usual); i++ {
		if f, ok := t.locate(path.Join(u.dir, usual[i])); ok {
			list = append(list, f)
		}
	}
	return list
}

// targets are the files in a value of package.json: a text, or objects of such.
//
//	"bin": { "server": "dist/cli.js" }
//	"exports": { ".": { "import": "./dist/index.mjs", "require": "./dist/index.cjs" } }
//
// Types and browsers do not matter, and of import and require one is enough. The values come
// from the audited package, hence the bounds on depth and number.
func targets(raw json.RawMessage, all bool) []string {
	var list []string
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				walk(e, depth+1)
			}
		case map[string]any:
			if depth > 8 || len(list) > 200 {
				return
			}
			// Sorted, so that the first target is the same each time.
			keys := make([]string, 0, len(v))
			for k := range v {
				if k != "types" && k != "browser" && !(k == "require" && v["import"] != nil) {
					keys = append(keys, k)
				}
			}
			sort.Strings(keys)
			for _, k := range keys {
				walk(v[k], depth+1)
			}
		}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk(v, 0)
	}
	return list
}

// imports is the file for a specifier with "#".
func (m manifest) imports(specifier string) string { return keyed(m.Imports, specifier) }

// export is the file for a subpath of the package: "." or "./tools".
func (m manifest) export(subpath string) string {
	if s := keyed(m.Exports, subpath); s != "" {
		return s
	}
	if subpath == "." {
		return m.Main
	}
	return strings.TrimPrefix(subpath, "./")
}

// keyed looks a name up among keys that may have one asterisk: "#tools/*". The longest key
// wins, as in Node.js.
func keyed(raw json.RawMessage, name string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(keys[i]) > len(keys[j]) })
	for _, k := range keys {
		if rest, ok := (alias{k, ""}).match(name); ok {
			if list := targets(m[k], false); len(list) > 0 {
				return strings.Replace(list[0], "*", rest, 1)
			}
		}
	}
	return ""
}

// An alias is a pattern of specifiers with at most one asterisk, and its target.
type alias struct{ pattern, target string }

// match reports whether a name fits the pattern; rest is the text in place of the asterisk.
func (a alias) match(name string) (rest string, ok bool) {
	head, tail, star := strings.Cut(a.pattern, "*")
	if !star {
		return "", name == a.pattern
	}
	if len(name) < len(head)+len(tail) || !strings.HasPrefix(name, head) || !strings.HasSuffix(name, tail) {
		return "", false
	}
	return name[len(head) : len(name)-len(tail)], true
}

// apply is the target for a name.
func (a alias) apply(name string) (string, bool) {
	rest, ok := a.match(name)
	return strings.Replace(a.target, "*", rest, 1), ok
}

// readPaths reads the aliases of tsconfig.json, and the directory of its output. Files that it
// extends are read if it has no aliases itself, as TypeScript does not merge them.
func (t *tree) readPaths(u *unit, name string, depth int) {
	data, err := t.read(name)
	if err != nil || depth > 4 {
		return
	}
	var c struct {
		Extends         json.RawMessage `json:"extends"`
		CompilerOptions struct {
			BaseURL string              `json:"baseUrl"`
			OutDir  string              `json:"outDir"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(withoutComments(data), &c) != nil {
		t.skip(name, "not JSON of the form that TypeScript reads")
		return
	}
	o := c.CompilerOptions
	// Only a directory directly in the package can be told from a source directory in found.
	if d := path.Clean(o.OutDir); o.OutDir != "" && !strings.Contains(d, "/") {
		u.outDirs = append(u.outDirs, d)
	}
	keys := make([]string, 0, len(o.Paths))
	for k := range o.Paths {
		keys = append(keys, k)
	}
	// The longest pattern wins; the order must not depend on a map.
	sort.Slice(keys, func(i, j int) bool {
		return len(keys[i]) > len(keys[j]) || len(keys[i]) == len(keys[j]) && keys[i] < keys[j]
	})
	base := path.Join(path.Dir(name), o.BaseURL)
	for _, k := range keys {
		for _, target := range o.Paths[k] {
			u.paths = append(u.paths, alias{k, path.Join(base, target)})
		}
	}
	// With baseUrl, "tools/a" may be a file of the program.
	if o.BaseURL != "" {
		u.paths = append(u.paths, alias{"*", path.Join(base, "*")})
	}
	if len(o.Paths) > 0 {
		return
	}
	// Configurations from packages are not read.
	for _, e := range targets(c.Extends, true) {
		if strings.HasPrefix(e, ".") {
			if path.Ext(e) != ".json" {
				e += ".json"
			}
			t.readPaths(u, path.Join(path.Dir(name), e), depth+1)
		}
	}
}

// withoutComments turns the JSON of tsconfig.json into plain JSON: TypeScript allows comments,
// and commas at the end of lists. Texts are copied as they are. Malformed input comes out
// malformed, and the decoder refuses it.
func withoutComments(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == '"':
			j := i + 1
			for j < len(data) && data[j] != '"' {
				if data[j] == '\\' {
					j++
				}
				j++
			}
			out = append(out, data[i:min(j+1, len(data))]...)
			i = j
		case data[i] == '/' && i+1 < len(data) && data[i+1] == '/':
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case data[i] == '/' && i+1 < len(data) && data[i+1] == '*':
			for i += 2; i+1 < len(data) && (data[i] != '*' || data[i+1] != '/'); i++ {
			}
			i++
		case data[i] == ']' || data[i] == '}':
			// A comma in front of a closing bracket becomes a blank.
			for k := len(out) - 1; k >= 0; k-- {
				if out[k] == ',' {
					out[k] = ' '
				}
				if out[k] != ' ' && out[k] != '\n' && out[k] != '\t' && out[k] != '\r' {
					break
				}
			}
			out = append(out, data[i])
		default:
			out = append(out, data[i])
		}
	}
	return out
}
