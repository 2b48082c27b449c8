// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A special judges programs for which words count together, beyond the table of options.
type special struct {
	programs string
	judge    func(j *judge, s simple, r *grammar.Reading)
}

var specials = []special{
	{"git", judgeGit},
	{"npm pnpm yarn bundle bundler aws gh", judgeSettings},
	{"export declare typeset readonly local setenv", judgeExport},
	{"read mapfile readarray getopts printf hash enable", judgeAssigned},
	{"tar gtar bsdtar unzip 7z 7za 7zr", judgeUnpacked},
	{guards, judgeGuard},
	{"npx bunx uvx pipx npm pnpm yarn go", judgeFetchedGuard},
	{"pgrep pidof lsof ps grep egrep rg awk gawk sed ss cat head", judgeSought},
	{"alias systemctl service launchctl brew apt apt-get dnf cargo npm pnpm yarn pip pip3 pipx uv", judgeGuarded},
	{"systemctl loginctl", judgeServices},
	{"test [ [[ printf read unset declare typeset local let expr", judgeSubscript},
	{"env printenv export declare typeset set", judgeDump},
	{"ssh slogin autossh", judgeSSH},
	{"rm del rd rmdir unlink shred chmod chown chgrp " + eraserNames, judgeRemoval},
	{"kill", judgeKill},
	{"git patch gpatch apply_patch applypatch", judgePatch},
	{stayerNames, judgeStays},
	{"find gfind bfs " + fdNames, judgeFind},
	{"kubectl oc k", judgeKubernetes},
	{"sed gsed", judgeSed},
	{"git", judgeDiscard},
	{"venv virtualenv uv git", judgeFilled},
	{"grep egrep fgrep zgrep ugrep rg ag ack", judgeSearch},
	{"find gfind bfs " + fdNames, judgeSearched},
	{"python python2 python3 php npx bunx " + fileServers, judgeServed},
	{"npm pnpm yarn git docker podman nerdctl dotenv make gmake php ruby bun tmux byobu mvn mvnw", judgeShown},
	{"eval", judgeEval},
	{"sh bash dash ash ksh", judgeShell},
	{"sed gsed", judgeBackup},
	{"sort", judgeNameList},
	{"uniq sort cut comm join paste head tail wc nl fold tr", judgeFilter},
	{"ps", judgeProcesses},
	{"ed red ex", judgeEditor},
	{"gdb lldb", judgeDebugger},
	{"docker podman nerdctl docker-compose podman-compose", judgeContainer},
	{"aws gsutil", judgeBucket},
	{services, judgeSending},
	{carriers, judgeSteering},
	{"script unbuffer expect screen tmux dtach", judgeTerminal},
	{"make gmake bmake", judgeMake},
	{"make gmake bmake cmake ninja meson", judgeInstall},
	{"pwsh powershell", judgePowerShell},
	{"snakemake gulp grunt jake fab invoke inv foreman honcho overmind tmux packer supervisord nginx m4 gnuplot parallel psql duckdb clickhouse-client cqlsh", judgePrinted},
	{"mv gmv rsync robocopy", judgeMoved},
	{"fuser", judgeSought},
	{"psql mysql mariadb sqlite3 sqlite sqlcmd mysqlsh pgcli mycli usql duckdb rsql cockroach clickhouse-client clickhouse mongo mongosh redis-cli valkey-cli cqlsh cypher-shell bq snowsql trino presto beeline hive isql usql litecli wrangler turso surreal", judgeStatement},
}

// each refuses every word after the program that bad holds of.
func (j *judge) each(s simple, kind, what string, bad func(i int, word string) bool) {
	for i, w := range s.words {
		if i > 0 && bad(i, w) {
			j.refuseWord(&s, i, kind, what)
		}
	}
}

// gitOutputs judges the places that options of git name for the files that it writes.
func (j *judge) gitOutputs(s simple, command string) {
	for i, w := range s.words[1:] {
		option, place, glued := cut(w, "=")
		switch {
		case glued:
		case hasPrefix(w, "-o") && len(w) > 2:
			option, place = "-o", w[2:]
		case i+2 < len(s.words):
			place = s.words[i+2]
		}
		if outputsOfGit.MatchString(command + " " + option) {
			j.fillsByGit(place)
		}
	}
}

// fillsByGit judges a file or a directory that git writes.
func (j *judge) fillsByGit(place string) {
	if startsLater(j.directory, place) || holdsLater(j.directory, place) {
		j.refuse(-1, startup, "fills a directory from whose files git, an agent or the system starts programs later")
	}
	j.leaves(-1, j.directory, place)
}

