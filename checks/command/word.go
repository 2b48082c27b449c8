// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// word returns a word as the program would get it, and reports what a shell would do to it first.
// The shell's insertions are left out.
func (r *reader) word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b, outside builder
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			outside.put(lit.Value)
		}
		switch part := part.(type) {
		case *syntax.Lit:
			r.literal(&b, part.Value, i == 0)
		case *syntax.SglQuoted:
			if part.Dollar {
				r.refuse(-1, escape, "holds $'…', whose escapes a shell rewrites")
				if r.allow[escape] && printable.MatchString(numberedQuotes.ReplaceAllString(part.Value, "")) {
					r.refuse(-1, unread, "writes plain characters by their numbers, in $'…', so that nobody reads them")
				}
			}
			b.put(quotedValue(part))
		case *syntax.DblQuoted:
			r.quoted(&b, part)
		default:
			r.parts(&b, w.Parts[i:i+1])
			r.active(part)
		}
	}
	if braces(escaped.Replace(outside.String())) {
		r.refuse(-1, expansion, "holds braces outside quotes, which a shell expands into several words")
	}
	if open := outside.String(); contains(open, "[") && open != "[" && open != "[[" && !contains(open, "]") {
		r.refuse(-1, doubtful, "holds a [ outside quotes without its end, which shells read differently")
	}
	return b.String()
}

// maxSubstitutions bounds how many substitutions a person follows into one another.
const maxSubstitutions = 4

// escapable may stand behind a backslash, as in find \( -name \*.c \): every shell of the sh family then takes them as
// they are, as it does in quotes. A letter or a digit behind a backslash disguises a word.
const escapable = "()!*?[]{} \t.,:;_-+=/@%^#~&|<>$`'\"\\"

// escaped takes out the braces that a backslash makes plain.
var escaped = strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "", `\,`, "")

// literal reads what stands outside quotes.
func (r *reader) literal(b *builder, text string, first bool) {
	if first && hasPrefix(text, "~") || contains(text, "=~") || contains(text, ":~") {
		r.refuse(-1, expansion, "holds a ~ outside quotes, which a shell replaces by a home directory")
	}
	text = r.shellPlace(b, text, first)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i == len(text) || strings.IndexByte(escapable, text[i]) < 0 {
				r.refuse(-1, escape, "holds a backslash outside quotes")
			}
			if i < len(text) && text[i] != '\n' {
				b.putByte(text[i])
			}
			continue
		case '*', '?', '[':
			if c != '[' || text != "[" {
				r.refuse(-1, glob, "holds *, ? or [ outside quotes, which a shell replaces by names of files")
			}
		}
		b.putByte(text[i])
	}
}

// shellPlace writes the directory of ~+ or ~- where a word begins so, and returns the rest of its text: where the shell is, and where it was before.
func (r *reader) shellPlace(b *builder, text string, first bool) string {
	if len(text) < 2 || !first || text[0] != '~' || len(text) > 2 && text[2] != '/' {
		return text
	}
	switch text[1] {
	case '+':
		b.put(cmp.Or(r.directory, "."))
	case '-':
		b.put(cmp.Or(r.before, insertion))
	default:
		return text
	}
	return text[2:]
}

// braces reports whether a shell would expand the braces of a word, such as {a,b} or {1..9}.
func braces(text string) bool {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return false
	}
	inner, _, closed := cut(text[open+1:], "}")
	return contains(inner, ",") || closed && contains(inner, "..")
}

// quoted reads what stands in double quotes.
func (r *reader) quoted(b *builder, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			r.parts(b, []syntax.WordPart{part})
			r.active(part)
			continue
		}
		text := lit.Value
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
				if i++; text[i] == '\n' {
					continue
				}
			}
			b.putByte(text[i])
		}
	}
}

// insertion stands in a word for what a shell puts there and the line does not tell. No program has it in its name, and
// no path begins with it.
const insertion = "\ue000"

// withoutInsertions puts a text in the place of each insertion.
//
//go:noinline
func withoutInsertions(word, with string) string {
	return strings.ReplaceAll(strings.ReplaceAll(word, inherited, with), insertion, with)
}

// inherited stands for the value that a variable has before the line, in a new value of its own: PYTHONPATH=src:$PYTHONPATH.
const inherited = insertion + "\ue001"

// printedFile is the name that a shell gives to what a command in <(…) prints.
const printedFile = "/dev/fd/63"

// defaults are the operators of ${NAME:-text}, which insert the text if the variable has none.
var defaults = []syntax.ParExpOperator{syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull}

// text returns a word as word does, and reports nothing. It reads each part once, while word also reads what a part holds: words in words
// would be read twice at each depth.
//
//go:noinline
func (r *reader) text(w *syntax.Word) string {
	var b builder
	if w != nil {
		r.parts(&b, w.Parts)
	}
	return b.String()
}

