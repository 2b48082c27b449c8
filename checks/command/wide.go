// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Few words reach far: a search through a whole home directory, a directory that a program fills, all changes of a work tree at once.

// homePlaces are home directories, those of all users, and those with the settings of all programs.
var homePlaces = lazyregexp.New(`^(/|~[^/]*|/root|/home(/[^/]+)?|/users(/[^/]+)?)(/(\.config|\.local(/share)?|library(/(application support|preferences))?))?(/\*)?$`)

// ofHome reports whether a word names, from a directory, a home directory or all of its settings: somewhere in there are secrets, under names
// that no list has.
func (j *judge) ofHome(directory, word string) bool {
	full := path.Clean(toDirectory(directory, word))
	if base := j.world.Base; base != "" && !hasPrefix(full, "/") && !hasPrefix(full, "~") {
		full = path.Join(base, full)
	}
	if full != "/" {
		full = trimSuffix(full, "/")
	}
	return homePlaces.MatchString(strings.ToLower(full)) || full == home("~")
}

const searchesHome = "searches the files of a whole home directory or of more, some of which hold secrets"

// judgeSearch judges searches in all files below a home directory. Those that print names alone pass.
func judgeSearch(j *judge, s simple, r *grammar.Reading) {
	program := s.program()
	if among(program, "grep egrep fgrep zgrep") && !anyWord(s.words[1:], recursion.MatchString) || anyWord(s.words[1:], namesAlone.MatchString) {
		return
	}
	hidden := !among(program, "rg ag ack") || anyWord(s.words[1:], hiddenToo.MatchString)
	begins := s.words[1:]
	if among(program, "rg ag ack") && len(r.Operands) < 2 { // where the shell is
		begins = append(slices.Clone(begins), ".")
	}
	for i, w := range begins {
		if w == "" || w[0] == '-' || i < len(s.words)-1 && !hasIndex(r.Operands, i+1) || len(r.Operands) > 0 && i+1 == r.Operands[0] && !r.Gave("-e", "--regexp", "-f", "--file") {
			continue // an option, its value, or the expression
		}
		if (hidden || contains(w, ".config") || contains(j.directory, ".config")) && j.ofHome(j.elsewhere(s), w) {
			j.refuse(-1, credential, searchesHome)
		}
	}
}

var (
	recursion  = lazyregexp.New(`^(-[a-zA-Z]*[rR][a-zA-Z]*|--(dereference-)?rec\w*|--directories=recurse|-drecurse)$`)
	namesAlone = lazyregexp.New(`^(-[a-zA-Z]*[lLq]|--files(-with-matches|-without-match)?|--quiet|--type-list)$`)
	hiddenToo  = lazyregexp.New(`^(-[a-zA-Z]*[u.][a-zA-Z.]*|--(hidden|unrestricted|no-ignore.*|all-types|all-text|follow))$`)
)

// judgeSearched judges what find looks for below a home directory: keys, or all files, for another program.
func judgeSearched(j *judge, s simple, _ *grammar.Reading) {
	far, beyond, narrow, keys := false, false, false, false
	for i, w := range s.words[1:] {
		switch before := s.words[i]; {
		case among(before, "-name -iname -path -ipath -wholename -regex -iregex -newer -user"):
			plain := strings.ToLower(w)
			narrow = narrow || strings.Trim(plain, "*?./") != "" && !settingNames.MatchString(plain)
			keys = keys || keyNames.MatchString(plain)
		case w != "" && w[0] != '-' && !narrow && j.ofHome(j.directory, w):
			far = true
		case hasPrefix(w, "..") || hasPrefix(w, "/") || hasPrefix(w, "~"):
			beyond = true
		}
	}
	if beyond && keys && (s.hands || findRuns(s.words)) {
		j.refuse(-1, credential, "finds files that hold secrets, for another program")
	}
	if far && (keys || !narrow && (s.hands || findRuns(s.words))) {
		j.refuse(-1, credential, searchesHome)
	}
}

