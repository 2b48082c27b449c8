// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
)

// server is an MCP server by the official SDK. It ends with its input. %s are imports, and %s what it does first.
const server = `package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
%s
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "server"}, nil)
	%s
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}
`

// The servers of the figures in docs/figures/design.md, "Weight".
var (
	plainServer = fmt.Sprintf(server, "", "must(0, nil)")
	gatedServer = fmt.Sprintf(server, `
	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgate"
`, `must(0, mcpgate.Install(s, must(toolvet.New())))`)
	ruledServer = fmt.Sprintf(server, `
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/policyfile"
`, `must(0, mcpgate.Install(s, must(policyfile.Open("toolvet.yaml", policyfile.Options{}))))`)
)

// link builds a program in the library's module alone, as somebody who imports it would.
func link(t *testing.T, source string) (program string) {
	t.Helper()
	need.Minutes(t)
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, file)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestLinked holds what a Go server pays for a gate: modules, bytes, and nothing of a database.
// The bounds leave 2 % to another version of Go, and -trimpath keeps this directory's name out of the program.
func TestLinked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		source  string
		modules int
		size    int64
	}{
		"a gate":            {gatedServer, 18, 20_400_000},
		"a gate with rules": {ruledServer, 29, 33_400_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := link(t, tt.source)
			info, err := buildinfo.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(info.Deps); n > tt.modules || n < 9 {
				t.Errorf("it links %d modules, and may link %d", n, tt.modules)
			}
			file, err := os.Stat(program)
			if err != nil {
				t.Fatal(err)
			}
			if file.Size() > tt.size {
				t.Errorf("it has %d bytes, and may have %d", file.Size(), tt.size)
			}
			t.Logf("%d modules, %d bytes", len(info.Deps), file.Size())
			for _, dep := range info.Deps {
				for _, database := range []string{"modernc.org/", "github.com/jackc/", "github.com/go-sql-driver/", "github.com/redis/", "github.com/prometheus/", "go.opentelemetry.io/"} {
					if strings.HasPrefix(dep.Path, database) {
						t.Errorf("it links %s", dep.Path)
					}
				}
			}
		})
	}
}

// TestRequirements holds what the library asks of those who require it.
func TestRequirements(t *testing.T) {
	t.Parallel()
	if n := len(direct(t, "go.mod")); n > 18 {
		t.Errorf("go.mod has %d direct requirements, and may have 18", n)
	}
	for _, file := range []string{"go.mod", "cmd/go.mod", "driver/redis/go.mod", "export/go.mod", "internal/audit/go.mod", "mcpgo/go.mod", "release/go.mod"} {
		if strings.Contains(readFile(t, file), "\nreplace ") {
			t.Errorf("%s has a replace: go install refuses a program whose module has one", file)
		}
	}
}

// TestOtherDrivers holds that a program may register any driver with database/sql beside toolvet: a second one of the
// same name panics before main.
func TestOtherDrivers(t *testing.T) {
	t.Parallel()
	const register = `package main

import (
	"database/sql"
	"database/sql/driver"
	"fmt"

	_ "github.com/toolvet/toolvet"
	_ "github.com/toolvet/toolvet/gateway"
	_ "github.com/toolvet/toolvet/mcpgate"
	_ "github.com/toolvet/toolvet/policyfile"
	_ "github.com/toolvet/toolvet/schedule/sqlstore"
)

func main() {
	fmt.Print(sql.Drivers())
	for _, name := range []string{"sqlite", "sqlite3", "mysql", "pgx", "pgx/v5", "postgres"} {
		sql.Register(name, never{})
	}
}

type never struct{}

func (never) Open(string) (driver.Conn, error) { return nil, driver.ErrBadConn }
`
	out, err := exec.CommandContext(t.Context(), link(t, register)).CombinedOutput()
	if err != nil || string(out) != "[]" {
		t.Errorf("the drivers before and the exit: %s, %v; want none, and no panic", out, err)
	}
}

// A start is what the initialization of a program costs.
type start struct {
	allocations, bytes int
	clock              time.Duration
}

// startOf returns the least of several starts.
func startOf(t *testing.T, program string) start {
	t.Helper()
	var least start
	for range 10 {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var s start
		for line := range strings.Lines(string(out)) {
			var name string
			var at, clock float64
			var bytes, allocations int
			if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocations); n == 5 {
				s.bytes, s.allocations, s.clock = s.bytes+bytes, s.allocations+allocations, s.clock+time.Duration(clock*float64(time.Millisecond))
			}
		}
		if s.allocations == 0 {
			t.Fatalf("no package says what its initialization costs:\n%s", out)
		}
		if least.clock == 0 || s.clock < least.clock {
			least.clock = s.clock
		}
		least.allocations, least.bytes = s.allocations, s.bytes
	}
	return least
}

// TestStart holds that a gate adds little to the start of a server: tables and regular expressions are made when they are
// first used. Allocations are counted, because they do not depend on the machine; the time has a wide margin.
func TestStart(t *testing.T) {
	plain, gated := startOf(t, link(t, plainServer)), startOf(t, link(t, gatedServer))
	more := start{gated.allocations - plain.allocations, gated.bytes - plain.bytes, gated.clock - plain.clock}
	t.Logf("the SDK's server: %+v; with a gate %+v more", plain, more)
	if more.allocations > 1400 || more.bytes > 450_000 {
		t.Errorf("a gate adds %d allocations and %d bytes to the start, and may add 1400 and 450,000: make it on first use (GODEBUG=inittrace=1 names the package)", more.allocations, more.bytes)
	}
	if more.clock > 3*plain.clock {
		t.Errorf("a gate adds %v to a start of %v", more.clock, plain.clock)
	}
}
