// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// badVariables decide what programs run or load.
var badVariables = lazyregexp.New(`^(LD_.*|DYLD_.*|.*PATH|.*_COMMAND|.*_CMD|.*EDITOR|.*PAGER|.*BROWSER|.*SHELL|.*ASKPASS|.*_OPTS|.*_?OPTIONS|.*_?OPT|.*_?ENV|IFS|PS[0-4]|HOME|.*_PROXY|.*_proxy|.*_WRAPPER|.*_PROGRAM|LESS(OPEN|CLOSE)?|GIT_.*|PYTHON.*|PERL5?.*|RUBY.*|NODE_.*|BASH.*|ZDOTDIR|MAKEFLAGS|MAKE|CC|CXX|LD|AR|.*FLAGS|.*_?RC|GCONV.*|NLS.*|MALLOC.*|.*_CONFIG(_.*)?|.*_HOST|.*_URL|SSH_.*|VISUAL|MANOPT|TAR_.*|.*STARTUP.*|JDK_.*|_JAVA.*|(TOOLVET|(OPEN)?MOAT)_.*|GOPROXY|GO(NO)?SUMDB|GOINSECURE|GOROOT|GOBIN|MAKEFILES|RSYNC_RSH|SVN_SSH|JAVA_HOME|RUSTC|CARGO_HOME|CARGO_TARGET_.*(RUNNER|LINKER)|GRADLE_USER_HOME|CURL_HOME|LUA_INIT.*|EXINIT|G?VIMINIT|VIM|VIMRUNTIME|LESSKEY.*|TF_CLI_ARGS.*|UNZIP|ZIPINFO|HISTFILE|RM|AS|CPP|FC|LEX|YACC|GOCACHEPROG|GOAUTH|GOTOOLCHAIN|ANSIBLE_.*EXECUTABLE|G(TK|IO).*_MODULES|PHP_INI_SCAN_DIR|R_PROFILE.*|OPENSSL_CONF|KUBECONFIG|MAVEN_ARGS|CMAKE_.*(LAUNCHER|TOOLCHAIN_FILE)|UV_(DEFAULT_)?INDEX|UV_(FIND_LINKS|PYTHON)|YARN_REGISTRY|CARGO_(SOURCE|REGISTRIES)_.*|PIP_FIND_LINKS|YARN_NPM_.*|RUSTUP_.*(SERVER|ROOT)|NVM_.*MIRROR|SSLKEYLOGFILE|npm_(node_)?execpath|CARGO_BUILD_RUSTC|CARGO_BUILD_RUSTDOC|RUSTDOC|(?i:npm_config_(script[_-]shell|node[_-]options|globalconfig|userconfig|prefix|shell|git|registry|editor|viewer|init[_-]module)))$`)

