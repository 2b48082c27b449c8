// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/test/need"
)

// kernelAttacks are attacks that go for the kernel, or for what it counts for all. Nil means that it has worked.
var kernelAttacks = map[string]func(args []string) error{
	"pidfdget": func([]string) error {
		fd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			return err
		}
		return errorOf(unix.PidfdGetfd(fd, 0, 0))
	},
	"madvise": func([]string) error { // of its own memory: another's is kept by more
		fd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			return err
		}
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return err
		}
		vector := unix.Iovec{Base: &page[0], Len: 4096}
		_, _, e := unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(fd), uintptr(unsafe.Pointer(&vector)), 1, unix.MADV_COLD, 0, 0)
		return errnoError(e, unix.EPERM)
	},
	"lease": func(a []string) error {
		f, err := os.Create(a[0])
		if err != nil {
			return err
		}
		return errorOf(unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK))
	},
	"dnotify": func(a []string) error {
		f, err := os.Open(a[0])
		if err != nil {
			return err
		}
		return errorOf(unix.FcntlInt(f.Fd(), unix.F_NOTIFY, 4)) // DN_CREATE
	},
	"pipesize": func([]string) error {
		r, _, err := os.Pipe()
		if err != nil {
			return err
		}
		return errorOf(unix.FcntlInt(r.Fd(), unix.F_SETPIPE_SZ, 1<<18))
	},
	"epoll":    manyWatches,
	"inflight": manyInFlight,
	"naps":     naps,
	"turns":    turnsOver,
	"reads":    readsClock,
	"pipes":    manyPipes,
	"faults": func([]string) error {
		const userModeOnly = 1
		_, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|userModeOnly, 0, 0)
		return errnoError(e, unix.EPERM, unix.ENOSYS)
	},
	"fanotify": func([]string) error {
		_, err := unix.FanotifyInit(unix.FAN_CLOEXEC|unix.FAN_REPORT_FID, 0)
		return err
	},
	"inotify": func([]string) error { // most of what a user has
		for range 70 {
			if _, err := unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
				return err
			}
		}
		return nil
	},
	"byhandle": func([]string) error {
		handle := unix.NewFileHandle(1, make([]byte, 12))
		_, err := unix.OpenByHandleAt(unix.AT_FDCWD, handle, 0)
		if errors.Is(err, unix.ESTALE) || errors.Is(err, unix.EINVAL) {
			return nil
		}
		return err
	},
	"requests": func([]string) error {
		var context uintptr
		_, _, e := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&context)), 0)
		return errnoError(e, unix.ENOSYS)
	},
	"hugepages": func([]string) error {
		_, err := unix.Mmap(-1, 0, 2<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB)
		if errors.Is(err, unix.ENOMEM) { // it may, and the machine has none
			return nil
		}
		return err
	},
	"packetpair": func([]string) error {
		_, err := unix.Socketpair(unix.AF_INET, unix.SOCK_STREAM, 0)
		if errors.Is(err, unix.EOPNOTSUPP) { // the kernel has made both
			return nil
		}
		return err
	},
	"oldpacket": func([]string) error {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_PACKET, 0x300)
		if !errors.Is(err, unix.ESOCKTNOSUPPORT) { // whatever else the kernel says, it took it for packets
			return nil
		}
		return err
	},
	"uevents": func([]string) error {
		return errorOf(unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT))
	},
	"families": func([]string) error {
		for family := range 64 {
			for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_SEQPACKET, unix.SOCK_RAW} {
				switch family {
				case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK:
					continue
				}
				if _, err := unix.Socket(family, kind, 0); !errors.Is(err, unix.EAFNOSUPPORT) {
					return nil
				}
			}
		}
		return unix.EAFNOSUPPORT
	},
	"immutable": func(a []string) error {
		f, err := os.Open(a[0])
		if err != nil {
			return err
		}
		defer f.Close()
		const immutable = 0x10
		return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, immutable)
	},
	"trusted": func(a []string) error { return unix.Setxattr(a[0], "trusted.overlay.opaque", []byte("y"), 0) },
	"capable": func(a []string) error { return unix.Setxattr(a[0], "security.capability", make([]byte, 20), 0) },
	"verity": func(a []string) error {
		f, err := os.Open(a[0])
		if err != nil {
			return err
		}
		defer f.Close()
		enable := [16]uint64{0: 1 | 1<<32, 1: 4096}
		_, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.FS_IOC_ENABLE_VERITY, uintptr(unsafe.Pointer(&enable)))
		if e != 0 {
			return e
		}
		return nil
	},
	"loop":  func([]string) error { return errorOf(os.OpenFile("/dev/loop-control", os.O_RDWR, 0)) },
	"nine":  func(a []string) error { return unix.Mount("host", a[0], "9p", 0, "trans=virtio") },
	"swap":  func(a []string) error { return errnoCall(unix.SYS_SWAPON, a[0]) },
	"acct":  func(a []string) error { return errnoCall(unix.SYS_ACCT, a[0]) },
	"list":  hasEntries,
	"peek":  peek,
	"input": ownInput,
	"realtime": func([]string) error {
		return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
	},
	"cores": func([]string) error {
		var limit unix.Rlimit
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // then a program of the machine's gets the core
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil || limit.Cur == 1 {
			return fmt.Errorf("the limit stays at %d: %w", limit.Cur, err)
		}
		return nil
	},
	"terminals": func([]string) error {
		for range 200 {
			if _, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
				return err
			}
		}
		return nil
	},
}

