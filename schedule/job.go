// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// A State is how a job stands.
type State string

const (
	Active    State = "active"
	Paused    State = "paused"
	Completed State = "completed" // fires no more, and its last run succeeded
	Failed    State = "failed"    // fires no more, and its last run did not succeed
)

// An Overlap is what becomes of a run while the one before it has not ended.
type Overlap string

const (
	Skip  Overlap = "skip"  // it is recorded as skipped; the default
	Queue Overlap = "queue" // it waits
	Allow Overlap = "allow" // both run
)

// A CatchUp is what becomes of runs that were missed, because nothing ran that could fire them.
type CatchUp string

const (
	CatchUpNone CatchUp = "none" // they are recorded as missed; the default
	CatchUpLast CatchUp = "last" // the last is run, late
	CatchUpAll  CatchUp = "all"  // the last CatchUpLimit are run, late
)

// A Duration is written as text, such as "1m30s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// A Job is a call that is to be made at set times.
type Job struct {
	ID string `json:"id"`
	Spec
	Canonical string    `json:"canonical"` // the schedule, such that it means the same whenever it is read
	Words     string    `json:"understood"`
	State     State     `json:"state"`
	Owner     Owner     `json:"owner"`
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
	// Next is the time of the next run, zero for none.
	Next time.Time `json:"next,omitzero"`
	// Moved says that Next came to be at another time although nobody changed the job.
	Moved *Move `json:"moved,omitempty"`
	// Through is the latest time up to which all runs have been dealt with, by the clock as it
	// was then; zero: it is not known.
	Through time.Time `json:"through,omitzero"`
	Fired   int       `json:"fired"` // runs by the schedule so far
	// Health is what is known of the next run, or, if nothing speaks against it, of the last.
	Health Health `json:"health"`
	// Verdict is the last that was given without running the job.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Unvalidated says that the job was made with skip_validation.
	Unvalidated bool `json:"unvalidated,omitempty"`

	CheckAt time.Time `json:"-"` // when the next run is to be validated; zero: at no time
	// Alerts are the changes of Health that are not stored yet: they are stored with the job.
	Alerts []*Alert `json:"-"`
}

// A Spec is what is asked for when a job is made.
type Spec struct {
	Name         string          `json:"name"` // unique among the jobs of its owner
	Tool         string          `json:"tool"` // SERVER:TOOL
	Arguments    json.RawMessage `json:"arguments"`
	Schedule     string          `json:"schedule"`           // see package when
	Zone         string          `json:"timezone,omitempty"` // IANA name; default UTC
	Description  string          `json:"description,omitempty"`
	Tags         []string        `json:"tags,omitempty"`
	FireOnce     bool            `json:"fire_once,omitempty"`
	MaxRuns      int             `json:"max_runs,omitempty"` // by the schedule; 0: any number
	Until        time.Time       `json:"end_date,omitzero"`  // no run after it
	Timeout      Duration        `json:"timeout,omitzero"`   // of a run; default 5 min
	Retries      int             `json:"retries,omitempty"`  // of a run that failed; default none
	Backoff      Duration        `json:"backoff,omitzero"`   // before the first retry, doubled for each; default 10 s
	Overlap      Overlap         `json:"overlap,omitempty"`
	CatchUp      CatchUp         `json:"catch_up,omitempty"`
	CatchUpLimit int             `json:"catch_up_limit,omitempty"` // default 10
	Jitter       Duration        `json:"jitter,omitzero"`          // a run begins up to so much later
	// AtMostOnce is for tools that must not run twice: a run whose worker died is not tried
	// again but reported as lost.
	AtMostOnce bool `json:"at_most_once,omitempty"`
}

// An Owner is who made a job. Its runs are judged as that identity's.
type Owner struct {
	Subject string         `json:"subject,omitempty"`
	Claims  map[string]any `json:"claims,omitempty"`
	Roots   []string       `json:"roots,omitempty"`
}

// OwnerOf is the owner that a session makes jobs as.
func OwnerOf(s *call.Session) Owner {
	if s == nil {
		return Owner{}
	}
	return Owner{Subject: s.Subject, Claims: s.Claims, Roots: s.Roots}
}

func (o Owner) session() *call.Session {
	return &call.Session{Subject: o.Subject, Claims: o.Claims, Roots: o.Roots, Transport: "schedule"}
}

