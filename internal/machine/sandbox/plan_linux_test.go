// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	machine := fstest.MapFS{
		"proc/1": {}, "dev/null": {}, "sys/x": {},
		"bin":        {Mode: fs.ModeSymlink},
		"etc/passwd": {}, "home/ann/data/file": {}, "home/ann/.profile": {}, "home/bob/file": {},
		"small": {}, "large": {Data: make([]byte, maxCopied+1)},
		"srv/with space/file": {}, "run/bpf/x": {}, "run/user/x": {},
		"run/docker.sock": {Mode: fs.ModeSocket}, "run/initctl": {Mode: fs.ModeNamedPipe}, "run/disk": {Mode: fs.ModeDevice},
	}
	mounts, err := parseMounts(strings.NewReader(`1 0 8:1 / / rw - ext4 /dev/a rw
2 1 8:2 / /home/ann/data rw,relatime shared:3 master:1 - ext4 /dev/b rw
3 1 0:5 / /proc rw - proc proc rw
4 1 8:3 / /srv/with\040space rw - xfs /dev/c rw
5 1 0:9 / /run/bpf rw - bpf none rw
`))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		mounts: mounts, writable: []string{"/etc/passwd.d"},
		readDir: func(dir string) ([]os.DirEntry, error) {
			if dir == "/" {
				return fs.ReadDir(machine, ".")
			}
			return fs.ReadDir(machine, dir[1:])
		},
		size: func(path string) int64 { return int64(len(machine[strings.TrimPrefix(path, "/")].Data)) },
	}
	var got []string
	for _, p := range w.plan() {
		got = append(got, fmt.Sprint([]string{"overlaid", "mirrored", "linked", "copied", "bound", "node", "special", "hidden"}[p.kind], " ", p.path))
	}
	want := []string{
		"mirrored /", "linked /bin", "special /dev", "overlaid /etc", "mirrored /home", "bound /large", "special /proc", "mirrored /run", "copied /small", "mirrored /srv", "special /sys",
		"mirrored /home/ann", "overlaid /home/bob", "hidden /run/bpf", "node /run/docker.sock", "node /run/initctl", "overlaid /run/user", "overlaid /srv/with space",
		"copied /home/ann/.profile", "overlaid /home/ann/data", "overlaid /etc/passwd.d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for path, want := range map[string]int{"/": 0, "/home/ann": 0, "/home/ann/data": 1, "/home/ann/data/x": 1, "/home/ann/database": 0} {
		if got := mountOf(mounts, path); got != want {
			t.Errorf("%s is on mount %d, want %d", path, got, want)
		}
	}
}

func question(t testing.TB, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: 7}, Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}}}
	raw, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestNames(t *testing.T) {
	t.Parallel()
	n := newNames(netip.Addr{}, nil)
	for _, host := range []string{"a.example.", "B.example.", "b.example."} {
		raw, asked := n.answer(question(t, host, dnsmessage.TypeA))
		var m dnsmessage.Message
		if err := m.Unpack(raw); err != nil || len(m.Answers) != 1 {
			t.Fatalf("%s: %v %v", host, m, err)
		}
		a := netip.AddrFrom4(m.Answers[0].Body.(*dnsmessage.AResource).A)
		if want := strings.ToLower(strings.TrimSuffix(host, ".")); n.named(a.String()+":443") != want+":443" || asked != want {
			t.Errorf("%s: %s is %s, and %q was asked for", host, a, n.named(a.String()+":443"), asked)
		}
	}
	raw, _ := n.answer(question(t, "a.example.", dnsmessage.TypeAAAA))
	var m dnsmessage.Message
	if err := m.Unpack(raw); err != nil || len(m.Answers) != 0 || m.RCode != dnsmessage.RCodeSuccess {
		t.Errorf("of IPv6: %v %v", m, err)
	}
	for _, address := range []string{"192.0.2.1:80", "unix:/x", "", "[2001:db8::1]:25"} {
		if got := n.named(address); got != address {
			t.Errorf("%q becomes %q", address, got)
		}
	}
}

// FuzzNames holds that whatever is asked, the answer is a message, or none.
func FuzzNames(f *testing.F) {
	f.Add(question(f, "a.example.", dnsmessage.TypeA))
	f.Add(question(f, ".", dnsmessage.TypeAAAA))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		answer, _ := newNames(netip.Addr{}, nil).answer(raw)
		var m dnsmessage.Message
		if answer != nil && (m.Unpack(answer) != nil || !m.Response) {
			t.Errorf("%q is answered by what is no answer", raw)
		}
	})
}

// FuzzMounts holds that any list of mounts is read.
func FuzzMounts(f *testing.F) {
	f.Add("1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:1 / /a\\040b rw shared:1 - xfs x rw\n")
	f.Add("\\999 - - - - - - -")
	f.Fuzz(func(t *testing.T, text string) {
		mounts, err := parseMounts(strings.NewReader(text))
		if err == nil && len(mounts) > strings.Count(text, "\n")+1 {
			t.Errorf("%d mounts in %q", len(mounts), text)
		}
	})
}

// TestLayerNames has a layer that cannot be mounted: the next one has directories of its own.
func TestLayerNames(t *testing.T) {
	t.Parallel()
	r := &root{base: t.TempDir()}
	mkdir(t, r.base+"/u")
	mkdir(t, r.base+"/w")
	for range 2 {
		if _, _, err := r.new("/somewhere"); err != nil {
			t.Fatal(err)
		}
		r.layers = nil
	}
}
