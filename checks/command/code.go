// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A language tells what its code does, as far as words tell. Code that only computes, or that also reads and writes files of the
// project, is everyday work: agents edit files by it. Code that starts programs, deletes, reaches the network or makes names from pieces is not.
//
// No guard understands a program, but every way out of a language begins with a word: a module, a function, an attribute. So
// code is harmless if none of them stands outside its texts, and if nothing computes a name (getattr, x[…]). The texts are judged like words of a
// line: they may name a file.
type language struct {
	names    string
	script   bool               // as JavaScript: // and /* */ are comments, and backquotes quote
	pure     string             // modules that only compute
	foreign  string             // modules that start programs, reach the network, or load code
	modules  *lazyregexp.Regexp // the code before the quoted name of a module; nil: imports are statements
	plain    *lazyregexp.Regexp // what acts is not looked for in: the harmless members of modules that have others
	local    string             // of these modules, those that reach this machine, as its own server, are harmless
	acts     *lazyregexp.Regexp // ways out
	files    *lazyregexp.Regexp // words of code that reads or writes files
	writes   *lazyregexp.Regexp // and of code that writes them
	opens    *lazyregexp.Regexp // the code before the quoted name of a file
	computes *lazyregexp.Regexp // ways to make names that nobody can read
}

var languages = []*language{{
	names: "python python2 python3 pypy pypy3 ipython",
	pure: "sys json re math datetime time collections itertools functools string textwrap statistics decimal fractions random uuid hashlib base64 platform typing " +
		"dataclasses enum calendar pprint operator bisect heapq zlib binascii struct unicodedata",
	local: "requests httpx urllib aiohttp",
	foreign: "subprocess requests urllib urllib2 urllib3 http httplib httpx aiohttp socket socketserver ssl ftplib smtplib poplib imaplib telnetlib nntplib xmlrpc paramiko fabric invoke asyncssh pexpect " +
		"sh plumbum ctypes cffi pty pdb code codeop runpy pkgutil imp zipimport marshal pickle dill cloudpickle shelve multiprocessing webbrowser boto3 botocore google azure keyring getpass " +
		"pwd spwd crypt signal resource fcntl mmap winreg msvcrt gc site pip setuptools distutils ensurepip venv docker kubernetes psutil git pymysql psycopg psycopg2 MySQLdb redis pymongo sqlalchemy " +
		"selenium playwright websocket websockets tornado twisted uvicorn scapy ldap3 timeit doctest cProfile profile trace bdb antigravity posix nt linecache codecs builtins joblib fileinput pydoc pipes mailcap zipapp wsgiref idlelib lib2to3 test",
	plain: lazyregexp.New(`\bdef __\w+__|\bimportlib\.import_module\(""\s*\)|\binspect\.(signature|getsource|getdoc|getfile|is\w+)\b|\b__(name|version|file|main|doc|init|repr|str|eq|lt|hash|iter|next|enter|exit|len|future|all|slots|post_init)__\b|\b(self|cls)\._[a-z]|\bre\.compile\b|(^|[^.\w])urllib\.(request\.(urlopen|Request)|parse\.\w+)\b|\bplatform\.(node|uname|system|machine|release|python_version|platform)\b|\bsys\.path\.(append|insert)\(\s*(\d+\s*,\s*)?""\s*\)|\(\s*sys\.path\s*\)|` +
		`\bos\.(path|walk|listdir|getcwd|sep|linesep|makedirs|mkdir|scandir|stat|lstat|cpu_count|name|fspath|getpid)\b|\bos\.(getenv|environ\.get)\(""\s*[,)]|\bos\.environ\[""\]|` +
		`\bpathlib\.(Pure\w*)?(Posix)?Path\b|\bshutil\.(which|get_terminal_size|disk_usage|copy|copy2|copyfile|copytree)\b|\bio\.(StringIO|BytesIO|open)\b|\byaml\.(safe_load(_all)?|safe_dump|dump|YAMLError)\b`),
	acts: lazyregexp.New(`__|\b(exec|execfile|exec[vl]\w*|posix_spawn\w*|spawn\w*|startfile|eval|compile|globals|locals|vars|getattr|setattr|delattr|breakpoint|input|modules|meta_path|path_hooks|settrace|setprofile|addaudithook|loader|attrgetter|methodcaller|libc|system|popen\w*|` +
		`uname|os|subprocess|builtins|io|shutil|yaml|codecs|posix|nt|ctypes|pathlib|pty|linecache|inspect|dotenv_values|getter|get_original|get_field|get_value|vformat|singledispatch\w*|eval_str|EntryPoints?|entry_points|subprocess_\w+|path_importer_cache|find_module|load_module|find_spec|exec_module|import_module|breakpointhook|listen|(SMTP|HTTP|Socket|Datagram|SysLog)Handler|socket|importlib|get_type_hints|dictConfig|fileConfig|create_subprocess\w*|open_connection|create_connection|run_process|` +
		`f2py|ctypeslib|distutils|(read|to)_(pickle|sql\w*|html|gbq)|allow_pickle|enable_load_extension|load_extension|executescript|unlink|rmdir|rmtree|rename|home|expanduser|expandvars|environ|getenv|(sym|hard)link_to|l?chmod|chown|extract(all)?|unpack_archive|fork\w*|spawn\w*|(f|gi|cr|ag|tb|co|func)_\w+)\b|\.\s*_|\.\s*(urllib|request|multiprocessing|mp|ssl|http|ftplib|smtplib|pickle|sys|marshal|runpy|pkgutil|shelve|pipes)\b|\bsys\.path\b|\bPath\s*\.\s*replace|[)\]}][ \t]*\(|\.replace\([^,]*\)|\bopen\b(\s*[^\s(]|\s*$)|\bopen\s*\(\s*""\s*\.\s*\w|[^\x00-\x7f]`),
	files:    lazyregexp.New(`\b(open|Path|PurePath|os|sys\.path|glob|iglob|io|tempfile|zipfile|tarfile|csv|configparser|read_text|write_text|FileHandler|FileIO)\b`),
	writes:   lazyregexp.New(`write|\bdump\(|\bbasicConfig\b|shutil\.copy|mkdir|makedirs|\btouch\b|\bsave|\bto_\w+\(`),
	opens:    lazyregexp.New(`(\b(open|Path|PurePath|glob|iglob|rglob|walk|listdir|scandir|makedirs|mkdir|join|stat|exists|isfile|ZipFile|connect|read|read_\w+|to_\w+|save\w*|parse|iterparse|copy(2|file|tree)?)\s*\([\s(]*(""\s*,[\s(]*)?|=[\s(]*)$`),
	computes: lazyregexp.New(`\bchr\s*\(|fromhex|\[\s*::\s*-1\s*\]|b(16|32|64|85)decode|a85decode|unhexlify|translate|decompress|bytes(array)?\s*\(|swapcase|reversed`),
}, {
	names:  "node nodejs ts-node tsx",
	script: true,
	pure:   "path util assert url crypto os events readline string_decoder querystring buffer perf_hooks",
	local:  "axios node-fetch got undici ws pg mysql mysql2 mongodb redis ioredis",
	foreign: "child_process net http https http2 dgram tls dns vm worker_threads cluster inspector repl module v8 wasi process axios node-fetch got undici ws superagent request needle execa shelljs cross-spawn zx ssh2 node-ssh " +
		"puppeteer playwright fs-extra rimraf del trash open promise-spawn tinyexec nano-spawn foreground-child ky wretch nodemailer pg mysql mysql2 mongodb redis ioredis keytar node-pty ffi-napi aws-sdk firebase simple-git",
	modules: lazyregexp.New(`\b(require\s*\(|from|import\s*\(?)\s*$`),
	plain: lazyregexp.New(`\b(require(\.resolve)?|import)\s*\(\s*""\s*\)|\brequire\.main\b|\bimport\b[\w\s{},*$]*\bfrom\s*""|\bimport\s*""|\bmodule\.exports\b|` +
		`\bconstructor\s*\([^()]*\)\s*\{|\bprocess\.(argv|versions?|platform|arch|cwd|exit|exitCode|stdout|stderr|stdin|hrtime|memoryUsage|uptime|nextTick|on|pid|env\.\w+)\b|\b(return|of|in|case|typeof)\s*\[|\[\s*""\s*\]`),
	acts: lazyregexp.New(`[^\x00-\x7f]|\b(child_process|worker_threads|dgram|https?|http2|inspector)\b|\b(cluster|dgram|inspector|repl|wasi|vm|net|tls|https?|http2|dns|v8)\s*(\.|\?\.|\[)|\b(require|import|process|eval|arguments|Function|constructor|globalThis|global|fetch|WebSocket|XMLHttpRequest|EventSource|Worker|Reflect|Proxy|prototype|__\w+|module|navigator|WebAssembly|createRequire|` +
		`Bun|Deno|fromCharCode|fromCodePoint|atob|rm(Sync)?|unlink\w*|rmdir\w*|rename(Sync)?|l?chmod\w*|l?chown\w*|symlink\w*|link(Sync)?|cp(Sync)?|truncate\w*|homedir|userInfo|parsed)\b|` +
		`\\[xu]|set(Timeout|Interval|Immediate)\s*\(\s*["'` + "`" + `]|\bthis\s*\[|[\w)\]]\s*\[\s*["'` + "`" + `]|\]\s*\(|[\w$)\]]\s*\?\.\s*[(\[]|\bpromises\b\s*[^.\s]|[{,]\s*\[[^\]]*\]\s*:`),
	files:    lazyregexp.New(`\b(require|import|process\s*\.\s*env|fs)\b`),
	writes:   lazyregexp.New(`\b(write|append|mkdir|copyFile|createWriteStream|outputFile)`),
	opens:    lazyregexp.New(`(\b(\w*[fF]ile(Sync)?|readdir(Sync)?|mkdir(Sync)?|create\w+Stream|stat(Sync)?|exists(Sync)?|open(Sync)?|join|resolve|require)\s*\(|=)[\s(]*$`),
	computes: lazyregexp.New(`\.reverse\s*\(|base64|\bhex\b`),
}, {
	names: "mongo mongosh",
	acts: lazyregexp.New(`(?i)insert|update|delete|remove|drop|rename|create|write|replace|save|eval|run|load|shutdown|command|grant|revoke|copy|kill|mapReduce|\$(where|function|accumulator|out|merge)|` +
		`\b(set\w*|use|cat|ls|fs|process|require|import|fetch|Function|constructor|global\w*|this|prototype|__\w+|passwordPrompt|Mongo|connect|config|sh|rs)\b|[\w)\]]\s*\[|=>`),
}, {
	names: "perl",
	acts: lazyregexp.New("(?i)`|\\b(system|exec|qx|open|opendir|sysopen|unlink|require|use|do|eval|socket|connect|fork|kill|rename|rmdir|mkdir|link|symlink|chmod|chown|truncate|glob|syscall|dbmopen|env|pipe|utime|ioctl|fcntl|readpipe|sub|" +
		"bless|import|inc|no|package|format|write|select|ARGV|ARGVOUT)\\b|(^|[^\\w$@%])s[^\\w\\s/|#!{=),;.>-]|(^|[;{(\\s])s,|&\\s*[{$]|->|\\(\\?\\??\\{|[/}#|!][a-z]*e[a-z]*\\s*(;|$|\\}|\\))|\\\\x"),
}}

