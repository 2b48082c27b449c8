// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/npm"
)

// throughEnv names toolvet, and makes the test's own program run a client of the suite through it.
const throughEnv = "TOOLVET_CONFORMANCE_THROUGH"

func TestMain(m *testing.M) {
	if toolvet := os.Getenv(throughEnv); toolvet != "" {
		if err := through(toolvet, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var (
	requirements = []string{"2025-11-25", "2026-07-28"}
	// patience bounds one run of the suite, which takes seconds.
	patience = 3 * time.Minute
)

// programs are toolvet and the conformance programs of the pinned Go SDK.
type programs struct{ toolvet, server, client string }

func build(t *testing.T) programs {
	t.Helper()
	need.Minutes(t)
	dir := t.TempDir()
	const sdk = "github.com/modelcontextprotocol/go-sdk/conformance/everything-"
	p := programs{filepath.Join(dir, "toolvet.exe"), filepath.Join(dir, "server.exe"), filepath.Join(dir, "client.exe")}
	for program, source := range map[string]string{p.toolvet: "../../../../cmd/toolvet", p.server: sdk + "server", p.client: sdk + "client"} {
		cmd := exec.Command("go", "build", "-o", program, source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as CI has compiled it
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", source, err, out)
		}
	}
	return p
}

// A count is the number of results of a check in a scenario.
type count struct{ passed, failed int }

// An outcome has the results of the suite: the checks by "SCENARIO CHECK", and the scenarios that do
// not count for the revision.
type outcome struct {
	checks   map[string]count
	unscored map[string]bool
}

// total sums up the scored scenarios.
func (o outcome) total() (scenarios int, sum count) {
	seen := map[string]bool{}
	for key, c := range o.checks {
		scenario, _, _ := strings.Cut(key, " ")
		if !o.unscored[scenario] {
			seen[scenario] = true
			sum.passed += c.passed
			sum.failed += c.failed
		}
	}
	return len(seen), sum
}

// run runs the suite. Env is added to its environment.
func run(t *testing.T, suite []string, env []string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, suite[0], slices.Concat(suite[1:], args, []string{"--output-dir", dir})...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), env...)
	text, err := cmd.CombinedOutput() // the results show failures, too
	o := outcome{checks: readChecks(t, dir, args[0]), unscored: map[string]bool{}}
	if len(o.checks) == 0 {
		t.Fatalf("the suite checked nothing: %v\n%s", err, text)
	}
	_, list, _ := strings.Cut(string(text), "Not scored for ")
	for _, m := range notScored.FindAllStringSubmatch(list, -1) {
		o.unscored[m[1]] = true
	}
	return o
}

// notScored matches a scenario in the suite's list of those that do not count.
var notScored = regexp.MustCompile(`(?m)^ +[✓✗] (\S+) \([a-z-]+\)$`)

// resultDir returns the suite's output directory for a scenario.
var resultDir = regexp.MustCompile(`^(.*)-\d{4}-\d\d-\d\dT[0-9-]+Z$`)

func readChecks(t *testing.T, dir, kind string) map[string]count {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*", "checks.json")) // a scenario's name may hold a slash
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]count{}
	for _, file := range append(files, more...) {
		name, err := filepath.Rel(dir, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		m := resultDir.FindStringSubmatch(filepath.ToSlash(name))
		if m == nil {
			t.Fatalf("no scenario: %s", name)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct{ ID, Status string }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		scenario := strings.TrimPrefix(m[1], kind+"-")
		for _, c := range list {
			key := scenario + " " + c.ID
			n := checks[key]
			switch c.Status {
			case "SUCCESS":
				n.passed++
			case "FAILURE":
				n.failed++
			}
			checks[key] = n
		}
	}
	return checks
}

// compare reports checks that fail only through toolvet and, for scored scenarios, all other
// differences.
func compare(t *testing.T, direct, through outcome, expected map[string]bool) {
	t.Helper()
	for key, want := range direct.checks {
		got, ok := through.checks[key]
		scenario, _, _ := strings.Cut(key, " ")
		switch {
		case expected[key]:
		case !direct.unscored[scenario] && got != want, got.failed > want.failed, got.passed < want.passed:
			t.Errorf("%s: directly %+v, through toolvet %+v (%v)", key, want, got, ok)
		}
	}
	for key, got := range through.checks {
		if _, ok := direct.checks[key]; !ok && got.failed > 0 && !expected[key] {
			t.Errorf("%s: not asked directly, and fails through toolvet", key)
		}
	}
}

// documented compares docs/figures/conformance.md with the results.
func documented(t *testing.T, what, revision, way string, o outcome) {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/figures/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	scenarios, n := o.total()
	row := fmt.Sprintf("| %s | %s | %s | %d | %d | %d |", what, revision, way, scenarios, n.passed, n.failed)
	if !strings.Contains(string(text), row) {
		t.Errorf("docs/figures/conformance.md lacks the row\n%s", row)
	}
}

// expected are the checks that may be different, of testdata/expected.txt: REVISION SCENARIO
// CHECK, and after # the reason.
func expected(t *testing.T, revision string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		entry, reason, _ := strings.Cut(line, "#")
		fields := strings.Fields(entry)
		switch {
		case len(fields) == 0:
		case len(fields) != 3 || strings.TrimSpace(reason) == "":
			t.Fatalf("testdata/expected.txt: %q is not REVISION SCENARIO CHECK # REASON", line)
		case fields[0] == revision:
			list[fields[1]+" "+fields[2]] = true
		}
	}
	return list
}

// TestServer has the suite be the client of the SDK's server.
func TestServer(t *testing.T) {
	t.Parallel()
	suite, p := npm.Conformance(t), build(t)
	for _, revision := range requirements {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// The SDK has sessions, or 2026-07-28.
			server := freeAddress(t)
			start(t, server, p.server, "-http", server, fmt.Sprintf("-stateless=%v", revision == "2026-07-28"))
			url := "http://" + localhost(server)
			test := func(url string) outcome {
				return run(t, suite, nil, "server", "--url", url, "--requirements", revision)
			}
			direct := test(url + "/")
			scenarios, sum := direct.total()
			if scenarios < 25 || sum.failed > 0 {
				t.Fatalf("directly, %d scenarios, and %d checks fail", scenarios, sum.failed)
			}
			documented(t, "server", revision, "directly", direct)
			bridge := []string{p.toolvet, "proxy", "--preset", "none", "--upstream", url + "/"}
			for way, args := range map[string][]string{
				"HTTP, toolvet, HTTP":                 {"--upstream", url + "/"},
				"HTTP, toolvet, stdio":                {"--", p.server},
				"HTTP, toolvet, stdio, toolvet, HTTP": append([]string{"--"}, bridge...),
			} {
				t.Run(way, func(t *testing.T) {
					address := freeAddress(t)
					start(t, address, p.toolvet, append([]string{"proxy", "--listen", address}, args...)...)
					got := test("http://" + localhost(address) + "/mcp")
					compare(t, direct, got, expected(t, revision))
					documented(t, "server", revision, way, got)
				})
			}
		})
	}
}

