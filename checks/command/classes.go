// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A class is a class of values that the table of options names: an entry of the table holds for
// the values in it. The table is data, as the others of this package: code that makes it would weigh more.
type class struct {
	name   string
	test   func(value string) bool // or else one of the three that follow: a function for each class would weigh more
	what   string                  // what is wrong with such a value; "" is what the entry's kind says
	like   **lazyregexp.Regexp     // one that others use as well
	has    *lazyregexp.Regexp
	words  string
	unlike bool // the class is of all other values
	sends  bool // to another host
}

// holds reports whether a value is of the class.
func (c class) holds(value string) bool {
	switch {
	case c.like != nil:
		return (*c.like).MatchString(value) != c.unlike
	case c.has != nil:
		return c.has.MatchString(value) != c.unlike
	case c.words != "":
		return among(value, c.words) != c.unlike
	}
	return c.test == nil || c.test(value)
}

var classes = []class{
	{name: "awk-code", test: awkActs, what: "holds code that runs programs or writes files"},
	{name: "sed-command", test: sedActs, what: "holds a command of sed that runs programs or writes files"},
	{name: "not-plain-flag", like: &plainFlags, unlike: true},
	{name: "editor-command", test: func(v string) bool { return strings.Trim(v, "0123456789") != "" && v[0] != '/' }},
	{name: "stdin", words: "- /dev/stdin"},
	{name: "pager", words: "never less more most cat builtin", unlike: true},
	{name: "writing", has: lazyregexp.New(`(?i)^(GET|HEAD)$`), unlike: true},
	{name: "pager-command", test: pagerActs},
	{name: "git-setting", test: func(v string) bool { return !gitSettings.MatchString(v) && !gitSSH(v) && !gitPager.MatchString(v) }, what: "sets git's configuration, by which it starts programs"},
	{name: "ssh-setting", test: func(v string) bool { return !sshSettings.MatchString(strings.TrimSpace(v)) }, what: "sets something by which ssh may start programs or open channels"},
	{name: "php-setting", like: &phpSettings},
	{name: "merge-strategy", words: "ours theirs recursive resolve octopus subtree ort", unlike: true, what: "names a strategy that is a program of its own"},
	{name: "not-ssh", like: &sshCommand, unlike: true},
	{name: "not-compressor", like: &compressor, unlike: true},
	{name: "linker", has: lazyregexp.New(`-(extld|fplugin|wrapper)`)},
	{name: "root", words: "/"},
	{name: "now", words: "now all"},
	{name: "elsewhere", has: lazyregexp.New(`:|^[/~]|\.\.|` + insertion)},
	{name: "path", has: lazyregexp.New(`[/\\]`), what: "names a script by its path"},
	{name: "world-writable", test: worldWritable, what: "makes the program run a file from a world-writable directory"},
	{name: "shared-settings", test: worldWritable, what: "makes git read the settings of a directory that everyone may write to"},
	{name: "system", test: func(v string) bool { return ofSystem(v) && v != "/dev/null" }, what: "sends or writes a file that holds secrets, or of the system", sends: true},
	{name: "sent-secret", test: sentSecret, what: "sends or writes a file that holds secrets, or of the system", sends: true},
	{name: "secret-inside", test: secretInside, what: "holds code that reads a file of secrets or accounts"},
	{name: "other-address", like: &otherAddress, what: "names an address that is not one of the web, such as a file"},
	{name: "address", test: func(v string) bool {
		return contains(v, "://") || contains(v, "@") && scpForm.MatchString(v)
	}, what: "names an address to send to"},
	{name: "other-place", test: func(v string) bool {
		parts := strings.SplitN(v, ":", 3)
		return len(parts) == 3 && !hasPrefix(v, "-") && !privateAddress(strings.Trim(parts[2], "[]"))
	}},
	{name: "proxy", has: lazyregexp.New(`^(\w+://)?(localhost|\[::1]|(127|10|192\.168)\.[\d.]+)(:|/|$)`), unlike: true},
	{name: "remote", like: &remote},
	{name: "npm-remote", test: func(v string) bool {
		return !npmAlias.MatchString(v) && (remote.MatchString(v) || npmRemote.MatchString(v))
	}},
	{name: "remote-file", like: &remoteFile},
	{name: "versioned", has: lazyregexp.New(`@`)},
	{name: "program-remote", has: lazyregexp.New(`^(ext|fd)::`), what: "names a remote that is a program of its own"},
	{name: "deleted-ref", has: lazyregexp.New(`^:`)},
	{name: "host-mount", test: hostMount, what: "gives a container the host's own files or system"},
	{name: "host-network", words: "host", what: "gives a container the host's own files or system"},
	{name: "any"},
	{name: "perl-file", has: lazyregexp.New(`[|<>]`), what: "makes perl start a program, or write"},
	{name: "perl-module", like: &perlModules, unlike: true},
	{name: "pipe", has: lazyregexp.New(`^[|!]`)},
	{name: "not-file", like: &fileName, unlike: true},
	{name: "compiler", like: &compilerSetting, unlike: true},
	{name: "node-setting", like: &nodeSettings, unlike: true},
	{name: "debugger-command", like: &debuggerLooks, unlike: true},
	{name: "cargo-setting", test: func(v string) bool {
		return !cargoSettings.MatchString(v) || linking.MatchString(v) || contains(v, "linker")
	}},
	{name: "fzf-action", test: func(v string) bool { return fzfRuns.MatchString(fzfLines.ReplaceAllString(v, "")) }},
	{name: "rust-linker", has: lazyregexp.New(`linker=`)},
	{name: "recipe-code", test: recipeCode, what: "gives a makefile a value that a shell or make itself runs"},
	{name: "host-path", like: &hostPath},
	{name: "host-device", test: func(v string) bool { d, ok := cutPrefix(v, "device="); return ok && hostMount(d+":/x") }, what: "gives a container the host's own files or system"},
	{name: "go-setting", like: &goSettings},
	{name: "maven-exec", like: &mavenExec},
	{name: "sbt-code", has: lazyregexp.New(`^(eval |!)`)},
	{name: "socat-program", like: &socatProgram},
	{name: "sqlite-command", test: sqliteActs},
	{name: "kubernetes-secret", like: &kubernetesSecret},
	{name: "bypass", words: "bypassPermissions danger-full-access never yolo auto_edit", what: "lets an agent do anything without a question"},
	{name: "whole-environment", like: &wholeEnvironment, what: "makes the program print variables of the environment, also those that hold secrets"},
	{name: "set-uid", like: &setuidMode, what: "makes a program run with the rights of its owner"},
}

