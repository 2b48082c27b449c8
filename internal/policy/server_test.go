// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

// megabytes is an option with a text form of its own.
type megabytes int64

func (b *megabytes) UnmarshalText(text []byte) error {
	if n, err := fmt.Sscanf(string(text), "%dMB", b); n != 1 || err != nil {
		return errors.New("must be a size such as 100MB")
	}
	*b *= 1_000_000
	return nil
}

// fakeOptions has a field of each type that a rule may use.
type fakeOptions struct {
	Within  []string          `policy:"within"`
	Exists  *bool             `policy:"exists"`
	Strict  bool              `policy:"strict"`
	Limit   *int              `policy:"limit"`
	Ratio   float64           `policy:"ratio"`
	Size    megabytes         `policy:"size"`
	Wait    time.Duration     `policy:"wait"`
	Headers map[string]string `policy:"headers"`
	Inner   struct {
		Name string `policy:"name"`
	} `policy:"inner"`
}

func (o *fakeOptions) problems() []check.Problem {
	if o.Strict && o.Limit == nil {
		return []check.Problem{{Field: "strict", Message: "needs a limit"}}
	}
	return nil
}

var fakeDemand = &check.Demand{Name: "fake", Options: func() any { return &fakeOptions{Wait: time.Second} }, Problems: func(o any) []check.Problem { return o.(*fakeOptions).problems() }}

func TestServers(t *testing.T) {
	t.Setenv("TOOLVET_TEST_ROOT", "/srv/secret")
	p, err := Parse("toolvet.yaml", []byte(`version: 1
servers:
  files:
    command: [npx, -y, server, "${TOOLVET_TEST_ROOT}", "a$$b"]
    location: remote
    base: /srv
    roots: ["${TOOLVET_TEST_ROOT}/x", /b/]
    resolver: "fd00::53"
    tools:
      "read_*":
        arguments:
          path:
            fake: {within: [/a, /b], exists: true, limit: 5, ratio: 0.5, size: 3MB, wait: 300ms, headers: {a: b}, inner: {name: n}}
          /list/*/a~1b: {fake: }
        requires: [{fake: {strict: true, limit: 1}}]
`), fakeDemand)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Server("files")
	if s == nil || p.Server("") != s || p.Server("other") != nil || (*Policy)(nil).Server("files") != nil {
		t.Fatalf("server files: %+v", s)
	}
	if diff := cmp.Diff([]string{"npx", "-y", "server", "/srv/secret", "a$b"}, s.Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(check.World{Remote: true, Base: "/srv", Roots: []string{"/srv/secret/x", "/b"}, Resolver: "[fd00::53]:53"}, s.World); diff != "" {
		t.Errorf("world (-want +got):\n%s", diff)
	}
	tool := s.Tools[0]
	if !tool.Matches("read_file") || tool.Matches("write_file") {
		t.Errorf("pattern %q", tool.Pattern)
	}
	yes, five := true, 5
	want := &fakeOptions{Within: []string{"/a", "/b"}, Exists: &yes, Limit: &five, Ratio: 0.5, Size: 3_000_000, Wait: 300 * time.Millisecond, Headers: map[string]string{"a": "b"}}
	want.Inner.Name = "n"
	got := []string{tool.Arguments[0].Address, tool.Arguments[1].Address}
	if diff := cmp.Diff([]string{"/path", "/list/*/a~1b"}, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, tool.Arguments[0].Demands[0].Options, cmp.AllowUnexported(fakeOptions{})); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if o := tool.Arguments[1].Demands[0].Options.(*fakeOptions); o.Wait != time.Second {
		t.Errorf("defaults are lost: %+v", o)
	}
	if len(tool.Requires) != 1 || tool.Requires[0].Kind != fakeDemand {
		t.Errorf("requires: %+v", tool.Requires)
	}
}

// TestServerErrors holds that every fault is told with its place, and no value of an
// environment variable.
func TestServerErrors(t *testing.T) {
	t.Setenv("TOOLVET_TEST_SECRET", "hunter2")
	_, err := Parse("toolvet.yaml", []byte(`version: 1
servers:
  files:
    location: moon
    base: relative/${TOOLVET_TEST_SECRET}
    roots: {a: b}
    comand: [x]
    resolver: dns.example.org
    tools:
      "[":
        arguments:
          path: {fake: {withn: [/a], limit: many, ratio: x, size: big, wait: soon, headers: [a], inner: {nam: 1}, strict: 1}}
      b:
        arguments:
          path: {fak: {}}
          url: {fake: {within: "${TOOLVET_TEST_NOT_SET}/${"}}
        requires:
          - fake: {strict: true}
`), fakeDemand)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`toolvet.yaml:4:15: "moon" is not allowed here`,
		`toolvet.yaml:5:11: must be an absolute path`,
		`toolvet.yaml:6:`,
		`toolvet.yaml:7:5: unknown key "comand": did you mean "command"?`,
		`toolvet.yaml:8:15: must be the IP address of a DNS server`,
		`unknown key "withn": did you mean "within"?`,
		`must be an integer in decimal digits`,
		`must be a number`,
		`must be a size such as 100MB`,
		`must be a duration such as 300ms, 2s or 1h30m`,
		`must be a mapping: values by name`,
		`unknown key "nam": did you mean "name"?`,
		`must be true or false`,
		`toolvet.yaml:15:18: unknown demand "fak": did you mean "fake"?`,
		`the environment variable "TOOLVET_TEST_NOT_SET" is not set`,
		`${ must be followed by the name`,
		`"strict" of the demand fake: needs a limit`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the errors lack %q", want)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("the errors show a secret")
	}
	if t.Failed() {
		t.Log(err)
	}
}

// TestPlatform reads a server with the paths of Windows, which is elsewhere.
func TestPlatform(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("such a server may be here")
	}
	p, err := Parse("toolvet.yaml", []byte(`version: 1
servers: {files: {platform: windows, base: 'C:\data', roots: ['C:\data', '\\host\share', 'D:/x']}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := check.World{Remote: true, Platform: "windows", Base: `C:\data`, Roots: []string{`C:\data`, `\\host\share`, "D:/x"}}
	if diff := cmp.Diff(want, p.Server("files").World); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"{platform: vms}", "{roots: [data]}", "{base: 'C:data'}", "{dir: 'C:\\data', command: x}"} {
		if _, err := Parse("toolvet.yaml", []byte("version: 1\nservers: {files: "+bad+"}\n")); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}
