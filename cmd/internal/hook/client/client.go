// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package client makes toolvet's own program a hook, if its arguments are "hook HOST" and package fast had no answer from the resident judge. It does
// so while the program is initialized, because a host waits for it at every call of a tool.
//
// Hosts allow a call whose hook crashes, hangs or prints nonsense. So the hook does next to nothing itself. It asks the resident
// judge, starts that if there is none, and has a child judge if that fails. It denies if anything goes wrong: a panic, a signal, the end of its
// time, input that it cannot read.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// DefaultTimeout bounds the answer of a hook. The hosts' own deadlines are later, as "toolvet hook install" sets them.
const DefaultTimeout = 8 * time.Second

// Options are the flags of "toolvet hook HOST".
type Options struct {
	Policy, Preset string
	Timeout        time.Duration
	Answered       int // the exit code in place of 0
}

func init() {
	if len(os.Args) < 3 || os.Args[1] != "hook" {
		return
	}
	host, ok := hook.Lookup(os.Args[2])
	if !ok {
		return // another command of "hook", or a mistake
	}
	if len(os.Args) == 4 && (os.Args[3] == "--help" || os.Args[3] == "-h") {
		return
	}
	(&process{host: host}).main(os.Args[3:])
}

// A process is this one as a hook.
type process struct {
	host     *hook.Host
	answered int
	once     sync.Once
}

// main never returns.
func (p *process) main(args []string) {
	defer func() {
		if v := recover(); v != nil {
			p.refuse("toolvet has a fault and refuses: panic")
		}
	}()
	p.guardSignals()
	o, err := Parse(args)
	p.answered = o.Answered
	if err != nil {
		p.refuse("toolvet hook: " + err.Error())
	}
	if fast.Tried != nil && fast.Tried.Interrupted {
		p.refuse(interrupted)
	}
	began := time.Now()
	if try := fast.Tried; try != nil {
		began = try.Began
	}
	end := began.Add(o.Timeout)
	late := fmt.Sprintf("toolvet has not judged this within %v, so it refuses.", o.Timeout)
	time.AfterFunc(time.Until(end), func() { p.refuse(late) })
	payload, err := input()
	if err != nil {
		p.refuse("toolvet cannot read what the host tells, so it refuses: " + err.Error())
	}
	dir, _ := os.Getwd() // the judge says so where it needs one
	request := &link.Request{Host: p.host.Name, Policy: o.Policy, Preset: o.Preset, Dir: dir, Env: link.Variables(os.Environ()), Marks: fast.Marks(os.Environ()), Payload: payload}
	reply, err := ask(request, end)
	switch {
	case err != nil && !time.Now().Before(end):
		p.refuse(late)
	case err != nil:
		p.refuse("toolvet's judge fails, so toolvet refuses: " + err.Error())
	}
	p.end(reply)
}

// interrupted is the reason of a denial because of a signal.
const interrupted = "toolvet was interrupted before it had judged, so it refuses."

// input is standard input.
func input() ([]byte, error) {
	if try := fast.Tried; try != nil && try.Failed != "" {
		return nil, errors.New(try.Failed)
	} else if try != nil && try.Read {
		return try.Input, nil
	}
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, fast.MaxPayload+1))
	if err == nil && len(raw) > fast.MaxPayload {
		err = fmt.Errorf("it is more than %d MiB", fast.MaxPayload>>20)
	}
	return raw, err
}

// Parse reads the flags behind the name of the host.
func Parse(args []string) (Options, error) {
	o := Options{Timeout: DefaultTimeout}
	for len(args) > 0 {
		name, value, glued := strings.Cut(args[0], "=")
		args = args[1:]
		if !glued {
			if len(args) == 0 {
				return o, fmt.Errorf("%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		var err error
		switch name {
		case "--policy":
			if o.Policy, err = filepath.Abs(value); err != nil || value == "" {
				return o, errors.New("--policy needs the name of a file")
			}
		case "--preset":
			o.Preset = value
		case "--timeout":
			if o.Timeout, err = time.ParseDuration(value); err != nil || o.Timeout <= 0 {
				return o, errors.New("--timeout needs a time, such as 8s")
			}
		case fast.AnsweredFlag:
			if o.Answered = fast.Code(value); o.Answered == 0 {
				return o, fmt.Errorf("%s needs an exit code from 1 to 125", name)
			}
		default:
			return o, fmt.Errorf("unknown flag %s", name)
		}
	}
	return o, nil
}

// guardSignals denies before a signal ends the process.
func (p *process) guardSignals() {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		<-heard
		p.refuse(interrupted)
	}()
}

// refuse denies, and ends the process. It never returns.
func (p *process) refuse(reason string) { p.end(p.host.Refuse(reason)) }

// end ends the process with a reply, the first one that is given.
func (p *process) end(r hook.Reply) {
	p.once.Do(func() {
		_, err := os.Stdout.Write(r.Stdout)
		if _, errErr := os.Stderr.Write(r.Stderr); err == nil {
			err = errErr
		}
		if r.Exit == 0 && (err != nil || len(r.Stdout) > 0 && fast.Deaf()) {
			os.Exit(2) // a denial to most hosts
		}
		if r.Exit == 0 {
			os.Exit(p.answered)
		}
		os.Exit(r.Exit)
	})
	select {} // another goroutine ends the process
}

// ask asks the resident judge, or has a child judge.
func ask(request *link.Request, end time.Time) (hook.Reply, error) {
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return hook.Reply{}, err
	}
	if address, err := fast.Address(program); err == nil {
		half := end.Add(-time.Until(end) / 2) // the rest is for a child, if the judge hangs
		first, cancel := context.WithDeadline(ctx, half)
		defer cancel()
		if reply, err := resident(first, program, address, request, half); err == nil {
			return reply, nil
		}
	}
	request.Timeout = time.Until(end)
	return child(ctx, program, request)
}

// resident asks the judge at an address, and starts it if nobody answers there.
func resident(ctx context.Context, program, address string, request *link.Request, end time.Time) (hook.Reply, error) {
	request.Timeout = time.Until(end)
	reply, err := link.Ask(ctx, address, request)
	if err == nil || !absent(err) {
		return reply, err
	}
	if err := start(program); err != nil {
		return reply, err
	}
	// The judge needs some 20 ms to start. On a busy machine it takes longer, and a child would as well.
	for wait := time.Millisecond; time.Until(end) > 0; wait = min(2*wait, 20*time.Millisecond) {
		time.Sleep(wait)
		request.Timeout = time.Until(end)
		if reply, err = link.Ask(ctx, address, request); err == nil || !absent(err) {
			return reply, err
		}
	}
	return reply, err
}

// absent reports whether an error says that no judge listens.
func absent(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// start starts the resident judge, which outlives this process. Several may be started at once: one of them stays.
func start(program string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd := &exec.Cmd{Path: program, Args: []string{os.Args[0], link.ResidentArgument}, Dir: string(filepath.Separator), Stdin: null, Stdout: null, Stderr: null, SysProcAttr: apart}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// child has a process of its own judge one request.
func child(ctx context.Context, program string, request *link.Request) (hook.Reply, error) {
	var in, out bytes.Buffer
	if err := link.WriteRequest(&in, request); err != nil {
		return hook.Reply{}, err
	}
	cmd := exec.CommandContext(ctx, program, link.ResidentArgument, link.OnceFlag)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout = &in, &out
	if err := cmd.Run(); err != nil {
		return hook.Reply{}, err
	}
	return link.ReadReply(&out)
}
