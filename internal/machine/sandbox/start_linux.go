// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
	"github.com/toolvet/toolvet/internal/machine/process"
)

// startTimeout bounds the start of the sandbox: until the server's program runs.
const startTimeout = 30 * time.Second

// A Sandbox runs one server. Its methods are safe for concurrent use.
type Sandbox struct {
	stdin, stdout, stderr *os.File
	quiet                 bool // events are not kept
	cmd                   *exec.Cmd
	control               *control
	visits                *visits // connections from inside; nil: all are refused
	stage                 *os.File
	layers                []Layer
	gaps                  []Gap
	group                 *cgroup.Group // nil: not available
	ungrouped             error         // the reason
	done                  chan struct{}
	over                  chan struct{} // closed when only the layers of the sandbox are left
	refreshing            sync.Mutex
	answer                chan note // to an order to refresh

	mu     sync.Mutex
	events []Event
	ended  exited
	known  bool // ended is
}

// Start starts a server in a sandbox of its own. The error is an [UnsupportedError] if this machine
// cannot run sandboxes.
func Start(ctx context.Context, c Config) (*Sandbox, error) {
	if len(c.Args) == 0 || len(c.Init) == 0 {
		return nil, errors.New("sandbox: no command")
	}
	c.Limits = c.Limits.withDefaults()
	if c.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		c.Dir = dir
	}
	s := &Sandbox{quiet: c.live(), done: make(chan struct{}), over: make(chan struct{}), answer: make(chan note, 1)}
	if !c.live() {
		s.confine(c)
	}
	err := s.launch(c)
	if err != nil && s.group != nil { // some containers cannot start a process in a group
		s.ungroup()
		s.group, s.ungrouped = nil, err
		s.close()
		err = s.launch(c)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { s.control.conn.Close() })
	timer := time.AfterFunc(startTimeout, func() { s.control.conn.Close() })
	err = s.begin(c)
	timer.Stop()
	if !stop() {
		err = cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		s.kill()
		_ = s.cmd.Wait()
		s.ungroup()
		s.close()
		return nil, err
	}
	if s.visits != nil {
		go s.visits.serve()
	}
	go s.follow()
	return s, nil
}

// launch starts init.
func (s *Sandbox) launch(c Config) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := []*os.File{os.NewFile(uintptr(pair[1]), "control")}
	inits := 1 // descriptors for init only: controlFD, visitsFD
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	if s.control, err = newControl(os.NewFile(uintptr(pair[0]), "control")); err != nil {
		return err
	}
	if c.Accept != nil {
		v, other, err := newVisits(c.Accept, affordable(c.accepted(), openFiles()))
		if err != nil {
			return err
		}
		s.visits, theirs, inits = v, append(theirs, other), 2
	}
	for i, ours := range []**os.File{&s.stdin, &s.stdout, &s.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		if i == 0 {
			r, w = w, r
		}
		*ours = r
		theirs = append(theirs, w)
	}
	uids, gids, err := identities()
	if err != nil {
		return err
	}
	s.cmd = exec.Command(c.Init[0], append(slices.Clone(c.Init[1:]), roleInit)...)
	s.cmd.Env = []string{"GOMAXPROCS=2"}
	s.cmd.Dir = "/"
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = theirs[inits], theirs[inits+1], theirs[inits+2]
	s.cmd.ExtraFiles = theirs[:inits]
	s.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  namespaces(c) | unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: uids, GidMappings: gids, GidMappingsEnableSetgroups: os.Geteuid() == 0 && setgroupsAllowed(),
		AmbientCaps: allCapabilities(),
		Setsid:      true,
	}
	if s.group != nil {
		s.cmd.SysProcAttr.UseCgroupFD, s.cmd.SysProcAttr.CgroupFD = true, s.group.FD()
	}
	if err := s.cmd.Start(); err != nil {
		return machine{"/proc"}.noNamespaces(err)
	}
	return nil
}

// namespaces lists the namespaces that tests can leave out.
func namespaces(c Config) uintptr {
	if slices.Contains(c.without, networkWall) {
		return 0
	}
	return unix.CLONE_NEWNET
}

