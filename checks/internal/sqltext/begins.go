// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

// begins is the kind of the statement at a place of a value. Prose may stand there, so more than
// the first word must fit; else "".
func (f *fragment) begins(i int) Kind {
	next := f.low(i + 1)
	last := i+1 == len(f.tokens)
	is := false
	switch word := f.low(i); word {
	case "insert":
		is = next == "into" || next == "overwrite" || next == "ignore"
	case "delete":
		is = next == "from" || next == "top" || next == "low_priority" || next == "quick" || next == "ignore"
	case "update":
		is = f.sets(i + 1)
	case "merge":
		is = next == "into" || next == "top" || f.names(i+1) && f.low(i+2) == "using"
	case "create", "alter", "drop":
		is = isSchemaObject(next)
	case "truncate":
		is = next == "table"
	case "exec", "execute":
		is = f.names(i+1) || next == "("
	case "waitfor":
		is = next == "delay" || next == "time"
	case "shutdown", "reconfigure":
		is = last || next == "with"
	case "declare", "set":
		is = f.variable(i + 1)
	case "backup", "restore":
		is = next == "database" || next == "log"
	case "bulk":
		is = next == "insert"
	case "dbcc", "raiserror":
		is = f.names(i+1) || next == "("
	case "grant", "revoke", "deny":
		is = f.names(i+1) && next != "from"
	case "kill":
		is = !last && f.tokens[i+1].kind == numberToken
	case "begin":
		is = next != "" && next != ")" && next != ","
	}
	if !is {
		return ""
	}
	return kindOf()[f.low(i)]
}

// sets reports whether SET follows the names of a table: UPDATE t SET.
func (f *fragment) sets(i int) bool {
	const longest = 12
	for k := i; k < i+longest && k < len(f.tokens); k++ {
		switch word := f.low(k); {
		case word == "set":
			return k > i
		case !betweenUpdateAndSet[word] && f.tokens[k].kind != numberToken:
			return false
		}
	}
	return false
}

// betweenUpdateAndSet are the words and marks there; "" is a name.
var betweenUpdateAndSet = map[string]bool{
	"": true, ".": true, "as": true, "only": true, "(": true, ")": true, "top": true, "ignore": true, "low_priority": true, "or": true,
}
