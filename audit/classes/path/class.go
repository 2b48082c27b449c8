// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package path is the class of files outside a server's limits.
package path

import (
	_ "embed"

	"github.com/toolvet/toolvet/audit/class"
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
		{Name: "traversal", Doc: "In the code, nothing keeps the caller's path within a directory, or what does lets \"..\" or other roots through"},
		{Name: "absolute", Doc: "An absolute path leads out of the root: tried, or in the code a check for \"..\" alone"},
		{Name: "dot-dot", Doc: "A path with \"..\" leads out of the root: plain, below a directory, doubled, or with backslashes"},
		{Name: "sibling-prefix", Doc: "A directory beside the root whose name begins as the root's is taken for it: \"/data-old\" for \"/data\""},
		{Name: "symlink", Doc: "A link inside the root leads out of it; only read in the code, this is a remark"},
		{Name: "encoded", Doc: "A path with percent-encoded \"..\" is decoded after it was checked"},
		{Name: "file-uri", Doc: "A file:// URL is taken for a path behind the check"},
		{Name: "nul", Doc: "A NUL ends the path behind the check"},
		{Name: "home", Doc: "A path of the home directory, or one that begins with ~, is opened"},
		{Name: "not-normalised", Doc: "In the code, the path is compared with a root before its \"..\" are resolved"},
		{Name: "archive-entry", Doc: "In the code, a name within the caller's archive is joined to a directory, and nothing keeps the result there; or tarfile unpacks without a filter"},
		{Name: "pattern", Doc: "In the code, the path is compared with a pattern that does not keep it within a directory"},
		{Name: "deny-list", Doc: "A remark: the path is resolved and refused below some directories; everything else is open"},
		{Name: "optional-guard", Doc: "A remark: there is a guard, and the server's owner can switch it off"},
		{Name: "through-library", Doc: "A remark: the path is what a library made of the caller's text"},
		{Name: "unseen-guard", Doc: "A remark: in the code, something that by its name checks the path is called, and what it does is not seen"},
	},
	Fix: class.Fix{
		Any:        "resolve the path and its links to what it really is, compare it with the allowed directory and a separator behind it, and open what was compared",
		TypeScript: "const real = await fs.realpath(path.resolve(root, input)); refuse it unless path.relative(root, real) is neither absolute nor begins with \"..\"; of a new file, do so with its directory; open real, not input",
		Python:     "real = Path(root, value).resolve(); refuse it unless real.is_relative_to(Path(root).resolve()); open real, not value",
		Go:         "open root with os.OpenRoot once, and every file through it: root.Open(name) follows no link and no .. out of it",
	},
}