// languageOf returns the language of an interpreter; nil if nothing is known of it.
func languageOf(program string) *language {
	plain := strings.TrimRight(program, "0123456789.")
	for _, l := range languages {
		if among(program, l.names) || among(plain, l.names) {
			return l
		}
	}
	return nil
}

// interpret judges code for an interpreter.
func (j *judge) interpret(element int, place, program, text string, depth int) {
	l := languageOf(program)
	switch {
	case strings.TrimSpace(text) == insertion && j.brought:
		j.refuse(element, piped, runsPrinted)
		return
	case contains(text, insertion):
	case plainPrint.MatchString(text):
		j.refuse(element, sum, place+givesCode)
		return
	case l == nil:
		j.refuse(element, inCode, place+givesCode)
		return
	}
	s := l.take(text)
	var files []string
	for file := range j.made {
		files = with(files, file)
	}
	slices.Sort(files) // the same findings in the same order, each time
	for _, file := range j.wrote(text) {
		if s.mayLoad(l, file) {
			files = with(files, file)
		}
	}
	for _, file := range files {
		text := j.made[file]
		base := lastStep(file)
		if file := trimSuffix(base, ext(base)); !contains(text, insertion) && depth < maxNested && (ext(base) == ".py" && !l.script || ext(base) == ".js" && l.script) && text != "" {
			if (usesName(s.code, file) || slices.ContainsFunc(s.literals, func(lit literal) bool {
				return l.script && (lastStep(lit.text) == base || lastStep(lit.text) == file)
			})) && j.spend(len(text)) {
				j.interpret(element, place, program, text, depth+1) // a module that the line itself writes
			}
			continue
		}
		if contains(text, insertion) && (usesName(s.code, trimSuffix(base, ext(base))) || slices.ContainsFunc(s.literals, func(lit literal) bool {
			return lastStep(lit.text) == base && l.modules != nil && l.modules.MatchString(lit.before)
		})) {
			j.refuse(element, piped, runsPrinted)
		}
	}
	commands := s.commands()
	for _, words := range commands {
		if depth >= maxNested || !j.spend(wordCost*len(words)) {
			j.refuse(element, inCode, place+givesCode)
			return
		}
		started := simple{words: words}
		if fed.MatchString(s.code) { // the code feeds it, with a text that nobody can tell
			started.input = new(string)
		}
		j.simple(started, depth+1)
	}
	switch l.does(s) {
	case sum:
		j.refuse(element, sum, place+givesCode)
	case edit:
		j.refuse(element, edit, place+"gives the program code that reads or writes files")
		j.texts(l, s, element, place)
		if other := withConstants(text); other != text && j.spend(len(other)) {
			j.texts(l, l.take(other), element, place)
		}
	default:
		j.refuse(element, inCode, place+givesCode)
		if l.opens != nil {
			j.texts(l, s, element, place)
		}
	}
}