// settingNames find the settings of all programs.
var settingNames = lazyregexp.New(`^\*\.(json|ya?ml|toml|ini|conf|cfg|properties)$`)

// fileServers are programs that serve the files of the directory in their words.
const fileServers = "serve http-server live-server"

// judgeServed judges servers of files: a home directory, or all of the system, is not for everybody who can reach this machine.
func judgeServed(j *judge, s simple, r *grammar.Reading) {
	program := s.program()
	serves := among(program, fileServers)
	dirs := r.Operands
	for i, w := range s.words[1:] {
		switch {
		case among(program, "npx bunx") && !serves && among(packageProgram(w), fileServers):
			serves, dirs = true, slices.DeleteFunc(slices.Clone(dirs), func(k int) bool { return k <= i+1 })
		case w == "http.server" && s.words[i] == "-m", program == "php" && hasPrefix(w, "-S"):
			serves, dirs = true, nil
		case among(w, "-d --directory -t --docroot") && i+2 < len(s.words):
			dirs = []int{i + 2}
		case hasPrefix(w, "--directory="):
			dirs = []int{i + 1}
		}
	}
	if !serves {
		return
	}
	dir := "."
	if len(dirs) > 0 {
		dir = trimPrefix(s.words[dirs[0]], "--directory=")
	}
	if j.ofHome(j.directory, dir) {
		j.refuse(-1, credential, "gives everybody who reaches this machine the files of a whole home directory or of more, some of which hold secrets")
	}
}

// judgeShown judges programs that print settings, or the environment among other things: these may hold passwords or tokens.
func judgeShown(j *judge, s simple, _ *grammar.Reading) {
	if !plainNames.MatchString(s.search) && shownSettings.MatchString(strings.Join(append([]string{s.program()}, s.words[1:]...), " ")) {
		j.refuse(-1, credential, "makes the program print a password, a key or a token")
	}
}

var shownSettings = lazyregexp.New(`(?i)^((npm|pnpm|yarn) (c|config )?get .*_(auth|password)|git (-\S+ |\S+=\S+ )*config .*--get\S* .*(extraheader|token|passw)|(docker|podman|nerdctl) (container )?inspect .*\.config(\.env|\s*\}\})|dotenv (-\S+ )*(list|get)( |$)|` +
	`g?make (\S+ )*((?-i:-[bBdeiknqrRsStvwL]*p)\w*|--print-da\S*)( |$)|php (-\S+ )*(-[a-z]*i|--info)( |$)|ruby (\S+ )*-e ?(p|puts|print)[ (]+ENV[\s);.\w]*$|mvnw? (.* )?help:system( |$)|(npm|pnpm|yarn|bun) (-\S+ )*(run|run-script|rum|urn) (-\S+ )*env( |$)|` +
	`(tmux|byobu) (-[LSf] \S+ |-\S+ )*show(-e\S*|env)( -t \S+| -\S+)*( \S*(token|secret|key|passw)\S*)?$)`)

// keyNames are endings of files with keys.
var keyNames = lazyregexp.New(`(\.(pem|key|p12|pfx|kdbx?|jks|keystore|ppk|asc|ovpn)|wallet(\.dat)?|keychain(-db)?|id_[\w*?]+)\*?$`)

// judgeFilled judges the directory that a program makes or fills.
func judgeFilled(j *judge, s simple, r *grammar.Reading) {
	names := r.Operands
	switch program := s.program(); {
	case program == "uv" && len(names) > 0 && s.words[names[0]] == "venv", program == "git" && len(names) > 0 && among(s.words[names[0]], "init clone worktree"):
		names = names[1:]
	case program == "uv" || program == "git":
		return
	}
	clears := s.program() != "git" && anyWord(s.words, func(w string) bool { return len(w) > 3 && hasPrefix("--clear", w) })
	for _, i := range names {
		dir := s.words[i]
		switch {
		case holdsLater(j.directory, dir):
			j.refuseWord(&s, i, startup, "fills a directory from whose files git, an agent or the system starts programs later")
		case clears && !environments.MatchString(dir):
			j.refuseWord(&s, i, wipe, "names a whole directory, which the program would change with all that is in it")
		}
		if s.program() != "git" {
			j.leaves(s.element(i), j.directory, dir)
		}
	}
}

