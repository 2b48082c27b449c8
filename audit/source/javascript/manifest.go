// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"encoding/json"
	"path"
	"sort"
	"strings"
)

// A manifest is what of package.json says where the program is.
type manifest struct {
	Name    string          `json:"name"`
	Main    string          `json:"main"`
	Module  string          `json:"module"`
	Source  string          `json:"source"`
	Bin     json.RawMessage `json:"bin"`
	Exports json.RawMessage `json:"exports"`
	Imports json.RawMessage `json:"imports"`
}

func (t *tree) readManifest() {
	data, err := t.read("package.json")
	if err != nil {
		return
	}
	if json.Unmarshal(data, &t.manifest) != nil {
		t.manifest = manifest{}
		t.skip("package.json", "not JSON of the form that npm reads")
	}
}

// usual are files where programs begin that no package.json names.
var usual = []string{"src/index", "index", "src/server", "server", "src/main", "main", "src/cli", "src/app", "dist/index", "build/index", "lib/index"}

// entries are the files where the program begins, those of package.json before others.
func (t *tree) entries() []string {
	if t.single {
		return []string{t.name}
	}
	var named []string
	named = append(named, targets(t.manifest.Bin, true)...)
	named = append(named, t.manifest.Source, t.manifest.Main, t.manifest.Module)
	named = append(named, targets(t.manifest.Exports, false)...)
	var list []string
	seen := map[string]bool{}
	add := func(n string) {
		if n != "" && !seen[n] && path.Ext(n) != ".json" {
			seen[n] = true
			list = append(list, n)
		}
	}
	for _, n := range named {
		if n == "" || strings.Contains(n, "*") || strings.HasSuffix(n, ".d.ts") || strings.HasSuffix(n, ".css") {
			continue
		}
		if f := t.found(n); f != "" {
			add(f)
		} else if path.Ext(n) != ".json" {
			t.skip(n, "named by package.json, and not a file of the directory")
		}
	}
	if len(list) == 0 {
		for _, n := range usual {
			if f, ok := t.locate(n); ok {
				add(f)
				break
			}
		}
	}
	if len(list) == 0 {
		list = t.others(nil)
	}
	return list
}

// targets are the files that a value of package.json names: a text, or objects of such.
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

// imports is the file that a specifier with "#" names.
func (m manifest) imports(specifier string) string { return keyed(m.Imports, specifier) }

// export is the file that a subpath of the package itself names.
func (m manifest) export(subpath string) string {
	if s := keyed(m.Exports, subpath); s != "" {
		return s
	}
	if subpath == "." {
		return m.Main
	}
	return strings.TrimPrefix(subpath, "./")
}

// keyed looks a name up among keys that may have one asterisk.
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

// An alias is a pattern of specifiers, with at most one asterisk, and where it leads.
type alias struct{ pattern, target string }

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

func (a alias) apply(name string) (string, bool) {
	rest, ok := a.match(name)
	return strings.Replace(a.target, "*", rest, 1), ok
}

// readPaths reads the aliases of tsconfig.json, and where its output goes.
func (t *tree) readPaths() {
	data, err := t.read("tsconfig.json")
	if err != nil {
		return
	}
	var c struct {
		CompilerOptions struct {
			BaseURL string              `json:"baseUrl"`
			OutDir  string              `json:"outDir"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(withoutComments(data), &c) != nil {
		t.skip("tsconfig.json", "not JSON of the form that TypeScript reads")
		return
	}
	o := c.CompilerOptions
	if d := path.Clean(o.OutDir); o.OutDir != "" && !strings.Contains(d, "/") {
		t.outDirs = append(t.outDirs, d)
	}
	keys := make([]string, 0, len(o.Paths))
	for k := range o.Paths {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		return len(keys[i]) > len(keys[j]) || len(keys[i]) == len(keys[j]) && keys[i] < keys[j]
	})
	for _, k := range keys {
		for _, target := range o.Paths[k] {
			t.paths = append(t.paths, alias{k, path.Join(o.BaseURL, target)})
		}
	}
	if o.BaseURL != "" {
		t.paths = append(t.paths, alias{"*", path.Join(o.BaseURL, "*")})
	}
}

// withoutComments makes JSON of what tsconfig.json may be: with comments and commas at the end.
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
