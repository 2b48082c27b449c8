// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// TestRoaming holds that no line looks beyond the work at hand where a policy denies it, and that a home directory is nobody's work.
func TestRoaming(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	t.Setenv("USERPROFILE", "/home/u")
	o := agentOptions()
	o.Deny = []string{"roaming"}
	judgeAll(t, o, map[string]string{
		"cat /etc/hosts": roaming, "cat /repo/a": "", "cat ../other/a": roaming, "cd sub && cat ../a": "", "cat ~/notes.txt": roaming, "head -n 2 a": "",
		"ls": "", "ls /": roaming, "ls ..": roaming, "cd ~ && ls": roaming, "cd": roaming, "cd sub && ls": "", "pushd src && ls && popd": "", "cd sub && cd .. && ls": "",
		"grep -rn /api/v1 src": "", "grep -e x /srv/log": roaming, "grep -rn x /usr/include": roaming, "sed -n '/a/,/b/p' x": "", "sed -n p ~/x": roaming, "awk '/x/ {print}' a": "",
		"find . -path './x/*'": "", "find /usr -name stdio.h": roaming, "jq '..|.x' a.json": "", "tr / _": "", "echo /etc/hosts": "", "which go": "", "date +%Y": "",
		"git log origin/main": "", "git log ..origin/main": "", "git -C sub log": "", "git -C ../other log": roaming, "git diff --no-index ../a b": roaming, "make -C sub": "", "make -C ../other": roaming,
		"cp ~/x .": roaming, "cp a b": "", "wc -l < ~/x": roaming, "wc -l < a": "", "cat < /dev/null": "", "diff <(sort a) <(sort b)": "", "cat \"$X\"": "", "curl https://example.org/a": "",
		"cat \"$(dirname \"$PWD\")/notes.txt\"": roaming, "cat ${PWD%/*}/other/notes.txt": roaming, "cat $OLDPWD/x": roaming, "cat $X/notes.txt": roaming, "cat src/$X": "", "cd -; cat x": roaming, "cd sub && cd - && cat x": "", "cat ~-/x": roaming, "cat ~+/x": "", "cat ~root/notes": roaming, "cat $PWD/x": "",
		"jq -n --rawfile a ~/notes.txt '$a'": roaming, "jq --arg a /x .b c.json": "", "sed -n 'r /home/u/notes.txt' f": roaming, "sed 's/or /and /' f": "", "sed '/a/r b' f": "", "awk 'BEGIN{while((getline l < \"/home/u/notes.txt\")>0) print l}'": roaming, "awk '$1 < \"b\"' f": "",
		"objdump -s ../x": roaming, "gron ~/x.json": roaming, "colordiff ~/a b": roaming, "cloc ~": roaming, "ack x ~/y": roaming, "ack /x src": "", "gcc -E ~/x.c": roaming, "gcc -I/usr/include a.c": "", "gcc -Wall -o a a.c": "", "cmake -S ../other -B build": roaming, "cmake -B build": "", "cmake -DX=/usr .": "", "man ls": "", "man -l ~/notes.txt": roaming,
		"python3 -m json.tool ~/notes.json": roaming, "python3 x.py": "", "tsx /home/u/other/x.ts": roaming, "ruff check .": "", "codespell ~/x": roaming, "node --version": "", "mypy --strict src": "",

		// Options of git that name a file or a repository, and those that take a text.
		"git config -f /home/u/gw/ann.env -l": roaming, "git config --file=/home/u/gw/ann.env -l": roaming, "git config -f ../ann.env -l": roaming, "git config -f.gitmodules -l": "", "git config -f sub/.gitmodules -l": "", "git config --system -l": roaming, "git config --global -l": roaming, "git config --local -l": "", "git config -f/home/u/x -l": roaming,
		"git commit --allow-empty -F /home/u/x": roaming, "git commit -aF/home/u/x": roaming, "git commit -F msg.txt": "", "git commit -m '/api: mend'": "", "git commit -am /api": "", "git commit -m'../x is gone'": "", "git commit --message=/api": "", "git commit --template=/home/u/x": roaming, "git commit --pathspec-from-file ../x": roaming,
		"git tag -F /home/u/x v1": roaming, "git tag -m /x v1": "", "git notes add -F ../x": roaming, "git merge -F /home/u/x y": roaming, "git archive --remote=file:///home/u/other HEAD": roaming, "git archive --remote ../other HEAD": roaming, "git archive --prefix=x-1.0/ HEAD": "", "git archive -o ../x.tar HEAD": roaming, "git checkout-index --prefix=/home/u/ a": roaming, "cd sub && git -C .. diff": "",
		"git clone file:///home/u/other x": roaming, "git clone file://home/u/other x": roaming, "git clone FILE:///repo/a x": "", "git clone file:///repo/%2e%2e/other x": roaming, "git clone --reference /home/u/other https://example.org/a": roaming, "git clone --separate-git-dir=/srv/x https://example.org/a": roaming,
		"git fetch file:///home/u/other": roaming, "git remote add y file:///home/u/other": roaming, "git blame --contents /home/u/x a": roaming, "git blame --ignore-revs-file=.git-blame-ignore-revs a": "", "git blame --ignore-revs-file=../x a": roaming, "git blame -L /main/,+3 a": "",
		"git --git-dir=../other/.git log": roaming, "git --work-tree /home/u diff": roaming, "git grep -f /home/u/x": roaming, "git log -S/api --grep=/x --author=/y": "", "git diff -G'^/x'": "", "git log --format=%h/../%s": "", "git log --since=1.week": "", "git ls-files -X /home/u/x": roaming, "git log -n 3 -- a": "", "git diff -O/home/u/x": roaming,
		"git log --grep /api -E": "", "git log --author '/x' a": "", "git log --since ../x ../a": roaming, "git stash push -m '/tmp is full'": "", "git stash push ../x": roaming, "git log --grep": "",
		"pip install file:///home/u/other": roaming, "pip install 'x @ git+file:///home/u/other'": roaming, "npm install file:../other": roaming, "npm install file:./sub": "", "echo file:///home/u/x": "", "grep x file.go": "",
	})
	atHome := check.World{Base: "/home/u", Roots: []string{"/home/u"}}
	for line, want := range map[string]bool{"cat notes.txt": true, "echo x": false, "go version": false} {
		got := slices.ContainsFunc(o.judgeIn(atHome, line), func(f check.Finding) bool { return f.Source == roaming })
		if got != want {
			t.Errorf("%q at home: %v", line, got)
		}
	}
	if f := agentOptions().judgeIn(atHome, "cat notes.txt"); len(f) > 0 {
		t.Errorf("without roaming denied: %v", f)
	}
}

