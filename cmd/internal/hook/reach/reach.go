// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package reach tells what a line of a shell reaches of the files where it runs: a walk, a pattern or a list of names may reach one with secrets, or all
// files of the work. The check command judges a line by what it names.
//
//	line ─ steps.go ─▶ simple commands ─ started.go ─▶ those that they start ─ listing.go, searching.go ─▶ files ─ reach.go ─▶ a kind, or none
//
// Nobody knows how a command will end, so each branch of a line counts.
package reach

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/subpath"
)

// A Place is where a line runs. It is not for concurrent use.
type Place struct {
	Dir    string                 // relative paths begin there
	Roots  []string               // the directories of the project
	Secret func(path string) bool // whether a file holds secrets, by its name
	Asks   func(kind string) bool // whether the user is asked about a kind

	looked map[string][]file // by directory
	copied []file            // those that the line makes of files of secrets
}

// Line returns the kind of what a line of a shell reaches, if that is too much, and says what; "" if it is not. A line beyond 64 kB is not read: the
// check command has a lower bound.
func (p *Place) Line(line string) (kind, what string) {
	if len(line) > maxLine {
		return "", ""
	}
	return p.of(stepsOf(line, p.Dir))
}

// Command is Line for the words of one command.
func (p *Place) Command(words ...string) (kind, what string) {
	s := &simple{dir: p.Dir}
	for _, w := range words {
		s.words = append(s.words, stepWord{text: w})
	}
	return p.of([]*simple{s})
}

// maxLine bounds a line, in bytes.
const maxLine = 1 << 16

// Bounds on a look at a directory. A search in a larger one is everyday work, and a person who is asked for each would soon consent to all.
const (
	maxLooked  = 50_000
	maxEntries = 4000 // of one directory: the others have their turn, too
)

// of returns the kind of a step of a line that reaches too many files, secrets first, and says what; "" if none does.
func (p *Place) of(steps []*simple) (kind, what string) {
	for i := 0; i < len(steps); i++ { // those that others start come behind
		if len(steps) > 2*maxSteps {
			steps = append(steps[:i:i], &simple{dir: steps[i].dir, over: true})
			break
		}
		steps = append(steps, started(steps[i])...)
	}
	for i, s := range steps {
		if i < len(steps)-1 { // nobody reads what the last one copies
			p.copies(s)
		}
		switch k, w := p.step(s); {
		case k == "secret":
			return k, w // a session remembers it, so another kind must not hide it
		case kind == "":
			kind, what = k, w
		}
	}
	return kind, what
}

// step does so for one step.
func (p *Place) step(s *simple) (kind, what string) {
	switch {
	case s.over && p.Asks("secret") && len(p.secrets(s)) > 0:
		return "secret", "has more commands than toolvet reads, where a file holds secrets"
	case s.over && p.Asks("wipe"):
		return "wipe", "has more commands than toolvet reads"
	case p.Asks("secret") && p.secretIn(s, reads(s)):
		return "secret", "reads many files of a directory, and one of them holds secrets"
	case p.Asks("secret") && p.secretIn(s, publishes(s)):
		return "secret", "copies a directory with a file that holds secrets to where others may read it"
	case p.Asks("secret") && p.secretIn(s, added(s)):
		return "secret", "makes git take a file that holds secrets"
	case p.Asks("setting") && among(s.program(), "sh bash zsh dash ksh") && everybodys.MatchString(s.input):
		return "setting", "makes the program run a file from a world-writable directory"
	case p.Asks("network") && tellsOthers(s):
		return "network", "sends what a file holds to another repository"
	case p.Asks("wipe") && p.covers(s):
		return "wipe", "deletes, empties, takes away or locks all files of the work at hand"
	case p.Asks("wipe") && discards(s):
		return "wipe", "throws away all changes in a directory that are not committed"
	}
	return "", ""
}

