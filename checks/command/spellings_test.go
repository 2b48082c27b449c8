// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
)

// samples are values in each class of the table.
var samples = map[string]string{
	"whole-environment": "$ENV",
	"perl-file":         "id|",
	"perl-module":       "File::Path",
	"elsewhere":         "/x.js",
	"bypass":            "never",
	"":                  "sudo id",
	"awk-code":          `BEGIN{system("id")}`,
	"sed-command":       "1e id",
	"editor-command":    "!id",
	"pager-command":     "!id",
	"stdin":             "-",
	"pager":             "id",
	"writing":           "DELETE",
	"git-setting":       "core.sshCommand=id",
	"merge-strategy":    "x",
	"ssh-setting":       "ProxyCommand=id",
	"php-setting":       "auto_prepend_file=x",
	"not-ssh":           "sh -c id",
	"linker":            "-extld=x",
	"root":              "/",
	"now":               "now",
	"path":              "./x.nse",
	"world-writable":    "/tmp/x",
	"shared-settings":   "/tmp/x",
	"system":            "/etc/cron.d/x",
	"sent-secret":       "@/home/a/.ssh/id_rsa",
	"other-address":     "gopher://example.com/x",
	"address":           "https://example.com/x",
	"proxy":             "evil.example:80",
	"other-place":       "example.org:443:192.0.2.1",
	"debugger-command":  "shell id",
	"remote":            "git+https://example.com/x",
	"npm-remote":        "user/repository",
	"remote-file":       "https://example.com/x",
	"versioned":         "example.com/x@latest",
	"program-remote":    "ext::sh -c id",
	"deleted-ref":       ":main",
	"host-mount":        "/etc:/x",
	"host-network":      "host",
	"set-uid":           "u+s",
	"kubernetes-secret": "secret/x",
	"any":               "sudo id",
	"pipe":              "|id",
	"not-file":          "puts 1",
	"compiler":          "=id",
	"not-compressor":    "id",
	"not-plain-flag":    "-load-plugin-library",
	"node-setting":      "--require=./x.js",
	"cargo-setting":     "build.rustc-wrapper=x",
	"fzf-action":        "a:execute[id]",
	"rust-linker":       "linker=id",
	"go-setting":        "CC=id",
	"recipe-code":       "x:=$(shell id)",
	"host-path":         "example.com/x",
	"host-device":       "device=/",
	"maven-exec":        "org.codehaus.mojo:exec-maven-plugin:java",
	"sbt-code":          "eval 1",
	"socat-program":     "exec:id",
	"sqlite-command":    ".sh id",
	"secret-inside":     `{getline < "/etc/shadow"}`,
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, class := range classes {
		name := class.name
		if sample, ok := samples[name]; !ok || !class.holds(sample) {
			t.Errorf("the sample %q is not in the class %s", sample, name)
		}
	}
	for name, p := range grammar.Programs() {
		for _, table := range append([]*grammar.Program{p}, p.Subs...) {
			for _, o := range table.Options {
				if o.Class != "" && classOf(o.Class).name == "" {
					t.Errorf("%s %s: no such class", name, o.Spec())
				}
			}
		}
	}
}

// a speller writes an option in every way in which a program reads it.
type speller struct {
	style  grammar.Style
	tables []*grammar.Program // in which a name must not be ambiguous
}

// words returns the spellings of an option with a value, each as words.
func (s speller) words(o *grammar.Option, value string) [][]string {
	switch {
	case o.Name == "*":
		return [][]string{{value}, {"--frobnicate=" + value}}
	case o.Name == "" || o.Name == "1":
		return [][]string{{value}}
	case o.Name == ".":
		return [][]string{nil}
	case o.Name == "+" || o.Name == "@":
		return [][]string{{o.Name + value}}
	case o.Arity == grammar.Glued:
		return [][]string{{o.Name + value}}
	case o.Name[0] != '-':
		return [][]string{{o.Name}}
	}
	var spelled [][]string
	letter := len(o.Name) == 2 || len(o.Name) == 3 && o.Name[1] != '-' && !s.style.Words
	for _, name := range s.names(o.Name) {
		switch o.Arity {
		case grammar.None:
			spelled = append(spelled, []string{name})
		case grammar.Next, grammar.Rest:
			spelled = append(spelled, []string{name, value})
		case grammar.Required:
			spelled = append(spelled, []string{name, value})
			if !letter {
				spelled = append(spelled, []string{name + "=" + value})
			}
		case grammar.Optional:
			if o.Class == "" {
				spelled = append(spelled, []string{name})
			}
			if !letter {
				spelled = append(spelled, []string{name + "=" + value})
			}
		}
	}
	if letter && !s.style.Words {
		spelled = append(spelled, s.clusters(o, value)...)
	}
	return spelled
}

