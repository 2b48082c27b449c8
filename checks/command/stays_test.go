// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// TestStays holds which commands have something start later, and that those beside them pass. "" is nothing.
func TestStays(t *testing.T) {
	t.Parallel()
	o := &Options{Allow: strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound shell sum edit starter project temporary"), Inside: true}
	names := strings.Fields(stayerNames)
	for _, one := range stayers {
		for name := range strings.FieldsSeq(one.programs) {
			if !slices.Contains(names, name) {
				t.Errorf("stayerNames lacks %s", name)
			}
		}
	}
	for want, lines := range map[string]string{
		startup: "git maintenance start|git -C x maintenance register|git lfs install|pre-commit install|pre-commit -v install --hook-type pre-push|lefthook install|npx -y simple-git-hooks|pnpm exec lefthook install|husky|husky install|npx husky init|npx -y husky|pnpm exec husky install|node_modules/.bin/husky install",
		later:   "pm2 startup|pm2 save|npx pm2 startup|docker update --restart always x|docker update -q --restart=always x|watchman -- trigger . x -- id|brew services start x",
		setting: "copilot mcp add x|cursor-agent mcp enable x|opencode mcp add|droid mcp add x y|amp mcp add x -- y|kiro-cli mcp add --name x|code --add-mcp {}|direnv allow|direnv allow .|code --install-extension ms-python.python|code --force --install-extension ./x.vsix|cursor --install-extension=x|mise trust|claude mcp remove toolvet|gemini extensions link .",
		"": "git maintenance run|git lfs pull|pre-commit run -a|pre-commit run --hook-stage install|lefthook run pre-commit|npx husky --version|code --uninstall-extension x|npm install husky|npm i -D husky lefthook|npx pm2 list|pm2 start x.js|pm2 logs startup|docker update -m 1g x|docker run --rm x|" +
			"watchman watch .|brew services list|copilot mcp list|opencode run mcp|droid exec add|code .|code --list-extensions|direnv status|mise install|claude mcp list|git log --grep maintenance|yarn install|amp --help",
	} {
		for line := range strings.SplitSeq(lines, "|") {
			var got []string
			for _, f := range o.judgeIn(check.World{Base: "/repo", Roots: []string{"/repo"}}, line) {
				got = append(got, f.Source)
			}
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %q", line, got, want)
			}
		}
	}
}
