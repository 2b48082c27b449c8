// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/service"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Many tools take a statement and promise only to read. The proof against one is an effect of a disguised write: a stand-in
// received it where writing was allowed, a database in the server's process has what it wrote, or there is a new file.

// changes are the outcomes of a session's statements that could change a database.
type changes struct {
	mu   sync.Mutex
	list []service.Change
	size int
}

func (c *changes) add(one service.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(one.Text) + 64; c.size <= maxStated {
		c.list = append(c.list, one)
	}
}

// of reports whether a change with a text had an outcome.
func (c *changes) of(text string, outcome service.Outcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.list, func(one service.Change) bool { return one.Outcome == outcome && strings.Contains(one.Text, text) })
}

// Promises to read.
const (
	hintPromise  = "its annotation readOnlyHint"
	wordPromise  = "its name or description"
	doingPromise = "its refusal of a plain statement that writes"
)

// promise is where a tool says that its statements only read; "" if nowhere.
func (t *tool) promise(p parameter) string {
	said := strings.Join([]string{t.Name, t.Description, p.description}, "\n")
	switch {
	case t.readOnly:
		return hintPromise
	case saysReading.MatchString(said) && !saysMaybe.MatchString(said):
		return wordPromise
	}
	return ""
}

// takesStatement reports whether a parameter is for a whole statement.
func (t *tool) takesStatement(p parameter) bool {
	return p.kind == infer.SQL || p.kind == "" && sqlName.MatchString(p.name) && takesSQL.MatchString(t.Name+"\n"+t.Description+"\n"+p.description) && !partName.MatchString(p.name)
}

// partName finds names of parts of a statement.
var partName = lazyregexp.New(`(?i)where|having|conditions?|filters?|by$|columns?|expressions?|clause`)

// A reading is the attempt to write with a tool that promises to read.
type reading struct {
	a       *auditor
	t       *tool
	p       parameter
	c       audit.Cell
	promise string

	dialect      service.Dialect // "": the database is in the server's process
	first, last  string          // random words around what is read back
	half, family string          // all names that probes make begin with both
	works        bool            // a harmless statement gave its result
	blind        bool            // nothing can be read back
	open         string          // why the probes tell nothing: "" if they do
	probes       int
	sent         []attempt
}

// An attempt is a disguise that was sent.
type attempt struct {
	disguise
	mark string
}

// readings tries to write with a tool for statements that promises only to read.
func (a *auditor) readings(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.Command)
	designed := slices.ContainsFunc(a.result.Facts, func(f audit.Fact) bool { return f.Cell == c && f.Kind == "sql-by-design" })
	if a.session == nil || a.session.box == nil || a.found(c) || a.silent(t) || !designed && !t.takesStatement(p) {
		return
	}
	x := &reading{a: a, t: t, p: p, c: c, promise: t.promise(p), first: word(), last: word(), half: word(), family: word()}
	if !x.reaches(ctx) {
		if x.promise != "" && t.takesStatement(p) {
			x.unknown("no harmless statement reached a database, or came back from one")
		}
		return
	}
	if x.dialect != "" {
		x.serviced(ctx)
	} else {
		x.embedded(ctx)
	}
	if a.session != nil { // tables, files and settings of connections are left over
		a.spend()
	}
}

// call sends a statement.
func (x *reading) call(ctx context.Context, text string) reply {
	x.probes++
	r := x.a.call(ctx, x.t, x.t.sample(x.a.world, setting{x.p, text}))
	if r.failed != "" {
		x.open = "the tool did not answer every probe"
	}
	return r
}

// reaches reports whether a harmless statement gets to a database. No echo is taken for a result.
func (x *reading) reaches(ctx context.Context) bool {
	r := x.call(ctx, "SELECT '"+x.first+"' || '"+x.last+"' AS audit")
	x.a.refused(x.c, r)
	if x.a.session == nil || r.failed != "" {
		return false
	}
	for _, s := range x.a.session.stated.since(0) {
		if strings.Contains(s.Text, x.first) {
			x.dialect, x.works = s.Dialect, r.ok()
			return true
		}
	}
	x.works = r.holds(x.first + x.last)
	return x.works
}