// outputsOfGit are such options, behind their commands. Commands that only look do not write into a work tree.
var outputsOfGit = lazyregexp.New(`^((checkout|checkout-index|restore|reset|switch|read-tree|merge|pull|rebase|cherry-pick|revert|stash|apply|am|sparse-checkout) --work-tree|checkout-index --prefix|` +
	`(format-patch|bugreport|diagnose|mailsplit) (-o|--output-directory)|fast-(im|ex)port --export-marks|(apply|am) --directory)$`)

// judgeGit judges what git sets, what it takes from other commits, and where it sends to.
func judgeGit(j *judge, s simple, r *grammar.Reading) {
	if len(r.Operands) == 0 {
		return
	}
	operands := r.Operands[1:]
	j.gitOutputs(s, s.first(r))
	switch s.first(r) {
	case "config":
	case "restore", "checkout", "rm", "mv":
		j.each(s, startup, "names a file from which a shell, git or the system starts programs later", func(i int, w string) bool {
			return hasIndex(operands, i) && startsLater(j.directory, w)
		})
		return
	case "remote":
		if len(operands) > 1 && among(s.words[operands[0]], "add set-url") {
			if j.remotes == nil {
				j.remotes = map[string]bool{}
			}
			j.remotes[s.words[operands[1]]] = true
		}
		return
	case "push":
		if len(operands) == 0 && len(j.remotes) > 0 {
			j.refuse(-1, away+network, "sends to an address which the line itself has set")
		}
		if len(operands) > 0 && j.remotes[s.words[operands[0]]] {
			j.refuseWord(&s, operands[0], away+network, "sends to an address which the line itself has set")
		}
		return
	case "branch":
		if r.Gave("-d", "--delete") && r.Gave("-f", "--force") {
			j.refuse(-1, wipe, losesCommits)
		} else if r.Gave("-f", "--force") && len(operands) > 1 && goesBack.MatchString(s.words[operands[1]]) {
			j.refuse(-1, wipe, losesCommits)
		}
		return
	case "update-ref":
		if anyWord(s.words, func(w string) bool { return among(w, "-d --delete --stdin") || hasPrefix(w, "refs/heads/") }) {
			j.refuse(-1, wipe, losesCommits)
		}
		return
	case "worktree":
		if len(operands) > 0 && s.words[operands[0]] == "remove" && anyWord(s.words, func(w string) bool { return w == "-f" || hasPrefix(w, "--f") }) {
			j.refuse(-1, wipe, "throws away all changes that are not committed")
		}
		return
	case "bundle":
		if len(operands) > 1 && s.words[operands[0]] == "create" {
			j.fillsByGit(s.words[operands[1]])
		}
		return
	default:
		return
	}
	if len(operands) > 0 && among(s.words[operands[0]], "set get list unset edit") {
		operands = operands[1:]
	}
	if len(operands) > 1 && !gitSettings.MatchString(s.words[operands[0]]+"="+s.words[operands[1]]) {
		j.refuse(-1, setting, classOf("git-setting").what)
	}
}

// goesBack is a commit before another, or one by its number.
var goesBack = lazyregexp.New(`[~^]|@\{|^[0-9a-f]{7,64}$`)

const losesCommits = "moves or deletes a branch, which may lose its commits"

// settings are those of package managers and the like by which they start programs, or get packages from elsewhere.
var settings = lazyregexp.New(`(?i)^((@[\w.-]+:)?registry|npmRegistryServer|script-shell|shell|node-options|editor|pager|git|viewer|init-module|userconfig|globalconfig|yarnPath|plugins(\.\w+)*|mirror\..*|([\w-]+\.)*(credential_process|endpoint_url))(=|$)`)

// judgeSettings judges what "npm config set" and its like set, lastingly.
func judgeSettings(j *judge, s simple, r *grammar.Reading) {
	operands := r.Operands
	if len(operands) == 0 || !among(s.words[operands[0]], "config conf c set configure") {
		return
	}
	sets := s.words[operands[0]] == "set"
	for _, i := range operands[1:] {
		switch w := s.words[i]; {
		case among(w, "get list ls delete rm unset"):
			return
		case w == "set":
			sets = true
		case settings.MatchString(w) && (sets || i+1 < len(s.words)) && (i+1 >= len(s.words) || s.words[i+1] != ""):
			j.refuse(s.element(i), setting, "sets a program to start, or where packages come from")
			return
		}
	}
}

