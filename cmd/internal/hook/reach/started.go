// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// archived is the name of an archive.
var archived = lazyregexp.New(`\.(tar(\.\w+)?|t[gbx]z2?|zip|jar)$`)

// targeted is an option before the directory that a copy goes to.
var targeted = lazyregexp.New(`^(-[a-zA-Z]*t|--target-directory)$`)

// copies notes the files of secrets that a step makes: the line may read its own copies.
func (p *Place) copies(s *simple) {
	words, program := s.operands(), s.program()
	if len(words) == 0 || len(p.copied) > maxLooked {
		return
	}
	last := len(words) - 1
	to, from := words[last], words[:last]
	switch {
	case among(program, "tar gtar bsdtar") && tarMakes(s), program == "zip":
		took := packed(s, words)
		for _, f := range p.secrets(s) {
			for _, w := range words {
				if archived.MatchString(w.text) && took(f) {
					p.copied = append(p.copied, file{path: under(s.dir, w.text), secret: true, of: cmp.Or(f.of, f.path)})
				}
			}
		}
		return
	case among(program, "tar gtar bsdtar unzip"):
		dir := s.dir
		for i, w := range s.words[1:] {
			if among(s.words[i].text, "-C --directory -d") {
				dir = under(s.dir, w.text)
			}
		}
		for _, f := range p.secrets(s) {
			if named(words, s.dir, f, false) || slices.ContainsFunc(s.in, func(from *simple) bool { took := packs(from); return took != nil && took(f) }) {
				of := cmp.Or(f.of, f.path)
				p.copied = append(p.copied, file{path: filepath.Join(dir, filepath.Base(of)), secret: true, of: of})
			}
		}
		return
	case last == 0:
		return
	case among(program, "cp gcp") && (s.short("rRa") || s.has("--recursive --archive")), program == "rsync" && (s.short("ra") || s.has("--recursive --archive")), program == "ditto", program == "mv", program == "ln":
		for i, w := range s.words[1:] {
			if program != "rsync" && targeted.MatchString(s.words[i].text) {
				to, from = w, slices.DeleteFunc(slices.Clone(words), func(one stepWord) bool { return one.text == w.text })
			}
		}
	default:
		return
	}
	took := packed(s, from)
	for _, f := range p.secrets(s) {
		if to.from != nil || !took(f) || len(p.copied) > maxLooked {
			continue
		}
		dir := under(s.dir, to.text)
		for _, w := range append(slices.Clip(from), stepWord{text: "."}) { // into an old directory, or as a new one
			begin := under(s.dir, w.text)
			rel, err := filepath.Rel(begin, f.path)
			if err != nil || strings.HasPrefix(rel, "..") {
				continue
			}
			for _, path := range []string{filepath.Join(dir, rel), filepath.Join(dir, filepath.Base(begin), rel)} {
				p.copied = append(p.copied, file{path: path, secret: true, of: cmp.Or(f.of, f.path)})
			}
		}
	}
}

// plainFlags are options of "docker run" that take no value.
var plainFlags = lazyregexp.New(`^(-[ditPq]+|--(rm|init|detach|interactive|tty|privileged|read-only|publish-all|quiet|no-healthcheck|sig-proxy))$`)

// inContainer returns the command of a container as a step in the directory of this machine that the container has; nil if there is none.
func inContainer(s *simple) *simple {
	if !among(s.program(), "docker podman nerdctl") || len(s.words) < 3 || s.words[1].text != "run" {
		return nil
	}
	from, to, work, entry := "", "", "", []stepWord(nil)
	words := s.words[2:]
	for ; len(words) > 0 && strings.HasPrefix(words[0].text, "-"); words = words[1:] {
		option, value, glued := strings.Cut(words[0].text, "=")
		if !glued && !plainFlags.MatchString(option) && len(words) > 1 {
			words = words[1:]
			value = words[0].text
		}
		switch option {
		case "-v", "--volume", "--mount":
			if m := mounted.FindStringSubmatch(value); m != nil {
				from, to = under(s.dir, m[1]+m[3]), m[2]+m[4]
			}
		case "-w", "--workdir":
			work = value
		case "--entrypoint":
			entry = []stepWord{{text: value}}
		}
	}
	if from == "" || len(words) == 0 || len(entry)+len(words) < 2 { // the image alone
		return nil
	}
	inside := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(to, "/")) + `(/|["'\s;]|$)`)
	there := func(text string) string {
		return inside.ReplaceAllString(text, strings.ReplaceAll(from, "$", "$$")+"$1")
	}
	one := &simple{dir: there(work), in: s.in, lists: s.lists, others: s.others, saved: s.saved, words: slices.Concat(entry, words[1:])}
	for i := range one.words {
		one.words[i].text = there(one.words[i].text)
	}
	one.text = textOf(one.words)
	return one
}

