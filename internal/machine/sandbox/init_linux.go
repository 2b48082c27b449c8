// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
	"github.com/toolvet/toolvet/internal/machine/memory"
)

// The roles of [Run].
const (
	roleInit  = "init"
	roleEnter = "enter"
)

// Run is the body of the program in [Config.Init]; args follow that program's own arguments. It returns
// the exit code, or replaces the program by the server.
//
// It changes its own process, so the program must do nothing else.
func Run(args []string) int {
	switch {
	case len(args) == 1 && args[0] == roleInit && os.Getpid() == 1:
		return runInit()
	case len(args) == 1 && args[0] == roleEnter:
		return enter()
	}
	fmt.Fprintln(os.Stderr, "sandbox is started by toolvet itself, to rehearse a call; it does not work by hand")
	return 2
}

// A setup configures init.
type setup struct {
	Config   Config
	Writable []string
	Missed   []string            // top-level directories with further writable places
	Root     bool                // we are the superuser outside
	Visits   bool                // connections go to visitsFD
	Trusted  map[string][]byte   // files of certificates, below /dev
	Grouped  []cgroup.Controller // that limit everything inside
}

// runInit is PID 1 inside.
func runInit() int {
	// Files that toolvet has inherited must not reach the server.
	if stands(descriptorsWall) {
		if err := unix.CloseRange(controlFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return 2
		}
	}
	signal.Notify(make(chan os.Signal, 1)) // only signals of the kernel end init
	c, err := newControl(os.NewFile(controlFD, "control"))
	if err != nil {
		return 2
	}
	var s setup
	if err := c.receive(&s); err != nil {
		return 2
	}
	if !s.Config.live() {
		// When the machine runs out of memory, the rehearsal ends first. A container may forbid this
		// setting, which is fine.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	}
	// No process inside may trace or stop init.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	i := &initProcess{setup: s, control: c}
	if err := i.run(); err != nil {
		var missing *UnsupportedError
		var absent *exec.Error
		n := note{Failed: err.Error()}
		switch {
		case errors.As(err, &missing):
			n = note{Missing: missing.What, Fix: missing.Fix}
		case errors.As(err, &absent):
			n = note{Absent: absent.Name}
		}
		_ = c.send(n)
		return 1
	}
	return 0
}

type initProcess struct {
	setup   setup
	control *control
	events  watcher
	fresh   []overlaying
	idle    *idleness // since the last refresh
	skipped time.Duration
	late    map[int]bool // processes that waited with a deadline at the last look
	stage   int          // descriptor of the directory of the layers
}

func (i *initProcess) run() error {
	root, err := buildRoot(i.setup)
	if err != nil {
		return err
	}
	if err := isolate(i.setup.Config.Network); err != nil {
		return err
	}
	i.events.quiet = i.setup.Config.live()
	i.events.control, i.events.names = i.control, newNames(i.setup.Config.FirstAddress, i.setup.Config.Names)
	if i.setup.Config.Network == Observed {
		if err := i.events.names.listen(i.events.send); err != nil {
			return fmt.Errorf("answering for the DNS: %w", err)
		}
		if i.setup.Visits {
			i.events.porter = newPorter(i.events.names)
			i.events.porter.patient, i.events.porter.first = i.setup.Config.live(), i.setup.Config.First
			i.events.porter.openLocal(i.setup.Config.Local)
		}
	}
	if err := i.control.send(note{Ready: &ready{Layers: root.layers, Gaps: root.gaps}}, root.stage); err != nil {
		return err
	}
	if err := i.control.receive(&struct{}{}); err != nil { // nobody looks at the layers any more
		return err
	}
	i.fresh, i.stage = root.fresh, root.stage
	i.events.mark = i.setup.Config.Mark
	i.events.mover = mover{root: i.setup.Root, on: root.on}
	return i.serve()
}

// serve starts the server and supervises it until everything has ended.
func (i *initProcess) serve() error {
	cmd, listener, err := i.start()
	if err != nil {
		return err
	}
	silence()
	go i.obey()
	go i.events.watch(listener)
	limit := newWarden(i.setup.Config.Limits, i.setup.Grouped, i.stage)
	if i.setup.Config.live() { // it may take days
		memory.Manage(context.Background())
	} else {
		go limit.watch()
	}
	if err := i.control.send(note{Started: true}); err != nil {
		return err
	}
	status, usage := reap(cmd.Process.Pid)
	left := leftovers()
	killAll()
	usage = reapRest(usage)
	usage.Watches = i.events.watches.made.Load()
	usage.Pipes, usage.InFlight = limit.most()
	if usage.Watches > maxWatches {
		limit.meet(limitWatches)
	}
	return i.control.send(note{Exited: &exited{Status: int(status), Left: left, Limits: limit.broken(), Usage: usage}})
}

// start starts the program that becomes the server. The listener reports its system calls.
func (i *initProcess) start() (*exec.Cmd, *os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	mine, err := newControl(os.NewFile(uintptr(pair[0]), "listener"))
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	defer mine.conn.Close()
	cmd := exec.Command("/proc/self/exe", i.setup.Config.Init[1:]...)
	cmd.Args = append(cmd.Args, roleEnter)
	cmd.Args[0] = i.setup.Config.Init[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, AmbientCaps: allCapabilities()}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, nil, err
	}
	what := i.setup.Config
	if err := mine.send(entry{Args: what.Args, Env: what.Env, Dir: what.Dir, Root: i.setup.Root, Limits: what.Limits, Live: what.live(), Paths: what.Mark != ""}); err != nil {
		return nil, nil, err
	}
	listener, err := takeListener(mine, cmd.Process.Pid)
	if err != nil {
		return nil, nil, err
	}
	return cmd, listener, nil
}

