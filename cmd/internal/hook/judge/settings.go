// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/subpath"
)

// writtenSettings returns the file of settings, such as .env, that a call of a host's own tool writes as a whole in the project: by its own name, and
// by the one without links in its directory. The model gives the whole text, so nothing is read. A link in the place of the file leads to neither name.
func writtenSettings(e hook.Event) (names []string) {
	var given map[string]any
	if !writers.MatchString(e.Tool) || json.Unmarshal(e.Input, &given) != nil {
		return nil
	}
	file, text := "", false
	for name, v := range given {
		s, isText := v.(string)
		switch name = strings.ToLower(strings.ReplaceAll(name, "_", "")); {
		case !isText:
		case slices.Contains(strings.Fields("filepath path targetfile file filename absolutepath"), name):
			if file != "" {
				return nil
			}
			file = s
		case slices.Contains(strings.Fields("content contents filetext text"), name):
			text = true
		}
	}
	if !text || !settings.MatchString(file) {
		return nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	file = filepath.Clean(file)
	home, _ := os.UserHomeDir()
	within := func(name string) bool {
		return slices.ContainsFunc(e.Roots, func(root string) bool {
			real, err := filepath.EvalSymlinks(root)
			return filepath.IsAbs(root) && !subpath.In(home, root) && (subpath.In(name, root) || err == nil && subpath.In(name, real))
		})
	}
	if !within(file) {
		return nil
	}
	names = []string{file}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil && within(dir) {
		names = append(names, filepath.Join(dir, filepath.Base(file)))
	}
	return names
}

var (
	writers  = lazyregexp.New(`(?i)^(write|create)_?(to_?)?(file)?$`)
	settings = lazyregexp.New(`(^|[/\\])\.env(\.[\w.-]+)?$`)
)

// withoutSecret says how to do without a file of secrets. Sent is the whole call's: no policy lets a file of secrets leave.
func withoutSecret(c *call.Call, sent bool) string {
	line, arguments := lineOf(c.Arguments), ""
	if raw, err := json.Marshal(c.Arguments); err == nil {
		arguments = string(raw)
	}
	own := "leave secrets to the user, and to the programs that load them; read an example, such as .env.example"
	switch {
	case sent:
		return "let the user send it: no policy lets a file of secrets be sent"
	case !strings.Contains(arguments, ".env"):
	case loads.MatchString(line):
		own = "have the program load the file itself: node --env-file=.env, docker compose --env-file .env, npx dotenv -e .env -- COMMAND"
	case edits.MatchString(line), line == "" && changers.MatchString(c.Name):
		own = "an edit reads the file: write a new line instead, as in echo NAME=value >> .env, or the whole file"
	}
	return own + "; a policy may list one file under unasked: {files: […]}, as 'toolvet explain secret' shows"
}

var (
	loads    = lazyregexp.New(`(^|[;&|(\n]\s*)(source|\.)\s+\S*\.env`)
	edits    = lazyregexp.New(`(^|[;&|(\n\s])(g?sed|perl|ruby)\s+(-\S+\s+)*(-\w*i|--in-place)`)
	changers = lazyregexp.New(`(?i)edit|replace|patch|insert`)
)