// mounted is a directory of this machine, and where a container has it.
var mounted = lazyregexp.New(`^([^:,]+):(/[^:]*)|^type=bind,(?:source|src)=([^,]+),(?:target|dst|destination)=([^,]+)`)

// started returns the steps that a step starts: in a container, or for each of many files by xargs, parallel, find or fd.
func started(s *simple) []*simple {
	if in := inContainer(s); in != nil {
		if i := lineWord(in); i > 0 {
			return stepsOf(in.words[i].text, in.dir)
		}
		return []*simple{in}
	}
	var from names
	var words []stepWord
	mark := "{}"
	switch program := s.program(); {
	case among(program, "xargs gxargs parallel"):
		if from = listed(s.in); s.input != "" {
			from = s.listIn(s.input)
		}
		words = slices.Clone(s.words[1:])
		if i := slices.IndexFunc(words, func(w stepWord) bool { return w.text == ":::" }); i >= 0 {
			list := words[i+1:]
			from, words = func(f file) bool { return named(list, s.dir, f, false) }, words[:i]
		}
		for len(words) > 0 && strings.HasPrefix(words[0].text, "-") {
			option, value, glued := strings.Cut(words[0].text, "=")
			if !glued && len(words) > 1 {
				value = words[1].text
			}
			switch {
			case among(option, "-a --arg-file --arg-files"):
				from = s.listIn(value)
			case among(option, "-I -J --replace") && value != "":
				mark = value
			case strings.HasPrefix(option, "-I") && len(option) > 2:
				mark = option[2:]
			}
			if among(words[0].text, "-n -P -I -J -d -L -s -a -E -j --jobs --max-args --max-procs --delimiter --arg-file") && len(words) > 1 {
				words = words[1:]
			}
			words = words[1:]
		}
	case among(program, "find gfind bfs fd fdfind"):
		i := slices.IndexFunc(s.words, func(w stepWord) bool { return among(w.text, "-exec -execdir -ok -okdir -x -X --exec --exec-batch") })
		if i < 0 {
			return nil
		}
		from, words = listed([]*simple{s}), s.words[i+1:]
		if end := slices.IndexFunc(words, func(w stepWord) bool { return w.text == ";" || w.text == "+" }); end >= 0 {
			words = words[:end]
		}
	}
	if from == nil || len(words) == 0 {
		return nil
	}
	words = unstarted(slices.Clone(words))
	for i := range words {
		words[i].text = strings.ReplaceAll(words[i].text, mark, "{}")
	}
	if shell := filepath.Base(words[0].text); among(shell, shells) {
		i := slices.IndexFunc(words, func(w stepWord) bool { return strings.HasPrefix(w.text, "-") && strings.HasSuffix(w.text, "c") })
		if i < 0 || i+1 >= len(words) {
			return nil
		}
		each := stepWord{from: from}
		return stepsWith(words[i+1].text, s.dir, map[string]stepWord{"0": each, "1": each, "@": each, "*": each, "{}": each})
	}
	one := &simple{dir: s.dir, lists: s.lists, others: s.others, words: slices.Clone(words), text: textOf(words), saved: s.saved}
	one.words = append(slices.DeleteFunc(one.words, func(w stepWord) bool { return w.text == "{}" }), stepWord{from: from})
	return []*simple{one}
}