// TestClient has the suite be the server of the SDK's client.
func TestClient(t *testing.T) {
	t.Parallel()
	suite, p := npm.Conformance(t), build(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range requirements {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			direct := withoutAuth(run(t, suite, nil, "client", "--command", p.client, "--requirements", revision))
			scenarios, sum := direct.total()
			if scenarios < 4 || sum.failed > 0 {
				t.Fatalf("directly, %d scenarios, and %d checks fail", scenarios, sum.failed)
			}
			documented(t, "client", revision, "directly", direct)
			got := withoutAuth(run(t, suite, []string{throughEnv + "=" + p.toolvet}, "client", "--command", self+" "+p.client, "--requirements", revision))
			compare(t, direct, got, expected(t, revision))
			documented(t, "client", revision, "HTTP, toolvet, HTTP", got)
		})
	}
}

// authScenario begins the names of scenarios of authorization: there toolvet is a resource of
// its own, and a client that is told of the server's would be wrong to go there.
const authScenario = "auth/"

func withoutAuth(o outcome) outcome {
	for key := range o.checks {
		if strings.HasPrefix(key, authScenario) {
			delete(o.checks, key)
		}
	}
	return o
}

// through is the client of the suite: the one in args, by way of toolvet. The last argument is
// the URL of the suite's server.
func through(toolvet string, args []string) error {
	if len(args) < 2 || strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), authScenario) {
		return fmt.Errorf("not asked through toolvet")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	proxy := exec.CommandContext(ctx, toolvet, "proxy", "--listen", "127.0.0.1:0", "--upstream", args[len(args)-1])
	stderr, err := proxy.StderrPipe()
	if err != nil {
		return err
	}
	if err := proxy.Start(); err != nil {
		return err
	}
	defer func() { _ = proxy.Process.Kill(); _ = proxy.Wait() }()
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "clients connect to "); ok {
			client := exec.CommandContext(ctx, args[0], append(args[1:len(args)-1], url)...)
			client.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, throughEnv+"=") })
			client.Stdout, client.Stderr = os.Stdout, os.Stderr
			return client.Run()
		}
	}
	return fmt.Errorf("toolvet does not listen")
}

// start starts a server, and waits until it listens.
func start(t *testing.T, address, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s says\n%s", filepath.Base(program), text)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen: %v", program, err)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// localhost is an address by the name that the suite looks for when it plays a web page.
func localhost(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }
