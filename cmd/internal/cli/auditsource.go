// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/javascript"
	"github.com/toolvet/toolvet/internal/audit/source/python"
	"github.com/toolvet/toolvet/internal/audit/source/unread"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/machine/memory"
)

// readers read the code of servers, each in one language. The last lists the code that none of them reads.
var readers = []struct {
	language string
	analyze  func(ctx context.Context, dir string, opts source.Options) (source.Result, error)
	bytes    bool // columns count bytes rather than UTF-16 code units, as in source maps
}{
	{class.TypeScript, javascript.Analyze, false},
	{class.Python, python.Analyze, true},
	{"", unread.Analyze, true},
}

// maxUnread bounds the unread files that a report names.
const maxUnread = 20

// readSource reads the code of a directory, or of a package that is installed, and returns its tools.
func (a *app) readSource(ctx context.Context, place string, in *audit.Input) ([]source.Tool, error) {
	dir, err := sourceDir(place)
	if err != nil {
		return nil, err
	}
	defer memory.Borrow()()
	in.Target.Methods = append(in.Target.Methods, audit.Static)
	in.Target.Name, in.Target.Source = place, place
	var tools []source.Tool
	gaps, most := map[source.Unread]bool{}, 0
	var failed []error
	for _, r := range readers {
		found, err := r.analyze(ctx, dir, source.Options{})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // such as no code in this language
			failed = append(failed, err)
			continue
		}
		if r.bytes {
			if err := inUTF16(dir, found.Facts); err != nil {
				return nil, err
			}
		}
		tools = append(tools, found.Tools...)
		in.Facts = append(append(in.Facts, found.Facts...), found.Unknown()...)
		for _, t := range found.Tools {
			in.Tools = append(in.Tools, t.Name)
		}
		if len(found.Tools) > most {
			most, in.Language = len(found.Tools), r.language
		}
		for _, u := range found.Unread {
			if gaps[u] { // a directory that two readers look into
				continue
			}
			if gaps[u] = true; len(gaps) <= maxUnread {
				in.Notes = append(in.Notes, fmt.Sprintf("not read: %s: %s", u.What, u.Why))
			}
		}
	}
	if len(failed) == len(readers) {
		return nil, fmt.Errorf("reading the code of %s: %w", place, errors.Join(failed...))
	}
	if len(gaps) > maxUnread {
		in.Notes = append(in.Notes, fmt.Sprintf("%d more files or tools were not read", len(gaps)-maxUnread))
	}
	if len(tools) == 0 {
		in.Notes = append(in.Notes, "no handler of a tool was recognised in the code: nothing is known of it, which does not mean that it is safe")
	}
	return tools, nil
}

// sourceDir returns the directory of a place, or of the installed package of that name. It downloads
// nothing.
func sourceDir(place string) (string, error) {
	if info, err := os.Stat(place); err == nil {
		if !info.IsDir() {
			return "", fmt.Errorf("%s: must be a directory", place)
		}
		return place, nil
	}
	name := strings.TrimPrefix(place, "npm:")
	if filepath.IsAbs(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "..") {
		return "", fmt.Errorf("%s: there is no such directory", place)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	at := strings.LastIndex(name, "@")
	if at <= 0 { // a scope begins with one
		at = len(name)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "node_modules", filepath.FromSlash(name[:at]))
		if isDir(path) {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", enforce.WithHint(errors.New("there is no directory of this name, and no such package in node_modules"),
		"'toolvet audit npx -y %s' starts the package; to grade its code, install it first, because such an audit downloads nothing", name)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