// mayLoad reports whether code may run a file that it writes: it has the name twice, or loads a module that is none of the language's own.
func (s source) mayLoad(l *language, file string) bool {
	base := lastStep(file)
	times := 0
	return !l.script || slices.ContainsFunc(s.literals, func(lit literal) bool {
		name, _, _ := cut(trimPrefix(lit.text, "node:"), "/")
		if step := lastStep(lit.text); !lit.listed && (step == base || step == trimSuffix(base, ext(base))) {
			times++
		}
		return times > 1 || l.modules.MatchString(lit.before) && !among(name, builtinModules)
	})
}

// does returns what code does: sum, edit, or inCode if it may do more.
func (l *language) does(s source) string {
	if contains(s.code, insertion) || len(s.texts()) > maxTexts { // the code itself is not told, or too much of it
		return inCode
	}
	kind, code := sum, s.code
	if l.files != nil && l.files.MatchString(code) {
		kind = edit
	}
	if l.script && s.local() {
		code = localFetch.ReplaceAllString(code, "($1")
		kind = edit
	}
	var taken, modules []string // names from modules of the project, and such modules
	imports := func(name string) bool {
		if name == "importlib.metadata" || name == "google.protobuf" {
			return true
		}
		name, _, _ = cut(trimPrefix(name, "node:"), "/")
		if !l.script {
			name, _, _ = cut(name, ".")
		}
		if hasPrefix(name, "_") && name != "__future__" {
			return false // what other modules hide
		}
		if name == "fs" || name != "" && !among(name, l.pure) {
			kind = edit
		}
		return !among(name, l.foreign) || among(name, l.local) && s.local() || name == "subprocess" && len(s.commands()) > 0
	}
	switch {
	case l.modules != nil:
		for _, lit := range s.literals {
			if l.modules.MatchString(lit.before) && (!imports(lit.text) || strings.ContainsAny(trimPrefix(lit.text, "node:"), ":\\") || anyWord(splitAt(lit.text, "/"), func(step string) bool { return among(step, l.foreign) && !(among(step, l.local) && s.local()) })) {
				return inCode
			}
		}
		taken = s.taken(l)
	case len(l.pure) > 0:
		code = strings.ReplaceAll(code, "\\\n", " ")
		for _, lit := range s.literals {
			if hasSuffix(lit.before, "import_module(") && (!imports(lit.text) || restricted.MatchString(lit.text)) {
				return inCode
			}
		}
		if len(s.commands()) > 0 {
			code = pythonDeletes.ReplaceAllString(pythonCommands.ReplaceAllString(code, ";("), `${1}print("")`)
		}
		var more builder
		renamed := ""
		statements := pythonImports.FindAllStringSubmatch(code, -1)
		code = pythonImports.ReplaceAllString(code, "\n")
		for _, m := range statements {
			from, names := m[2], m[1]+m[3]
			if from != "" && !imports(from) {
				return inCode
			}
			top, _, _ := cut(from, ".")
			unknown := from != "" && !among(top, l.pure) && !holds(grammar.List("standard"), top)
			if renamed == "" {
				renamed = restricted.FindString(strings.ReplaceAll(names, "importlib.metadata", ""))
			}
			for _, one := range fieldsBy(names, ",() \t\n\\") {
				switch {
				case from != "":
					more.put("\n" + from + "." + one)
					if unknown {
						taken = with(taken, one)
					}
				case one == "self" || one == "cls": // whose hidden members pass
					return inCode
				case one == "as": // under another name, its members are not told
					more.put("\n" + renamed)
				case !imports(one):
					return inCode
				case !contains(one, ".") && !among(one, l.pure) && !holds(grammar.List("standard"), one):
					modules = with(modules, one)
				}
			}
		}
		code += more.String()
	}
	if l.script && !s.unsure {
		if len(s.commands()) > 0 {
			code = scriptCommands.ReplaceAllString(code, `.existsSync(""$2)`) // the caller judges them as commands
			kind = edit
		}
		code = s.withoutPackages(l, code)
	}
	if !s.unsure && l.files != nil && !l.callsKnown(code, taken, modules) {
		return inCode
	}
	if l.script && !s.unsure && s.spreads() {
		return inCode
	}
	if l.script && (s.tagged || resultCalled.MatchString(code)) || !l.script && environmentSet.MatchString(code) {
		return inCode
	}
	if l.plain != nil && !s.unsure {
		code = l.plain.ReplaceAllString(code, ";")
	}
	if l.acts.MatchString(code) || l.script && bareModules(code) {
		return inCode
	}
	for _, lit := range s.literals {
		if len(modules)+len(taken) > 0 && contains(lit.text, "__") && !contains(lit.text, "__main__") {
			return inCode // a module may run it
		}
		if !l.script && attribute.MatchString(lit.text) && l.acts.MatchString(lit.text) {
			return inCode // of a format
		}
		if l.script && (strings.Trim(lit.text, wordCharacters) == "" && l.acts.MatchString(lit.text) || contains(strings.ToLower(lit.text), "constructor")) {
			return inCode // a name, perhaps
		}
		if opened := l.opens.MatchString(lit.before); opened && contains(lit.text, "\\") && l.script && !(lit.listed && content.MatchString(lit.before)) {
			return inCode
		}
		member := l.script && (hasSuffix(lit.before, "[") || lit.listed && strings.Trim(lit.text, wordCharacters) == "")
		if (member || lit.joined) && l.acts.MatchString(lit.text) {
			return inCode
		}
	}
	if kind == edit && (s.unsure || l.computes.MatchString(code)) {
		return inCode
	}
	return kind
}

