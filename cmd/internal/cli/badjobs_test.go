// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/test/race"
)

// jobTools are the scheduler's tools with arguments that they take.
var jobTools = map[string]string{
	"create": `{"name":"x","tool":"files:read_text_file","arguments":{"path":"a.txt"},"schedule":"every hour"}`,
	"update": `{"job":"job","changes":{"description":"another"}}`,
	"list":   `{}`, "get": `{"job":"job"}`, "delete": `{"job":"job"}`, "pause": `{"job":"job"}`, "resume": `{"job":"job"}`,
	"trigger": `{"job":"job"}`, "executions": `{}`, "retrieve": `{"run":"RUN"}`,
}

// A badJob is what a tool of the scheduler refuses, and what its answer has.
type badJob struct{ tool, arguments, want string }

// TestBadJobInput holds that each tool of the scheduler refuses what it cannot use, at both
// doors, in a dry run as in a live call, with an answer that names the place; and that nothing
// comes of it.
func TestBadJobInput(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for name, d := range map[string]struct {
		command []string
		prefix  string
	}{"schedule serve": {[]string{"schedule", "serve"}, ""}, "serve": {[]string{"serve", "--stdio"}, "schedule__"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			door := openJobDoor(t, d.prefix, d.command...)
			door.must("create", `{"name":"job","tool":"files:read_text_file","arguments":{"path":"a.txt"},"schedule":"every day at 3am"}`)
			run := door.must("trigger", `{"job":"job"}`)["id"].(string)
			before := door.stored()
			rows := slices.Concat(door.generated(), badJobs())
			for _, row := range rows {
				row.arguments = strings.ReplaceAll(row.arguments, "RUN", run)
				door.refuses(row)
			}
			if after := door.stored(); after != before {
				t.Errorf("of %d refused calls came something: before\n%s\nafter\n%s", len(rows), before, after)
			}
			t.Logf("%d calls were refused, each live and dry", len(rows))
		})
	}
}

