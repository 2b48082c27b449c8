// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// A Config describes a server to run, and its bounds.
type Config struct {
	Args []string // the server's program and its arguments
	Env  []string // its whole environment
	Dir  string   // its working directory, absolute; "" is ours
	// Init is the command that calls [Run] in a new process, such as {"/path/toolvet", "sandbox"},
	// before further arguments. Its path is absolute.
	Init []string
	// Writable lists further places for layers of their own; see the package's documentation. Missing
	// places are ignored.
	Writable []string
	// Search bounds the search for such places; default 50 ms. It may need longer for an ordinary user
	// on a machine with many directories of others.
	Search  time.Duration
	Limits  Limits
	Network Network
	// Accept gets each TCP connection of a process inside an [Observed] network, except those to the
	// sandbox itself. Each call has a goroutine of its own, a bounded number at a time, and closes
	// the connection. Nil: all are refused.
	Accept func(net.Conn, Target) `json:"-"`
	// Built gets the layers before the server starts. It may be nil.
	Built func([]Layer) `json:"-"`
	// Local lists ports of the sandbox itself with connections that go to Accept, too. No process
	// inside can listen there.
	Local []uint16
	// First lists ports at which Accept speaks first, as a database or mail server does. Connections to others of such protocols are refused.
	First []uint16
	// Trust has certificates (PEM) for programs inside to trust besides the machine's, through
	// environment variables of OpenSSL, Node.js, Python, curl, Git and others.
	Trust []byte
	// Placed lists directories of the machine that appear at other places inside.
	Placed []Placed
	// Names has the DNS answers in an [Observed] network for names and all names below them. Other
	// names get an address each, from FirstAddress on (default 11.0.0.1, which guards of servers take for public). If a name has several
	// addresses, each question gets the next, and all further ones the last, with a time to live of 0.
	// Each name below counts for itself.
	Names        map[string][]netip.Addr
	FirstAddress netip.Addr
	// View limits what the server sees of the machine's files. Nil: all of them, under layers.
	View *View

	// Mark, if there is one, makes events of the system calls that open, make, rename, link or remove something at a
	// path that contains it. Each such call of any path is stopped for some microseconds then. Another thread can
	// change the path after the look at it: the events are evidence, and hold nothing back.
	Mark string

	without []wall // left out by tests
}

// A View is what a server sees of the machine's files. Other files are missing, and everything but Write,
// Caches and Scratch is read-only. Paths are absolute. [Config.Dir] exists inside, perhaps empty.
//
// Without Layered, changes below Write reach the machine. The server then lives as long as its caller
// wants: it has no limits but Storage and Files, for Caches and Scratch, and Events reports nothing.
type View struct {
	Write    []string // files and directories, as they are
	Read     []string
	Programs []string // as Read, but sockets and named pipes lead nowhere, and changes of the machine may not show
	Caches   []string // directories as Programs, with changes that are lost at the end
	Scratch  []string // empty directories, with changes that are lost at the end
	Links    []string // symbolic links on the way to others
	Hide     []string // shown empty, wherever they are; missing ones are ignored
	Layered  bool     // changes below Write land in layers, too
}

// live reports whether changes of the server reach the machine.
func (c *Config) live() bool { return c.View != nil && !c.View.Layered }

// A wall stands between the server and the machine; see walls_linux.go.
type wall string

// A Target is whom a connection is meant for.
type Target struct {
	Name    string         // with this address in the DNS inside; "" for none
	Address netip.AddrPort // inside
}

// Host returns the name, or the IP address if there is none.
func (t Target) Host() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Address.Addr().String()
}

// maxAccepted and maxLive bound the concurrent calls of [Config.Accept].
const (
	maxAccepted = 64
	maxLive     = 1024 // of a live server
)

func (c *Config) accepted() int {
	if c.live() {
		return maxLive
	}
	return maxAccepted
}

// A Placed is a directory of the machine that appears at another path inside, under a layer. At is a
// top-level path that does not exist on the machine.
type Placed struct{ From, At string }

// Limits bound the processes inside. Zero values mean the defaults.
type Limits struct {
	Storage   int64 // written bytes, in memory; default 256 MiB
	Files     int64 // new or changed files and directories; default 50,000
	Memory    int64 // bytes of memory of all processes together; default 2 GiB
	Processes int64 // processes and threads; default 512
	// Processors bounds the processors that all processes together keep busy on average, under a
	// control group; default all but one of the machine's, at least 2.
	Processors int
	OpenFiles  int64         // descriptors of one process, and in flight; default 512
	CPU        time.Duration // processor time of one process; default 5 min
}

func (l Limits) withDefaults() Limits {
	orInt := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	orInt(&l.Storage, 256<<20)
	orInt(&l.Files, 50_000)
	orInt(&l.Memory, 2<<30)
	orInt(&l.Processes, 512)
	orInt(&l.OpenFiles, 512)
	if l.CPU <= 0 {
		l.CPU = 5 * time.Minute
	}
	if l.Processors <= 0 {
		l.Processors = max(2, runtime.NumCPU()-1)
	}
	return l
}

