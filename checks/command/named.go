// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// operand judges a word whatever the program: what it names, from a directory. The program may be one that tells of files
// without what is in them.
func (j *judge) operand(program, directory string, s simple, i int, tells bool) {
	word, element := s.words[i], s.element(i)
	last := i+1 == len(s.words)
	written, writes := output(program, s.words, i)
	switch {
	case !tells && finders[program] && among(s.words[i-1], "-name -iname") && strings.Trim(word, "*?.") != "" && j.allow[glob] && finds("/home/.ssh/"+word):
		j.refuse(element, secret, s.place(i)+"finds files that hold secrets, for another program")
	case !tells && j.namesSecret(word, directory) && !setsUp(program, s.words, i):
		j.refuse(element, secret, s.place(i)+"names a file that holds secrets or accounts")
	case (writers[program] || program == "ln" || last && copiers[program]) && strings.Contains(word, "bin/") && isGuard(word):
		j.refuse(element, startup, s.place(i)+"names a program that guards the agent")
	case !shows[program] && filekind.Startup(toDirectory(directory, word)), writes && filekind.Startup(toDirectory(directory, written)):
		j.refuse(element, startup, s.place(i)+"names a file from which a shell, git or the system starts programs later")
	case writes && ofSystem(written) && written != "/dev/null":
		j.refuse(element, system, s.place(i)+"names a directory or device of the system, which the program would change")
	}
	if changes := writers[program] || last && copiers[program]; changes && (ofSystem(word) || ofSystem(strings.ReplaceAll(word, insertion, ""))) { // a variable may be empty
		j.refuse(element, system, s.place(i)+"names a directory or device of the system, which the program would change")
	} else if changes {
		j.leaves(element, directory, word)
	} else if writes {
		j.leaves(element, directory, written)
	}
	into := last && copiers[program] || copiers[program] && among(s.words[i-1], "-t --target-directory")
	if (program == "ln" || program == "mv" || program == "rm" || into) && filekind.HoldsStartup(toDirectory(directory, word)) {
		j.refuse(element, startup, s.place(i)+"names a directory from whose files git, an agent or the system starts programs later")
	}
	if hoards[program] && (!last || !copiers[program]) && holdsSecrets(toDirectory(directory, word)) {
		j.refuse(element, secret, s.place(i)+"names a whole directory with keys, accounts or settings in it")
	}
	if searches[program] && hoardNames.MatchString(strings.ToLower(filekind.Clean(toDirectory(directory, word)))) {
		j.refuse(element, secret, s.place(i)+"names a whole directory with keys, accounts or settings in it")
	}
	if startsShell(word) {
		j.refuse(element, inShell, s.place(i)+"makes the program start a shell")
	}
	if strings.ContainsAny(word, ".-:") && containsAny(word, metadataHints) && metadata.MatchString(word) {
		j.refuse(element, network, s.place(i)+"names the metadata service of a cloud, which hands out credentials")
	}
}

// setsUp reports whether a word names the settings of a project's own program, which the command writes or hands to that program.
func setsUp(program string, words []string, i int) bool {
	if value, ok := strings.CutPrefix(words[i], "--env-file="); ok {
		return strings.HasPrefix(value, ".env")
	}
	return strings.HasPrefix(words[i], ".env") && (words[i-1] == "--env-file" || copiers[program] && i+1 == len(words))
}

// metadataHints stand in every word that the expression metadata matches, and cost less to look for. Each has a dot, a hyphen or a colon.
var metadataHints = strings.Fields(`169.254 100.100. 192.0.0. metadata.goog instance-data fd00:ec2`)

func containsAny(word string, hints []string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(word, hint) })
}

// writers are programs that change or delete the named files.
var writers = set("rm rmdir unlink mv truncate tee chmod chown chgrp touch shred srm dd setfacl chattr mkdir mkfifo mknod del erase rd move icacls trash rename")

// copiers are programs that change the last of them.
var copiers = set("cp install ln rsync scp ditto patch copy xcopy robocopy")

var systemPath = lazyregexp.New(`^(of=)?(/\*?|/(etc|usr|bin|sbin|lib|lib32|lib64|boot|sys|proc|root|efi|system|library)(/.*)?|/(home|var|opt|srv|users|applications|dev)/?\*?|/var/(log|lib|run|spool|mail|db)(/.*)?|/dev/(sd|hd|vd|nvme|mmcblk|disk|mapper/|dm-|mem|kmem|port|null$).*|[a-z]:[\\/]\*?|[a-z]:[\\/](windows|program files|programdata|users)([\\/].*)?|~|~/\*?|\.|\.\.|\*)$`)

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
	if !strings.Contains(word, "bin/") {
		return false
	}
	return shellPath.MatchString(word)
}