// badJobs are rows that no schema tells.
func badJobs() (rows []badJob) {
	job := func(field, value, want string) {
		arguments := edited(jobTools["create"], field, value)
		rows = append(rows, badJob{"create", arguments, "/" + want}, badJob{"update", `{"job":"job","changes":{"` + field + `":` + value + `}}`, "/changes/" + want})
	}
	for _, path := range []string{"../secret", "/etc/passwd", "a.txt/../../secret", `a\u0000b`, "none.txt", strings.Repeat("x", 5000)} {
		job("arguments", `{"path":"`+path+`"}`, "arguments/path: ")
	}
	for _, arguments := range []string{`{}`, `{"path":7}`, `{"path":null}`, `{"path":"a.txt","surprise":1}`} {
		job("arguments", arguments, "arguments/")
	}
	for _, when := range []string{
		"* * * *", "* * * * * * *", "60 * * * *", "0 24 * * *", "0 0 31 2 *", "0 0 0 * *", "*/0 * * * *", "1-0x * * * *", "@never", "@every -1s", "every 0 minutes", "every -5 minutes",
		"every 99999999999999999999 days", "in 5", "every hour and a half or so", "2001-01-01T00:00:00Z", "2099-02-30T00:00:00Z", "every day at 25:00", `every hour\u0000`, `\u0000`, `every\nhour or never`, "every day at １７:００", "😀", " ",
	} {
		job("schedule", `"`+when+`"`, "schedule: ")
	}
	for _, zone := range []string{"Mars/Phobos", "../../etc/passwd", "/etc/localtime", `Europe/Vienna\u0000`, "Local", "+01:00", " "} {
		job("timezone", `"`+zone+`"`, "timezone: ")
	}
	for _, name := range []string{"", " ", ` x`, `a\nb`, `a\u0000b`, `\u202ex`, `\u200b`, `\ue000`, strings.Repeat("x", 129), strings.Repeat("名", 100)} {
		job("name", `"`+name+`"`, "name: ")
	}
	for _, tool := range []string{"files", "files:", ":read_text_file", "nope:read_text_file", "files:nope", "files:../x", `files:read_text_file\u0000`, "schedule:create"} {
		job("tool", `"`+tool+`"`, "tool: ")
	}
	job("tags", `[""]`, "tags")
	job("tags", `["a\nb"]`, "tags")
	job("tags", `["\u202e"]`, "tags")
	job("description", `"a\u0007b"`, "description")
	for _, date := range []string{"banana", "2001-01-01T00:00:00Z", "2099-13-01T00:00:00Z", "2099-01-01", ""} {
		job("end_date", `"`+date+`"`, "end_date: ")
	}
	for _, field := range []string{"timeout", "backoff", "jitter"} {
		for _, duration := range []string{"25h", "-1s", "1 fortnight", "5", "9999999999999999999h", "1e3s", ""} {
			job(field, `"`+duration+`"`, field+": ")
		}
	}
	rows = append(rows,
		badJob{"create", edited(edited(jobTools["create"], "retries", "1"), "at_most_once", "true"), "/retries: "},
		badJob{"create", edited(jobTools["create"], "name", `"job"`), "name"},
		badJob{"create", edited(jobTools["create"], "skip_validation", "true"), "/skip_validation: "},
		badJob{"update", edited(jobTools["update"], "skip_validation", "true"), "/skip_validation: "},
		badJob{"update", `{"job":"job","changes":{}}`, "/changes: "},
		badJob{"update", `{"job":"job","changes":{"Name":"x"}}`, `"name"`},
		badJob{"update", `{"job":"job","changes":{"owner":{"subject":"root"}}}`, "owner"},
		badJob{"update", `{"job":"job","changes":{"skip_validation":true}}`, "skip_validation"},
		badJob{"update", `{"job":"job","changes":{"retries":1e1}}`, "retries"},
		badJob{"list", `{"limit":0}`, "/limit: "}, badJob{"list", `{"limit":1001}`, "/limit: "}, badJob{"executions", `{"limit":0}`, "/limit: "},
		badJob{"list", `{"search":"a\u0000b"}`, "/search: "}, badJob{"list", `{"tag":"a\nb"}`, "/tag: "}, badJob{"list", `{"server":"\u001b[2J"}`, "/server: "},
	)
	for _, cursor := range []string{"", "x", "' OR 1=1 --", "00000000000000000000000", strings.Repeat("f", 24), `\u0000`} {
		if len(cursor) != 23 {
			rows = append(rows, badJob{"list", `{"after":"` + cursor + `"}`, "/after: "}, badJob{"executions", `{"before":"` + cursor + `"}`, "/before: "})
		}
	}
	for _, none := range []string{"nope", "%", "../job", "JOB", "job ", "'; DROP TABLE schedule_jobs; --"} {
		for tool, arguments := range jobTools {
			if strings.Contains(arguments, `"job"`) {
				rows = append(rows, badJob{tool, edited(arguments, "job", `"`+none+`"`), "no such job"})
			}
		}
		rows = append(rows, badJob{"executions", `{"job":"` + none + `"}`, "no such job"}, badJob{"retrieve", `{"run":"` + none + `"}`, "no such job or run"})
	}
	// One door has the check nul before the scheduler.
	rows = append(rows, badJob{"executions", `{"job":"job\u0000"}`, "job"}, badJob{"retrieve", `{"run":"job\u0000"}`, "run"}, badJob{"trigger", `{"job":"job\u0000"}`, "job"})
	return rows
}

// edited is an object with another value for a member.
func edited(object, member, value string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		panic(err) // both are of the test
	}
	if fields[member] = json.RawMessage(value); value == "" {
		delete(fields, member)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A jobDoor is a client of a command that offers the scheduler.
type jobDoor struct {
	t       *testing.T
	prefix  string // of the names of its tools
	session *mcp.ClientSession
}

func openJobDoor(t *testing.T, prefix string, command ...string) *jobDoor {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "hello\n",
		"toolvet.yaml": fmt.Sprintf(`version: 1
schedule: {store: %[1]q}
servers:
  files:
    command: [toolvet, demo-server, %[2]q]
    base: %[2]q
    roots: [%[2]q]
    tools: {read_text_file: {arguments: {path: {path: {exists: true}}}}}
`, filepath.Join(dir, "jobs.db"), dir),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("toolvet", append(command, "--policy", filepath.Join(dir, "toolvet.yaml"))...)
	var said bytes.Buffer
	cmd.Stderr = &said
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("standard error:\n%s", said.String())
		}
	})
	return &jobDoor{t, prefix, session}
}

// use calls a tool; a call that is no call is refused, too. On a busy machine, a judgement may run out of time: it says so, and is asked for again.
func (d *jobDoor) use(tool, arguments string) (text string, refused bool) {
	d.t.Helper()
	for range 20 {
		text, refused = d.useOnce(tool, arguments)
		if !strings.Contains(text, "the schema takes longer than") {
			break
		}
	}
	return text, refused
}

