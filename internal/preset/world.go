// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// World is what a server's command says of where it works. Its roots are the arguments that are
// existing directories, in the order of the command: absolute ones, and those with a dot in
// front, relative to our own directory; but not those of the launcher (uv --directory DIR run …,
// node .), nor those of other flags. A server in a container or on another machine is remote.
func World(command []string) check.World { return WorldIn("", command) }

// WorldIn is World for a server that is started in a directory; "" is our own.
func WorldIn(start string, command []string) check.World {
	if elsewhere(command) {
		return check.World{Remote: true}
	}
	var w check.World
	for i := 1; i < len(command); i++ {
		dir := command[i]
		if flag, value, ok := strings.Cut(dir, "="); ok && strings.HasPrefix(flag, "-") {
			if !serves(flag) {
				continue
			}
			dir = value
		} else if before := command[i-1]; strings.HasPrefix(before, "-") && (!serves(before) || launches(command, i)) {
			if !isSwitch(before) {
				continue
			}
		}
		if dir, ok := directory(start, dir, named(command, i)); ok && !slices.Contains(w.Roots, dir) {
			w.Roots = append(w.Roots, dir)
		}
	}
	return w
}

// Base returns the absolute directory in which a local server opens relative paths. That is start ("" for our own), or the
// first root of a server known to look there. Base returns "" if the command may go elsewhere first, as a shell's script does.
func Base(start string, command, roots []string) string {
	if len(command) == 0 || elsewhere(command) {
		return ""
	}
	if StartsInRoot(command) {
		roots = append(WorldIn(start, command).Roots, roots...)
		if len(roots) > 0 {
			return roots[0]
		}
	}
	flags := moves[program(command)]
	for _, word := range command[1:] {
		flag, _, _ := strings.Cut(word, "=")
		if slices.ContainsFunc(flags, func(f string) bool {
			return flag == f || len(f) == 2 && !strings.HasPrefix(word, "--") && strings.HasPrefix(word, f)
		}) {
			return ""
		}
	}
	dir, err := filepath.Abs(start)
	if err != nil {
		return ""
	}
	return dir
}

// StartsInRoot reports whether a command starts a server that looks for relative paths in its first directory.
func StartsInRoot(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, "server-filesystem") || word == "demo-server" })
}

// moves are options of programs for another working directory, or for a script, which may change it.
var moves = map[string][]string{
	"sh": {"-c"}, "bash": {"-c", "-l"}, "dash": {"-c"}, "zsh": {"-c"}, "fish": {"-c"}, "pwsh": {"-c", "-Command", "-WorkingDirectory", "-wd"},
	"powershell": {"-c", "-Command"}, "cmd": {"/c", "/C"},
	"env": {"-C", "--chdir", "-S", "--split-string"}, "sudo": {"-D", "--chdir", "-i", "--login"}, "su": {"-", "-l", "--login", "-c"}, "systemd-run": {"-p", "--property", "--working-directory"},
	"uv": {"--directory"}, "uvx": {"--directory"}, "poetry": {"-C", "--directory"}, "pdm": {"-p", "--project"}, "hatch": {"-p", "--project"},
	"npm": {"-C", "--prefix", "-w", "--workspace"}, "pnpm": {"-C", "--dir", "-r", "--filter"}, "yarn": {"--cwd", "workspace"}, "bun": {"--cwd"},
	"make": {"-C", "--directory"}, "cargo": {"-C"}, "go": {"-C"}, "dotnet": {"--project"}, "bundle": {"--gemfile"}, "nix": {"-C"}, "flatpak": {"run"}, "snap": {"run"},
}

// directory returns the absolute name of a directory that exists. A word such as "build"
// may be anything; "." and "../data" are directories where the server is named before.
func directory(start, word string, named bool) (string, bool) {
	if !filepath.IsAbs(word) {
		first, _, _ := strings.Cut(filepath.ToSlash(word), "/")
		if !named || first != "." && first != ".." {
			return "", false
		}
		word = filepath.Join(start, word)
	}
	dir, err := filepath.Abs(word)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// named reports whether a command says before its word at i which server it starts:
// "node ." does not, "node server.js ." and "my-server ." do.
func named(command []string, i int) bool {
	if !slices.Contains(launchers, program(command)) {
		return true
	}
	for _, word := range command[1:i] {
		if !strings.HasPrefix(word, "-") && !slices.Contains([]string{"run", "exec", "tool", "dlx", "x"}, word) {
			return true
		}
	}
	return false
}

// launchers start the server that one of their arguments names.
var launchers = strings.Fields(`node npx npm pnpm yarn bun bunx deno tsx ts-node python python3 uv uvx pipx poetry pdm hatch
	go cargo java dotnet ruby bundle php perl sh bash env nix`)

// program is the name of the program of a command.
func program(command []string) string {
	return strings.TrimSuffix(path.Base(filepath.ToSlash(command[0])), ".exe")
}

// elsewhere reports whether a command starts a server whose files are not ours.
func elsewhere(command []string) bool {
	if len(command) == 0 {
		return false
	}
	switch program(command) {
	case "docker", "podman", "nerdctl", "kubectl", "ssh", "wsl", "lxc", "nsenter", "chroot":
		return true
	}
	return slices.ContainsFunc(command, func(word string) bool {
		return word == "mcp-remote" || strings.HasPrefix(word, "mcp-remote@")
	})
}

// launches reports whether the word at i still belongs to the program that starts the
// server: it stands before "run", as in uv --directory DIR run server.
func launches(command []string, i int) bool {
	switch program(command) {
	case "uv", "npm", "pnpm", "yarn", "poetry", "pdm", "cargo", "bun":
		run := slices.IndexFunc(command, func(w string) bool { return w == "run" || w == "exec" || w == "tool" })
		return run < 0 || i < run || run+1 < len(command) && strings.HasPrefix(command[run+1], "-") && i == run+2
	}
	return false
}

// isSwitch reports whether a launcher's flag takes no value, as in npx -y SERVER DIR.
func isSwitch(flag string) bool {
	return slices.Contains([]string{"-y", "--yes", "--", "-v", "--verbose", "-q", "--quiet"}, flag)
}

// serves reports whether a flag is about the directories that a server serves.
func serves(flag string) bool {
	return overlaps(words(flag), "root", "roots", "dir", "dirs", "directory", "directories", "path", "paths", "allow",
		"allowed", "repo", "repository", "workspace", "folder", "vault", "project") &&
		!overlaps(words(flag), "cache", "log", "logs", "tmp", "temp", "config", "output", "data", "profile", "node", "python")
}
