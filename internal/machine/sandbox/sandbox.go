// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
)

// A Config says what to run, and within which bounds.
type Config struct {
	Args []string // the server's program and its arguments
	Env  []string // its whole environment
	Dir  string   // its working directory, absolute; "" is ours
	// Init is the command, without arguments of its own to come, that calls [Run] in a new
	// process, such as {"/path/toolvet", "sandbox"}. Its path is absolute.
	Init []string
	// Writable are places that get a layer of their own besides those that are found; see
	// the package's documentation. What does not exist is passed over.
	Writable []string
	// Search is how long to look for such places, default 50 ms: on a machine with many directories of others, an
	// ordinary user's may take longer.
	Search  time.Duration
	Limits  Limits
	Network Network
	// Accept is given each connection of TCP that a process inside makes, in an [Observed]
	// network: to anywhere but to the sandbox itself. It is called in a goroutine of its own,
	// at most [maxAccepted] at a time, and closes the connection. Nil: all are refused.
	Accept func(net.Conn, Target) `json:"-"`
	// Local are ports of the sandbox itself whose connections Accept is given, too. No process
	// inside can listen there.
	Local []uint16
	// Trust are certificates (PEM) that programs inside are told to trust besides the
	// machine's: by variables of the environment that OpenSSL, Node.js, Python, curl, Git and
	// others know.
	Trust []byte
	// Placed are directories of the machine that are seen elsewhere inside.
	Placed []Placed
	// Names are the addresses that the DNS inside gives for names and for those below them, in
	// an [Observed] network; others get one each, from FirstAddress on (default 198.18.0.1). Of
	// several addresses each question gets the next, and the last from then on: for each name
	// below on its own, and with a time to live of 0.
	Names        map[string][]netip.Addr
	FirstAddress netip.Addr

	without []wall // tests leave them out
}

// A wall is one of those that stand between the server and the machine; see walls_linux.go.
type wall string

// A Target is whom a connection is meant for.
type Target struct {
	Name    string         // that the address was given out for by the DNS inside; "": none
	Address netip.AddrPort // inside
}

// Host is the name, or the IP address where there is none.
func (t Target) Host() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Address.Addr().String()
}

// maxAccepted bounds the connections that are with [Config.Accept] at a time.
const maxAccepted = 64

// A Placed is a directory of the machine that is seen at another path inside, with a layer
// over it. At is at the top of the file system, and the machine has nothing there.
type Placed struct{ From, At string }

// Limits bound what runs inside. Zero values mean the defaults.
type Limits struct {
	Storage   int64 // bytes that may be written, in memory; default 256 MiB
	Files     int64 // files and directories that may be made or changed; default 50,000
	Memory    int64 // bytes of memory of all processes together; default 2 GiB
	Processes int64 // processes and threads; default 512
	// Processors is how many the processes may keep busy together, on average, where a control group
	// can be had; default all but one of the machine's, at least 2.
	Processors int
	OpenFiles  int64         // descriptors of one process; default 4,096
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
	orInt(&l.OpenFiles, 4096)
	if l.CPU <= 0 {
		l.CPU = 5 * time.Minute
	}
	if l.Processors <= 0 {
		l.Processors = max(2, runtime.NumCPU()-1)
	}
	return l
}

// A Network is what the server can reach.
type Network string

// Networks.
const (
	// NoNetwork has a loopback interface and nothing else.
	NoNetwork Network = ""
	// Observed has every address be the sandbox's own (AnyIP), and names resolve, so that it
	// is known whom the server wants to reach. Nobody answers there but [Config.Accept], and
	// nothing leaves.
	Observed Network = "observed"
)

// A Layer is where the changes of one part of the file system are.
type Layer struct {
	// Path is the directory of the machine that the layer lies over.
	Path string
	// Dir is the layer's directory on the file system of /proc/PID/fd of ours. It stays
	// valid until the sandbox is closed.
	Dir string
	// Whole says that the layer holds all of the directory, and not only what differs:
	// what it lacks has been deleted.
	Whole bool
	// Made are what a whole layer had when the server started, besides directories.
	Made []string
	// Except are entries of a whole layer that belong to other layers, or to none.
	Except map[string]bool
}

// Ended is how a server ended.
type Ended struct {
	Exit process.Exit
	Left []string // command lines of programs that it left running
	// Limits are those that it met, by name: memory, processes, processor time, which ended it or had it fail; open
	// files, bytes written, files written, with which it could go on. Who meets a limit for less than a few hundredths of
	// a second may not be seen to, where no control group counts.
	Limits []string
	Usage  Usage
}

// Usage is what the server and all that it started used.
type Usage struct {
	CPU time.Duration `json:"cpu"`
	// Memory is the most that one process had, in bytes; where there is a control group with the
	// controller memory, that all had together, with what was written and the cache of files.
	Memory int64 `json:"memory"`
}

// An Event is something that a process inside did, as it began to do it.
type Event struct {
	PID     int      `json:"pid"`               // inside
	Exec    []string `json:"exec,omitempty"`    // the arguments of a program that is started
	Connect string   `json:"connect,omitempty"` // an address with a port, or unix:PATH
	Name    string   `json:"name,omitempty"`    // that was looked up in the DNS
	Own     bool     `json:"own,omitempty"`     // Connect is a port of the sandbox itself at which a process inside listens
	// Lost says that more was done than is told; it is the last event.
	Lost bool `json:"lost,omitempty"`
}

// Running is what runs inside at a time.
type Running struct {
	PIDs []int `json:"pids"` // inside, with those that have ended and for which nobody has waited
	// Busy says that something of it has work to do, whether or not there was a processor for it.
	Busy bool `json:"busy,omitempty"`
}

// A Gap is a place whose changes cannot be seen, and why. Nothing can be written there.
type Gap struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// An UnsupportedError says why nothing can be run in a sandbox on this machine.
type UnsupportedError struct {
	What string // what is missing
	Fix  string // how to enable it, "" if that is not known
}

func (e *UnsupportedError) Error() string {
	if e.Fix == "" {
		return "cannot rehearse here: " + e.What
	}
	return fmt.Sprintf("cannot rehearse here: %s; %s", e.What, e.Fix)
}
