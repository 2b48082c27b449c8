// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// reader finds tools that read something by its name, and readable finds the parameters for such
// names: a name may be a path without saying so.
var (
	reader   = lazyregexp.New(`(?i)(read|get|load|show|view|open|cat|fetch|list|write|save|append|update|create|export|render|search|include|import)`)
	readable = lazyregexp.New(`(?i)^((guide|doc|document|note|page|template|resource|file|report|theme|category|spec|skill|prompt|rule|snippet|chapter|section|playbook|backup|snapshot|collection|memory|agent|persona)_?(name|slug|key|title|file)|(guide|note|template|backup|snapshot|report|file)_?id|name|id|doc|docs?_?(id|name)|document(_?(id|name))?|note(_?(id|name))?|title|topic|slug|key|page|template|resource|entry|log|report|dataset|project|module|theme|locale|output|filename|file_?name|file|folder|dir)$`)
)

// names reports whether a parameter may name a file, although nothing says so.
func (u *tool) names(p parameter) bool {
	return readable.MatchString(p.name) && reader.MatchString(u.Name) || u.moves(p)
}

var (
	mover  = lazyregexp.New(`(?i)(move|rename|copy|link|convert|compress|extract|archive)`)
	moved  = lazyregexp.New(`(?i)^(source|destination|src|dst|dest|target|from|to|old|new|input|output)(_?(path|file))?$`)
	arrive = lazyregexp.New(`(?i)^(destination|dst|dest|target|to|new|output)(_?(path|file))?$`)
)

// moves reports whether a parameter is the source or target of a move.
func (u *tool) moves(p parameter) bool {
	return moved.MatchString(p.name) && mover.MatchString(u.Name) && aboutFiles.MatchString(u.Description)
}

var aboutFiles = lazyregexp.New(`(?i)\b(files?|director(y|ies)|folders?)\b`)

// A form is how a tool wants paths to be written, as its control call showed.
type form struct {
	absolute bool
	ext      string    // of files, "" if the tool adds one
	uri      bool      // file://…
	lists    bool      // the call lists a directory
	writes   bool      // the call makes a file
	acts     bool      // the effect of the call cannot be seen, but the tool claims it
	sought   []setting // search terms for a tool that searches
}

// path tries a parameter that is, or may be, a path.
func (a *auditor) path(ctx context.Context, t *tool, p parameter) {
	f, works, unknown := a.pathControl(ctx, t, p, append(controlForms(), t.searches(p)...))
	a.paths(ctx, t, p, f, works, unknown)
	if works && f.reads() {
		a.output(ctx, t, p, a.seedFile(f))
	}
}

// unnamedPath tries a parameter that does not look like a path. It goes on only if a control call read, listed or wrote a
// file, and tells nothing otherwise.
func (a *auditor) unnamedPath(ctx context.Context, t *tool, p parameter) {
	f, works, unknown := a.pathControl(ctx, t, p, fewForms())
	if !works || f.acts || a.showsAnyway(ctx, t, p, f) {
		return
	}
	a.paths(ctx, t, p, f, works, unknown)
	if f.reads() {
		a.output(ctx, t, p, a.seedFile(f))
	}
}

// showsAnyway reports whether a tool shows the audit's files for a value that names none, too: then another argument names them, such as
// the path beside the new text of an edit.
func (a *auditor) showsAnyway(ctx context.Context, t *tool, p parameter, f form) bool {
	if f.writes {
		return false
	}
	if a.session != nil && a.changed() { // the same edit fails a second time
		a.spend()
	}
	r := a.call(ctx, t, t.sample(a.world, append(f.sought, setting{p, "none" + token()})...))
	a.mend()
	return r.holds(a.world.control) || f.lists && r.holds(a.world.listed)
}

// paths tries forbidden paths. works says that the control call worked; if not, unknown says why.
func (a *auditor) paths(ctx context.Context, t *tool, p parameter, f form, works bool, unknown audit.Fact) {
	c := cell(t, p, audit.Path)
	if works {
		a.worked(c)
	}
	unknown.Cell = c
	probes, known := a.pathProbes(f), len(a.result.Facts)
	s := a.escape(ctx, t, p, probes, 0)
	late := s.late
	if late {
		a.result.Facts = a.result.Facts[:known]
		a.spend()
		s = a.escape(ctx, t, p, probes, settling)
	}
	a.mend()
	if fact, told := s.conclude(f, works, late, unknown); told && (works || late || p.kind == infer.Path || p.suspects(audit.Path)) {
		a.fact(fact)
	}
}