// bareModules reports whether JavaScript uses a module of Node.js that it does not require: in code of an option, all stand there by their names. A
// variable of that name is another thing.
func bareModules(code string) bool {
	declared := ""
	for _, m := range moduleUses.FindAllStringSubmatch(code, -1) {
		if m[1] != "" {
			declared += " " + m[2]
		}
		if !among(m[2]+m[3], declared) {
			return true
		}
	}
	return false
}

var moduleUses = lazyregexp.New(`(?:^|[^.\w$])((?:const|let|var|function|class)\s+)?\b(net|tls|dns|vm|v8|repl|cluster|wasi)\b\s*(?:[^:\w\s]|$)|\?\s*(net|tls|dns|vm|v8|repl|cluster|wasi)\b`)

// taken returns the names that JavaScript takes from modules: all of those of the project, and of others those that are known.
func (s source) taken(l *language) (names []string) {
	texts := s.texts()
	for _, m := range takenNames.FindAllStringSubmatchIndex(s.code, maxCommands) {
		module := texts[strings.Count(s.code[:m[1]-2], `""`)]
		module, _, _ = cut(trimPrefix(module, "node:"), "/")
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			for _, name := range notNames.Split(s.code[m[i]:m[i+1]], -1) {
				if module != "fs" && !among(module, l.pure) || holds(grammar.List("script"), name) {
					names = with(names, name)
				}
			}
		}
	}
	return names
}

