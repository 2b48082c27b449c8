// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	pathcheck "github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// tighten holds comments for below a guess, with options that a person may want to set. A list is whole, so that it can take the place of the demand's.
var tighten = map[infer.Kind]string{
	infer.Path:    `tighten: set within: [/srv/data]`,
	infer.URL:     `tighten: set hosts: ["*.example.org"], schemes: [https]; loosen: set loopback: allow`,
	infer.Command: "what slips into a text could begin a command by ; || or a line break: these pass where programs are listed\n          # tighten: set programs: [git, ls]; loosen: set allow: [pipe, and, list, newline, redirection, glob, expansion, assignment, substitution, escape]",
	infer.SQL:     `only SELECT; say whose SQL it is: set dialect: postgres; loosen: set statements: [select, insert]`,
	infer.Glob:    `tighten: set absolute: false`,
	infer.Cron:    `loosen: set allow: [macros, every], seconds: true`,
	infer.Time:    `for dates without a time of day: set format: date`,
}

// A drafting is a first policy for a server.
type drafting struct {
	checks  enforce.Checks
	command []string
	listed  map[string]*call.Catalog // the server's lists, by their methods
	roots   []string                 // the server's directories; nil: those in the command
	// audited says that an audit has tried the tools, and nothing else of the server.
	audited bool
	// found are weaknesses of the server. The policy has a demand on each argument among them.
	found []audit.Weakness
	// worked are the places where a harmless call of the audit worked.
	worked []audit.Cell
	// walls are the options of the server's containment; "": it has none.
	walls string
	place *drawnPlace // that they show; nil: none
	git   gitSettings // and these files
	// loose are demands that refused harmless calls, and are left out.
	loose []demandAt

	advised map[infer.Kind]bool // kinds of arguments for which the draft has told how to tighten a demand
}

// proxyName finds arguments with the address of a proxy.
var proxyName = lazyregexp.New(`(?i)^/(https?_?)?proxy(_?ur[il]|_?server)?$`)

// has is the condition of a rule that an argument is given.
func has(address string) string { return "'" + argument(address) + "' in args" }

// text writes the policy.
func (d *drafting) text() []byte {
	var b bytes.Buffer
	tools := d.listed[pin.Tools]
	fmt.Fprintf(&b, "# A first policy, from the server's list of %s. What follows \"guess:\" is one:\n", count(len(tools.Names()), "tool"))
	b.WriteString("# read it, correct it, tighten it. toolvet policy lint tells what is left open.\n")
	if d.found != nil {
		fmt.Fprintf(&b, "# \"proven:\" stands before demands for what an audit saw.\n")
	}
	fmt.Fprintf(&b, "version: 1\npreset: %s # for arguments that are not named below\n", preset.Default)
	fmt.Fprintf(&b, "servers:\n  %s:\n", key(serverName(d.command)))
	fmt.Fprintf(&b, "    command: %s", texts(d.command))
	if slices.ContainsFunc(d.command, func(word string) bool { return strings.Contains(word, policy.Root) }) {
		fmt.Fprintf(&b, " # write the server's directory in the place of %s", policy.Root)
	}
	b.WriteString("\n")
	world := preset.World(d.command)
	if d.roots != nil {
		world = check.World{Roots: d.roots}
	}
	draftWorld(&b, world, d.walls != "" && !slices.ContainsFunc(d.command, func(word string) bool { return strings.Contains(word, policy.Root) }))
	if d.walls != "" {
		why := "demands on arguments do not close everything"
		if slices.ContainsFunc(d.found, func(w audit.Weakness) bool { return runsAnything(&w) }) {
			why = "by design a tool runs any command or code"
		}
		fmt.Fprintf(&b, "    # proven: %s, so walls stand around the server (docs/contain.md).\n    # keep them: without contain, commands and code reach files and hosts that no demand here names, also by redirection\n%s%s    contain: %s\n", why, d.place.words(), d.git.words(), d.walls)
	}
	var drafted bytes.Buffer
	demanded := false
	for _, name := range tools.Names() {
		demanded = d.tool(&drafted, tools.Tool(name)) || demanded
	}
	switch {
	case demanded:
		b.WriteString("    tools:\n")
	case drafted.Len() == 0:
		b.WriteString("    # no argument of its tools seems to be a path, a URL or the like\n")
	}
	b.Write(drafted.Bytes())
	draftRequests(&b, d.checks, d.listed)
	if d.audited {
		b.WriteString(untriedRule)
	}
	return b.Bytes()
}

