// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sharedFinder is made once: it takes a second.
var sharedFinder = sync.OnceValues(newFinder)

func newReader(t testing.TB) *Reader {
	t.Helper()
	f, err := sharedFinder()
	if err != nil {
		t.Fatal(err)
	}
	return newReaderWith(f, Options{Workspace: "/work space/p", Home: "/home/ann", Variables: func(file string) ([]string, error) {
		if file != "/work space/p/.env" {
			return nil, errors.New("no such file")
		}
		return []string{"FROM_FILE", "OTHER"}, nil
	}})
}

func read(t *testing.T, text string) *Config {
	t.Helper()
	c, err := newReader(t).Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server string
		want   Server
	}{
		"plain": {`{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem@2026.8.31","/srv/a$b"]}`,
			Server{Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/srv/a$$b"}}},
		"VS Code's words": {`{"type":"stdio","command":"${workspaceFolder}/bin/s","args":["${userHome}${/}x","${workspaceFolderBasename}","${env:PART}-${input:api-key}"],"cwd":"${workspaceFolder}/sub","envFile":"${workspaceFolder}/.env","env":{"A":"${env:B}","OTHER":"${input:api-key}"}}`,
			Server{Command: []string{"/work space/p/bin/s", "/home/ann/x", "p", "${PART}-${API_KEY}"}, Dir: "/work space/p/sub",
				Env:   []Variable{{"FROM_FILE", "${FROM_FILE}"}, {"OTHER", "${API_KEY}"}, {"A", "${B}"}},
				Notes: []string{`it asks for the input "api-key": set the environment variable API_KEY`, "the values of its envFile are not copied: set FROM_FILE, OTHER", `it asks for the input "api-key": set the environment variable API_KEY`}}},
		"Claude Code's words": {`{"command":"s","env":{"A":"${TOKEN}","B":"${HOST:-example.org}","C":"x${TOKEN}"}}`,
			Server{Command: []string{"s"}, Env: []Variable{{"A", "${TOKEN}"}, {"B", "${HOST}"}, {"C", "x${TOKEN}"}},
				Notes: []string{"the default of HOST is not copied: set the environment variable"}}},
		"words of the client alone": {`{"command":"s","args":["${config:x}","${config:y}","${config:z}","${API_KEY:=hunter2}","${\u001b[31m}"]}`,
			Server{Command: []string{"s", "${S_CONFIG}", "${S_S_CONFIG}", "${S_S_CONFIG_2}", "${S_API_KEY}", "${S}"},
				Notes: []string{"only the client knows its placeholder ${config:…}: set the environment variable S_CONFIG", "only the client knows its placeholder ${config:…}: set the environment variable S_S_CONFIG",
					"only the client knows its placeholder ${config:…}: set the environment variable S_S_CONFIG_2", "only the client knows its placeholder ${API_KEY:…}: set the environment variable S_API_KEY",
					"only the client knows its placeholder ${…}: set the environment variable S"}}},
		"a relative directory": {`{"command":"s","cwd":"sub"}`, Server{Command: []string{"s"}, Dir: "/work space/p/sub"}},
		"an envFile that is away": {`{"command":"s","envFile":"/none"}`,
			Server{Command: []string{"s"}, Notes: []string{"its envFile cannot be read: set what stands in it in the environment"}}},
		"harmless values": {`{"command":"s","env":{"NODE_ENV":"production","DEBUG":true,"PORT":3000,"LOG_LEVEL":"info","DATA":"/srv/my data","URL":"https://api.example.org/v1","EMPTY":"","HOST":"localhost:8080"}}`,
			Server{Command: []string{"s"}, Env: []Variable{{"NODE_ENV", "production"}, {"DEBUG", "true"}, {"PORT", "3000"}, {"LOG_LEVEL", "info"}, {"DATA", "/srv/my data"}, {"URL", "https://api.example.org/v1"}, {"EMPTY", ""}, {"HOST", "localhost:8080"}}}},
		"remote": {`{"type":"http","url":"https://mcp.example.org/mcp","headers":{"Authorization":"Bearer ${input:t}","X-Api-Key":"hunter2","X-B":"Bearer hunter2"}}`,
			Server{URL: "https://mcp.example.org/mcp", Headers: []Variable{{"Authorization", "Bearer ${T}"}, {"X-Api-Key", "${S_X_API_KEY}"}, {"X-B", "Bearer ${S_X_B}"}},
				Notes: []string{`it asks for the input "t": set the environment variable T`, "the header X-Api-Key is not copied: set the environment variable S_X_API_KEY, or nobody reaches the server", "the header X-B is not copied: set the environment variable S_X_B, or nobody reaches the server"}}},
		"a url with a key": {`{"url":"https://mcp.example.org/mcp?api_key=hunter2"}`,
			Server{URL: "${S_URL}", Notes: []string{"the url is not copied: set the environment variable S_URL, or nobody reaches the server"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := read(t, `{"mcpServers":{"s":`+tt.server+`}}`)
			if len(c.Servers) != 1 {
				t.Fatalf("left out: %v", c.Left)
			}
			tt.want.Name, tt.want.Given = "s", "s"
			if diff := cmp.Diff(&tt.want, c.Servers[0], cmpopts.IgnoreFields(Server{}, "Needs")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		`{}`:                                   "neither a command nor a url",
		`{"command":7}`:                        `"command" is no text`,
		`{"command":"s","args":"x"}`:           `"args" is no list of texts`,
		`{"command":"s","args":[1]}`:           `"args" is no list of texts`,
		`{"command":"s","env":{"A":{}}}`:       "has a value other than text",
		`{"type":"sse","url":"https://x.org"}`: "HTTP+SSE",
		`{"type":"http"}`:                      "has no url",
		`{"type":"ws"}`:                        "its type is unknown",
		`{"command":"C:\\bin\\toolvet.exe","args":["proxy","--","s"]}`: "behind toolvet already",
	} {
		c := read(t, `{"servers":{"s":`+server+`}}`)
		if strings.ContainsAny(strings.Join(c.Left, ""), "\x1b") || strings.Contains(strings.Join(c.Left, ""), "hunter2") {
			t.Errorf("%s: what stands in the file is told: %q", server, c.Left)
		}
		if len(c.Servers) != 0 || len(c.Left) != 1 || !strings.HasPrefix(c.Left[0], "s: ") || !strings.Contains(c.Left[0], want) {
			t.Errorf("%s: %+v, want %q", server, c, want)
		}
	}
}

// TestSecondPlace holds that a place without servers does not hide another.
func TestSecondPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"mcpServers":{},"servers":{"a":{"command":"x"}}}`: 1, `{"servers":{},"mcp":{"b":{"type":"local","command":["x"]}}}`: 1,
		`{"mcpServers":{}}`: 0, `{"mcpServers":{},"servers":{}}`: 0,
	} {
		if c := read(t, text); len(c.Servers) != want {
			t.Errorf("%s: %+v, want %d", text, c, want)
		}
	}
}

func TestNoConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                       "value is expected",
		`{}`:                                     `no "mcpServers"`,
		`{"mcpServers":[]}`:                      `"mcpServers" cannot be read: line 1, column 15: the JSON text is not a JSON object`,
		`{"servers":{"a":7}}`:                    `the server "a" is no object`,
		"{\"mcpServers\":{\n\"a\":{},\"a\":{}}}": `cannot be read: line 2, column 12: "/a" is given twice`,
		`{"servers":{"a":{"command":"hunter2"`:   "",
	} {
		_, err := newReader(t).Read([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What may be a secret is in no template and in no note, wherever the file has it.
func TestNoSecret(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"hunter2", "ghp_" + "x7Jq2LmN9pRs4TvWy8ZaB3cDe5FgH1iKo6Mn", "0123456789abcdef0123456789abcdef", "Zm9vYmFyMTIzQUJDZGVmNDU2",
		"sk-ant-api03-" + strings.Repeat("Ab3", 30), "correct horse battery staple", "AKIA" + "Q3EGRIPCXXTN4ZBD",
	}
	for _, secret := range secrets {
		strong := secret != "hunter2" && !strings.Contains(secret, " ")
		places := []string{
			`{"command":"s","env":{"API_KEY":%q}}`, `{"command":"s","env":{"GITHUB_TOKEN":"x-%s"}}`, `{"command":"s","env":{"DB_PASSWORD":%q}}`,
			`{"command":"s","env":{"X":"postgres://u:%s@db/x"}}`, `{"command":"s","env":{"X":"https://h.example.org/a?k=%s"}}`,
			`{"command":"s","args":["--api-key",%q]}`, `{"command":"s","args":["-u","admin:%s"]}`, `{"command":"s","args":["--user","admin:%s"]}`,
			`{"command":"s","env":{"MYSQL_PW":%q}}`, `{"command":"s","env":{"GITHUB_PAT":%q}}`, `{"command":"s","args":["--db-pw",%q]}`, `{"command":"s","args":["--api-key=%s"]}`, `{"command":"s","args":["postgresql://u:%s@db/x"]}`,
			`{"command":"docker","args":["run","-e","TOKEN=%s"]}`, `{"command":"npx","args":["mcp-remote","https://x.org/mcp","--header","Authorization: Bearer %s"]}`,
			`{"command":"npx","args":["mcp-remote","https://x.org/mcp?key=%s"]}`,
			`{"url":"https://x.org/mcp","headers":{"Authorization":"Bearer %s"}}`, `{"url":"https://x.org/mcp","headers":{"X":%q}}`, `{"url":"https://u:%s@x.org/mcp"}`,
			`{"command":"s","envFile":"/%s"}`,
		}
		if strong { // nothing around it says what it is
			places = append(places, `{"command":"s","env":{"X":%q}}`, `{"command":"s","args":[%q]}`, `{"command":"s","args":["--x=%s"]}`, `{"url":"https://x.org/%s/mcp"}`, `{"command":"s","env":{"X":"https://hooks.x.org/services/%s"}}`)
		}
		for _, place := range places {
			given := fmt.Sprintf(strings.ReplaceAll(place, "%q", `"%s"`), secret)
			c := read(t, `{"mcpServers":{"a":`+given+`,"b":`+given+`}}`)
			if len(c.Servers) != 2 {
				t.Errorf("%s: left out: %v", given, c.Left)
			}
			all, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(all, []byte(secret)) {
				t.Errorf("%s: the secret is in %s", given, all)
			}
		}
	}
}

// Each name is one that "toolvet serve" takes.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	for given, want := range map[string]string{
		"my__server": "my_server", "a_": "a", "_a": "a", "a b": "a-b", "a:b": "a-b", "ünï": "n", "___": "server", "": "server", "...": "...",
		long + "_bc": long, long + "bc": long + "b",
	} {
		if got := nameFor(given); got != want {
			t.Errorf("nameFor(%q) = %q, want %q", given, got, want)
		}
	}
}

// One variable never stands for two values.
func TestSameName(t *testing.T) {
	t.Parallel()
	c := read(t, `{"mcpServers":{"a":{"command":"s","env":{"TOKEN":"one"}},"b":{"command":"s","env":{"TOKEN":"two"}},"c d":{"command":"s","env":{"TOKEN":"one"}}}}`)
	var got []string
	for _, s := range c.Servers {
		got = append(got, s.Name+" "+s.Env[0].Value)
	}
	if diff := cmp.Diff([]string{"a ${TOKEN}", "b ${B_TOKEN}", "c-d ${TOKEN}"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1} // x`:             `{"a":1}     `,
		`{"a": /* , } */ 1,}`:      `{"a":           1 }`,
		`{"a":[1,2, // x` + "\n]}": `{"a":[1,2      ` + "\n]}",
		`{"a":"// no, }"}`:         `{"a":"// no, }"}`,
		`{"a":"\"// no",}`:         `{"a":"\"// no" }`,
		`[1,,]`:                    `[1, ]`,
		"\uFEFF{}":                 "   {}",
		`{"a":1 /* open`:           `{"a":1 /* open`,
		`/`:                        `/`,
		`"`:                        `"`,
	} {
		if got := string(Plain([]byte(text))); got != want {
			t.Errorf("plain(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzPlain: nothing moves, JSON stays as it is, and what was made plain is plain.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,],} // x`, `{"a":"/*\\\""}`, "/* x \n */ [1, ]", `"\`, `//`, `[,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Plain(text)
		switch {
		case len(got) != len(text):
			t.Errorf("plain(%q) has %d bytes more", text, len(got)-len(text))
		case json.Valid(text) && !bytes.Equal(got, text):
			t.Errorf("plain(%q) = %q: it was JSON", text, got)
		}
	})
}

const commented = `{
  // my servers
  "servers": {
    "a": {
      "command": "npx", /* from npm */
      "args": ["-y", "pkg", "${input:x}",],
      "env": {"TOKEN": "hunter2"},
    },
    "b": {"command": "b"},
    "n": {"command": "n", "args": null, "env": {}},
    "remote": {"url": "https://x.org", "headers": {"A": "v"}},
    "login": {"url": "https://x.org", "oauth": {}},
    "kept": {"command": "kept"},
    "done": {"command": "/bin/toolvet", "args": ["proxy", "--", "x"]},
  },
}
`

func TestBehind(t *testing.T) {
	t.Parallel()
	wrap := func(name string) *Wrap {
		if name == "kept" {
			return nil
		}
		w := &Wrap{Words: []string{`C:\toolvet`, "proxy", "--server", name}}
		switch name {
		case "a":
			w.Env = []Variable{{"TOKEN", "hunter2"}, {"X", "${input:x}"}}
		case "b", "remote":
			w.Env = []Variable{{"K", "v"}}
		case "n":
			w.Env = []Variable{{"Y", "z"}}
		}
		return w
	}
	got, names, left, err := Behind([]byte(commented), wrap)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`"npx"`, `"C:\\toolvet"`, `["-y", "pkg", "${input:x}",]`, `["proxy", "--server", "a", "--", "npx", "-y", "pkg", "${input:x}"]`,
		`{"TOKEN": "hunter2"}`, `{"X": "${input:x}", "TOKEN": "hunter2"}`,
		`"command": "b"`, `"command": "C:\\toolvet", "args": ["proxy", "--server", "b", "--", "b"], "env": {"K": "v"}`,
		`"command": "n", "args": null, "env": {}`, `"command": "C:\\toolvet", "args": ["proxy", "--server", "n", "--", "n"], "env": {"Y": "z"}`,
		`"url": "https://x.org", "headers": {"A": "v"}`, `"command": "C:\\toolvet", "args": ["proxy", "--server", "remote"], "env": {"K": "v"}`,
	).Replace(commented)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "n", "remote"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`login: beside its URL it has "oauth", which the proxy cannot do for the client`}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	again, names, _, err := Behind([]byte(strings.ReplaceAll(string(got), `C:\\toolvet`, `C:\\toolvet.exe`)), wrap)
	if err != nil || len(names) != 0 || !strings.Contains(string(again), "from npm") {
		t.Errorf("a second time: %q, %v", names, err)
	}
	two := `{"mcpServers":{"a":{"command":"x","env":{"K":"1"}}}}`
	if got, _, left, err := Behind([]byte(two), func(string) *Wrap { return &Wrap{Words: []string{"w"}, Env: []Variable{{"K", "2"}}} }); err != nil || string(got) != two || len(left) != 1 {
		t.Errorf("a variable with two meanings: %s, %v, %v", got, left, err)
	}
}

// FuzzBehind: whatever is changed is still a configuration with the same servers.
func FuzzBehind(f *testing.F) {
	f.Add([]byte(commented))
	f.Add([]byte(`{"mcpServers":{"a":{"args":["x"],"command":"y"}}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		before, err := servers(file)
		if err != nil {
			return
		}
		got, _, _, err := Behind(file, func(string) *Wrap {
			return &Wrap{Words: []string{"toolvet", "proxy"}, Env: []Variable{{"K", "v"}}}
		})
		if err != nil {
			return
		}
		after, err := servers(got)
		if err != nil || len(after) != len(before) {
			t.Fatalf("%q becomes %q: %v", file, got, err)
		}
	})
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config := filepath.Join(home, ".config")
	var files []string
	for _, p := range (Surroundings{Dir: ".", Home: home, Config: config}).Places() {
		if p.Client == "" || p.File == "" {
			t.Errorf("%+v", p)
		}
		files = append(files, strings.TrimPrefix(filepath.ToSlash(p.File), filepath.ToSlash(home)+"/"))
	}
	want := []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".config/Claude/claude_desktop_config.json", ".cursor/mcp.json", ".config/Code/User/mcp.json",
		".codex/config.toml", ".codex/config.toml", "opencode.json", "opencode.jsonc", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
		".config/goose/config.yaml", ".config/Block/goose/config/config.yaml", ".claude.json", ".codeium/windsurf/mcp_config.json", ".gemini/settings.json", ".gemini/settings.json",
		".gemini/antigravity/mcp_config.json", ".qwen/settings.json", ".qwen/settings.json", ".copilot/mcp-config.json", ".kiro/settings/mcp.json", ".kiro/settings/mcp.json",
		".factory/mcp.json", ".factory/mcp.json", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json",
		".roo/mcp.json", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", ".config/zed/settings.json", ".config/amp/settings.json", ".lmstudio/mcp.json"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMovedPlaces holds that the variables that move the files of clients move them here, too. A relative path moves nothing.
func TestMovedPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	moved := filepath.Join(home, "moved")
	files := func(value string) map[string]bool {
		all := map[string]bool{}
		s := Surroundings{Dir: filepath.Join(home, "w"), Home: home, Config: filepath.Join(home, "c"), Getenv: func(name string) string {
			if strings.HasPrefix(name, "X") || strings.HasPrefix(name, "C") {
				return value
			}
			return ""
		}}
		for _, p := range s.Places() {
			all[p.File] = true
		}
		for _, file := range s.ClaudeSettings() {
			all[file] = true
		}
		return all
	}
	there, here := files(moved), files("moved")
	for _, name := range []string{"config.toml", ".claude.json", "settings.json", "opencode/opencode.json", "opencode/opencode.jsonc", "goose/config.yaml", "zed/settings.json"} {
		if file := filepath.Join(moved, filepath.FromSlash(name)); !there[file] {
			t.Errorf("%s is in no place", file)
		}
	}
	for _, name := range []string{".codex/config.toml", ".claude.json", ".claude/settings.json", ".config/opencode/opencode.json", ".config/goose/config.yaml", ".config/zed/settings.json"} {
		if file := filepath.Join(home, filepath.FromSlash(name)); !here[file] || there[file] {
			t.Errorf("%s: %v without the variables, %v with them", file, here[file], there[file])
		}
	}
}

func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	project, user := SwitchedOff([]byte(`{"disabledMcpjsonServers": ["a"], /* c */ "projects": {"/work": {"disabledMcpServers": ["b"], "disabledMcpjsonServers": ["c"]}, "/other": {"disabledMcpServers": ["d"]}}}`), "/work")
	if diff := cmp.Diff([][]string{{"a", "c"}, {"b"}}, [][]string{project, user}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{``, `[]`, `{"disabledMcpServers": 7, "projects": 8}`} {
		if project, user := SwitchedOff([]byte(text), "/work"); len(project)+len(user) > 0 {
			t.Errorf("%s: %q, %q", text, project, user)
		}
	}
}

func TestElsewhere(t *testing.T) {
	t.Parallel()
	const server, behind = `{"command": "x"}`, `{"command": "toolvet", "args": ["proxy", "--", "x"]}`
	for file, want := range map[string][2]int{
		`{"projects": {"/work": {"mcpServers": {"a": ` + server + `}}}}`:                                                                                                             {0, 0},
		`{"mcpServers": {"a": ` + server + `}, /* c */ "projects": {"/other": {"mcpServers": {"a": ` + server + `, "b": ` + server + `, "c": ` + behind + `}}}}`:                     {2, 1},
		`{"projects": {"/x": {"mcpServers": {"a": ` + behind + `}}, "/y": {"mcpServers": {"a": ` + server + `}}, "/z": {"mcpServers": {"u": {"type": "http", "url": "http://h"}}}}}`: {2, 2},
		`{"projects": {"/x": {"mcpServers": 7}, "/y": 8, "/z": {"mcpServers": {"a": 9, "b": ` + server + `}}}}`:                                                                      {1, 1},
		`{"projects": 7}`: {0, 0},
		`{}`:              {0, 0},
		`[`:               {0, 0},
	} {
		if servers, projects := Elsewhere([]byte(file), "/work"); servers != want[0] || len(projects) != want[1] {
			t.Errorf("%s: %d servers of %q, want %v", file, servers, projects, want)
		}
	}
}