// conclude draws the conclusion if nothing got out of the root. late: something seemed to, once. unknown says why
// the control call did not work, if it failed.
func (s escape) conclude(f form, works, late bool, unknown audit.Fact) (fact audit.Fact, told bool) {
	fact = audit.Fact{Cell: unknown.Cell, Verdict: audit.Inconclusive}
	switch {
	case len(s.found) > 0:
		return fact, false
	case s.ended != "":
		fact.Why = s.ended
	case late:
		fact.Why = "something was written where nothing should be, and not again when each call was given time"
	case works && s.unanswered > 0:
		fact.Why = fmt.Sprintf("a file inside the root was reached, and %d of %d probes were not answered", s.unanswered, s.tried)
	case works && (f.acts && s.taken > 0 || s.tried > 0 && s.taken == s.tried):
		fact.Verdict = audit.NoEvidence
		fact.Why = fmt.Sprintf("the tool took %d of %d paths that lead out of the root, and nothing outside was seen to be read or changed", s.taken, s.tried)
	case works:
		fact.Verdict = audit.Guarded
		fact.Why = fmt.Sprintf("a file inside the root was reached, and none of %d probes got out of it", s.tried)
	default:
		fact = unknown
	}
	return fact, true
}

// An escape is the outcome of probes that try to get out of the root.
type escape struct {
	tried, taken int             // probes that were made, and probes that the tool accepted
	unanswered   int             // the server ended at them, or was late
	found        map[string]bool // kinds that got out
	ended        string          // why some were not tried; "" if all were
	late         bool            // something was written, and nobody knows by which probe
}

// escape makes the probes. With patience, each has that time to show an effect in files. Without, it stops at the
// first effect in files, which may come from an earlier call.
func (a *auditor) escape(ctx context.Context, t *tool, p parameter, probes []pathProbe, patience time.Duration) escape {
	s := escape{found: map[string]bool{}}
	began := a.session
	outside, inside := a.traces()
	for _, probe := range probes {
		if s.found[probe.kind] {
			continue
		}
		a.mend()
		seen, raw, r, file := a.pathProbe(ctx, t, p, probe, patience)
		if r.gone && seen == "" && s.unanswered == 0 { // perhaps for another reason
			seen, raw, r, file = a.pathProbe(ctx, t, p, probe, patience)
		}
		if file && patience == 0 {
			s.late = true
			return s
		}
		if r.failed == "" || r.late || r.gone {
			s.tried++
		}
		if r.late || r.gone {
			s.unanswered++
		}
		if r.ok() {
			s.taken++
		}
		switch {
		case seen != "":
			s.found[probe.kind] = true
			a.fact(audit.Fact{Cell: cell(t, p, audit.Path), Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: probe.kind,
				Why: probe.words + " gets out of the root", Proof: &audit.Proof{Arguments: raw, Seen: seen, Probes: s.tried}})
		case r.failed != "" && !r.late && !r.gone:
			s.ended = r.failed
			return s
		case r.late && a.silent(t):
			s.ended = "the tool did not answer"
			return s
		}
	}
	s.late = patience == 0 && s.taken > 0 && len(s.found) == 0 && a.session == began && saver.MatchString(t.Name) && a.left(outside, inside, settling) != ""
	return s
}

func (f form) reads() bool { return !f.lists && !f.writes && !f.acts }

// mend restores the world for the next call, if a file of the root is gone.
func (a *auditor) mend() {
	if a.session != nil && slices.ContainsFunc(a.world.controls(), a.session.removed) {
		a.spend()
	}
}

// pathControl looks for a form of a path inside the root that works with the tool.
func (a *auditor) pathControl(ctx context.Context, t *tool, p parameter, forms []form) (works form, ok bool, unknown audit.Fact) {
	unknown = audit.Fact{Verdict: audit.Inconclusive, Why: "no control call worked: the tool reached no file of the audit's root"}
	if !a.cfg.placesRoot() {
		unknown.Why += " (write " + Root + " in the command where the server takes its root)"
	}
	acted := -1
	for i, f := range forms {
		value, fresh := f.write(a.world, "root", insideName), ""
		switch {
		case f.lists:
			value = f.write(a.world, "root", "")
		case f.writes:
			fresh = strings.TrimPrefix(a.canary.expect(page{}), "/")
			value = f.write(a.world, "root", fresh)
		}
		r := a.call(ctx, t, t.sample(a.world, append(f.sought, setting{p, value})...))
		switch {
		case f.writes && a.session != nil && a.wrote(t, fresh, r):
			a.mend() // a moved file is missing from its old place
			return f, true, unknown
		case f.lists && r.holds(a.world.listed):
			return f, true, unknown
		case !f.writes && r.holds(a.world.control):
			f.lists = false
			return f, true, unknown
		case !f.writes && !f.lists && r.holds(strconv.Itoa(a.world.sizes[a.world.control])):
			f.acts = true
			return f, true, unknown
		}
		a.refused(cell(t, p, audit.Path), r)
		if host, ok := a.canary.told("/" + fresh); ok {
			return form{ext: ".txt"}, false, audit.Fact{Verdict: audit.NoEvidence, Kind: audit.KindElsewhere, Why: "no file of this machine is meant: the path is sent on to " + show(host)}
		}
		if r.ok() && acted < 0 && !f.writes && (!f.lists || t.takesDirectory(p)) {
			acted = i
		}
		a.mend()
		if r.failed != "" {
			unknown.Why = "no control call worked: " + r.failed
			if !r.late && !r.gone || a.silent(t) {
				break
			}
		}
	}
	if acted >= 0 && a.refuses(ctx, t, p, forms[acted]) {
		f := forms[acted]
		f.acts = true
		return f, true, unknown
	}
	return form{ext: ".txt"}, false, unknown
}

