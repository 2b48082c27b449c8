// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
)

// inHand is the directory that the server of the tests works on.
var inHand string

// states are tools of servers that want something first: a working directory, a repository, a project, arguments that their
// schema does not require; and of such that are seen only by what a call leaves behind.
var states = map[string]fixture{
	"set-dir": {tool1("set_working_dir", "path", "Sets the working directory of this session."), func(root string, a map[string]any) (string, error) {
		dir := filepath.Clean(text(a, "path"))
		if _, err := os.Stat(filepath.Join(dir, ".git", "HEAD")); err != nil || dir != root {
			return "", errors.New("no repository of ours")
		}
		inHand = dir
		return "", nil
	}},
	"read-in-hand": {tool1("read_blob", "file", "Reads a file of the repository."), func(_ string, a map[string]any) (string, error) {
		if inHand == "" {
			return "", errors.New("no working directory was set")
		}
		return readFile(filepath.Join(inHand, text(a, "file")))
	}},
	"list-in": {`{"name":"labels","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"リポジトリのパス"}}}}`, func(_ string, a map[string]any) (string, error) {
		if _, err := os.Stat(filepath.Join(text(a, "path"), "go.mod")); err != nil {
			return "", errors.New("パスを指定してください")
		}
		return "none", nil
	}},
	"label-in": {`{"name":"label","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"リポジトリのパス"},"label":{"type":"string"}},"required":["label"]}}`, func(_ string, a map[string]any) (string, error) {
		if _, err := os.Stat(filepath.Join(text(a, "path"), "project.godot")); err != nil {
			return "", errors.New("パスを指定してください")
		}
		return output("sh", "-c", "echo "+text(a, "label"))
	}},
	"list-loose": {closedTool, func(root string, a map[string]any) (string, error) {
		raw, _ := readFile(filepath.Join(root, "guides", text(a, "guideName")+".md"))
		return raw + "null", nil
	}},
	"list-held": {closedTool, func(_ string, a map[string]any) (string, error) {
		if text(a, "guideName") != "first" {
			return "", errors.New("invalid argument: guideName")
		}
		return "the first guide", nil
	}},
	"open-there": {tool1("convert", "inputFile", "Converts."), func(_ string, a map[string]any) (string, error) {
		if _, err := os.Stat(text(a, "inputFile")); err != nil {
			return "", err
		}
		return output("sh", "-c", `true "`+text(a, "inputFile")+`"`)
	}},
	"copy-aside": {tool1("ask_review", "file", "Asks for a review of a file."), func(root string, a map[string]any) (string, error) {
		raw, err := readFile(filepath.Join(root, text(a, "file")))
		if err != nil {
			return "", err
		}
		return "asked", writeFile(filepath.Join(root, "snapshot.json"), raw)
	}},
	"made-below":      {actionTool, review(func(string) error { return nil })},
	"made-below-held": {actionTool, review(func(name string) error { return errorIf(strings.ContainsAny(name, `/\`), "a simple name is expected") })},
	"read-own":        {fileTool("import_report"), readOwn},
	"made-silently": {tool1("create_note", "title", "Creates a note."), func(root string, a map[string]any) (string, error) {
		if name := text(a, "title"); !strings.ContainsAny(name, `/\~`) {
			return "made", writeFile(filepath.Join(root, name), "note")
		}
		return "made", nil
	}},
	"made-renamed": {tool1("create_note", "title", "Creates a note."), func(root string, a map[string]any) (string, error) {
		return "made", writeFile(filepath.Join(root, strings.NewReplacer("/", "_", "\\", "_").Replace(text(a, "title"))), "note")
	}},
	"write-later": {tool1("start_recording", "output", "Records to a file."), func(root string, a map[string]any) (string, error) {
		path := under(root, text(a, "output"))
		if strings.HasSuffix(path, ".png") || !strings.HasSuffix(filepath.Dir(path), "/outside") {
			return "", errors.New("not allowed")
		}
		go func() {
			time.Sleep(100 * time.Millisecond)
			_ = writeFile(path, "recorded")
		}()
		return "recording", nil
	}},
	"record": {tool1("record", "output", "Records to a file."), func(root string, a map[string]any) (string, error) {
		if !recording.CompareAndSwap(false, true) {
			return "", errors.New("there is a recording already")
		}
		cmd := exec.Command("sh", "-c", `sleep 0.2; : > "$0"`, under(root, text(a, "output")))
		if err := cmd.Start(); err != nil {
			return "", err
		}
		go func() { _ = cmd.Wait(); recording.Store(false) }()
		return "recording", nil
	}},
	"linger": {tool1("record", "output", "Records to a file."), func(root string, a map[string]any) (string, error) {
		path := under(root, text(a, "output"))
		return "recording", errors.Join(writeFile(path, "recorded"), exec.Command("sleep", "1000", path).Start())
	}},
	"write-beside": {tool1("index", "directory", "Makes an index of a directory."), func(root string, a map[string]any) (string, error) {
		dir := under(root, text(a, "directory"))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", errors.New("no such directory")
		}
		return "done", writeFile(filepath.Join(dir, "INDEX"), "1")
	}},
}

// recording says that a program records, for which no call waits.
var recording atomic.Bool

const closedTool = `{"name":"get_guide","inputSchema":{"type":"object","properties":{"guideName":{"type":"string","enum":["first","second"]}},"required":["guideName"]}}`

// actionTool needs, for what is done first, three more arguments, of which a file is one.
const actionTool = `{"name":"approvals","inputSchema":{"type":"object","properties":{"action":{"type":"string","enum":["request","status"]},
	"filePath":{"type":"string","description":"Path, relative to the project (required for request)"},
	"categoryName":{"type":"string","description":"Name (required for request action)"},
	"approvalId":{"type":"string","description":"Required for status"}},"required":["action"]}}`

// readOwn holds the working directory and the user's without what is hidden there, and reads nothing back.
func readOwn(_ string, a map[string]any) (string, error) {
	here, home := must(os.Getwd()), os.Getenv("HOME")
	path := text(a, "path")
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(home, rest)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(under(here, path)))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return "", errors.New("not allowed")
	}
	for _, root := range []string{here, home} {
		if rest, ok := strings.CutPrefix(path, root+"/"); ok && !strings.HasPrefix(rest, ".") {
			_, err := readFile(path)
			return "imported", err
		}
	}
	return "", errors.New("not allowed")
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

func errorIf(bad bool, words string) error {
	if bad {
		return errors.New(words)
	}
	return nil
}

// review makes a directory of a category, in one of its own.
func review(allowed func(category string) error) func(string, map[string]any) (string, error) {
	return func(root string, a map[string]any) (string, error) {
		category := text(a, "categoryName")
		_, err := os.Stat(filepath.Join(root, text(a, "filePath")))
		if err != nil || text(a, "action") != "request" || a["approvalId"] != nil || category == "" {
			return "", errors.New("it does not go together")
		}
		if err := allowed(category); err != nil {
			return "", err
		}
		dir := filepath.Join(root, ".reviews", "open", category)
		return "made", errors.Join(os.MkdirAll(dir, 0o755), writeFile(filepath.Join(dir, "review.json"), "{}"))
	}
}

// TestState tries servers that want something first, and such of which only the files tell what they did.
func TestState(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	for fixtures, want := range map[string]struct{ there, absent string }{
		"set-dir+ read-in-hand": {"read_blob /file path proven dot-dot", "read_blob /file path inconclusive"},
		"list-in":               {"labels /path path no-evidence", "labels /path path inconclusive"},
		"label-in":              {"label /label command proven shell", ""},
		"list-loose":            {"get_guide /guideName path proven dot-dot", ""},
		"list-held":             {"", "get_guide /guideName path"},
		"open-there":            {"convert /inputFile command proven shell", ""},
		"copy-aside":            {"ask_review /file path proven dot-dot", ""},
		"made-below":            {"approvals /categoryName path proven dot-dot", ""},
		"made-below-held":       {"approvals /categoryName path guarded", "proven dot-dot"},
		"made-silently":         {"create_note /title path inconclusive", "guarded"},
		"made-renamed":          {"create_note /title path guarded", ""},
		"write-later":           {"start_recording /output path proven absolute, dot-dot", ""},
		"record":                {"record /output path proven absolute, dot-dot, sibling-prefix, symlink", ""},
		"record+":               {"record /output command guarded", "inconclusive"},
		"linger":                {"record /output path proven absolute", ""},
		"write-beside":          {"index /directory path proven absolute", ""},
	} {
		t.Run(fixtures, func(t *testing.T) {
			t.Parallel()
			r := run(t, Config{Command: fixtureServer(t, strings.Fields(fixtures)...)})
			all := inAll(r.Facts)
			if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, want.there) }) {
				t.Errorf("got %q, want %q; notes %q", all, want.there, r.Notes)
			}
			if want.absent != "" && strings.Contains(strings.Join(all, "\n"), want.absent) {
				t.Errorf("got %q, which is not wanted", want.absent)
			}
		})
	}
}

// TestRepository holds that git, where there is one, takes what we write for a repository.
func TestRepository(t *testing.T) {
	t.Parallel()
	need.Git.Program(t, "git")
	w, err := newWorld()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.remove)
	dir := filepath.Join(w.dir, "root")
	for _, args := range [][]string{{"fsck", "--strict"}, {"log", "-1", "--format=%s"}, {"show", "HEAD:" + insideName + ".txt"}, {"status", "--short"}} {
		said, err := output("git", append([]string{"-c", "safe.directory=*", "-C", dir}, args...)...)
		if err != nil {
			t.Errorf("git %v: %v\n%s", args, err, said)
		}
		if args[0] == "show" && !strings.Contains(said, w.control) {
			t.Errorf("git %v: %s", args, said)
		}
	}
}