func errnoCall(nr uintptr, path string) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	if _, _, e := unix.Syscall(nr, uintptr(unsafe.Pointer(p)), 0, 0); e != 0 {
		return e
	}
	return nil
}

func hasEntries(a []string) error {
	entries, err := os.ReadDir(a[0])
	if err == nil && len(entries) == 0 {
		return errors.New("it is empty")
	}
	return err
}

func peek(a []string) error {
	f, err := os.Open(a[0])
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 8))
	return err
}

// ownInput takes the side of its standard input that toolvet writes to, and keeps it.
func ownInput([]string) error {
	f, err := os.OpenFile("/proc/self/fd/0", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("mine")
	return err
}

// kernelAssaults are these attacks, and the walls that keep them in.
func kernelAssaults(dir string) []assault {
	const inUserNamespace = "the kernel refuses it in any user namespace but the first"
	filter := []wall{filterWall}
	list := []assault{
		{args: []string{"pidfdget"}, walls: filter}, {args: []string{"madvise"}, walls: filter}, {args: []string{"faults"}, kernel: "a kernel may be built without it"},
		{args: []string{"fanotify"}, walls: []wall{filterWall, countsWall}}, {args: []string{"inotify"}, kernel: "others take them, too"},
		{args: []string{"lease", "/dev/shm/lease"}, walls: filter}, {args: []string{"dnotify", dir}, walls: filter}, {args: []string{"pipesize"}, walls: filter},
		{args: []string{"byhandle"}, kernel: inUserNamespace}, {args: []string{"requests"}, walls: filter}, {args: []string{"hugepages"}, walls: filter},
		{args: []string{"packetpair"}, walls: filter}, {args: []string{"oldpacket"}, walls: filter}, {args: []string{"uevents"}, walls: filter},
		{args: []string{"families"}, kernel: "modules that are not there everywhere"},
		{args: []string{"immutable", dir}, kernel: inUserNamespace}, {args: []string{"trusted", dir}, kernel: inUserNamespace}, {args: []string{"capable", dir}, kernel: "a directory has none"},
		{args: []string{"verity", "/proc/self/exe"}, kernel: "overlays have none"}, {args: []string{"loop"}, kernel: "it is not there"}, {args: []string{"nine", dir}, kernel: inUserNamespace},
		{args: []string{"swap", dir}, kernel: inUserNamespace}, {args: []string{"acct", dir}, kernel: inUserNamespace},
		{args: []string{"append", "/proc/sys/fs/binfmt_misc/register"}, kernel: "it is not there"}, {args: []string{"append", "/proc/sys/kernel/modprobe"}, kernel: "a file that is not there everywhere"},
		{args: []string{"append", "/proc/sys/user/max_user_namespaces"}, walls: []wall{procWall, capabilityWall}}, {args: []string{"list", "/sys/fs/cgroup"}, kernel: "nothing is mounted there"},
		{args: []string{"append", "/sys/kernel/uevent_helper"}, kernel: "a file that is not there everywhere"},
	}
	if _, err := os.Stat("/proc/kpageflags"); err == nil {
		list = append(list, assault{args: []string{"peek", "/proc/kpageflags"}, walls: []wall{maskWall}, root: true}, assault{args: []string{"peek", "/proc/vmallocinfo"}, walls: []wall{maskWall}, root: true})
	}
	if entries, err := os.ReadDir("/sys/firmware"); err == nil && len(entries) > 0 {
		list = append(list, assault{args: []string{"list", "/sys/firmware"}, walls: []wall{maskWall}})
	}
	return list
}

// TestCores holds that no core is given to a program of the machine's: its limit is 1 byte, and is not set to 0.
func TestCores(t *testing.T) {
	t.Parallel()
	var ours unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &ours); err != nil || ours.Max == 0 {
		t.Skipf("there are no cores here: %+v %v", ours, err)
	}
	for _, tt := range []struct {
		without []wall
		works   bool
	}{{nil, false}, {[]wall{limitsWall}, true}, {[]wall{filterWall}, true}} {
		if r := run(t, Config{Dir: "/", without: tt.without, Args: []string{self(t), "as-attacker", "cores"}}); (r.out == "done\n") != tt.works {
			t.Errorf("without %v: got %q %q", tt.without, r.out, r.err)
		}
	}
}