// wrote reports whether there is a new file of a name below the root: at once, or a little later if the tool reports
// success.
func (a *auditor) wrote(t *tool, name string, r reply) bool {
	wait := time.Duration(0)
	if r.ok() && saver.MatchString(t.Name) {
		wait = settling
	}
	return a.session.until(wait, func() bool { return a.madeAny("root/"+name) || a.session.named(name) })
}

// saver finds tools that write at the end of their work, perhaps after their answer.
var saver = lazyregexp.New(`(?i)(record|save|screenshot|capture|export|download|write|dump|generate|create|backup)`)

// refuses reports whether a tool accepts an existing file and refuses a missing one: its answers
// mean something then.
func (a *auditor) refuses(ctx context.Context, t *tool, p parameter, f form) bool {
	r := a.call(ctx, t, t.sample(a.world, setting{p, f.write(a.world, "root", "none"+token())}))
	return r.failed == "" && !r.ok()
}

// madeAny reports whether there is a new file of a name, with any of the extensions.
func (a *auditor) madeAny(name string) bool {
	return slices.ContainsFunc(append(extensions, ".png", ".jpg", ".yaml", ".html", ".csv", ".pdf"), func(ext string) bool { return a.session.made(name + ext) })
}

// fewForms are for parameters that are hardly paths.
func fewForms() []form {
	return []form{{absolute: true, ext: ".txt"}, {ext: ".txt"}, {absolute: true, lists: true}, {absolute: true, writes: true, ext: ".txt"}}
}

func controlForms() []form {
	var list []form
	for _, absolute := range []bool{true, false} {
		for _, ext := range []string{".txt", "", ".md", ".json"} {
			if absolute && ext == "" {
				continue
			}
			list = append(list, form{absolute: absolute, ext: ext})
		}
	}
	list = append(list, form{absolute: true, lists: true}, form{lists: true}, form{absolute: true, uri: true, ext: ".txt"},
		form{absolute: true, writes: true, ext: ".txt"}, form{writes: true, ext: ".txt"}, form{absolute: true, writes: true, ext: ".png"}, form{writes: true})
	return list
}

// seeker finds parameters for search terms.
var seeker = lazyregexp.New(`(?i)^((search|name|file)_?)?(patterns?|glob|query|term|regex|filter|name|q)$`)

// searches are the forms of a tool that lists its finds: the search term is a glob, or a part of a name.
func (u *tool) searches(p parameter) []form {
	i := slices.IndexFunc(u.parameters, func(q parameter) bool {
		return q.pointer != p.pointer && (q.kind == infer.Glob || q.kind == infer.Regex || seeker.MatchString(q.name))
	})
	if i < 0 {
		return nil
	}
	var list []form
	for _, value := range []string{"*", "list", "**/*"} { // the names of the files to find begin with list
		for _, absolute := range []bool{true, false} {
			list = append(list, form{absolute: absolute, lists: true, sought: []setting{{u.parameters[i], value}}})
		}
	}
	return list
}

// write is a path of the world in this form.
func (f form) write(w *world, dir, name string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, "root"), "/")
	if name != "" && rest != "" {
		rest += "/"
	}
	rest += name
	if name != "" {
		rest += f.ext
	}
	if f.absolute {
		rest = strings.TrimSuffix(w.inside("root")+"/"+rest, "/")
	}
	if f.uri {
		rest = "file://" + rest
	}
	if rest == "" {
		return "."
	}
	return rest
}

// A pathProbe is a forbidden path.
type pathProbe struct {
	kind, words string
	value       string
	fresh       string // the file that the call would make, in the world
	sought      []setting
}

