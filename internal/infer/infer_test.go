// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

func tool(t *testing.T, definition string) *call.Tool {
	t.Helper()
	parsed, err := call.DecodeTool([]byte(definition), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestTool guesses parameters of the shapes that real tools have.
func TestTool(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		definition string
		want       []Guess
	}{
		"path": {`{"name":"read_text_file","inputSchema":{"properties":{"path":{"type":"string"},"head":{"type":"number"}}}}`,
			[]Guess{{"/path", Path, `it is named "path"`, false}}},
		"several paths": {`{"name":"read_multiple_files","inputSchema":{"properties":{"paths":{"type":"array","items":{"type":"string"}}}}}`,
			[]Guess{{"/paths", Path, `it is named "paths"`, false}}},
		"camel case and null": {`{"name":"x","inputSchema":{"properties":{"outputFilePath":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}`,
			[]Guess{{"/outputFilePath", Path, `it is named "outputFilePath"`, false}}},
		"nested in a list": {`{"name":"x","inputSchema":{"properties":{"jobs":{"type":"array","items":{"properties":{"cwd":{"type":["string","null"]}}}}}}}`,
			[]Guess{{"/jobs/*/cwd", Path, `it is named "cwd"`, false}}},
		"lists in lists": {`{"name":"x","inputSchema":{"properties":{"paths":{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"string"}}}},"jobs":{"type":"array","items":{"type":"array","items":{"properties":{"cwd":{"type":"string"}}}}}}}}`,
			[]Guess{{"/jobs/*/*/cwd", Path, `it is named "cwd"`, false}, {"/paths/*/*", Path, `it is named "paths"`, false}}},
		"texts beside objects": {`{"name":"x","inputSchema":{"properties":{"paths":{"type":"array","items":{"type":["string","object"],"properties":{"url":{"type":"string"}}}}}}}`,
			[]Guess{{"/paths", Path, `it is named "paths"`, false}, {"/paths/*/url", URL, `it is named "url"`, false}}},
		"lists without end": {`{"name":"x","inputSchema":{"properties":{"path":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"array","items":{"$ref":"#/$defs/L"}}}}}`, nil},
		"format wins": {`{"name":"x","inputSchema":{"properties":{"target":{"type":"string","format":"uri"}}}}`,
			[]Guess{{"/target", URL, `its format is "uri"`, false}}},
		"url": {`{"name":"fetch","inputSchema":{"properties":{"url":{"type":"string"},"raw":{"type":"boolean"}}}}`,
			[]Guess{{"/url", URL, `it is named "url"`, false}}},
		"shell command": {`{"name":"run","description":"Executes a shell command.","inputSchema":{"properties":{"command":{"type":"string"}}}}`,
			[]Guess{{"/command", Command, `it is named "command"`, false}}},
		"sql":  {`{"name":"query","description":"Run a read-only SQL query","inputSchema":{"properties":{"query":{"type":"string"}}}}`, []Guess{{"/query", SQL, `it is named "query"`, false}}},
		"cron": {`{"name":"x","inputSchema":{"properties":{"cron_expression":{"type":"string"}}}}`, []Guess{{"/cron_expression", Cron, `it is named "cron_expression"`, false}}},

		"behind a reference": {`{"name":"x","inputSchema":{"properties":{"params":{"$ref":"#/$defs/P"}},"$defs":{"P":{"properties":{"email":{"type":"string"},"next":{"$ref":"#/$defs/P"}}}}}}`,
			[]Guess{
				{"/params/email", Email, `it is named "email"`, false},
				{"/params/next/email", Email, `it is named "email"`, false},
				{"/params/next/next/email", Email, `it is named "email"`, false},
				{"/params/next/next/next/email", Email, `it is named "email"`, false},
				{"/params/next/next/next/next/email", Email, `it is named "email"`, false},
				{"/params/next/next/next/next/next/email", Email, `it is named "email"`, false},
			}},
		"an old reference, all of": {`{"name":"x","inputSchema":{"properties":{"a":{"allOf":[{"$ref":"#/definitions/U"}],"description":"no more"}},"definitions":{"U":{"type":"string","format":"uri"}}}}`,
			[]Guess{{"/a", URL, `its format is "uri"`, false}}},
		"what the tool says of it": {`{"name":"x","description":"Copies.\n\nArgs:\n    target (str): Path of the file to write\n    sha: of it","inputSchema":{"properties":{"target":{"type":"string"},"sha":{"type":"string"}}}}`,
			[]Guess{{"/target", Path, `it is named "target"`, false}}},
		"places of files that nothing describes": {`{"name":"move_file","title":"Move File","description":"Move or rename files and directories. Both source and destination must be within allowed directories.","inputSchema":{"properties":{"source":{"type":"string"},"destination":{"type":"string"}}}}`,
			[]Guess{{"/destination", Path, `it is named "destination"`, false}, {"/source", Path, `it is named "source"`, false}}},
		"places of something else": {`{"name":"move_card","description":"Move a card to another list.","inputSchema":{"properties":{"source":{"type":"string"},"destination":{"type":"string"}}}}`, nil},
		"a URL by its default": {`{"name":"gzip-file-as-resource","inputSchema":{"properties":{"data":{"type":"string","default":"https://example.org/README.md","description":"URL or data URI of the file content to compress"}}}}`,
			[]Guess{{"/data", URL, "its default and examples are URLs", false}}},
		"an example": {`{"name":"x","inputSchema":{"properties":{"files":{"type":"array","items":{"type":"string"},"default":["/srv/a"]}}}}`,
			[]Guess{{"/files", Path, `it is named "files"`, false}}},
		"what a description says": {`{"name":"x","inputSchema":{"properties":{"repo":{"type":"string","description":"Chart repository URL"},"to":{"type":"array","items":{"type":"string"},"description":"E-mail addresses"},"from":{"type":"string","description":"start, an ISO 8601 timestamp"}}}}`,
			[]Guess{{"/from", Time, `its description says so`, true}, {"/repo", URL, `its description says so`, false}, {"/to", Email, `its description says so`, false}}},
		"patterns of each kind": {`{"name":"x","inputSchema":{"properties":{"excludePatterns":{"type":"array","items":{"type":"string"}},"includePatterns":{"type":"string","description":"regular expressions"},"pattern":{"type":"string","description":"what to look for"}}}}`,
			[]Guess{{"/excludePatterns", Glob, `it is named "excludePatterns"`, false}, {"/includePatterns", Regex, `its description says so`, false}}},
		"a number behind the name": {`{"name":"x","inputSchema":{"properties":{"url2":{"type":"string"}}}}`, []Guess{{"/url2", URL, `it is named "url2"`, false}}},
		"either of two is neither": {`{"name":"x","inputSchema":{"properties":{"image":{"type":"string","description":"URL or base64 of the image"},"user":{"type":"string","description":"URL or name"}}}}`, nil},

		"a search text is no SQL":     {`{"name":"search","description":"Search the web","inputSchema":{"properties":{"query":{"type":"string"}}}}`, nil},
		"a path in an API is no file": {`{"name":"x","inputSchema":{"properties":{"path":{"type":"string","description":"API path such as /users"}}}}`, nil},
		"an id of a file is no file":  {`{"name":"x","inputSchema":{"properties":{"file_id":{"type":"string"},"folderId":{"type":"string"}}}}`, nil},
		"a JSON path is no file":      {`{"name":"x","inputSchema":{"properties":{"jsonPath":{"type":"string"}}}}`, nil},
		"a choice is judged already":  {`{"name":"x","inputSchema":{"properties":{"path":{"type":"string","enum":["a","b"]}}}}`, nil},
		"a slash command":             {`{"name":"x","inputSchema":{"properties":{"command":{"type":"string","description":"the slash command to run"}}}}`, nil},
		"not a string":                {`{"name":"x","inputSchema":{"properties":{"path":{"type":"integer"}}}}`, nil},
		"no schema":                   {`{"name":"x"}`, nil},
		"an odd schema":               {`{"name":"x","inputSchema":{"properties":{"path":true,"url":{"type":5},"dir":{"type":"string","description":7}}}}`, []Guess{{"/dir", Path, `it is named "dir"`, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Tool(tool(t, tt.definition))); diff != "" {
				t.Errorf("guesses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestToolBounds holds that inference ends for a schema that refers to itself in many ways, and
// still finds parameters further up.
func TestToolBounds(t *testing.T) {
	t.Parallel()
	var properties []string
	for i := range 60 {
		properties = append(properties, fmt.Sprintf(`"a%d":{"$ref":"#/$defs/R"}`, i))
	}
	list := strings.Join(properties, ",")
	got := Tool(&call.Tool{InputSchema: fmt.Appendf(nil, `{"properties":{%s,"z":{"properties":{"url":{"type":"string"}}}},"$defs":{"R":{"properties":{%s}},"S":{"$ref":"#/$defs/S"}},"allOf":[{"$ref":"#/$defs/S"}]}`, list, list)})
	if want := []Guess{{"/z/url", URL, `it is named "url"`, false}}; !cmp.Equal(want, got) {
		t.Errorf("guesses: %v, want %v", got, want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"filePath": "file path", "file_path": "file path", "HTTPRequestURL": "http request url", "DirName2": "dir name2", "": "", "--": "",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzTool: no schema makes it panic, and every guess leads into the schema.
func FuzzTool(f *testing.F) {
	for _, seed := range []string{`{"properties":{"path":{"type":"string"}}}`, `{"properties":{"a/b":{"items":{"properties":{"url":{"type":["string"]}}}}}}`, `[]`, `{"properties":null}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		for _, g := range Tool(&call.Tool{Name: "x", InputSchema: []byte(schema)}) {
			if !strings.HasPrefix(g.Address, "/") || g.Kind == "" || g.Reason == "" {
				t.Errorf("guess %+v", g)
			}
		}
	})
}

// TestCode holds which arguments seem to be code that a tool runs. A code of something else is none.
func TestCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"name":"run-code","inputSchema":{"properties":{"code":{"type":"string"}}}}`:                                                                                      "/code",
		`{"name":"do","description":"Executes Python.","inputSchema":{"properties":{"code":{"type":"string"},"language":{"type":"string"}}}}`:                              "/code",
		`{"name":"do","description":"Does it.","inputSchema":{"properties":{"code":{"type":"string","description":"The JavaScript."}}}}`:                                   "/code",
		`{"name":"draw","description":"Draws.","inputSchema":{"properties":{"python_code":{"type":"string"}}}}`:                                                            "/python_code",
		`{"name":"run","inputSchema":{"properties":{"code":{"anyOf":[{"type":"string"},{"type":"null"}]},"script":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}}`: "/code /script",
		`{"name":"run","inputSchema":{"anyOf":[{"properties":{"code":{"type":"string"}}},{"properties":{"code":{"type":"string"},"script":{"type":["string","null"]}}}]}}`: "/code /script",
		`{"name":"zip","description":"Returns a town.","inputSchema":{"properties":{"code":{"type":"string"}}}}`:                                                           "",
		`{"name":"run","inputSchema":{"properties":{"code":{"type":"string","enum":["a"]},"script":{"type":"integer"},"country_code":{"type":"string"}}}}`:                 "",
		`{"name":"run","inputSchema":{"properties":{"a":{"properties":{"code":{"type":"string"}}},"script":null}}}`:                                                        "",
	} {
		if got := strings.Join(Code(tool(t, text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestOpenTime holds which times have more forms than the one of RFC 3339.
func TestOpenTime(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string]bool{
		`"format":"date-time"`: false,
		`"format":"date-time","description":"ISO 8601, such as 2026-01-31"`:    false,
		`"description":"RFC 3339 timestamp"`:                                   false,
		`"description":"such as 2026-01-31T09:30:00Z"`:                         false,
		`"description":"YYYY-MM-DDTHH:mm:ss.sssZ"`:                             false,
		`"description":"an ISO 8601 date"`:                                     true,
		`"description":"ISO 8601, such as 2026-01-31"`:                         true,
		`"description":"2026-01-31T09:30:00Z or 2026-01-31, as ISO 8601 says"`: true,
		`"description":"such as 2026-01-31T09:30:00"`:                          true,
	} {
		got := Tool(tool(t, `{"name":"x","inputSchema":{"properties":{"since":{"type":"string",`+definition+`}}}}`))
		if len(got) != 1 || got[0].Kind != Time || got[0].Open != want {
			t.Errorf("%s: got %v, want one time, open %v", definition, got, want)
		}
	}
}
