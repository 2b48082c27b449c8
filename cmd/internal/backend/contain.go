// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"

	"github.com/toolvet/toolvet/internal/contain"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// Contain starts a server of a policy in the walls that the policy describes. The server must not change the files
// in keep, of which the policy is the first (see [Kept]). Told remembers what the log says of its walls.
func Contain(ctx context.Context, s *policy.Server, command, keep []string, told *contain.Told, stderr io.Writer, log *slog.Logger) (*contain.Server, error) {
	init, err := SandboxInit()
	if err != nil {
		return nil, err
	}
	env, err := Environment(s)
	if err != nil {
		return nil, err
	}
	world := s.World
	if len(world.Roots) == 0 && s.ClientRoots && !world.Remote {
		world = preset.WorldIn(s.Dir, command)
	}
	var file string
	if len(keep) > 0 {
		file = keep[0]
	}
	if stderr == nil {
		stderr = io.Discard
	}
	return contain.Start(ctx, contain.Config{
		Name: s.Name, Policy: file, Told: told,
		Command: command, Env: env, Dir: s.Dir, Init: init, Walls: *s.Contain, Roots: world.Roots, Keep: keep, Remote: world.Remote, Stderr: &launched{Writer: stderr, command: command}, Logger: log,
	})
}

// Kept lists the files of a policy, its lock, its log, the log's key, and the secrets for servers behind URLs. No server may
// change them.
func Kept(file string, p *policy.Policy) []string {
	if file == "" {
		return nil
	}
	files := append([]string{file, p.Log.File, p.Log.KeyFile}, p.Beside()...)
	for _, s := range p.Servers {
		for _, c := range []*policy.Credentials{s.Credentials, s.Unused} {
			if c == nil {
				continue
			}
			files = slices.AppendSeq(files, maps.Values(c.HeaderFiles))
			if c.Client != nil {
				files = append(files, c.Client.SecretFile)
			}
		}
	}
	var list []string
	for _, path := range files {
		if path == "" {
			continue
		}
		if path, err := filepath.Abs(path); err == nil {
			list = append(list, path)
		}
	}
	return list
}