// environments are the names that people give to the environments of Python.
var environments = lazyregexp.New(`(^|/)[\w.-]*\.?(virtual|v)?env[\w.-]*/?$`)

// judgeDiscard judges what throws away all changes of a work tree.
func judgeDiscard(j *judge, s simple, r *grammar.Reading) {
	switch first := s.first(r); {
	case among(first, "switch checkout") && r.Gave("-C", "-B"), first == "tag" && r.Gave("-d", "--delete"), first == "fetch" && anyWord(s.words[2:], func(w string) bool { return hasPrefix(w, "+") && contains(w, ":") }):
		j.refuse(-1, deleting, losesCommits)
	}
	if !among(s.first(r), "checkout restore rm") || r.Gave("-b", "-B") || s.first(r) == "rm" && (!r.Gave("-r") || r.Gave("--cached")) {
		return
	}
	options := s.words[1:]
	if s.words[r.Operands[0]] == "restore" && anyWord(options, stagedOnly.MatchString) && !anyWord(options, worktreeToo.MatchString) || anyWord(options, patchwise.MatchString) {
		return
	}
	for k, i := range r.Operands[1:] {
		if s.first(r) != "rm" && (k > 0 || thrownAway.MatchString(s.words[i]) || s.words[i-1] == "--") {
			j.refuseWord(&s, i, deleting, "names a file, whose changes are thrown away")
		}
		if wholeTree.MatchString(s.words[i]) || holds(j.world.Roots, path.Clean(s.words[i])) {
			j.refuseWord(&s, i, wipe, "throws away all changes that are not committed")
		}
	}
}

// wholeTree are pathspecs of git for all or nearly all of a work tree.
var wholeTree = lazyregexp.New(`^(\.{1,2}/?|:.*|[*/]+)$`)

var (
	stagedOnly  = lazyregexp.New(`^(-[A-Za-z]*S[A-Za-z]*|--st\w*)$`)
	worktreeToo = lazyregexp.New(`^(-[A-Za-z]*W[A-Za-z]*|--w\w*)$`)
	patchwise   = lazyregexp.New(`^(-p|--patch)$`)
)

// judgeEval refuses an eval for another one: each reads the text once more, so that no quotes mean what they seem to mean.
func judgeEval(j *judge, s simple, _ *grammar.Reading) {
	if len(s.words) > 1 && programName(s.words[1]) == "eval" {
		j.refuse(-1, unread, "hands a text from one eval to another")
	}
}

// judgeShell refuses long options that no shell of the family has: one may take the word behind it, so that nobody can tell what is the script.
func judgeShell(j *judge, s simple, r *grammar.Reading) {
	for i, w := range s.words[1:] {
		if w == "-c" || len(r.Operands) > 0 && i+1 >= r.Operands[0] {
			return
		}
		if len(w) > 2 && hasPrefix(w, "--") && !shellOptions.MatchString(w) {
			j.refuseWord(&s, i+1, unread, "is no option of a shell, which may take the next word for its value")
		}
	}
}

var shellOptions = lazyregexp.New(`^--(login|noprofile|norc|posix|restricted|verbose|version|help|debugger|debug|dump-(po-)?strings|noediting|rcfile(=.*)?|init-file(=.*)?|pretty-print|wordexp|protected)$`)