// finders start programs in the middle of their words.
var finders = wordset.New("find gfind bfs")

// starts reports whether a word of find or fd stands before a command.
func (s *simple) starts(word string) bool {
	if among(s.program(), fdNames) {
		return among(word, "-x -X --exec --exec-batch")
	}
	return among(word, "-exec -execdir -ok -okdir")
}

const fdNames = "fd fdfind"

// found judges the commands in the words of find and fd. Each ends in a semicolon or a plus.
func (j *judge) found(s simple, depth int) {
	for i := 1; i < len(s.words); i++ {
		if !s.starts(s.words[i]) {
			continue
		}
		end := i + 1
		for end < len(s.words) && s.words[end] != ";" && s.words[end] != "+" {
			end++
		}
		if started := s.below(s.words[i+1:end], j.directory); len(started) > 0 {
			j.simple(simple{words: started, array: s.array, offset: s.offset + i + 1}, depth+1)
		}
		i = end
	}
}

// begin returns the directories in which a find begins.
func (s *simple) begin() (list []string) {
	for _, w := range s.words[1:] {
		switch {
		case among(w, "-H -L -P") || hasPrefix(w, "-O"):
		case w == "" || strings.IndexByte("-(!", w[0]) >= 0:
			return list
		default:
			list = with(list, w)
		}
	}
	return list
}

// below puts a name below each directory in which a find begins, outside the work at hand, in the place of the files that it finds.
func (s *simple) below(words []string, directory string) []string {
	var far []string
	for _, dir := range s.begin() {
		if full := toDirectory(directory, dir); hasPrefix(full, "/") || hasPrefix(full, "~") || hasPrefix(full, "..") {
			far = with(far, trimSuffix(dir, "/")+"/{}")
		}
	}
	if len(far) == 0 || len(far) > maxOthers {
		return words
	}
	var all []string
	for _, w := range words {
		if w == "{}" {
			all = append(all, far...)
		} else {
			all = with(all, w)
		}
	}
	return all
}

// looking are commands of toolvet that only look, and lookingElsewhere those of other guards.
const (
	looking          = "check tools servers policy log explain version doctor rehearse audit help demo completion"
	lookingElsewhere = "check status list show log logs explain version doctor help"
)

// guards are programs that hosts of agents run as hooks.
const guards = "toolvet hook-judge moat openmoat hol-guard pipelock cupcake safe-chains"

// isGuard reports whether a word names one of them, also by its path or in an assignment.
func isGuard(word string) bool {
	name, _, _ := cut(word, "=")
	return among(trimSuffix(programName(name), ".service"), guards)
}

// judgeFetchedGuard judges a guard that another program starts, as its own program would be.
func judgeFetchedGuard(j *judge, s simple, r *grammar.Reading) {
	if s.program() == "go" && s.first(r) != "run" {
		return
	}
	for _, i := range r.Operands {
		if isGuard(s.words[i]) {
			words := s.words[i:]
			judgeGuard(j, simple{words: words, array: s.array, offset: s.offset + i}, reading(programName(words[0]), words))
			return
		}
	}
}

// judgeGuarded refuses to take a guard away, or to put something in its place.
func judgeGuarded(j *judge, s simple, r *grammar.Reading) {
	if len(r.Operands) == 0 || among(s.first(r), "status show install list info view") {
		return
	}
	j.each(s, guard, "names a program that guards the agent", func(_ int, w string) bool { return isGuard(w) })
}

// judgeSubscript refuses subscripts that run commands: a shell computes them, also from within quotes.
func judgeSubscript(j *judge, s simple, _ *grammar.Reading) {
	if !s.array {
		j.each(s, unread, "has a subscript that a shell would run", func(_ int, w string) bool { return subscript.MatchString(w) })
	}
}

var subscript = lazyregexp.New("^\\w+\\[[^\\]]*(\\$\\(|`)")

// judgeSought refuses to find a guard for another program, which may end it.
func judgeSought(j *judge, s simple, _ *grammar.Reading) {
	mentions := func(_ int, w string) bool {
		return anyWord(fieldsBy(strings.ReplaceAll(strings.ReplaceAll(w, "[", ""), "]", ""), " /.*^$()|{}'\""), isGuard)
	}
	switch {
	case s.program() == "fuser" && anyWord(s.words[1:], fuserKills.MatchString):
		j.each(s, guard, "ends a program that guards the agent", mentions)
	case !s.hands && !s.pipes:
	case among(s.program(), "pgrep pidof lsof fuser"):
		j.each(s, guard, "names a program that guards the agent", mentions)
	default: // and kill may end it
		for i, w := range s.words[1:] {
			j.sought = j.sought || mentions(i, w)
		}
	}
}

