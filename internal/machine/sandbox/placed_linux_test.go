// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"golang.org/x/net/dns/dnsmessage"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPlaced has a directory of the machine seen elsewhere, with a layer over it.
func TestPlaced(t *testing.T) {
	from := sharedDir(t)
	write(t, filepath.Join(from, "there"), "kept", 0o644)
	if os.Geteuid() == 0 {
		_ = os.Chmod(from, 0o777)
	}
	r := run(t, Config{
		Dir: "/toolvet-placed", Placed: []Placed{{From: from, At: "/toolvet-placed"}},
		Args: []string{"/bin/sh", "-ec", "pwd; cat there; echo new > made; echo changed > there; rm -f /toolvet-placed/there"},
	})
	if got, want := r.out, "/toolvet-placed\nkept"; !strings.HasPrefix(got, want) || r.err != "" {
		t.Errorf("got %q, %q; want %q", got, r.err, want)
	}
	layers, _ := r.Layers()
	for _, l := range layers {
		if l.Path != "/toolvet-placed" {
			continue
		}
		if raw, err := os.ReadFile(filepath.Join(l.Dir, "made")); err != nil || string(raw) != "new\n" {
			t.Errorf("the layer has %q (%v)", raw, err)
		}
		if raw, err := os.ReadFile(filepath.Join(from, "there")); err != nil || string(raw) != "kept" {
			t.Errorf("the machine has %q (%v)", raw, err)
		}
		return
	}
	t.Error("there is no layer")
}

// TestPlacedOverSomething is refused: a directory of the machine would be hidden.
func TestPlacedOverSomething(t *testing.T) {
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
	for _, at := range []string{"/usr", "/usr/x", "relative", "/../x"} {
		_, err := Start(t.Context(), Config{Dir: "/", Args: []string{"/bin/true"}, Init: []string{self(t), "as-sandbox"}, Placed: []Placed{{From: sharedDir(t), At: at}}})
		if err == nil || !strings.Contains(err.Error(), "that does not exist on the machine") {
			t.Errorf("%s: got %v", at, err)
		}
	}
}

// TestFixedNames have the addresses that they were given, and so has what is below them.
func TestFixedNames(t *testing.T) {
	t.Parallel()
	n := newNames(netip.MustParseAddr("93.184.1.1"), map[string][]netip.Addr{"inside.example": {netip.MustParseAddr("10.0.0.5")}})
	for name, want := range map[string]string{"inside.example": "10.0.0.5", "a.b.inside.example": "10.0.0.5", "example": "93.184.1.1"} {
		if got := n.address(name); got.String() != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := n.address("example"); got.String() != "93.184.1.1" {
		t.Errorf("again: got %s", got)
	}
}

// TestTurningNames lead elsewhere after the first question, each on its own.
func TestTurningNames(t *testing.T) {
	t.Parallel()
	n := newNames(netip.Addr{}, map[string][]netip.Addr{"turn.example": {netip.MustParseAddr("93.184.1.1"), netip.MustParseAddr("10.0.0.5")}})
	for _, name := range []string{"a.turn.example.", "b.turn.example."} {
		for i, want := range []string{"93.184.1.1", "10.0.0.5", "10.0.0.5"} {
			if _, err := dnsAnswer(n, name, dnsmessage.TypeAAAA); err == nil {
				t.Error("there is an address of IPv6")
			}
			r, err := dnsAnswer(n, name, dnsmessage.TypeA)
			if err != nil {
				t.Fatal(err)
			}
			if got := netip.AddrFrom4(r.Body.(*dnsmessage.AResource).A); got.String() != want || r.Header.TTL != 0 {
				t.Errorf("%s, %d: got %s for %d s, want %s", name, i, got, r.Header.TTL, want)
			}
		}
	}
}

func dnsAnswer(n *names, name string, kind dnsmessage.Type) (dnsmessage.Resource, error) {
	question := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}}}
	raw, err := question.Pack()
	if err != nil {
		return dnsmessage.Resource{}, err
	}
	answer, _ := n.answer(raw)
	var m dnsmessage.Message
	if err := m.Unpack(answer); err != nil || len(m.Answers) == 0 {
		return dnsmessage.Resource{}, errors.Join(errors.New("no answer"), err)
	}
	return m.Answers[0], nil
}

// TestSettle holds that what began before is known after it.
func TestSettle(t *testing.T) {
	for range 20 {
		s := start(t, Config{Dir: "/", Args: []string{"/bin/sh", "-c", "read x; /bin/echo said; exec cat"}})
		fmt.Fprintln(s.Stdin(), "go")
		if _, err := bufio.NewReader(s.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Events(), func(e Event) bool { return slices.Equal(e.Exec, []string{"/bin/echo", "said"}) }) {
			t.Fatalf("got %v", s.Events())
		}
		s.Close()
	}
}

// TestCPU holds that the work of processes counts after their end, too: of children, and of those that init collects.
func TestCPU(t *testing.T) {
	const work = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
	for _, script := range []string{
		work + "; echo; exec cat",
		"sh -c '" + work + "'; echo; exec cat",
		"(sh -c '" + work + "; echo' &); exec cat",
	} {
		s := start(t, Config{Dir: "/", Args: []string{"/bin/sh", "-c", script}})
		if _, err := bufio.NewReader(s.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		var r Running
		for range 500 {
			var err error
			if r, err = s.Running(); err != nil {
				t.Fatal(err)
			}
			if len(r.PIDs) == 1 && !r.Busy {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if r.CPU <= 0 {
			t.Errorf("%s: got %+v", script, r)
		}
		s.Close()
	}
}

// TestRunning holds what runs inside, and whether it has work to do.
func TestRunning(t *testing.T) {
	for script, want := range map[string]struct {
		processes int
		busy      bool
	}{
		"echo; exec cat":                       {1, false},
		"sleep 1000 & echo; exec cat":          {2, false},
		"while :; do :; done & echo; exec cat": {2, true},
	} {
		s := start(t, Config{Dir: "/", Args: []string{"/bin/sh", "-c", script}})
		if _, err := bufio.NewReader(s.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		var r Running
		for range 500 { // a program that begins has work to do
			var err error
			if r, err = s.Running(); err != nil {
				t.Fatal(err)
			}
			if len(r.PIDs) == want.processes && r.Busy == want.busy {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if len(r.PIDs) != want.processes || r.Busy != want.busy {
			t.Errorf("%s: got %+v, want %+v", script, r, want)
		}
		s.Close()
		if _, err := s.Running(); err == nil {
			t.Errorf("%s: it has ended, and is said to run", script)
		}
	}
}
