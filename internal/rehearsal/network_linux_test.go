// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/policy"
)

// talk makes a rehearsed program connect, and returns the answers and the report.
func talk(t *testing.T, cfg Config, what ...string) (told, reported, gaps []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	_, r := rehearseScripts(t, cfg, self+" as-client '"+strings.Join(what, "' '")+"'")
	for _, a := range r.Network {
		reported = append(reported, a.words())
	}
	for _, g := range r.Gaps {
		gaps = append(gaps, g.Why)
	}
	return strings.Split(strings.TrimSpace(r.Calls[0].words()), "\n"), reported, gaps
}

func TestNetwork(t *testing.T) {
	told, reported, gaps := talk(t, Config{},
		"https://api.example.com/v1/x?key=ghp_x7Kq2LmN9vRt4WzB8cYd3FgH6jPs1QaE5uTo", "https://api.example.com/v1/x?key=ghp_x7Kq2LmN9vRt4WzB8cYd3FgH6jPs1QaE5uTo",
		"http://192.0.2.9:8080/", "db.example.com:5432", "192.0.2.10:25", "only.looked-up.example")
	off := "403 toolvet: the network is off in a rehearsal, nothing was sent"
	if diff := cmp.Diff([]string{off, off, off, `told ""`, "refused", "looked up true"}, told); diff != "" {
		t.Errorf("the program was told (-want +got)\n%s", diff)
	}
	want := []string{
		"would connect to 192.0.2.10:25", "would send POST http://192.0.2.9:8080/ (5 bytes)",
		"would send POST https://api.example.com/v1/x?key=[redacted:github-pat] (5 bytes)", "would connect to db.example.com:5432", "would look up only.looked-up.example",
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(strings.Join(gaps, "\n"), "the network is off") {
		t.Errorf("got the gaps %q", gaps)
	}
}

// TestDomain sends data out over the port of the DNS: in questions of any type, in other messages, and over TCP.
func TestDomain(t *testing.T) {
	what := []string{"udp:192.0.2.1:53", "192.0.2.2:53", "txt:txt.example", "again.example", "again.example"}
	want := []string{"would connect to 192.0.2.1:53", "would connect to 192.0.2.2:53", "would look up again.example", "would look up txt.example"}
	told := []string{"sent true", "refused", "looked up false", "looked up true", "looked up true"}
	if _, err := os.Stat("/proc/net/if_inet6"); err == nil {
		what, want, told = append(what, "six:six.example"), slices.Insert(want, 3, "would look up six.example"), append(told, "looked up true")
	}
	got, reported, _ := talk(t, Config{}, what...)
	if diff := cmp.Diff(told, got); diff != "" {
		t.Errorf("the program was told (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestAgain: a call repeats the connections of the server's start.
func TestAgain(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := self + " as-client http://api.example.com/collect db.example.com:5432 name.example"
	_, r := rehearseScripts(t, Config{Dir: t.TempDir(), Command: []string{script}}, script)
	var got []string
	for _, a := range r.Network {
		got = append(got, a.words()+start(a.AtStart))
	}
	var want []string
	for _, w := range []string{"would send POST http://api.example.com/collect (5 bytes)", "would connect to db.example.com:5432", "would look up name.example"} {
		want = append(want, w+" (as the server started)", w)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if found := Judge(r, "test", []policy.Effect{{Name: "alone", NoNetwork: true}}); len(found) == 0 {
		t.Errorf("it is allowed: %v", found)
	}
}

// TestFloodOfRequests: a server sends more requests than a report can list, and then another one.
func TestFloodOfRequests(t *testing.T) {
	t.Parallel()
	o := &outside{told: make([]egress.Attempt, maxRequests-1)}
	for _, lost := range []bool{false, true, true} {
		if o.record(egress.Attempt{}); o.lost != lost {
			t.Errorf("after %d attempts: lost is %v", len(o.told), o.lost)
		}
	}
}

// TestReplay answers from a recording.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "answers.har")
	har := `{"log":{"entries":[{"request":{"method":"POST","url":"https://api.example.com/a"},"response":{"status":201,"content":{"mimeType":"text/plain","text":"made"}}}]}}`
	if err := os.WriteFile(file, []byte(har), 0o600); err != nil {
		t.Fatal(err)
	}
	told, reported, _ := talk(t, Config{Network: policy.RehearsalNetwork{Replay: file}}, "https://api.example.com/a", "https://api.example.com/b")
	if want := []string{"201 made", "403 toolvet: no answer was recorded for this request, and nothing was sent"}; !cmp.Equal(told, want) {
		t.Errorf("the program was told %q, want %q", told, want)
	}
	if want := []string{"would send POST https://api.example.com/a, answered from the recording (status 201)", "would send POST https://api.example.com/b (5 bytes)"}; !cmp.Equal(reported, want) {
		t.Errorf("got %q, want %q", reported, want)
	}
}

// TestAllow: two servers of this machine are allowed, and nobody else.
func TestAllow(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s is here", r.URL.Path)
	})
	web, other := httptest.NewServer(page), httptest.NewServer(page)
	defer web.Close()
	defer other.Close()
	database, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	go func() {
		for {
			conn, err := database.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintf(conn, "+%s", line)
			conn.Close()
		}
	}()
	har := filepath.Join(t.TempDir(), "answers.har")
	data := database.Addr().String()
	n := policy.RehearsalNetwork{AllowPrivate: []string{strings.TrimPrefix(web.URL, "http://"), data}, Record: har}
	told, reported, gaps := talk(t, Config{Network: n}, web.URL+"/x", data, other.URL)
	if want := []string{"200 /x is here", `told "+*1\r\n"`, "no answer false"}; !cmp.Equal(told, want) {
		t.Errorf("the program was told %q, want %q", told, want)
	}
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	want := []string{
		"would connect to " + strings.TrimPrefix(other.URL, "http://"), // a program of this machine, which is not allowed
		"connected to localhost:" + port(data) + ", which is allowed (4 bytes sent, 5 received)",
		"sent POST http://localhost:" + port(web.URL) + "/x, which is allowed (5 bytes sent, status 200, 10 received)",
	}
	slices.Sort(want)
	slices.Sort(reported)
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(strings.Join(gaps, "\n"), "reached for real") {
		t.Errorf("got the gaps %q", gaps)
	}
	web.Close()
	told, _, _ = talk(t, Config{Network: policy.RehearsalNetwork{Replay: har}}, web.URL+"/x", web.URL+"/y")
	if len(told) != 2 || told[0] != "200 /x is here" || !strings.Contains(told[1], "no answer was recorded") {
		t.Errorf("the recording is replayed as %q", told)
	}
}

// TestItself: a server connects to itself, to a closed port, and to a program of this machine.
func TestItself(t *testing.T) {
	machine, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	theirs, nobodys := machine.Addr().String(), free.Addr().String()
	for _, tt := range []struct {
		what      []string
		reported  []string
		gap       string
		uncertain bool
	}{
		{[]string{"itself"}, []string{"connected to 127.0.0.1:PORT, where it listens itself"}, "", false},
		{[]string{nobodys}, []string{"tried to connect to 127.0.0.1:PORT, where nobody listens"}, "", false},
		{[]string{theirs}, []string{"would connect to 127.0.0.1:PORT"}, "a program of this machine listens at", true},
		{[]string{"at:" + theirs}, []string{"would connect to 127.0.0.1:PORT"}, "a program of this machine listens at", true},
	} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		_, r := rehearseScripts(t, Config{Dir: t.TempDir()}, self+" as-client '"+strings.Join(tt.what, "' '")+"'")
		var reported []string
		for _, a := range r.Network {
			reported = append(reported, ports.ReplaceAllString(a.words(), ":PORT"))
		}
		if diff := cmp.Diff(tt.reported, reported); diff != "" || r.Uncertain != tt.uncertain || !strings.Contains(whys(r), tt.gap) || strings.Contains(whys(r), "actions after them, are unknown") != (tt.gap != "") {
			t.Errorf("%q: uncertain %v, the gaps %q; (-want +got)\n%s", tt.what, r.Uncertain, whys(r), diff)
		}
		found := Judge(r, "test", []policy.Effect{{Name: "alone", NoNetwork: true}})
		if len(found) == 0 != (tt.what[0] == "itself") {
			t.Errorf("%q: a rule without a network finds %v", tt.what, found)
		}
	}
}

var ports = regexp.MustCompile(`:[0-9]+\b`)

func TestNetworkProblems(t *testing.T) {
	t.Parallel()
	for _, n := range []policy.RehearsalNetwork{
		{Replay: "no-such-file"}, {Record: "x"}, {Allow: []string{"a b"}}, {AllowPrivate: []string{"localhost"}}, {Allow: []string{"a.example"}, Replay: os.DevNull},
	} {
		if _, err := newOutside(n); err == nil {
			t.Errorf("%+v is no problem", n)
		}
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	got := attempts([]Attempt{
		{Address: "a.example:443"}, {Address: "a.example"}, {Address: "b.example"}, {Address: "a.example:443", Method: "GET", URL: "https://a.example/", Status: 403},
		{Address: "a.example:443", Method: "GET", URL: "https://a.example/", Status: 403, Sent: 4}, {Address: "192.0.2.1:80"}, {Address: "192.0.2.1:80"}, {Address: "192.0.2.1:80", Sent: 4},
	})
	want := []Attempt{{Address: "192.0.2.1:80", Sent: 4}, {Address: "a.example:443", Method: "GET", URL: "https://a.example/", Status: 403}, {Address: "b.example"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEnvironment: the server gets no secrets of the environment, unless the configuration names them.
func TestEnvironment(t *testing.T) {
	t.Setenv("TOOLVET_TEST_SECRET", "hidden")
	t.Setenv("TOOLVET_TEST_NAMED", "named")
	t.Setenv("TOOLVET_TEST_SET", "ours")
	dir := t.TempDir()
	_, r := rehearseScripts(t, Config{Dir: dir, Pass: []string{"TOOLVET_TEST_N*"}, Env: []string{"TOOLVET_TEST_SET=theirs"}}, "env | grep ^TOOLVET_TEST | sort; echo $PATH")
	if got, want := r.Calls[0].words(), "TOOLVET_TEST_NAMED=named\nTOOLVET_TEST_SET=theirs\n"+os.Getenv("PATH")+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Contains(r.Withheld, "TOOLVET_TEST_SECRET") || slices.Contains(r.Withheld, "TOOLVET_TEST_SET") || slices.Contains(r.Withheld, "PATH") {
		t.Errorf("withheld: %q", r.Withheld)
	}
}

// TestRenamedSocket: a server gives a socket of the machine another name before it connects.
func TestRenamedSocket(t *testing.T) {
	for script, ofMachine := range map[string]bool{"ln s x": true, "mv s x": true, "ln -s s x": true, "true": false} {
		dir, err := os.MkdirTemp("", "renamed-") // a socket's path is short
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		l, err := net.Listen("unix", dir+"/s")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, r := rehearseScripts(t, Config{Dir: dir}, script+"; "+self(t)+" as-client unix:x")
		if r.Uncertain != ofMachine {
			t.Errorf("%s: uncertain is %v; %s", script, r.Uncertain, whys(r))
		}
	}
}
