// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolvet/toolvet/internal/infer"
)

// equipFixtures are tools behind a missing program, behind a root that is not ours, and in front of a database in the server's process.
var equipFixtures = map[string]fixture{
	"missing-shell": {tool1("inspect", "name", "Inspects a thing."), func(_ string, a map[string]any) (string, error) {
		if _, err := output("sh", "-c", "frobnicate --version"); err != nil {
			return "", errors.New("frobnicate is not installed")
		}
		return output("sh", "-c", "frobnicate show "+text(a, "name"))
	}},
	"missing-link": {fileTool("upload"), func(root string, a map[string]any) (string, error) {
		if path := under(root, text(a, "path")); strings.HasPrefix(path, root+"/") {
			return output("frobnicate", "--file="+path)
		}
		return "", errors.New("not allowed")
	}},
	"missing-guarded": {fileTool("upload"), func(root string, a map[string]any) (string, error) {
		path := under(root, text(a, "path"))
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && (dir == root || strings.HasPrefix(dir, root+"/")) && strings.HasPrefix(path, root+"/") {
			return output("frobnicate", "--file="+filepath.Join(dir, filepath.Base(path)))
		}
		return "", errors.New("not allowed")
	}},
	"missing-remote": {tool1("place", "remotePath", "Path of the file on the device."), func(_ string, a map[string]any) (string, error) {
		return output("frobnicate", "--file="+text(a, "remotePath"))
	}},
	"missing-words": {tool1("note", "title", "Makes a note."), func(_ string, a map[string]any) (string, error) {
		return output("frobnicate", "--title", text(a, "title"))
	}},
	// It looks into each directory of the PATH, and says nothing of the program.
	"missing-exec": {tool1("inspect", "name", "Inspects a thing."), func(_ string, a map[string]any) (string, error) {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if exec.Command(filepath.Join(dir, "frobnicate"), "--version").Run() == nil {
				return output("sh", "-c", "echo "+text(a, "name"))
			}
		}
		return "", errors.New("no result")
	}},
	// What reads the code is not there, and the text is in its place.
	"missing-script": {tool1("remind", "title", "Makes a reminder."), func(_ string, a map[string]any) (string, error) {
		return output("osascript", "-e", "make reminder \""+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text(a, "title"))+"\"")
	}},
	"shell-escaped": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		return output("sh", "-c", "echo 'hello "+strings.ReplaceAll(text(a, "name"), "'", `\'`)+"'")
	}},
	// A text with a slash never gets to the shell: there is no such directory.
	"shell-behind-file": {tool1("preview", "preview_id", "Shows a preview."), func(root string, a map[string]any) (string, error) {
		if err := writeFile(filepath.Join(root, text(a, "preview_id")+".html"), "<html>"); err != nil {
			return "", err
		}
		return output("sh", "-c", `/bin/echo "`+text(a, "preview_id")+`"`)
	}},
	// What could end a word never gets to the program, and nobody says why.
	"shell-cut": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		return output("sh", "-c", "/bin/echo -- '"+plainWords.FindString(text(a, "name"))+"'")
	}},
	"shell-fails": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		if plainWords.FindString(text(a, "name")) != text(a, "name") {
			return "", errors.New("something went wrong")
		}
		return output("true", "--", text(a, "name"))
	}},
	"shell-refuses": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		if plainWords.FindString(text(a, "name")) != text(a, "name") {
			return "", errors.New("invalid name: letters, digits and blanks only")
		}
		return output("true", "--", text(a, "name"))
	}},
	"shell-replaces": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		return output("sh", "-c", "/bin/echo -- '"+oddSigns.ReplaceAllString(text(a, "name"), "_")+"'")
	}},
	"shell-no-path": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		cmd := exec.Command("/bin/sh", "-c", "echo "+text(a, "name"))
		cmd.Env = []string{"PATH="}
		raw, err := cmd.CombinedOutput()
		return string(raw), err
	}},
	"shell-unspaced": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		if strings.ContainsAny(text(a, "name"), " /\n") {
			return "", errors.New("invalid name")
		}
		return output("sh", "-c", "echo "+text(a, "name"))
	}},
	"shell-remote": {tool1("greet", "name", "Greets."), func(_ string, a map[string]any) (string, error) {
		return output("ssh", "-p", "22", "host", "echo "+text(a, "name"))
	}},
	"based-shell": {fileTool("scan"), func(_ string, a map[string]any) (string, error) {
		if path := text(a, "path"); strings.HasPrefix(path, "/usr/") {
			return output("sh", "-c", "echo "+path)
		}
		return "", errors.New("the path must be within /usr/")
	}},
	"sql-open": {tool1("find_user", "name", "Finds a user."), func(_ string, a map[string]any) (string, error) {
		return "no user", parse("SELECT * FROM users WHERE name = '" + text(a, "name") + "'")
	}},
	"sql-guarded": {tool1("find_user", "name", "Finds a user."), func(_ string, a map[string]any) (string, error) {
		return "no user", parse("SELECT * FROM users WHERE name = '" + strings.ReplaceAll(text(a, "name"), "'", "''") + "'")
	}},
	"sql-design": {tool1("run", "statement", "Runs a statement."), func(_ string, a map[string]any) (string, error) { return "done", parse(text(a, "statement")) }},
	"sql-echo": {tool1("find_user", "name", "Finds a user."), func(_ string, a map[string]any) (string, error) {
		return "", fmt.Errorf("near %q: syntax error", text(a, "name"))
	}},
}