var fuserKills = lazyregexp.New(`^(-[a-zA-Z]*k[a-zA-Z]*|--kill)$`)

// judgeGuard refuses to change what toolvet guards, or another guard.
func judgeGuard(j *judge, s simple, r *grammar.Reading) {
	own := s.program() == "toolvet"
	if len(r.Operands) == 0 {
		if fed := s.by != "" && feeds.Has(s.by); fed || !own && !anyWord(s.words, func(w string) bool { return among(w, "--help -h --version -V -v --list-commands --list-tools") }) {
			j.refuse(-1, guard, "opens what guards the agent, to be told what to do") // by words or keys that the line does not show
		}
		return
	}
	name := s.words[r.Operands[0]]
	look := among(name, lookingElsewhere) && !anyWord(s.words, func(w string) bool { return among(w, "--accept --fix --force --yes -y") })
	if own {
		look = among(name, looking)
	} else if s.program() == "safe-chains" && slices.ContainsFunc(r.Operands, func(i int) bool { return contains(s.words[i], " ") }) {
		look = true // a line to look at
	}
	if own && name == "hook" && len(r.Operands) > 1 {
		look = among(s.words[r.Operands[1]], "status doctor")
	} else if name == "hook" && len(s.words) == 3 && among(s.words[2], "claude claude-code codex cursor gemini copilot droid opencode qwen windsurf cline kiro amp goose") {
		look = true // what a host runs before each call, which only answers
	}
	if !look {
		j.refuse(-1, guard, "changes what guards the agent, or lets calls pass it")
	}
}

// judgeServices refuses to have the system start something later, where commands must stay in their place.
func judgeServices(j *judge, s simple, r *grammar.Reading) {
	if j.inside && among(s.first(r), "enable reenable link edit add-wants add-requires set-default import-environment set-environment enable-linger") {
		j.refuse(-1, outside, "has the system start something later")
	}
	if among(s.first(r), "stop disable mask kill") {
		j.each(s, system, "stops what watches over the system", func(_ int, w string) bool { return among(trimSuffix(w, ".service"), protectors) })
	}
}

// protectors are services that watch over the system.
const protectors = "auditd apparmor firewalld ufw nftables fail2ban falcon-sensor clamav-daemon osqueryd wazuh-agent rsyslog systemd-journald"

// judgeDump refuses to print the whole environment, or a variable of it that holds a secret.
func judgeDump(j *judge, s simple, r *grammar.Reading) {
	if !j.inside && j.listed(s.words) || plainNames.MatchString(s.search) {
		return
	}
	all := len(s.words) == 1 || among(s.program(), "env printenv") && !anyWord(s.words[1:], func(w string) bool { return !among(w, "-0 --null --") }) || among(s.words[0], "export declare typeset") && len(s.words) == 2 && among(s.words[1], "-p -x -xp -px")
	if all && (s.words[0] != "env" || len(r.Variables) == 0) {
		j.refuse(-1, credential, "prints all variables of the environment, also those that hold secrets")
		return
	}
	if s.program() == "printenv" {
		j.each(s, credential, "prints a variable that, going by its name, holds a secret", func(_ int, w string) bool { return secretVariable(w) })
	}
}

// plainNames are names of variables and of settings of PHP, or their beginnings, that hold no secret.
var plainNames = lazyregexp.New(`(?i)^(node(_env|_options|_path)?|path|home|lang|lc_all|python(path)?|virtual_env|conda|gopath|goroot|goflags|java(_home)?|ruby|debug|port|host|(https?_)?proxy|shell|term|user|rust|cuda|display|editor|pwd|memory_limit|max_\w+|(post|upload)_max\w*|xdebug\w*|opcache\w*|extension\w*|include_path|php|loaded|(loaded )?configuration( file)?|configure command|(php )?version|timezone|mbstring|server api)$`)

