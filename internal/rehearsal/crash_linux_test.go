// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// rewritable makes the directory for rewriting.
func rewritable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a", "b", "sub/c", "m", "gone"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("old "+f), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// states describes each file of rewritable: "old", "new", or its content.
func states(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		name := strings.TrimPrefix(path, dir+"/")
		state := string(raw)
		switch state {
		case "old " + name, "old m":
			state = "old"
		case "new\n":
			state = "new"
		}
		if strings.Contains(name, staging) {
			name, state = "left", ""
		}
		found[name] = state
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// cutOff makes a commit of a script in a directory and kills it when it has reached a place for the nth time. It
// returns what the commit told, and the directory of its journal.
func cutOff(t *testing.T, dir, where string, nth int, script string) (told, journals string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	cmd := exec.CommandContext(t.Context(), self, "as-committer", dir, where, strconv.Itoa(nth), script)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%v %s %s", err, out, stderr.String())
	}
	return string(out), filepath.Join(state, "toolvet", "commits")
}

// TestKilled kills a committing toolvet at each step. Each file is old or new, and the report of changes is right. The
// next toolvet finishes the commit, or undoes it if nothing had changed yet.
func TestKilled(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	after := map[string]string{"a": "new", "b": "new", "sub/c": "new", "moved": "old", "fresh/d": "new"}
	before := map[string]string{"a": "old", "b": "old", "sub/c": "old", "m": "old", "gone": "old"}
	for _, tt := range []struct {
		where    string
		nth      int
		copies   bool // are left
		journals int  // are left
		finished bool // by the next toolvet
	}{
		{"compared", 1, false, 0, false}, {"copied", 1, true, 1, false}, {"copied", 3, true, 1, false}, {"staged", 1, true, 1, true},
		{"made", 1, true, 1, true}, {"made", 3, true, 1, true}, {"made", 5, true, 1, true}, {"made", 6, false, 1, true}, {"made", 9, false, 1, true},
	} {
		t.Run(fmt.Sprint(tt.where, tt.nth), func(t *testing.T) {
			t.Parallel()
			dir := rewritable(t)
			out, journals := cutOff(t, dir, tt.where, tt.nth, rewriting)
			got := states(t, dir)
			if _, left := got["left"]; left != tt.copies {
				t.Errorf("copies are left: %v", left)
			}
			delete(got, "left")
			for name, state := range got {
				if state != before[name] && state != after[name] {
					t.Errorf("%s holds %q", name, state)
				}
			}
			for path := range strings.Lines(out) {
				name := strings.TrimPrefix(strings.TrimSpace(path), dir+"/")
				if state, there := got[name]; name != "gone" && name != "fresh" && (!there || state != after[name]) || name == "gone" && there {
					t.Errorf("%s is told as made, and is %q", name, state)
				}
			}
			done, err := recoverIn(t.Context(), journals)
			if err != nil || len(done) != tt.journals || len(done) > 0 && (done[0].Finished != tt.finished || len(done[0].Left) > 0) {
				t.Errorf("the next toolvet: %+v %v", done, err)
			}
			want := before
			if tt.finished {
				want = after
			}
			if diff := cmp.Diff(want, states(t, dir)); diff != "" {
				t.Errorf("after the next toolvet (-want +got)\n%s", diff)
			}
			if info, err := os.Stat(dir + "/fresh"); tt.finished && (err != nil || info.Mode().Perm() != 0o755) {
				t.Errorf("the new directory: %v %v", info, err)
			}
			if again, err := recoverIn(t.Context(), journals); err != nil || len(again) > 0 {
				t.Errorf("the toolvet after it: %+v %v", again, err)
			}
		})
	}
}

