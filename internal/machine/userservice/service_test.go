// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package userservice

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
)

func newService(dir string, arguments ...string) *Service {
	return &Service{
		Name: "job-runner", Description: "runs jobs", Command: append([]string{"/usr/bin/true"}, arguments...), Dir: dir,
		Environment: []string{"PATH=/usr/bin:/x y", "PWD=" + dir}, Stop: time.Minute,
	}
}

// odd are arguments that mean something to systemd, XML or a shell.
var odd = []string{
	"", " ", "a b", "100%", "%h %%", "$HOME ${HOME} $$", `"quoted"`, `it's`, `back\slash`, `ends\`, "line\nbreak", "tab\there", "\r", ";", "#", "@-:+!x",
	"[Service]\nExecStart=/bin/evil", "<a>&amp;]]>", "--", "-->", "日本語", "\u202e", `\x41\n`, "$(id)", "`id`",
}

// words reads a line as systemd.syntax(7) and systemd.service(5) say, for words in double quotes.
func words(t *testing.T, line string) (list []string) {
	t.Helper()
	for line != "" {
		if line[0] != '"' {
			t.Fatalf("a word without quotes: %s", line)
		}
		end := 1
		for ; line[end] != '"'; end++ {
			if line[end] == '\\' {
				end++
			}
		}
		word, err := strconv.Unquote(line[:end+1])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, word)
		line = strings.TrimPrefix(line[end+1:], " ")
	}
	return list
}

// said are the values of a key in a unit.
func said(unit, key string) (list []string) {
	for line := range strings.Lines(unit) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			list = append(list, strings.TrimSuffix(value, "\n"))
		}
	}
	return list
}

func specifiers(s string) string { return strings.ReplaceAll(s, "%%", "%") }

func checkUnit(t *testing.T, s *Service) {
	t.Helper()
	text, err := unit("", s)
	if err != nil {
		return // it says that systemd cannot be told
	}
	lines := said(text, "ExecStart")
	sections := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			sections++
		}
	}
	if len(lines) != 1 || sections != 3 {
		t.Fatalf("the unit has other lines than were meant:\n%s", text)
	}
	var command []string
	for i, word := range words(t, lines[0]) {
		if word = specifiers(word); i > 0 {
			word = strings.ReplaceAll(word, "$$", "$")
		}
		command = append(command, word)
	}
	if diff := cmp.Diff(s.Command, command); diff != "" {
		t.Errorf("the command (-meant +read):\n%s", diff)
	}
	var environment []string
	for _, line := range said(text, "Environment") {
		environment = append(environment, specifiers(words(t, line)[0]))
	}
	if diff := cmp.Diff(s.Environment, environment); diff != "" {
		t.Errorf("the environment (-meant +read):\n%s", diff)
	}
	if diff := cmp.Diff([]string{s.Dir}, []string{specifiers(strings.Join(said(text, "WorkingDirectory"), "|"))}); diff != "" {
		t.Errorf("the directory (-meant +read):\n%s", diff)
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	checkUnit(t, newService("/work", odd...))
	for _, s := range odd {
		checkUnit(t, newService("/work/"+s+"/x", "x"))
	}
}

func FuzzUnit(f *testing.F) {
	for _, s := range odd {
		f.Add(s, "/"+s)
	}
	f.Fuzz(func(t *testing.T, argument, dir string) {
		s := newService(dir, argument)
		s.Environment = append(s.Environment, "X="+argument)
		if s.check() == nil {
			checkUnit(t, s)
		}
	})
}

// TestVerify has systemd itself read units.
func TestVerify(t *testing.T) {
	t.Parallel()
	tool := need.Systemd.Program(t, "systemd-analyze")
	dir := filepath.Join(t.TempDir(), `50% of $HOME`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "toolvet")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newService(dir, odd...)
	s.Command[0] = program
	text, err := unit("", s)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(text string) (string, error) {
		file := filepath.Join(t.TempDir(), "toolvet-schedule.service")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), tool, "--user", "verify", file)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := verify(text); err != nil || out != "" {
		t.Errorf("systemd says: %v\n%s", err, out)
	}
	if out, err := verify(strings.Replace(text, "toolvet\"", "nobody\"", 1)); err == nil {
		t.Errorf("systemd finds nothing wrong in a unit of a program that is not there: %s", out)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Service){
		"a name that is a path":          func(s *Service) { s.Name = "../x" },
		"no name":                        func(s *Service) { s.Name = "" },
		"a relative program":             func(s *Service) { s.Command[0] = "true" },
		"a relative directory":           func(s *Service) { s.Dir = "work" },
		"a directory of two lines":       func(s *Service) { s.Dir = "/work\nExecStartPre=/bin/evil" },
		"a directory that goes on":       func(s *Service) { s.Dir = `/work\` },
		"a directory with a space":       func(s *Service) { s.Dir = "/work " },
		"a program with quotes":          func(s *Service) { s.Command[0] = `/a"b` },
		"a program of two lines":         func(s *Service) { s.Command[0] = "/a\nb" },
		"an argument that is no text":    func(s *Service) { s.Command = append(s.Command, "\xff") },
		"an argument with a NUL":         func(s *Service) { s.Command = append(s.Command, "a\x00b") },
		"an environment that is no text": func(s *Service) { s.Environment = []string{"A=\xff"} },
	} {
		s := newService("/work")
		change(s)
		if _, _, err := systemd.Render("/home/x", s); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	s := newService("/work", "\x1b")
	if _, _, err := launchd.Render("/home/x", s); err == nil {
		t.Error("a control character is taken into a property list")
	}
	for _, goos := range []string{"windows", "plan9"} {
		if _, err := For(goos); err == nil {
			t.Errorf("there is a service for %s", goos)
		}
	}
}