// goodVariables are of the same forms, and only say how a program behaves: which settings of a project, what it prints,
// whose name a commit bears, how much memory it takes. A program that shows or edits texts may be none (cat, true).
var goodVariables = lazyregexp.New(`^((HUGO|NODE|RAILS|RACK|APP|GO|FLASK|DJANGO|MIX|BABEL|DEPLOY|CI|TEST|VITE|NEXT)_ENV=[A-Za-z0-9_.-]*|(NODE_(VER|VERSION|DEBUG|NO_WARNINGS|PENDING_DEPRECATION)|` +
	`PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|HASHSEED|UTF8|FAULTHANDLER|OPTIMIZE|NOUSERSITE)|` +
	`GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT))=.*|` +
	`(GIT_)?(PAGER|EDITOR)=(cat|true|:)?|(\w+_|MAN)?PAGER=(less|more|most|bat|cat)( -[A-JL-NP-Za-jl-np-z]+)*|(VISUAL|(\w+_)?EDITOR)=(vim?|nvim|nano|micro|emacs|code --wait)|GIT_SEQUENCE_EDITOR=(true|:)|(CC|CXX)=(gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(-[0-9]+)?|` +
	`GOFLAGS=(\s*-(mod=(mod|vendor|readonly)|count=\d+|buildvcs=\w+|tags=[\w,.]+|race|v|x|a|json|short|trimpath|p=\d+|timeout=\w+|failfast|cover))*\s*|(JAVA_OPTS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)=(\s*-X(mx|ms|ss)\d+[kKmMgG]?)*|\w+_(URL|HOST)=([a-z0-9+]+://)?([\w.-]+(:[\w.-]*)?@)?(localhost|127\.0\.0\.1|0\.0\.0\.0|host\.docker\.internal|db|database|redis|postgres|mysql|mariadb|mongo|mongodb|rabbitmq|minio|web|api|app|backend|frontend)(:\d+)?(/[\w./-]*)?|(VITE|NEXT_PUBLIC|REACT_APP|NUXT_PUBLIC|EXPO_PUBLIC|VUE_APP|GATSBY|STORYBOOK)_\w+=.*|(\w+_)?(PUBLIC|BASE|ASSETS?|STATIC)_URL=/([\w-]+[/.]?)*|(AS|CPP|FC|LEX|YACC|RM)=((rm|as|cpp|cc|gcc|gfortran|flang|flex|lex|bison|yacc)( -[a-zA-Z]+)*)?|UV_PYTHON=[\w.]*|GOTOOLCHAIN=(local|auto|go[0-9.]+\w*(\+auto)?)|HISTFILE=(/dev/null)?|TS_NODE_COMPILER_OPTIONS=\{\s*("\w+"\s*:\s*(true|false|"[A-Za-z0-9]+")\s*,?\s*)*\}|` +
	`((HTTPS?|ALL)_PROXY|(https?|all)_proxy)=|(NO_PROXY|no_proxy)=.*|RUBYOPT=(-w|-W[012]?|-W:(no-)?[\w-]+)?|GIT_TRACE\w*=([012]|true)|GIT_DIR=\.git|GIT_WORK_TREE=\.|GIT_INDEX_FILE=(/tmp/)?[\w-][\w.-]*|[AULTM]+SAN_OPTIONS=((detect|halt|abort|print|verbosity|suppressions|strict|check|alloc|handle|fast|report|exitcode|color|max|malloc|quarantine|history|second)\w*=[\w.]+(:|$))*|PYTHONWARNINGS=(ignore|default|error|always|once|module)(::\w*)?|IFS=(\\[nt]|\s)*|\w+_OPTIONS=(true|false)|` +
	`(\w+_)?BROWSER=(none|true|false|chrome|chromium|firefox|edge|electron|safari|webkit)|MAKEFLAGS=-j[0-9]*|(?:[A-Z0-9]+_)*(?:SERVER|TEST|BUILD|LINT|EXTRA|APP|CLI|DEV|RUN|CLIENT)_FLAGS=(\s*--[\w-]+(=[\w.,:-]+)?)*\s*|NODE_V8_COVERAGE=[\w./-]*|(CGO_)?(C|CXX|CPP|F|LD|RUST|RUSTDOC)FLAGS=(\s*-([OgWDUfmIL]|[CD] ?|-cfg[ =])[\w=+,./-]*)*\s*)$`)

// linking are flags of compilers that start programs or load code.
var linking = lazyregexp.New(`-f?plugin|-wrapper|linker|-fuse-ld=/|link-arg|-Wl,|-specs|-B`)

// variable judges NAME=value before a program, which a shell or env sets.
func (j *judge) variable(text string, byEnv bool) {
	name, value, _ := cut(text, "=")
	name = trimSuffix(name, "+")
	if rest := withoutInherited(name, value); rest != value {
		value, text = rest, name+"="+rest
	}
	if value != inherited && badVariables.MatchString(name) && !j.goodVariable(name, value, text) {
		j.refuse(-1, environment, "sets an environment variable that decides what programs run or load")
		return
	}
	if !byEnv && !j.allow[assignment] {
		j.add(-1, check.Finding{Severity: check.Warning, Message: "sets an environment variable before the program, which only a shell understands", Suggestion: "leave it out, unless a shell reads the line"})
	}
}