var takenNames = lazyregexp.New(`(?:\{([^{}]*)\}|\b(?:const|let|var)\s+([\w$]+))\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*""|\bimport\s+([\w$]*)\s*,?\s*(?:\{([^{}]*)\})?\s*from\s*""`)

// spreads reports whether the module fs is used otherwise than by the name of a member, as by Object.values: any function of it may run then.
func (s source) spreads() bool {
	texts, at, found := s.texts(), 0, 0
	var seen []string // names that are used well
	for _, text := range texts {
		at += strings.Index(s.code[at:], `""`) + 2
		if name, _, _ := cut(trimPrefix(text, "node:"), "/"); name != "fs" {
			continue
		}
		if found++; found > maxCommands {
			return true
		}
		before, after := s.code[max(0, at-2-looksBack):at-2], s.code[at:]
		name := ""
		if m := imported.FindStringSubmatch(before); m != nil {
			name = m[1]
		} else if !required.MatchString(before) {
			continue // a text like any other
		} else if m := bound.FindStringSubmatch(before); m != nil {
			name = m[1]
		} else if !byMember.MatchString(after) && !unbraced.MatchString(before) {
			return true
		}
		if name != "" && !holds(seen, name) && !onlyMembers(s.code, name) {
			return true
		}
		seen = with(seen, name)
	}
	return false
}