// classOf returns the class with a name, which a test holds to be there. It is not inlined: its copies weigh more than they save.
//
//go:noinline
func classOf(name string) class {
	for _, c := range classes {
		if c.name == name {
			return c
		}
	}
	return class{}
}

// remote is what a package manager fetches from where the caller says: an address, in the forms of
// git too, or a name that stands for one.
var remote = lazyregexp.New(`(?i)^(?:[^\s/:]+(?:\[[^\]]*\])? ?@ ?)?(?:(?:[a-z][a-z0-9.]*\+)?(?:https?|ftp|ssh|git|oci|svn|bzr|hg)(?:\+[a-z]+)?:|file:/|(?:github|gitlab|bitbucket|gist|tarball|sourcehut):|[\w.-]+@[\w.-]+:)`)

// fileName is the name of a program's text, rather than the text.
var fileName = lazyregexp.New(`^[\w./@+-]+\.\w{1,5}$`)

// compilerSetting is the end of a setting of cmake that names a common compiler, by its name or in a directory of the system.
var compilerSetting = lazyregexp.New(`^[\w:]*=(/(usr|opt)/[\w./-]*/)?([\w.-]+-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|clang-cl|cl|icc|icx|icpx|nvcc|ccache|sccache|ld|lld|mold|gold|ar|llvm-ar|gcc-ar)(-?[\d.]+)?(\.exe)?$`)

// nodeSettings are options of Node.js that bound memory, or that print more or less. Others load code, such as --require.
var nodeSettings = lazyregexp.New(`^(--(max[-_]old[-_]space[-_]size=\d+|max[-_]semi[-_]space[-_]size=\d+|stack[-_]trace[-_]limit=\d+|no-warnings|disable-warning=\w+|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|enable-source-maps|(no-)?experimental-(vm-modules|strip-types|transform-types|require-module|detect-module|sqlite|websocket|webstorage|eventsource|fetch|global-(webcrypto|navigator|customevent)|test-coverage|test-module-mocks|test-snapshots|wasm-modules|json-modules|import-meta-resolve|repl-await|permission)|preserve-symlinks|abort-on-uncaught-exception|inspect(-brk)?|dns-result-order=\w+|expose-gc|openssl-legacy-provider|unhandled-rejections=\w+)\s*)+$`)

// debuggerLooks are commands of gdb and lldb that show where a program, or a core, stands. None of them starts it, or calls a function.
var debuggerLooks = lazyregexp.New(`^(bt|backtrace|where|thread apply all (bt|backtrace)|thread backtrace( all)?|info (threads|registers|frame|sharedlibrary|symbol \w+)|q|quit|up|down|(frame|f)( (info|\d+))?|register read|set (pagination|confirm|height|width) \w+)$`)

// cargoSettings say how cargo builds and prints.
var cargoSettings = lazyregexp.New(`^(profile\.[\w.-]+|build\.(jobs|rustflags|incremental)|net\.(offline|retry|git-fetch-with-cli)|term\.[\w.]+)\s*=`)

