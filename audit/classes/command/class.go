// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package command is the class of commands, or arguments of commands, made of a caller's text.
package command

import (
	_ "embed"

	"github.com/toolvet/toolvet/audit/class"
)

//go:embed README.md
var doc string

// Class is about command and argument injection.
var Class = &class.Class{
	Name:     "command",
	Doc:      doc,
	Missing:  "no shell, and no further arguments of a command, from the caller's text",
	Severity: class.Critical,
	Minus:    25,
	Kinds: []class.Kind{
		{Name: "shell", Doc: "The caller's text is read by a shell, which runs what it holds"},
		{Name: "program", Doc: "In the code, the caller names the program that is started"},
		{Name: "argument-split", Doc: "The caller's text is cut at blanks, and each piece becomes an argument of a program"},
		{Name: "option-injection", Doc: "In the code, a value that may begin with - becomes an argument of a program of which an option writes files or starts programs, such as git", Seen: "argument-lead"},
		{Name: "blacklist", Doc: "In the code, some of a shell's characters are refused, and not all"},
		{Name: "argument-lead", Doc: "A remark: a value that begins with - becomes an option of a program"},
		{Name: "command-by-design", Doc: "A remark: the tool is there to run commands; whoever may call it may do all that the server may"},
		{Name: "sql", Doc: "A remark: the caller's text becomes part of a statement of a database; the published rubric has no row for it"},
		{Name: "optional-guard", Doc: "A remark: there is a guard, and the server's owner can switch it off"},
		{Name: "unseen-guard", Doc: "A remark: in the code, something that by its name checks the text is called, and what it does is not seen"},
		{Name: "through-library", Doc: "A remark: a part of what a library made of the caller's text is read by a shell"},
	},
	Fix: class.Fix{
		Any:        "start the program itself with a list of arguments, never a shell; put -- before what comes from the caller, and refuse values that begin with -",
		TypeScript: "execFile(program, [\"--\", value], {shell: false}) in the place of exec or a command line that is split at blanks; a zod schema with a pattern for names",
		Python:     "subprocess.run([program, \"--\", value], shell=False) in the place of os.system or shell=True; a pydantic pattern for names",
		Go:         "exec.CommandContext(ctx, program, \"--\", value) in the place of sh -c; a pattern for names in the schema",
	},
}
