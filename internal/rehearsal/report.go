// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"encoding/json"
	"io/fs"
	"time"
)

// OfCalls returns the number of changes by calls. The others are from the start of the server.
func (r *Report) OfCalls() int {
	n := 0
	for i := range r.Changes {
		if !r.Changes[i].AtStart {
			n++
		}
	}
	return n
}

// maxAsked bounds the questions of Conceal.
const maxAsked = 200

// Conceal removes the contents of files that the reader of the report may not read. Without it, a caller that may
// only write a file would read it in the report of a rehearsal. It asks mayRead for at most 200 paths, and conceals the rest.
func (r *Report) Conceal(mayRead func(path string) bool) {
	asked := 0
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Diff == "" {
			continue
		}
		if asked++; asked > maxAsked || !mayRead(c.Path) || c.From != "" && !mayRead(c.From) {
			c.Diff, c.Concealed = "", true
		}
	}
}

// A Report is the outcome of a rehearsal.
type Report struct {
	Command   []string  `json:"command"`   // command of the server, without secrets
	Calls     []Called  `json:"calls"`     // in order
	Changes   []Change  `json:"changes"`   // by path
	Processes []Process `json:"processes"` // in the order of their starts
	Network   []Attempt `json:"network"`   // by address, each once
	// Withheld are the names of variables that the server does not get because they may hold secrets; see
	// [Config.Pass].
	Withheld []string `json:"withheld,omitempty"`
	Gaps     []Gap    `json:"gaps"` // parts that could not be rehearsed, by path
	// Incomplete means that changes may be missing in the report.
	Incomplete bool `json:"incomplete,omitempty"`
	// Uncertain means that the calls may do more live: they asked somebody outside the rehearsal, or changed a file
	// that has other names.
	Uncertain bool   `json:"uncertain,omitempty"`
	Exit      string `json:"exit"` // "exited with code 0"
	// Group are the controllers of the control group around the server: cpu, memory, pids. For the others, toolvet
	// measured 50 times a second instead.
	Group []string `json:"controlGroup,omitempty"`
	Usage Usage    `json:"usage"`
	Took  Duration `json:"took"`
}

// A Call is a call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// A Called is the outcome of a call.
type Called struct {
	Tool string `json:"tool"`
	// Result is the CallToolResult as the output layer leaves it.
	Result json.RawMessage `json:"result,omitempty"`
	// Failed is the reason for a missing result: the call was refused, its result was withheld, or the server did not
	// answer.
	Failed string `json:"failed,omitempty"`
	// Refused means that the policy refused the call and it was not made.
	Refused bool     `json:"refused,omitempty"`
	Took    Duration `json:"took"`
}

// A Kind is the kind of a change.
type Kind string

// The kinds of changes.
const (
	Created    Kind = "created"
	Modified   Kind = "modified"   // the content; perhaps attributes, too
	Deleted    Kind = "deleted"    // includes each file of a directory
	Renamed    Kind = "renamed"    // deleted here and created elsewhere with the same content
	Attributes Kind = "attributes" // only mode, owner, times or extended attributes
)

// A Change is a change of one file, directory, link, pipe or socket.
type Change struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	From   string `json:"from,omitempty"` // old path of a renamed entry
	Before *State `json:"before,omitempty"`
	After  *State `json:"after,omitempty"`
	// Diff is a unified diff of texts, without secrets. It is "" for other files and for large ones.
	Diff string `json:"diff,omitempty"`
	// Concealed means that the diff is left out; see [Report.Conceal].
	Concealed bool `json:"concealed,omitempty"`
	// AtStart means that the server made the change as it started, before the first call.
	AtStart bool `json:"atStart,omitempty"`
}

// A State is the state of a file at one time.
type State struct {
	Type       string            `json:"type"` // file, directory, link, pipe, socket, other
	Mode       Mode              `json:"mode"`
	User       int               `json:"user"`
	Group      int               `json:"group"`
	Size       int64             `json:"size,omitempty"`       // of a file
	SHA256     string            `json:"sha256,omitempty"`     // of a file's content; "" above 256 MiB
	Target     string            `json:"target,omitempty"`     // of a link
	Attributes map[string]string `json:"attributes,omitempty"` // digests of extended attributes: of users, and access control lists
	Modified   time.Time         `json:"-"`

	stamp stamp
	names uint64 // number of names of a file
	dated bool   // somebody set the time of this directory
}

// A Mode is permissions and the bits for set-user-ID, set-group-ID and sticky, such as
// -rw-r--r--.
type Mode fs.FileMode

func (m Mode) String() string { return fs.FileMode(m).String() }

// MarshalText writes the mode like ls.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// A Process is a program that the server started.
type Process struct {
	Arguments []string `json:"arguments"` // without secrets
	AtStart   bool     `json:"atStart,omitempty"`
}

// An Attempt is an attempt to reach something over the network or at a socket.
type Attempt struct {
	Address string `json:"address"` // host:port, unix:PATH, or a name of a mere lookup
	// Method and URL are those of an HTTP request, without secrets; "" without a request.
	Method string `json:"method,omitempty"`
	URL    string `json:"url,omitempty"`
	For    string `json:"for,omitempty"`    // the host in the request or in TLS, if it differs
	Answer Answer `json:"answer,omitempty"` // who answered
	Status int    `json:"status,omitempty"` // of the answer
	// Sent and Received are numbers of bytes, in bodies or on a connection without requests.
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
	AtStart  bool  `json:"atStart,omitempty"`
}

// An Answer tells who answered an attempt. The zero Answer means nobody, except perhaps toolvet with a refusal.
type Answer string

// The answers.
const (
	Allowed  Answer = "allowed"  // the host itself; the policy allows it
	Replayed Answer = "replayed" // a recording
	Itself   Answer = "itself"   // the server or a program that it started; nobody else on this machine listens at this port
	Closed   Answer = "closed"   // nobody, also not on this machine
)

// A Gap is something that could not be rehearsed.
type Gap struct {
	Path string `json:"path,omitempty"`
	Why  string `json:"why"`
}

// Usage is the server's use of resources.
type Usage struct {
	CPU Duration `json:"cpu"`
	// Memory is in bytes. If [Report.Group] has memory, it counts all processes, the files written by them, and the
	// cache of files read by them. Otherwise it is the memory of the largest process.
	Memory int64 `json:"memory"`
	// Watches of epoll, pipes, and descriptors in flight over Unix sockets are what the kernel counts for all programs of a
	// user. Watches are all that were made, the others the most at a look, twice a second.
	Watches  int64 `json:"watches,omitempty"`
	Pipes    int64 `json:"pipes,omitempty"`
	InFlight int64 `json:"inFlight,omitempty"`
}

// A Duration has a textual form such as "12ms".
type Duration time.Duration

// MarshalText writes the duration like [time.Duration.String], rounded.
func (d Duration) MarshalText() ([]byte, error) {
	return []byte(time.Duration(d).Round(time.Millisecond / 10).String()), nil
}
