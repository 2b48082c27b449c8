// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An assault is an attack, and the walls that keep it in: it fails as long as one of them
// stands, and works when all are gone.
type assault struct {
	args  []string
	walls []wall
	// kernel says why it fails with no wall of ours, too, or may; then it is only held that
	// it fails.
	kernel string
	root   bool // an ordinary user may not do it anyway, by the modes of files
}

// assaults are everything that is forbidden outright. Dir is a directory to try it in.
func assaults(dir string) []assault {
	both := []wall{filterWall, capabilityWall}
	// Landlock keeps whoever is restricted by it from mounts and from looking into others.
	three := []wall{filterWall, capabilityWall, landlockWall}
	looking := []wall{capabilityWall, landlockWall}
	filter := []wall{filterWall}
	capability := []wall{capabilityWall}
	const inUserNamespace = "the kernel refuses it in any user namespace but the first"
	list := []assault{
		{args: []string{"device", dir + "/sda"}, kernel: inUserNamespace}, {args: []string{"chardev", dir + "/mem"}, kernel: inUserNamespace},
		{args: []string{"mount", dir}, walls: three}, {args: []string{"bind", dir}, walls: three},
		{args: []string{"remount", "/dev"}, walls: three}, {args: []string{"umount", dir}, kernel: "nothing is mounted there"},
		{args: []string{"umount", "/dev/shm"}, walls: three}, {args: []string{"opentree"}, walls: append(both, countsWall)}, {args: []string{"fsopen"}, walls: both}, {args: []string{"chroot", dir}, walls: both},
		{args: []string{"unshare"}, walls: append(both, countsWall)}, {args: []string{"clone"}, walls: []wall{filterWall, countsWall}}, {args: []string{"setns"}, walls: both},
		{args: []string{"ptrace"}, walls: three}, {args: []string{"initmem"}, walls: looking, root: true}, {args: []string{"initroot"}, walls: looking}, {args: []string{"initfd"}, walls: looking, root: true},
		{args: []string{"initexe"}, walls: looking}, {args: []string{"vmread"}, walls: three}, {args: []string{"pidfd"}, walls: three}, {args: []string{"capset"}, walls: capability},
		{args: []string{"exe"}, kernel: "proc is read-only, and a program that runs cannot be written"},
		{args: []string{"keyring"}, walls: filter}, {args: []string{"addkey"}, walls: filter}, {args: []string{"clock"}, kernel: inUserNamespace}, {args: []string{"adjtime"}, kernel: inUserNamespace},
		{args: []string{"hostname"}, walls: both}, {args: []string{"reboot"}, kernel: inUserNamespace}, {args: []string{"handle", "/dev"}, walls: filter},
		{args: []string{"bpf"}, kernel: "kernel.unprivileged_bpf_disabled"}, {args: []string{"iouring"}, kernel: "kernel.io_uring_disabled, where it is set"}, {args: []string{"memfd"}, walls: filter}, {args: []string{"semaphores"}, walls: filter}, {args: []string{"queue"}, walls: filter},
		{args: []string{"perf"}, kernel: "kernel.perf_event_paranoid, where it is set"}, {args: []string{"vsock"}, kernel: "a module that is not there everywhere"}, {args: []string{"packet"}, kernel: "a module that is not there everywhere"},
		{args: []string{"tiocsti"}, walls: filter}, {args: []string{"read", "/proc/1/environ"}, walls: looking, root: true},
		{args: []string{"append", "/proc/self/oom_score_adj"}, walls: []wall{procWall}}, {args: []string{"append", "/proc/self/uid_map"}, walls: []wall{procWall}},
		{args: []string{"append", "/proc/sys/kernel/core_pattern"}, walls: []wall{procWall}, root: true}, {args: []string{"append", "/proc/sys/vm/drop_caches"}, walls: []wall{procWall}, root: true},
		{args: []string{"append", "/proc/sysrq-trigger"}, kernel: "a file that is not there everywhere"}, {args: []string{"append", "/sys/kernel/mm/transparent_hugepage/enabled"}, walls: []wall{sysWall}, root: true},
		{args: []string{"append", "/sys/power/state"}, kernel: "a file that is not there everywhere"}, {args: []string{"open", "/dev/mem"}, kernel: "it is not there; the kernel asks for capabilities, too"},
		{args: []string{"chmod", "/dev/full"}, walls: []wall{devicesWall}, root: true}, {args: []string{"open", "/dev/kmsg"}, kernel: "it is not there"}, {args: []string{"open", "/dev/sda"}, kernel: "it is not there"}, {args: []string{"open", "/dev/vda"}, kernel: "it is not there"},
		{args: []string{"connect", "192.0.2.1:80"}, kernel: "nobody has this address; see TestReach"}, {args: []string{"descriptors"}, kernel: "nothing is left open; see TestReach"},
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		list = slices.DeleteFunc(list, func(a assault) bool { return slices.Contains(a.walls, sysWall) })
	}
	list = append(list, kernelAssaults(dir)...)
	return append(list, assault{args: []string{"pivot", dir}, walls: three}) // the last, and dir is a mount by now
}

// siege tries assaults in one sandbox without some walls, and says which worked.
func siege(t *testing.T, dir string, list []assault, without ...wall) []string {
	t.Helper()
	var commands [][]string
	for _, a := range list {
		commands = append(commands, a.args)
	}
	raw, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, Config{Dir: dir, without: without, Args: []string{self(t), "as-attacker", "siege", string(raw)}})
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if len(lines) != len(list)+1 {
		t.Fatalf("without %v: %d attacks were tried of %d: %q %s", without, len(lines)-1, len(list), r.out, r.err)
	}
	return lines
}