// begin configures init, and waits until the server runs.
func (s *Sandbox) begin(c Config) error {
	var dirs, missed []string
	if c.View == nil {
		var err error
		if dirs, missed, err = writable(c); err != nil {
			return err
		}
	}
	trusted, variables := trust(c)
	c.Env = withVariables(c.Env, variables)
	if err := s.control.send(setup{Config: c, Writable: dirs, Missed: missed, Root: os.Geteuid() == 0, Visits: c.Accept != nil, Trusted: trusted, Grouped: s.grouped()}); err != nil {
		return fmt.Errorf("the sandbox ended during its start, as it does if the command of Init does not call Run: %w", err)
	}
	first, stage, err := s.control.receiveFile()
	if err != nil {
		return fmt.Errorf("the sandbox ended during its start, as it does if the command of Init does not call Run: %w", err)
	}
	s.stage = stage
	s.control.in = bufio.NewReader(io.MultiReader(bytes.NewReader([]byte{first}), s.control.conn))
	for {
		var n note
		if err := s.control.receive(&n); err != nil {
			return fmt.Errorf("the sandbox ended before the server ran: %w", err)
		}
		switch {
		case n.Missing != "":
			return machine{"/proc"}.missing(n)
		case n.Absent != "":
			return process.StartError(n.Absent, exec.ErrNotFound)
		case n.Failed != "":
			return errors.New("the sandbox could not be built: " + n.Failed)
		case n.Ready != nil && stage != nil:
			s.learn(n.Ready)
			if c.Built != nil {
				c.Built(s.layers)
			}
			if err := s.control.send(struct{}{}); err != nil {
				return fmt.Errorf("the sandbox ended before the server ran: %w", err)
			}
		case n.Event != nil:
			s.happened(*n.Event)
		case n.Started:
			return nil
		}
	}
}

func (s *Sandbox) learn(r *ready) {
	s.gaps = r.Gaps
	for _, l := range r.Layers {
		except := map[string]bool{}
		for _, path := range l.Except {
			except[path] = true
		}
		s.layers = append(s.layers, Layer{
			Path: l.Path, Whole: l.Whole, Made: l.Made, Except: except,
			Dir: filepath.Join(fmt.Sprintf("/proc/self/fd/%d", s.stage.Fd()), l.Name),
		})
	}
}

// follow handles the messages of init until the end.
func (s *Sandbox) follow() {
	for {
		var n note
		err := s.control.receive(&n)
		s.mu.Lock()
		switch {
		case err != nil:
		case n.Answer:
			s.answer <- n
		case n.Event != nil:
			s.happened(*n.Event)
		case n.Exited != nil:
			s.ended, s.known = *n.Exited, true
		}
		s.mu.Unlock()
		if n.Exited != nil { // only init is left, and removes its mounts
			break
		}
		if err != nil {
			s.kill()
			_ = s.cmd.Wait()
			break
		}
	}
	s.stdin.Close()
	s.measure()
	close(s.done)
	s.kill()
	_ = s.cmd.Wait() // returns at once if it was called before
	s.ungroup()
	close(s.over)
}

func (s *Sandbox) kill() {
	s.control.conn.Close()
	_ = s.cmd.Process.Kill() // the kernel kills everything inside with it
}

func (s *Sandbox) close() {
	for _, f := range []*os.File{s.stdin, s.stdout, s.stderr, s.stage} {
		if f != nil {
			f.Close()
		}
	}
	if s.control != nil {
		s.control.conn.Close()
	}
	if s.visits != nil {
		s.visits.close()
	}
}

// Stdin, Stdout and Stderr are the server's standard files.
func (s *Sandbox) Stdin() io.WriteCloser { return s.stdin }
func (s *Sandbox) Stdout() io.ReadCloser { return s.stdout }
func (s *Sandbox) Stderr() io.ReadCloser { return s.stderr }

// Layers returns the layers with the server's changes, and the places without visible changes.
func (s *Sandbox) Layers() ([]Layer, []Gap) { return s.layers, s.gaps }

// Events returns the actions of the processes inside up to now.
func (s *Sandbox) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// Done is closed when all processes inside have ended.
func (s *Sandbox) Done() <-chan struct{} { return s.done }

// End ends the server, politely first; see [process.Process.End]. The layers stay.
func (s *Sandbox) End(ctx context.Context, grace process.Grace) process.Exit {
	s.stdin.Close()
	if s.gone(ctx, cmp.Or(grace.EOF, process.DefaultGrace)) {
		return s.exit()
	}
	if ctx.Err() == nil && grace.Term >= 0 {
		_ = s.control.send(order{Signal: int(unix.SIGTERM)}) // if init is gone, we are about to notice
		if s.gone(ctx, cmp.Or(grace.Term, process.DefaultGrace)) {
			return s.exit()
		}
	}
	s.kill()
	<-s.done
	return s.exit()
}