// clusters returns a letter glued to its value, and behind another letter.
func (s speller) clusters(o *grammar.Option, value string) [][]string {
	var spelled [][]string
	free := "-" + string(s.free())
	letters := o.Name[1:]
	for _, name := range []string{o.Name, free + letters, free + free[1:] + letters} {
		switch o.Arity {
		case grammar.Required:
			spelled = append(spelled, []string{name, value}, []string{name + value})
			if s.style.Exact {
				spelled = append(spelled, []string{name + "=" + value})
			}
		case grammar.Optional:
			spelled = append(spelled, []string{name}, []string{name + value})
		case grammar.Next, grammar.Rest:
			spelled = append(spelled, []string{name, value})
		default:
			spelled = append(spelled, []string{name})
		}
	}
	if o.Arity == grammar.None || o.Arity == grammar.Next {
		spelled = append(spelled, []string{"-" + letters + free[1:], value})
	}
	if s.style.Old {
		spelled = append(spelled, []string{free[1:] + letters, value})
	}
	return spelled
}

// free returns a letter that no option begins with.
func (s speller) free() rune {
	for c := 'z'; ; c-- {
		if !slices.ContainsFunc(s.all(), func(name string) bool { return strings.HasPrefix(name, "-"+string(c)) }) {
			return c
		}
	}
}

func (s speller) all() []string {
	var names []string
	for _, table := range s.tables {
		for _, o := range table.Options {
			names = append(names, o.Name)
		}
	}
	return names
}

// names returns the ways to write a name: cut, with one dash or two, in capitals, with underscores.
func (s speller) names(name string) []string {
	names := []string{name}
	dashes := name[:len(name)-len(strings.TrimLeft(name, "-"))]
	bare := name[len(dashes):]
	mayCut := dashes == "--" || s.style.Dashes || s.style.Fold
	for n := 1; n < len(bare) && mayCut && !s.style.Exact; n++ {
		if n == 1 && dashes == "-" && !s.style.Fold || bare[n-1] == '-' {
			continue
		}
		others := slices.ContainsFunc(s.all(), func(other string) bool {
			other, dashed := strings.CutPrefix(other, "-")
			return dashed && strings.TrimLeft(other, "-") != bare && strings.HasPrefix(strings.TrimLeft(other, "-"), bare[:n])
		})
		if !others {
			names = append(names, dashes+bare[:n])
		}
	}
	for _, n := range slices.Clone(names) {
		bare := strings.TrimLeft(n, "-")
		if s.style.Dashes && len(bare) > 1 {
			names = append(names, "-"+bare, "--"+bare)
		}
		if s.style.Fold {
			names = append(names, strings.ToUpper(n), "/"+bare, "–"+bare)
		}
		if s.style.Underscore {
			names = append(names, dashes+strings.ReplaceAll(bare, "-", "_"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// commands returns all commands in which an option of a program is used, and one without it.
func commands(p *grammar.Program, sub *grammar.Program, o *grammar.Option) (all [][]string, without []string) {
	begin := []string{p.Names[0]}
	s := speller{style: p.Style, tables: []*grammar.Program{p}}
	stops := p.Stops || p.Starts > 0
	if sub != nil {
		begin = append(begin, sub.Names[0])
		s.tables = append(s.tables, sub)
		stops = sub.Stops || sub.Starts > 0
	}
	value := samples[o.Class]
	for _, words := range s.words(o, value) {
		add := func(before ...string) { all = append(all, slices.Concat(begin, before, words)) }
		add()
		first := s.style.Old || o.Name == "."
		if first {
			continue
		}
		add("--frobnicate=x")
		add("--frobnicate")
		if !stops && o.Name != "1" && (sub != nil || !p.Alone || o.Name[:min(1, len(o.Name))] != "-") {
			add("operand")
		}
		if s.style.Endless || o.Name == "" || o.Name == "1" || o.Name == "*" {
			add("--")
		}
		for _, table := range s.tables {
			for _, v := range table.Options {
				if v.Kind == grammar.Value && v.Arity == grammar.Required && (table == sub || !p.Alone) {
					add(v.Name, "value")
					if o.Name == "*" {
						all = append(all, slices.Concat(begin, []string{v.Name, value}))
					}
				}
			}
		}
		if sub == nil && !p.Alone && strings.HasPrefix(o.Name, "-") {
			for _, sub := range p.Subs {
				all = append(all, slices.Concat(begin, sub.Names[:1], words))
			}
		}
	}
	return all, begin
}

// TestSpellings holds that an option that is refused is refused in every spelling: whole and cut,
// with its value behind = or glued or in the next word, in clusters, before and after operands, other
// options and sub-commands.
func TestSpellings(t *testing.T) {
	t.Parallel()
	options, spellings := 0, 0
	programs := grammar.Programs()
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		p := programs[name]
		if name != p.Names[0] {
			continue
		}
		demand := &Options{Programs: []string{name}}
		for _, sub := range append([]*grammar.Program{nil}, p.Subs...) {
			table := sub
			if sub == nil {
				table = p
			}
			for k := range table.Options {
				o := &table.Options[k]
				if _, bad := consequenceOf(o.Kind); !bad && o.Kind != grammar.Line {
					continue
				}
				options++
				all, without := commands(p, sub, o)
				if o.Name != "." && refused(demand, array(without)) {
					t.Errorf("%q is refused without an option", without)
				}
				for _, words := range all {
					spellings++
					if !refused(demand, array(words)) {
						t.Errorf("%s passes as %q", o.Spec(), words)
					}
				}
			}
		}
	}
	t.Logf("%d options in %d spellings", options, spellings)
}