// A Network is the extent of the server's network.
type Network string

// Networks.
const (
	// NoNetwork has only a loopback interface.
	NoNetwork Network = ""
	// Observed makes every address the sandbox's own (AnyIP), and resolves names, to show the intended
	// peers of the server. Only [Config.Accept] answers, and nothing leaves.
	Observed Network = "observed"
)

// A Layer holds the changes in one part of the file system.
type Layer struct {
	// Path is the directory of the machine below the layer.
	Path string
	// Dir is the layer's directory, through /proc/PID/fd of this process. It is valid until Close.
	Dir string
	// Whole marks a layer with the complete directory instead of differences: entries that it lacks
	// have been deleted.
	Whole bool
	// Made lists the entries of a whole layer at the start of the server, besides directories.
	Made []string
	// Except lists entries of a whole layer that belong to another layer, or to none.
	Except map[string]bool
}

// Ended describes the end of a server.
type Ended struct {
	Exit process.Exit
	Left []string // command lines of programs left running
	// Limits names the limits that the server reached: memory, processes and processor time, which end
	// it or make it fail, as do pipes; open files, bytes written, files written and watches of epoll, after
	// which it can go on.
	// Without a control group, a limit reached for less than a few hundredths of a second may go
	// unnoticed.
	Limits []string
	Usage  Usage
}

// Usage counts the resources of the server and all its descendants.
type Usage struct {
	CPU time.Duration `json:"cpu"`
	// Memory is the peak of one process, in bytes. With a control group for memory, it is the peak of
	// all together, including written files and the cache of files.
	Memory  int64 `json:"memory"`
	Watches int64 `json:"watches,omitempty"` // of epoll, all that were made
	// Pipes, and descriptors in flight over Unix sockets, at a time: the most of looks twice a second.
	Pipes    int64 `json:"pipes,omitempty"`
	InFlight int64 `json:"inFlight,omitempty"`
}

// An Event is an action of a process inside, reported at its beginning.
type Event struct {
	PID     int      `json:"pid"`               // inside
	Exec    []string `json:"exec,omitempty"`    // the arguments of a started program
	Connect string   `json:"connect,omitempty"` // an address with a port, or unix:PATH
	Name    string   `json:"name,omitempty"`    // looked up in the DNS
	Own     bool     `json:"own,omitempty"`     // Connect is a port of the sandbox itself, with a listener inside
	Path    string   `json:"path,omitempty"`    // with [Config.Mark]: the place to which the path leads, links followed
	Call    string   `json:"call,omitempty"`    // of Path: the name of the system call
	Absent  string   `json:"absent,omitempty"`  // with [Config.Mark]: the name of a program to start that is not there, once
	// Lost marks the last event if there were too many to report.
	Lost bool `json:"lost,omitempty"`
}

// Running lists the processes inside at a moment.
type Running struct {
	PIDs []int `json:"pids"` // inside, including zombies
	// Busy reports that some process has work to do, running or waiting for a processor.
	Busy bool `json:"busy,omitempty"`
	// CPU is the processor time of all processes so far, of those that have ended as well. The kernel counts it in
	// hundredths of a second.
	CPU time.Duration `json:"cpu,omitempty"`
}

// A Look describes how [Sandbox.Pending] looks.
type Look struct {
	// Skip is a time that passes at once, first of all, for the processes inside that wait for it, or did at the last
	// look: their clocks go forward, and their waits and timers end as if it were over. It may miss processes that begin
	// to wait meanwhile. On architectures other than amd64, it moves only timers of timerfd.
	Skip time.Duration `json:"skip,omitempty"`
	// Wait bounds the time of further looks while processes are [Busy].
	Wait    time.Duration `json:"wait,omitempty"`
	Turning bool          `json:"turning,omitempty"` // for Busy
}

// A Pending is a process inside that goes on without being asked.
type Pending struct {
	PID     int    `json:"pid"`     // inside; 0 stands for the kernel's part of a connection
	Program string `json:"program"` // its command line; "" if it has just ended
	// Working reports that it runs, or the kernel on its behalf.
	Working bool `json:"working,omitempty"`
	// Timers is the number of its timers, and of its threads that wait with a deadline.
	Timers int `json:"timers,omitempty"`
	// Turned reports that a wait of it ran out during the look, and that it waits with a deadline again or has not run
	// since. Somebody else may have begun to work meanwhile.
	Turned bool `json:"turned,omitempty"`
}

// Busy reports whether a process works, or turns over short waits if turning does not allow that.
func Busy(list []Pending, turning bool) bool {
	return slices.ContainsFunc(list, func(p Pending) bool { return p.Working || p.Turned && !turning })
}

// A Gap is a place without visible changes, with the reason. The server cannot write there.
type Gap struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// An UnsupportedError explains why this machine cannot run sandboxes.
type UnsupportedError struct {
	What string // the missing part
	Fix  string // how to enable it; "" if unknown
}

func (e *UnsupportedError) Error() string {
	if e.Fix == "" {
		return "cannot rehearse here: " + e.What
	}
	return fmt.Sprintf("cannot rehearse here: %s; %s", e.What, e.Fix)
}