// searched returns the plain word of at least three letters that a grep looks for; "" if it looks for something else.
func (s *simple) searched() string {
	if len(s.words) < 2 || !among(s.program(), "grep egrep rg") {
		return ""
	}
	word := s.words[len(s.words)-1]
	for _, w := range s.words[1 : len(s.words)-1] {
		if w != "-i" && w != "-E" && w != "-n" {
			return ""
		}
	}
	if plain := trimSuffix(trimPrefix(word, "^"), "="); len(plain) >= 3 && strings.Trim(plain, wordCharacters+" ") == "" && plain[0] != '-' {
		return plain
	}
	return ""
}

// judgeSSH refuses a command for the other host: a shell there reads it.
func judgeSSH(j *judge, _ simple, r *grammar.Reading) {
	if len(r.Operands) > 1 {
		j.refuse(-1, elsewhere, "gives a shell on another host a command")
	}
}

// judgeAssigned judges the variables that a shell's own commands set, and the programs that it is told to take from elsewhere.
func judgeAssigned(j *judge, s simple, _ *grammar.Reading) {
	switch words := s.words[1:]; s.words[0] {
	case "printf":
		if len(words) > 1 && words[0] == "-v" {
			j.variable(words[1]+"=", true)
		}
	case "hash", "enable":
		if anyWord(words, func(w string) bool { return hasPrefix(w, "-p") || hasPrefix(w, "-f") }) {
			j.refuse(-1, environment, "tells a shell to take a program from elsewhere")
		}
	default:
		for _, w := range words {
			if w != "" && w[0] != '-' {
				j.variable(w+"=", true)
			}
		}
	}
}

// judgeUnpacked judges where an archive is unpacked to: what is in it may be anything.
func judgeUnpacked(j *judge, s simple, _ *grammar.Reading) {
	tar := hasSuffix(s.program(), "tar")
	to, unpacks := j.directory, !tar
	for i, w := range s.words[1:] {
		short := tar && (i == 0 || len(w) > 1 && w[0] == '-' && w[1] != '-')
		unpacks = unpacks || w == "--extract" || w == "--get" || short && contains(w, "x")
		before := s.words[i]
		value, glued := cutPrefix(w, "--directory=")
		if hasPrefix(s.program(), "7z") {
			value, glued = cutPrefix(w, "-o")
		}
		switch {
		case glued && value != "":
			to = toDirectory(j.directory, value)
		case i > 0 && (among(before, "-d --directory") || tar && before != "" && before[0] == '-' && hasSuffix(before, "C")):
			to = toDirectory(j.directory, w)
		}
	}
	if !unpacks {
		return
	}
	if filekind.HoldsStartup(to) {
		j.refuse(-1, startup, "fills a directory from whose files git, an agent or the system starts programs later")
	}
	j.leaves(-1, "", to)
}

func judgeExport(j *judge, s simple, _ *grammar.Reading) {
	for _, w := range s.words[1:] {
		if strings.IndexByte(w, '=') > 0 {
			j.variable(w, true)
		}
	}
}

// judgeRemoval refuses a whole directory at once, where it is the one that work is in.
func judgeRemoval(j *judge, s simple, r *grammar.Reading) {
	j.deletes(s, r)
	if j.sweeps && removes(s.program()) && (feeds.Has(s.by) || anyWord(s.words, func(w string) bool { return w != "" && (withoutInsertions(w, "") == "" || lastStep(w) == "{}") })) {
		j.refuse(-1, wipe, takesAll)
	}
	if !r.Gave("-r", "-R", "--recursive", "--no-preserve-root", "/s", "/S") && !erasers.Has(s.program()) {
		return
	}
	j.each(s, wipe, "names a whole directory, which the program would change with all that is in it", func(_ int, w string) bool {
		if w == "" {
			return false
		}
		switch path.Clean(w) {
		case ".", "..", "*", "~", "../..":
			return true
		}
		return hasPrefix(w, insertion) || j.isRoot(trimSuffix(w, "/*"))
	})
}

// judgeKubernetes refuses to print the contents of secrets; their names are none.
func judgeKubernetes(j *judge, s simple, r *grammar.Reading) {
	if len(r.Operands) < 2 || s.first(r) != "get" || !slices.ContainsFunc(r.Operands, func(i int) bool { return kubernetesSecret.MatchString(s.words[i]) }) {
		return
	}
	for i, w := range s.words[1:] {
		_, value, glued := cut(w, "=")
		if !glued {
			value, glued = cutPrefix(w, "-o")
		}
		if s.words[i] == "-o" || s.words[i] == "--output" || s.words[i] == "--template" {
			value = w
		} else if !glued || value == "" || !hasPrefix(w, "-o") && !hasPrefix(w, "--output") && !hasPrefix(w, "--template") {
			continue
		}
		if !among(value, "name wide") {
			j.refuseWord(&s, i+1, credential, "makes the program print a password, a key or a token")
		}
	}
}

