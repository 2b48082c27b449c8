// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package command is the class of commands, or arguments of commands, made of a caller's text.
package command

import (
	_ "embed"

	"github.com/toolvet/toolvet/internal/audit/class"
)

//go:embed README.md
var doc string

// Class is about command, argument and SQL injection.
var Class = &class.Class{
	Name:     "command",
	Doc:      doc,
	Missing:  "no shell, no further arguments of a command, and no part of a database's statement, from the caller's text",
	Severity: class.Critical,
	Minus:    25,
	Kinds: []class.Kind{
		{Name: "shell", Doc: "A shell reads the caller's text and runs the commands in it"},
		{Name: "program", Doc: "The caller names the program to start"},
		{Name: "argument-split", Doc: "A program gets the caller's text cut at blanks, each piece as an argument"},
		{Name: "sql", Doc: "The caller's text becomes part of a statement of a database, outside of any literal; a remark if it was only read in the code, where nobody knows whether a guard is in front"},
		{Name: "sql-write", Doc: "A tool that runs statements promises only to read (by readOnlyHint, its words, or a refusal), and one that writes gets through: behind a comment or WITH, as a second statement, after the end of a read-only transaction, or the like"},
		{Name: "option-injection", Doc: "In the code, a value that may begin with - becomes an argument of a program with harmful options (writing files, starting programs), such as git", Seen: "argument-lead"},
		{Name: "blacklist", Doc: "In the code, a check refuses only some of a shell's characters"},
		{Name: "option", Doc: "A value that begins with - becomes an option of a program, where a plain value is an operand", Severity: class.Medium, Means: "a value can become an option of a program"},
		{Name: "argument-lead", Doc: "A remark: a value that begins with - becomes an argument of a program, and perhaps an option"},
		{Name: "command-by-design", Doc: "A remark: the tool's purpose is to run commands; its callers may do all that the server may",
			Design: "runs any command that its callers send", AtMost: "C",
			Fix: "a purpose has no fix in the code: give the server no more rights than each caller may have, put it behind walls (contain), and list the programs that callers need (command: {programs: [...]})"},
		{Name: "code-by-design", Doc: "A remark: the tool's purpose is to run code; its callers may do all that the server may",
			Design: "runs any code that its callers send", AtMost: "C",
			Fix: "a purpose has no fix in the code, and no demand on arguments bounds code of any language: give the server no more rights than each caller may have, and put it behind walls (contain)"},
		{Name: "sql-by-design", Doc: "A remark: the tool's purpose is to run the caller's statement of a database, or a part of one",
			Design: "runs any statement of a database that its callers send, or a part of one",
			Fix:    "a purpose has no fix in the code: log in to the database as a user with no more rights than each caller may have, and list the statements that callers need (sql: {statements: [select]})"},
		{Name: "optional-guard", Doc: "A remark: the server's owner can switch the guard off"},
		{Name: "unseen-guard", Doc: "A remark: the code calls a function named like a check of the text, and its body is unknown"},
		{Name: "through-library", Doc: "A remark: a shell reads part of a library's result from the caller's text"},
	},
	Fix: class.Fix{
		Any:        "start the program itself with a list of arguments, never a shell; put -- before the caller's values, and refuse values with a leading -; bind values to the statements of a database as parameters, and take names in them from a list; run statements that must only read with a login that cannot write",
		TypeScript: "execFile(program, [\"--\", value], {shell: false}) in place of exec or a command line split at blanks; a zod schema with a pattern for names",
		Python:     "subprocess.run([program, \"--\", value], shell=False) in the place of os.system or shell=True; a pydantic pattern for names",
		Go:         "exec.CommandContext(ctx, program, \"--\", value) in the place of sh -c; a pattern for names in the schema",
	},
}
