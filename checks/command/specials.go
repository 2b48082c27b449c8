// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A special judges programs beyond their tables of options.
type special struct {
	programs map[string]bool
	judge    func(j *judge, s simple)
}

var specials = []special{
	{set("git"), judgeGit},
	{set("export declare typeset readonly local setenv"), judgeExport},
	{set("sed gsed"), judgeSed},
	{set("awk gawk mawk nawk"), judgeAwk},
	{set("ssh slogin autossh"), judgeSSH},
	{set("ssh slogin autossh scp sftp sshfs"), judgeSSHSettings},
	{set("php"), judgePHP},
	{set("make gmake java dpkg rpm ansible-playbook"), judgeFromAnywhere},
	{set("docker podman nerdctl"), judgeMounts},
	{set("rm del rd rmdir shred chmod chown chgrp"), judgeRemoval},
	{set("chmod install mkdir"), judgeSetuid},
	{set("kill"), judgeKill},
	{set("psql mysql mariadb sqlite3 sqlcmd mysqlsh pgcli mycli usql duckdb rsql cockroach clickhouse-client mongo mongosh redis-cli"), judgeStatement},
	{set("curl wget wget2 aria2c http https xh"), judgeFetch},
	{set("vi vim nvim view ex gvim vimdiff"), judgeEditor},
	{set("nmap"), judgeScripts},
}

// each refuses every word after the program that bad holds of.
func (j *judge) each(s simple, kind, what string, bad func(i int, word string) bool) {
	for i, w := range s.words {
		if i > 0 && bad(i, w) {
			j.refuse(s.element(i), kind, s.place(i)+what)
		}
	}
}

const (
	startsAnother = "makes the program start another one, run code or load settings"
	destroys      = "makes the program delete, overwrite or publish"
)

// gitRuns are the options by subcommand ("" before it) that start programs.
var gitRuns = map[string]profile{
	"":              {valued: "cC", runs: "--exec-path --upload-pack --receive-pack --config-env --exec"},
	"clone":         {valued: "bcoju", runs: "-u --upload-pack --template --config-env"},
	"fetch":         {runs: "--upload-pack"},
	"pull":          {runs: "--upload-pack"},
	"ls-remote":     {runs: "--upload-pack --exec"},
	"fetch-pack":    {runs: "--upload-pack --exec"},
	"push":          {valued: "o", runs: "--receive-pack --exec", wipes: "-f -d --force --force-with-lease --mirror --delete --prune"},
	"send-pack":     {runs: "--receive-pack --exec"},
	"archive":       {valued: "o", runs: "--exec"},
	"rebase":        {valued: "xsXC", runs: "-x --exec"},
	"grep":          {valued: "efmABC", runs: "-O --open-files-in-pager --ext-grep --textconv"},
	"diff":          {valued: "OSGUMCBl", runs: "--ext-diff"},
	"log":           {valued: "OSGUMCBlLn", runs: "--ext-diff"},
	"show":          {valued: "OSGUMCBln", runs: "--ext-diff"},
	"difftool":      {valued: "xt", runs: "-x --extcmd"},
	"init":          {runs: "--template"},
	"bisect":        {runs: "run"},
	"submodule":     {runs: "foreach"},
	"send-email":    {runs: "--sendmail-cmd --smtp-server --to-cmd --cc-cmd"},
	"instaweb":      {runs: "-d --httpd"},
	"filter-branch": {wipes: "--force -f", runs: "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --setup --tag-name-filter"},
	"reflog":        {wipes: "expire delete"},
	"daemon":        {runs: "--access-hook --export-all"},
	"upload-pack":   {}, "hook": {runs: "run"}, "for-each-repo": {runs: "--config"},
}

// gitSettings are what may be set in git's configuration: nothing else of it can be told
// from what starts programs.
var gitSettings = lazyregexp.New(`(?i)^(user\.(name|email|signingkey)|color\..*|advice\..*|init\.defaultbranch|core\.(quotepath|autocrlf|eol|filemode|ignorecase|longpaths|abbrev|bare|symlinks|compression)|log\.\w+|commit\.gpgsign|tag\.gpgsign|tag\.sort|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|parallel)|merge\.(ff|conflictstyle)|rebase\.(autostash|autosquash)|diff\.(renames|algorithm|colormoved)|http\.(version|postbuffer)|rerere\.enabled|status\.\w+|branch\.[^=]*\.(remote|merge)|column\.ui|help\.autocorrect|gc\.auto|feature\.\w+|protocol\.version)(=|$)`)