// fzfLines are the lines that an action of fzf runs, and fzfRuns the actions that run one.
var (
	fzfLines = lazyregexp.New(`\b(?:execute|execute-silent|become|reload|reload-sync|preview|change-preview|transform(?:-[a-z]+)*)\(([^()]*)\)`)
	fzfRuns  = lazyregexp.New(`execute|become|reload|preview\W|transform`)
)

// goSettings are those of "go env -w" by which go starts other programs, or gets its modules from elsewhere.
var goSettings = lazyregexp.New(`^(CC|CXX|AR|FC|GCCGO|PKG_CONFIG|GOPROXY|GOFLAGS)=.`)

var mavenExec = lazyregexp.New(`(?i)(^|:)(exec|exec-maven-plugin|antrun|maven-antrun-plugin|groovy|gmavenplus-plugin|groovy-maven-plugin)(:|$)`)

// perlModules only compute.
var perlModules = lazyregexp.New(`^-?(strict|warnings|utf8|feature|integer|bigint|JSON::PP|Data::Dumper|List::Util|Scalar::Util|Time::Piece|Time::Local|Text::\w+|Encode|MIME::Base64|Digest::\w+|POSIX=(strftime|floor|ceil)(,\w+)*|5|v5)([=.,\s][\w,:.-]*)?$`)

var socatProgram = lazyregexp.New(`(?i)(^|!!)(exec|system|shell):`)

// npmRemote is a repository on GitHub as npm writes it. A path begins with a dot there.
var npmRemote = lazyregexp.New(`^[\w-][\w.-]*/[\w.-]+(#.*)?$`)

// npmAlias is a package that a registry or the project knows, under a name of one's own.
var npmAlias = lazyregexp.New(`^(@[\w.-]+/)?[\w.-]+@(npm|jsr|workspace|catalog):[\w./@^~*-]*$`)

// hostPath is a repository by its host, without a scheme.
var hostPath = lazyregexp.New(`(?i)^[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev)[/:]`)

// recipeCode reports whether the value of a variable for make is more than words: make expands it, and
// puts it into lines for a shell.
func recipeCode(value string) bool {
	return strings.ContainsAny(value, "`\n") || contains(value, "$(") || strings.ContainsAny(quoted.ReplaceAllString(value, ""), ";|&")
}

var quoted = lazyregexp.New(`'[^']*'|"[^"]*"`)

// remoteFile is an address that is no registry's name.
var remoteFile = lazyregexp.New(`(?i)^(?:git\+)?(?:https?|ftp|ssh|git|data|oci):|^file:/`)

var sshCommand = lazyregexp.New(`^(/usr/bin/)?ssh(?: -(?:[46CTNqvx]+|i ?[\w./~-]+|p ?\d+|l ?\w+|o ?(?:StrictHostKeyChecking|UserKnownHostsFile|IdentitiesOnly|BatchMode|ConnectTimeout|ServerAliveInterval|Port|User|IdentityFile)[= ][\w./~-]+))*$`)

// gitSSH reports whether a setting of git names ssh itself as the program, without options that
// start another.
func gitSSH(setting string) bool {
	name, value, _ := cut(setting, "=")
	return strings.EqualFold(name, "core.sshCommand") && sshCommand.MatchString(value)
}

// gitSettings are what may be set in git's configuration: nothing else of it can be told
// from what starts programs.
var gitSettings = lazyregexp.New(`(?i)^(user\.(name|email|signingkey)|color\..*|advice\..*|init\.defaultbranch|core\.(quotepath|autocrlf|eol|filemode|ignorecase|longpaths|abbrev|bare|symlinks|compression)|log\.\w+|commit\.gpgsign|tag\.gpgsign|tag\.sort|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|parallel)|merge\.(ff|conflictstyle)|rebase\.(autostash|autosquash)|diff\.(renames|algorithm|colormoved)|http\.(version|postbuffer)|rerere\.enabled|status\.\w+|branch\.[^=]*\.(merge|remote=[\w-]+)|column\.ui|help\.autocorrect|gc\.auto|feature\.\w+|protocol\.version)(=|$)`)

// wholeEnvironment is code for jq that reads more of the environment than a plain name tells.
var wholeEnvironment = lazyregexp.New(`(^|[\s|(,])(env|\$ENV)([^.\w]|$|\.\w*(?i:token|secret|passw|key|cred))`)

// plainFlags are options of compilers that load nothing and start nothing.
var plainFlags = lazyregexp.New(`^-(suppress-warnings|warnings-as-errors|[DUOWgjv][\w=+-]*|std=[\w+]+|enable-[\w-]+|disable-[\w-]+|static-[\w-]+|strict-concurrency=\w+|swift-version|s|\d)$`)