// A value is an element of a property list.
type value struct {
	XMLName xml.Name
	Text    string  `xml:",chardata"`
	Values  []value `xml:",any"`
}

func TestPropertyList(t *testing.T) {
	t.Parallel()
	s := newService("/Users/x/a & b", slices.DeleteFunc(slices.Clone(odd), func(s string) bool { return s == "" })...)
	file, text, err := launchd.Render("/Users/x", s)
	if err != nil || filepath.ToSlash(file) != "/Users/x/Library/LaunchAgents/io.github.toolvet.job-runner.plist" {
		t.Fatal(file, err)
	}
	var list struct {
		Dict value `xml:"dict"`
	}
	if err := xml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]value{}
	for i := 0; i+1 < len(list.Dict.Values); i += 2 {
		found[list.Dict.Values[i].Text] = list.Dict.Values[i+1]
	}
	var command []string
	for _, v := range found["ProgramArguments"].Values {
		command = append(command, v.Text)
	}
	if diff := cmp.Diff(s.Command, command); diff != "" {
		t.Errorf("the command (-meant +read):\n%s", diff)
	}
	for key, want := range map[string]string{
		"Label": "io.github.toolvet.job-runner", "WorkingDirectory": s.Dir, "ExitTimeOut": "60", "StandardErrorPath": "/Users/x/Library/Logs/io.github.toolvet.job-runner.log",
	} {
		if got := found[key].Text; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if e := found["EnvironmentVariables"].Values; len(e) != 4 || e[0].Text != "PATH" || e[1].Text != "/usr/bin:/x y" {
		t.Errorf("the environment is %v", e)
	}
}

func TestInstall(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "relative: not looked at")
	home := t.TempDir()
	for _, m := range []*Manager{systemd, launchd} {
		s := newService("/work")
		file, replaced, err := m.Install(home, s)
		if err != nil || replaced || !strings.HasPrefix(file, home) {
			t.Fatal(file, replaced, err)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: others may read it", info, err)
		}
		if _, replaced, err := m.Install(home, s); err != nil || !replaced {
			t.Errorf("again: %v, %v", replaced, err)
		}
		if _, err := m.Uninstall(home, s.Name); err != nil {
			t.Error(err)
		}
		if _, err := m.Uninstall(home, s.Name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a second time: %v", err)
		}
		left, err := os.ReadDir(filepath.Dir(file))
		if err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
		for what, put := range map[string]func() error{
			"a file":      func() error { return os.WriteFile(file, []byte("[Service]\n"), 0o600) },
			"a directory": func() error { return os.Mkdir(file, 0o700) },
			"a link": func() error {
				other := filepath.Join(home, "other")
				return errors.Join(os.WriteFile(other, []byte(marker), 0o600), os.Symlink(other, file))
			},
		} {
			if err := put(); err != nil {
				t.Log(err) // links are not for everybody on Windows
				continue
			}
			if _, _, err := m.Install(home, s); !errors.Is(err, ErrForeign) {
				t.Errorf("%s of somebody else's: %v", what, err)
			}
			if _, err := m.Uninstall(home, s.Name); !errors.Is(err, ErrForeign) {
				t.Errorf("%s of somebody else's is deleted: %v", what, err)
			}
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
