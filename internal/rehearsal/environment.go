// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"slices"
	"strings"
)

// harmless are variables that usually hold no secrets: names of the user, languages, and places of programs and their
// caches. A star stands for any characters.
var harmless = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TERM", "LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR", "HOSTNAME",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	"LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"NODE_ENV", "NODE_PATH", "NVM_DIR", "npm_config_cache", "npm_config_prefix", "BUN_INSTALL", "DENO_DIR", "PNPM_HOME", "VOLTA_HOME",
	"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYENV_ROOT", "CONDA_PREFIX", "UV_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR",
	"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "GEM_HOME", "GEM_PATH", "DOTNET_ROOT",
}

// environment parts an environment (NAME=value) into the variables of a rehearsed server and the names of the
// withheld ones. The server gets harmless variables, and those in pass (NAME or PREFIX_*).
func environment(env, pass []string) (kept, withheld []string) {
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if slices.ContainsFunc(slices.Concat(harmless, pass), func(p string) bool { return matches(p, name) }) {
			kept = append(kept, variable)
		} else if name != "" {
			withheld = append(withheld, name)
		}
	}
	slices.Sort(withheld)
	return kept, slices.Compact(withheld)
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// merge adds variables to an environment, each name once, because programs disagree about the meaning of two.
func merge(env, added []string) []string {
	names := map[string]int{}
	out := []string{} // not nil: a nil environment would be ours
	for _, variable := range slices.Concat(env, added) {
		name, _, _ := strings.Cut(variable, "=")
		if i, again := names[name]; again {
			out[i] = variable
			continue
		}
		names[name] = len(out)
		out = append(out, variable)
	}
	return out
}

// without returns the names that an environment lacks.
func without(names, env []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	})
}