// gitPager are settings that start nothing: plain pagers, and nothing in the place of a program.
var gitPager = lazyregexp.New(`(?i)^((core\.pager|pager\.\w+)=(cat|less|true|false)?|core\.askpass=(true|false|echo)?|credential\.helper=|core\.fsmonitor=(false)?|core\.hookspath=/dev/null|(core|sequence)\.editor=(true|cat|:))$`)

var sshSettings = lazyregexp.New(`(?i)^(StrictHostKeyChecking|UserKnownHostsFile|IdentitiesOnly|IdentityFile|BatchMode|ConnectTimeout|ConnectionAttempts|ServerAlive\w+|TCPKeepAlive|Port|User|LogLevel|Compression|ControlMaster|ControlPersist|HostKeyAlgorithms|PubkeyAcceptedKeyTypes|PubkeyAcceptedAlgorithms|PreferredAuthentications|PasswordAuthentication|PubkeyAuthentication|KexAlgorithms|Ciphers|MACs|AddressFamily|NumberOfPasswordPrompts|RequestTTY|CheckHostIP|VisualHostKey|HashKnownHosts|GSSAPIAuthentication|reconnect|follow_symlinks|allow_other|ro|uid|gid)([= ]|$)`)

var phpSettings = lazyregexp.New(`(?i)(auto_(ap|pre)pend_file|extension|disable_functions|sendmail_path|allow_url_include|open_basedir|include_path|error_log)`)

// compressor is a program for tar that only packs, with options that say how well.
var compressor = lazyregexp.New(`^(p?bzip2|lbzip2|gzip|pigz|xz|pixz|zstd(mt)?|lz4|lzma|lzip|plzip|lzop|brotli)( (-T ?\d+|-\d+|-[dck]+|--(ultra|fast|long|rsyncable|threads|adapt)(=\d+)?))*$`)

// secretInside reports whether code of awk or sed names a file with secrets.
func secretInside(code string) bool {
	code = decoded(joins.ReplaceAllString(unbroken(code, ""), "$1$2"))
	if !filekind.Hints(code) {
		return false
	}
	return anyWord(fieldsBy(code, "\"' \t\n;<>(){},"), filekind.Secret)
}

// joins stand between texts of awk that become one.
var joins = lazyregexp.New(`([\w./~-])"[ \t]*"([\w./~-])`)

// sqliteActs reports whether a text for sqlite3 does more than look: by a command that begins with a dot, or by a
// function of its shell. Names of commands may be cut.
func sqliteActs(text string) bool {
	for _, m := range sqliteCommand.FindAllStringSubmatch(text, -1) {
		if !sqliteLooks.Has(strings.ToLower(m[1])) {
			return true
		}
	}
	return sqliteCalls.MatchString(text)
}

var (
	sqliteCommand = lazyregexp.New(`(?m)^\s*\.(\w+)(?:\s|;|$)`)
	sqliteCalls   = lazyregexp.New(`(?i)\b(load_extension|writefile|edit)\s*\(`)
	sqliteLooks   = wordset.New("bail changes databases dbconfig dbinfo dump echo eqp exit explain expert fullschema headers header help indexes indices limit lint mode nullvalue print quit " +
		"schema selftest separator sha3sum show stats tables timeout timer version width")
)

// pagerActs reports whether a command of less, after +, does more than move or search.
func pagerActs(command string) bool {
	command = trimPrefix(command, "+")
	return command != "" && strings.IndexByte("/?&0123456789FGgp", command[0]) < 0
}

func sentSecret(word string) bool {
	_, name, found := cut(word, "@")
	return found && (filekind.Secret(name) || hasPrefix(name, "~/."))
}

var otherAddress = lazyregexp.New(`(?i)^(--?[\w-]+=)?(file|gopher|dict|ldaps?|tftp|smb|scp|telnet|netdoc|jar|php|expect):`)

var kubernetesSecret = lazyregexp.New(`(?i)(^|[,/])secrets?([./,]|$)`)

var setuidMode = lazyregexp.New(`^(-m|--mode=)?(0?[2467][0-7]{3}|[ugoa]*[+=][rwxXt]*s[rwxXst]*)$`)

// hostMount reports whether a mount of a container is of the host's system.
func hostMount(mount string) bool {
	from := mounted(mount)
	return ofSystem(from) || filekind.Secret(from) || contains(from, "/.") && holdsSecrets(from) || lastStep(from) == "docker.sock"
}

// mounted returns the place of the host that a mount names.
func mounted(mount string) string {
	from, _, _ := cut(mount, ":")
	for _, field := range splitAt(mount, ",") {
		name, value, ok := cut(field, "=")
		if ok && (name == "source" || name == "src") {
			from = value
		}
	}
	return from
}
