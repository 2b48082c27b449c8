// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/test/need"
)

// attacks are what a server tries that wants out. Nil means that it has worked.
var attacks = map[string]func(args []string) error{
	"rename": func(a []string) error { return os.Rename(a[0], a[1]) },
	"link":   func(a []string) error { return os.Link(a[0], a[1]) },
	"write":  func(a []string) error { return os.WriteFile(a[0], []byte("escaped"), 0o644) },
	// Files of the kernel are only opened, so that a wall that is gone does no harm.
	"append":  func(a []string) error { return errorOf(os.OpenFile(a[0], os.O_WRONLY, 0)) },
	"open":    func(a []string) error { return errorOf(os.OpenFile(a[0], os.O_RDWR, 0)) },
	"read":    func(a []string) error { return errorOf(os.ReadFile(a[0])) },
	"connect": func(a []string) error { return errorOf(net.DialTimeout("tcp", a[0], 5*time.Second)) },
	"unix":    func(a []string) error { return errorOf(net.Dial("unix", a[0])) },
	"path":    openMarked,
	"signal": func(a []string) error {
		pid, err := strconv.Atoi(a[0])
		return errors.Join(err, unix.Kill(pid, unix.SIGKILL))
	},
	"descriptors": func([]string) error {
		for fd := 3; fd < 100; fd++ {
			if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/proc") && !strings.HasPrefix(to, "/sys") {
				return nil
			}
		}
		return errors.New("nothing is open")
	},
	"siege": laySiege,
	"exists": func(a []string) error {
		pid, err := strconv.Atoi(a[0])
		return errors.Join(err, unix.Kill(pid, 0))
	},
	"null":    func(a []string) error { return unix.Mknod(a[0], unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) },
	"exe":     func([]string) error { return errorOf(os.OpenFile("/proc/1/exe", os.O_WRONLY, 0)) },
	"device":  func(a []string) error { return unix.Mknod(a[0], unix.S_IFBLK|0o666, int(unix.Mkdev(8, 0))) },
	"chardev": func(a []string) error { return unix.Mknod(a[0], unix.S_IFCHR|0o666, int(unix.Mkdev(1, 1))) },
	"chmod":   func(a []string) error { return os.Chmod(a[0], 0o666) },
	"fifo":    func(a []string) error { return unix.Mkfifo(a[0], 0o600) },
	"mount":   func(a []string) error { return unix.Mount("none", a[0], "tmpfs", 0, "") },
	"bind":    func(a []string) error { return unix.Mount("/", a[0], "", unix.MS_BIND, "") },
	"remount": func(a []string) error { return unix.Mount("", a[0], "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"umount":  func(a []string) error { return unix.Unmount(a[0], unix.MNT_DETACH) },
	"opentree": func([]string) error {
		return errorOf(unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE))
	},
	"fsopen":  func([]string) error { return errorOf(unix.Fsopen("tmpfs", 0)) },
	"chroot":  func(a []string) error { return unix.Chroot(a[0]) },
	"pivot":   func(a []string) error { return unix.PivotRoot(a[0], a[0]) },
	"unshare": func([]string) error { return unix.Unshare(unix.CLONE_NEWUTS) }, // a program with threads has no new user namespace
	"clone": func([]string) error {
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return cmd.Run()
	},
	"setns": func([]string) error {
		fd, err := unix.Open("/proc/1/ns/uts", unix.O_RDONLY, 0)
		if err != nil {
			fd, err = unix.Open("/proc/self/ns/uts", unix.O_RDONLY, 0)
		}
		return errors.Join(err, unix.Setns(fd, 0))
	},
	"ptrace":   func([]string) error { return unix.PtraceSeize(1) },
	"initmem":  func([]string) error { return errorOf(os.Open("/proc/1/mem")) },
	"initroot": func([]string) error { return errorOf(os.ReadDir("/proc/1/root/")) },
	"initfd":   func([]string) error { return errorOf(os.ReadFile("/proc/1/fd/0")) },
	"initexe":  func([]string) error { return errorOf(os.Open("/proc/1/exe")) },
	"vmread": func([]string) error {
		var b [1]byte
		local, remote := []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: 4096, Len: 1}}
		_, err := unix.ProcessVMReadv(1, local, remote, 0)
		if errors.Is(err, unix.EFAULT) { // it may, and nothing is there
			return nil
		}
		return err
	},
	"pidfd": func([]string) error {
		fd, err := unix.PidfdOpen(1, 0)
		if err != nil {
			return err
		}
		return errorOf(unix.PidfdGetfd(fd, 0, 0))
	},
	"keyring": func([]string) error { return errorOf(unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)) },
	"addkey": func([]string) error {
		return errorOf(unix.AddKey("user", "toolvet", []byte("x"), unix.KEY_SPEC_USER_KEYRING))
	},
	"clock":    func([]string) error { return unix.Settimeofday(&unix.Timeval{Sec: time.Now().Unix()}) },
	"adjtime":  func([]string) error { return errorOf(unix.Adjtimex(&unix.Timex{Modes: unix.ADJ_OFFSET})) },
	"hostname": func([]string) error { return unix.Sethostname([]byte("escaped")) },
	"reboot":   func([]string) error { return unix.Reboot(unix.LINUX_REBOOT_CMD_CAD_OFF) },
	"handle": func(a []string) error {
		_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0)
		return err
	},
	"bpf":     func([]string) error { return call(unix.SYS_BPF) },
	"iouring": func([]string) error { return call(unix.SYS_IO_URING_SETUP) },
	"memfd":   func([]string) error { return errorOf(unix.MemfdCreate("x", 0)) },
	"perf":    func([]string) error { return call(unix.SYS_PERF_EVENT_OPEN) },
	"vsock":   func([]string) error { return errorOf(unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)) },
	"packet":  func([]string) error { return errorOf(unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)) },
	"tiocsti": func([]string) error {
		b := byte('x')
		_, _, e := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
		return errnoError(e, unix.EPERM)
	},
	"setuid": func(a []string) error { return setuidWorks(a[0]) },
	"capset": func([]string) error {
		return setCapabilities([]uintptr{unix.CAP_SYS_ADMIN}, []uintptr{unix.CAP_SYS_ADMIN})
	},
	"talk":   talk,
	"wayout": wayOut,
	"bare":   bare,
	"semaphores": func([]string) error {
		_, _, e := unix.Syscall(unix.SYS_SEMGET, 0, 32000, 0o600) // 2 MiB of the kernel's memory
		return errnoError(e, unix.ENOSYS)
	},
	"queue": func([]string) error {
		_, _, e := unix.Syscall(unix.SYS_MSGGET, 0, 0o600, 0)
		return errnoError(e, unix.ENOSYS)
	},
	"hold": func(a []string) error {
		if _, err := net.Dial("tcp", a[0]); err != nil {
			return err
		}
		for { // without a timer, the runtime ends a program that waits for ever
			time.Sleep(time.Hour)
		}
	},
	"forkbomb": forkBomb,
	"memory":   eat,
	"disk":     fillDisk,
	"files":    manyFiles,
	"spin":     spin,
}