var metadata = lazyregexp.New(`(^|[/@=])(169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|192\.0\.0\.192|metadata\.google\.internal|metadata\.goog|instance-data|\[?fd00:ec2::254\]?)([:/?#]|$)`)

func set(names string) map[string]bool {
	m := make(map[string]bool, strings.Count(names, " ")+1) // it grows no more
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}

var badVariables = lazyregexp.New(`^(LD_.*|DYLD_.*|.*PATH|.*_COMMAND|.*_CMD|.*EDITOR|.*PAGER|.*BROWSER|.*SHELL|.*ASKPASS|.*_OPTS|.*_?OPTIONS|.*_?OPT|.*_?ENV|IFS|PS[0-4]|HOME|.*_PROXY|.*_proxy|.*_WRAPPER|.*_PROGRAM|LESS(OPEN|CLOSE)?|GIT_.*|PYTHON.*|PERL5?.*|RUBY.*|NODE_.*|BASH.*|ZDOTDIR|MAKEFLAGS|MAKE|CC|CXX|LD|AR|.*FLAGS|.*_?RC|GCONV.*|NLS.*|MALLOC.*|.*_CONFIG(_.*)?|.*_HOST|.*_URL|SSH_.*|VISUAL|MANOPT|TAR_.*|.*STARTUP.*|JDK_.*|_JAVA.*|(TOOLVET|(OPEN)?MOAT)_.*|GOPROXY|GO(NO)?SUMDB|GOINSECURE)$`)

// goodVariables are of the same forms, and only say how a program behaves: which settings of a project, what it prints,
// whose name a commit bears, how much memory it takes. A program that shows or edits texts may be none (cat, true).
var goodVariables = lazyregexp.New(`^((HUGO|NODE|RAILS|RACK|APP|GO|FLASK|DJANGO|MIX|BABEL|DEPLOY|CI|TEST|VITE|NEXT)_ENV=[A-Za-z0-9_.-]*|(NODE_(VER|VERSION|DEBUG|NO_WARNINGS|PENDING_DEPRECATION)|` +
	`PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8|FAULTHANDLER|OPTIMIZE|NOUSERSITE)|` +
	`GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT))=.*|` +
	`(GIT_)?(PAGER|EDITOR)=(cat|true|:)?|GIT_SEQUENCE_EDITOR=(true|:)|(CC|CXX)=(gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(-[0-9]+)?|` +
	`GOFLAGS=-mod=(mod|vendor|readonly)|GOPROXY=(off|direct)|PYTHONPATH=(\.|src|lib|\./[\w-][\w/-]*)|\w+_(URL|HOST)=([a-z0-9+]+://)?([\w.-]+(:[\w.-]*)?@)?(localhost|127\.0\.0\.1)(:\d+)?(/[\w./-]*)?|` +
	`PATH=(/(usr/(local/)?)?s?bin(:|$))+|\w+_OPTIONS=(true|false)|` +
	`BROWSER=none|MAKEFLAGS=-j[0-9]*|NODE_V8_COVERAGE=[\w./-]*|(C|CXX|CPP|F|LD|RUST|RUSTDOC)FLAGS=(\s*-([OgWDUfmIL]|C ?)[\w=+,./-]*)*\s*)$`)

// linking are flags of compilers that start programs or load code.
var linking = lazyregexp.New(`-f?plugin|-wrapper|linker|-fuse-ld=/|link-arg|-Wl,|-specs|-B`)

// variable judges NAME=value before a program, which a shell or env sets.
func (j *judge) variable(text string, byEnv bool) {
	name, _, _ := strings.Cut(text, "=")
	name = strings.TrimSuffix(name, "+")
	options, node := strings.CutPrefix(text, "NODE_OPTIONS=")
	if badVariables.MatchString(name) && (!goodVariables.MatchString(text) || strings.HasSuffix(name, "FLAGS") && linking.MatchString(text)) && (!node || classOf("node-setting").holds(options)) {
		j.refuse(-1, environment, "sets an environment variable that decides what programs run or load")
		return
	}
	if !byEnv && !j.allow[assignment] {
		j.add(-1, check.Finding{Severity: check.Warning, Message: "sets an environment variable before the program, which only a shell understands", Suggestion: "leave it out, unless a shell reads the line"})
	}
}
