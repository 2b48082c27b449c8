// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"
	"testing"

	"github.com/dop251/goja/file"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"types.ts":      "interface A { b: string }\nexport const f = (a: A): string => a.b as string;\n",
		"await.mjs":     "#!/usr/bin/env node\nimport x from './x.js';\nconst a = await x();\nfor await (const b of a) { console.log(await b) }\n",
		"modern.js":     "class A { #p = 1; static { A.x = 1 } has(o) { return #p in o } }\nlet a; a ??= 1; a ||= 2; a?.b?.[0]; const n = 1_000n; const r = /a(?<n>b)\\k<n>/dgu;\n",
		"generators.js": "async function* g() { yield 1; } async function f() { for await (const x of g()) x; const m = await import('./m.js') }\n",
		"view.jsx":      "export const v = <a b={1}>c</a>;\n",
		"a.json":        `{"a": [1, 2]}`,
		"meta.mjs":      "console.log(import.meta.url, import.meta.dirname)",
		"decorators.ts": "function d(a: any, b: any) {} class A { @d m() {} @d x = 1 }",
		"sets.js":       "const r = /[\\p{L}--[a-z]]/v; label: for (;;) { break label }",
	} {
		if _, err := Parse(name, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInjections holds what is read of constructors' types.
func TestInjections(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"class A { constructor(a: B) {} }":       "",
		"@d()\nclass A { constructor(a: B) {} }": "(A,()=>[B]);",
		"@d\nexport class A<T> extends C { constructor(private readonly a?: B, b: string, public c = 1) {} }": "(A,()=>[B,void 0,void 0]);",
		"@d\nclass A { constructor(@i(T, \"a,b\") private a: B<C, D>, /* x: Y, */ b: (e: E) => F) {} }":       "(A,()=>[B,void 0]);",
		"@d\nclass A { m() {} } class G { constructor(a: H | null) { this.x = 1 / 2 } }":                      "(G,()=>[H]);",
		"@d\nclass A { constructor(a: B = /":                            "",
		"@d\nclass A { constructor(" + strings.Repeat("/* */", 100_000): "",
	} {
		if want != "" {
			want = "\n;" + Injected + want
		}
		if got := injections(text); got != want {
			t.Errorf("%.80s: got %q, want %q", text, got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	text := "interface A {\n  b: string\n}\nexport function f(a: A) {\n  return needle(a.b);\n}\n"
	f, err := Parse("x.ts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	line, col := f.Place(file.Idx(strings.Index(f.Text, "needle") + 1))
	if line != 5 || col != 10 {
		t.Errorf("needle is said to stand at %d:%d, want 5:10", line, col)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 1e6), "unary": strings.Repeat("!", 4e6), "arrows": strings.Repeat("a=>", 1e6),
		"else": strings.Repeat("if(a);else ", 1e6), "arrays": strings.Repeat("[", 1e6), "ternaries": strings.Repeat("a?b:", 1e6),
		"templates": strings.Repeat("`${", 1e6), "new": strings.Repeat("new ", 1e6), "assignments": strings.Repeat("a=", 1e6),
		"syntax": "let let let", "large": strings.Repeat(" ", MaxSize+1), "powers": strings.Repeat("a**", 1e6), "types.ts": "let a:" + strings.Repeat("A<", 1e6),
		"blocks": strings.Repeat("{", 1e6), "labels": strings.Repeat("a:", 1e6), "dots": strings.Repeat("'(';", 10) + strings.Repeat("(", 1e6),
	} {
		if _, err := Parse(name, []byte(text)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("const a = await b", true)
	f.Add("import a from 'b'; export default a", false)
	f.Add("@Injectable()\nclass A { constructor(@Inject('b') private b: B, /* c */ c?: C<D, E>) {} }", true)
	f.Fuzz(func(t *testing.T, text string, ts bool) {
		name := "a.js"
		if ts {
			name = "a.ts"
		}
		file, err := Parse(name, []byte(text))
		if err == nil && file.Program == nil {
			t.Error("neither a program nor an error")
		}
	})
}
