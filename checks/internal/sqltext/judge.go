// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A judgement is a text that is being judged.
type judgement struct {
	o       *Options
	text    string
	dialect string
	faults  []check.Finding
}

// Judge returns everything that is wrong with a value.
func (o *Options) Judge(text string) []check.Finding {
	j := &judgement{o: o, text: text, dialect: o.DialectName()}
	if limit := o.maxLength(); len(text) > limit {
		j.fault(check.SyntaxLevel, fmt.Sprintf("is %d bytes long, and %d are allowed", len(text), limit), "send a shorter text")
		return j.faults
	}
	if o.Parameter != "" {
		j.literal()
	} else {
		j.statements()
	}
	return j.faults
}

// fault adds what is wrong.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (j *judgement) fault(level check.Level, message, mend string) {
	j.add(check.Finding{Level: level, Message: message, Suggestion: mend})
}

func (j *judgement) warn(message, mend string) {
	j.add(check.Finding{Severity: check.Warning, Message: message, Suggestion: mend})
}

// add adds a fault, once. An error is never left out for want of room.
func (j *judgement) add(f check.Finding) {
	known := slices.ContainsFunc(j.faults, func(g check.Finding) bool { return g.Message == f.Message && g.Severity == f.Severity })
	if !j.full() && !known && (f.Severity == check.Error || len(j.faults) < maxFaults) {
		j.faults = append(j.faults, f)
	}
}

// full reports whether enough is told: the text is refused, with as many faults as anyone
// would read.
func (j *judgement) full() bool {
	return len(j.faults) >= maxFaults && slices.ContainsFunc(j.faults, func(f check.Finding) bool { return f.Severity == check.Error })
}

// tokenPool holds the tokens of texts that have been judged.
var tokenPool = sync.Pool{New: func() any { return new([]token) }}

// statements judges a text that is sent to a database as it is.
func (j *judgement) statements() {
	if i := strings.IndexByte(j.text, 0); i >= 0 {
		j.fault(check.SecurityLevel, "has a NUL character at "+Place(j.text, i)+", at which some databases stop reading", "remove it")
		return
	}
	buffer := tokenPool.Get().(*[]token)
	defer tokenPool.Put(buffer)
	readings := readingsOf(j.dialect, j.text)
	hopeless, cuts, cut := 0, 0, 0
	for _, r := range readings {
		l := lex(j.text, r, *buffer)
		*buffer = l.tokens[:0]
		if l.hopeless() && hopeless+1 < len(readings) {
			hopeless++ // it cannot run there; what the other databases make of it counts
			continue
		}
		j.lexFaults(l)
		if l.cut >= 0 {
			cuts, cut = cuts+1, l.cut
		}
		list := split(j.text, l.tokens, loose[j.dialect])
		if len(readings) > 1 && len(list) > 0 {
			if list = j.runnable(list); len(list) == 0 {
				continue
			}
		}
		j.read(list, len(readings) > 1)
	}
	if cuts+hopeless == len(readings) {
		j.fault(check.SyntaxLevel, "has a quote or a comment that is not closed, which begins at "+Place(j.text, cut), "close it")
	}
}

// runnable leaves out what the database of one reading cannot parse, given that other readings count, too: a statement
// whose quote stays open, and with MySQL, a further one whose first word begins no statement. In 'it\'s; ok' the mode
// NO_BACKSLASH_ESCAPES sees a string, words and an open quote. A further statement such as DROP stays.
func (j *judgement) runnable(list []statement) []statement {
	n := len(list) - 1
	if last := list[n]; last.tokens[len(last.tokens)-1].open && (n == 0 || kindOf()[last.word(0)] == "") {
		list = list[:n]
	}
	if j.dialect != "mysql" {
		return list
	}
	return slices.DeleteFunc(list, func(s statement) bool {
		return s.tokens[0].start != list[0].tokens[0].start && s.tokens[0].kind == wordToken && !mysqlWords.Has(s.word(0))
	})
}

// mysqlWords begin the statements of MySQL and MariaDB, and the commands of their clients.
var mysqlWords = wordset.New(`alter analyze backup begin binlog cache call change check checksum clone close commit create deallocate declare
	delete desc describe diagnostics do drop end execute explain fetch flush from get grant handler help if import insert install iterate kill leave
	load lock loop open optimize parse prepare purge release rename repair repeat replace reset resignal restart return revoke
	rollback savepoint select set show shutdown signal source start stop system table truncate uninstall unlock update
	use values while with xa clear connect delimiter edit ego exit go nopager notee nowarning pager print prompt quit rehash
	query_attributes resetconnection ssl_session_data_print sandbox status tee warnings xml`)

func (j *judgement) lexFaults(l *lexer) {
	for _, f := range l.faults {
		j.fault(check.SecurityLevel, fmt.Sprintf("has %s at %s", f.what, Place(j.text, f.at)), "remove it, or put it into a string")
	}
}

// read judges the statements of one reading.
func (j *judgement) read(list []statement, several bool) {
	if limit := j.o.maxStatements(); len(list) > limit {
		hint := "send one statement a call"
		if several {
			hint += "; where it is one already, name the dialect in the policy"
		}
		j.fault(check.SecurityLevel, fmt.Sprintf("holds %s, and %d may be sent", counted(len(list)), limit), hint)
	}
	if len(list) == 0 {
		j.fault(check.SyntaxLevel, "holds no statement", "send a statement of a kind that is allowed: "+j.o.allowed())
	}
	for i := range list {
		s := &list[i]
		s.examine()
		for _, n := range s.needs {
			if !j.full() && !j.o.allows(n.kind) {
				j.fault(check.SecurityLevel,
					fmt.Sprintf("holds %s at %s; allowed are statements of the kind %s", n.what, Place(j.text, n.at), j.o.allowed()),
					"send only what is allowed")
			}
		}
		if s.deep > 0 {
			j.fault(check.SecurityLevel, fmt.Sprintf("nests brackets deeper than %d at %s", maxNesting, Place(j.text, s.tokens[s.deep].start)), "send a simpler statement")
		}
		j.calls(s)
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 statement"
	}
	return fmt.Sprintf("%d statements", n)
}

