// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package class_test

import (
	"fmt"

	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/audit/classes/path"
)

func ExampleClass() {
	fmt.Println(path.Class.Name, path.Class.Minus, path.Class.Severity)
	fmt.Println(path.Class.Kind("sibling-prefix").Doc)
	fmt.Println(path.Class.Fix.In(class.Go))
	// Output:
	// path 15 high
	// A directory beside the root passes for it, because its name begins as the root's: "/data-old" for "/data"
	// open root with os.OpenRoot once, and every file through it: root.Open(name) follows no link and no .. out of it
}
