// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// examples are files that the expression of secrets matches, one for each kind that a pattern of a shell may be meant
// to find. Those of a home directory begin with a dot.
var examples = lazy.Value(func() [][]string {
	return split(`/etc/passwd /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d/x /etc/master.passwd /etc/security/opasswd /etc/krb5.keytab
	/etc/shadow- /etc/passwd- /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ed25519_key /proc/self/environ /proc/1/environ /proc/self/mem /proc/1/cmdline /dev/mem
	.ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/id_dsa .ssh/config .ssh/authorized_keys .netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .htpasswd .vault-token
	.bash_history .zsh_history .env .env.local .env.production .cargo/credentials.toml .config/gh/hosts.yml .aws/credentials .aws/config .gnupg/secring.gpg .gnupg/private-keys-v1.d .kube/config .azure/accesstokens.json .docker/config.json
	.config/gcloud/credentials.db /run/secrets/x /var/run/secrets/kubernetes.io/serviceaccount/token`)
})

// split returns the steps of each path in a list. Those of an absolute path begin with "".
func split(list string) (steps [][]string) {
	for _, file := range strings.Fields(list) {
		steps = append(steps, splitAt(file, "/"))
	}
	return steps
}

// finds reports whether a pattern of a shell, such as /e??/sha*, may find a file with secrets. A step that is only a * finds
// everything, and says nothing: such a pattern needs another step that is not.
func finds(pattern string) bool {
	if !strings.ContainsAny(pattern, "*?[") || strings.ContainsAny(pattern, " \t\n") {
		return false
	}
	steps := splitAt(filekind.Clean(strings.ToLower(pattern)), "/")
	for len(steps) > 0 && (steps[0] == "~" || hasPrefix(steps[0], "~")) {
		steps = steps[1:]
	}
	return slices.ContainsFunc(examples(), func(example []string) bool {
		if matchSteps(steps, example) {
			return true
		}
		if example[0] == "" {
			return false
		}
		// A home directory, or the directory of a variable, stands before it.
		return len(steps) > len(example) && matchSteps(steps[len(steps)-len(example):], example)
	})
}

// matchSteps reports whether each step of a pattern matches that of a path.
func matchSteps(pattern, file []string) bool {
	if len(pattern) != len(file) {
		return false
	}
	tells := false
	for i, p := range pattern {
		p = strings.ReplaceAll(p, "[!", "[^")
		if hasPrefix(file[i], ".") && !hasPrefix(p, ".") {
			return false // * finds no hidden file
		}
		if matched, err := path.Match(p, file[i]); err != nil || !matched {
			return false
		}
		tells = tells || p == ".*" || strings.Trim(p, "*?.") != ""
	}
	return tells
}

// namesSecret reports whether a word names, or as a pattern may find, a file with secrets: from a directory that the shell or the
// program goes to first, or by itself.
func (j *judge) namesSecret(word, directory string) bool {
	if contains(word, insertion) {
		return j.maySecret(withoutInsertions(word, ""), directory) || j.allow[expansion] && finds(withoutInsertions(word, "*"))
	}
	return j.maySecret(word, directory) && !j.allow[secret+" "+j.full(directory, j.through(word, true))] // the policy may let one file be named
}

func (j *judge) maySecret(word, directory string) bool {
	if contains(word, "://") && contains(word, "%") { // a server reads the same
		if plain, err := url.PathUnescape(word); err == nil {
			word = plain
		}
	}
	if word = j.through(word, false); anyHidden.MatchString(word) { // an expression: directly below the root, nothing with a dot is secret
		return false
	}
	if filekind.Secret(word) || j.allow[glob] && finds(word) {
		return true
	}
	if directory == "" || word == "" {
		return false
	}
	if _, value, ok := cut(word, "="); ok && hasPrefix(word, "-") {
		word = value
	}
	if hasPrefix(word, "/") || hasPrefix(word, "~") || hasPrefix(word, "-") || contains(word, " ") && !hasPrefix(word, ".") {
		return false
	}
	below := trimSuffix(directory, "/") + "/" + word
	return filekind.Secret(below) || j.allow[glob] && finds(below)
}

// anyHidden is an option with an expression for what is hidden directly below the root.
var anyHidden = lazyregexp.New(`^--?[\w.-]+=/\.\*/$`)

// goers are programs that take the shell to another directory.
var goers = wordset.New("cd chdir pushd popd set-location sl")

// follow learns from a command where those after it look for relative paths.
func (j *judge) follow(s simple) {
	if len(s.words) == 0 || !goers.Has(s.program()) {
		return
	}
	if s.program() == "popd" {
		j.directory, j.before = j.before, j.directory
		return
	}
	to := "~"
	for _, w := range s.words[1:] {
		if w == "-" {
			if to = j.before; to == "" && j.directory == j.begins { // where an earlier line was
				to = insertion
			}
			break
		}
		if w == "" || w[0] != '-' {
			to = toDirectory(j.directory, w)
			break
		}
	}
	j.directory, j.before = to, j.directory
}

// link learns the links that a command makes.
func (j *judge) link(s simple) {
	var names []string
	into := ""
	for i, w := range s.words[1:] {
		if among(s.words[i], "-t --target-directory") {
			into = w
		} else if w != "" && w[0] != '-' {
			names = with(names, w)
		}
	}
	if last := len(names) - 1; into == "" && last > 0 {
		into, names = names[last], names[:last]
	}
	if j.links == nil {
		j.links = map[string]string{}
	}
	for _, to := range names[:min(len(names), maxOthers)] {
		for _, place := range []string{into, path.Join(into, lastStep(to))} { // the last word may be the link, or a directory for it
			if name := j.at(place); place != "" && (place != into || len(names) == 1) {
				j.links[name] = toDirectory(path.Dir(name), to)
			}
		}
	}
}