// draftWorld writes where the server is. Walled: nothing else than walls holds paths, as long as no roots are known.
func draftWorld(b *bytes.Buffer, world check.World, walled bool) {
	switch {
	case world.Remote:
		b.WriteString("    location: remote # guess: the command starts it in a container or elsewhere\n")
	case len(world.Roots) > 0:
		fmt.Fprintf(b, "    roots: %s # guess: directories in the command; paths must stay within\n", texts(world.Roots))
	case walled:
		b.WriteString("    # roots: [/srv/data] # directories that paths must stay within: not known, so contain alone holds them\n")
	default:
		b.WriteString("    # roots: [/srv/data] # directories that paths must stay within: not known\n")
	}
}

// tool reports whether it wrote any demand besides comments.
func (d *drafting) tool(b *bytes.Buffer, t *call.Tool) bool {
	guesses := slices.DeleteFunc(infer.Tool(t), func(g infer.Guess) bool {
		if isRule(d.checks, g.Kind) {
			return false
		}
		fmt.Fprintf(b, "      # %s: its argument %s is probably %s, which no rule demands anything of yet\n",
			oneLine(t.Name, maxDescription), oneLine(g.Address, maxDescription), g.Kind)
		return true
	})
	m, meta := metaTool(t)
	proven := d.proven(t)
	if len(guesses)+len(proven.arguments) == 0 && !meta && len(proven.output) == 0 {
		return false
	}
	fmt.Fprintf(b, "      %s:\n", quoted(t.Name))
	if meta {
		b.WriteString("        # guess: it calls the tool that an argument names; a tool that the server does not list is refused\n")
		fmt.Fprintf(b, "        calls: {tool: %s, arguments: %s}\n", key(m.Tool), key(m.Arguments))
	}
	demanded := proven.writeOutput(b) || meta
	if len(guesses)+len(proven.arguments) == 0 {
		if !demanded {
			b.WriteString("        arguments: {}\n")
		}
		return true
	}
	var body bytes.Buffer
	demands := 0
	strict := preset.Strict(t)
	for _, g := range guesses {
		if slices.Contains(d.loose, demandAt{t.Name, g.Address, g.Kind}) && proven.find(g.Address) == nil {
			fmt.Fprintf(&body, "          # %s: no demand: it looks like %s, and that demand refused a harmless call of the audit\n", oneLine(argument(g.Address), maxDescription), g.Kind)
			continue
		}
		if g.Open && proven.find(g.Address) == nil {
			fmt.Fprintf(&body, "          # %s: no demand: it is a time in more than one form; if the tool takes one, demand it, such as time: {format: date}\n", oneLine(argument(g.Address), maxDescription))
			continue
		}
		if !proven.instead(g) {
			demands++
			options := cmp.Or(existing(strict, g.Address), everyday(t, g.Kind))
			if g.Kind == infer.URL && proven.resolves(g.Address) {
				options = withOption(options, "resolve: true")
			}
			if g.Kind == infer.URL {
				options = d.hosts(&body, t, g.Address, options)
			}
			if a := proven.find(g.Address); a != nil && a.designed {
				body.WriteString(designedComment)
				options = designedOptions
			}
			d.guess(&body, g, options, proven.take(g.Address, g.Kind))
		}
	}
	if demands += proven.write(&body, t, d); demands > 0 {
		b.WriteString("        arguments:\n")
	} else {
		b.WriteString("        arguments: {}\n")
	}
	b.Write(body.Bytes())
	return true
}