func judgeGit(j *judge, s simple) {
	at := 1 // of the subcommand
	for at < len(s.words) && strings.HasPrefix(s.words[at], "-") {
		if w := s.words[at]; (w == "-c" || w == "-C" || w == "--git-dir" || w == "--work-tree" || w == "--namespace") && at+1 < len(s.words) {
			at++
		}
		at++
	}
	sub := ""
	if at < len(s.words) {
		sub = s.words[at]
	}
	before, after := simple{words: s.words[:min(at, len(s.words))], array: s.array}, s
	p := gitRuns[""]
	j.group(p, p.runs, interpreter, startsAnother, before)
	if p, known := gitRuns[sub]; known {
		j.group(p, p.runs, interpreter, startsAnother, after)
		j.group(p, p.wipes, destructive, destroys, after)
	}
	if at < len(s.words) {
		j.gitSettings(s, sub, at)
		j.gitSubcommand(s, sub, at)
	}
	j.each(s, interpreter, "makes git read the settings of a directory that everyone may write to", func(i int, w string) bool {
		dir, _ := strings.CutPrefix(w, "--git-dir=")
		return i < at && worldWritable(dir)
	})
	j.each(s, interpreter, "names a remote that is a program of its own", func(_ int, w string) bool {
		return strings.HasPrefix(w, "ext::") || strings.HasPrefix(w, "fd::") || strings.HasPrefix(w, "-") && strings.Contains(w, "=ext::")
	})
}

// gitSettings judges what -c and "git config" set.
func (j *judge) gitSettings(s simple, sub string, at int) {
	for i, w := range s.words {
		isSetting := w == "-c" && (i < at || sub == "clone" || sub == "submodule") || i > at && (sub == "clone" && (w == "--config"))
		if !isSetting || i+1 >= len(s.words) || plainTransport(s.words, i) || gitSettings.MatchString(s.words[i+1]) {
			continue
		}
		j.refuse(s.element(i), interpreter, s.place(i)+"sets git's configuration, by which it starts programs")
	}
	if sub != "config" {
		return
	}
	var operands []string
	for _, w := range s.words[at+1:] {
		if !strings.HasPrefix(w, "-") {
			operands = append(operands, w)
		}
	}
	if len(operands) > 0 && slices.Contains([]string{"set", "get", "list", "unset", "edit"}, operands[0]) {
		operands = operands[1:]
	}
	if len(operands) > 1 && !gitSettings.MatchString(operands[0]) {
		j.refuse(-1, interpreter, "sets git's configuration, by which it starts programs")
	}
}

// gitSubcommand judges what depends on several words.
func (j *judge) gitSubcommand(s simple, sub string, at int) {
	rest := s.words[at+1:]
	switch sub {
	case "push":
		j.each(s, destructive, destroys, func(i int, w string) bool {
			return i > at+1 && (w[:min(1, len(w))] == "+" || strings.HasPrefix(w, ":"))
		})
		j.each(s, network, "names an address to send to", func(i int, w string) bool {
			return i > at && strings.Contains(w, "://")
		})
	case "clean":
		forced := false
		for _, w := range rest {
			forced = forced || w == "--force" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "f")
		}
		if forced && !anyOf(rest, "-n --dry-run -i --interactive") {
			j.refuse(-1, destructive, "deletes files that git does not know")
		}
	case "filter-branch", "filter-repo":
		j.refuse(-1, destructive, "rewrites the whole history")
	}
}

var (
	sedAddress = `^\s*(?:(?:\d+|\$|/(?:[^/\\]|\\.)*/[IM]*)(?:\s*[,~+]\s*(?:\d+|\$|/(?:[^/\\]|\\.)*/[IM]*))?)?\s*!?\s*[{;\s]*`
	sedRuns    = lazyregexp.New(sedAddress + `(e(\s.*)?|[wW]\s*\S.*)$`)
	sedNext    = lazyregexp.New(`[;{\n]\s*(?:\d+|\$)?\s*(e\s+\S|e$|[wW]\s+/)`)
)

// judgeSed finds the commands of sed that run programs or write files.
func judgeSed(j *judge, s simple) {
	j.each(s, interpreter, "holds a command of sed that runs programs or writes files", func(i int, w string) bool {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "-e") && !strings.HasPrefix(w, "--expression=") {
			return false
		}
		_, given, joined := strings.Cut(w, "--expression=")
		switch {
		case joined:
			w = given
		case strings.HasPrefix(w, "-e"):
			w = w[2:]
		}
		return sedRuns.MatchString(w) || sedNext.MatchString(w) || sedFlags(w)
	})
}

