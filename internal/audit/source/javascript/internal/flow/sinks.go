// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// Sinks are functions that must not be given a caller's text unchecked. They are known by their
// names. Each sink judges the facts about every hole in its arguments at that point:
//
//	fs.readFile(p)                        // path
//	fetch(`https://${host}/`)             // url
//	exec(`git log ${ref}`)                // shell: a line
//	spawn("git", ["log", ref])            // arguments: no shell, but options

// fileFunctions open, list or change what lies at a path; the numbers are the places of the paths
// among their arguments. Functions that only look whether something exists are left out: guards
// are made of them.
var fileFunctions = map[string][]int{
	"readFile": {0}, "writeFile": {0}, "appendFile": {0}, "readdir": {0}, "opendir": {0}, "rm": {0}, "rmdir": {0}, "unlink": {0}, "mkdir": {0}, "open": {0},
	"rename": {0, 1}, "copyFile": {0, 1}, "cp": {0, 1}, "copy": {0, 1}, "move": {0, 1}, "link": {0, 1}, "symlink": {0, 1}, "chmod": {0}, "chown": {0}, "truncate": {0},
	"createReadStream": {0}, "createWriteStream": {0}, "readlink": {0}, "remove": {0}, "emptyDir": {0}, "ensureDir": {0}, "ensureFile": {0}, "mkdirs": {0}, "mkdirp": {0},
	"readJson": {0}, "readJSON": {0}, "writeJson": {0}, "writeJSON": {0}, "outputFile": {0}, "outputJson": {0}, "watch": {0},
}

// fileModules are the names in front of these functions.
var fileModules = []string{"fs.promises.", "fs.default.", "fs.", "Deno."}

// fileArguments are the places of the paths in a call, if the function is one of files.
func fileArguments(name string) []int {
	switch name {
	case "sharp", "sharp.default", "jimp.read", "jimp.Jimp.read", "Bun.file", "Bun.write", "Deno.readTextFile", "Deno.writeTextFile", "load-json-file", "write-file-atomic", "make-dir":
		return []int{0}
	}
	for _, m := range fileModules {
		if fn, ok := strings.CutPrefix(name, m); ok {
			return fileFunctions[strings.TrimSuffix(fn, "Sync")]
		}
	}
	return nil
}

// likelyFile are functions of packages named like those of Node.js. They probably do the same
// with a path. Such a weakness is only suspected.
var likelyFile = map[string]bool{
	"readFile": true, "writeFile": true, "appendFile": true, "outputFile": true, "readJson": true, "writeJson": true, "ensureDir": true, "createReadStream": true, "createWriteStream": true,
}

// isLikelyFile reports whether a function is one of these.
func isLikelyFile(name string) bool {
	_, fn, dotted := cutLast(name)
	return dotted && likelyFile[strings.TrimSuffix(fn, "Sync")]
}

// httpClients are packages that make requests: as functions, and by their methods.
var httpClients = map[string]bool{"fetch": true, "axios": true, "got": true, "undici": true, "ky": true, "superagent": true, "needle": true, "request": true, "http": true, "https": true, "phin": true, "wretch": true, "ofetch": true, "follow": true, "http2": true, "request-promise": true, "node-libcurl": true, "make-fetch-happen": true, "@mendable/fetch": true}

// httpMethods are the methods that make a request.
var httpMethods = map[string]bool{"get": true, "post": true, "put": true, "delete": true, "head": true, "patch": true, "options": true, "request": true, "fetch": true, "stream": true, "pipeline": true, "connect": true, "paginate": true, "del": true, "raw": true, "$fetch": true}

// isHTTPClient reports whether a native is an HTTP client.
func isHTTPClient(name string) bool { return httpClients[strings.TrimSuffix(name, ".default")] }

// sinks judge calls of functions that open files, make requests or start programs. They change
// nothing but the report: a program goes on behind a sink as it would behind any other call.
type sinks struct {
	heap   *heap
	state  *state
	turn   *turn
	probes *probes
	report *report
}

