// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waysOut are the ways to reach somebody by a system call. Each gets a socket of the machine, and returns what the
// report must name: one of these addresses of the internet, or else the socket.
var waysOut = map[string]func(socket string) error{
	"connect":             func(string) error { return dial(unix.SOCK_STREAM, nil) },
	"connect by datagram": func(string) error { return dial(unix.SOCK_DGRAM, nil) },
	"sendto": func(string) error {
		return dial(unix.SOCK_DGRAM, func(fd int) error { return unix.Sendto(fd, []byte("x"), 0, far) })
	},
	"sendto without a family": func(string) error {
		return dial(unix.SOCK_DGRAM, func(fd int) error {
			to := unix.RawSockaddrInet4{Port: 0xd204, Addr: far.Addr} // port 1234
			_, _, e := unix.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&to)), 1, 0, uintptr(unsafe.Pointer(&to)), unsafe.Sizeof(to))
			if e != 0 {
				return e
			}
			return nil
		})
	},
	"TCP fast open": func(string) error {
		return dial(unix.SOCK_STREAM, func(fd int) error {
			_ = unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN|unix.MSG_DONTWAIT, far) // refused, or on its way
			return nil
		})
	},
	"sendmsg": func(string) error {
		return dial(unix.SOCK_DGRAM, func(fd int) error { return unix.Sendmsg(fd, []byte("x"), nil, far, 0) })
	},
	"second message of sendmmsg": func(string) error { return dial(unix.SOCK_DGRAM, sendTwo) },
	"socket by path":             dialUnix,
	"socket by a relative path": func(socket string) error {
		return inDirectory(socket, func(name string) error { return dialUnix(name) })
	},
	"socket by /proc/self/cwd": func(socket string) error {
		return inDirectory(socket, func(name string) error { return dialUnix("/proc/self/cwd/" + name) })
	},
	"socket by /proc/thread-self/cwd": func(socket string) error {
		return inDirectory(socket, func(name string) error { return dialUnix("/proc/thread-self/cwd/" + name) })
	},
	"socket by /proc/self/fd": func(socket string) error {
		return dialBelow(socket, "/proc/self/fd/%d/%s")
	},
	"socket by /dev/fd":          func(socket string) error { return dialBelow(socket, "/dev/fd/%d/%s") },
	"socket by /proc/self/root":  func(socket string) error { return dialUnix("/proc/self/root" + socket) },
	"socket by ..":               func(socket string) error { return dialUnix("/usr/.." + socket) },
	"socket by a link to itself": func(socket string) error { return dialLink(socket, socket) },
	"socket by a link to /proc/self": func(socket string) error {
		return dialLink(socket, "/proc/self/root"+socket)
	},
	"socket by datagram": func(socket string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		_ = unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: "/proc/self/root" + socket}) // refused
		return nil
	},
}

// far is an address that is nobody's (RFC 5737).
var far = &unix.SockaddrInet4{Port: 1234, Addr: [4]byte{192, 0, 2, 9}}

// dial makes a socket, and connects it or sends with it.
func dial(kind int, send func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_NONBLOCK, 0)
	if err != nil || send != nil {
		if err == nil {
			err = send(fd)
		}
		return err
	}
	_ = unix.Connect(fd, far) // refused, or on its way
	return nil
}

// sendTwo sends a message to a socket of its own, and another far away.
func sendTwo(fd int) error {
	own, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	near := unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: [4]byte{127, 0, 0, 1}}
	port := own.LocalAddr().(*net.UDPAddr).Port
	near.Port = uint16(port>>8 | port<<8)
	away := unix.RawSockaddrInet4{Family: unix.AF_INET, Port: 0xd204, Addr: far.Addr}
	data := []byte("x")
	vector := unix.Iovec{Base: &data[0], Len: 1}
	var messages [2]struct {
		unix.Msghdr
		sent uint32
	}
	for i, to := range []*unix.RawSockaddrInet4{&near, &away} {
		messages[i].Name, messages[i].Namelen = (*byte)(unsafe.Pointer(to)), uint32(unsafe.Sizeof(*to))
		messages[i].Iov, messages[i].Iovlen = &vector, 1
	}
	if n, _, e := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&messages)), 2, 0, 0, 0); e != 0 || n != 2 {
		return fmt.Errorf("%d sent: %w", n, e)
	}
	return nil
}

// dialUnix connects to a socket. Inside, it is refused.
func dialUnix(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	_ = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
	return nil
}

func inDirectory(socket string, f func(name string) error) error {
	if err := os.Chdir(filepath.Dir(socket)); err != nil {
		return err
	}
	return f(filepath.Base(socket))
}

func dialBelow(socket, format string) error {
	dir, err := unix.Open(filepath.Dir(socket), unix.O_PATH, 0)
	if err != nil {
		return err
	}
	return dialUnix(fmt.Sprintf(format, dir, filepath.Base(socket)))
}

func dialLink(socket, target string) error {
	link := filepath.Join(filepath.Dir(socket), "link")
	if err := os.Symlink(target, link); err != nil {
		return err
	}
	return dialUnix(link)
}

func wayOut(a []string) error { return waysOut[a[0]](a[1]) }

// TestWaysOut: the report names whom the server would reach, by whatever system call and name.
func TestWaysOut(t *testing.T) {
	dir, err := os.MkdirTemp("", "ways-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", dir+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name := range waysOut {
		want := "192.0.2.9:1234"
		if strings.HasPrefix(name, "socket ") {
			want = "unix:" + dir + "/s"
		}
		r := run(t, Config{Dir: dir, Network: Observed, Args: []string{self(t), "as-attacker", "wayout", name, dir + "/s"}})
		var got []string
		for _, e := range r.Events() {
			if e.Connect != "" {
				got = append(got, e.Connect)
			}
		}
		if r.out != "done\n" || !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %s; %q", name, got, want, r.out+r.err)
		}
	}
}
