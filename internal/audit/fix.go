// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"path"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/class"
)

// languageOf is the language of the code in the evidence, or else the server's.
func languageOf(evidence []Fact, server string) string {
	for _, f := range evidence {
		if len(f.Flow) == 0 {
			continue
		}
		switch strings.ToLower(path.Ext(f.Flow[len(f.Flow)-1].File)) {
		case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
			return class.TypeScript
		case ".py", ".pyi":
			return class.Python
		case ".go":
			return class.Go
		}
	}
	return server
}

// LanguageOfCommand guesses the language of a server from its program; "" if the program does not
// tell.
func LanguageOfCommand(command []string) string {
	if len(command) == 0 {
		return ""
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(command[0], `\`, "/")), ".exe")
	switch {
	case strings.HasPrefix(name, "python"), name == "uvx", name == "uv", name == "pipx":
		return class.Python
	}
	switch name {
	case "node", "npx", "npm", "bun", "bunx", "deno", "tsx", "pnpm", "yarn":
		return class.TypeScript
	case "go":
		return class.Go
	}
	return ""
}

// Fix is the advice for a class, in the language of the server; "" is any.
func Fix(c Class, language string) string {
	if known := classOf(c); known != nil {
		return known.Fix.In(language)
	}
	return ""
}