// TestCorePattern has a program crash where the machine gives cores to a program of its own. It sets that for the
// whole machine, so it must be asked for: by TOOLVET_CORE_PATTERN=1, in a virtual machine.
func TestCorePattern(t *testing.T) {
	const file = "/proc/sys/kernel/core_pattern"
	if os.Getenv("TOOLVET_CORE_PATTERN") == "" {
		t.Skip("it changes " + file)
	}
	dir := t.TempDir()
	handler, told := filepath.Join(dir, "handler"), filepath.Join(dir, "told")
	write(t, handler, "#!/bin/sh\n>"+told+"\ncat >/dev/null\n", 0o755)
	before, err := os.ReadFile(file)
	if err := errors.Join(err, os.WriteFile(file, []byte("|"+handler), 0)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.WriteFile(file, before, 0) }()
	for _, tt := range []struct {
		without []wall
		works   bool
	}{{nil, false}, {[]wall{limitsWall}, true}} {
		run(t, Config{Dir: "/", without: tt.without, Args: []string{"/bin/sh", "-c", "kill -SEGV $$"}})
		_, err := os.Stat(told)
		if (err == nil) != tt.works {
			t.Errorf("without %v: a program of the machine's ran: %v", tt.without, err == nil)
		}
	}
}

// TestTerminals takes more terminals than one rehearsal may.
func TestTerminals(t *testing.T) {
	t.Parallel()
	if r := try(t, Limits{}, "/", "terminals"); !strings.HasPrefix(r.out, "failed") {
		t.Errorf("got %q", r.out)
	}
	if out, err := exec.Command(self(t), "as-attacker", "terminals").Output(); err != nil {
		t.Skipf("nor does it work outside: %s", out)
	}
}

// TestRealtime takes a processor for itself, as a user may to whom the machine gives real time.
func TestRealtime(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Root.Skip(t, "only the superuser gives real time")
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_RTPRIO, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_RTPRIO, &unix.Rlimit{Cur: 1, Max: max(1, before.Max)}); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_RTPRIO, &before) }()
	for _, without := range [][]wall{nil, {limitsWall}} {
		r := run(t, Config{Dir: "/", without: without, Args: []string{self(t), "as-attacker", "realtime"}})
		if (r.out == "done\n") != (without != nil) {
			t.Errorf("without %v: got %q %q", without, r.out, r.err)
		}
	}
}

// TestFirst holds that the machine ends what is rehearsed first when it has no memory left.
func TestFirst(t *testing.T) {
	t.Parallel()
	if r := shell(t, "/", "cat /proc/self/oom_score_adj"); r.out != "1000\n" {
		t.Errorf("got %q", r.out)
	}
}

// TestOwnInput has a server hold the side of its input that is toolvet's. It ends all the same.
func TestOwnInput(t *testing.T) {
	t.Parallel()
	if r := try(t, Limits{}, "/", "input"); r.out != "done\n" {
		t.Errorf("got %q", r.out)
	}
}