func errorOf[T any](_ T, err error) error { return err }

func call(nr uintptr) error {
	_, _, e := unix.Syscall(nr, 0, 0, 0)
	return errnoError(e, unix.EPERM, unix.ENOSYS)
}

// errnoError is nil unless e is one of the answers of the filter.
func errnoError(e unix.Errno, walls ...unix.Errno) error {
	for _, w := range walls {
		if e == w {
			return e
		}
	}
	return nil
}

// bare becomes another program without naming arguments, and perhaps by a descriptor.
func bare(a []string) error {
	fd, err := unix.Open(a[1], unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	path, err := unix.BytePtrFromString(map[string]string{"fd": fmt.Sprintf("/proc/self/fd/%d", fd), "path": a[1], "at": ""}[a[0]])
	if err != nil {
		return err
	}
	if a[0] == "at" {
		_, _, e := unix.Syscall6(unix.SYS_EXECVEAT, uintptr(fd), uintptr(unsafe.Pointer(path)), 0, 0, unix.AT_EMPTY_PATH, 0)
		return e
	}
	_, _, e := unix.Syscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), 0, 0)
	return e
}

// setuidWorks makes a program that has the set-user-ID bit and looks who it is.
func setuidWorks(program string) error {
	out, err := exec.Command(program, "-u").CombinedOutput()
	if err == nil && strings.TrimSpace(string(out)) != strconv.Itoa(os.Geteuid()) {
		return nil
	}
	return fmt.Errorf("runs as %s", out)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func spin(a []string) error {
	d, err := time.ParseDuration(a[0])
	if err != nil {
		return err
	}
	for { // of the processor
		var used unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil || time.Duration(used.Utime.Nano()+used.Stime.Nano()) > d {
			return err
		}
	}
}

// forkBomb has processes wait for a pipe that nobody writes to.
func forkBomb(a []string) error {
	pipe := a[0] + "/pipe"
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		return err
	}
	return exec.Command("/bin/sh", "-c", `i=0; while [ $i -lt "$2" ]; do (read x <"$1") & i=$((i+1)); done`, "sh", pipe, a[1]).Run()
}