// secretIn reports whether one of the files that a step reaches holds secrets.
func (p *Place) secretIn(s *simple, reached names) bool {
	if reached == nil {
		return false
	}
	return slices.ContainsFunc(p.secrets(s), reached)
}

// secrets are the files of secrets that a step may reach.
func (p *Place) secrets(s *simple) (all []file) {
	places := append([]string{s.dir}, p.Roots...)
	for _, w := range s.operands() {
		places = append(places, under(s.dir, w.text))
	}
	slices.Sort(places)
	for _, dir := range slices.Compact(places) {
		for _, f := range p.look(dir) {
			if f.secret {
				all = append(all, f)
			}
		}
	}
	return append(all, p.copied...)
}

// look returns the files below a directory. Those near it come first, so that a bound leaves out the ones far down.
func (p *Place) look(dir string) []file {
	if all, done := p.looked[dir]; done {
		return all
	}
	var all []file
	left := maxLooked
	for dirs := []string{strings.TrimSuffix(dir, "/") + "/"}; len(dirs) > 0 && left > 0; dirs = dirs[1:] { // the first may be a link
		for _, d := range entries(dirs[0], left) {
			left--
			path := filepath.Join(dirs[0], d.Name())
			switch {
			case !d.IsDir():
				all = append(all, file{path: path, secret: secretName(d.Name()) && p.Secret(path)})
			case !among(d.Name(), ".git node_modules .venv venv"):
				dirs = append(dirs, path)
			}
		}
	}
	if p.looked == nil {
		p.looked = map[string][]file{}
	}
	p.looked[dir] = all
	return all
}

// entries returns up to some entries of a directory. Of a crowded one it returns some, and the usual names of secrets.
func entries(dir string, most int) (list []fs.DirEntry) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ = f.ReadDir(min(most, maxEntries))
	if len(list) < maxEntries {
		return list
	}
	for _, name := range append(secretBegins[:len(secretBegins):len(secretBegins)], ".env.local", ".env.production") {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	return list
}

// secretBegins are names of files of secrets, or their beginnings.
var secretBegins = strings.Fields(".env .npmrc .netrc .pypirc .pgpass .git-credentials .htpasswd .my.cnf .vault-token id_rsa id_dsa id_ecdsa id_ed25519")

// secretName reports whether a file may hold secrets, by its name. The policy decides. A key has no ending.
func secretName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".env") || slices.ContainsFunc(secretBegins, func(begin string) bool {
		return name == begin || begin[0] == '.' && strings.HasPrefix(name, begin)
	})
}

const (
	printers = "cat tac nl head tail less more most bat batcat xxd od hexdump hd strings base64 base32 sed gsed awk gawk mawk perl cut sort uniq paste rev fold column fmt pr jq diff"
	takers   = "base64 base32 xxd od hexdump strings cat funzip curl wget nc ncat netcat socat openssl ssh gh aws gsutil rclone"
)

// reads returns the files that a step prints without their names, or hands to a printer; nil if there are none.
func reads(s *simple) names {
	program := s.program()
	switch {
	case searches(s):
		if s.short("l") || s.has("--files-with-matches") {
			return nil // names alone
		}
		return searched(s)
	case program == "diff" && (s.short("r") || s.has("--recursive")) && !s.short("q") && !s.has("--brief"), program == "git" && len(s.words) > 1 && s.words[1].text == "diff" && s.has("--no-index") && !s.has("--stat --name-only --name-status --quiet"):
		words := s.operands()
		return func(f file) bool { return named(words, s.dir, f, true) }
	case composed(s):
		return func(f file) bool {
			return filepath.Dir(f.path) == s.dir && strings.HasPrefix(filepath.Base(f.path), ".env")
		}
	case (among(program, takers) || among(program, "tar gtar bsdtar") && tarPrints(s)) && slices.ContainsFunc(s.in, func(from *simple) bool { return packs(from) != nil }):
		for _, from := range s.in {
			if packed := packs(from); packed != nil {
				return packed
			}
		}
	case interpreters.MatchString(program) && readByCode(s) != nil:
		return readByCode(s)
	case among(program, printers) && !(among(program, "sed gsed perl") && s.short("i")), program == "unzip" && s.short("p"), tarPrints(s):
		words := s.operands()
		made := slices.DeleteFunc(slices.Clone(words), func(w stepWord) bool { return w.from == nil && !w.glob })
		return func(f file) bool { return named(made, s.dir, f, false) || f.of != "" && named(words, s.dir, f, false) }
	}
	return nil
}

