// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	_ "modernc.org/sqlite" // the database of a session

	"github.com/toolvet/toolvet/internal/test/need"
)

// A world is where a session's commands run: what stands before each of them, and what
// is added to their environment.
type world struct{ wrap, env []string }

// worldOf makes the world that a document asks for with <!-- session: NAME --> before a
// session. Nothing of it reaches the machine that the test runs on.
func worldOf(t *testing.T, name string) world {
	t.Helper()
	switch name {
	case "":
		return world{}
	case "home":
		home := t.TempDir()
		return world{env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, ".state"),
			"TOOLVET_HOOK_DIR=" + filepath.Join(home, "judge")}}
	case "unprivileged":
		if os.Geteuid() != 0 {
			return world{}
		}
		// In a namespace that maps nobody, root owns its files as ever and may no more
		// than their modes say.
		return world{wrap: namespace(t, "-U")}
	case "full disk":
		return world{wrap: append(namespace(t, "-Urm"), "/bin/sh", "-c", fullDisk)}
	case "free address":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return world{env: []string{"ADDRESS=" + l.Addr().String()}}
	case "database":
		return world{env: []string{"SHOP_DB=" + shop(t)}}
	case "name server":
		return world{env: []string{"DNS_SERVER=" + nameServer(t)}}
	}
	t.Fatalf("a session wants the world %q, which the tests do not know", name)
	return world{}
}

// fullDisk mounts a small file system that only this process and its children see, fills
// it and runs the command that follows.
const fullDisk = `mkdir -p data/backup && mount -t tmpfs -o size=64k tmpfs data/backup || exit 2
cat /dev/zero >data/backup/old 2>/dev/null
exec "$0" "$@"`

// namespace is a command that runs another in namespaces of its own. Where that is not
// allowed the test is skipped; in CI it fails.
func namespace(t *testing.T, flags string) []string {
	t.Helper()
	command := []string{"unshare", flags}
	if out, err := exec.Command(command[0], append(command[1:], "true")...).CombinedOutput(); err != nil {
		need.Namespace.Missing(t, fmt.Sprintf("unshare %s: %v %s", flags, err, out))
	}
	return command
}

// shop makes a database with a table of orders, and returns its file.
func shop(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, day TEXT, total REAL)"); err != nil {
		t.Fatal(err)
	}
	return file
}

// nameServer answers DNS on loopback, and returns its address. Every name has the address
// of cloud metadata.
func nameServer(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-served })
	go func() {
		defer close(served)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := metadata(buffer[:n]); reply != nil {
				_, _ = conn.WriteTo(reply, from) // who asks asks again if it is lost
			}
		}
	}()
	return conn.LocalAddr().String()
}

// metadata answers a question, or returns nil if it is none.
func metadata(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m = dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true}, Questions: m.Questions}
	if q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: [4]byte{169, 254, 169, 254}},
		}}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}