// TestKilledRepository kills a commit of a git repository's changes at many places. The repository is sound before the next
// toolvet ends the commit, and complete after it.
func TestKilledRepository(t *testing.T) {
	race.Skip(t)
	git := need.Git.Program(t, "git")
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true")
	t.Setenv("GIT_OPTIONAL_LOCKS", "0") // status leaves the index alone
	const identity = "-c user.name=a -c user.email=a@example.com -c commit.gpgsign=false -c gc.auto=0 "
	const script = "export GIT_AUTHOR_DATE=2026-11-01T00:00:00Z GIT_COMMITTER_DATE=2026-11-01T00:00:00Z; for i in 1 2 3; do for j in 1 2 3 4 5 6; do mkdir -p d$i; echo $i $j >d$i/f$j; done; git add . && git " + identity +
		"commit -qm $i; done; git branch other HEAD~1; git rm -q d1/f1 && git " + identity + "commit -qm last"
	steps := 0
	{ // the number of steps
		dir := repository(t, git, identity)
		s, _ := rehearseScripts(t, Config{Dir: dir, journals: t.TempDir()}, script)
		s.reached = func(what string) {
			if what == "made" {
				steps++
			}
		}
		if _, err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		sound(t, git, dir, 5)
	}
	const points = 50
	if steps < points {
		t.Fatalf("only %d steps", steps)
	}
	for i := range points {
		nth := 1 + i*steps/points
		t.Run(strconv.Itoa(nth), func(t *testing.T) {
			t.Parallel()
			dir := repository(t, git, identity)
			_, journals := cutOff(t, dir, "made", nth, script)
			sound(t, git, dir, 0)
			done, err := recoverIn(t.Context(), journals)
			if err != nil || len(done) != 1 || !done[0].Finished || len(done[0].Left) > 0 {
				t.Fatalf("the next toolvet: %+v %v", done, err)
			}
			sound(t, git, dir, 5)
		})
	}
}

func repository(t *testing.T, git, identity string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", git+" init -q; echo first >first; "+git+" add .; "+git+" "+identity+"commit -qm first")
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-11-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T00:00:00Z") // the same objects each time
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return dir
}

// sound fails the test if a repository is damaged, or has another number of commits, unless that is 0.
func sound(t *testing.T, git, dir string, commits int) {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("fsck", "--full", "--strict")
	run("status", "--porcelain")
	if commits == 0 {
		return
	}
	if got := run("rev-list", "--count", "HEAD"); got != strconv.Itoa(commits) {
		t.Errorf("%s commits, want %d", got, commits)
	}
	if got := run("status", "--porcelain"); got != "" {
		t.Errorf("the work tree differs: %s", got)
	}
}

// TestRecoverLeaves: what others have changed since a commit was cut off stays as they left it.
func TestRecoverLeaves(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true")
	dir := rewritable(t)
	_, journals := cutOff(t, dir, "staged", 1, rewriting)
	for _, name := range []string{"a", "gone", "moved"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(dir + "/sub"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir+"/sub"); err != nil {
		t.Fatal(err)
	}
	done, err := recoverIn(t.Context(), journals)
	if err != nil || len(done) != 1 || !done[0].Finished {
		t.Fatalf("%+v %v", done, err)
	}
	var left []string
	for _, g := range done[0].Left {
		left = append(left, strings.TrimPrefix(g.Path, dir+"/"))
	}
	slices.Sort(left)
	if diff := cmp.Diff([]string{"a", "gone", "moved", "sub/c"}, left); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	for name, want := range map[string]string{"a": "theirs", "gone": "theirs", "moved": "theirs", "b": "new\n", "fresh/d": "new\n"} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); string(raw) != want {
			t.Errorf("%s: %q %v", name, raw, err)
		}
	}
	if left, _ := filepath.Glob(dir + "/" + staging + "*"); len(left) > 0 {
		t.Errorf("copies are left: %q", left)
	}
}

