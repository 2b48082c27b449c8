// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"path"
	"strings"
)

// Languages of servers, for what to do about findings.
const (
	TypeScript = "typescript" // and JavaScript
	Python     = "python"
	Go         = "go"
)

// languageOf is the language of the code of the evidence, or what is known of the server.
func languageOf(evidence []Fact, server string) string {
	for _, f := range evidence {
		if len(f.Flow) == 0 {
			continue
		}
		switch strings.ToLower(path.Ext(f.Flow[len(f.Flow)-1].File)) {
		case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
			return TypeScript
		case ".py", ".pyi":
			return Python
		case ".go":
			return Go
		}
	}
	return server
}

// LanguageOfCommand guesses the language of a server from the program that starts it; "" if
// that does not tell.
func LanguageOfCommand(command []string) string {
	if len(command) == 0 {
		return ""
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(command[0], `\`, "/")), ".exe")
	switch {
	case strings.HasPrefix(name, "python"), name == "uvx", name == "uv", name == "pipx":
		return Python
	}
	switch name {
	case "node", "npx", "npm", "bun", "bunx", "deno", "tsx", "pnpm", "yarn":
		return TypeScript
	case "go":
		return Go
	}
	return ""
}

// fixes say what to do about a class, by language; "" is any.
var fixes = map[Class]map[string]string{
	Path: {
		"":         "resolve the path and its links to what it really is, compare it with the allowed directory and a separator behind it, and open what was compared",
		TypeScript: "const real = await fs.realpath(path.resolve(root, input)); refuse it unless path.relative(root, real) is neither absolute nor begins with \"..\"; of a new file, do so with its directory; open real, not input",
		Python:     "real = Path(root, value).resolve(); refuse it unless real.is_relative_to(Path(root).resolve()); open real, not value",
		Go:         "open root with os.OpenRoot once, and every file through it: root.Open(name) follows no link and no .. out of it",
	},
	URL: {
		"":         "take http and https alone, resolve the name, refuse loopback, private, link-local and reserved addresses, connect to the address that was looked at, and do so again for each redirect",
		TypeScript: "parse with new URL, allow http: and https: alone, and use an agent whose lookup refuses addresses that ipaddr.js does not call \"unicast\" (IPv4-mapped ones, too); redirect: \"manual\", and each Location the same way",
		Python:     "parse with urllib.parse, allow http and https alone, refuse addresses of socket.getaddrinfo for which ipaddress.ip_address(a).is_global is false, connect to the address that was looked at, and follow_redirects=False",
		Go:         "give the client's Transport a net.Dialer whose Control refuses addresses that are not global unicast (netip.Addr: IsPrivate, IsLoopback, IsLinkLocalUnicast, after Unmap); it holds for redirects, too",
	},
	Command: {
		"":         "start the program itself with a list of arguments, never a shell; put -- before what comes from the caller, and refuse values that begin with -",
		TypeScript: "execFile(program, [\"--\", value], {shell: false}) in the place of exec or a command line that is split at blanks; a zod schema with a pattern for names",
		Python:     "subprocess.run([program, \"--\", value], shell=False) in the place of os.system or shell=True; a pydantic pattern for names",
		Go:         "exec.CommandContext(ctx, program, \"--\", value) in the place of sh -c; a pattern for names in the schema",
	},
	Schema: {
		"":         "check the arguments against the schema that the tool publishes, before the handler runs, and answer with an error that says what is wrong",
		TypeScript: "register the tool with a zod schema (server.registerTool(…, {inputSchema})), or parse the arguments with one first: schema.parse(request.params.arguments)",
		Python:     "give the handler typed parameters (FastMCP checks them with pydantic), or validate arguments with a model first",
		Go:         "use mcp.AddTool[In, Out] of the official SDK, which checks arguments, or RequireString and its like in the place of GetString",
	},
	Output: {
		"":         "bound the size of what is passed on, and remove control, zero-width and tag characters, comments and hidden text; mark it as content from elsewhere",
		TypeScript: "text.replace(/[\\p{Cc}\\p{Cf}\\u{E0000}-\\u{E007F}]/gu, c => \"\\n\\t\".includes(c) ? c : \"\"), slice to a limit, and remove comments and hidden elements before HTML becomes text",
		Python:     "\"\".join(c for c in text if c in \"\\n\\t\" or unicodedata.category(c) not in (\"Cc\", \"Cf\"))[:limit], and remove comments and hidden elements before HTML becomes text",
		Go:         "strings.Map with unicode.Is(unicode.C, r) dropped but for \\n and \\t, io.LimitReader before reading, and no comments or hidden elements when HTML becomes text",
	},
}

// Fix says what to do about a class, in the language of the server; "" is any.
func Fix(c Class, language string) string {
	if f := fixes[c][language]; f != "" {
		return f
	}
	return fixes[c][""]
}
