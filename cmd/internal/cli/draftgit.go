// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/scan/secret"
)

// A gitSettings lists the files of a user's own settings of git, without which a commit has no author. Walls hide the home directory.
type gitSettings struct {
	shown  []string
	secret []string // may hold a secret, so the draft leaves them out
}

// gitSettingsIn finds the settings of git below a home directory, and below that of settings; "" for ~/.config. The draft does not name git's whole
// directory: its credential store may come later.
func gitSettingsIn(home, config string) (g gitSettings, err error) {
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	scanner, err := secret.New(secret.Options{})
	if err != nil {
		return g, err
	}
	for _, file := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(config, "git/config"), filepath.Join(config, "git/ignore"), filepath.Join(config, "git/attributes")} {
		text, err := readRegular(file)
		switch {
		case err != nil: // there is none, or git cannot read it, either
		case len(scanner.Scan(string(text))) > 0:
			g.secret = append(g.secret, file)
		default:
			g.shown = append(g.shown, file)
		}
	}
	return g, nil
}

var gitName = lazyregexp.New(`(^|[^A-Za-z])[Gg]it($|[^a-z])`)

// gitFor finds the settings for a server with tools for git, going by their names, or with a tool for commands, of which the draft lets git pass.
func (p *proxied) gitFor(alone *probe.Result, found []audit.Weakness) (gitSettings, error) {
	uses := gitName.MatchString(serverName(p.server)) || slices.ContainsFunc(alone.Catalog.Names(), gitName.MatchString) ||
		slices.ContainsFunc(found, func(w audit.Weakness) bool { return runsAnything(&w) && !slices.Contains(w.Kinds, code) })
	home, err := os.UserHomeDir()
	if !uses || err != nil { // no user has settings
		return gitSettings{}, nil
	}
	return gitSettingsIn(home, os.Getenv("XDG_CONFIG_HOME"))
}

// words says in the draft which files those are.
func (g *gitSettings) words() (text string) {
	if len(g.shown) > 0 {
		text = "    # git takes your name for commits from its settings, which stay read-only\n"
	}
	if len(g.secret) > 0 {
		text += fmt.Sprintf("    # %s may hold a secret, so it is left out: git does without its settings, such as your name\n", oneLine(strings.Join(g.secret, ", "), maxDescription))
	}
	return text
}