// composed reports whether a step prints what docker compose makes of a project's .env.
func composed(s *simple) bool {
	words := s.operands()
	switch {
	case among(s.program(), "docker-compose podman-compose"):
	case among(s.program(), "docker podman") && len(words) > 0 && words[0].text == "compose":
		words = words[1:]
	default:
		return false
	}
	verb := func(list string) int {
		return slices.IndexFunc(words, func(w stepWord) bool { return among(w.text, list) })
	}
	if verb("run exec") >= 0 {
		return verb("env printenv") > verb("run exec")
	}
	return verb("config convert") >= 0 && verb("up down build ps logs start stop restart pull push") < 0 &&
		!s.has("-q --quiet --services --images --volumes --profiles --networks --models --hash")
}

// packs returns the files that a step writes into an archive on its standard output.
func packs(s *simple) names {
	if in := inContainer(s); in != nil {
		return packs(in)
	}
	switch program := s.program(); {
	case among(program, "tar gtar bsdtar") && tarMakes(s) && (!tarNames(s) || s.has("- /dev/stdout") || s.has("-f-")):
		return packed(s, s.operands())
	case among(program, "zip cpio") && (program == "cpio" || s.has("-")):
		if program == "cpio" {
			return listed(s.in)
		}
		return packed(s, s.operands())
	}
	return nil
}

func tarMakes(s *simple) bool {
	return s.short("c") || s.has("--create") || len(s.words) > 1 && tarLetters.MatchString(s.words[1].text)
}

// tarPrints reports whether tar prints what is in an archive.
func tarPrints(s *simple) bool {
	return among(s.program(), "tar gtar bsdtar") && (s.short("O") || s.has("--to-stdout") || len(s.words) > 1 && oldPrint.MatchString(s.words[1].text))
}

var oldPrint = lazyregexp.New(`^[a-z]*x[a-z]*O|^[a-z]*O[a-z]*x`)

func tarNames(s *simple) bool {
	return s.short("f") || len(s.words) > 1 && strings.Contains(s.words[1].text, "f") || strings.Contains(s.text, " --file")
}

var tarLetters = lazyregexp.New(`^[a-zA-Z]*c[a-zA-Z]*$`)

// packed returns the files below operands that no option excludes.
func packed(s *simple, words []stepWord) names {
	dir := s.dir
	var globs []string
	for i, w := range s.words {
		option, value, glued := strings.Cut(w.text, "=")
		switch next := i+1 < len(s.words); {
		case w.text == "-C" && next:
			to := s.words[i+1].text
			dir = under(dir, to)
			words = slices.DeleteFunc(slices.Clone(words), func(w stepWord) bool { return w.text == to && to != "." })
		case option == "--exclude" && glued:
			globs = append(globs, "!"+value)
		case option == "--exclude" && next:
			globs = append(globs, "!"+s.words[i+1].text)
		case w.text == "-x" && s.program() == "zip":
			for _, one := range s.words[i+1:] {
				globs = append(globs, "!"+one.text)
			}
		}
	}
	vcs := s.has("--exclude-vcs-ignores") || strings.Contains(s.text, ".gitignore")
	return func(f file) bool {
		return named(words, dir, f, true) && globsHold(globs, dir, f.path) && !(vcs && ignored(f.path))
	}
}