// judgeBackup judges the files that sed makes of those that it changes, by an ending.
func judgeBackup(j *judge, s simple, r *grammar.Reading) {
	ending := ""
	for _, w := range s.words[1:] {
		if value, ok := cutPrefix(w, "--in-place="); ok {
			ending = value
		} else if i := strings.IndexByte(w, 'i'); i > 0 && strings.Trim(w[:i], "-nErsuz") == "" && w[0] == '-' && !hasPrefix(w, "--") {
			ending = w[i+1:]
		}
	}
	if ending == "" {
		return
	}
	for _, i := range r.Operands {
		made := s.words[i] + ending
		if strings.ContainsAny(ending, "*/") {
			dir, base := path.Split(s.words[i])
			if made = strings.ReplaceAll(ending, "*", base); !contains(made, "/") {
				made = dir + made
			}
		}
		switch {
		case j.namesSecret(made, j.directory):
			j.refuseWord(&s, i, secret, "names a file that holds secrets or accounts")
		case startsLater(j.directory, made):
			j.refuseWord(&s, i, startup, "names a file from which a shell, git or the system starts programs later")
		}
		if contains(ending, "/") {
			j.leaves(s.element(i), j.directory, made)
		}
	}
}

// judgeNameList refuses a list of files in a file: the line does not name what is printed.
func judgeNameList(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, unread, "names a file with the names of the files to print", func(i int, w string) bool {
		value, glued := cutPrefix(w, "--files0-from=")
		return glued && value != "-" || s.words[i-1] == "--files0-from" && w != "-"
	})
}

// judgeTerminal refuses a guard in a terminal that another program makes: what asks a person there is answered by the agent.
func judgeTerminal(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, guard, "opens what guards the agent, to be told what to do", func(i int, w string) bool {
		return !among(s.words[i-1], "-s -t -n -S") && anyWord(fieldsBy(w, " \t\n;|&'\""), isGuard)
	})
}

// judgeMake refuses values that make has a shell find out: NAME!=LINE.
func judgeMake(j *judge, s simple, r *grammar.Reading) {
	j.each(s, doubtful, "names another makefile than the project's own", func(i int, w string) bool {
		name := otherMakefile(s.words, i)
		return name != "" && !ownMakefile.MatchString(name)
	})
	j.each(s, setting, "gives a makefile a value that a shell or make itself runs", func(_ int, w string) bool { return shellAssigned.MatchString(w) })
}

// otherMakefile returns the file that the i-th word names by an option of make, of which letters may stand before f and names may be cut; "" if it names
// none.
func otherMakefile(words []string, i int) string {
	if m := makefileOption.FindStringSubmatch(words[i]); m != nil {
		return m[1]
	}
	if m := makefileOption.FindStringSubmatch(words[i-1]); m != nil && m[1] == "" {
		return words[i]
	}
	return ""
}

var makefileOption = lazyregexp.New(`^(?:-[bBdeiknpqrRsStvwL]*f|--(?:fi?l?e?|make(?:f|fi|fil|file)?|justfile)(?:=|$))(.*)$`)

var shellAssigned = lazyregexp.New(`^[\w.-]+\s*!=\s*(.*\S)`)

// judgeProcesses refuses to print the environments of processes: by e without a dash.
func judgeProcesses(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, credential, "makes the program print the variables of processes, also those that hold secrets", func(i int, w string) bool {
		return (i == 1 || s.words[i-1] == "" || s.words[i-1][0] != '-' || processColumns.MatchString(s.words[i-1])) && processLetters.MatchString(w)
	})
}

var (
	processLetters = lazyregexp.New(`^[aAcfghjlLmnrsSTuvwxXZ]*e[aAcefghjlLmnrsSTuvwxXZ]*$`)
	processColumns = lazyregexp.New(`^-[aAdefFjlLHw]+$`)
)

