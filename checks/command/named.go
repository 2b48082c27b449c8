// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// runs reports whether a word is the script that a shell is given to run: no option that takes a value stands before it.
func (s simple) runs(i int) bool {
	return i > 0 && !anyWord(s.words[1:i], func(w string) bool { return !among(w, "-e -x -l -u -ex -eu -eux -i --login") })
}

// operand judges a word whatever the program: what it names, from a directory. The program may be one that tells of files
// without what is in them.
func (j *judge) operand(program, directory string, s simple, i int, tells bool) {
	word, element := s.words[i], s.element(i)
	if s.container { // its files are others
		if !tells && j.namesSecret(word, directory) && !hasPrefix(word, "/etc/") {
			j.refuseWord(&s, i, secret, "names a file that holds secrets or accounts")
		}
		if writers.Has(program) {
			j.refuseWord(&s, i, wipe, "names a file in a container, which the program would change")
		}
		return
	}
	tells = tells || !s.hands && !feeds.Has(s.by) && isExpression(program, s.words, i) || leavesOut(program, s.words, i)
	last := i+1 == len(s.words)
	if program == "ln" && last && s.alone(i) { // the link has the name of the file, and stands where the shell is
		if startsLater(directory, lastStep(word)) || holdsLater(directory, lastStep(word)) {
			j.refuseWord(&s, i, startup, "names a file from which a shell, git or the system starts programs later")
		}
		last = false
	}
	written, writes := output(program, s.words, i)
	file := word
	if takeFiles.Has(program) && !hasPrefix(word, "-") {
		file = filekind.Named(word)
	}
	switch {
	case !tells && finders.Has(program) && (among(s.words[i-1], "-name -iname") && strings.Trim(word, "*?.") != "" && j.allow[glob] && finds("/home/.ssh/"+word) ||
		holdsSecrets(toDirectory(directory, word)) && hoarded(toDirectory(directory, word))):
		j.refuseWord(&s, i, secret, "finds files that hold secrets, for another program")
	case !tells && j.namesSecret(file, directory) && !setsUp(program, s.words, i) && !isFilter(program, s.words, i):
		j.refuseWord(&s, i, secret, "names a file that holds secrets or accounts")
	case !tells && shows.Has(program) && !among(program, "wc echo printf cd") && envrc.MatchString(word):
		j.refuseWord(&s, i, credential, "names a file in which projects keep the variables of an environment, some of them secret")
	case !tells && readers.Has(program) && filekind.Key(word):
		j.refuseWord(&s, i, credential, "names a file that, going by its name, holds a private key or accounts")
	case !tells && (readers.Has(program) || among(program, "dd cp scp rsync grep tar")) && disks.MatchString(word):
		j.refuseWord(&s, i, credential, "reads a disk as it is, with the files of everybody on it")
	case hoards.Has(program) && !last && strings.ContainsAny(lastStep(word), "*?[") && j.ofHome(directory, path.Dir(word)) && hidesAll(lastStep(word)):
		j.refuseWord(&s, i, secret, "names a whole directory with keys, accounts or settings in it")
	case (writers.Has(program) || program == "ln" || last && copiers.Has(program)) && contains(word, "bin/") && isGuard(word), writes && contains(written, "bin/") && isGuard(written):
		j.refuseWord(&s, i, guard, "names a program that guards the agent")
	case among(program, "source . bash sh zsh dash") && s.runs(i): // as it stands, and changed by none of this line: that is judged where it happens
	case (!shows.Has(program) || program == "yq" && anyWord(s.words, func(w string) bool { return hasPrefix(w, "-i") || hasPrefix(w, "--in") })) && startsLater(directory, word), writes && startsLater(directory, written):
		j.refuseWord(&s, i, startup, "names a file from which a shell, git or the system starts programs later")
	case among(word, bypasses):
		j.refuseWord(&s, i, setting, "lets an agent do anything without a question")
	case writes && ofSystem(written) && written != "/dev/null":
		j.refuseWord(&s, i, system, "names a directory or device of the system, which the program would change")
	}
	if changes := writers.Has(program) || last && copiers.Has(program) || slices.Contains(s.changed, i); changes && !(word == ".." && last && (program == "mv" || copiers.Has(program))) && (ofSystem(word) || !s.filled && ofSystem(withoutInsertions(word, ""))) { // a variable may be empty
		what := "names a directory or device of the system, which the program would change"
		if word[0] == '~' {
			what = "names a whole home directory, which the program would change"
		}
		j.refuseWord(&s, i, system, what)
	} else if changes && !(program == "rmdir" && among(word, "/s /q /S /Q")) { // options, in a script for Windows
		j.leaves(element, directory, word)
	} else if writes {
		j.leaves(element, directory, written)
	}
	into := last && copiers.Has(program) || copiers.Has(program) && among(s.words[i-1], "-t --target-directory")
	if target, glued := cutPrefix(word, "--target-directory="); glued && copiers.Has(program) {
		word, into = target, true
		j.leaves(element, directory, target)
	}
	if (program == "ln" || program == "mv" || program == "rm" || erasers.Has(program) || into) && holdsLater(directory, word) {
		j.refuseWord(&s, i, startup, "names a directory from whose files git, an agent or the system starts programs later")
	}
	if full := toDirectory(directory, word); hoards.Has(program) && (!last || !copiers.Has(program)) && holdsSecrets(full) || searches.Has(program) && !tells && hoarded(full) {
		j.refuseWord(&s, i, secret, "names a whole directory with keys, accounts or settings in it")
	}
	if startsShell(word) {
		j.refuseWord(&s, i, inShell, "makes the program start a shell")
	}
	if strings.ContainsAny(word, ".-:") && containsAny(word, metadataHints) && metadata.MatchString(word) {
		j.refuseWord(&s, i, network, "names the metadata service of a cloud, which hands out credentials")
	}
}