// laySiege is the attacker of a siege: each attack has a process of its own.
func laySiege(args []string) error {
	var commands [][]string
	if err := json.Unmarshal([]byte(args[0]), &commands); err != nil {
		return err
	}
	for _, c := range commands {
		cmd := exec.Command("/proc/self/exe", append([]string{"as-attacker"}, c...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		_ = cmd.Wait()
		switch {
		case strings.HasPrefix(line, "done"):
			fmt.Println("worked")
		case strings.HasPrefix(line, "failed: "):
			fmt.Println(strings.TrimSpace(line))
		default:
			return fmt.Errorf("%q was not tried: %q", c, line)
		}
	}
	return nil
}

// TestWalls leaves out walls. What an attack needs gone must be gone, and all of it.
func TestWalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, scoped := assaults(dir), landlockABI() >= scopedABI
	for _, without := range [][]wall{
		{}, {filterWall, capabilityWall, landlockWall, countsWall}, {procWall}, {sysWall}, {devicesWall}, {maskWall}, {countsWall}, {procWall, capabilityWall},
		{filterWall, capabilityWall, landlockWall},
		{capabilityWall, landlockWall}, {filterWall, landlockWall}, {filterWall, capabilityWall}, // one stands
	} {
		t.Run(fmt.Sprint(without), func(t *testing.T) {
			t.Parallel()
			answers := siege(t, dir, list, without...)
			for i, a := range list {
				worked := answers[i] == "worked"
				gone := len(a.walls) > 0 && !slices.ContainsFunc(a.walls, func(w wall) bool {
					return !slices.Contains(without, w) && (w != landlockWall || scoped)
				})
				switch {
				case a.kernel != "" && len(without) > 0, a.root && os.Geteuid() != 0 && !worked:
				case worked && !gone:
					t.Errorf("%q works, although one of %v stands", a.args, a.walls)
				case !worked && gone:
					t.Errorf("%q fails without %v: what keeps it in? %s", a.args, a.walls, answers[i])
				}
			}
		})
	}
}

// TestOverlayWall has tricks with files reach the machine where there are no overlays.
func TestOverlayWall(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"write", "victim"}, {"write", "link"}, {"link", "victim", "hard"}, {"rename", "victim", "moved"}, {"unix", "socket"}} {
		dir := t.TempDir()
		write(t, dir+"/victim", "safe", 0o644)
		if err := os.Symlink(dir+"/victim", dir+"/link"); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", dir+"/socket")
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, Config{Dir: dir, without: []wall{overlayWall}, Args: append([]string{self(t), "as-attacker"}, args...)})
		l.Close()
		if r.out != "done\n" {
			t.Errorf("%q fails without overlays: what keeps it in? %s", args, r.out)
		}
		raw, _ := os.ReadFile(dir + "/victim")
		if names, _ := filepath.Glob(dir + "/*"); args[0] != "unix" && string(raw) == "safe" && len(names) == 2 {
			t.Errorf("%q did not reach the machine", args)
		}
	}
}

// TestReachWalls has the attacks of TestReach work without their walls.
func TestReachWalls(t *testing.T) {
	dir := t.TempDir()
	name := "@toolvet-walls-" + strconv.Itoa(os.Getpid())
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
	if _, err := unix.FcntlInt(leak.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	scoped := landlockABI() >= scopedABI
	for _, tt := range []struct {
		args    []string
		without []wall
		works   bool
	}{
		{[]string{"connect", tcp.Addr().String()}, []wall{networkWall}, true},
		{[]string{"connect", tcp.Addr().String()}, []wall{landlockWall, filterWall, capabilityWall}, false},
		{[]string{"unix", name}, []wall{networkWall, landlockWall}, true},
		{[]string{"unix", name}, []wall{networkWall}, !scoped},
		{[]string{"unix", name}, []wall{landlockWall}, false},
		{[]string{"descriptors"}, []wall{descriptorsWall}, true},
	} {
		if r := run(t, Config{Dir: dir, without: tt.without, Args: append([]string{self(t), "as-attacker"}, tt.args...)}); (r.out == "done\n") != tt.works {
			t.Errorf("%q without %v: %s %s", tt.args, tt.without, r.out, r.err)
		}
	}
}

// TestLandlock has Landlock keep in what is nowhere else kept in: a process outside of any
// sandbox.
func TestLandlock(t *testing.T) {
	if landlockABI() < scopedABI {
		t.Skip("this kernel has no Landlock that scopes signals")
	}
	dir := t.TempDir()
	name := "@toolvet-landlock-" + strconv.Itoa(os.Getpid())
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	attacks := [][]string{{"exists", strconv.Itoa(os.Getpid())}, {"unix", name}}
	if os.Geteuid() == 0 {
		attacks = append(attacks, []string{"null", dir + "/null"})
	}
	for _, args := range attacks {
		if out, err := exec.Command(self(t), append([]string{"as-attacker", "landlocked"}, args...)...).Output(); err == nil || !strings.HasPrefix(string(out), "failed") {
			t.Errorf("%q works: %s", args, out)
		}
		if out, err := exec.Command(self(t), append([]string{"as-attacker"}, args...)...).Output(); err != nil {
			t.Errorf("%q does not work without Landlock either: %s", args, out)
		}
	}
}

// landlockABI is the version of Landlock that the kernel has, or 0.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}