func (d *jobDoor) useOnce(tool, arguments string) (text string, refused bool) {
	d.t.Helper()
	r, err := d.session.CallTool(d.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text, r.IsError
}

// must is what a tool answers to what it takes.
func (d *jobDoor) must(tool, arguments string) (answer map[string]any) {
	d.t.Helper()
	text, refused := d.use(d.prefix+tool, arguments)
	if err := json.Unmarshal([]byte(text), &answer); refused || err != nil {
		d.t.Fatalf("%s %s: %s", tool, arguments, text)
	}
	return answer
}

// refuses holds that a call is refused, dry and live.
func (d *jobDoor) refuses(row badJob) {
	d.t.Helper()
	short := row.arguments[:min(len(row.arguments), 200)]
	if text, refused := d.use(d.prefix+row.tool, row.arguments); !refused || !strings.Contains(text, row.want) {
		d.t.Errorf("%s %s: refused is %v, want %q: %.500s", row.tool, short, refused, row.want, text)
	} else if len(text) > 4000 {
		d.t.Errorf("%s %s: the answer has %d bytes", row.tool, short, len(text))
	}
	text, refused := d.use("validate", `{"tool":"`+d.prefix+row.tool+`","arguments":`+row.arguments+`}`)
	var dry struct{ Valid bool }
	if err := json.Unmarshal([]byte(text), &dry); !refused && (err != nil || dry.Valid) || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), row.want) {
		d.t.Errorf("validate %s %s: valid is %v, want %q: %.500s", row.tool, short, dry.Valid, row.want, text)
	}
}

// stored is what is there: jobs and when they were changed, and the number of runs.
func (d *jobDoor) stored() string {
	d.t.Helper()
	var b strings.Builder
	for _, j := range d.must("list", `{}`)["jobs"].([]any) {
		j := j.(map[string]any)
		fmt.Fprintln(&b, j["name"], j["state"], j["updated"], j["description"])
	}
	fmt.Fprintln(&b, len(d.must("executions", `{}`)["runs"].([]any)), "runs")
	return b.String()
}

// generated are rows that the schemas of the tools tell: each property of another type, or too
// large; one that there is not, and one that is missing.
func (d *jobDoor) generated() (rows []badJob) {
	d.t.Helper()
	list, err := d.session.ListTools(d.t.Context(), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tool := range list.Tools {
		name, ours := strings.CutPrefix(tool.Name, d.prefix)
		good, known := jobTools[name]
		if !ours || !known {
			continue
		}
		seen[name] = true
		text, err := json.Marshal(tool.InputSchema)
		if err != nil {
			d.t.Fatal(err)
		}
		var schema struct {
			Required   []string
			Properties map[string]struct {
				Type string
				Enum []string
			}
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			d.t.Fatal(err)
		}
		rows = append(rows, badJob{name, edited(good, "surprise", "1"), "surprise"})
		for _, all := range []string{`[]`, `7`, `"x"`} {
			rows = append(rows, badJob{name, all, "object"})
		}
		for _, member := range schema.Required {
			rows = append(rows, badJob{name, edited(good, member, ""), `"` + member + `"`})
		}
		for member, p := range schema.Properties {
			values := badValues[p.Type]
			if values == nil {
				d.t.Errorf("%s: nobody says what is no %q", name, p.Type)
			}
			if p.Enum != nil {
				values = append([]string{`"odd"`}, values...)
			}
			for _, value := range values {
				rows = append(rows, badJob{name, edited(good, member, value), "/" + member})
			}
		}
	}
	if len(seen) != len(jobTools) {
		d.t.Errorf("of %v are listed %v", slices.Sorted(maps.Keys(jobTools)), slices.Sorted(maps.Keys(seen)))
	}
	return rows
}

// badValues are values that are of no such type, or that nobody needs.
var badValues = map[string][]string{
	"string":  {`7`, `null`, `true`, `["x"]`, `{}`, `"` + strings.Repeat("x", 1<<20) + `"`},
	"integer": {`"5"`, `1.5`, `-1`, `1e300`, `9223372036854775808`, `-9223372036854775809`, `true`, `null`, `[]`},
	"boolean": {`"yes"`, `1`, `null`},
	"array":   {`"x"`, `{}`, `[7]`, `[null]`, `null`, `["` + strings.Repeat(`x","`, 99) + `x"]`},
	"object":  {`[]`, `"x"`, `7`, `null`},
}