// usesName reports whether code has a name as a word of its own.
func usesName(code, name string) bool {
	isPart := func(c byte) bool { return strings.IndexByte(wordCharacters[:63], c) >= 0 }
	for at := 0; name != ""; {
		n := strings.Index(code[at:], name)
		if n < 0 {
			return false
		}
		begin, end := at+n, at+n+len(name)
		if (begin == 0 || !isPart(code[begin-1])) && (end == len(code) || !isPart(code[end])) {
			return true
		}
		at = end
	}
	return false
}

// onlyMembers reports whether JavaScript uses a variable by the names of its members alone.
func onlyMembers(code, name string) bool {
	for at := 0; ; {
		n := strings.Index(code[at:], name)
		if n < 0 {
			return true
		}
		before, after := code[max(0, at+n-looksBack):at+n], code[at+n+len(name):]
		at += n + len(name)
		if before != "" && isNamePart(before[len(before)-1]) || hasSuffix(before, ".") || after != "" && isNamePart(after[0]) {
			continue // another name
		}
		if words := strings.Fields(before); len(words) > 0 && among(words[len(words)-1], "const let var import as") {
			continue // where it is made
		}
		if after = strings.TrimLeft(after[:min(len(after), looksBack)], " \t\n"); !hasPrefix(after, ".") && !hasPrefix(after, "?.") {
			return false
		}
	}
}

// isNamePart reports whether a name of JavaScript may hold a character.
func isNamePart(c byte) bool { return strings.IndexByte(wordCharacters[:63]+"$", c) >= 0 }

var (
	imported = lazyregexp.New(`\bimport\s+(?:\*\s*as\s+)?([\w$]+)\s+from\s*$`)
	required = lazyregexp.New(`\b(require|import)\s*\(\s*$`)
	bound    = lazyregexp.New(`\b(?:const|let|var)\s+([\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*$`)
	unbraced = lazyregexp.New(`\}\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*$`) // const {readFileSync} = require(…
	byMember = lazyregexp.New(`^\s*\)\s*\.\s*([a-su-zA-Z_$]|t[a-gi-z])`)           // not .then, which hands the whole module on
)

// commands returns the commands that Python starts, where the code shows all their words: subprocess.run(["git", "status"]). The caller judges them.
// Calls that delete files count as commands, too: fs.rmSync("dist", {recursive: true}) is rm -rf dist.
func (s source) commands() (list [][]string) {
	if s.unsure {
		return nil
	}
	if s.script {
		return s.fileCommands()
	}
	if shellWords.MatchString(s.code) {
		return nil
	}
	texts := s.texts()
	found := pythonCommands.FindAllStringSubmatchIndex(s.code, maxCommands+1)
	deletes := pythonDeletes.FindAllStringSubmatchIndex(s.code, maxCommands+1)
	if len(found)+len(deletes) > maxCommands {
		return nil
	}
	for _, m := range deletes {
		words := []string{"rm", texts[strings.Count(s.code[:m[0]], `""`)]}
		if contains(s.code[m[0]:m[1]], "rmtree") {
			words = []string{"rm", "-rf", words[1]}
		}
		if !plainFile.MatchString(words[len(words)-1]) {
			return nil
		}
		list = append(list, words)
	}
	for _, m := range found {
		first := strings.Count(s.code[:m[4]], `""`)
		words := texts[first : first+strings.Count(s.code[m[4]:m[5]], `""`)]
		if m[2] >= 0 {
			words = append([]string{"python3"}, words...)
		}
		for _, w := range words {
			if printable.MatchString(w) || contains(w, "{") {
				return nil
			}
		}
		list = append(list, words)
	}
	return list
}

