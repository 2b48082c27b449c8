// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package path is the class of files outside a server's limits.
package path

import (
	_ "embed"

	"github.com/toolvet/toolvet/internal/audit/class"
)

//go:embed README.md
var doc string

// Class is about paths that leave the server's directory.
var Class = &class.Class{
	Name:     "path",
	Doc:      doc,
	Missing:  "path-traversal guard on tools that touch files",
	Severity: class.High,
	Minus:    15,
	Guard:    "allow-list for file paths",
	Plus:     5,
	Kinds: []class.Kind{
		{Name: "traversal", Doc: "In the code, nothing keeps the caller's path within a directory, or the check lets \"..\" or other roots through"},
		{Name: "absolute", Doc: "An absolute path leads out of the root: tried, or because the code checks for \"..\" alone"},
		{Name: "dot-dot", Doc: "A path with \"..\" leads out of the root: plain, below a directory, doubled, or with backslashes"},
		{Name: "sibling-prefix", Doc: "A directory beside the root passes for it, because its name begins as the root's: \"/data-old\" for \"/data\""},
		{Name: "symlink", Doc: "A link inside the root leads out of it; a remark if it was only read in the code"},
		{Name: "encoded", Doc: "A path with percent-encoded \"..\" is decoded after the check"},
		{Name: "file-uri", Doc: "A file:// URL becomes a path behind the check"},
		{Name: "nul", Doc: "A NUL ends the path behind the check"},
		{Name: "home", Doc: "A path of the home directory, or one with a leading ~, is opened"},
		{Name: "not-normalised", Doc: "In the code, the path is compared with a root before its \"..\" are resolved"},
		{Name: "archive-entry", Doc: "In the code, a name within the caller's archive is joined to a directory without a check of the result; or tarfile unpacks without a filter"},
		{Name: "pattern", Doc: "In the code, a pattern checks the path but does not keep it within a directory"},
		{Name: "deny-list", Doc: "A remark: the path is resolved and refused below some directories; everything else is open"},
		{Name: "optional-guard", Doc: "A remark: the server's owner can switch the guard off"},
		{Name: "through-library", Doc: "A remark: the path is a library's result from the caller's text"},
		{Name: "unseen-guard", Doc: "A remark: the code calls a function named like a check of the path, and its body is unknown"},
	},
	Fix: class.Fix{
		Any:        "resolve the path and its links, compare the result with the allowed directory and a separator behind it, and open that result",
		TypeScript: "const real = await fs.realpath(path.resolve(root, input)); refuse it unless path.relative(root, real) is neither absolute nor begins with \"..\"; of a new file, do so with its directory; open real, not input",
		Python:     "real = Path(root, value).resolve(); refuse it unless real.is_relative_to(Path(root).resolve()); open real, not value",
		Go:         "open root with os.OpenRoot once, and every file through it: root.Open(name) follows no link and no .. out of it",
	},
}