// TestJournals: a journal counts only if its owner alone could write it, it is whole, and its process has ended.
func TestJournals(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	write := func(name, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name+journalSuffix)
		if err := errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	head := func(steps ...*step) string {
		raw, err := json.Marshal(journalHead{journalVersion, steps})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	info := func() os.FileInfo {
		if err := os.WriteFile(victim, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(victim)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}()
	remove := &step{Do: actRemove, Dir: []byte(dir), Name: []byte("victim")}
	now := stampOf(info)
	remove.was(&State{stamp: now})
	for _, tt := range []struct {
		name, content string
		mode          os.FileMode
		wrong         bool // it is an error, and the journal stays
		removed       bool // the journal is gone
		acts          bool
	}{
		{"open to others", head(remove) + journalReady, 0o622, true, false, false},
		{"another version", `{"version":99,"steps":[]}` + "\n" + journalReady, 0o600, true, false, false},
		{"no JSON", "hello\n" + journalReady, 0o600, true, false, false},
		{"cut in the first line", head(remove)[:20], 0o600, false, true, false},
		{"empty", "", 0o600, false, true, false},
		{"not ready", head(remove), 0o600, false, true, false},
		{"cut in the second line", head(remove) + "rea", 0o600, false, true, false},
		{"above its directory", head(&step{Do: actRemove, Dir: []byte(t.TempDir()), Name: []byte("../../" + victim), Inode: remove.Inode, Device: remove.Device, Size: remove.Size, Since: remove.Since}) + journalReady, 0o600, false, true, false},
		{"whole", head(remove) + journalReady, 0o600, false, true, true},
	} {
		path := write("j", tt.content, tt.mode)
		_, err := recoverIn(t.Context(), dir)
		if (err != nil) != tt.wrong {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) != tt.removed {
			t.Errorf("%s: the journal: %v", tt.name, err)
		}
		if _, err := os.Lstat(victim); errors.Is(err, os.ErrNotExist) != tt.acts {
			t.Errorf("%s: the file: %v", tt.name, err)
		}
		_ = os.Remove(path)
	}
	live, err := newJournal(dir, []*step{remove})
	if err != nil {
		t.Fatal(err)
	}
	defer live.remove()
	if err := live.ready(); err != nil {
		t.Fatal(err)
	}
	if done, err := recoverIn(t.Context(), dir); err != nil || len(done) > 0 {
		t.Errorf("a commit under way: %+v %v", done, err)
	}
}

// FuzzJournal holds that a journal makes a recovery touch nothing outside the directories that it names.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"version":1,"steps":[{"do":"remove","dir":"L3RtcA==","name":"Li4vYQ=="}]}` + "\n" + journalReady))
	f.Add([]byte(`{"version":1,"steps":[null]}` + "\n" + journalReady))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		line, rest, _ := strings.Cut(string(raw), "\n")
		var head journalHead
		if json.Unmarshal([]byte(line), &head) != nil || slices.Contains(head.Steps, nil) {
			return
		}
		dir, outside := t.TempDir(), t.TempDir()
		if err := os.WriteFile(outside+"/file", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, s := range head.Steps {
			s.Dir = []byte(dir)
		}
		_, _ = head.end(t.Context(), rest == journalReady)
		if _, err := os.Lstat(outside + "/file"); err != nil {
			t.Error(err)
		}
	})
}

// TestPartial: a commit fails in the middle, because a directory to delete is not empty any more.
func TestPartial(t *testing.T) {
	dir := rewritable(t)
	s, _ := rehearseScripts(t, Config{Dir: dir}, "echo new >a; rm -r sub; rm gone; mv m moved; mkdir fresh; chmod 700 fresh")
	s.reached = func(what string) {
		if what == "staged" {
			if err := os.WriteFile(dir+"/sub/theirs", nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	var told []string
	s.cfg.Committed = func(c Change) { told = append(told, strings.TrimPrefix(c.Path, dir+"/")) }
	n, err := s.Commit(t.Context())
	var partial *PartialError
	if !errors.As(err, &partial) || n == 0 {
		t.Fatalf("got %d %v", n, err)
	}
	short := func(list []string) (out []string) {
		for _, p := range list {
			out = append(out, strings.TrimPrefix(p, dir+"/"))
		}
		return out
	}
	if diff := cmp.Diff([][]string{{"a", "sub/c"}, {"fresh", "moved"}, {"sub", "gone"}, {"sub/c", "a"}}, [][]string{short(partial.Made), short(partial.Begun), short(partial.Left), told}, cmp.Transformer("sorted", func(s []string) string { slices.Sort(s); return strings.Join(s, " ") })); diff != "" {
		t.Errorf("made, begun, left, told (-want +got)\n%s\n%v", diff, err)
	}
}

// TestClosed: the calls would change directories that are closed to us.
func TestClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to the superuser; TestOrdinaryUser runs this test")
	}
	for _, script := range []string{"rm sub/c", "mkdir sub/new", "mv sub/c c", "echo new >sub/c; echo new >a"} {
		dir := rewritable(t)
		s, _ := rehearseScripts(t, Config{Dir: dir}, script)
		was := states(t, dir)
		if err := os.Chmod(dir+"/sub", 0o555); err != nil {
			t.Fatal(err)
		}
		n, err := s.Commit(t.Context())
		if err == nil || n != 0 {
			t.Errorf("%s: got %d %v", script, n, err)
		}
		if diff := cmp.Diff(was, states(t, dir)); diff != "" {
			t.Errorf("%s: %s", script, diff)
		}
		_ = os.Chmod(dir+"/sub", 0o755) // to be removed
	}
}

// TestSparse commits a file with a large hole. It is larger than the server's storage.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	s, r := rehearseScripts(t, Config{Dir: dir, Limits: Limits{Storage: 8 << 20}}, "truncate -s 1G f; echo end >>f; mkdir d; mv f d/f; mv d e")
	if r.Incomplete || len(r.Changes) != 2 {
		t.Fatalf("got %q %s", told(r, dir), whys(r))
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir + "/e/f")
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); info.Size() != 1<<30+4 || stat.Blocks > 1<<10 {
		t.Errorf("it has %d bytes, in %d blocks", info.Size(), stat.Blocks)
	}
}
