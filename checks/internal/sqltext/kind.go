// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sqltext reads SQL by its text alone, for packages sql and sqlstate.
//
// A text is cut into tokens as the database would do it, and where the database is not known, as any would. Then its
// statements are counted, and the kinds of all their parts are named.
package sqltext

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
)

// A Kind is the kind of a statement, as a policy names it.
type Kind string

// The kinds of statements.
const (
	Select      Kind = "select"      // reads: SELECT, VALUES, TABLE, WITH … SELECT
	Show        Kind = "show"        // SHOW, DESCRIBE, and PRAGMA where it only reads
	Insert      Kind = "insert"      // INSERT, REPLACE
	Update      Kind = "update"      //
	Delete      Kind = "delete"      //
	Merge       Kind = "merge"       //
	Create      Kind = "create"      // CREATE, COMMENT, SELECT … INTO a table
	Alter       Kind = "alter"       // ALTER, RENAME
	Drop        Kind = "drop"        //
	Truncate    Kind = "truncate"    //
	Grant       Kind = "grant"       // GRANT, REVOKE
	Lock        Kind = "lock"        // LOCK, SELECT … FOR UPDATE
	Transaction Kind = "transaction" // BEGIN, COMMIT, ROLLBACK …
	Session     Kind = "session"     // SET, RESET, USE, SELECT … INTO a variable
	Call        Kind = "call"        // CALL, EXECUTE, DO, PREPARE, DECLARE …
	Copy        Kind = "copy"        // COPY, LOAD, BACKUP, SELECT … INTO OUTFILE
	Maintenance Kind = "maintenance" // VACUUM, ANALYZE, KILL, NOTIFY …
	Attach      Kind = "attach"      // ATTACH, DETACH
	Pragma      Kind = "pragma"      // PRAGMA where it may change something
	Other       Kind = "other"       // any other statement
)

// firstWords are the words that statements begin with.
var firstWords = map[Kind]string{
	Select:      "select values table from with sel",
	Show:        "show help summarize",
	Insert:      "insert replace upsert ins",
	Update:      "update upd writetext updatetext",
	Delete:      "delete del",
	Merge:       "merge",
	Create:      "create comment",
	Alter:       "alter rename",
	Drop:        "drop undrop",
	Truncate:    "truncate",
	Grant:       "grant revoke deny reassign",
	Lock:        "lock unlock locking",
	Transaction: "begin start commit rollback abort end savepoint release",
	Session:     "set reset use database discard open print",
	Call:        "call exec execute do declare prepare deallocate fetch move close handler if while return raiserror throw goto perform waitfor",
	Copy:        "copy load unload import export backup restore bulk dump put get reconfigure",
	Maintenance: "vacuum analyze analyse reindex cluster checkpoint optimize repair check checksum refresh flush purge kill shutdown install uninstall system cache uncache msck dbcc listen notify unlisten security",
	Attach:      "attach detach",
	Pragma:      "pragma",
}

// kindOf is the kind of a statement by its first word.
var kindOf = lazy.Value(func() map[string]Kind {
	kinds := make(map[string]Kind)
	for kind, words := range firstWords {
		for word := range strings.FieldsSeq(words) {
			kinds[word] = kind
		}
	}
	return kinds
})

// Kinds are all kinds, for messages.
var Kinds = []Kind{Select, Show, Insert, Update, Delete, Merge, Create, Alter, Drop, Truncate, Grant,
	Lock, Transaction, Session, Call, Copy, Maintenance, Attach, Pragma, Other}

func validKind(name string) bool { return slices.Contains(Kinds, Kind(strings.ToLower(name))) }

// otherWords are words that matter elsewhere. A word that is not listed is a name.
const otherWords = `
	all and any array as asc between binary boolean by case collate column cross cursor date default delay
	desc describe distinct div dumpfile else escape except exists explain extended extension false first for
	format full function go group having ignore ilike in index inner intersect interval into is isnull join
	json key lateral left like limit log login low_priority materialized minus mod natural next nextval no
	not notnull null of offset on only or order outer outfile over overlaps overwrite partitions plan
	procedure query quick recursive regexp right rlike role row schema sequence settings share similar some
	sounds tablock tablockx temp temporary text then time timestamp to top traditional tran transaction tree
	trigger true type uescape union unknown updlock user using value verbose view when where window xlock xml
	xor yaml
`

// words holds each word that toolvet knows under its lower-case spelling.
var words = lazy.Value(func() map[string]string {
	all := make(map[string]string)
	for word := range kindOf() {
		all[word] = word
	}
	for word := range strings.FieldsSeq(otherWords) {
		all[word] = word
	}
	return all
})

// known returns a word in lower case if toolvet knows it, else "".
func known(word string) string {
	const longest = 24
	if len(word) > longest {
		return ""
	}
	var low [longest]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	return words()[string(low[:len(word)])]
}
