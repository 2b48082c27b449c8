// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Some servers need to hear first where they work: in which directory, project or repository. Without it no other
// tool does anything. A tool with such a name and a parameter for a directory is called with the root at the
// beginning of each session.
var (
	settler = lazyregexp.New(`(?i)(^|[_-]|[a-z])(set|open|select|switch|use|activate|load|change|register|add)[_-]?([a-z]+[_-]?)*(dir|directory|cwd|project|workspace|repo|repository|folder|root|vault)s?([_-]?(dir|path|root))?$`)

	// directoryName finds names of directories to work in, and directoryWords their descriptions.
	directoryName  = lazyregexp.New(`(?i)^((project|repo|repository|workspace|root|base|work|working|source|target|output|vault|package)s?[_-]?)?(dir|directory|folder|cwd|root|workspace|repo|repository)(s?[_-]?path)?$|^(project|repo|repository|workspace|root|base)s?[_-]?(path|dir|root)$`)
	directoryWords = lazyregexp.New(`(?i)\b(path|location) (to|of|for) (the |an? |your |this |its |local |target |working |base |root |git |existing |absolute )*(directory|folder|repository|repo|project|workspace)\b|^\W*(the |an? |working |root |project |target |absolute |optional )*(directory|folder|repository|project root|workspace)\b|リポジトリ|プロジェクト|ディレクトリ|目录|仓库|项目`)
	aboutAFile     = lazyregexp.New(`(?i)\bfiles?\b|^file|文件|ファイル`)
)

// takesDirectory reports whether a parameter is the path of a directory, and not of a file.
func (u *tool) takesDirectory(p parameter) bool {
	if p.kind != infer.Path || u.moves(p) {
		return false
	}
	return directoryName.MatchString(p.name) || directoryWords.MatchString(p.description) && !aboutAFile.MatchString(p.name+" "+p.description) && !fileName.MatchString(p.name)
}

// starter finds tools that begin the work of others: without them, these find nothing.
var starter = lazyregexp.New(`(?i)(^|[_./-]|[a-z])(init(iali[sz]e)?|set_?up|connect|log_?in|(start|create|open|new|begin)[_-]?(session|connection|database|db))([_-]?(project|workspace|repo|repository|database|db|server|session))?$`)

// A settlement is a call that sets a server's place of work.
type settlement struct {
	tool      *tool
	arguments map[string]any
}

// maxSettlements bounds the calls at the beginning of each session.
const maxSettlements = 3

// settle finds the tools that set the server's place of work, and calls them.
func (a *auditor) settle(ctx context.Context) {
	for _, t := range a.tools {
		if t.destructive || len(a.settlements) >= maxSettlements {
			continue
		}
		if starter.MatchString(t.Name) {
			arguments := t.sample(a.world)
			if r := a.call(ctx, t, arguments); r.ok() {
				t.settles = true
				a.settlements = append(a.settlements, settlement{t, arguments})
				a.note("tool %s was called with harmless arguments at the beginning of each session", show(t.Name))
			}
			continue
		}
		if !settler.MatchString(t.Name) {
			continue
		}
		i := slices.IndexFunc(t.parameters, func(p parameter) bool {
			return p.kind == infer.Path && t.onlyPath(p)
		})
		if i < 0 {
			continue
		}
		arguments := t.sample(a.world, setting{t.parameters[i], a.world.inside("root")})
		if r := a.call(ctx, t, arguments); r.ok() {
			t.settles = true
			a.settlements = append(a.settlements, settlement{t, arguments})
			a.note("tool %s was called with the audit's root at the beginning of each session", show(t.Name))
		}
	}
}

// onlyPath reports whether a parameter at the top is the only path that a tool needs.
func (u *tool) onlyPath(p parameter) bool {
	return !slices.ContainsFunc(u.parameters, func(q parameter) bool { return q.pointer != p.pointer && q.required && q.kind == infer.Path })
}

// resettle sets the place of work of a new session.
func (a *auditor) resettle(ctx context.Context) {
	for _, s := range a.settlements {
		raw, err := json.Marshal(s.arguments)
		if err != nil || a.session.gone() {
			return
		}
		d := a.session.within(ctx, a.cfg.CallTimeout)
		a.session.call(d, s.tool.Name, raw)
		d.stop()
	}
}