// guess writes a demand on an argument, and why. Further demands of the argument follow it.
func (d *drafting) guess(b *bytes.Buffer, g infer.Guess, options, further string) {
	fmt.Fprintf(b, "          # guess: %s, because %s\n", g.Kind, oneLine(g.Reason, maxDescription))
	if more := tighten[g.Kind]; more != "" && !d.advised[g.Kind] && options != designedOptions { // once in a policy
		if d.advised == nil {
			d.advised = map[infer.Kind]bool{}
		}
		d.advised[g.Kind] = true
		fmt.Fprintf(b, "          # %s\n", more)
	}
	if g.Kind == infer.URL && proxyName.MatchString(g.Address) {
		fmt.Fprintf(b, "          # a proxy of the caller's choice sees every request; to forbid it: %s\n", d.rule(fmt.Sprintf("{name: no-proxy, effect: deny, when: \"%s\"}", has(g.Address))))
	}
	if further != "" {
		b.WriteString(plainTextComment)
	}
	fmt.Fprintf(b, "          %s: {%s: %s%s}\n", key(argument(g.Address)), g.Kind, options, further)
}

// withOption adds an option to those of a demand.
func withOption(options, option string) string {
	rest := strings.TrimPrefix(options, "{")
	if rest == "}" {
		return "{" + option + "}"
	}
	return "{" + option + ", " + rest
}

// isRule reports whether a policy can make a demand on arguments of a kind.
func isRule(checks enforce.Checks, kind infer.Kind) bool {
	return slices.ContainsFunc(checks.Demands(), func(r *check.Demand) bool { return r.Name == string(kind) })
}

// existing returns the options of a path that must exist: a tool that reads it would fail, at night perhaps.
func existing(strict []policy.Argument, address string) string {
	for _, a := range strict {
		for _, d := range a.Demands {
			if o, ok := d.Options.(*pathcheck.Options); ok && a.Address == address && o.Exists != nil {
				return "{exists: true}"
			}
		}
	}
	return ""
}

// everyday returns the options with which a tool can do its ordinary work: a browser looks at this machine's pages, git
// clones over ssh, and a shell joins commands, each of which is judged.
func everyday(t *call.Tool, kind infer.Kind) string {
	switch kind {
	case infer.URL:
		switch {
		case preset.Browses(t):
			return "{schemes: [http, https, about, blob, data], bare: true, userinfo: true, loopback: allow}"
		case preset.Clones(t):
			return "{schemes: [http, https, ssh, git, git+ssh], userinfo: true}"
		}
		return "{bare: true}"
	case infer.Command:
		return "{allow: [pipe, and, redirection, glob, expansion, assignment]}"
	case infer.Glob:
		return "{absolute: true}"
	}
	return "{}"
}

// argument returns the name of an address in a policy: a plain name, or the address itself.
func argument(address string) string {
	name := shown(address)
	if name == "" || name[0] == '/' {
		return address
	}
	return name
}

var plainKey = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// key writes a key of a mapping, in quotes unless it is a plain word.
func key(s string) string {
	reserved := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if plainKey.MatchString(s) && !slices.Contains(reserved, strings.ToLower(s)) {
		return s
	}
	return quoted(s)
}

// quoted writes a string that YAML and Go read alike.
func quoted(s string) string { return strconv.QuoteToASCII(s) }

// texts writes a list of strings, and escapes dollar signs so that none begins a variable.
func texts(list []string) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = quoted(strings.ReplaceAll(s, "$", "$$"))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

var launchers = []string{"npx", "uvx", "uv", "node", "python", "python3", "bunx", "bun", "deno", "docker", "run", "tool", "exec", "-y"}

// serverName guesses a name from the command: npx -y @scope/server-files is "files".
func serverName(command []string) string {
	for _, word := range command {
		base := path.Base(strings.ReplaceAll(word, `\`, "/"))
		if strings.HasPrefix(word, "-") || slices.Contains(launchers, base) {
			continue
		}
		name, _, _ := strings.Cut(base, "@")
		name = strings.TrimSuffix(name, path.Ext(name))
		for _, affix := range []string{"mcp-server-", "server-", "mcp-"} {
			name = strings.TrimPrefix(name, affix)
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, "-server"), "-mcp")
		if plainKey.MatchString(name) {
			return name
		}
	}
	return "server"
}