// alone reports whether all other words of a command are options.
func (s *simple) alone(i int) bool {
	return !anyWord(s.words[1:i], func(w string) bool { return w == "" || w[0] != '-' || among(w, "-t -S --target-directory --suffix") })
}

// bypasses are options of agents that switch off all questions. The check refuses them behind any program.
const bypasses = "--dangerously-skip-permissions --allow-dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --dangerously-allow-all --skip-permissions-unsafe --trust-all-tools --allow-all-tools --yolo --yes-always --always-approve"

// leavesOut reports whether a word names what a program leaves out. An option before it may take the next word for its value, so only a word that
// cannot be another option's counts.
func leavesOut(program string, words []string, i int) bool {
	if finders.Has(program) {
		return i > 3 && among(words[i-2], "! -not") && among(words[i-1], "-name -iname -path -ipath -wholename") && !hasPrefix(words[i-3], "-") && words[i-3] != "!"
	}
	if program == "rg" {
		return among(words[i-1], "-g --glob --iglob") && hasPrefix(words[i], "!") && i > 1 && leavesGlob.MatchString(words[i-2]) && !anyWord(words[:i], func(w string) bool { return w == "--" }) ||
			hasPrefix(words[i], "--glob=!") || hasPrefix(words[i], "--iglob=!")
	}
	at := i - 1 // the option
	for program == "zip" && at > 0 && words[at] != "@" && !hasPrefix(words[at], "-") {
		at-- // a list of names follows it
	}
	return among(program, "tar gtar bsdtar grep egrep fgrep rsync du") && (hasPrefix(words[i], "--exclude=") || hasPrefix(words[i], "--exclude-dir=") || among(words[at], "--exclude --exclude-dir") && leavesNext.MatchString(words[at-1]) && !(at == 2 && among(program, "tar gtar bsdtar") && !hasPrefix(words[1], "-")) && !anyWord(words[:at], func(w string) bool { return w == "--" })) ||
		program == "zip" && at > 1 && among(words[at], "-x --exclude") && leavesNext.MatchString(words[at-1]) && words[i] != "" && words[i][0] != '-'
}

// leavesNext is a word that leaves the next one to itself: no option, or one of flags alone.
var leavesNext = lazyregexp.New(`^([^-].*|-[acjJhprvuxzqP9]*[acjJhprvuzqP9]|--[\w-]+=.*)$`)

// leavesGlob is such a word of rg.
var leavesGlob = lazyregexp.New(`^([^-].*|-[nilwuSFsNHIovcx]+|--(hidden|no-ignore|ignore-case|line-number|files|files-with-matches|count)|--[\w-]+=.*)$`)

// isFilter reports whether a word is the filter of jq, such as .env, rather than a file.
func isFilter(program string, words []string, i int) bool {
	return among(program, "jq yq gojq jaq") && words[i][0] == '.' && !contains(words[i], "/") && !anyWord(words[1:i], func(w string) bool { return w == "" || w[0] != '-' || w == "-f" || w == "--from-file" })
}

// isExpression reports whether a word is what a program looks for in files, or what a filter does, and no file. A path from the top or from a home
// directory is none, so that nobody can hand such a file over in the place of an expression.
func isExpression(program string, words []string, i int) bool {
	word := words[i]
	if among(program, "sed gsed") && substitutes.MatchString(word) { // as a file, it would be in a directory s
		return true
	}
	if i > maxLater || !expressive.Has(program) || word == "" || word[0] == '/' || word[0] == '~' || contains(word, "../") || contains(strings.Join(words, " "), " "+insertion) { // which may be an option
		return false
	}
	r := reading(program, words)
	names := r.Operands
	if program == "git" {
		if len(names) == 0 || words[names[0]] != "grep" {
			return false
		}
		names = names[1:]
	}
	if r.Gave("-f", "--file") {
		return false
	}
	return words[i-1] == "-e" || len(names) > 0 && names[0] == i && !r.Gave("-e", "--regexp", "--expression") && leadsExpression.MatchString(words[i-1])
}

// substitutes is a plain command of sed.
var substitutes = lazyregexp.New(`^s/[^/]*/[^/]*/[gpI\d]*$`)

// expressive are programs that take an expression.
var expressive = wordset.New("git sed gsed awk gawk mawk grep egrep fgrep rg ag ack")