// parts writes what a shell makes of the parts of a word, as far as the line tells.
func (r *reader) parts(b *builder, list []syntax.WordPart) {
	for _, part := range list {
		switch p := part.(type) {
		case *syntax.Lit:
			b.put(r.shellPlace(b, p.Value, b.Len() == 0))
		case *syntax.SglQuoted:
			b.put(quotedValue(p))
		case *syntax.DblQuoted:
			r.parts(b, p.Parts)
		case *syntax.ParamExp:
			r.parameter(b, p)
		case *syntax.ProcSubst:
			if p.Op == syntax.CmdIn && printedBy(p.Stmts) == ":" && !r.shadowed {
				b.put("/dev/null") // as good as empty
				continue
			}
			b.put(printedFile)
		case *syntax.CmdSubst:
			text := printedBy(p.Stmts)
			if text == insertion && !r.shadowed {
				if printed, told, _ := r.filtered(p); told {
					text = printed
				}
			}
			if r.shadowed && !hasPrefix(text, "/tmp/") {
				text = insertion
			}
			b.put(text)
		default:
			b.put(insertion)
		}
	}
}

// shellHooks are commands whose output a shell runs to use a program: it sets variables and functions of that program.
var shellHooks = lazyregexp.New(`^(?:ssh-agent(?: -[cks])*|(?:/opt/homebrew/bin/)?(?:(?:pyenv|rbenv|nodenv|goenv|jenv|zoxide|starship|atuin|oh-my-posh) init|direnv (?:hook|export)|brew shellenv|(?:fnm|opam) env|mise activate|fzf --(?:bash|zsh|fish|nushell)|` +
	`(?:conda|mamba|micromamba) shell(?:\.\w+)?(?: hook)?|dircolors|minikube docker-env|(?:kubectl|helm|gh|docker|minikube|kind|npm|deno|rustup|poetry|pip|hugo|k9s|k3d|kustomize|flux|argocd|istioctl|eksctl|talosctl|cosign|crane|gcrane|oras|glab|golangci-lint|goreleaser|` +
	`task|uv|rye|pdm|pixi|mise|chezmoi|trivy|syft|grype|skaffold|tilt|ko|kn|oc|linkerd|cilium|hubble|velero|stern|k6|lefthook|ng|flyctl|doctl|hcloud|scw|supabase|pscale|stripe|turso|railway|pulumi|dapr|temporal|nerdctl|podman|buildah|limactl|colima|dagger|buf|atlas|zola|wrangler|bun|pnpm|volta|starship|atuin|rclone|restic|tailscale|yq) completions?)(?: [\w./=-]+)*)$`)

// hooks reports whether all that the commands from an index to another do is to print what a shell runs to use a program.
func (r *reader) hooks(from, to int) bool {
	if to-from != 1 || r.shadowed || len(r.commands[from].words) < 3 {
		return false
	}
	s := r.commands[from]
	if anyWord(s.words[2:], func(w string) bool { return !among(w, "bash zsh fish -s --shell") }) || !among(s.words[1], "completion completions") {
		return false
	}
	for _, before := range r.commands[:from] { // which may have made a function of this name
		if len(before.words) > 0 && !among(before.words[0], "cd echo mkdir export set true") {
			return false
		}
	}
	return s.input == nil && len(s.variables) == 0 && shellHooks.MatchString(strings.Join(s.words, " "))
}