func eat(a []string) error {
	for range number(a[0]) / 64 {
		b, err := unix.Mmap(-1, 0, 64<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return err
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}
	return nil
}

func fillDisk(a []string) error {
	block := make([]byte, 1<<20)
	for i := range number(a[1]) {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", a[0], i), block, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func manyFiles(a []string) error {
	for i := range number(a[1]) {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", a[0], i), nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func attack(name string, args []string) int {
	if name == "landlocked" { // and no other wall
		runtime.LockOSThread()
		if err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), landlock()); err != nil {
			fmt.Println("no Landlock:", err)
			return 2
		}
		name, args = args[0], args[1:]
	}
	f := attacks[name]
	if f == nil {
		f = kernelAttacks[name]
	}
	if f == nil {
		fmt.Println("no such attack:", name)
		return 2
	}
	if err := f(args); err != nil {
		fmt.Printf("failed: %v\n", err)
		return 1
	}
	fmt.Println("done")
	return 0
}

// try runs an attack inside and says how it ended.
func try(t *testing.T, limits Limits, dir string, args ...string) ran {
	t.Helper()
	r := run(t, Config{Dir: dir, Limits: limits, Args: append([]string{self(t), "as-attacker"}, args...)})
	if !strings.HasPrefix(r.out, "done") && !strings.HasPrefix(r.out, "failed: ") && len(r.Ended().Limits) == 0 && r.Ended().Exit.Signal == "" && !strings.Contains(r.err, "fatal error") && !strings.Contains(r.err, "failed to allocate") && !strings.Contains(r.err, "failed to create new OS thread") {
		t.Fatalf("%s was not tried: %q %q %+v", args[0], r.out, r.err, r.Ended())
	}
	return r
}

// TestPipes makes what may be made.
func TestPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if r := try(t, Limits{}, dir, "fifo", dir+"/fifo"); r.out != "done\n" {
		t.Errorf("a named pipe cannot be made: %s", r.out)
	}
}

// TestReach tries to reach a process, sockets and pipes of the machine. Each attack works
// outside.
func TestReach(t *testing.T) {
	dir := t.TempDir()
	victim := exec.Command("/bin/sleep", "600")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	path, err := net.Listen("unix", dir+"/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer path.Close()
	name := "@toolvet-test-" + filepath.Base(filepath.Dir(dir)) + strconv.Itoa(os.Getpid())
	abstract, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	leak, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	if _, _, e := unix.Syscall(unix.SYS_FCNTL, leak.Fd(), unix.F_SETFD, 0); e != 0 { // every child has it from now on
		t.Fatal(e)
	}
	for _, args := range [][]string{
		{"unix", dir + "/socket"}, {"unix", name}, {"connect", tcp.Addr().String()}, {"descriptors"}, {"signal", strconv.Itoa(victim.Process.Pid)},
	} {
		if r := try(t, Limits{}, dir, args...); strings.HasPrefix(r.out, "done") {
			t.Errorf("%q worked: %s", args, r.out)
		}
		out, err := exec.Command(self(t), append([]string{"as-attacker"}, args...)...).Output()
		if err != nil {
			t.Errorf("%q does not work outside either, so that it tests nothing: %s", args, out)
		}
	}
}

// TestTricks tries to change a file of the machine by other names. All of it works, inside.
func TestTricks(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir+"/a")
	write(t, dir+"/victim", "safe", 0o644)
	if err := os.Symlink(dir+"/victim", dir+"/a/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/proc/self/root"+dir+"/victim", dir+"/a/proc"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"write", dir + "/victim"}, {"write", dir + "/a/link"}, {"write", dir + "/a/proc"}, {"link", dir + "/victim", dir + "/a/hard"}, {"rename", dir + "/victim", dir + "/a/moved"},
		{"rename", dir + "/a", dir + "/b"},
	} {
		if r := try(t, Limits{}, dir, args...); r.out != "done\n" {
			t.Errorf("%q: %s", args, r.out)
		}
		raw, err := os.ReadFile(dir + "/victim")
		names, _ := filepath.Glob(dir + "/*/*")
		if string(raw) != "safe" || err != nil || len(names) != 2 {
			t.Fatalf("after %q: %q %v %q", args, raw, err, names)
		}
		var stat unix.Stat_t
		if err := unix.Stat(dir+"/victim", &stat); err != nil || stat.Nlink != 1 {
			t.Fatalf("after %q the file has %d links (%v)", args, stat.Nlink, err)
		}
	}
}

func TestSetUID(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Root.Skip(t, "only the superuser makes programs of others")
	}
	dir := sharedDir(t)
	raw, err := os.ReadFile("/usr/bin/id")
	if err != nil {
		t.Skip(err)
	}
	write(t, dir+"/id", string(raw), 0o755)
	if err := errors.Join(os.Chown(dir+"/id", nobody, nobody), os.Chmod(dir+"/id", 0o755|os.ModeSetuid)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(self(t), "as-attacker", "setuid", dir+"/id").Output(); err != nil {
		t.Skipf("it does not work outside either: %s", out)
	}
	more := []wall{capabilityWall, landlockWall} // without no_new_privs the filter needs capabilities
	for _, tt := range []struct {
		without []wall
		works   bool
	}{{nil, false}, {[]wall{setuidWall}, false}, {append(more, privilegeWall), false}, {append(more, privilegeWall, setuidWall), true}} {
		r := run(t, Config{Dir: dir, without: tt.without, Args: []string{self(t), "as-attacker", "setuid", dir + "/id"}})
		if (r.out == "done\n") != tt.works {
			t.Errorf("without %v a program of another's ran as its owner: %v; %q %q", tt.without, r.out == "done\n", r.out, r.err)
		}
	}
}

// TestLimits tries what takes too much: with a limit it fails, and with a larger one it works.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	before := countProcesses(t)
	for _, tt := range []struct {
		attack      []string
		tight, wide Limits
	}{
		{[]string{"forkbomb", dir, "1500"}, Limits{Processes: 310}, Limits{Processes: 2000}},
		{[]string{"memory", "512"}, Limits{Memory: 256 << 20}, Limits{Memory: 2 << 30}},
		{[]string{"disk", dir, "48"}, Limits{Storage: 16 << 20}, Limits{}},
		{[]string{"disk", "/dev/shm", "48"}, Limits{Storage: 16 << 20}, Limits{}},
		{[]string{"files", dir, "2000"}, Limits{Files: 1000}, Limits{}},
		{[]string{"spin", "3s"}, Limits{CPU: time.Second}, Limits{}},
	} {
		if r := try(t, tt.tight, dir, tt.attack...); strings.HasPrefix(r.out, "done") {
			t.Errorf("%q works within %+v", tt.attack, tt.tight)
		}
		if r := try(t, tt.wide, dir, tt.attack...); !strings.HasPrefix(r.out, "done") {
			t.Errorf("%q fails within %+v, too, so that it tests nothing: %q %q %+v", tt.attack, tt.wide, r.out, r.err, r.Ended())
		}
	}
	if after := countProcesses(t); after > before+100 {
		t.Errorf("there were %d processes, and now there are %d", before, after)
	}
}

func countProcesses(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestOutlive leaves processes behind that would live on.
func TestOutlive(t *testing.T) {
	dir := t.TempDir()
	marker := "31" + strconv.Itoa(os.Getpid()) // a number of seconds that nobody else sleeps
	r := shell(t, dir, "setsid sh -c 'trap \"\" TERM HUP; sleep "+marker+"' >/dev/null 2>&1 & sleep 0.2; exit 5")
	if got := r.Ended(); got.Exit.Code != 5 || !strings.Contains(strings.Join(got.Left, "\n"), marker) {
		t.Errorf("got %+v", got)
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if raw, _ := os.ReadFile(file); strings.Contains(string(raw), "sleep\x00"+marker) {
			t.Errorf("%s still runs", file)
		}
	}
}
