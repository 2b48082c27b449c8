// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sql

import "strings"

// loud says what a fragment does that nobody writes in a text, wherever it stands in
// it; "" if nothing.
func (f *fragment) loud() string {
	for i := range f.tokens {
		next := f.low(i + 1)
		switch f.low(i) {
		case "waitfor":
			if (next == "delay" || next == "time") && f.fixed(i+2) {
				return "waits (WAITFOR)"
			}
		case "procedure":
			if next == "analyse" && f.low(i+2) == "(" {
				return "runs a procedure"
			}
		case "into":
			if (next == "outfile" || next == "dumpfile") && (f.fixed(i+2) || f.low(i+2) == "(" || f.low(i+3) == "(") {
				return "writes a file (INTO OUTFILE)"
			}
		case "exec", "execute":
			if f.extended(i + 1) {
				return "runs a procedure (EXEC)"
			}
		case "exists":
			if f.low(i-1) == "if" && next == "(" && f.low(i+2) == "select" {
				return "adds a second statement"
			}
		case "select":
			if len(f.comments) > 0 && f.reads(i) {
				return "adds a query, and holds a comment"
			}
		}
	}
	return ""
}

// fixed reports whether there is a string, a number or a variable at a place.
func (f *fragment) fixed(i int) bool {
	if i >= len(f.tokens) {
		return false
	}
	t := f.tokens[i]
	return t.kind == stringToken || t.kind == numberToken || f.text[t.start] == '@'
}

// extended reports whether the name at a place is that of a procedure of SQL Server
// that comes with it: xp_cmdshell, master..sp_oacreate.
func (f *fragment) extended(i int) bool {
	for ; f.names(i); i++ {
		name := lower(strings.Trim(f.text[f.tokens[i].start:f.tokens[i].end], `"[]`))
		if strings.HasPrefix(name, "xp_") || strings.HasPrefix(name, "sp_") {
			return true
		}
		for i++; f.low(i) == "." || f.low(i) == ".."; i++ {
		}
		i--
	}
	return false
}

// reads reports whether SELECT at a place has a list that is no prose, and FROM.
func (f *fragment) reads(i int) bool {
	listed := false
	for far := min(len(f.tokens), i+maxNames); i+1 < far; {
		i++
		switch f.low(i) {
		case "from":
			return listed || f.names(i+1) && f.names(i-1) && f.low(i-2) == "select"
		case "(", ",", "*":
			listed = true
		}
		listed = listed || f.fixed(i)
	}
	return false
}