// withoutInherited takes out of a list what a variable holds already: the value is then as harmless as what is added. An empty directory in a list is
// the present one. A value to which something is glued is another one.
func withoutInherited(name, value string) string {
	if value == inherited || !contains(value, inherited) {
		return value
	}
	places := codePlaces.Has(name) || hasSuffix(name, "PATH")
	separator := " "
	if places {
		separator = ":"
	}
	var rest []string
	for _, one := range splitAt(value, separator) {
		switch {
		case one == inherited:
			continue
		case contains(one, inherited):
			return value
		case one == "" && places:
			one = "."
		}
		rest = with(rest, one)
	}
	return strings.Join(rest, separator)
}

// goodVariable reports whether the value of a dangerous variable is harmless.
func (j *judge) goodVariable(name, value, text string) bool {
	if name == "NODE_OPTIONS" && !classOf("node-setting").holds(value) || j.ofWork(name, value) {
		return true
	}
	return goodVariables.MatchString(text) && !(hasSuffix(name, "FLAGS") && linking.MatchString(text))
}

// ofWork reports whether a variable names directories or addresses of the work at hand, where a program looks for others: the files there run by
// their own names as well.
func (j *judge) ofWork(name, value string) bool {
	switch {
	case name == "PATH":
		system, inherited := false, false
		for _, dir := range splitAt(value, ":") { // programs there have the names of others, so that anything may stand behind a name
			inherited = inherited || system && dir == "/bin"
			system = dir == "/usr/bin" // both stand for $PATH
			if inherited && j.holdsModules(dir) {
				continue // it comes after all others, and takes nobody's name
			}
			if !programPlaces.MatchString(dir) && !(packagePrograms.MatchString(dir) && j.holdsWork(dir)) {
				return false
			}
		}
		return true
	case name == "GOBIN":
		return j.holdsModules(value) && !holdsLater(j.directory, value)
	case name == "JAVA_HOME", name == "GOROOT":
		return systemPlaces.MatchString(value)
	case name == "KUBECONFIG":
		return j.holdsModules(value) || hasPrefix(value, "~/.kube/")
	case value == "" && (codePlaces.Has(name) || name == "PYTHONHOME"):
		return true
	case codePlaces.Has(name):
		return !anyWord(splitAt(value, ":"), func(dir string) bool { return !j.holdsModules(dir) })
	case hasSuffix(name, "_ENV") && name != "BASH_ENV":
		return value != "" && strings.Trim(value, wordCharacters) == ""
	case ownPlace.MatchString(name) && !loaders.MatchString(name):
		return ownAddress.MatchString(value) || (strings.ContainsAny(value, "./") || among(value, "true false 0 1")) && !anyWord(splitAt(value, ":"), func(file string) bool {
			return !j.holdsModules(file) && !(among(ext(file), ".json .yaml .yml .toml .txt .db .sqlite") && j.holdsWork(file))
		})
	case name == "GOPROXY":
		return !anyWord(splitAt(value, ","), func(one string) bool {
			host, found := hostIn(one, byURL, false)
			return one != "direct" && one != "off" && !(found && len(j.hosts) > 0 && listedHost(j.hosts, host))
		})
	}
	return false
}

// codePlaces are variables with directories of code, for programs and compilers to load.
var codePlaces = wordset.New("PYTHONPATH NODE_PATH VIRTUAL_ENV PERL5LIB RUBYLIB LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH CLASSPATH")

// ownPlace are variables of a project's own programs, by their names, and loaders those of programs that every line uses.
var (
	ownPlace = lazyregexp.New(`^\w+_(PATH|CONFIG|CONFIG_\w+)$`)
	loaders  = lazyregexp.New(`^(LD|DYLD|GIT|SSH|GCONV|BASH|NPM|YARN|PIP|CARGO|DOCKER|KUBE|AWS|NODE|XDG|RIPGREP|TOOLVET|MOAT|OPENMOAT)_`)
)

