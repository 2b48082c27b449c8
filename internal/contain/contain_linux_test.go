// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package contain

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/need"
)

// nobody is the ordinary user of the tests that run as the superuser.
const nobody = 65534

// TestOrdinaryUser runs the other tests again as an ordinary user.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user already")
	}
	dir, err := os.MkdirTemp("", "contain-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program, home := filepath.Join(dir, "contain.test"), filepath.Join(dir, "home")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(program, raw, 0o755), os.Mkdir(home, 0o755), os.Chown(home, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=4m")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestFiles") && !strings.Contains(string(out), "--- SKIP: TestFiles") {
		t.Fatalf("the tests did not run:\n%s", out)
	}
}

// A contained is a server in walls, which answers calls one by one.
type contained struct {
	t      *testing.T
	server *Server
	out    *bufio.Reader
}

// begin starts the server of these tests, or skips the test where walls cannot be built.
func begin(t *testing.T, cfg Config) *contained {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Init = []string{self, "as-sandbox"}
	if cfg.Command == nil {
		cfg.Command = []string{self, "as-server", cfg.Dir}
	}
	s, err := Start(t.Context(), cfg)
	if err != nil && strings.Contains(err.Error(), "cannot be contained here") {
		need.Namespace.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(t.Context()); s.Close() })
	return &contained{t, s, bufio.NewReader(s.Stdout())}
}

// call makes a call and returns its answer. Ok: it did not fail.
func (c *contained) call(tool, argument, text string) (answer string, ok bool) {
	c.t.Helper()
	line, err := json.Marshal(map[string]string{"tool": tool, "argument": argument, "text": text})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.server.Stdin(), "%s\n", line); err != nil {
		c.t.Fatal(err)
	}
	answer, err = c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%s %s: %v", tool, argument, err)
	}
	answer = strings.TrimSpace(answer)
	return answer, !strings.HasPrefix(answer, "failed: ")
}

