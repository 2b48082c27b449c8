// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// stderrWait bounds the wait for the standard error of a process that has ended.
const stderrWait = time.Second

// A Command describes a process to start.
type Command struct {
	// Args is the program and its arguments. A program without a slash is searched on the PATH: that of
	// Env under a supervisor, else ours.
	Args []string
	// Env is the whole environment; nil inherits ours.
	Env []string
	// Dir is the working directory; empty is ours.
	Dir string
	// Stderr receives the server's standard error. An *os.File is inherited
	// directly; nil discards.
	Stderr io.Writer
	// Supervisor is the command, without the server's, that runs supervisor.Run, such as {"/path/toolvet",
	// "supervise", "--"}; its path is absolute. Without it the server is our child: [Process.Stop]
	// reaches only its process group, and if we are killed, the server only sees the end of its
	// standard input. Windows needs no supervisor and ignores it.
	Supervisor []string
}

// A Process is a running server. Its methods are safe for concurrent use.
type Process struct {
	stdin, stdout *os.File
	tree          tree
	ask, kill     sync.Once
	done          chan struct{}
	exit          Exit // written before done is closed
}

// A tree is a server with all its descendants.
type tree interface {
	terminate() // asks it to end
	kill()      // ends it; returns at once
	wait() Exit // waits for the server, then ends the rest of the tree
}

// Start starts c and returns when the server's program runs. A program that
// cannot be started is an error, with or without a supervisor.
//
// The caller reads [Process.Stdout] to its end, or closes it. The server runs
// until it exits by itself, [Process.Stop] is called, or we end.
func Start(c Command) (*Process, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, errors.New("no server command: give a program and its arguments")
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, err
	}
	files, err := openStdio(c.Stderr)
	if err != nil {
		return nil, err
	}
	tree, err := launch(c, files)
	files.closeTheirs()
	if err != nil {
		files.closeOurs()
		return nil, err
	}
	p := &Process{stdin: files.ours[0], stdout: files.ours[1], tree: tree, done: make(chan struct{})}
	go p.watch(copyStderr(c.Stderr, files.ours[2]))
	return p, nil
}

// watch waits for the tree, and for finish, which ends the copy of standard error.
func (p *Process) watch(finish func()) {
	p.exit = p.tree.wait()
	finish()
	p.stdin.Close()
	close(p.done)
}

// Stdin returns the server's standard input. Closing it tells the server that
// the session is over. It is closed for the caller when the server is gone.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout returns the server's standard output. It stays readable after [Process.Done], and io.EOF comes
// when the last writer is gone. The caller closes it.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Done returns a channel that is closed when the server and its descendants have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for [Process.Done] and returns the end of the server.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}