// through returns the place to which a word leads by way of a link of the line. A word for the link itself leads there only if it is followed.
func (j *judge) through(word string, follows bool) string {
	if len(j.links) == 0 || word == "" || word[0] == '-' {
		return word
	}
	full, longest := j.at(word)+"/", ""
	follows = follows || hasSuffix(word, "/")
	for name, to := range j.links {
		if rest, ok := cutPrefix(full, name+"/"); ok && len(name) > len(longest) && (follows || rest != "") {
			word, longest = to+"/"+trimSuffix(rest, "/"), name
		}
	}
	return word
}

// joined returns the directory to which a change of directory leads from another.
func toDirectory(from, to string) string {
	if from == "" || hasPrefix(to, "/") || hasPrefix(to, "~") || hasPrefix(to, insertion) {
		return to
	}
	return path.Join(from, to)
}

// elsewhere returns the directory in which a command looks for relative paths: where the shell is, or that of an option such
// as -C DIR.
func (j *judge) elsewhere(s simple) string {
	for i, w := range s.words {
		switch name, value, ok := cut(w, "="); {
		case (w == "-C" || w == "--directory" || w == "--chdir") && i+1 < len(s.words):
			return toDirectory(j.directory, s.words[i+1])
		case ok && (name == "--directory" || name == "--chdir"):
			return toDirectory(j.directory, value)
		}
	}
	return j.directory
}

// shows are programs that only read the files in their words; git has its own rules.
var shows = wordset.New("cat less more head tail grep egrep fgrep rg ls ll dir wc diff cmp file stat test [ find du tree nl bat md5sum sha1sum sha256sum sort cut awk gawk git echo printf basename dirname realpath readlink cd pushd which type husky jq yq yamllint actionlint shellcheck hadolint prettier biome dprint yamlfmt pre-commit prek lefthook yaml2json json2yaml js-yaml check-jsonschema zizmor")

// takeFiles are programs whose words name files, if they are no options and no expressions, even with blanks in them.
var takeFiles = wordset.New("cat less more head tail bat nl tac base64 base32 xxd od hexdump strings sort cut uniq paste rev fold column fmt pr wc diff cmp comm join grep egrep fgrep zgrep rg ag sed gsed awk gawk mawk cp gcp mv ln install rsync scp ditto tar bsdtar zip 7z source . dd tee open vim vi nano code gzip bzip2 xz zstd openssl gpg split shred")

// tellers are programs that describe files without showing their content.
var tellers = wordset.New("ls ll dir stat test [ file find du tree basename dirname realpath readlink")

var outputOption = lazyregexp.New(`^-{1,2}(out|outp|outpu|output|out-?[dD]ir|out-?[fF]ile|output-(file|dir|directory|document)|(cover|cpu|mem|block|mutex)profile|target(-dir|-directory)?|trace-?out|dest(ination)?)$`)

// output returns the name in a word that is the value of an option for the output: -o X, -oX, --output X, --output=X. A
// program that shows files may have another meaning for -o.
func output(program string, words []string, i int) (name string, ok bool) {
	word, letter := words[i], program == "tree" || !tellers.Has(program) && !searches.Has(program)
	option, value, glued := cut(word, "=")
	switch {
	case program == "wasm-pack": // from the directory of its package
		return "", false
	case glued && outputOption.MatchString(option):
		return value, true
	case letter && len(word) > 2 && (word[:2] == "-o" || program == "less" && word[:2] == "-O") && strings.IndexByte("/~.", word[2]) >= 0:
		return word[2:], true
	}
	before := words[i-1]
	if i > 1 && among(program, "curl") && clusteredOutput.MatchString(before) || i > 1 && among(program, "wget wget2") && clusteredDocument.MatchString(before) {
		return word, true
	}
	if m := gluedOutput.FindStringSubmatch(word); m != nil && program == "curl" {
		return m[1], true
	}
	return word, i > 1 && (outputOption.MatchString(before) || letter && before == "-o" || before == "-d" && among(program, "javac javadoc"))
}

// Letters of curl and wget may stand before the one for the output, and its name behind it.
var (
	clusteredOutput   = lazyregexp.New(`^-[#0-9BfgGiIjkLlMnNOpqRsSvZ]*o$`)
	clusteredDocument = lazyregexp.New(`^-[bcdEFHkKmNnpqrSvxh46]*O$`)
	gluedOutput       = lazyregexp.New(`^-[#0-9BfgGiIjkLlMnNpqRsSvZ]*o(.+)$`)
)

var searches = wordset.New("grep egrep fgrep rg bat ps lsof")

// hoards are programs that read all files below a directory, to write them elsewhere.
var hoards = wordset.New("tar bsdtar zip 7z 7za rar cpio pax rsync scp cp gcp robocopy xcopy")

var hoard = lazyregexp.New(`^(/|/etc|/root|/home(/[^/]+)?|/users(/[^/]+)?|~[^/]*|.*[/~]?\.(aws|gnupg|kube|docker|azure|ssh|config/gcloud)|/proc|/var/run/secrets)(/\*?)?$`)

// hoardNames are the directories of secrets among them: to search in one is to read it.
var hoardNames = lazyregexp.New(`(^|[/~])\.(aws|gnupg|kube|docker|azure|ssh|config/gcloud)(/\*?)?$`)

// hoarded reports whether a word names one of hoardNames.
//
//go:noinline
func hoarded(word string) bool {
	return hoardNames.MatchString(strings.ToLower(filekind.Clean(word)))
}

// holdsSecrets reports whether a word names a directory with files that hold secrets.
func holdsSecrets(word string) bool {
	return strings.ContainsAny(word, "/~.") && hoard.MatchString(strings.ToLower(filekind.Clean(word)))
}