// shadows reports whether the words of a command may make a function or an alias by the name of a program.
func (r *reader) shadows(words []string) bool {
	if len(words) > 1 && among(words[0], "command builtin") {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	return words[0] == "alias" || words[0] == "eval" && strings.Trim(strings.Join(words[1:], ""), ":") != "" || among(words[0], "source .") && r.made[r.at(words[1])] != ""
}

// numberedQuotes are quotes by their numbers, which cannot stand in quotes of their own kind otherwise.
var numberedQuotes = lazyregexp.New(`\\(x2[27]|0?4[27])`)

var numberedBlank = lazyregexp.New(`\\(x20|x09|x0[aA]|0?40|0?11|0?12)`)

// quotedValue returns what stands in single quotes, with the escapes of $'…' as a shell rewrites them.
func quotedValue(q *syntax.SglQuoted) string {
	if q.Dollar && contains(q.Value, `\`) && !numberedBlank.MatchString(q.Value) { // no name has a blank by its number
		return decoded(q.Value)
	}
	return q.Value
}

// printedBy returns what a substitution inserts, where one plain command tells: a directory for temporary files, the place of a program or of the work.
func printedBy(list []*syntax.Stmt) string {
	if len(list) != 1 || len(list[0].Redirs) > 0 {
		return insertion
	}
	c, ok := list[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 {
		return insertion
	}
	var words []string
	for _, w := range c.Args {
		if w.Lit() == "" || strings.ContainsAny(w.Lit(), `*?[{\~`) {
			return insertion
		}
		words = with(words, w.Lit())
	}
	switch line := strings.Join(words, " "); {
	case shellHooks.MatchString(line):
		return ":"
	case line == "pwd", line == "git rev-parse --show-toplevel":
		return "."
	case line == "git rev-parse --git-dir", line == "git rev-parse --git-common-dir":
		return ".git"
	case len(words) == 4 && hasPrefix(line, "git rev-parse --git-path "):
		return ".git/" + words[3]
	case line == "brew --prefix":
		return "/opt/homebrew"
	case line == "mktemp", line == "mktemp -d":
		return "/tmp/tmp.XXXXXXXXXX"
	case line == "go env GOPATH":
		return "~/go"
	case line == "npm bin":
		return "node_modules/.bin"
	case len(words) == 2 && words[0] == "which", len(words) == 3 && (words[0]+" "+words[1] == "command -v" || words[0]+" "+words[1] == "type -P"):
		if name := words[len(words)-1]; nameForm(name) && !contains(name, "/") {
			return "/usr/bin/" + name
		}
	}
	return insertion
}

// parameter writes the text of a variable: ~ for the home directory at the beginning of a word, what the line itself has set, or the text for a
// variable that has none.
func (r *reader) parameter(b *builder, p *syntax.ParamExp) {
	switch {
	case p.Exp != nil && p.Exp.Word != nil && slices.Contains(defaults, p.Exp.Op):
		// The line may have set the variable, and may have unset it, or not got there: both texts count.
		if text := r.variables[p.Param.Value]; text != "" && r.fork(2) == 0 && r.spend(len(text)) {
			b.put(text)
			return
		}
		own := r.own
		r.own = "" // the variable may have another text
		r.parts(b, p.Exp.Word.Parts)
		r.own = own
	case p.Param != nil && p.Repl != nil && r.replaced(b, p):
	case p.Param == nil || pieces(p) || p.Length:
		b.put(insertion)
	case p.Param.Value == "HOME" && (b.Len() == 0 || hasSuffix(b.String(), ":")):
		b.putByte('~')
	case p.Param.Value == "PWD" && b.Len() == 0:
		b.put(cmp.Or(r.directory, "."))
	case p.Param.Value == "_" && len(r.commands) > 0 && len(r.commands[len(r.commands)-1].words) > 0:
		words := r.commands[len(r.commands)-1].words
		if text := words[len(words)-1]; r.spend(len(text)) {
			b.put(text)
		}
	case p.Param.Value == "PATH" && r.variables["PATH"] == "":
		b.put("/usr/bin:/bin") // the directories of before: what runs from them is judged by its name
	case launcherOf(p.Param.Value) != "" && r.variables[p.Param.Value] == "" && b.Len() == 0:
		b.put(launcherOf(p.Param.Value))
	default:
		text, known := r.variables[p.Param.Value]
		if others := r.others[p.Param.Value]; len(others) > 0 {
			if k := r.fork(1 + len(others)); k > 0 {
				text = others[k-1]
			}
		}
		switch {
		case !known && p.Param.Value == r.own:
			text = inherited
		case !known || !r.spend(len(text)):
			text = insertion
		}
		b.put(text)
	}
}

// assignedBy returns the variable that a word sets for env and the like, NAME=value; "" for another word.
func assignedBy(w *syntax.Word) string {
	parts := w.Parts
	if quoted, ok := parts[0].(*syntax.DblQuoted); ok && len(quoted.Parts) > 0 {
		parts = quoted.Parts
	}
	if lit, ok := parts[0].(*syntax.Lit); ok {
		if name, _, sets := cut(lit.Value, "="); sets {
			return name
		}
	}
	return ""
}

// replaced writes the text of a variable of the line with some of it replaced, where no pattern is meant: ${NAME/text/other}.
func (r *reader) replaced(b *builder, p *syntax.ParamExp) bool {
	text, known := r.variables[p.Param.Value]
	from, to := r.text(p.Repl.Orig), r.text(p.Repl.With)
	if !known || p.Slice != nil || p.Index != nil || p.Excl || from == "" || strings.ContainsAny(from, "*?[#%\\"+insertion) || !r.spend(len(text)*(1+len(to))) {
		return false
	}
	n := 1
	if p.Repl.All {
		n = -1
	}
	b.put(strings.Replace(text, from, to, n))
	return true
}

// launcherOf returns the program named by a variable of npm or make.
//
//go:noinline
func launcherOf(variable string) string {
	switch variable {
	case "npm_execpath":
		return "npm"
	case "npm_node_execpath":
		return "node"
	case "MAKE":
		return "make"
	}
	return ""
}

// fork notes how many texts a part of a word may have, and returns the one that counts in this reading of the statement.
func (r *reader) fork(texts int) int {
	r.forks = max(r.forks, texts)
	return min(r.reading, texts-1)
}

// active reports a part of a word that a shell replaces.
func (r *reader) active(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.ParamExp:
		if p.Param != nil && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
			text := r.text(p.Exp.Word)
			r.variable(p.Param.Value+"="+text, true)
			if _, known := r.variables[p.Param.Value]; !known && r.spend(len(text)) {
				r.set(p.Param.Value, text)
			}
		}
		if _, own := r.variables[p.Param.Value]; !(own && among(strings.ToLower(p.Param.Value), "token access_token jwt")) && p.Param != nil && !p.Length && secretVariable(p.Param.Value) {
			r.refuse(-1, credential, "inserts a variable that, going by its name, holds a secret")
		}
		switch {
		case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && r.text(p.Exp.Word) == "P":
			r.refuse(-1, unread, "runs what the text of a variable tells, by ${…@P}")
		case p.Excl && p.Names != 0:
			r.refuse(-1, credential, "names all variables with a beginning, some of which hold secrets")
		case p.Excl && p.Param != nil && secretVariable(r.variables[p.Param.Value]):
			r.refuse(-1, credential, "inserts a variable that, going by its name, holds a secret")
		}
		if pieces(p) {
			r.refuse(-1, compound, "builds words out of pieces of variables, by $IFS, $@ or ${…:…}")
		} else {
			r.refuse(-1, expansion, "holds a variable or arithmetic, which a shell replaces, by $ outside single quotes")
		}
	case *syntax.CmdSubst, *syntax.ProcSubst:
		if p, ok := part.(*syntax.CmdSubst); ok {
			if _, _, veil := r.filtered(p); veil {
				r.refuse(-1, unread, "makes a word of a text by a filter, so that nobody reads it")
			}
		}
		r.refuse(-1, substitution, "runs a command to fill in its output, by $(…), backticks or <(…)")
	case *syntax.ExtGlob:
		r.refuse(-1, compound, "holds a pattern such as @(a|b) outside quotes, which a shell replaces by names of files")
	default:
		r.refuse(-1, expansion, "holds a variable or arithmetic, which a shell replaces, by $ outside single quotes")
	}
	first := len(r.commands)
	defer r.scope()()
	if r.nested++; r.nested > maxSubstitutions {
		r.refuse(-1, doubtful, "runs commands within commands within commands, so that hardly anybody can read it")
	}
	r.inner(part)
	r.nested--
	for i := first; i < len(r.commands); i++ {
		r.commands[i].hands = true
	}
	if p, ok := part.(*syntax.ProcSubst); ok && p.Op == syntax.CmdOut { // they read what the command around them prints
		r.feed(first, "")
	}
}

// pieces reports whether a variable's value is cut, replaced or read as code (${x@P}), may be another text (${x:-a}), or is the shell's own blanks and words: ways to write a command
// that nobody can read.
func pieces(p *syntax.ParamExp) bool {
	if p.Slice != nil || p.Repl != nil || p.Index != nil || p.Exp != nil || p.Excl || p.Param == nil {
		return true
	}
	return p.Param.Value == "IFS" || p.Param.Value == "@" || p.Param.Value == "*"
}

// cut is [strings.Cut], which the compiler would lay out in place dozens of times.
//
//go:noinline
func cut(text, at string) (before, after string, found bool) { return strings.Cut(text, at) }

// The functions that follow are those of package strings, and are not laid out in place either.

//go:noinline
func contains(text, part string) bool { return strings.Contains(text, part) }

//go:noinline
func hasSuffix(text, end string) bool { return strings.HasSuffix(text, end) }

//go:noinline
func trimSuffix(text, end string) string { return strings.TrimSuffix(text, end) }

//go:noinline
func trimPrefix(text, start string) string { return strings.TrimPrefix(text, start) }

//go:noinline
func hasPrefix(text, start string) bool { return strings.HasPrefix(text, start) }

// anyWord reports whether a word fulfils a condition. It is [slices.ContainsFunc] as a call: laid out in place dozens of times, the
// loop would make each program with a gate larger.
//
//go:noinline
func anyWord(words []string, ok func(word string) bool) bool { return slices.ContainsFunc(words, ok) }

// holds is [slices.Contains] for texts, and cutPrefix is [strings.CutPrefix], as calls.
//
//go:noinline
func holds(list []string, text string) bool { return slices.Contains(list, text) }

//go:noinline
func cutPrefix(text, start string) (rest string, found bool) { return strings.CutPrefix(text, start) }
