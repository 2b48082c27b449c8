// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/race"
)

func serverConfig(t testing.TB, dir string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Command: []string{self, "as-server"}, Dir: dir, Init: []string{self, "as-sandbox"}}
}

// newPool makes a pool, or skips the test if this machine cannot rehearse.
func newPool(t testing.TB, cfg Config) *Pool {
	t.Helper()
	startSession(t, cfg).Close()
	p := NewPool(cfg)
	t.Cleanup(p.Close)
	return p
}

func TestPool(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write := func(content string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(file+"~", []byte(content), 0o600), os.Rename(file+"~", file)); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	cfg := serverConfig(t, dir)
	cfg.Command = append(cfg.Command, "cat file; ls -la; stat gone")
	p := newPool(t, cfg)
	p.Warm()
	warm := p.ready
	if warm == nil {
		t.Fatal("nothing was started")
	}
	write("second")
	if err := os.WriteFile(filepath.Join(dir, "gone"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := p.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if warm != nil && s != warm {
			t.Error("the session that was ready is not the one that was given")
		}
		warm = nil
		done := s.Call(t.Context(), Call{"run", arguments(t, map[string]string{"script": "cat file; echo; echo x >>file; ls"})})
		if got := done.words(); got != "second\nfile\ngone\n" {
			t.Errorf("got %q %s: it is not as the machine is", got, done.Failed)
		}
		if r := finish(t, s); len(r.Changes) != 1 || r.Changes[0].Path != file {
			t.Errorf("got %q", told(r, dir))
		}
		s.Close()
	}
	p.Close()
	if _, err := p.Take(t.Context()); err == nil {
		t.Error("a pool that is closed gives sessions")
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := newPool(t, serverConfig(t, dir))
	elsewhere := t.TempDir()
	effects := []policy.Effect{
		{Name: "careful", NoDeletes: true, Below: []string{dir}, MaxChanges: 2},
		{Name: "alone", NoNetwork: true},
		{Name: "other", Tools: []string{"other:*"}, MaxChanges: 1},
	}
	gate := func(take func(context.Context) (*Session, error)) *toolvet.Gate {
		g, err := toolvet.New(toolvet.WithChecks(NewCheck(policy.Rehearsal{Before: []string{"test:run"}, Effects: effects}, take)), toolvet.WithTimeout(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	judge := func(g *toolvet.Gate, tool, script string) (messages []string) {
		raw := arguments(t, map[string]string{"script": script})
		args, err := call.DecodeArguments(raw, call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		definition, err := call.DecodeTool([]byte(`{"name":"`+tool+`","inputSchema":{"type":"object"}}`), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		v := g.Judge(t.Context(), &call.Call{Server: "test", Name: tool, Tool: definition, Arguments: args, Raw: raw}, toolvet.PointProxy)
		for _, f := range v.Findings {
			messages = append(messages, f.Source+": "+f.Message)
		}
		if v.Go != (messages == nil) {
			t.Errorf("the verdict is %v with %q", v.Go, messages)
		}
		return messages
	}
	g := gate(pool.Take)
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"allowed", "echo x >new", nil},
		{"delete", "rm old", []string{"careful: the rehearsal shows that the call deletes or moves away 1 files or directories: the limit \"careful\" does not allow it"}},
		{"move", "mv old new", []string{"careful: the rehearsal shows that the call deletes or moves away 1 files or directories: the limit \"careful\" does not allow it"}},
		{"many", "touch a b c", []string{"careful: the rehearsal shows that the call changes 3 files and directories, more than 2: the limit \"careful\" does not allow it"}},
		{"outside", "echo x >" + elsewhere + "/file", []string{"careful: the rehearsal shows that the call changes 1 files or directories outside " + dir + ": the limit \"careful\" does not allow it"}},
	} {
		if diff := cmp.Diff(tt.want, judge(g, "run", tt.script)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("the machine was changed: %v %v", got, err)
	}
	broken := gate(func(context.Context) (*Session, error) { return nil, errors.New("no sandbox") })
	if got := judge(broken, "run", "true"); len(got) != 1 || !strings.Contains(got[0], "could not be rehearsed") {
		t.Errorf("without a sandbox: got %q", got)
	}
	if got := judge(broken, "read", "true"); got != nil {
		t.Errorf("a call that is not to be rehearsed is: %q", got)
	}
}

// TestUnseen: calls wait for something outside the rehearsal, or fail. Their live effects are unknown, so every limit
// refuses them.
func TestUnseen(t *testing.T) {
	race.Skip(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	abstract := "@toolvet-unseen-" + filepath.Base(filepath.Dir(dir)) + strconv.Itoa(os.Getpid())
	for _, name := range []string{dir + "/socket", abstract} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	rules := []policy.Effect{{Name: "few", MaxChanges: 5}}
	for script, allowed := range map[string]bool{
		"true": true, self + " as-client looked-up.example": true, self + " as-client 192.0.2.1:80": false,
		self + " as-client unix:" + dir + "/socket": false, "cd " + dir + "; " + self + " as-client unix:socket": false,
		self + " as-client unix:" + abstract: false, self + " as-client unix:@toolvet-nobody": true, "echo x >new; exit 1": false,
	} {
		_, r := rehearseScripts(t, Config{Dir: t.TempDir()}, script)
		if found := Judge(r, "test", rules); (len(found) == 0) != allowed {
			t.Errorf("%s: %v, the gaps are %q", script, found, whys(r))
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	r := &Report{
		Calls:     []Called{{Tool: "run"}},
		Network:   []Attempt{{Address: "unix:/run/nscd"}, {Address: "192.0.2.1:80"}},
		Processes: []Process{{Arguments: []string{"sh"}, AtStart: true}},
		Changes:   []Change{{Path: "/srv/database", Kind: Created}, {Path: "/srv/data/x", Kind: Renamed, From: "/etc/x"}, {Path: "/y", Kind: Deleted, AtStart: true}},
	}
	rules := []policy.Effect{
		{Name: "network", NoNetwork: true}, {Name: "processes", NoProcesses: true}, {Name: "below", Below: []string{"/srv/data"}}, {Name: "deletes", NoDeletes: true},
		{Name: "few", MaxChanges: 2}, {Name: "fewer", MaxChanges: 1}, {Name: "everywhere", Below: []string{"/"}},
	}
	var got []string
	for _, f := range Judge(r, "test", rules) {
		got = append(got, f.Source)
	}
	if want := []string{"network", "below", "deletes", "fewer"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Incomplete = true
	if got := Judge(r, "test", rules[4:5]); len(got) != 1 {
		t.Errorf("of a report that is incomplete: %v", got)
	}
}

// BenchmarkRehearsal compares a rehearsal with the start of the server: cold with a new server, warm with a ready
// one.
func BenchmarkRehearsal(b *testing.B) {
	script := arguments(b, map[string]string{"script": "echo x >>file"})
	rehearsal := func(b *testing.B, s *Session) {
		b.Helper()
		if done := s.Call(b.Context(), Call{"run", script}); done.Result == nil {
			b.Fatal(done.Failed)
		}
		if r := finish(b, s); len(r.Changes) != 1 {
			b.Fatal(r.Changes)
		}
		s.Close()
	}
	b.Run("cold", func(b *testing.B) {
		cfg := serverConfig(b, b.TempDir())
		startSession(b, cfg).Close()
		for b.Loop() {
			s, err := Start(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			rehearsal(b, s)
		}
	})
	b.Run("warm", func(b *testing.B) {
		p := newPool(b, serverConfig(b, b.TempDir()))
		for b.Loop() {
			b.StopTimer()
			p.Warm()
			b.StartTimer()
			s, err := p.Take(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			rehearsal(b, s) // and has the next begun
		}
	})
	b.Run("large", func(b *testing.B) {
		dir := b.TempDir()
		for i := range 100 {
			sub := filepath.Join(dir, "d"+string(rune('a'+i/10))+string(rune('a'+i%10)))
			if err := os.Mkdir(sub, 0o755); err != nil {
				b.Fatal(err)
			}
			for j := range 1000 {
				if err := os.WriteFile(filepath.Join(sub, "f"+strings.Repeat("x", j%10)+string(rune('a'+j/100))+string(rune('a'+j/10%10))), []byte("x"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
		}
		cfg := serverConfig(b, dir)
		startSession(b, cfg).Close()
		for b.Loop() {
			s, err := Start(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			rehearsal(b, s)
		}
	})
}