// ownAddress is one of this machine.
var ownAddress = lazyregexp.New(`^https?://(localhost|127\.0\.0\.1)(:\d+)?(/[\w-][\w.-]*)*/?$`)

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// systemPlaces are directories of the system in which programs keep their own.
var systemPlaces = lazyregexp.New(`^/(usr|opt|Library|System)/[\w./@+-]*$`)

// programPlaces are directories with programs of the system or of the user, and packagePrograms those of a project's packages.
var (
	programPlaces   = lazyregexp.New(`^(/usr(/local)?/s?bin|/s?bin|/opt/homebrew/s?bin|~/(go|\.cargo|\.local|\.bun|\.deno|\.yarn|\.npm-global|\.rbenv|\.pyenv|\.nvm/[\w./-]+|\.sdkman/[\w./-]+)/(s?bin|shims))$`)
	packagePrograms = lazyregexp.New(`(^|/)(node_modules/\.bin|\.?venv/bin|vendor/bin)$`)
)

// holdsWork reports whether a directory belongs to the work at hand, and the line itself writes nothing into it.
func (j *judge) holdsWork(dir string) bool {
	if dir == "" || contains(dir, insertion) {
		return false
	}
	full := path.Clean(toDirectory(j.directory, dir))
	if hasPrefix(full, "~") || hasPrefix(full, "..") || hasPrefix(full, "/") && !anyWord(j.world.Roots, func(root string) bool {
		return full == root || hasPrefix(full, trimSuffix(root, "/")+"/")
	}) {
		return false
	}
	here := j.at(full)
	for file, text := range j.made {
		if text != "" && (path.Dir(file) == here || file == here) {
			return false
		}
	}
	return true
}

// decoded returns what printf makes of escapes, in its words too: %b reads them there.
func decoded(text string) string {
	text = encodedBytes.ReplaceAllStringFunc(text, func(m string) string {
		digits, base := trimPrefix(m[1:], "x"), 8
		if m[1] == 'x' {
			base = 16
		}
		n, err := strconv.ParseUint(digits, base, 8)
		if err != nil {
			return m
		}
		return string(rune(n))
	})
	return printedEscapes.Replace(text)
}

var encodedBytes = lazyregexp.New(`\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3})`)

// formatted learns the text that printf puts into a variable.
func (r *reader) formatted(words []string) {
	if len(words) < 4 || words[0] != "printf" || words[1] != "-v" {
		return
	}
	text, given := words[3], words[4:]
	for i := 0; contains(text, "%") && i < len(given) && i < maxOthers; i++ {
		at := directive.FindStringIndex(text)
		if at == nil || !r.spend(len(text)+len(given[i])) {
			break
		}
		text = text[:at[0]] + strings.ReplaceAll(given[i], "%", "") + text[at[1]:]
	}
	r.set(words[2], decoded(text))
}

var directive = lazyregexp.New(`%[-+ #0-9.]*[a-zA-Z]`)

// holdsModules is holdsWork where a program loads code: a directory for temporary files is nobody's work, unless the work is in there.
func (j *judge) holdsModules(dir string) bool {
	full := path.Clean(dir)
	temporary := worldWritable(full) || hasPrefix(full, os.TempDir())
	return j.holdsWork(dir) && (!temporary || anyWord(j.world.Roots, func(root string) bool {
		return !among(trimSuffix(root, "/"), "/tmp /private/tmp /var/tmp "+os.TempDir()) && (full == root || hasPrefix(full, trimSuffix(root, "/")+"/"))
	}))
}

// carries reports whether a word holds what a command of the line reads from a file: $(base64 FILE), $(<FILE), or a variable with that. It also reports
// whether a command fetches or decodes what the word holds.
func (r *reader) carries(w *syntax.Word) (found, fetches bool) {
	if len(w.Parts) == 1 {
		if _, plain := w.Parts[0].(*syntax.Lit); plain {
			return false, false
		}
	}
	inside := 0
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			inside++
		case *syntax.ParamExp:
			if n.Param != nil {
				held := r.carriers[n.Param.Value]
				found, fetches = found || held[0], fetches || held[1]
			}
		case *syntax.Redirect:
			found = found || inside > 0 && n.Op == syntax.RdrIn && n.Word.Lit() != "/dev/null" && n.Word.Lit() != ""
		case *syntax.CallExpr:
			if inside == 0 || len(n.Args) < 2 {
				break
			}
			program := programName(n.Args[0].Lit())
			fetches = fetches || bringers.Has(program)
			found = found || among(program, "cat base64 base32 xxd od hexdump gzip tar zip") &&
				slices.ContainsFunc(n.Args[1:], func(a *syntax.Word) bool { return !hasPrefix(a.Lit(), "-") })
		}
		return !found || !fetches
	})
	return found, fetches
}