// fileCommands returns JavaScript's deletions and changes of mode as commands; nil if a file has no plain name.
func (s source) fileCommands() (list [][]string) {
	texts := s.texts()
	found := scriptCommands.FindAllStringSubmatchIndex(s.code, maxCommands+1)
	if len(found) > maxCommands {
		return nil
	}
	for _, m := range found {
		call := s.code[m[0]:m[1]]
		first := strings.Count(s.code[:m[0]], `""`)
		files := texts[first : first+strings.Count(call, `""`)]
		words := []string{"rm"}
		switch {
		case contains(call, "chmod"):
			words = []string{"chmod", "755"}
			if len(files) == 2 {
				words, files = []string{"chmod", files[1]}, files[:1]
			}
		case contains(call, "recursive"):
			words = with(words, "-rf")
		}
		if len(files) != 1 || !plainFile.MatchString(files[0]) {
			return nil
		}
		list = append(list, append(words, files[0]))
	}
	return list
}

// scriptCommands are calls with texts, numbers and plain options alone.
var scriptCommands = lazyregexp.New(`\.\s*(rm|rmdir|unlink|chmod)(?:Sync)?\(\s*""((?:\s*,\s*(?:""|0?o?[0-7]{3}\b|\{[\w\s:,]*\}))*)\s*\)`)

// plainFile is a name that JavaScript, a shell and rm take as it stands.
var plainFile = lazyregexp.New(`^[\w./@][\w./@-]*$`)

// maxCommands bounds the commands of code that are judged.
const maxCommands = 64

// local reports whether all addresses in code are of this machine, and there is one.
func (s source) local() bool {
	found := false
	if s.unsure || contains(strings.ToLower(s.code), "prox") || replaced.MatchString(s.code) {
		return false
	}
	goesOn := goingOn.MatchString(s.code)
	for _, lit := range s.literals {
		if hasPrefix(lit.text, "//") || hostName.MatchString(lit.text) || contains(lit.text, "@") && !contains(lit.text, "://") {
			return false
		}
		if contains(lit.text, "://") {
			found = true
			if m := localAddress.FindString(lit.text); m == "" || goesOn && m == lit.text && !hasSuffix(m, "/") {
				return false
			}
		}
	}
	return found
}

var (
	plainPrint     = lazyregexp.New(`^\s*(echo|print|puts|p)\b[\s(]*([A-Z_]+|\d+|"[^"$\\` + "`" + `#]*"|'[^'\\]*')(\s*[,.+]\s*([A-Z_]+|\d+|"[^"$\\` + "`" + `#]*"|'[^'\\]*'))*[\s);]*$`)
	pythonCommands = lazyregexp.New(`\bsubprocess\.(?:run|check_output|check_call|call|Popen)\(\s*\[\s*(sys\.executable\s*,)?(\s*""\s*(?:,\s*""\s*)*),?\s*\]\s*(?:\)|,\s*(?:\)|\w+\s*=))`) // others may name a program to run instead
	content        = lazyregexp.New(`\b(write|append)File(Sync)?\(\s*$`)                                                                                                                   // the text behind the name is no name
	pythonDeletes  = lazyregexp.New(`(^|[^.\w])(?:(?:shutil\.rmtree|os\.(?:remove|unlink))\(\s*""\s*(?:,\s*ignore_errors\s*=\s*True\s*)?\)|(?:pathlib\.)?Path\(\s*""\s*\)\.unlink\(\s*(?:missing_ok\s*=\s*True\s*)?\))`)
	resultCalled   = lazyregexp.New(`[^}\s]\s*\)\s*\(`)
	environmentSet = lazyregexp.New(`\benviron\s*(\[[^\]]*\]\s*[|+]?=[^=]|\.\s*(update|setdefault|pop))`)
	replaced       = lazyregexp.New(`""\s*\.\s*replace`)
	goingOn        = lazyregexp.New(`""\s*(\+|%|\.\s*\w)`)
	fed            = lazyregexp.New(`\b(input|stdin)\s*=|\bcommunicate\b|\.stdin\b`)
	localFetch     = lazyregexp.New(`\bfetch\(\s*(?:\([\w.]+\)\+)*""(\s*[,)])`)
	hostName       = lazyregexp.New(`(?i)^([\w-]+\.)+(com|net|org|io|dev|app|co|xyz|ru|cn|me|info|site|online|top|eu|de|uk|example)(:\d+)?$`)
	shellWords     = lazyregexp.New(`\b(shell|executable|preexec_fn|env|cwd|startupinfo)\s*=|\*\*`)
	localAddress   = lazyregexp.New(`^(https?|wss?|postgres(?:ql)?|mysql|redis|mongodb)://(?:[\w.-]+(?::[\w.-]*)?@)?(localhost|127\.0\.0\.1|\[::1\])(:(\d+|\$?\{\w+\}))?(/|$)`)
	pythonImports  = lazyregexp.New(`(?m)\bimport[ \t]+([\w ,.\t]+)|\bfrom[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n;]*)`)
	attribute      = lazyregexp.New(`\{\w*[.\[]`)
	restricted     = lazyregexp.New(`\b(os|io|shutil|yaml|pathlib|inspect|importlib|subprocess)\b`)
	printable      = lazyregexp.New(`\\(x[2-7]|u00[2-7]|u\{|U000000[2-7]|N|0?[4-7][0-7]|1[0-7][0-7])`)
)