var (
	plainWords = regexp.MustCompile(`^[\w -]*`)
	oddSigns   = regexp.MustCompile(`[^\w -]`)
)

var sqlToken = regexp.MustCompile(`'(?:[^']|'')*'|\w+|\S`)

// parse complains of a statement as SQLite does.
func parse(statement string) error {
	want := strings.Fields("SELECT * FROM users WHERE name = '")
	for i, token := range sqlToken.FindAllString(statement, -1) {
		switch {
		case token == "'":
			return fmt.Errorf("unrecognized token: %q", token)
		case i >= len(want) || !strings.HasPrefix(token, want[i]):
			return fmt.Errorf("near %q: syntax error", token)
		}
	}
	return nil
}

// TestMayStandIn holds which programs get a stand-in, and which lead a server to another program.
func TestMayStandIn(t *testing.T) {
	t.Parallel()
	w := &world{dir: t.TempDir(), mark: "markmarkma"}
	for name, want := range map[string]bool{
		"osascript": true, "bw": true, "x-y_z.1": true,
		"sh": false, "cd": false, "google-chrome": false, "bun": false, "python3.13": false, "../x": false, "-c": false, "": false, "markmarkma2": false, token(): false,
	} {
		if got := w.mayStandIn(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if err := os.MkdirAll(filepath.Join(w.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "bin", "bw"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if w.mayStandIn("bw") {
		t.Error("there is a stand-in already")
	}
}

// TestMissedIn holds which words of an error are programs.
func TestMissedIn(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`exec: "idb": executable file not found in $PATH`:                 "idb",
		"Error: spawn osascript ENOENT":                                   "osascript",
		"/bin/sh: 1: semgrep: not found":                                  "semgrep",
		"bash: line 1: xcrun: command not found":                          "xcrun",
		"FileNotFoundError: [Errno 2] No such file or directory: 'swift'": "swift",
		"ffmpeg is not installed. Please install it":                      "ffmpeg",
		"No such file or directory: '/data/x'":                            "",
		"the user does not exist":                                         "",
	} {
		if got := strings.Join(missedIn(said), " "); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

func TestWantedBy(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"semgrep --version":                         "semgrep",
		"A=1 foo x && bar | baz; `qux`":             "foo bar baz qux",
		"command -v idb || which xcrun":             "idb xcrun",
		"echo $(sysctl -n hw) > /tmp/x":             "echo sysctl",
		"if test -f x; then frob x; else grab; fi;": "test frob grab fi",
		"osascript -e 'tell x\ntry\nend' | jq":      "osascript jq",
		"'quoted'":                                  "",
	} {
		if diff := cmp.Diff(strings.Fields(want), wantedBy([]string{"/bin/sh", "-c", line}), cmp.Transformer("none", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	if got := wantedBy([]string{"which", "a", "b"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
	if got := wantedBy([]string{"echo", "-c", "frob"}); got != nil {
		t.Error(got)
	}
}

// TestComplains holds that only a parser's error about the word itself counts, and no echo of the text.
func TestComplains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`SqliteError: near "word": syntax error`:                                   true,
		`{"error":"near \"word\": syntax error"}`:                                  true,
		`syntax error at or near "word"`:                                           true,
		`Incorrect syntax near 'word'.`:                                            true,
		`You have an error in your SQL syntax; check … to use near 'word' at line`: true,
		`near "name' word": syntax error`:                                          false,
		`no such table: name word`:                                                 false,
		`fts5: syntax error near "word"`:                                           false,
		`cannot find "word"`:                                                       false,
	} {
		if got := complains(text, "word"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestSpeaksSQL(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"sql": true, "query": true, "where_clause": true, "order_by": true, "userQuery": true, "table": false, "name": false, "schema": false, "id": false} {
		if p := (&parameter{name: name}); p.speaksSQL() != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	for said, want := range map[string]bool{"An SQL condition": true, "the order by clause": true, "Name of the table": false, "Where to write": false} {
		if p := (&parameter{name: "x", description: said}); p.speaksSQL() != want {
			t.Errorf("%s: %v", said, !want)
		}
	}
	if p := (&parameter{name: "x", kind: infer.SQL}); !p.speaksSQL() {
		t.Error("the kind does not count")
	}
}

// TestIsMetadata holds that a server in the sandbox does not find itself in a cloud.
func TestIsMetadata(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"169.254.169.254": true, "::ffff:169.254.169.254": true, "fd00:ec2::254": true, "metadata.google.internal": true, "Metadata.Google.Internal.": true, "metadata": true,
		"93.184.216.1": false, "10.0.0.5": false, publicHost: false, loopbackHost: false, privateHost: false, "metadata.example.org": false,
	} {
		if got := isMetadata(host); got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

// TestSilent holds that tools which do not answer get fewer calls, once several were given up.
func TestSilent(t *testing.T) {
	t.Parallel()
	a := (&experiment{}).auditor()
	one := understand(toolOf(t, "Waits."))
	a.late = map[string]int{one.Name: 1, "a": maxLate, "b": maxLate}
	if a.silent(one) {
		t.Error("given up early")
	}
	if a.late["c"] = maxLate; !a.silent(one) {
		t.Error("not given up")
	}
	if a.late[one.Name] = 0; a.silent(one) {
		t.Error("given up without a call")
	}
}

// TestInterprets holds which texts in the arguments of a program are code for it, or for another one behind it.
func TestInterprets(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"sh|-c|echo TEXT":                true,
		"sh|-c|true \"$0\"|TEXT":         false,
		"docker|exec|c|sh|-c|ls TEXT":    true,
		"docker|exec|c|ls|TEXT":          false,
		"ssh|-p|22|host|ls TEXT":         true,
		"ssh|-p|22|TEXT|ls":              false,
		"ssh|-v|-oPort=2|TEXT":           false,
		"adb|-s|TEXT|shell|ls":           false,
		"adb|-s|audit|shell|ls|TEXT":     true,
		"git|log|TEXT":                   false,
		"env|python3|-c|print('TEXT')":   true,
		"node|script.js|-e|x|TEXT":       false,
		"/usr/bin/osascript|-e|say TEXT": true,
	} {
		if got := interprets(strings.Split(line, "|"), "TEXT"); got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
}

// TestRefuses holds which answers refuse a text, and which tell of something else.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Invalid arguments for tool x: [ { \"path\": [ \"preview_id\" ], \"message\": \"Invalid\" } ]": true,
		"preview_id must match ^[a-z]+$":                                                    true,
		"Invalid id: MARK":                                                                  true,
		"the text has characters that are not allowed":                                      true,
		"Access denied: path outside of the allowed directories":                            true,
		"openat ../x: path escapes from parent":                                             true,
		"ERROR: Refusing to read outside the permitted directories. \"MARK\" is not inside": true,
		"Path traversal is not allowed":                                                     true,
		"open MARK: permission denied":                                                      false,
		"ENOENT: no such file or directory, open '/root/preview_id; MARK'":                  false,
		"Invalid preview_id: no such file":                                                  false,
		"Command failed: git log MARK: invalid argument":                                    false,
		"something went wrong":                                                              false,
		"invalid request":                                                                   false,
		"no preview with the id MARK":                                                       false,
	} {
		if got := refuses(parameter{name: "preview_id"}, "MARK", reply{text: text, isError: true}); got != want {
			t.Errorf("%s: got %v", text, got)
		}
		if refuses(parameter{name: "preview_id"}, "MARK", reply{text: text}) {
			t.Errorf("%s: a result refuses nothing", text)
		}
	}
}