// neverEmpty reports whether no variable in a word may be empty: a shell ends at ${NAME:?} that is.
func neverEmpty(w *syntax.Word) bool {
	full := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			full = full && n.Exp != nil && n.Exp.Op == syntax.ErrorUnsetOrNull && !among(n.Param.Value, "HOME PWD")
		case *syntax.CmdSubst:
			full = false
		}
		return full
	})
	return full
}

// assigned judges the variables that arithmetic sets, as in ((x = 1)).
func (r *reader) assigned(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryArithm); ok {
			if w, ok := b.X.(*syntax.Word); ok && hasSuffix(b.Op.String(), "=") && !among(b.Op.String(), "== != <= >=") {
				r.variable(r.text(w)+"=", true)
			}
		}
		return true
	})
}

// declaration reads what looks like a command to everyone but the parser: export, local.
func (r *reader) declaration(c *syntax.DeclClause) {
	s := simple{words: []string{c.Variant.Value}, directory: r.directory}
	for _, a := range c.Args {
		word := r.assign(a)
		name, _, set := cut(word, "=")
		if contains(name, insertion) && !(set && a.Name != nil) || name == "-n" && c.Variant.Value != "export" {
			r.refuse(-1, environment, "sets a variable that the line does not name")
		}
		s.words = with(s.words, word)
	}
	r.remember(c.Args, s.words[1:])
	r.commands = append(r.commands, s)
}

// assign returns an assignment as one word.
func (r *reader) assign(a *syntax.Assign) string {
	if a.Index != nil || a.Array != nil {
		r.refuse(-1, compound, "uses an array of a shell")
		if a.Name != nil && hasPrefix(a.Name.Value, "BASH_") { // by which names of programs stand for others
			r.variable(a.Name.Value+"=", true)
			r.shadowed = true
		}
		r.inner(a)
		if a.Array != nil {
			for _, e := range a.Array.Elems { // whoever inserts it
				if r.namesSecret(r.text(e.Value), r.directory) {
					r.refuse(-1, secret, "names a file that holds secrets or accounts")
				}
			}
		}
		return ""
	}
	value := ""
	if a.Value != nil {
		own := r.own
		if a.Name != nil {
			r.own = a.Name.Value
		}
		value = r.word(a.Value)
		r.own = own
	}
	switch {
	case a.Name == nil:
		return value
	case a.Naked:
		return a.Name.Value + value
	}
	return a.Name.Value + "=" + value
}

// startsByVariable refuses to write the file of a variable, if a shell or a build reads it later.
func (r *reader) startsByVariable(w *syntax.Word) {
	syntax.Walk(w, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && among(p.Param.Value, "GITHUB_ENV GITHUB_PATH BASH_ENV ENV ZDOTDIR") {
			r.refuse(-1, startup, "redirects to a file from which a shell, git or the system starts programs later")
		}
		return true
	})
}

// endless refuses commands in the background within what runs again and again: a loop, or a function that calls itself.
func (r *reader) endless(node syntax.Node, self string) {
	starts, again := false, self == ""
	syntax.Walk(node, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			starts = starts || s.Background
			again = again || onlyWord(s) == self
		}
		return true
	})
	if starts && again {
		r.refuse(-1, unread, "starts commands in the background without end")
	}
}

// onlyWord returns the only word of a command; "" if it has others.
func onlyWord(s *syntax.Stmt) string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 1 {
		return c.Args[0].Lit()
	}
	return ""
}