// directory returns a new directory without a link on its path, with files.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExplained holds that the log explains an error that the walls cause, once in all starts of a server, also by the arguments of its call.
func TestExplained(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{"root/x": "", "outside/file.txt": ""})
	const answer = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"spawn /bin/sh ENOENT"}}`
	call := fmt.Sprintf(`{"id":1,"params":{"arguments":{"workdir":"%s/outside/file.txt"}},"tool":"environment","argument":"ANSWER"}`, dir)
	var log safeBuilder
	told := new(Told)
	for range 2 {
		c := begin(t, Config{
			Roots: []string{dir + "/root"}, Dir: dir + "/root", Env: append(os.Environ(), "ANSWER="+answer), Name: "files", Policy: "p.yaml", Told: told, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if _, err := fmt.Fprintln(c.server.Stdin(), call); err != nil {
			t.Fatal(err)
		}
		if got, err := c.out.ReadString('\n'); strings.TrimSpace(got) != answer {
			t.Errorf("the answer is %s %v", got, err)
		}
	}
	want := `contain: {read: ['` + dir + `/outside/file.txt']} in p.yaml shows it`
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(log.String(), want) && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	if strings.Count(log.String(), want) != 1 {
		t.Errorf("logged %s, want %s once", log.String(), want)
	}
}

// TestFiles attacks the files of the machine through a server without any check of its own. Harmless calls work.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{
		"root/inside.txt": "inside", "shared/read.txt": "shared", "outside/secret.txt": "SECRET", "root-evil/secret.txt": "SECRET",
		"home/.ssh/id_rsa": "SECRET", "home/notes.txt": "SECRET",
	})
	root := filepath.Join(dir, "root")
	if err := os.Symlink("../outside", filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	c := begin(t, Config{
		Roots: []string{root}, Dir: root, Env: append(os.Environ(), "HOME="+dir+"/home"), Keep: []string{dir + "/toolvet.yaml"},
		Walls: policy.Containment{Read: []string{dir + "/shared"}, Write: nil},
	})
	for _, tt := range []struct{ tool, argument, text, want string }{
		{"read", "inside.txt", "", "inside"}, {"read", root + "/inside.txt", "", "inside"}, {"read", dir + "/shared/read.txt", "", "shared"},
		{"write", "new.txt", "new", "written"}, {"read", "new.txt", "", "new"}, {"shell", "hello", "", "hello"}, {"write", "/tmp/draft", "new", "written"},
		{"link", "by-link", "inside.txt", "linked"}, {"read", "by-link", "", "inside"},
	} {
		if got, _ := c.call(tt.tool, tt.argument, tt.text); got != tt.want {
			t.Errorf("the harmless call %s %s: got %q, want %q", tt.tool, tt.argument, got, tt.want)
		}
	}
	for _, tt := range []struct{ tool, argument, text string }{
		{"read", "../outside/secret.txt", ""}, {"read", dir + "/outside/secret.txt", ""}, {"read", root + "-evil/secret.txt", ""}, {"read", "away/secret.txt", ""},
		{"read", dir + "/home/.ssh/id_rsa", ""}, {"read", dir + "/home/notes.txt", ""}, {"read", "/proc/1/root" + dir + "/outside/secret.txt", ""}, {"read", "/proc/self/cwd/../outside/secret.txt", ""},
		{"write", "../outside/new.txt", "x"}, {"write", "away/new.txt", "x"}, {"write", dir + "/shared/read.txt", "x"}, {"write", "/etc/toolvet-new", "x"},
		{"write", "/usr/toolvet-new", "x"}, {"write", "/toolvet-new", "x"},
		{"shell", "; cat " + dir + "/outside/secret.txt", ""}, {"shell", "; echo x >" + dir + "/outside/new.txt", ""}, {"shell", "; rm -rf " + dir + "/outside " + dir + "/home", ""},
		{"shell", "; ln -s " + dir + "/outside " + root + "/further; cat " + root + "/further/secret.txt", ""},
		{"shell", "; kill -9 " + fmt.Sprint(os.Getpid()), ""}, {"shell", "; mount --bind /tmp /etc", ""}, {"shell", "; unshare -Urm true", ""},
	} {
		if got, ok := c.call(tt.tool, tt.argument, tt.text); strings.Contains(got, "SECRET") || ok && tt.tool != "shell" {
			t.Errorf("the attack %s %s works: %s", tt.tool, tt.argument, got)
		}
	}
	for _, name := range []string{"new.txt", "home/.bashrc"} { // where the directory for temporary files is the server's own, it may write and nothing stays
		c.call("write", filepath.Join(dir, name), "x")
	}
	for name, want := range map[string]string{
		"root/new.txt": "new", "outside/secret.txt": "SECRET", "outside/new.txt": "", "new.txt": "", "shared/read.txt": "shared", "home/.ssh/id_rsa": "SECRET", "home/.bashrc": "",
	} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); string(raw) != want || want == "" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("on the machine, %s holds %q (%v), want %q", name, raw, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "later.txt"), []byte("later"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.call("read", "later.txt", ""); got != "later" {
		t.Errorf("the server reads %q from a file made since its start, want %q", got, "later")
	}
}

// TestStarted holds that "." in the walls is the directory in which the server starts.
func TestStarted(t *testing.T) {
	t.Parallel()
	for name, walls := range map[string]policy.Containment{"write": {Write: []string{"."}}, "read": {Read: []string{"."}}} {
		dir := directory(t, map[string]string{"root/inside.txt": "inside", "outside/secret.txt": "SECRET"})
		c := begin(t, Config{Dir: dir + "/root", Walls: walls})
		if got, _ := c.call("read", "inside.txt", ""); got != "inside" {
			t.Errorf("%s: the server reads %q", name, got)
		}
		if got, _ := c.call("read", "../outside/secret.txt", ""); got == "SECRET" {
			t.Errorf("%s: the server reads beside its directory", name)
		}
		_, ok := c.call("write", "new.txt", "new")
		if raw, _ := os.ReadFile(dir + "/root/new.txt"); ok != (name == "write") || ok != (string(raw) == "new") {
			t.Errorf("%s: the server writes: %v, %q", name, ok, raw)
		}
		if dot := walls.Write; name == "write" && dot[0] != "." {
			t.Errorf("the policy's own walls changed: %v", dot)
		}
	}
	if got := Words([]string{"."}, nil); !strings.HasSuffix(got, "may change the directory in which it starts") {
		t.Error(got)
	}
}

// TestHeld holds that a server cannot put another directory, or a link, where the policy names a place below a writable
// one: its next start would show that one. So it is for places of secrets.
func TestHeld(t *testing.T) {
	t.Parallel()
	home := directory(t, map[string]string{"work/a/read/file": "read", "work/b/c/write/file": "", ".config/gh/hosts.yml": "SECRET", ".config/other": "", "plain/file": ""})
	c := begin(t, Config{
		Dir: home, Env: append(os.Environ(), "HOME="+home),
		Walls: policy.Containment{Write: []string{home, home + "/work/b/c/write"}, Read: []string{home + "/work/a/read"}},
	})
	for _, name := range []string{".config", ".config/gh", "work", "work/a", "work/a/read", "work/b", "work/b/c", "work/b/c/write"} {
		if got, ok := c.call("rename", filepath.Join(home, name), home+"/moved"); ok {
			t.Fatalf("the server renames %s: %s", name, got)
		}
		if got, ok := c.call("rename", home+"/plain", filepath.Join(home, name)); ok {
			t.Fatalf("the server puts another directory at %s: %s", name, got)
		}
	}
	for _, tt := range []struct{ tool, argument, text string }{
		{"write", home + "/.config/other", "x"}, {"write", home + "/work/a/new", "x"}, {"write", home + "/work/b/c/write/file", "x"}, {"rename", home + "/work/a/new", home + "/work/a/newer"}, {"rename", home + "/plain", home + "/plainer"},
	} {
		if got, ok := c.call(tt.tool, tt.argument, tt.text); !ok {
			t.Errorf("the harmless call %s %s: %s", tt.tool, tt.argument, got)
		}
	}
	if raw, err := os.ReadFile(home + "/work/a/newer"); string(raw) != "x" {
		t.Errorf("on the machine, a changed file holds %q (%v)", raw, err)
	}
	if got, _ := c.call("shell", "; cat "+home+"/.config/gh/hosts.yml", ""); strings.Contains(got, "SECRET") {
		t.Errorf("the server reads a secret: %s", got)
	}
}

// TestReplacedByLinks holds that what a server can make a link shows nothing more at its next start.
func TestReplacedByLinks(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{"root/x": "", "private/secret.txt": "SECRET", "private/package.json": "{}", "private/bin/run": ""})
	root := dir + "/root"
	for name, to := range map[string]string{"server.py": "../private/secret.txt", "bin": "../private/bin", "inside": "x"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root+"/server.py", dir+"/server"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := begin(t, Config{
		Roots: []string{root}, Dir: root, Env: append(os.Environ(), "PATH="+os.Getenv("PATH")+":"+root+"/bin", "DENO_DIR="+root+"/bin"), Walls: policy.Containment{Read: []string{root + "/inside"}},
		Command: []string{self, "as-server", root, root + "/server.py", "server.py", "--lib=./bin", dir + "/server"},
	})
	for _, name := range []string{"secret.txt", "package.json", "bin/run"} {
		if got, ok := c.call("read", dir+"/private/"+name, ""); ok {
			t.Errorf("the server reads %s: %s", name, got)
		}
	}
}

// TestSockets holds that a server reaches no socket of the machine beside its programs and its home.
func TestSockets(t *testing.T) {
	t.Parallel()
	dir := directory(t, map[string]string{"root/inside.txt": "inside", "program/package.json": "{}", "program/run": "", "run/file": ""})
	for _, name := range []string{"program/socket", "run/socket"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Skip(err) // the path is too long for a socket
		}
		defer l.Close()
		go func() {
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				_, _ = io.WriteString(conn, "REACHED\n")
				conn.Close()
			}
		}()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := begin(t, Config{Roots: []string{dir + "/root"}, Dir: dir + "/root", Command: []string{self, "as-server", dir + "/root", dir + "/program/run"}})
	if got, ok := c.call("read", dir+"/program/package.json", ""); !ok {
		t.Errorf("the server cannot read its program: %s", got)
	}
	for _, name := range []string{"program/socket", "run/socket"} {
		if got, ok := c.call("ask", filepath.Join(dir, name), ""); ok {
			t.Errorf("the server reaches %s: %s", name, got)
		}
	}
}

// TestNetwork attacks the network through a server that fetches any URL and follows redirects. The host of the harmless
// calls is on this machine, and allowed by its name.
func TestNetwork(t *testing.T) {
	t.Parallel()
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "SECRET") }))
	defer secret.Close()
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "a page")
	}))
	defer public.Close()
	port := func(s *httptest.Server) string { _, p, _ := net.SplitHostPort(s.Listener.Addr().String()); return p }
	var log safeBuilder
	root := directory(t, nil)
	c := begin(t, Config{
		Roots: []string{root}, Dir: root, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Walls: policy.Containment{Network: policy.ContainedNetwork{Allow: []string{"*", "*:" + port(secret)}, AllowPrivate: []string{"localhost:" + port(public)}}},
	})
	page := "http://localhost:" + port(public)
	if got, _ := c.call("fetch", page, ""); got != "a page" {
		t.Errorf("the harmless call: got %q", got)
	}
	if got, _ := c.call("fetch", page+"/?to=/there", ""); got != "a page" {
		t.Errorf("a harmless redirect: got %q", got)
	}
	for _, url := range []string{
		secret.URL, "http://localhost:" + port(secret), "http://[::1]:" + port(secret), "http://0.0.0.0:" + port(secret), "http://2130706433:" + port(secret),
		"http://127.1:" + port(secret), "http://[::ffff:127.0.0.1]:" + port(secret), "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fd00:ec2::254]/",
		"http://metadata.google.internal/", "http://localtest.me:" + port(secret) + "/",
	} {
		for _, at := range []string{url, page + "/?to=" + url} {
			if got, ok := c.call("fetch", at, ""); ok {
				t.Errorf("the attack on %s works: %s", at, got)
			}
		}
	}
	if got, ok := c.call("send", "127.0.0.1:"+port(secret), "GET / HTTP/1.0\r\n\r\n"); ok {
		t.Errorf("the attack without HTTP works: %s", got)
	}
	if text := log.String(); !strings.Contains(text, "169.254.169.254:80") {
		t.Errorf("the log does not name a refused host:\n%s", text)
	}
}

// A safeBuilder is a strings.Builder for several goroutines.
type safeBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuilder) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuilder) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestNoNetwork holds that a server without hosts in its policy reaches nobody.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	root := directory(t, nil)
	c := begin(t, Config{Roots: []string{root}, Dir: root})
	for _, to := range []string{l.Addr().String(), "93.184.215.14:80", "example.com:443"} {
		if got, ok := c.call("send", to, "x"); ok {
			t.Errorf("the server reaches %s: %s", to, got)
		}
	}
	if got, _ := c.call("environment", "UV_OFFLINE", ""); got != "1" {
		t.Errorf("launchers do not know that there is no network: got %q", got)
	}
}

// TestRefused holds that a server is not started without its walls.
func TestRefused(t *testing.T) {
	t.Parallel()
	root := directory(t, map[string]string{"file": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(root, "made")
	linked := directory(t, map[string]string{"root/file": "", "away/file": "", "beside/toolvet.yaml": "", "home/dot/ssh/key": ""})
	for name, to := range map[string]string{"root/away": "../away", "root/toolvet.yaml": "../beside/toolvet.yaml", "policy.yaml": "root/file", "home/.ssh": "dot/ssh"} {
		if err := os.Symlink(to, filepath.Join(linked, name)); err != nil {
			t.Fatal(err)
		}
	}
	keeping := func(name string) Config {
		return Config{Roots: []string{linked + "/root"}, Keep: []string{filepath.Join(linked, name)}}
	}
	const kept = "which belongs to its policy: move that file"
	for name, tt := range map[string]struct {
		cfg  Config
		want string
	}{
		"a missing root":    {Config{Roots: []string{root + "/missing"}}, "it may write to " + root + "/missing, but it does not exist"},
		"a missing place":   {Config{Walls: policy.Containment{Read: []string{root + "/missing"}}}, "it may read " + root + "/missing, but it does not exist"},
		"the whole machine": {Config{Roots: []string{"/"}}, "it belongs to the system"},
		"a pipe":            {Config{Roots: []string{root + "/pipe"}}, "neither a directory nor a regular file"},
		"its own policy":    {keeping("root/file"), kept}, "a lock to come": {keeping("root/sub/toolvet.lock"), kept}, "a link to its policy": {keeping("root/toolvet.yaml"), kept},
		"its policy through a link": {keeping("policy.yaml"), kept},
		"a link that it may change": {Config{Roots: []string{linked + "/root"}, Walls: policy.Containment{Read: []string{linked + "/root/away"}}}, "the server may change the symbolic link " + linked + "/root/away"},
		"a link to write through":   {Config{Walls: policy.Containment{Write: []string{linked + "/root", linked + "/root/away/file"}}}, "the server may change the symbolic link"},
		"a link to secrets":         {Config{Roots: []string{linked + "/home"}, Env: append(os.Environ(), "HOME="+linked+"/home")}, "leads to a place of secrets"},
		"a start at home":           {Config{Walls: policy.Containment{Write: []string{"."}}, Env: append(os.Environ(), "HOME="+root)}, root + " is more than a project"},
		"a start above home":        {Config{Walls: policy.Containment{Read: []string{"."}}, Env: append(os.Environ(), "HOME="+root+"/u")}, root + " is more than a project"},
		"a container":               {Config{Remote: true}, "in a container or on another machine"},
		"an unreadable host":        {Config{Walls: policy.Containment{Network: policy.ContainedNetwork{Allow: []string{"a b"}}}}, "is no host"},
		"a helper that is none":     {Config{Init: []string{"/bin/false"}}, "cannot be contained"},
		"a server that is not":      {Config{Command: []string{root + "/none"}}, "cannot be contained"},
	} {
		cfg := tt.cfg
		cfg.Dir = root
		if cfg.Command == nil {
			cfg.Command = []string{"/bin/sh", "-c", "echo >" + made}
		}
		if cfg.Init == nil {
			cfg.Init = []string{self, "as-sandbox"}
		}
		s, err := Start(t.Context(), cfg)
		if err == nil {
			s.Close()
			t.Errorf("%s: the server starts", name)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) && !strings.Contains(err.Error(), "cannot be contained here") {
			t.Errorf("%s: got %q, want …%s…", name, err, tt.want)
		}
	}
	if _, err := os.Lstat(made); err == nil {
		t.Error("a server was started without walls")
	}
}

// TestUnsupported holds that the error of a machine that cannot build walls names the reason and the remedy.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	err := unsupported(&sandbox.UnsupportedError{What: "the switch is off", Fix: "switch it on"})
	if want := "the server cannot be contained here, and is not started: the switch is off; switch it on"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// TestEnds holds that a server and its children end with Stop, and with this process's side of the walls.
func TestEnds(t *testing.T) {
	t.Parallel()
	root := directory(t, nil)
	c := begin(t, Config{Roots: []string{root}, Dir: root})
	if got, ok := c.call("shell", "; (while sleep 0.1; do echo >>"+root+"/alive; done) >/dev/null 2>&1 &", ""); !ok {
		t.Fatal(got)
	}
	if err := c.server.Stop(t.Context()); err != nil {
		t.Errorf("the server %v", err)
	}
	size := func() int64 {
		info, err := os.Stat(root + "/alive")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size()
	time.Sleep(500 * time.Millisecond)
	if size() != before {
		t.Error("a child of the server outlives it")
	}
}