// judgeEditor judges what an editor of lines is told on standard input: commands that read a file, or run a line.
func judgeEditor(j *judge, s simple, _ *grammar.Reading) {
	switch {
	case s.input == nil:
	case *s.input == "" || contains(*s.input, insertion):
		j.refuse(-1, unread, "hands an editor commands that the line does not tell")
	case editorRuns.MatchString(*s.input):
		j.refuse(-1, inCode, "hands an editor a command that runs a line")
	case anyWord(strings.Fields(*s.input), func(w string) bool { return j.namesSecret(w, j.directory) }):
		j.refuse(-1, secret, "hands an editor the name of a file that holds secrets or accounts")
	case anyWord(strings.Fields(*s.input), func(w string) bool { return startsLater(j.directory, w) }):
		j.refuse(-1, startup, "hands an editor the name of a file from which a shell, git or the system starts programs later")
	}
}

var editorRuns = lazyregexp.New(`(?m)^[\d,$.%;]*\s*([rwe]\s+)?!`)

// judgeDebugger judges what a debugger is told on standard input.
func judgeDebugger(j *judge, s simple, _ *grammar.Reading) {
	if in := s.fed(); s.input != nil && (in == nil || anyWord(splitAt(*in, "\n"), func(line string) bool {
		return strings.TrimSpace(line) != "" && !debuggerLooks.MatchString(strings.TrimSpace(line))
	})) {
		j.refuse(-1, setting, "hands a debugger commands that may run anything")
	}
}

// judgeContainer refuses to print the variables that a container is given.
func judgeContainer(j *judge, s simple, r *grammar.Reading) {
	if s.first(r) == "plugin" && !(len(r.Operands) > 1 && among(s.words[r.Operands[1]], "ls list rm remove inspect")) {
		j.refuseWord(&s, r.Operands[0], setting, "adds code to the program that runs containers")
	}
	own := func(place string) {
		if j.ofHome(j.directory, place) {
			j.refuse(-1, setting, classOf("host-mount").what)
		}
	}
	for _, use := range r.Uses {
		if among(use.Name, "-v --volume --mount") && use.Value != "" {
			own(mounted(use.Value))
		}
	}
	if among(s.first(r), "build buildx image") && len(r.Operands) > 1 {
		own(s.words[r.Operands[len(r.Operands)-1]])
	}
	if len(r.Operands) > 1 && among(s.first(r), "run create pull") && len(j.hosts) > 0 {
		host, _, ok := cut(s.words[r.Operands[1]], "/")
		if ok && strings.ContainsAny(host, ".:") && !contains(host, insertion) && !registries.MatchString(host) && !listedHost(j.hosts, host) {
			j.refuseWord(&s, r.Operands[1], fetched, "runs an image of a registry that is not listed")
		}
	}
	if len(r.Operands) < 3 || s.words[r.Operands[0]] != "run" || !slices.ContainsFunc(r.Operands[2:], func(i int) bool { return among(s.words[i], "env printenv set export") }) {
		return
	}
	j.each(s, credential, "makes a container print variables that the line does not tell", func(i int, w string) bool {
		return hasPrefix(w, "--env-file") || among(s.words[i-1], "-e --env") && !contains(w, "=") && secretVariable(w)
	})
}

// registries are those of images that projects know.
var registries = lazyregexp.New(`^(localhost(:\d+)?|(\w+\.)?docker\.(io|com)|docker\.elastic\.co|ghcr\.io|quay\.io|([\w-]+\.)?gcr\.io|[\w-]+\.pkg\.dev|mcr\.microsoft\.com|public\.ecr\.aws|[\w.-]+\.amazonaws\.com|[\w-]+\.azurecr\.io|registry\.(k8s\.io|gitlab\.com|access\.redhat\.com|redhat\.io)|lscr\.io|nvcr\.io|cgr\.dev)$`)

// judgeBucket refuses to delete all that is in a bucket.
func judgeBucket(j *judge, s simple, r *grammar.Reading) {
	if slices.ContainsFunc(r.Operands, func(i int) bool { return s.words[i] == "rm" }) && anyWord(s.words, func(w string) bool { return among(w, "--recursive -r -R") }) {
		j.refuse(-1, wipe, "deletes all that is in a bucket, or below a part of it")
	}
}