// TestGlobalOptions holds that a listed command of git may say before its name where it works, if no line looks beyond the work at hand.
func TestGlobalOptions(t *testing.T) {
	t.Parallel()
	o := agentOptions()
	o.Programs, o.Deny = []string{"git log"}, []string{"roaming"}
	judgeAll(t, o, map[string]string{
		"git log": "", "git -C sub log": "", "git --no-pager -c color.ui=always log -1": "", "git -C sub push": "none", "git -C log push": "none", "git -C": "none", "git --exec-path=x log": "none",
		"git -c core.pager=x log": setting, "git -C ../other log": roaming,
	})
	o = agentOptions()
	o.Programs = []string{"git log"}
	judgeAll(t, o, map[string]string{"git log": "", "git -C sub log": "none", "git --no-pager log": "none"})
}

// TestDeleting holds what a line may delete where a policy denies to delete more than it names.
func TestDeleting(t *testing.T) {
	t.Parallel()
	o := agentOptions()
	o.Deny = []string{"deleting"}
	judgeAll(t, o, map[string]string{
		"rm a b": "", "rm -f a": "", "rm -rf node_modules": deleting, "rm -Rf dist": deleting, "rm --recursive x": deleting, "rm *.o": deleting, "rm {a,b}": "", "rm \"$X\"": deleting,
		"find . -name '*.tmp' -exec rm {} \\;": deleting, "find . -name '*.tmp' -print": "", "ls | xargs rm": deleting, "ls | xargs wc": "",
		"git checkout main": "", "git checkout -b x origin/main": "", "git checkout v1.2.3": "", "git checkout release/1.2": "", "git checkout src/a.go": deleting, "git checkout -- a": deleting, "git checkout HEAD~1 a": deleting,
		"find . -name '*.o' -delete": deleting, "find . -empty": "", "git switch -C main HEAD~3": deleting, "git checkout -B main HEAD~3": deleting, "git fetch origin +main:main": deleting, "git fetch origin main": "", "git tag -d v1": deleting, "git tag v1": "", "git switch -c x": "",
		"git restore --staged a": "", "git restore a": "", "git restore a b": deleting,
	})
}

