// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// operand judges a word whatever the program: what it names, from a directory. The program may be one that tells of files
// without what is in them.
func (j *judge) operand(program, directory string, s simple, i int, tells bool) {
	word, element := s.words[i], s.element(i)
	last := i+1 == len(s.words)
	written, writes := output(program, s.words, i)
	switch {
	case !tells && j.secret(word, directory):
		j.refuse(element, files, s.place(i)+"names a file that holds secrets or accounts")
	case !shows[program] && startsLater(toDirectory(directory, word)), writes && startsLater(toDirectory(directory, written)):
		j.refuse(element, files, s.place(i)+"names a file from which a shell, git or the system starts programs later")
	case writes && system(written) && written != "/dev/null":
		j.refuse(element, destructive, s.place(i)+"names a directory or device of the system, which the program would change")
	}
	if (writers[program] || last && copiers[program]) && system(word) {
		j.refuse(element, destructive, s.place(i)+"names a directory or device of the system, which the program would change")
	}
	if hoards[program] && (!last || !copiers[program]) && holdsSecrets(toDirectory(directory, word)) {
		j.refuse(element, files, s.place(i)+"names a whole directory with keys, accounts or settings in it")
	}
	if startsShell(word) {
		j.refuse(element, interpreter, s.place(i)+"makes the program start a shell")
	}
	if strings.ContainsAny(word, ".-:") && containsAny(word, metadataHints) && metadata.MatchString(word) {
		j.refuse(element, network, s.place(i)+"names the metadata service of a cloud, which hands out credentials")
	}
}

// sensitive reports whether a word, or the path in it, names a file with secrets. A word with
// blanks is a text, such as a message.
func sensitive(word string) bool {
	if strings.IndexByte(word, '/') < 0 && strings.IndexByte(word, '\\') < 0 && !strings.HasPrefix(word, "id_") && strings.IndexByte(word, '.') < 0 {
		return false
	}
	if strings.ContainsAny(word, " \t\n") {
		return false
	}
	lower := strings.ToLower(cleaned(word))
	return containsAny(lower, secretHints) && secrets.MatchString(lower) && !published.MatchString(lower)
}

// published are the files beside keys that hold no secret.
var published = lazyregexp.New(`[/\\](known_hosts(\.old)?|[\w.-]+\.pub)$`)

// Hints stand in every word that the expressions below match, and cost less to look for. Each of metadataHints has a
// dot, a hyphen or a colon.
var (
	secretHints   = strings.Fields(`etc proc mem ssh id_ netrc pgpass cnf npmrc pypirc git-cred htpass vault _history .aws .gnupg .kube .azure .docker gcloud secrets serviceaccount win boot.ini ntds`)
	metadataHints = strings.Fields(`169.254 100.100. 192.0.0. metadata.goog instance-data fd00:ec2`)
)

func containsAny(word string, hints []string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(word, hint) })
}

// cleaned resolves dots and doubled slashes of the path that a word ends in.
func cleaned(word string) string {
	if i := strings.IndexByte(word, '/'); i >= 0 && (strings.Contains(word, "/.") || strings.Contains(word[i:], "//")) {
		return word[:i] + path.Clean(word[i:])
	}
	return word
}

var secrets = lazyregexp.New(`(^|[/=:@,~\\])(` + strings.Join([]string{
	`/?etc/(passwd|shadow|gshadow|sudoers|master\.passwd|security/opasswd|krb5\.keytab|ssh/ssh_host_[^/]*_key)-?$`,
	`/?etc/sudoers\.d/`,
	`/?proc/([^/]+)/(environ|mem|maps|fd/|root/|cwd/|cmdline$)`, `/?dev/k?mem$`,
	`\.ssh([/\\][^/\\]*)*$`, `id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`,
	`\.(netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|vault-token|bash_history|zsh_history)$`,
	`\.(aws|gnupg|kube|azure|docker)/(credentials|config|config\.json|private-keys[^/]*|accesstokens\.json|secring\.gpg)`,
	`\.config/gcloud/`, `run/secrets/`, `kubernetes\.io/serviceaccount`,
	`windows\\(win\.ini|system32\\(config|drivers\\etc)(\\|$)|repair\\)`, `winnt\\(win\.ini|repair\\)`, `boot\.ini$`, `ntds\.dit$`,
}, "|") + `)`)

