// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A rewriter is a program with an option that makes it change the files in its words: a formatter, or an editor of streams. Without the option it
// only prints.
type rewriter struct {
	programs string
	when     *lazyregexp.Regexp // one of the words; nil: whatever they are
	unless   *lazyregexp.Regexp
	last     bool // only the last operand is changed
}

var rewriters = []rewriter{
	{"sed gsed", lazyregexp.New(`^(-[nErsuz]*i.*|--in-place(=.*)?)$`), nil, false},
	{"perl ruby", lazyregexp.New(`^-[acnpswWlF0-9]*i`), nil, false},
	{"prettier biome oxfmt rome dprint oxlint eslint eslint_d stylelint standard semistandard ts-standard xo tslint markdownlint markdownlint-cli2 htmlhint djlint sqlfluff ktlint tombi", lazyregexp.New(`^(-w|-F|--write|--apply(-unsafe)?|--fix(=.*)?|--fix-type(=.*)?|--unsafe|--reformat|--format|fmt|fix|format)$`), nil, false},
	{"gofmt goimports gofumpt golines gci shfmt buf sqlfmt templ", lazyregexp.New(`^(-[a-z]*w[a-z]*|--write|--in-place|write|fmt)$`), nil, false},
	{"black isort yapf autopep8 autoflake docformatter pyupgrade add-trailing-comma ssort blue usort rustfmt stylua alejandra nixfmt nixpkgs-fmt fprettify", nil, lazyregexp.New(`^(-c|--check(-only)?|--diff|-d|--check-changed|-)$`), false},
	{"ruff taplo terraform tofu terragrunt packer deno dart mix cabal-fmt swift-format swiftformat php-cs-fixer phpcbf rubocop standardrb clang-format google-java-format ormolu fourmolu cmake-format latexindent zig", lazyregexp.New(`^(-i|-a|-A|-r|--inplace|--in-place|--mode=inplace|inplace|--replace|--fix(-only)?|--auto-?correct(-all)?|fmt|format|fix|hclfmt|-w)$`), lazyregexp.New(`^(--check|-check|--diff|--dry-run|-)$`), false},
	{"yq", lazyregexp.New(`^(-[a-zA-Z]*i|--in-?place)$`), nil, false},
	{"xmlstarlet", lazyregexp.New(`^(-L|--inplace)$`), nil, false},
	{"crudini", lazyregexp.New(`^--(set|del|merge)$`), nil, false},
	{"dos2unix unix2dos mac2unix unix2mac sponge strip patchelf install_name_tool exiftool jpegoptim optipng mogrify", nil, nil, false},
	{"gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 compress uncompress brotli pigz", nil, lazyregexp.New(`^(-[a-zA-Z0-9]*[clt][a-zA-Z0-9]*|--(stdout|to-stdout|list|test))$`), false},
	{"gio", lazyregexp.New(`^(trash|remove|mkdir|move|rename|copy|save|set)$`), nil, false},
	{"split ffmpeg convert magick", nil, nil, true},
	{"uniq xxd json.tool", nil, nil, true},
	{"codespell", lazyregexp.New(`^(-[a-z]*w[a-z]*|--write-changes)$`), nil, false},
	{"zip 7z", nil, lazyregexp.New(`^(-l|-T|l|t|x|e|-sf)$`), false},
	{"ed red ex", nil, nil, false},
}

// rewriting is the rewriters by their programs' names.
var rewriting = lazy.Value(func() map[string][]int {
	m := map[string][]int{}
	for i, r := range rewriters {
		for _, name := range strings.Fields(r.programs) {
			m[name] = append(m[name], i)
		}
	}
	return m
})

// elsewhereOptions take a file that the program only reads.
const elsewhereOptions = "-c --config --config-file --config-path --ignore-path --rulesdir --parser --plugin --settings --settings-path --resolve-plugins-relative-to --style --stylesheet --rcfile --cache-location -i -f -e"

// rewritten returns the indices of the words that a program changes, though most of its commands only look.
func rewritten(program string, s simple, r *grammar.Reading) (changed []int) {
	for _, k := range rewriting()[program] {
		one := &rewriters[k]
		if one.when != nil && !anyWord(s.words[1:], one.when.MatchString) || one.unless != nil && anyWord(s.words[1:], one.unless.MatchString) {
			continue
		}
		changed = r.Operands
		switch {
		case among(program, "uniq xxd json.tool") && len(changed) < 2:
			return nil
		case one.last && len(changed) > 0:
			return changed[len(changed)-1:]
		case among(program, "sed gsed"):
			return files(s.words, r)
		case among(program, "perl ruby") && !givenCode(r):
			return nil // a script of the project
		case among(program, "perl ruby sponge gzip xz zip zstd strip"):
			return changed
		}
		return slices.DeleteFunc(slices.Clone(changed), func(i int) bool {
			return i > 1 && among(s.words[i-1], elsewhereOptions) && !among(s.words[i-1], "-i -f -e")
		})
	}
	return nil
}

// files returns the indices of the files of a sed: behind the script, if no option gives one. On some systems a word behind -i is the ending of copies.
func files(words []string, r *grammar.Reading) []int {
	list := r.Operands
	if len(list) > 1 && words[list[0]-1] == "-i" && (words[list[0]] == "" || backupEnding.MatchString(words[list[0]])) {
		list = list[1:]
	}
	if !r.Gave("-e", "--expression", "-f", "--file") && len(list) > 0 {
		list = list[1:]
	}
	return list
}

var backupEnding = lazyregexp.New(`^[.~][\w.]*~?$`)

// installs are the commands of builds for copying programs to a place of all users.
var installs = lazyregexp.New(`^(un)?install(/(strip|local|fast)|-strip|-exec|-data|-bin|-man)?$`)

// places are variables that tell a build where to.
var places = lazyregexp.New(`^(?i:(DESTDIR|[A-Z_]*PREFIX|INSTALL_?(PATH|DIR|ROOT|PREFIX)|[A-Z]*BIN_?DIR|[A-Z]*LIB_?DIR))=(.*)$`)

// judgeInstall judges where a build installs to. Without a place, that is a directory of the system.
func judgeInstall(j *judge, s simple, r *grammar.Reading) {
	program, does := s.program(), false
	var to []string
	for i, w := range s.words[1:] {
		before := s.words[i]
		value, glued := cutPrefix(w, "--prefix=")
		switch m := places.FindStringSubmatch(w); {
		case m != nil:
			to = with(to, m[3])
		case glued:
			to = with(to, value)
		case before == "--prefix" || before == "--destdir":
			to = with(to, w)
		case program == "cmake" && (w == "--install" || before == "--target" && installs.MatchString(w)), program != "cmake" && hasIndex(r.Operands, i+1) && installs.MatchString(w):
			does = true
		}
	}
	for _, v := range s.variables {
		if m := places.FindStringSubmatch(v); m != nil {
			to = with(to, m[3])
		}
	}
	if !does || !j.inside || among(program, "cmake") && holds(s.words, "--help") || anyWord(s.words, func(w string) bool { return among(w, "-n --dry-run --just-print --recon -q --question") }) {
		return
	}
	for _, dir := range to {
		if dir == "" || hasPrefix(dir, insertion) {
			continue
		}
		j.leaves(-1, j.elsewhere(s), dir)
	}
	if len(to) == 0 && program != "make" && program != "gmake" && program != "bmake" {
		j.refuse(-1, outside, "installs what was built into directories of the system")
	}
}
