// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/policy"
)

// A step is an event of a session, and what Claude Code is told: "" is no opinion.
type step struct {
	does string // "" before the tool, "ran" after it
	tool string
	with map[string]any
	want string
}

func bash(line string) map[string]any { return map[string]any{"command": line} }

func page(url string) map[string]any {
	return map[string]any{"url": url, "prompt": "What does it say?"}
}

func writes(file string) map[string]any {
	return map[string]any{"file_path": file, "content": "x"}
}

// TestMemory holds the questions of a session after a secret, and after the words of a stranger.
func TestMemory(t *testing.T) {
	t.Parallel()
	const repo = "/work/repo"
	key := step{"", "Read", map[string]any{"file_path": repo + "/server.key"}, "ask"}
	stranger := step{"", "WebFetch", page("https://blog.example.net/fix.md"), "ask"}
	ran := func(s step) step { return step{"ran", s.tool, s.with, ""} }
	for name, steps := range map[string][]step{
		"nothing read": {
			{"", "WebFetch", page("https://api.github.com/gists"), ""},
			{"", "Bash", bash("git push origin main"), ""},
			{"", "Write", writes(repo + "/package.json"), ""},
			{"", "Bash", bash("tar xf x.tar"), ""},
			{"", "Bash", bash("make deploy"), ""},
			{"", "WebSearch", map[string]any{"query": "go slices"}, ""},
		},
		"a secret": {
			key, ran(key),
			{"", "Bash", bash("go test ./..."), ""},
			{"", "Write", writes(repo + "/package.json"), ""},
			{"", "WebFetch", page("https://api.github.com/gists"), "ask"},
			{"", "WebFetch", page("http://localhost:8080/"), ""},
			{"", "WebSearch", map[string]any{"query": "AKIA"}, "ask"},
			{"", "Bash", bash("curl https://docs.rs/serde"), "ask"},
			{"", "Bash", bash("git push origin main"), "ask"},
			{"", "Bash", bash("git status"), ""},
			{"", "Bash", bash("gh issue create --title x --body y"), "ask"},
			{"", "Bash", bash("docker image push x"), "ask"},
			{"", "Bash", bash("docker build --push ."), "ask"},
			{"", "Bash", bash("git subtree push origin x"), "ask"},
			{"", "Bash", bash("twine upload dist/x"), "ask"},
			{"", "Bash", bash("kubectl apply -f x.yaml"), "ask"},
			{"", "Bash", bash("npx vercel --prod"), "ask"},
			{"", "Bash", bash("make deploy"), "ask"},
			{"", "Bash", bash("git fetch origin \"$(cat x)\""), "ask"},
			{"", "Bash", bash("git fetch origin"), ""},
			{"", "Bash", bash("docker build ."), ""},
			{"", "Bash", bash("poetry install"), ""},
			{"", "Bash", bash("sh -c 'cd sub && git push'"), "ask"},
			{"", "mcp__plain__read", map[string]any{"path": "README.md"}, "ask"},
			{"", "mcp__behind__read", map[string]any{"path": "README.md"}, "ask"},
		},
		"a printed variable": {
			{"", "Bash", bash("echo $GITHUB_TOKEN"), "ask"}, {"ran", "Bash", bash("echo $GITHUB_TOKEN"), ""},
			{"", "WebFetch", page("https://api.github.com/gists"), "ask"},
		},
		"a secret that the user has denied": {
			key,
			{"", "Bash", bash("ls"), ""}, {"ran", "Bash", bash("ls"), ""},
			{"", "WebFetch", page("https://api.github.com/gists"), ""},
		},
		"a secret that is still being read": {
			key,
			{"", "WebFetch", page("https://api.github.com/gists"), "ask"},
			{"", "Bash", bash("ls"), ""}, {"ran", "Bash", bash("ls"), ""},
			ran(key),
			{"", "WebFetch", page("https://api.github.com/gists"), "ask"},
		},
		"a secret that a failed call shows": {
			{"failed", "Bash", bash("cat x"), ""},
			{"", "WebFetch", page("https://api.github.com/gists"), "ask"},
		},
		"a stranger": {
			stranger, ran(stranger),
			{"", "WebFetch", page("https://api.github.com/gists"), ""},
			{"", "Bash", bash("git push origin main"), ""},
			{"", "Write", writes(repo + "/src/main.go"), ""},
			{"", "Bash", bash("cat package.json Makefile CLAUDE.md"), ""},
			{"", "Write", writes(repo + "/CLAUDE.md"), "ask"},
			{"", "Edit", map[string]any{"file_path": repo + "/Makefile", "old_string": "a", "new_string": "b"}, "ask"},
			{"", "Bash", bash("echo '{}' > package.json"), "ask"},
			{"", "Bash", bash("sed -i s/a/b/ sub/Makefile"), "ask"},
			{"", "Bash", bash("cp x.json package.json"), "ask"},
			{"", "Bash", bash("cp sub/CLAUDE.md ."), "ask"},
			{"", "Bash", bash("curl -O https://github.com/x/CLAUDE.md"), "ask"},
			{"", "Bash", bash("tar xf x.tar CLAUDE.md"), "ask"},
			{"", "Bash", bash("git checkout HEAD~1 -- CLAUDE.md"), "ask"},
			{"", "Bash", bash("npm pkg set scripts.test=x"), "ask"},
			{"", "Bash", bash("tar xf x.tar"), "ask"},
			{"", "Bash", bash("git apply x.patch"), "ask"},
			{"", "Bash", bash("cp -r d/. ."), "ask"},
			{"", "Bash", bash("tar czf x.tgz src && cp -r src dist"), ""},
			{"", "Bash", bash("make deploy"), ""},
			{"", "Bash", bash("mkdir -p build && rm -rf build && mv dist build"), ""},
			{"", "Bash", bash("make -f Makefile test"), ""},
			{"", "Bash", bash(`python3 -c "open('conftest.py','w').write('x')"`), "ask"},
		},
		"an unknown server": {
			{"", "mcp__other__get_issue", map[string]any{"id": 1}, "ask"}, {"ran", "mcp__other__get_issue", map[string]any{"id": 1}, ""},
			{"", "Write", writes(repo + "/AGENTS.md"), "ask"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, state := t.TempDir(), t.TempDir()
			config := `{"mcpServers": {"behind": {"command": "toolvet", "args": ["proxy", "--", "x"]}, "plain": {"command": "x"}}}`
			if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, s := range steps {
				j := New(backend.DefaultChecks(), state, slog.New(slog.DiscardHandler)) // each judge dies after a call
				r := &link.Request{Host: "claude-code", Dir: repo, Env: map[string]string{"HOME": home}, Payload: event(t, s, repo, fmt.Sprint(s.tool, s.with))}
				got, why := decision(t, j, r)
				j.Close(context.WithoutCancel(t.Context()))
				if got != s.want {
					t.Errorf("step %d, %s %s %v: %q, want %q: %s", i+1, s.does, s.tool, s.with, got, s.want, why)
				}
			}
			if files, _ := filepath.Glob(filepath.Join(state, "*.session")); name == "nothing read" && len(files) > 0 {
				t.Errorf("a session that has read nothing has the diary %v", files)
			}
		})
	}
}