// leadsExpression is no option that may have the word behind it for its value.
var leadsExpression = lazyregexp.New(`^([^-].*|-[a-zA-Z0-9]+|--|--[\w-]+=.*|--(hidden|no-ignore|ignore-case|line-number|recursive|fixed-strings|word-regexp|quiet|files-with-matches|count))$`)

var envrc = lazyregexp.New(`(^|/)\.envrc(\.(local|private|secret))?$`)

// readers print files as they are. The words of others are often no files.
var readers = wordset.New("cat less more head tail bat nl tac base64 xxd od hexdump strings sort cut jq yq")

// disks are devices with whole systems of files.
var disks = lazyregexp.New(`^(if=)?/dev/(r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|dm-\d|mapper/|md\d|disk/)`)

// hidesAll reports whether a pattern of a shell finds directories with keys or accounts.
func hidesAll(pattern string) bool {
	for _, name := range strings.Fields(".ssh .aws .gnupg .kube .docker .azure .config") {
		if ok, err := path.Match(pattern, name); hasPrefix(pattern, ".") && (ok || err != nil) {
			return true
		}
	}
	return false
}

// setsUp reports whether a word names the settings of a project's own program, which the command writes or hands to that program.
func setsUp(program string, words []string, i int) bool {
	if sshFamily.Has(program) && words[i-1] == "-i" { // a key for its own use
		return true
	}
	if value, ok := cutPrefix(words[i], "--env-file="); ok {
		return hasPrefix(value, ".env")
	}
	return ownSettings(words[i]) && (words[i-1] == "--env-file" || among(program, "dotenv dotenvx dotenv-cli env-cmd") && loadsFor(words[i-1:]) || among(program, "touch tee") || copiers.Has(program) && i+1 == len(words))
}

// loadsFor reports whether options of dotenv load files of settings for a program behind them, and it is none that prints them.
func loadsFor(words []string) bool {
	for i, w := range words {
		switch {
		case w == "--":
			return i+1 < len(words) && !among(programName(words[i+1]), "printenv env echo printf set export declare "+shellNames)
		case !ownSettings(w) && !among(w, "-e -f -o --override run"):
			return false
		}
	}
	return false
}

// ownSettings reports whether a word names the settings of a project's own program: to write them prints none of them.
func ownSettings(word string) bool {
	return hasPrefix(word, ".env") || hasPrefix(lastStep(word), ".env") && ownPlaces.MatchString(word)
}

// metadataHints stand in every word that the expression metadata matches, and cost less to look for. Each has a dot, a hyphen or a colon.
var metadataHints = strings.Fields(`169.254 100.100. 192.0.0. metadata.goog instance-data fd00:ec2`)

func containsAny(word string, hints []string) bool {
	return anyWord(hints, func(hint string) bool { return contains(word, hint) })
}

// writers are programs that change or delete the named files.
var writers = wordset.New(eraserNames + " rm rmdir unlink mv truncate tee chmod chown chgrp touch shred srm dd setfacl chattr mkdir mkfifo mknod del erase rd move icacls rename mkdirp make-dir make-dir-cli touch-cli renamer")

// copiers are programs that change the last of them.
var copiers = wordset.New("cp install ln rsync scp ditto patch copy xcopy robocopy cpy cpy-cli cpx cpx2 cpr ncp copyfiles move-cli move-file-cli degit tiged giget")

var systemPath = lazyregexp.New(`^(of=)?(/\*?|/(etc|usr|bin|sbin|lib|lib32|lib64|boot|sys|proc|root|efi|system|library)(/.*)?|/(home|var|opt|srv|users|applications|dev)/?\*?|/var/(log|lib|run|spool|mail|db)(/.*)?|/dev/(sd|hd|vd|nvme|mmcblk|disk|mapper/|dm-|mem|kmem|port|null$).*|[a-z]:[\\/]\*?|[a-z]:[\\/](windows|program files|programdata)([\\/].*)?|[a-z]:[\\/]users([\\/][^\\/]*)?[\\/]?\*?|~([a-z_][a-z0-9_-]*)?(/\*?)?|\.|\.\.|\*)$`)

// ofSystem reports whether a word names what belongs to the system, or everything.
func ofSystem(word string) bool {
	if word == "" || word[0] == '-' && strings.IndexByte(word, '=') < 0 {
		return false
	}
	if word == "." || word == "*" {
		return false // the work at hand: whether all of it may go is judged with rm
	}
	return systemPath.MatchString(strings.ToLower(filekind.Clean(word)))
}

var shellPath = lazyregexp.New(`(^|[=:!"'(,|])(/usr|/usr/local)?/s?bin/((ba|z|da|k|c|tc|fi|a)?sh|env|busybox|python[0-9.]*|perl|nc|ncat)($|["'),; ])`)

// startsShell reports whether a word names a shell where only code or an option would: not
// as a word of a text, and not as the whole of a value.
func startsShell(word string) bool {
	if !contains(word, "bin/") {
		return false
	}
	return shellPath.MatchString(word)
}

var metadata = lazyregexp.New(`(^|[/@=])(169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|192\.0\.0\.192|metadata\.google\.internal|metadata\.goog|instance-data|\[?fd00:ec2::254\]?)([:/?#]|$)`)
