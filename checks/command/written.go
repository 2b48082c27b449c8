// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A line may write code and run it. The text of a script for a shell is judged as the line is, and so is that of a Makefile or a justfile; Python and
// JavaScript are read by [language]. Of other languages only code passes that names nothing by which it could change files, start programs or reach
// the network.

// A compiled language is one of which only words are read.
type compiledLanguage struct {
	endings string
	acts    *lazyregexp.Regexp // words of code that may do more than compute; nil: all code may
}

var compiledLanguages = []compiledLanguage{
	{".go", lazyregexp.New(`"(os/exec|os/user|os/signal|net|net/[\w/]+|syscall|unsafe|plugin|C|io/ioutil|path/filepath|runtime/\w+|debug/\w+|go/\w+|embed|archive/\w+|log/syslog|golang\.org/x/sys[\w/]*|reflect)"|//\s*(go:|#cgo|export )|import\s+[._]\s|\b[A-Za-z_]\w*\s+"os"|` +
		`\bos\.([^AEGSI]|Symlink|E[^x]|Sta?rt|Setenv|Getppid|Getgroups|Args\w)|\w*(Remove|Unlink|Rename|Chmod|Chown|Truncate|Exec|Command|Dial|Listen|WriteFile|RunProcess)\w*\(`)},
	{".c .cc .cpp .cxx .h .hpp .m", lazyregexp.New(`(?i)\b(remove|unlink\w*|rmdir|system|popen|exec\w*|v?fork|spawn\w*|rename\w*|f?truncate|f?re?open|open\w*|creat\w*|\w*stream|filesystem|socket|connect|bind|syscall|asm|__asm\w*|dl\w+|f?chmod|f?chown|\w*link\w*|mount|kill|ptrace|mmap|mkdir\w*|mknod|utime\w*|windows|winapi|posix_\w+|sys|unistd|fcntl|foundation|cocoa)\b|#\s*(include\s*[^<\s]|define|pragma|import)|\\x|\?\?|##|\\\n`)},
	{".rs", lazyregexp.New(`(?i)\b(fs|process|net|os|env|unsafe|extern|command|file|libc|nix|include\w*|link|asm|remove_\w+|proc_macro|macro_rules|path|tokio|reqwest)\b|\bstd::\{`)},
	{".java .kt .kts .scala .groovy", lazyregexp.New(`(?i)\b(files?|paths?|runtime|process\w*|url|uri|\w*socket\w*|http\w*|reflect|class\s*\.|forname|exec\w*|delete\w*|load\w*|native|nio|net|sys|script\w*|invoke\w*|io|system\s*\.\s*(exit|load|set|get)\w*)\b|\\u`)},
	{".ts .mts .cts .tsx .jsx .mjs .cjs .js", nil},
	{".zig .swift .hs .ml .nim .d .cr .v .dart .ex .exs .erl .clj .cs .fs .rb .pl .php .lua .jl .r .gradle .tf .bats .awk .tcl", nil},
}

// codeRunners are programs for building or running code of such a language, with the words for it.
const codeRunners = "go cargo rustc gcc g++ cc c++ clang clang++ tcc zig java javac kotlin kotlinc scala scalac groovy tsx ts-node swift swiftc runghc ghc ocaml nim crystal dart elixir deno bun dotnet csc fsharpc bats zx vite-node esno jest vitest mocha gradle gradlew rake terraform tofu awk"

// compilers are those of codeRunners that run nothing, or read data.
const compilers = "awk gcc g++ cc c++ clang clang++ tcc rustc"

// whole are those that take all code of a directory.
var whole = lazyregexp.New(`^(go (run|test|generate|build|install|vet)|cargo (run|test|bench|build|r|t|b|check)|zig build|dart test|gradle\w* \w+|dotnet (run|test|build)|(jest|vitest|mocha)\b|terraform (apply|plan|init)|tofu (apply|plan|init))`)

// rakeActs are words of a Rakefile that do more than name tasks.
var rakeActs = lazyregexp.New("(?i)\\b(sh|system|exec\\w*|spawn|rm\\w*|file\\w*|dir|require\\w*|load|import|\\w*eval|\\w*send|open\\w*|io|kernel|process|ruby|cp\\w*|mv|move|ln\\w*|link|install|touch|mkdir\\w*|ch(mod|own)\\w*|net|uri|pathname|object|\\w*const_get|\\w*method\\w*|directory|rule|fork|syscall|trap|env)\\b|[`%&]|" + untold)

const runsWritten = "builds or runs code that the line itself writes, and that may do more than compute"