// texts judges the texts of code that may name files.
func (j *judge) texts(l *language, s source, element int, place string) {
	writes := l.writes.MatchString(prints.ReplaceAllString(s.code, "")) || slices.ContainsFunc(s.literals, func(lit literal) bool { return writingMode.MatchString(lit.text) })
	for _, m := range scriptVariables.FindAllStringSubmatch(s.code, -1) {
		if secretVariable(m[1]) {
			j.refuse(element, credential, place+"inserts a variable that, going by its name, holds a secret")
		}
	}
	for _, lit := range s.literals {
		text, opened := lit.text, l.opens.MatchString(lit.before)
		switch {
		case secretVariable(text) && ofEnvironment.MatchString(lit.before):
			j.refuse(element, credential, place+"inserts a variable that, going by its name, holds a secret")
		case modulePath.MatchString(lit.before) && text != "" && !j.holdsWork(text):
			j.refuse(element, environment, place+"has the program look for modules outside the directories of the work at hand")
		case opened && contains(text, "://"):
			if host, found := hostIn(text, byURL, false); found && !listedHost(j.hosts, host) {
				j.refuse(element, network, place+"connects to a host that is not listed")
			}
		case queries.MatchString(lit.before) && (statement.MatchString(text) || otherDatabase.MatchString(text) || strings.ContainsAny(text, "@_(") && contains(lit.before, "query")):
			j.refuse(element, inCode, place+givesCode)
		case opened && printable.MatchString(text):
			j.refuse(element, inCode, place+givesCode)
		case opened && (j.namesSecret(filekind.Named(text), j.directory) || holdsSecrets(text) && len(text) > 1):
			j.refuse(element, secret, place+"names a file that holds secrets or accounts")
		case opened && strings.ContainsAny(text, "*?[") && strings.Trim(text, "*?./") != "" && finds("/home/.ssh/"+lastStep(text)):
			j.refuse(element, inCode, place+"gives the program code that finds files with keys")
		case j.namesSecret(text, j.directory):
			j.refuse(element, inCode, place+"gives the program code with the name of a file that holds secrets or accounts")
		case !writes:
		case startsLater(j.directory, text):
			j.refuse(element, startup, place+"names a file from which a shell, git or the system starts programs later")
		case len(j.deny) > 0 && filekind.Steering(toDirectory(j.directory, text)):
			j.refuse(element, steering, place+"names "+filekind.Steers)
		case opened && len(text) > 2 && ofSystem(text):
			j.refuse(element, system, place+"names a directory or device of the system, which the program would change")
		case opened && contains(text, "/"), elsewhereTop.MatchString(text):
			j.leaves(element, j.directory, text)
		}
	}
}

var (
	scriptVariables = lazyregexp.New(`\bprocess\.env\.(\w+)`)
	queries         = lazyregexp.New(`\b(execute(many)?|query)\s*\(\s*$`)
	otherDatabase   = lazyregexp.New(`(?i)\b(vacuum|attach)\b`)
	elsewhereTop    = lazyregexp.New(`^(/(etc|root|home|usr|var|opt|srv|mnt|media|boot|Users|Library|Applications)/|~/)[\w./+-]+$`)
	modulePath      = lazyregexp.New(`\bsys\.path\.(append|insert)\s*\((\s*\d+\s*,)?[\s(]*$`)
	writingMode     = lazyregexp.New(`^[rbt]{0,2}[wax+][rbtwax+]{0,2}$`)
	prints          = lazyregexp.New(`\b(sys|process)\.std(out|err)\.write`)
	ofEnvironment   = lazyregexp.New(`(getenv\(|environ\.get\(|environ\[)\s*$`)
)