func judgeKill(j *judge, s simple, _ *grammar.Reading) {
	if j.sought && (feeds.Has(s.by) || anyWord(s.words, func(w string) bool { return contains(w, insertion) })) {
		j.refuse(-1, guard, "ends a program that guards the agent")
	}
	j.each(s, system, "ends every process, or the first", func(i int, w string) bool {
		return i > 1 && (w == "-1" || w == "0") || w == "1" && s.words[i-1] != "-s" && s.words[i-1] != "-n"
	})
}

var statement = lazyregexp.New(`(?i)(^|[=;\s"'\\])(drop\s+(database|table|schema|user|role|owned|index|view|collection|keyspace|type|function|trigger|materialized|sequence|partition|column|constraint)|detach\s+delete|truncate\s+(table\s+)?\w|delete\s+from|alter\s+(system|user|role)|grant\s|revoke\s|shutdown|flushall|flushdb|config\s+set\s+(dir|dbfilename|slave\S*|requirepass)|(replica|slave)of\s|module\s+load|script\s+flush|copy\s.*\sprogram\s|load\s+data|into\s+(out|dump)file|create\s+(extension|function|language)|\\!|\\o\s*\||system\s+\S|\.shell|\.system|dropdatabase)`)

var (
	clientShell = lazyregexp.New(`(?mi)^\s*(\\!|\\o\s*\||\\g\s*\||system\s|\.(sh|she|shel|shell|sy|sys|syst|syste|system)\b)`)
	readBySQL   = lazyregexp.New(`(?i)\b(?:readfile|load_file|pg_read_file|pg_read_binary_file|read_text|read_blob|read_csv|read_csv_auto|from|to)\s*\(?\s*'([^'\s]+)'`)
)

// judgeStatement looks at statements for a database; the demand sql judges those that a
// tool takes as such.
func judgeStatement(j *judge, s simple, _ *grammar.Reading) {
	texts := s.words[1:]
	if in := s.fed(); in != nil && *in != untold {
		texts = append(slices.Clone(texts), *in)
		if clientShell.MatchString(*in) {
			j.refuse(-1, inCode, "hands a client of a database a command that starts a shell")
		}
	}
	for _, text := range texts {
		for _, m := range readBySQL.FindAllStringSubmatch(text, maxOthers) {
			if j.namesSecret(m[1], j.directory) {
				j.refuse(-1, secret, "names a file that holds secrets or accounts")
			}
		}
	}
	const what = "holds a statement that deletes, changes rights or runs programs"
	j.each(s, wipe, what, func(_ int, w string) bool { return statement.MatchString(w) })
	for i, w := range s.words[1:] { // a script that the line itself writes
		before, value, _ := cut(w, "=")
		if value == "" {
			value = trimPrefix(w, "-f")
		}
		if text, made := j.made[j.at(value)]; made && value != "" && (before != w || i > 0 && among(s.words[i], "-f --file -i --input .read") || hasPrefix(w, "-f")) {
			texts = with(texts, text)
		}
	}
	if s.program() == "redis-cli" { // whose commands are words of their own
		texts = with(texts, strings.Join(s.words[1:], " "))
	}
	for _, text := range texts[len(s.words)-1:] {
		if statement.MatchString(text) {
			j.refuse(-1, wipe, what)
		}
	}
	for _, text := range texts {
		for _, one := range updates.FindAllString(text, maxOthers) {
			if !contains(strings.ToLower(one), "where") {
				j.refuse(-1, wipe, what)
			}
		}
		for _, m := range writtenBySQL.FindAllStringSubmatch(text, maxOthers) {
			if ofSystem(m[1]) && m[1] != "/dev/null" {
				j.refuse(-1, system, "names a directory or device of the system, which the program would change")
			}
			j.leaves(-1, j.directory, m[1])
		}
	}
}

// updates are statements that change rows, all of them without a condition.
var updates = lazyregexp.New(`(?i)\bupdate\s+\S+\s+set\s[^;]*`)

// writtenBySQL is the name of a file that a client or a server of a database writes.
var writtenBySQL = lazyregexp.New(`(?i)(?:\b(?:to|outfile|dumpfile)\s+|^\s*\.(?:output|once|backup|save|clone|log)\s+|\\(?:o|w)\s+)'?([/~.][^'\s;]*)`)