// serviced tries a database with a stand-in.
func (x *reading) serviced(ctx context.Context) {
	refused := false
	for i, d := range append(slices.Clone(plainWrites), disguises[x.dialect]...) {
		plain := i < len(plainWrites)
		if x.dialect == service.MySQL && d.text == creation {
			continue // it ends a transaction that only reads, and whether it runs then depends on the product
		}
		if i == len(plainWrites) && x.promise == "" {
			if !refused {
				return
			}
			x.promise = doingPromise
		}
		r, one := x.try(ctx, d)
		switch {
		case x.a.session == nil: // the server cannot be started any more
		case x.became(one, service.Written):
			if plain && x.promise == "" {
				x.remark()
				return
			}
			x.proven(one, "a statement that writes, with a random word, in "+string(x.dialect)+" outside of a transaction that only reads")
			return
		case x.became(one, service.Unsure):
			x.open = "it is not known what a statement that reached the database does there"
		case x.became(one, service.Refused), plain && forbids.MatchString(r.text) && (!r.ok() || !holds(x.a.session.stated.since(0), one.mark)):
			refused = true
		}
		if r.failed != "" {
			break
		}
	}
	for _, one := range x.sent { // a transaction may have ended since
		if x.became(one, service.Written) {
			x.proven(one, "a statement that writes, with a random word, in "+string(x.dialect)+" outside of a transaction that only reads")
			return
		}
	}
	x.conclude()
}

// became reports whether a stand-in saw an attempt, with an outcome.
func (x *reading) became(one attempt, outcome service.Outcome) bool {
	return x.a.session != nil && x.a.session.changed.of(one.mark, outcome)
}

// try sends a disguise.
func (x *reading) try(ctx context.Context, d disguise) (reply, attempt) {
	one := attempt{d, x.half + x.family + fmt.Sprintf("x%02d", len(x.sent))}
	x.sent = append(x.sent, one)
	if d.before != "" {
		x.call(ctx, d.before)
	}
	return x.call(ctx, x.text(one)), one
}

func (x *reading) text(one attempt) string {
	return strings.NewReplacer("MARK", one.mark, "HERE", x.a.world.inside("root", one.mark)).Replace(one.text)
}

// remark notes a tool that promises nothing.
func (x *reading) remark() {
	x.a.fact(audit.Fact{Cell: x.c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "sql-by-design", Why: statementByDesign,
		Proof: &audit.Proof{Arguments: x.shown(x.sent[0]), Seen: "a statement that writes", Probes: x.probes}})
}

func (x *reading) shown(one attempt) string {
	one.mark = "RANDOM"
	return string(written(x.t.sample(x.a.world, setting{x.p, x.text(one)})))
}

func (x *reading) proven(one attempt, seen string) {
	x.a.fact(audit.Fact{Cell: x.c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "sql-write",
		Why:   "the tool promises only to read (" + x.promise + "), and a statement that writes gets through: " + one.name,
		Proof: &audit.Proof{Arguments: x.shown(one), Seen: seen, Probes: x.probes}})
}

// conclude judges a tool whose probes had no effect.
func (x *reading) conclude() {
	switch {
	case x.promise == "": // no plain statement was answered
	case !x.works:
		x.unknown("no harmless statement worked")
	case x.open != "":
		x.unknown(x.open)
	case slices.ContainsFunc(x.a.result.Facts, func(f audit.Fact) bool { return f.Cell == x.c && f.Verdict == audit.Inconclusive }), x.p.suspects(audit.Command):
		// something else about the parameter is open
	default:
		x.a.worked(x.c)
		x.a.fact(audit.Fact{Cell: x.c, Verdict: audit.Guarded, Why: fmt.Sprintf("a harmless statement worked, and none of %d disguised ones wrote anything; the promise to read is %s", len(x.sent), x.promise)})
	}
}

// unknown leaves the promise open. It overrides the findings of other probes of the parameter.
func (x *reading) unknown(why string) {
	x.a.result.Facts = slices.DeleteFunc(x.a.result.Facts, func(f audit.Fact) bool { return f.Cell == x.c && f.Verdict == audit.Guarded })
	x.a.fact(audit.Fact{Cell: x.c, Verdict: audit.Inconclusive, Why: "the tool promises only to read (" + x.promise + "): " + why})
}