// call judges the arguments of a function that opens files, makes requests or starts programs.
func (sk *sinks) call(name string, args []Value, at position) {
	// Code that runs when a file is loaded gets nothing from a caller.
	if sk.turn.handler == nil || sk.probes.on || sk.state.dead {
		return
	}
	files := fileArguments(name)
	for _, i := range files {
		if i < len(args) {
			sk.path(name, args[i], at, audit.Traced)
		}
	}
	if len(files) == 0 && len(args) > 0 && isLikelyFile(name) {
		sk.path(name, args[0], at, audit.Suspected)
	}
	client, method, dotted := cutLast(name)
	switch {
	case isHTTPClient(name) && len(args) > 0, dotted && isHTTPClient(client) && httpMethods[method], dotted && isHTTPClient(strings.TrimSuffix(client, ".https")) && httpMethods[method], name == "WebSocket", name == "EventSource", name == "ofetch.$fetch":
		sk.request(name, args, at)
	}
	sk.commands(name, args, at)
}

// cutLast splits a name at its last dot.
func cutLast(name string) (before, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// path judges a path. most is the highest confidence, for functions known by their names only.
//
// The families that have to be excluded depend on the text in front of the argument:
//
//	readFile(p)                        // "..", absolute paths, siblings
//	readFile(root + "/" + p)           // "..": an absolute path stays below root
//	readFile(path.join(root, p))       // "..", and siblings of root if startsWith is the check
func (sk *sinks) path(name string, v Value, at position, most audit.Confidence) {
	text := textOf(v)
	for _, a := range text {
		if !tainted(a.text) {
			continue
		}
		_, behind := prefix(a.text)
		for _, h := range holes(a.text) {
			have := sk.state.have(a, h)
			// A folder in front makes absolute paths harmless.
			need := bitsPath
			if h.rooted || behind {
				need = bitDots
				if h.form == formJoined {
					need |= bitSibling
				}
			}
			if h.form == formType || h.form == formScheme || h.form == formOther && behind {
				continue
			}
			j := verdictOfPath(have, need)
			if j.confidence == audit.Traced {
				j.confidence = most
			}
			sk.judge(j, audit.Path, name, h, at)
		}
	}
}

// have are the excluded families of a hole: on the present way, for this alternative, and by
// functions that cleaned the text.
func (st *state) have(a Atom, h *hole) Bits {
	return st.facts.and(a.under).of(h.origin.id) | h.safe
}

// request finds the URL among the arguments of a function that makes a request: a text, a URL, a
// Request, or options.
func (sk *sinks) request(name string, args []Value, at position) {
	extra := agentGuard(args)
	for i, v := range args[:min(len(args), 2)] {
		for _, a := range v {
			switch {
			case a.kind == isText && i == 0, a.kind == isObject && a.obj.native == "URL":
				sk.url(name, Value{a}, extra, at, false)
			case a.kind == isObject && a.obj.native == "Request" && len(a.obj.options) > 0:
				sk.url(name, a.obj.options[0], extra, at, false)
			// Options stand first, or second behind a URL for http.request.
			case a.kind == isObject && a.obj.call == nil && a.obj.array == nil && (i == 0 || strings.HasPrefix(name, "http")):
				sk.options(name, a.obj, extra, at)
			}
		}
	}
}

// options judges the URL or the host in options.
func (sk *sinks) options(name string, o *Object, extra Bits, at position) {
	for _, k := range []string{"url", "uri", "baseURL", "prefixUrl"} {
		if v := o.own(k); len(v) > 0 {
			sk.url(name, v, extra, at, false)
		}
	}
	for _, k := range []string{"hostname", "host"} {
		if v := o.own(k); len(v) > 0 {
			sk.url(name, concat(constant("http://"), textOf(v)), extra, at, false)
		}
	}
}

// agentGuard finds an agent that checks addresses when it connects. Such a check cannot be
// outwitted by a name that resolves to two addresses, and it also covers redirects, so it counts
// for all families.
func agentGuard(args []Value) Bits {
	for _, v := range args {
		for _, a := range v {
			if a.kind != isObject || a.obj.native != "" {
				continue
			}
			// The options of HTTP clients for an agent, or for a function that resolves names.
			for _, k := range []string{"dispatcher", "agent", "httpAgent", "httpsAgent", "lookup"} {
				if looksUp(a.obj.own(k), k == "lookup", 0) {
					return bitCheckedAtConnect
				}
			}
			if a.obj.any != nil && looksUp(a.obj.any.v, false, 0) {
				return bitCheckedAtConnect
			}
		}
	}
	return 0
}

// looksUp finds a function with which an agent resolves names, a few levels deep. Any function
// there counts as a check: this is hardly ever replaced for another reason.
func looksUp(v Value, named bool, depth int) bool {
	if depth > 4 {
		return false
	}
	for _, a := range v {
		switch {
		case a.kind == isNative && named:
			return false
		// Packages whose agents refuse internal addresses.
		case a.kind == isNative && strings.Contains(a.name, "request-filtering-agent"), a.kind == isNative && strings.Contains(a.name, "ssrf"):
			return true
		case a.kind != isObject:
			continue
		case named && a.obj.call != nil:
			return true
		}
		for _, option := range a.obj.options {
			if looksUp(option, false, depth+1) {
				return true
			}
		}
		for _, k := range a.obj.keys {
			if looksUp(a.obj.own(k), k == "lookup", depth+1) {
				return true
			}
		}
	}
	return false
}

// url judges the address of a request:
//
//	fetch(args.url)                              // the caller chooses the host
//	fetch(`https://api.example.com/${args.id}`)  // the text in front has ended the host
//	fetch(`${base}/${args.id}`)                  // the configuration says where it goes
//	fetch(`https://${args.region}.example.com`)  // the caller chooses a part of the host
//	fetch(`https://example.com${args.path}`)     // the same, unless the path surely begins with a slash
//
// browser says that a page is opened in one; some tools do so by design.
func (sk *sinks) url(name string, v Value, extra Bits, at position, browser bool) {
	for _, a := range textOf(v) {
		if !tainted(a.text) {
			continue
		}
		p, behind := prefix(a.text)
		// The host is the program's: the caller only chooses a path or a query.
		if behind && !hostOpen(a.text, p) {
			continue
		}
		var h *hole
		// The first hole with something of a host in it stands for the whole text.
		for _, x := range holes(a.text) {
			if x.form != formScheme && x.form != formType {
				h = x
				break
			}
		}
		if h == nil {
			continue
		}
		have := sk.state.have(a, h) | extra
		// A host of the program stands in front, and the caller's text ends it.
		if have&bitTail != 0 && behindHost(a.text) {
			continue
		}
		j := verdictOfURL(have)
		if browser && sk.byDesign(h, "navigate", "goto", "go_to", "open", "visit", "browse", "new_page", "new_tab") {
			j = judgement{verdict: audit.Vulnerable, confidence: audit.Metadata, kind: "browser-by-design", why: "the tool opens the page that it is asked to open"}
		}
		sk.judge(j, audit.URL, name, h, at)
	}
}

// behindHost reports whether the first argument in a text stands directly behind a constant host.
func behindHost(text []part) bool {
	p, _ := prefix(text)
	_, host, ok := strings.Cut(p, "://")
	return ok && host != "" && len(text) > 1 && text[1].hole != nil
}

// hostOpen reports whether the constant text in front leaves the host, or a part of it, to the
// rest: "https://" and "https://api." do, "https://api.example.com/" does not.
func hostOpen(text []part, p string) bool {
	for _, x := range text {
		if x.hole != nil {
			break
		}
		if x.unknown {
			return false // the configuration comes first, and fixes the host
		}
	}
	i := strings.Index(p, "://")
	if i < 0 {
		return strings.HasSuffix(p, ":") || p == ""
	}
	return !strings.ContainsAny(p[i+3:], "/?#\\")
}

// byDesign reports whether the present tool's name announces its dangerous work.
func (sk *sinks) byDesign(h *hole, words ...string) bool {
	tool := strings.ToLower(sk.turn.toolName())
	for _, w := range words {
		if strings.Contains(tool, w) {
			return true
		}
	}
	return false
}

// shellOptions make a shell, or an interpreter, run their argument as code.
var shellOptions = map[string]bool{"-c": true, "-lc": true, "-ic": true, "/c": true, "/C": true, "-Command": true, "-command": true, "-e": true, "-EncodedCommand": true, "/s": true, "/k": true, "--eval": true, "-ec": true, "-cl": true}

// shells are programs that run such code.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "fish": true, "cmd": true, "cmd.exe": true, "powershell": true, "powershell.exe": true, "pwsh": true, "su": true, "osascript": true, "node": true, "python": true, "python3": true, "perl": true, "ruby": true, "eval": true, "ssh": false}

// commands judges functions that start programs or run code.
func (sk *sinks) commands(name string, args []Value, at position) {
	base := strings.TrimSuffix(name, "Sync")
	switch base {
	// These run a line: of a shell, or of JavaScript.
	case "child_process.exec", "shelljs.exec", "shelljs.default.exec", "node-cmd.run", "node-cmd.get", "eval", "Function", "vm.runInContext", "vm.runInNewContext", "vm.runInThisContext", "child-process-promise.exec", "sudo-prompt.exec", "node-exec-promise.exec", "execSh":
		sk.shell(name, arg(args, 0), at)
		// new Function("a", "b", body): the last argument is the code.
		if base == "Function" {
			sk.shell(name, arg(args, len(args)-1), at)
		}
	// These start a program without a shell, unless an option asks for one.
	case "child_process.spawn", "child_process.execFile", "execa", "execa.execa", "execa.sync", "nano-spawn", "tinyexec.x", "tinyexec.exec", "Bun.spawn", "node-pty.spawn", "child_process.fork", "spawn-async", "@expo/spawn-async", "child-process-promise.spawn", "tinyspawn":
		sk.spawn(name, args, at)
	// These cut a line at blanks and start the program in front.
	case "execa.command", "execa.execaCommand", "execaCommand", "spawnd.command":
		sk.words(name, arg(args, 0), at)
		if withShell(args) {
			sk.shell(name, arg(args, 0), at)
		}
	}
}

// spawn judges a program with a list of arguments. With the option shell, Node.js joins
// everything into one line for a shell:
//
//	spawn("grep", [q, file])                   // arguments
//	spawn("grep", [q, file], { shell: true })  // a line
func (sk *sinks) spawn(name string, args []Value, at position) {
	program := arg(args, 0)
	var list sequence
	for _, v := range args[min(1, len(args)):] {
		if isList(v) {
			list = sk.heap.elements(v)
			break
		}
	}
	// Bun takes the program as the first element of the list.
	if name == "Bun.spawn" {
		list = sk.heap.elements(program)
		program = list.at(0)
	}
	if withShell(args) {
		line := textOf(program)
		for _, v := range list.known {
			line = concat(concat(line, constant(" ")), textOf(v))
		}
		if len(list.rest) > 0 {
			line = concat(concat(line, constant(" ")), textOf(list.rest))
		}
		sk.shell(name, line, at)
		return
	}
	sk.program(name, program, at)
	sk.arguments(name, program, list, at)
}

// isList reports whether a value may be a list.
func isList(v Value) bool {
	for _, a := range v {
		if a.kind == isObject && a.obj.array != nil || a.kind == isText && a.open {
			return true
		}
	}
	return false
}

// withShell reports whether the options ask for a shell. An unknown value does not.
func withShell(args []Value) bool {
	for _, v := range args {
		for _, a := range v {
			if a.kind != isObject || a.obj.array != nil {
				continue
			}
			for _, s := range a.obj.own("shell") {
				// An option with an unknown value says nothing: most wrappers pass one on unset.
				if may, _ := s.truth(); may && s.kind != isUnknown && s.kind != isTruth {
					return true
				}
			}
		}
	}
	return false
}

// program judges the name of a program that a caller chooses.
func (sk *sinks) program(name string, v Value, at position) {
	for _, a := range textOf(v) {
		for _, h := range holes(a.text) {
			// The name of the program is the first of the words.
			if h.split {
				continue // judged as arguments instead
			}
			if p, behind := prefix(a.text); behind && (p != "" || h.rooted) {
				continue
			}
			if h.rooted {
				continue
			}
			// An allow list leaves nothing of a shell's characters, and neither do paths that
			// were looked up in a table.
			if sk.state.have(a, h)&bitsShell == bitsShell {
				sk.judge(judgement{verdict: audit.Guarded, kind: "program", why: "the program is one of a known set"}, audit.Command, name, h, at)
				continue
			}
			if commandWord(h.origin.pointer) || sk.byDesign(h, "exec", "shell", "terminal", "command", "run", "spawn", "process", "start", "launch") {
				sk.judge(byDesign(), audit.Command, name, h, at)
				continue
			}
			sk.judge(judgement{verdict: audit.Vulnerable, confidence: audit.Traced, kind: "program", why: "the caller chooses the program that is started"}, audit.Command, name, h, at)
		}
	}
}

// split judges text that was cut at blanks into arguments.
func (sk *sinks) split(a Atom, h *hole) judgement {
	if commandWord(h.origin.pointer) {
		return byDesign()
	}
	if sk.state.have(a, h)&bitSpace != 0 {
		return judgement{verdict: audit.Guarded, kind: "argument-split", why: "blanks are excluded before the text is cut into arguments"}
	}
	return judgement{verdict: audit.Vulnerable, confidence: audit.Traced, kind: "argument-split", why: "the caller's text is cut at blanks, and each piece becomes an argument of the program"}
}

// words judges a line that is cut into arguments without a shell.
func (sk *sinks) words(name string, v Value, at position) {
	for _, a := range textOf(v) {
		for i, h := range holes(a.text) {
			if i == 0 && a.text[0].hole != nil && len(a.text) == 1 {
				sk.judge(sk.line(h), audit.Command, name, h, at)
				continue
			}
			sk.judge(sk.split(a, h), audit.Command, name, h, at)
		}
	}
}

// shell judges a line for a shell. The quotes around each hole decide what the text may contain:
//
//	exec(`grep ${q} file`)      // every metacharacter counts
//	exec(`grep '${q}' file`)    // only the single quote does
//	exec(`grep "${q}" file`)    // $, backtick and the double quote do
func (sk *sinks) shell(name string, v Value, at position) {
	for _, a := range textOf(v) {
		quote := byte(0)
		// quote follows the quotes of the constant parts, from left to right.
		for i, p := range a.text {
			if p.hole == nil {
				quote = quoteAfter(quote, p.s)
				continue
			}
			h := p.hole
			if h.form == formType || h.form == formScheme {
				continue
			}
			// The whole line is the caller's, with no check at all: either the tool is a shell,
			// or this is the worst case.
			if i == 0 && len(a.text) == 1 && sk.state.have(a, h)&bitsShell == 0 {
				sk.judge(sk.line(h), audit.Command, name, h, at)
				continue
			}
			sk.judge(verdictOfShell(sk.state.have(a, h), quote), audit.Command, name, h, at)
		}
	}
}

// line judges a whole line from the caller.
func (sk *sinks) line(h *hole) judgement {
	if commandWord(h.origin.pointer) || sk.byDesign(h, "exec", "shell", "terminal", "command", "run_", "run-", "bash", "eval", "script") {
		return byDesign()
	}
	return judgement{verdict: audit.Vulnerable, confidence: audit.Traced, kind: "shell", why: "the caller's text is run by a shell"}
}

// byDesign is the judgement on a tool whose purpose is to run code from the caller. It is a
// remark: the user has chosen such a tool.
func byDesign() judgement {
	return judgement{verdict: audit.Vulnerable, confidence: audit.Metadata, kind: "command-by-design", why: "running what the caller sends is what the tool is for"}
}

// commandWord reports whether a parameter is named for a command.
func commandWord(pointer string) bool {
	_, last, _ := cutLast(strings.ReplaceAll(strings.ToLower(pointer), "/", "."))
	switch last {
	case "command", "commands", "cmd", "code", "script", "shell", "args", "program", "executable", "expression", "javascript", "line":
		return true
	}
	return strings.HasSuffix(last, "command") || strings.HasSuffix(last, "_cmd") || strings.HasSuffix(last, "script")
}

// quoteAfter is the kind of quotes that are open behind a text.
func quoteAfter(quote byte, s string) byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		// A backslash keeps the next character from its meaning, but not within single quotes.
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote
}