// takeListener takes the descriptor for the server's system calls from the process that becomes the
// server.
func takeListener(c *control, pid int) (*os.File, error) {
	var e entered
	if err := c.receive(&e); err != nil {
		return nil, errors.New("the sandbox could not be entered")
	}
	switch {
	case e.Absent != "":
		return nil, &exec.Error{Name: e.Absent, Err: exec.ErrNotFound}
	case e.Failed != "":
		return nil, errors.New(e.Failed)
	}
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(process)
	fd, err := unix.PidfdGetfd(process, e.Listener, 0)
	if err != nil {
		return nil, err
	}
	listener := os.NewFile(uintptr(fd), "listener")
	return listener, c.send(struct{}{})
}

// silence closes init's copies of the server's standard files, so that they close with the server's.
func silence() {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		os.Stdin.Close()
		os.Stdout.Close()
		os.Stderr.Close()
		return
	}
	for fd := range 3 {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
	null.Close()
}

// An order is a message to init while the server runs.
type order struct {
	Signal  int   `json:"signal,omitempty"`  // for the server
	Refresh bool  `json:"refresh,omitempty"` // see [Sandbox.Refresh]; answered
	Settle  bool  `json:"settle,omitempty"`  // see [Sandbox.Settle]; answered
	Running bool  `json:"running,omitempty"` // see [Sandbox.Running]; answered
	Pending *Look `json:"pending,omitempty"` // see [Sandbox.Pending]; answered
}

// obey carries out orders, and ends everything when the socket closes.
func (i *initProcess) obey() {
	for {
		var o order
		if err := i.control.receive(&o); err != nil {
			os.Exit(1) // the kernel kills the rest
		}
		if o.Signal > 0 {
			_ = unix.Kill(-1, unix.Signal(o.Signal))
		}
		if o.Settle {
			_ = i.control.send(note{Answer: true}) // without a listener, there is no next order
		}
		if o.Running {
			_ = i.control.send(note{Answer: true, Running: running()}) // as above
		}
		if o.Pending != nil {
			_ = i.control.send(note{Answer: true, Pending: i.pending(*o.Pending)}) // as above
		}
		if o.Refresh {
			n := note{Answer: true}
			if err := i.refresh(); err != nil {
				n.Failed = err.Error()
			}
			_ = i.control.send(n) // without a listener, there is no next order
		}
	}
}