// written judges code that the line itself has written, where a program builds or runs it.
func (j *judge) written(program string, s simple, r *grammar.Reading, depth int) {
	if len(j.made) == 0 {
		return
	}
	first := ""
	if len(r.Operands) > 0 {
		first = s.words[r.Operands[0]]
	}
	if len(r.Module) > 0 { // python -m x.y
		name := strings.ReplaceAll(r.Module[0], ".", "/")
		for _, end := range []string{".py", "/__main__.py", "/__init__.py"} {
			if text := j.ownText(name + end); text != "" {
				j.code("python3", text, r, depth)
			}
		}
	}
	for _, name := range buildFiles(program, s.words) {
		switch text := j.ownText(name); {
		case text == "":
		case program != "rake":
			j.run("Makefile", text, r, depth)
		case rakeActs.MatchString(text):
			j.refuse(s.element(0), inCode, runsWritten)
		}
	}
	if !among(program, codeRunners) && j.made[j.at(s.words[0])] != built {
		return
	}
	var taken []string
	for _, w := range s.words[1:] {
		_, value, _ := cut(w, "=")
		for _, name := range []string{w, value} {
			if file := j.at(name); name != "" && j.made[file] != "" {
				taken = with(taken, file)
			}
		}
	}
	if at := program + "\x00" + j.directory; whole.MatchString(program+" "+first) && (j.whole[at] <= j.edits || among(program, "jest vitest mocha")) {
		if j.whole == nil {
			j.whole = map[string]int{}
		}
		j.whole[at] = j.edits + 1
		for file := range j.made {
			if sameTools(program, file) {
				taken = with(taken, file)
			}
		}
	}
	slices.Sort(taken) // the same findings in the same order, each time
	for _, file := range slices.Compact(taken) {
		if text := j.made[file]; text != "" && text != built && strings.TrimSpace(text) != insertion { // of another program, or judged elsewhere
			j.compiledCode(file, text, r, depth)
		}
	}
}

// ownText returns the text of a file that the line itself writes; "" if it writes none, or nobody can tell the text. It is not inlined: its copies
// weigh more than they save.
//
//go:noinline
func (j *judge) ownText(name string) string {
	if text := j.made[j.at(name)]; text != insertion && text != built {
		return text
	}
	return ""
}

// buildFiles returns the files of tasks that a program for builds reads: by an option, or by their usual names. Those of make are judged elsewhere.
func buildFiles(program string, words []string) (names []string) {
	switch program {
	case "just":
		names = []string{"justfile", "Justfile", ".justfile"}
	case "rake":
		return []string{"Rakefile", "rakefile", "Rakefile.rb"}
	case "make", "gmake", "bmake":
	default:
		return nil
	}
	for i := range words[1:] {
		if name := otherMakefile(words, i+1); name != "" {
			names = with(names, name)
		}
	}
	return names
}

// sameTools reports whether a program that takes the code of a directory takes such a file.
func sameTools(program, file string) bool {
	ending := ext(file)
	switch program {
	case "go":
		return ending == ".go"
	case "cargo":
		return ending == ".rs"
	case "zig", "dart":
		return ending == "."+program
	case "terraform", "tofu":
		return ending == ".tf"
	case "gradle", "gradlew":
		return among(ending, ".gradle .kts .java .kt")
	case "dotnet":
		return among(ending, ".cs .fs .csproj")
	}
	return among(ending, ".ts .mts .tsx .jsx .mjs .cjs .js") && !hasSuffix(file, ".d.ts")
}

// compiledCode judges the text of such a file.
func (j *judge) compiledCode(file, text string, r *grammar.Reading, depth int) {
	ending := ext(file)
	if ending == "" {
		if hasPrefix(text, "#!") {
			j.code(interpreterOf(text), text, r, depth)
		}
		return
	}
	for _, l := range compiledLanguages {
		if !among(ending, l.endings) {
			continue
		}
		switch {
		case contains(l.endings, ".js"):
			j.code("node", text, r, depth)
		case l.acts == nil || contains(text, untold) || l.acts.MatchString(text):
			j.refuse(-1, inCode, runsWritten)
		}
		return
	}
}

// codeWrites are the files that code writes, where it names them itself.
var codeWrites = lazyregexp.New(`\bopen\(\s*["']([^"']+)["']\s*,\s*(?:mode\s*=\s*)?["'][wax]|\b(?:write|append)FileSync\(\s*["']([^"']+)["']|\bPath\(\s*["']([^"']+)["']\s*\)\.write_text`)

// wrote notes the files that code writes, and returns them. One that it reads as well is edited, and remains the project's own.
func (j *judge) wrote(code string) (files []string) {
	for _, m := range codeWrites.FindAllStringSubmatch(code, maxOthers) {
		name := m[1] + m[2] + m[3]
		if j.made[j.at(name)] != "" || strings.Count(code, `"`+name+`"`)+strings.Count(code, "'"+name+"'") > 1 {
			continue
		}
		if j.made == nil {
			j.made = map[string]string{}
		}
		j.made[j.at(name)] = untold
		j.edits++
		files = with(files, j.at(name))
	}
	return files
}