var sedStart = lazyregexp.New(sedAddress + `s`)

// sedFlags reports whether a substitution has the flag e or w.
func sedFlags(script string) bool {
	start := sedStart.FindString(script)
	if start == "" || len(start) >= len(script) {
		return false
	}
	delimiter := script[len(start)]
	parts := 0
	for i := len(start); i < len(script); i++ {
		switch {
		case script[i] == '\\':
			i++
		case script[i] == delimiter:
			parts++
			if parts == 3 {
				flags, _, _ := strings.Cut(script[i+1:], ";")
				return strings.ContainsAny(flags, "ew") || sedFlags(strings.TrimLeft(script[i+1:], "gIMp0123456789; \n"))
			}
		}
	}
	return false
}

var awkRuns = lazyregexp.New(`system\s*\(|\|\s*&?\s*(getline|"|\w+\s*$)|"\s*\|\s*getline|print[^;}]*(\||>)|@load|@include|/inet/|ENVIRON`)

func judgeAwk(j *judge, s simple) {
	j.each(s, interpreter, "holds code that runs programs or writes files", func(_ int, w string) bool { return awkRuns.MatchString(w) })
}

// judgeSSH refuses a command for the other host: a shell there reads it.
func judgeSSH(j *judge, s simple) {
	rest := skipOptions(s.words, profiles["ssh"].valued, "")
	if len(rest) > 1 {
		j.refuse(-1, interpreter, "gives a shell on another host a command")
	}
}

var sshSettings = lazyregexp.New(`(?i)^(StrictHostKeyChecking|UserKnownHostsFile|IdentitiesOnly|IdentityFile|BatchMode|ConnectTimeout|ConnectionAttempts|ServerAlive\w+|TCPKeepAlive|Port|User|LogLevel|Compression|ControlMaster|ControlPersist|HostKeyAlgorithms|PubkeyAcceptedKeyTypes|PubkeyAcceptedAlgorithms|PreferredAuthentications|PasswordAuthentication|PubkeyAuthentication|KexAlgorithms|Ciphers|MACs|AddressFamily|NumberOfPasswordPrompts|RequestTTY|CheckHostIP|VisualHostKey|HashKnownHosts|GSSAPIAuthentication|reconnect|follow_symlinks|allow_other|ro|uid|gid)([= ]|$)`)

// judgeSSHSettings allows only settings of ssh that start no program and open no channel.
func judgeSSHSettings(j *judge, s simple) {
	j.each(s, interpreter, "sets something by which ssh may start programs or open channels", func(i int, w string) bool {
		switch {
		case s.words[i-1] == "-o":
			return !sshSettings.MatchString(w)
		case strings.HasPrefix(w, "-o") && len(w) > 2:
			return !sshSettings.MatchString(strings.TrimSpace(w[2:]))
		}
		return false
	})
}

var phpSettings = lazyregexp.New(`(?i)(auto_(ap|pre)pend_file|extension|disable_functions|sendmail_path|allow_url_include|open_basedir|include_path|error_log)`)

func judgePHP(j *judge, s simple) {
	j.each(s, interpreter, startsAnother, func(i int, w string) bool {
		return (s.words[i-1] == "-d" || strings.HasPrefix(w, "-d") || strings.HasPrefix(w, "--define")) && phpSettings.MatchString(w)
	})
}

func judgeExport(j *judge, s simple) {
	for _, w := range s.words[1:] {
		if strings.IndexByte(w, '=') > 0 {
			j.variable(w, true)
		}
	}
}

// judgeFromAnywhere refuses scripts from world-writable places, for programs that run them.
func judgeFromAnywhere(j *judge, s simple) {
	j.each(s, interpreter, "makes the program run a file from a world-writable directory", func(_ int, w string) bool {
		if _, value, ok := strings.Cut(w, "="); ok {
			w = value
		}
		return worldWritable(w)
	})
}