// Upcoming are the times of the next runs, in the job's zone, the soonest first; none if its zone
// is not known on this machine.
func (j *Job) Upcoming() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		schedule, err := j.restored()
		if err != nil {
			return
		}
		n := 0
		for at := j.Next; !at.IsZero(); at = schedule.Next(at) {
			if !j.Until.IsZero() && at.After(j.Until) || j.FireOnce && n > 0 || j.MaxRuns > 0 && j.Fired+n >= j.MaxRuns || !yield(at.In(schedule.Zone())) {
				return
			}
			n++
		}
	}
}

// NextRuns are the times of the next n runs, in the job's zone, as RFC 3339 has them.
func (j *Job) NextRuns(n int) []string {
	list := []string{}
	for at := range j.Upcoming() {
		if len(list) == n {
			break
		}
		list = append(list, at.Format(time.RFC3339))
	}
	return list
}

// A Move is a next run that came to be at another time, because the clock was set back or the
// rules of the job's time zone have changed.
type Move struct {
	At   time.Time `json:"at"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Why  string    `json:"why"`
}

// A Status is what is known of a job's runs.
type Status string

const (
	Healthy Status = "ok"
	Warned  Status = "warned"  // the next run will be refused, as things are
	Failing Status = "failing" // the last run was refused, failed or lost
)

// Health is how a job's runs stand.
type Health struct {
	Status Status    `json:"status"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

// A Verdict is a judgement of a job's call, and what it rests on.
type Verdict struct {
	At           time.Time `json:"at"`
	On           string    `json:"on"` // create, update, ahead or fire
	Valid        bool      `json:"valid"`
	Method       string    `json:"method"`
	Errors       []string  `json:"errors,omitempty"`
	Warnings     []string  `json:"warnings,omitempty"`
	Suggestions  []string  `json:"suggestions,omitempty"`
	ToolDigest   string    `json:"tool_digest,omitempty"`   // SHA-256 of the tool's definition
	PolicyDigest string    `json:"policy_digest,omitempty"` // SHA-256 of the policy
}

func newVerdict(on string, at time.Time, r protocol.Result) *Verdict {
	return &Verdict{At: at, On: on, Valid: r.Valid, Method: r.Method, Errors: r.Errors, Warnings: r.Warnings, Suggestions: r.Suggestions}
}

// A RunState is how a run stands.
type RunState string

const (
	Queued    RunState = "queued"
	Running   RunState = "running"
	Succeeded RunState = "succeeded"
	RunFailed RunState = "failed"  // the tool said so, or could not be reached, and no retry is left
	Refused   RunState = "refused" // it was judged a no-go and not tried
	Skipped   RunState = "skipped" // the run before it had not ended
	Missed    RunState = "missed"  // nothing ran that could fire it
	Lost      RunState = "lost"    // its worker died, and it must not run twice
)

// Open reports whether a run has not ended.
func (s RunState) Open() bool { return s == Queued || s == Running }

// Kinds of runs.
const (
	Scheduled = "schedule"
	Triggered = "trigger"
)

// A Run is one execution of a job, or why there was none.
type Run struct {
	ID    string    `json:"id"`
	Job   string    `json:"job"`  // its id
	Fire  time.Time `json:"fire"` // the time it was scheduled for
	Kind  string    `json:"kind"`
	State RunState  `json:"state"`
	// Attempt counts the times that a worker has begun it.
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker,omitempty"`
	Ready   time.Time `json:"ready"` // not begun before
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	RunInfo

	Exclusive bool `json:"-"` // no other run of the job at once
}

// Progress is how far a run has come, as its server says: in numbers alone, since words would
// have to be reviewed.
type Progress struct {
	Done  float64 `json:"done"`
	Total float64 `json:"total,omitempty"` // 0: it is not known
}

// RunInfo is what is said of a run, mostly when it has ended.
type RunInfo struct {
	Reason    string          `json:"reason,omitempty"`   // why it did not succeed
	Progress  *Progress       `json:"progress,omitempty"` // while it runs
	Verdict   *Verdict        `json:"verdict,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`    // what the tool answered, as the output layer left it
	Truncated int             `json:"truncated,omitempty"` // bytes of a result that was too large to be stored
}