// TestDoubtful holds what a line may hold where a policy denies what this check cannot place.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	o := agentOptions()
	o.Deny = []string{"doubtful"}
	judgeAll(t, o, map[string]string{
		"cat notes[*": doubtful, "cat notes[1]": "", "cat 'notes['": "", "[ -f a ] && ls": "", "[[ -n $X ]] && ls": "", "a=(x y); echo ${a[0]}": "", "echo $((a[1]))": "",
		"echo $(echo $(echo $(echo $(echo $(echo hi)))))": doubtful, "echo $(echo $(echo $(echo $(echo hi))))": "", "echo $(echo a) $(echo b) $(echo c) $(echo d) $(echo e) $(echo f)": "",
		"uniq --frobnicate a": doubtful, "uniq --count a": "", "uniq -c a": "", "sort -k2 -t/ --numeric-sort a": "", "sort --frob a": doubtful, "tail --follow=name a": "", "cut -d= -f2 --output-delimiter=: a": "",
		"make -sf evil.mk": doubtful, "make -kf../evil.mk": doubtful, "make --fil evil.mk": doubtful, "make --makef=evil.mk": doubtful, "make -sf Makefile": "", "make -sk test": "", "make --max-load=2": "", "make -f evil.mk": doubtful, "make -fevil.mk": doubtful, "make --file=x.mk": doubtful, "make -f Makefile test": "", "make --makefile=./GNUmakefile": "", "make test": "", "make -j4 CC=clang": "",
		"sed -n F a": doubtful, "sed 5Q a": doubtful, "sed -n 5,10p a": "", "sed -e 's/a/b/' -e 5q a": "", "sed -E 's/(a|b)/\\1/g; /x/d' a": "", "sed -e z a": doubtful,
	})
	o.Shell = "powershell"
	judgeAll(t, o, map[string]string{"ls $env:USERPROFILE\\.ssh": doubtful, "ls \"$HOME/x\"": doubtful, "ls src": "", "echo '$x'": ""})
}

// TestEnvironmentOfWindows holds that PowerShell and cmd show no variables with secrets.
func TestEnvironmentOfWindows(t *testing.T) {
	t.Parallel()
	o := agentOptions()
	o.Shell = "powershell"
	judgeAll(t, o, map[string]string{
		"echo $env:GITHUB_TOKEN": credential, "Write-Host \"x ${env:NPM_TOKEN} y\"": credential, "gci env:": credential, "ls Env:\\*": credential, "gc env:API_KEY": credential, "Get-Content ENV:\\API_KEY": credential,
		"echo $env:PATH": "", "echo 'env: prod'": "", "gc env:PATH": "", "cat env": "", "cat x.env:y": "",
	})
	judgeAll(t, agentOptions(), map[string]string{"pwsh -c 'gci env:'": credential, "pwsh -c 'echo $env:NPM_TOKEN'": credential})
	o = agentOptions()
	o.Shell = "cmd"
	judgeAll(t, o, map[string]string{"echo %GITHUB_TOKEN%": credential, "echo %PATH%": "", "echo %NPM_TOKEN:~0,4%": credential, "echo 100%": ""})
}

// TestScriptOfBSD holds that the word behind a script of sed is judged as one where BSD takes it for the script, as behind -i.
func TestScriptOfBSD(t *testing.T) {
	t.Parallel()
	judgeAll(t, agentOptions(), map[string]string{
		"sed -i 's/a/b/' 'w /repo/x'": inCode, "sed -i 's/a/b/' 'e id'": inCode, "sed -i 's/a/b/' 'my file.txt'": "", "sed -i 's/a/b/' e2e/a.ts": "", "sed -i '' 's/a/b/' 'my file.txt'": "",
	})
}