// writers are programs that change or delete the named files.
var writers = set("rm rmdir unlink mv truncate tee chmod chown chgrp touch shred srm dd setfacl chattr mkdir mkfifo mknod del erase rd move icacls trash rename")

// copiers are programs that change the last of them.
var copiers = set("cp install ln rsync scp ditto patch copy xcopy robocopy")

var systemPath = lazyregexp.New(`^(of=)?(/\*?|/(etc|usr|bin|sbin|lib|lib32|lib64|boot|sys|proc|root|efi|system|library)(/.*)?|/(home|var|opt|srv|users|applications|dev)/?\*?|/var/(log|lib|run|spool|mail|db)(/.*)?|/dev/(sd|hd|vd|nvme|mmcblk|disk|mapper/|dm-|mem|kmem|port|null$).*|[a-z]:[\\/]\*?|[a-z]:[\\/](windows|program files|programdata|users)([\\/].*)?|~|~/\*?|\.|\.\.|\*)$`)

// system reports whether a word names what belongs to the system, or everything.
func system(word string) bool {
	if word == "" || word[0] == '-' && strings.IndexByte(word, '=') < 0 {
		return false
	}
	if word == "." || word == "*" {
		return false // the work at hand: whether all of it may go is judged with rm
	}
	return systemPath.MatchString(strings.ToLower(cleaned(word)))
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

var badVariables = lazyregexp.New(`^(LD_.*|DYLD_.*|.*PATH|.*_COMMAND|.*_CMD|.*EDITOR|.*PAGER|.*BROWSER|.*SHELL|.*ASKPASS|.*_OPTS|.*_?OPTIONS|.*_?OPT|.*_?ENV|IFS|PS[0-4]|HOME|.*_PROXY|.*_proxy|.*_WRAPPER|.*_PROGRAM|LESS(OPEN|CLOSE)?|GIT_.*|PYTHON.*|PERL5?.*|RUBY.*|NODE_.*|BASH.*|ZDOTDIR|MAKEFLAGS|MAKE|CC|CXX|LD|AR|.*FLAGS|.*_?RC|GCONV.*|NLS.*|MALLOC.*|.*_CONFIG(_.*)?|.*_HOST|.*_URL|SSH_.*|VISUAL|MANOPT|TAR_.*|.*STARTUP.*|JDK_.*|_JAVA.*)$`)

// goodVariables are of the same forms, and only say how a program behaves: which settings of a project, what it prints,
// whose name a commit bears, how much memory it takes. A program that shows or edits texts may be none (cat, true).
var goodVariables = lazyregexp.New(`^((NODE|RAILS|RACK|APP|GO|FLASK|DJANGO|MIX|BABEL|DEPLOY|CI|TEST|VITE|NEXT)_ENV=[A-Za-z0-9_.-]*|(NODE_(DEBUG|NO_WARNINGS|PENDING_DEPRECATION)|` +
	`PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8|FAULTHANDLER|OPTIMIZE|NOUSERSITE)|` +
	`GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT))=.*|` +
	`(GIT_)?(PAGER|EDITOR)=(cat|true|:)?|GIT_SEQUENCE_EDITOR=(true|:)|(CC|CXX)=(gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(-[0-9]+)?|` +
	`BROWSER=none|MAKEFLAGS=-j[0-9]*)$`)

// variable judges NAME=value before a program, which a shell or env sets.
func (j *judge) variable(text string, byEnv bool) {
	name, _, _ := strings.Cut(text, "=")
	name = strings.TrimSuffix(name, "+")
	options, node := strings.CutPrefix(text, "NODE_OPTIONS=")
	if badVariables.MatchString(name) && !goodVariables.MatchString(text) && (!node || classes["node-setting"].holds(options)) {
		j.refuse(-1, interpreter, "sets an environment variable that decides what programs run or load")
		return
	}
	if !byEnv && !j.allow[assignment] {
		j.add(-1, check.Finding{Severity: check.Warning, Message: "sets an environment variable before the program, which only a shell understands", Suggestion: "leave it out, unless a shell reads the line"})
	}
}

// anyOf reports whether one of the words is among a set, or begins like one.
func anyOf(words []string, wanted string) bool {
	list := strings.Fields(wanted)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}