// judgeMounts refuses what gives a container the host.
func judgeMounts(j *judge, s simple) {
	j.each(s, interpreter, "gives a container the host's own files or system", func(i int, w string) bool {
		value := w
		if _, v, ok := strings.Cut(w, "="); ok {
			value = v
		}
		mount := s.words[i-1] == "-v" || s.words[i-1] == "--volume" || s.words[i-1] == "--mount" || strings.HasPrefix(w, "--volume=") || strings.HasPrefix(w, "-v/")
		value = strings.TrimPrefix(value, "-v")
		from, _, _ := strings.Cut(value, ":")
		return mount && (system(from) || strings.Contains(w, "docker.sock") || strings.Contains(w, "source=/,")) || w == "--net=host" || w == "--network=host" || strings.HasPrefix(w, "--pid=") || strings.HasPrefix(w, "--cap-add=")
	})
}

// judgeRemoval refuses a whole directory at once, where it is the one that work is in.
func judgeRemoval(j *judge, s simple) {
	recursive := slices.ContainsFunc(s.words[1:], func(w string) bool {
		return w == "--recursive" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, "rR") || strings.EqualFold(w, "/s") || w == "--no-preserve-root"
	})
	if !recursive {
		return
	}
	j.each(s, destructive, "names a whole directory, which the program would change with all that is in it", func(_ int, w string) bool {
		switch strings.TrimSuffix(w, "/") {
		case ".", "..", "*", "./*", "~", "./.", "../..", "$HOME":
			return true
		}
		return false
	})
}

var setuidMode = lazyregexp.New(`^(-m|--mode=)?(0?[2467][0-7]{3}|[ugoa]*[+=][rwxXt]*s[rwxXst]*)$`)

func judgeSetuid(j *judge, s simple) {
	j.each(s, destructive, "makes a program run with the rights of its owner", func(_ int, w string) bool { return setuidMode.MatchString(w) })
}

func judgeKill(j *judge, s simple) {
	j.each(s, destructive, "ends every process, or the first", func(i int, w string) bool {
		return i > 1 && (w == "-1" || w == "0") || w == "1" && s.words[i-1] != "-s" && s.words[i-1] != "-n"
	})
}

var statement = lazyregexp.New(`(?i)(^|[=;\s"'])(drop\s+(database|table|schema|user|role|owned|index|view|collection)|truncate\s+(table\s+)?\w|delete\s+from|alter\s+(system|user|role)|grant\s|revoke\s|shutdown|flushall|flushdb|copy\s.*\sprogram\s|load\s+data|into\s+(out|dump)file|create\s+(extension|function|language)|\\!|\\o\s*\||system\s+\S|\.shell|\.system|dropdatabase)`)

// judgeStatement looks at statements for a database; the demand sql judges those that a
// tool takes as such.
func judgeStatement(j *judge, s simple) {
	j.each(s, destructive, "holds a statement that deletes, changes rights or runs programs", func(_ int, w string) bool { return statement.MatchString(w) })
}

var fetched = lazyregexp.New(`(?i)^(--?[\w-]+=)?(file|gopher|dict|ldaps?|tftp|smb|scp|telnet|netdoc|jar|php|expect):`)

func judgeFetch(j *judge, s simple) {
	j.each(s, files, "names an address that is not one of the web, such as a file", func(_ int, w string) bool { return fetched.MatchString(w) })
	j.each(s, files, "sends or writes a file that holds secrets, or of the system", func(i int, w string) bool {
		previous := s.words[i-1]
		if previous == "-o" || previous == "-O" || previous == "--output" || previous == "-P" {
			return system(w)
		}
		_, value, found := strings.Cut(w, "@")
		return found && (sensitive(value) || strings.HasPrefix(value, "~/."))
	})
}

func judgeEditor(j *judge, s simple) {
	j.each(s, interpreter, startsAnother, func(_ int, w string) bool {
		return len(w) > 1 && w[0] == '+' && strings.Trim(w[1:], "0123456789") != "" && w[1] != '/'
	})
}

func judgeScripts(j *judge, s simple) {
	j.each(s, interpreter, "names a script by its path", func(i int, w string) bool {
		given := s.words[i-1] == "--script" || strings.HasPrefix(w, "--script=")
		return given && strings.ContainsAny(w, `/\`) || strings.HasPrefix(w, "--script-args-file") || strings.HasPrefix(w, "--interactive")
	})
}

// scriptIn returns the place of a script in a world-writable directory that an interpreter or
// shell would run; 0 without one.
func scriptIn(program string, words []string) int {
	_, code := codeOptions(program)
	_, shell := shellOf(program)
	if !code && !shell && program != "source" && program != "." {
		return 0
	}
	for i, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			if worldWritable(w) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}
