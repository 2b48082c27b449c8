// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Servers rehearses calls to 30 servers, makes the same calls live, and compares each report with what really
// happened. servers.json has the servers, their commands and the calls.
//
//	go run ./bench/rehearse/servers -toolvet PROGRAM
//
// The packages come from their registries. The live servers have a network of their own, where every address is a
// listener that records requests and refuses them as a rehearsal does. It needs the program ip of iproute2.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed servers.json
var list []byte

// A server is a server with calls. "DIR" stands for a directory with a few files.
type server struct {
	Name    string
	Command []string
	Env     []string
	Calls   json.RawMessage
	Ports   []int // of protocols other than HTTP
}

// fixture is the content of DIR.
var fixture = map[string]string{
	"notes.txt": "orders: todo\n", "old.txt": "2025\n", "orders.csv": "week,orders\n41,9\n", "src/main.js": "console.log(1)\n",
	"home/.profile": "", "tmp/.keep": "",
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "live" {
		if err := live(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	toolvet := flag.String("toolvet", "toolvet", "the program")
	work := flag.String("dir", filepath.Join(os.TempDir(), "toolvet-servers"), "an empty directory for the files and the caches of launchers")
	only := flag.String("only", "", "the name of one server")
	verbose := flag.Bool("v", false, "print both sides")
	flag.Parse()
	if err := run(context.Background(), *toolvet, *work, *only, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, toolvet, work, only string, verbose bool) error {
	var servers []server
	if err := json.Unmarshal(list, &servers); err != nil {
		return err
	}
	fmt.Println("| server | command | starts | the report matches |\n|---|---|---|---|")
	started, matched, comparable := 0, 0, 0
	for _, s := range servers {
		if only != "" && s.Name != only {
			continue
		}
		start, match, err := s.compare(ctx, toolvet, work, verbose)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Printf("| %s | `%s` | %s | %s |\n", s.Name, strings.Join(s.Command, " "), start, match)
		if strings.HasPrefix(start, "yes") {
			started++
		}
		if !strings.HasPrefix(match, "not comparable") {
			comparable++
		}
		if strings.HasPrefix(match, "yes") {
			matched++
		}
	}
	fmt.Printf("\n%d start, %d of %d comparable reports match.\n", started, matched, comparable)
	return nil
}

// An effect is what a server did: entries of DIR with their states, and the targets of requests.
type effect struct {
	Files    map[string]string
	Requests []string
	Failed   []string // calls with an error as their result, or without one
}

// compare rehearses the calls, makes them live twice, and compares.
func (s server) compare(ctx context.Context, toolvet, work string, verbose bool) (start, match string, err error) {
	dir := filepath.Join(work, "work")
	s = s.at(dir)
	if err := lay(dir); err != nil {
		return "", "", err
	}
	before, err := states(dir)
	if err != nil {
		return "", "", err
	}
	env := append(os.Environ(), "HOME="+dir+"/home", "TMPDIR="+dir+"/tmp", "npm_config_cache="+work+"/npm", "npm_config_update_notifier=false")
	env = append(env, s.Env...)
	began := time.Now()
	told, refusal, err := s.rehearse(ctx, toolvet, dir, env, before)
	if err != nil || refusal != "" {
		return "no: " + refusal, "not comparable: it did not start", err
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	if after, err := states(dir); err != nil || !maps.Equal(before, after) {
		return "", "", fmt.Errorf("the rehearsal changed files: %v %w", difference(before, after), err)
	}
	var lived [2]effect
	for i := range lived {
		if err := lay(dir); err != nil {
			return "", "", err
		}
		if lived[i], err = s.live(ctx, dir, env, before); err != nil {
			return fmt.Sprintf("yes, %v", took), "not comparable: live: " + oneLine(err.Error()), nil
		}
	}
	if verbose {
		for what, e := range map[string]effect{"report": told, "live": lived[0], "again": lived[1]} {
			raw, _ := json.MarshalIndent(e, "", "  ")
			fmt.Fprintf(os.Stderr, "%s: %s %s\n", s.Name, what, raw)
		}
	}
	return fmt.Sprintf("yes, %v", took), verdict(told, lived), nil
}

// at fills in DIR.
func (s server) at(dir string) server {
	fill := func(text string) string { return strings.ReplaceAll(text, "DIR", dir) }
	s.Calls = json.RawMessage(fill(string(s.Calls)))
	s.Command, s.Env = slices.Clone(s.Command), slices.Clone(s.Env)
	for _, words := range [][]string{s.Command, s.Env} {
		for i := range words {
			words[i] = fill(words[i])
		}
	}
	return s
}

// lay makes the directory anew.
func lay(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, content := range fixture {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o644), os.Chmod(path, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// verdict compares a report with two live runs. For files with times or random names, which differ between these two, it compares
// the number.
func verdict(told effect, lived [2]effect) string {
	var wrong []string
	files := [3]map[string]string{told.Files, lived[0].Files, lived[1].Files}
	steady, varying := map[string]string{}, 0
	for path, state := range files[1] {
		if files[2][path] == state {
			steady[path] = state
		} else {
			varying++
		}
	}
	others := 0
	for _, path := range slices.Sorted(maps.Keys(files[0])) {
		switch state, ok := steady[path]; {
		case !ok:
			others++
		case state != files[0][path]:
			wrong = append(wrong, fmt.Sprintf("%s: %s, live %s", path, files[0][path], state))
		}
		delete(steady, path)
	}
	for path, state := range steady {
		wrong = append(wrong, fmt.Sprintf("not in the report: %s: %s", path, state))
	}
	if others != varying {
		wrong = append(wrong, fmt.Sprintf("%d further files, live %d", others, varying))
	}
	for _, r := range told.Requests {
		if !slices.Contains(lived[0].Requests, r) && !slices.Contains(lived[1].Requests, r) {
			wrong = append(wrong, "not live: "+r)
		}
	}
	for _, r := range lived[0].Requests {
		if slices.Contains(lived[1].Requests, r) && !slices.Contains(told.Requests, r) {
			wrong = append(wrong, "not in the report: "+r)
		}
	}
	if len(told.Failed) != len(lived[0].Failed) { // the words may differ: a connection ends by a reset or not
		wrong = append(wrong, fmt.Sprintf("failed: %q, live %q", told.Failed, lived[0].Failed))
	}
	effects := len(lived[0].Files) + len(lived[0].Requests)
	what := fmt.Sprintf("%d files, %d requests", len(lived[0].Files), len(lived[0].Requests))
	switch {
	case len(wrong) > 0:
		return "no: " + oneLine(strings.Join(wrong, "; "))
	case effects == 0 && len(told.Failed) > 0:
		return "not comparable: the call fails alike, with no effect: " + oneLine(told.Failed[0])
	case effects == 0:
		return "yes: no effect"
	case len(lived[0].Requests) == 0 && len(told.Failed) > 0:
		return "yes: " + what + ", and the call fails alike: " + oneLine(told.Failed[0])
	}
	return "yes: " + what
}

const maxCell = 300 // characters

// oneLine shortens a text for a table.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	if r := []rune(text); len(r) > maxCell {
		text = string(r[:maxCell]) + "…"
	}
	return text
}

// rehearse returns the effects in the report, or the one line with which toolvet refuses.
func (s server) rehearse(ctx context.Context, toolvet, dir string, env []string, before map[string]string) (effect, string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := []string{"rehearse", "--json", "--server-timeout", "60s"}
	for _, v := range append(s.Env, "npm_config_update_notifier=") {
		name, _, _ := strings.Cut(v, "=")
		args = append(args, "--env", name)
	}
	cmd := exec.CommandContext(ctx, toolvet, append(append(args, "-", "--"), s.Command...)...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, strings.NewReader(string(s.Calls)), &out, &errs
	err := cmd.Run()
	if out.Len() == 0 {
		if err == nil || errs.Len() == 0 {
			return effect{}, "", fmt.Errorf("no report: %w", err)
		}
		return effect{}, oneLine(errs.String()), nil
	}
	var r report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		return effect{}, "", err
	}
	return r.effect(dir, before), "", nil
}

// A report has the parts of a rehearsal's report that are compared.
type report struct {
	Calls []struct {
		Result json.RawMessage
		Failed string
	}
	Changes []struct {
		Path, Kind, From string
		After            *struct{ Type, Mode, SHA256, Target string }
	}
	Network []struct{ Address, Method, URL, Answer string }
}

func (r *report) effect(dir string, before map[string]string) effect {
	e := effect{Files: map[string]string{}}
	for _, c := range r.Changes {
		if c.From != "" && below(dir, c.From) {
			e.Files[c.From] = gone
		}
		switch {
		case !below(dir, c.Path):
		case c.After == nil:
			e.Files[c.Path] = gone
		default:
			state := c.After.Type + " " + c.After.Mode + " " + c.After.SHA256 + c.After.Target
			if before[c.Path] != state { // live, times alone are not compared
				e.Files[c.Path] = state
			}
		}
	}
	for _, a := range r.Network {
		switch {
		case a.Method != "":
			e.Requests = append(e.Requests, a.Method+" "+a.URL)
		case a.Answer == "itself":
		default:
			e.Requests = append(e.Requests, a.Address)
		}
	}
	for _, c := range r.Calls {
		e.note(c.Result, c.Failed)
	}
	e.Requests = unique(e.Requests)
	return e
}

// note notes a call that fails.
func (e *effect) note(raw json.RawMessage, failed string) {
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if raw != nil && json.Unmarshal(raw, &result) == nil && result.IsError {
		failed = "an error"
		if len(result.Content) > 0 {
			failed = oneLine(result.Content[0].Text)
		}
	}
	if failed != "" {
		e.Failed = append(e.Failed, failed)
	}
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