// tables judges what stands in the place of a table, where SQLite may read it.
func (j *judgement) tables(s *statement) {
	if j.dialect != "generic" && j.dialect != "sqlite" {
		return
	}
	var buffer [64]byte
	for _, i := range s.beforeTables() {
		last := i + 1
		for s.low(last+1) == "." && last+2 < len(s.tokens) {
			last += 2 // behind the name of a schema
		}
		switch {
		case j.full() || last >= len(s.tokens):
		case s.tokens[last].kind == stringToken && s.raw(last)[0] == '\'': // SQLite takes it for a name, DuckDB for a file
			j.fault(check.SecurityLevel, "names a table or a file at "+Place(j.text, s.tokens[last].start)+" in a string", "write the table's name without quotes, or in double quotes")
		case s.names(last) && s.low(last+1) != "(" && string(s.appendName(buffer[:0], last)) == "zipfile": // elsewhere, a column may have the name
			j.readsFiles(s, last)
		}
	}
}

func (j *judgement) readsFiles(s *statement, i int) {
	j.fault(check.SecurityLevel, "uses a table at "+Place(j.text, s.tokens[i].start)+" that "+reaches, "leave it out")
}

// calls judges the functions and tables in a statement.
func (j *judgement) calls(s *statement) {
	j.tables(s)
	var buffer [64]byte
	for i := range s.tokens {
		switch {
		case j.full():
		case s.low(i) == "using" && s.names(1) && strings.EqualFold(s.part(1), "virtual") && !(s.names(i+1) && tableModules.Has(lower(s.part(i+1)))): // SQLite takes a string for the name, too
			j.fault(check.SecurityLevel, "makes a virtual table at "+Place(j.text, s.tokens[i].start)+" of a module that may read files",
				"use an ordinary table, or a module such as fts5 or rtree")
		case !s.names(i):
		case s.escapedCall(i):
			j.fault(check.SecurityLevel, "calls a function at "+Place(j.text, s.tokens[i].start)+" by a name in U&, which hides it",
				"write the name as it is")
		case s.tokens[i].low == "" && fileTables[j.dialect].Has(string(s.appendName(buffer[:0], i))):
			j.readsFiles(s, i)
		case s.low(i+1) == "(":
			j.call(s, i, s.callee(i, buffer[:0]))
		case s.low(i-1) == "." && (packaged(s.callee(i, buffer[:0])) || j.columnCalls(s.appendName(buffer[:0], i))):
			j.call(s, i, s.callee(i, buffer[:0])) // Oracle and PostgreSQL call it without brackets
		case len(j.faults) < maxFaults && s.tokens[i].low == "" && secretTables.Has(string(s.appendName(buffer[:0], i))):
			j.warn("reads a table at "+Place(j.text, s.tokens[i].start)+" that holds passwords or keys of the database itself",
				"leave it out, and let the tool's role have no right to read it")
		}
	}
}

// columnCalls reports whether PostgreSQL may call a function by the name of a column.
func (j *judgement) columnCalls(name []byte) bool {
	return (j.dialect == "postgres" || j.dialect == "generic") && (columnCalled().reason(name) != "" || matches(j.o.DenyFunctions, name))
}

func (j *judgement) call(s *statement, i int, name []byte) {
	why := j.refuses(name)
	last := name[bytes.LastIndexByte(name, '.')+1:]
	if why == "" && s.low(i-1) != "into" && !matches(j.o.AllowFunctions, last) { // a table may have such a name
		why = dialectDenied()[j.dialect].reason(last)
	}
	if why == "" && string(last) == "ts_rewrite" && !matches(j.o.AllowFunctions, last) && !j.rewrites(s, i+1) {
		why = "runs a text as SQL, which is not allowed or cannot be read"
	}
	if of := tableDenied()[j.dialect].reason(last); why == "" && of != "" && s.asTable(i) {
		why = of
	}
	if why != "" {
		j.fault(check.SecurityLevel, fmt.Sprintf("calls a function at %s that %s", Place(j.text, s.tokens[i].start), why),
			"leave it out; a policy can allow it in allow_functions")
	}
}

// refuses says why a function is refused, or "". The name may have a package before it.
func (j *judgement) refuses(name []byte) string {
	last := name[bytes.LastIndexByte(name, '.')+1:]
	switch {
	case matches(j.o.DenyFunctions, name), matches(j.o.DenyFunctions, last):
		return "the policy forbids"
	case matches(j.o.AllowFunctions, name), matches(j.o.AllowFunctions, last):
		return ""
	}
	if why := alwaysDenied().reason(last); why != "" {
		return why
	}
	return alwaysDenied().reason(name)
}

// matches reports whether a list of a policy has a function's name, or its last part.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func matches(list []string, name []byte) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, family := strings.CutSuffix(strings.ToLower(pattern), "*")
		return string(name) == prefix || family && strings.HasPrefix(string(name), prefix)
	})
}

// Refuses reports whether a text is refused by itself, so that no database needs to be
// asked about it.
func (o *Options) Refuses(text string) bool {
	return slices.ContainsFunc(o.Judge(text), func(f check.Finding) bool { return f.Severity == check.Error })
}
