// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse_test

import (
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source/internal/pyparse"
)

// FuzzParse holds that any bytes are read: no panic, and errors say where.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "x = 1", "def f(a, *b, c=1, **d) -> int:\n  return a\n", "class A(B, metaclass=C):\n  x: int = 1\n",
		"match x:\n  case [1, *rest] | {'a': b}:\n    pass\n  case A(b=1) as c if c: pass\n",
		"f'{x!r:>{w}} {y=} {{}}' \"\"\"a\nb\"\"\" rb'\\x00'", "with (a as b, c): pass", "@d\nasync def f(): await x; yield y\n",
		"try:\n x\nexcept* E as e:\n y\nelse: z\nfinally: w", "a[1:2, ::3, *b]", "lambda *a, k=1, **b: (yield)", "if (n := f()) > 1 < 2: pass", "f'{f'{1}'}'", "((((((((", "f'{'", "\t if x:\n y",
		"print 'x'\nx = 2\n", "def f[T: int](x: T): ...", "type X[T] = list[T]", "x = [i for i in y if i for j in i]", "a = b = *c, d", "\\\n", "'\\", "0x1e+5 .5j 1_0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<16 {
			t.Skip()
		}
		_, errs := pyparse.Parse("x.py", src)
		if len(errs) > 200 {
			t.Errorf("%d errors", len(errs))
		}
	})
}
