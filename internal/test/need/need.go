// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package need names what tests need of a machine beside Go, and how to get it. A test that lacks a part is skipped with
// both. With the environment variable CI set to "true" it fails, because .ci/run installs every part.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A Part is something that tests need and a machine may lack.
type Part struct {
	Name string
	Get  string // how to get it: one line, a command where there is one
}

// The parts.
var (
	Node      = Part{"Node.js 20 or later", "apt-get install nodejs npm"}
	Packages  = Part{"servers and clients from npm", "npm ci --prefix internal/test/npm/testdata"}
	Site      = Part{"the site's generator from npm", "npm ci --prefix docs/site"}
	Git       = Part{"git", "apt-get install git"}
	Python    = Part{"Python 3", "apt-get install python3"}
	Compiler  = Part{"gcc with cJSON and json-c", "apt-get install gcc libc6-dev libcjson-dev libjson-c-dev"}
	Postgres  = Part{"PostgreSQL at 127.0.0.1:5432 that trusts the user postgres", "apt-get install postgresql, and begin its pg_hba.conf with: host all all 127.0.0.1/32 trust"}
	MariaDB   = Part{"MariaDB at 127.0.0.1:3306 whose root has no password", "apt-get install mariadb-server, and see .ci/run"}
	Redis     = Part{"redis-server, which tests start themselves", "apt-get install redis-server"}
	Chromium  = Part{"Chromium", "apt-get install chromium"}
	Systemd   = Part{"systemd-analyze", "apt-get install systemd"}
	Packagers = Part{"programs that install packages", "apt-get install bash dpkg rpm ruby"}
	Corpora   = Part{"the corpora in ../shared", "they are not published"}
	Namespace = Part{"user namespaces with file systems of their own", "run the tests as root, or permit it: sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"}
	Time      = Part{"minutes", "set TOOLVET_LONG=1"}
	Root      = Part{"the superuser", "run the tests as root, too"}
)

// prefix begins the reason of each skip for want of a part; [Parse] knows skips by it.
const prefix = "needs "

// Missing skips a test that lacks the part, or fails it in CI. Why tells how the lack was noticed.
func (p Part) Missing(t testing.TB, why any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(p.reason(why))
	}
	t.Skip(p.reason(why))
}

func (p Part) reason(why any) string {
	return fmt.Sprintf("%s%s: %s\n%v", prefix, p.Name, p.Get, why)
}

// Minutes skips a test that takes minutes, unless TOOLVET_LONG or CI is set.
func Minutes(t testing.TB) {
	t.Helper()
	if os.Getenv("TOOLVET_LONG") == "" && os.Getenv("CI") != "true" {
		Time.Skip(t, "")
	}
}

// Skip is [Part.Missing] for a part that CI lacks, too.
func (p Part) Skip(t testing.TB, why any) {
	t.Helper()
	t.Skip(p.reason(why))
}

// Program returns the path of a program of the part, by its name on PATH.
func (p Part) Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		p.Missing(t, err)
	}
	return path
}

// Parse finds the part that a skipped test lacked, in the first line of its reason.
func Parse(line string) (p Part, ok bool) {
	if line, ok = strings.CutPrefix(line, prefix); ok {
		p.Name, p.Get, ok = strings.Cut(line, ": ")
	}
	return p, ok
}