// publishes returns the files that a step copies or packs into a served directory.
func publishes(s *simple) names {
	words := s.operands()
	program := s.program()
	switch {
	case len(words) < 2:
		return nil
	case program == "zip" || among(program, "7z 7za"):
		if program != "zip" {
			words = words[1:]
		}
	case among(program, "tar gtar bsdtar") && tarMakes(s):
		if i := slices.IndexFunc(words, func(w stepWord) bool { return public.MatchString(w.text) && strings.Contains(w.text, ".t") }); i >= 0 {
			return packed(s, slices.Delete(slices.Clone(words), i, i+1))
		}
		return nil
	case among(program, "cp gcp") && (s.short("rRa") || s.has("--recursive --archive")), program == "rsync" && s.short("ra"):
		last := len(words) - 1
		words = append([]stepWord{words[last]}, words[:last]...)
	default:
		return nil
	}
	if !public.MatchString(words[0].text) {
		return nil
	}
	return packed(s, words[1:])
}

// public are the usual names of directories whose files a web server gives to everybody.
var public = lazyregexp.New(`(^|/)(public|public_html|static|www|htdocs|wwwroot|_site)(/|$)`)

// added returns the files of secrets that git takes: ignored files, if git is forced or ignores them no longer, and files that nobody told it to ignore.
func added(s *simple) names {
	program := s.program()
	if program == "git" && len(s.words) > 1 && s.words[1].text == "stash" && (s.short("au") || s.has("--all --include-untracked")) { // a later line shows it
		every := s.short("a") || s.has("--all")
		return func(f file) bool { return every || s.untracked(f) }
	}
	if program == "git" && len(s.words) > 1 && among(s.words[1].text, "add stage") && !s.short("nu") && !s.has("--dry-run --update") {
		rest := &simple{words: s.words[1:]}
		words := rest.operands()
		if len(words) == 0 && (s.short("A") || s.has("--all")) {
			words = []stepWord{{text: "."}}
		}
		for i, w := range words {
			if strings.Trim(w.text, "*:/") == "" && w.from == nil { // a pattern of git: it finds hidden files
				words[i] = stepWord{text: "."}
			}
		}
		forced := s.short("f") || s.has("--force")
		return func(f file) bool {
			return named(words, s.dir, f, true) && (forced || f.of != "" && !ignored(f.path) || s.untracked(f))
		}
	}
	ignores := func(w stepWord) bool {
		return filepath.Base(w.text) == ".gitignore" || strings.HasSuffix(w.text, ".git/info/exclude")
	}
	words := s.operands()
	lets := func(f file) bool { return false }
	switch last := len(words) - 1; {
	case slices.ContainsFunc(s.adds, ignores):
		lets = func(file) bool { return negated.MatchString(s.text) }
	case slices.ContainsFunc(s.writes, ignores) && among(program, "grep egrep sed awk"):
		lets = func(f file) bool { return takesOut(s.text, f) }
	case slices.ContainsFunc(s.writes, ignores) && (program == "" || among(program, ": true echo printf cat")):
		lets = func(f file) bool {
			return !strings.Contains(s.text, filepath.Base(f.path)) && !strings.Contains(s.text, ".env") && (program != "cat" || strings.Contains(s.text, "\n"))
		}
	case among(program, "sed gsed perl") && s.short("i") && slices.ContainsFunc(words, ignores):
		lets = func(f file) bool { return takesOut(s.text, f) }
	case among(program, "rm unlink shred trash truncate") && slices.ContainsFunc(words, ignores):
		lets = func(file) bool { return true }
	case program == "mv" && last > 0 && slices.ContainsFunc(words, ignores):
		lets = func(file) bool { return true }
	default:
		return nil
	}
	return func(f file) bool { return ignored(f.path) && lets(f) }
}

// negated is a line of .gitignore that has git take secrets after all.
var negated = lazyregexp.New(`!\S*(env|npmrc|\*)`)