// gone waits for the end of the server, of ctx or of limit, and reports whether the server
// has ended.
func (s *Sandbox) gone(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-ctx.Done():
	case <-timer.C:
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func (s *Sandbox) exit() process.Exit {
	end := s.Ended()
	return end.Exit
}

// Ended describes the end of the server, after [Sandbox.Done] is closed.
func (s *Sandbox) Ended() Ended {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known { // it was killed
		return Ended{Exit: exitOf(unix.WaitStatus(unix.SIGKILL)), Limits: s.ended.Limits, Usage: s.ended.Usage}
	}
	return Ended{Exit: exitOf(unix.WaitStatus(s.ended.Status)), Left: s.ended.Left, Limits: s.ended.Limits, Usage: s.ended.Usage}
}

func exitOf(status unix.WaitStatus) process.Exit {
	if status.Signaled() {
		return process.Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return process.Exit{Code: status.ExitStatus()}
}

// Refresh makes changes of the machine since the start visible to the server. Open files, and files
// beside mounts ([Layer.Whole]), stay as they were.
func (s *Sandbox) Refresh() error { return s.ask(order{Refresh: true}) }

// Settle waits until [Sandbox.Events] has all actions that began before.
func (s *Sandbox) Settle() error { return s.ask(order{Settle: true}) }

// Running returns the processes inside now, besides init. [Sandbox.Events] then has all actions that
// began before.
func (s *Sandbox) Running() (Running, error) {
	n, err := s.answered(order{Running: true})
	if err != nil || n.Running == nil {
		return Running{}, err
	}
	return *n.Running, nil
}

// Pending returns the processes inside that go on without being asked. If there are none, nothing happens
// inside until somebody asks the server. [Sandbox.Events] then has all actions that began before.
func (s *Sandbox) Pending(l Look) ([]Pending, error) {
	n, err := s.answered(order{Pending: &l})
	return n.Pending, err
}

// HangUp closes the connections of [Config.Accept]. It reports whether there was one.
func (s *Sandbox) HangUp() bool { return s.visits != nil && s.visits.hangUp() }

// ask gives init an order, and waits for its completion.
func (s *Sandbox) ask(o order) error {
	_, err := s.answered(o)
	return err
}

// answered gives init an order, and waits for its answer.
func (s *Sandbox) answered(o order) (note, error) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if err := s.control.send(o); err != nil {
		return note{}, err
	}
	select {
	case n := <-s.answer:
		if n.Failed != "" {
			return note{}, errors.New(n.Failed)
		}
		return n, nil
	case <-s.done:
		return note{}, errors.New("the sandbox has ended")
	}
}

// Close ends the sandbox and releases its layers.
func (s *Sandbox) Close() {
	s.End(context.Background(), process.Grace{EOF: -1, Term: -1})
	if s.group != nil {
		<-s.over
	}
	s.close()
}

// identities maps the users and groups inside: to the same ones outside, as far as the kernel allows.
func identities() (uids, gids []syscall.SysProcIDMap, err error) {
	if os.Geteuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
			[]syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}, nil
	}
	if uids, err = identity("/proc/self/uid_map"); err != nil {
		return nil, nil, err
	}
	gids, err = identity("/proc/self/gid_map")
	return uids, gids, err
}

// setgroupsAllowed reports whether groups may be changed. If not, they cannot be in namespaces below,
// either.
func setgroupsAllowed() bool {
	raw, err := os.ReadFile("/proc/self/setgroups")
	return err == nil && string(raw) == "allow\n"
}

func identity(file string) ([]syscall.SysProcIDMap, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []syscall.SysProcIDMap
	for line := range strings.Lines(string(raw)) {
		var inside, outside, size int
		if _, err := fmt.Sscan(line, &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", file, err)
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return out, nil
}

// happened records an event. A signal during the start of a program makes the kernel restart the call
// and report it again; that counts as one start.
func (s *Sandbox) happened(e Event) {
	if s.quiet {
		return
	}
	if n := len(s.events); n > 0 && e.Exec != nil && s.events[n-1].PID == e.PID && slices.Equal(s.events[n-1].Exec, e.Exec) {
		return
	}
	s.events = append(s.events, e)
}
