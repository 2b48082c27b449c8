// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
)

// write makes a directory of files.
func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const server = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import fs from "fs";
const server = new McpServer({ name: "s", version: "1" });
server.tool("read", { path: z.string() }, async ({ path }) => fs.readFileSync(path, "utf8"));
`

// TestStaysInside holds that nothing outside of the directory is read, whichever way leads there.
func TestStaysInside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	top := t.TempDir()
	write(t, top, map[string]string{"outside/server.ts": server, "outside/package.json": `{"main": "server.ts"}`})
	for name, files := range map[string]map[string]string{
		"main":     {"package.json": `{"main": "../outside/server.ts", "bin": "/` + top + `/outside/server.ts"}`, "other.js": "1"},
		"import":   {"package.json": `{"main": "index.js"}`, "index.js": "import '../outside/server.ts'; import '" + top + "/outside/server.ts'; require('file://" + top + "/outside/server.ts')"},
		"tsconfig": {"package.json": `{"main": "index.js"}`, "tsconfig.json": `{"extends": "../outside/tsconfig.json", "compilerOptions": {"paths": {"@/*": ["../outside/*"]}, "baseUrl": ".."}}`, "index.js": "import '@/server.ts'; import 'outside/server.ts'"},
		"imports":  {"package.json": `{"main": "index.js", "imports": {"#a": "./../outside/server.ts"}}`, "index.js": "import '#a'"},
		"link":     {"package.json": `{"main": "index.js"}`, "index.js": "import './link/server.ts'; import './file.ts'"},
		"map":      {"package.json": `{"main": "index.js"}`, "index.js": "1\n//# sourceMappingURL=../outside/server.ts"},
	} {
		dir := write(t, filepath.Join(top, name), files)
		if name == "link" {
			if err := os.Symlink(filepath.Join(top, "outside"), filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../outside/server.ts", filepath.Join(dir, "file.ts")); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Analyze(t.Context(), dir, source.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(r.Tools) > 0 || len(r.Facts) > 0 {
			t.Errorf("%s: a server outside was read: %v", name, r.Files)
		}
	}
	r, err := Analyze(t.Context(), filepath.Join(top, "outside"), source.Options{})
	if err != nil || len(r.Tools) != 1 {
		t.Fatalf("the server is not read at all, so this test says nothing: %v %v", r, err)
	}
}

// TestEntries holds that a program is found where packages put it.
func TestEntries(t *testing.T) {
	t.Parallel()
	split := strings.NewReplacer(`server.tool("read", { path: z.string() }, async ({ path }) => fs.readFileSync(path, "utf8"));`, `import { read } from "@/read.js"; import { one } from "#two"; one(); server.tool("read", { path: z.string() }, read);`).Replace(server)
	for name, files := range map[string]map[string]string{
		"sources of an output that is not here": {"package.json": `{"bin": {"s": "./dist/index.js"}}`, "src/index.ts": server},
		"exports":                               {"package.json": `{"exports": {".": {"types": "./x.d.ts", "import": "./lib/s.mjs"}}}`, "lib/s.mjs": server},
		"no package.json":                       {"server.js": server},
		"a file that no entry reaches":          {"package.json": `{"main": "index.js"}`, "index.js": "console.log(1)", "tools/read.js": server},
		"aliases and cycles": {"package.json": `{"name": "me", "main": "dist/index.js", "imports": {"#two": "./src/two.ts"}}`, "tsconfig.json": "{ // paths\n \"compilerOptions\": {\"outDir\": \"dist\", \"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\",],},},\n}",
			"src/index.ts": split, "src/read.ts": "export * from './inner/index.js'; import './index.js'", "src/inner/index.ts": "import fs from 'fs'; export const read = async ({ path }: any) => fs.promises.readFile(path);", "src/two.ts": "import * as three from './three'; export const one = () => three.two;", "src/three.ts": "import { one } from './two'; export const two = one;"},
		"exported only":   {"package.json": `{"main": "index.ts"}`, "index.ts": strings.Replace(server, "server.tool(", "export function add(server: any) { server.tool(", 1) + "}"},
		"top-level await": {"package.json": `{"type": "module", "main": "index.js"}`, "index.js": strings.Replace(server, "server.tool(", "const a = await import('./a.js'); for await (const x of a.list) { console.log(await x) }\nserver.tool(", 1) + "await server.connect(1);", "a.js": "export const list = []"},
	} {
		r, err := Analyze(t.Context(), write(t, t.TempDir(), files), source.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(sourcetest.Said(r), ","); got != "read /path path traced traversal" {
			t.Errorf("%s: got %q, unread: %v", name, got, r.Unread)
		}
	}
}

// TestSourceMap holds that a fact about a written file names the line in its source.
func TestSourceMap(t *testing.T) {
	t.Parallel()
	js := string(minified(t, []byte(server)))
	dir := write(t, t.TempDir(), map[string]string{
		"package.json": `{"main": "dist/s.js"}`, "dist/s.js": js + "//# sourceMappingURL=s.js.map\n",
		"dist/s.js.map": `{"version": 3, "sources": ["../src/s.ts"], "mappings": "AASA"}`,
	})
	r, err := Analyze(t.Context(), dir, source.Options{})
	if err != nil || len(r.Facts) == 0 {
		t.Fatalf("%v %v", r, err)
	}
	if last := r.Facts[0].Flow[len(r.Facts[0].Flow)-1]; last.File != "src/s.ts" || last.Line != 10 {
		t.Errorf("the sink is said to be at %s:%d", last.File, last.Line)
	}
}

// TestHostile holds that programs made to cost end within the budget, with a reason.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"endless loop":   "for(;;){x++}",
		"recursion":      "const f = (a) => f([a, f(a)]); f(1)",
		"mutual":         "function a(x){return b(x)+b(x)} function b(x){return a(x)+a(x)} a(1)",
		"cyclic object":  "const o = {}; o.o = o; const s = JSON.stringify(o); for (const k in o) o[k + s] = o; Object.assign(o, {...o})",
		"exponential":    "let s = 'x'; " + strings.Repeat("s = s + s;", 60),
		"arrays":         "let a = [1]; " + strings.Repeat("a = a.concat(a);", 40),
		"alternatives":   "let a; " + strings.Repeat("if (process.env.X) a = a + Math.random(); else a = [a];", 300),
		"nested loops":   strings.Repeat("for (const a of [1,2,3,4,5,6,7,8,9]) ", 40) + "x(a)",
		"proxy chain":    "class A { get a() { return new A().a } } new A().a",
		"prototype":      "class A extends A {} new A(); const o = {}; Object.setPrototypeOf(o, o); o.__proto__ = o; o.x",
		"many functions": strings.Repeat("(() => {})();", 20000),
		"regexp":         "const r = /((a+)+)+$/.test('" + strings.Repeat("a", 100) + "!')",
		"big switch":     "switch (x) {" + strings.Repeat("case f(): a();", 5000) + "}",
		"own name":       "import './server.ts'; require('./server.ts')",
		"getters":        "Object.defineProperty(globalThis, 'x', { get() { return x } }); x",
		"eval":           "eval('1'); new Function('a', 'return a')(1); with ({}) { a }",
		"left deep":      "const s = " + strings.Repeat("'a'+", 30000) + "'b'",
		"call chain":     "const s = a" + strings.Repeat(".b()", 3000),
		"spread":         "f(...f(...f(...[])))",
		"labels":         "a: b: c: for (;;) { for (;;) { continue b; break a } }",
		"empty":          "",
		"injection":      "import { inject, injectable, container } from 'tsyringe';\n@injectable() class A { @inject(B) b; constructor(c: C, d: A) {} }\n@injectable() class B { constructor(a: A) {} }\n@injectable() class C { constructor(b: B) {} }\ncontainer.register('t', { useToken: 't' }); container.resolve('t'); container.register('f', { useFactory: (c) => c.resolve('f') }); container.resolve('f'); container.resolve(A)",
		"decorators":     strings.Repeat("@a(", 200) + strings.Repeat(")", 200) + "\nclass A { @b @b.c() @(d)() m() {} }",
		"bytes":          "\x00\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "server.ts")
			if err := os.WriteFile(file, []byte(text+"\n"+server), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Analyze(t.Context(), file, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Tools) == 0 && len(r.Unread) == 0 {
				t.Error("no tool was found, and no reason is given")
			}
			for _, u := range r.Unread {
				if strings.Contains(u.Why, "broke off") {
					t.Error("a part of the reader broke")
				}
			}
		})
	}
}

func FuzzAnalyze(f *testing.F) {
	archives, _ := filepath.Glob("../../classes/*/testdata/javascript.txtar")
	archives = append(archives, "testdata/forms.txtar", "testdata/trees.txtar")
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(file.Data)
		}
	}
	if len(archives) == 2 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "server.ts")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(t.Context(), file, source.Options{Steps: 5000})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range r.Unread {
			if strings.Contains(u.Why, "broke off") {
				t.Error("a part of the reader broke")
			}
		}
	})
}

// TestUnknown holds that code which cannot be read makes all classes of the server unknown.
func TestUnknown(t *testing.T) {
	t.Parallel()
	files := map[string]string{"index.js": server}
	for range 2 {
		r, err := Analyze(t.Context(), write(t, t.TempDir(), files), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, want := r.Unknown(), 0
		if files["broken.js"] != "" {
			want = 3
		}
		if len(got) != want || want > 0 && (got[0].Verdict != audit.Inconclusive || got[0].Why != "a part of the code was not read: broken.js") {
			t.Errorf("%d parts: %v, %v", want, got, r.Unread)
		}
		files["broken.js"], files["index.js"] = "const = ;", "import './broken.js';\n"+server
	}
}

// TestCutGuard holds that a guard in a handler that was not run to its end proves nothing.
func TestCutGuard(t *testing.T) {
	t.Parallel()
	const open = `=> fs.readFileSync(path, "utf8")`
	body := strings.Replace(server, open, `=> { const full = fs.realpathSync(path); if (!full.startsWith("/srv/data/")) throw new Error("no"); fs.readFileSync(full); let x = ""; `+strings.Repeat("x = x + path; ", 3000)+"}", 1)
	for steps, want := range map[int]audit.Verdict{1000: audit.Inconclusive, 1_000_000: audit.Guarded} {
		r, err := Analyze(t.Context(), write(t, t.TempDir(), map[string]string{"index.js": body}), source.Options{Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(r.Facts, func(f audit.Fact) bool { return f.Tool == "read" && f.Class == audit.Path }); i < 0 || r.Facts[i].Verdict != want {
			t.Errorf("%d steps: %+v, want %s", steps, r.Facts, want)
		}
	}
}