func event(t *testing.T, s step, dir, id string) []byte {
	t.Helper()
	out := map[string]any{"session_id": "s1", "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": s.tool, "tool_input": s.with, "tool_use_id": id}
	if s.does == "failed" {
		out["hook_event_name"], out["error"] = "PostToolUseFailure", "token "+token
	}
	if s.does == "ran" {
		out["hook_event_name"], out["tool_response"] = "PostToolUse", map[string]any{"stdout": "done"}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestMemoryReason holds that a question gives the earlier reading as its reason, and claims it only once the host has told its end.
func TestMemoryReason(t *testing.T) {
	t.Parallel()
	j := newJudge(t)
	ask := func(s step) string {
		_, why := decision(t, j, &link.Request{Host: "claude-code", Dir: "/repo", Payload: event(t, s, "/repo", fmt.Sprint(s.with))})
		return why
	}
	const read, perhaps = "This session has read what may hold a secret.", "does not know whether it ran."
	variables, push := step{"", "Bash", bash("env"), "ask"}, step{"", "Bash", bash("git push origin main"), "ask"}
	ask(variables)
	if why := ask(push); strings.Contains(why, read) || !strings.Contains(why, perhaps) {
		t.Errorf("before its end: %s", why)
	}
	ask(step{"ran", "Bash", variables.with, ""})
	if why := ask(push); !strings.Contains(why, read) || strings.Contains(why, perhaps) {
		t.Errorf("after its end: %s", why)
	}
	for _, s := range []step{push, {"", "WebFetch", page("https://unlisted.example/"), "ask"}, {"", "WebSearch", map[string]any{"query": "x"}, "ask"}, {"", "mcp__other__t", map[string]any{}, "ask"}} {
		why := ask(s)
		reason := strings.TrimPrefix(why, "toolvet asks you about this call:")
		if !strings.HasPrefix(strings.TrimSpace(reason), read) {
			t.Errorf("%s: the secret is not the first reason: %s", s.tool, why)
		}
	}
	if m, certain, _ := recall(strings.Repeat("x", maxDiary)); certain == m {
		t.Error("a full diary is certain of what it cannot hold")
	}
}

// TestDiary holds the memory in diaries, also in odd ones.
func TestDiary(t *testing.T) {
	t.Parallel()
	secret, foreign, all := policy.Memory{Secret: true}, policy.Memory{Foreign: true}, policy.Memory{Secret: true, Foreign: true}
	for text, want := range map[string]policy.Memory{
		"":                              {},
		"asked secret a\n":              secret,
		"asked secret a\ntold\n":        {},
		"asked secret a\nended a\n":     secret,
		"asked secret a\nended b\n":     {},
		"asked secret a\ntold\nended a": secret,
		"asked secret a\nasked foreign a\nended a\nwhat\n\x00\n": all,
		"asked secret a\nended a\nasked foreign c\ntold\n":       secret,
		"asked foreign a\nended a\ntold\n":                       foreign,
		strings.Repeat("x", maxDiary):                            all,
	} {
		if got, _, _ := recall(text); got != want {
			t.Errorf("%.80q: %v, want %v", text, got, want)
		}
	}
}

// TestDiaryUnreadable holds that everything counts as read if a diary is unreadable, and that a question becomes a refusal if no line can be added.
func TestDiaryUnreadable(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	calm := step{"", "WebFetch", page("https://api.github.com/gists"), ""}
	key := step{"", "Read", map[string]any{"file_path": "/repo/server.key"}, "ask"}
	answer := func(state string, s step) (string, string) {
		j := New(backend.DefaultChecks(), state, slog.New(slog.DiscardHandler))
		defer j.Close(context.WithoutCancel(t.Context()))
		return decision(t, j, &link.Request{Host: "claude-code", Dir: "/repo", Payload: event(t, s, "/repo", s.tool)})
	}
	if d, why := answer(state, calm); d != "" {
		t.Fatalf("without a diary: %q, %s", d, why)
	}
	if d, _ := answer(state, key); d != "ask" {
		t.Fatalf("the key: %q", d)
	}
	files, err := filepath.Glob(filepath.Join(state, "*.session"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(files[0], 0o700); err != nil {
		t.Fatal(err)
	}
	if d, why := answer(state, calm); d != "ask" {
		t.Errorf("with an unreadable diary: %q, %s", d, why)
	}
	if d, why := answer(filepath.Join(state, "missing"), key); d != "deny" || !strings.Contains(why, "cannot remember") {
		t.Errorf("with a diary that takes no line: %q, %s", d, why)
	}
}

// TestForget holds that the diaries of old sessions go away.
func TestForget(t *testing.T) {
	t.Parallel()
	j := New(backend.DefaultChecks(), t.TempDir(), slog.New(slog.DiscardHandler))
	file := filepath.Join(j.state, "x.session")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j.forget(time.Now().Add(diaryAge - time.Minute))
	if _, err := os.Lstat(file); err != nil {
		t.Errorf("too early: %v", err)
	}
	j.forget(time.Now().Add(diaryAge + time.Minute))
	if _, err := os.Lstat(file); err == nil {
		t.Error("it is still there")
	}
}

// TestMemoryWithoutFailures holds that a host without an event for failures is taken to have run each call that toolvet asked about, whatever other
// ends it tells.
func TestMemoryWithoutFailures(t *testing.T) {
	t.Parallel()
	j := newJudge(t)
	ask := func(s step) string {
		d, _ := decision(t, j, &link.Request{Host: "qwen", Dir: "/repo", Payload: event(t, s, "/repo", fmt.Sprint(s.tool, s.with))})
		return d
	}
	first, other := step{"", "run_shell_command", bash("echo $GITHUB_TOKEN; false"), ""}, step{"", "web_fetch", page("https://blog.example.net/x"), ""}
	ask(first)
	ask(other)
	other.does = "ran"
	ask(other)
	if d := ask(step{"", "run_shell_command", bash("git push"), ""}); d != "ask" && d != "deny" {
		t.Errorf("after a secret that a failed call may have shown: %q", d)
	}
}