// nameHere stands for the name of a file while a probe's path is put together.
const nameHere = "NAME"

// pathProbes are the paths to try with a tool of known form.
func (a *auditor) pathProbes(f form) []pathProbe {
	w := a.world
	join := func(dir string) string { return dir + "/" + nameHere }
	root := w.inside("root")
	at := strings.TrimPrefix(w.at, "/")
	var list []pathProbe
	add := func(kind, words, value, dir string) {
		probe := pathProbe{kind: kind, words: words, sought: f.sought}
		name := outsideName + f.ext
		switch {
		case f.lists:
			name = ""
		case f.writes: // each probe has a file of its own, so that its effect can be told apart
			fresh := w.name()
			name, probe.fresh = fresh+f.ext, dir+"/"+fresh
		}
		probe.value = strings.ReplaceAll(value, nameHere, name)
		if f.lists {
			probe.value = strings.TrimRight(probe.value, `/\`)
		}
		list = append(list, probe)
	}
	const outside, beside = "outside", "root-evil"
	add("absolute", "an absolute path", join(w.inside("outside")), outside)
	add("dot-dot", "a path with ..", join("../outside"), outside)
	add("dot-dot", "a path with .. below the root", join(root+"/../outside"), outside)
	add("dot-dot", "a path with .. below a directory", join("sub/../../outside"), outside)
	add("dot-dot", "a path with many ..", join(strings.Repeat("../", 14)+at+"/outside"), outside)
	add("dot-dot", "a path with doubled ..", join("....//outside"), outside)
	add("dot-dot", "a path with .. and backslashes", strings.ReplaceAll(join("../outside"), "/", `\`), outside)
	add("sibling-prefix", "a path of a directory whose name begins as the root's", join(w.inside("root-evil")), beside)
	add("sibling-prefix", "a path with .. to a directory whose name begins as the root's", join("../root-evil"), beside)
	add("encoded", "a path with encoded ..", strings.ReplaceAll(join("%2e%2e/outside"), "/", "%2f"), outside)
	add("encoded", "a path with twice encoded ..", strings.ReplaceAll(join("%252e%252e/outside"), "/", "%252f"), outside)
	add("symlink", "a link to a directory outside", join("away"), outside)
	add("symlink", "a link to a directory outside, as an absolute path", join(root+"/away"), outside)
	add("symlink", "a relative link to a directory outside", join("near"), outside)
	add("file-uri", "the URL of a file", "file://"+join(w.inside("outside")), outside)
	if f.lists || f.writes {
		return list
	}
	add("symlink", "a link to a file outside", "absolute"+f.ext, "")
	add("symlink", "a link to a file outside, as an absolute path", root+"/absolute"+f.ext, "")
	add("symlink", "a relative link to a file outside", root+"/relative"+f.ext, "")
	add("nul", "a path with a NUL", join("../outside")+"\x00.txt", "")
	add("home", "a path that begins with ~", "~/.ssh/id_rsa", "")
	add("home", "a path in the home directory", w.inside("home", ".ssh", "id_rsa"), "")
	if f.ext != "" {
		add("dot-dot", "a path with .. and no extension", "../outside/"+outsideName, "")
		add("dot-dot", "a path with many .. and no extension", strings.Repeat("../", 14)+at+"/outside/"+outsideName, "")
	}
	return list
}

// pathProbe makes one probe and describes its success, or returns "". file: the effect showed in
// files alone, and nobody knows when they were written.
func (a *auditor) pathProbe(ctx context.Context, t *tool, p parameter, probe pathProbe, patience time.Duration) (seen, raw string, r reply, file bool) {
	arguments := t.sample(a.world, append(probe.sought, setting{p, probe.value})...)
	began := a.session
	outside, inside := a.traces()
	r = a.call(ctx, t, arguments)
	encoded := written(arguments)
	if a.session != began { // it began with the call
		outside, inside = nil, nil
	}
	if probe.fresh != "" && a.session != nil && a.madeAny(probe.fresh) {
		return "a new file outside the root", string(encoded), r, false
	}
	if a.session != nil && slices.ContainsFunc(a.world.outsiders(), a.session.removed) {
		a.spend()
		return "a file outside the root that is gone", string(encoded), r, false
	}
	for _, token := range slices.Sorted(maps.Keys(a.world.hidden)) {
		what := a.world.hidden[token]
		if r.holds(token) {
			return what, string(encoded), r, false
		}
	}
	if seen := a.left(outside, inside, patience); seen != "" {
		if a.spend(); probe.fresh != "" {
			seen = "a new file outside the root"
		}
		return seen, string(encoded), r, true
	}
	return "", "", r, false
}
