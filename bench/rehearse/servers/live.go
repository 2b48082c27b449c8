// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

const gone = "gone"

func below(dir, path string) bool { return strings.HasPrefix(path, dir+"/") }

// states reads everything below a directory.
func states(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode().IsRegular():
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(raw)
			what = "file " + info.Mode().String() + " " + hex.EncodeToString(sum[:])
		case info.IsDir():
			what = "directory " + strings.Replace(info.Mode().String(), "d", "-", 1) + " "
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what = "link -rwxrwxrwx " + target
		default:
			what = info.Mode().String()
		}
		all[path] = what
		return nil
	})
	return all, err
}

func difference(before, after map[string]string) map[string]string {
	d := map[string]string{}
	for path, state := range after {
		if before[path] != state {
			d[path] = state
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			d[path] = gone
		}
	}
	return d
}

// live makes the calls to a server without a sandbox, in a network of its own.
func (s server) live(ctx context.Context, dir string, env []string, before map[string]string) (effect, error) {
	self, err := os.Executable()
	if err != nil {
		return effect{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "live")
	raw, err := json.Marshal(s)
	if err != nil {
		return effect{}, err
	}
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(env, "SERVER="+string(raw)), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	if err := cmd.Run(); err != nil {
		return effect{}, fmt.Errorf("%w: %s", err, errs.String())
	}
	var e effect
	if err := json.Unmarshal([]byte(out.String()), &e); err != nil {
		return effect{}, err
	}
	after, err := states(dir)
	e.Files = difference(before, after)
	return e, err
}

// live runs inside: it makes the network, and calls the server in the variable SERVER.
func live(ctx context.Context) error {
	var s server
	if err := json.Unmarshal([]byte(os.Getenv("SERVER")), &s); err != nil {
		return err
	}
	os.Unsetenv("SERVER")
	l, err := listen(append(s.Ports, 80, 443))
	if err != nil {
		return err
	}
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		os.Setenv(name, l.ca)
	}
	defer os.Remove(l.ca)
	os.Setenv("npm_config_offline", "true")
	client, err := servers.Connect(ctx, upstream.Command{Args: s.Command}, servers.Options{Timeout: time.Minute})
	if err != nil {
		return err
	}
	var calls []struct {
		Tool      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(s.Calls, &calls); err != nil {
		return err
	}
	var e effect
	if _, _, err := client.Tools(ctx); err != nil {
		return err
	}
	for _, c := range calls {
		if c.Arguments == nil {
			c.Arguments = json.RawMessage("{}")
		}
		raw, err := client.Call(ctx, c.Tool, c.Arguments)
		failed := ""
		if err != nil {
			failed = err.Error()
		}
		e.note(raw, failed)
	}
	client.Close(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Requests = unique(l.requests)
	return json.NewEncoder(os.Stdout).Encode(e)
}

// A listener answers at every address of this network, knows each name by its address, and records requests.
type listener struct {
	ca   string // a file
	key  *ecdsa.PrivateKey
	cert *x509.Certificate

	mu       sync.Mutex
	requests []string
	names    map[netip.Addr]string
	next     netip.Addr
}

func listen(ports []int) (*listener, error) {
	for _, args := range []string{"link set lo up", "route add local default dev lo", "-6 route add local default dev lo"} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil && !strings.HasPrefix(args, "-6") {
			return nil, fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
	}
	l := &listener{names: map[netip.Addr]string{}, next: netip.MustParseAddr("192.0.2.1")}
	if err := errors.Join(l.authority(), l.resolve()); err != nil {
		return nil, err
	}
	for _, port := range ports {
		ln, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err != nil {
			return nil, err
		}
		switch port {
		case 80:
			go func() { _ = http.Serve(ln, l) }()
		case 443:
			go func() {
				_ = http.Serve(tls.NewListener(ln, &tls.Config{GetCertificate: l.issue, NextProtos: []string{"h2", "http/1.1"}}), l)
			}()
		default:
			go l.other(ln)
		}
	}
	return l, nil
}

// ServeHTTP records a request, and refuses it as a rehearsal does.
func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	l.mu.Lock()
	l.requests = append(l.requests, r.Method+" "+scheme+"://"+r.Host+r.RequestURI)
	l.mu.Unlock()
	egress.Refuse(w, r)
}

// other records connections of other protocols.
func (l *listener) other(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		to := netip.MustParseAddrPort(conn.LocalAddr().String())
		l.mu.Lock()
		l.requests = append(l.requests, fmt.Sprintf("%s:%d", l.names[to.Addr().Unmap()], to.Port()))
		l.mu.Unlock()
		conn.Close()
	}
}

// resolve answers the look-up of every name, each with an address of its own.
func (l *listener) resolve() error {
	file := filepath.Join(os.TempDir(), "resolv.conf")
	if err := os.WriteFile(file, []byte("nameserver 127.0.0.1\n"), 0o644); err != nil {
		return err
	}
	defer os.Remove(file)
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount(file, "/etc/resolv.conf", "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	conn, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		return err
	}
	go func() {
		b := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			m.Header.Response, m.Additionals = true, nil
			if q.Type == dnsmessage.TypeA {
				a := l.address(strings.TrimSuffix(q.Name.String(), "."))
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}, Body: &dnsmessage.AResource{A: a.As4()}}}
			}
			if raw, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(raw, from)
			}
		}
	}()
	return nil
}

func (l *listener) address(name string) netip.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a, n := range l.names {
		if n == name {
			return a
		}
	}
	a := l.next
	l.names[a], l.next = name, a.Next()
	return a
}

// authority makes a certificate authority.
func (l *listener) authority() (err error) {
	if l.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return err
	}
	l.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, l.cert, l.cert, l.key.Public(), l.key)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("/tmp", "bench-ca-") // outside the compared directory
	if err != nil {
		return err
	}
	l.ca = f.Name()
	return errors.Join(pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: der}), f.Close())
}

// issue issues the certificate of a name.
func (l *listener) issue(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{h.ServerName}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, l.cert, l.key.Public(), l.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: l.key}, err
}