// takesOut reports whether the expressions in a text match a line of .gitignore for a file, or lines go by their numbers.
func takesOut(text string, f file) bool {
	if byNumber.MatchString(text) {
		return true
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" \n;|'\"/", c) }) {
		if re := expression(word, false); len(word) > 2 && word != ".gitignore" && re != nil && (re.MatchString(filepath.Base(f.path)) || re.MatchString(".env")) {
			return true
		}
	}
	return false
}

var byNumber = lazyregexp.New(`(^|\s)[\d,$]*d(\s|$)`)

// covers reports whether a step deletes, empties or locks all files of a directory of the work.
func (p *Place) covers(s *simple) bool {
	program, words := s.program(), s.operands()
	deep := s.short("rR") || s.has("--recursive")
	switch {
	case among(program, "rm grm unlink shred srm"):
	case among(program, "trash trash-put rmtrash"), program == "gio" && len(words) > 1 && words[0].text == "trash":
		deep = true
	case program == "truncate" && emptied.MatchString(s.text), program == "chmod" && len(words) > 1 && lockedMode.MatchString(words[0].text):
	case program == "mv" && len(words) > 1:
		to := words[len(words)-1]
		if words, deep = words[:len(words)-1], true; to.from == nil && subpath.In(under(s.dir, to.text), s.dir) {
			return false // they stay
		}
	case program == "cp" && len(words) == 2 && words[0].text == "/dev/null":
		words = words[1:]
	default:
		words = s.writes
	}
	plain := 0
	words = slices.DeleteFunc(slices.Clone(words), func(w stepWord) bool {
		if w.from == nil && !w.glob {
			plain++
			return !deep
		}
		return false
	})
	if len(words) == 0 || deep && plain == len(words) && plain < 2 || !slices.Contains(p.Roots, s.dir) {
		return false
	}
	top, topNamed, all, allNamed := 0, 0, 0, 0
	everything := slices.ContainsFunc(words, func(w stepWord) bool {
		return w.glob && strings.Trim(w.text, "*?./") == "" && !strings.Contains(w.text, "..")
	})
	for _, f := range p.look(s.dir) {
		if hidden(s.dir, f.path) {
			continue
		}
		all++
		hit := everything || named(words, s.dir, f, deep)
		if hit {
			allNamed++
		}
		if filepath.Dir(f.path) == s.dir {
			top++
			if hit {
				topNamed++
			}
		}
	}
	return allNamed == all && all >= 3 || (!deep || plain < len(words)) && topNamed == top && top >= 3
}

var (
	emptied    = lazyregexp.New(`\s(-s\s*|--size[= ])0(\s|$)`)
	lockedMode = lazyregexp.New(`^(0+|[augo]*-r\w*|[augo]*=)$`)
)

// everybodys is a file in a directory that everybody may write to.
var everybodys = lazyregexp.New(`^(/private)?(/var/tmp|/tmp|/dev/shm)/`)

// tellsOthers reports whether a step puts the text of a file into a repository of others.
func tellsOthers(s *simple) bool {
	if !among(s.program(), "gh glab") || !s.has("issue pr mr release discussion snippet") {
		return false
	}
	repository, held := "", false
	for i, w := range s.words[1:] {
		option, value, glued := strings.Cut(w.text, "=")
		switch before := s.words[i].text; {
		case among(before, "-R --repo"):
			repository = w.text
		case glued && option == "--repo":
			repository = value
		case among(before, "-F --body-file") && w.text != "-", glued && option == "--body-file" && value != "-", w.held:
			held = true
		}
	}
	repository = strings.ToLower(strings.TrimSuffix(strings.Trim(repository, "/"), ".git"))
	if repository == "" || !held {
		return false
	}
	for dir := s.dir; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if text, err := textIn(filepath.Join(dir, ".git", "config")); err == nil {
			return !strings.Contains(strings.ToLower(text), repository)
		}
	}
	return true
}
