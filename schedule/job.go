// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
)

// A State is the state of a job.
type State string

const (
	Active    State = "active"
	Paused    State = "paused"
	Completed State = "completed" // does not fire any more; its last run succeeded
	Failed    State = "failed"    // does not fire any more; its last run did not succeed
)

// A Duration has a textual form such as "1m30s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("a duration must be written as 30s or 1h30m")
	}
	*d = Duration(v)
	return nil
}

// A Job is a call to make at set times.
type Job struct {
	ID string `json:"id"`
	Spec
	Canonical string `json:"canonical"`  // the schedule in a form that means the same whenever it is read
	Words     string `json:"understood"` // the schedule in words
	// Closed are the times that Except leaves out, with the entries of each calendar instead of its name. All workers compute
	// the same times from them, whatever calendars they have.
	Closed  []string  `json:"closed,omitempty"`
	State   State     `json:"state"`
	Owner   Owner     `json:"owner"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Next is the time of the next run, zero for none.
	Next time.Time `json:"next,omitzero"`
	// Moved tells how Next moved without anybody changing the job.
	Moved *Move `json:"moved,omitempty"`
	// Through is the end of the time for which all runs are dealt with, by the clock of that moment. Zero
	// means unknown.
	Through time.Time `json:"through,omitzero"`
	Fired   int       `json:"fired"` // runs by the schedule so far
	// Health tells whether the next run will be refused or cannot be judged, and otherwise how the last run ended.
	Health Health `json:"health"`
	// Verdict is the latest judgement apart from those of runs.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Unvalidated marks a job that was made with skip_validation.
	Unvalidated bool `json:"unvalidated,omitempty"`
	// AllowWarnings marks a job that was made although something was missing that its runs need.
	AllowWarnings bool `json:"allow_warnings,omitempty"`
	// ManagedBy is the label of the file of jobs that made the job; "" for a job made by hand.
	ManagedBy string `json:"managed_by,omitempty"`

	LateTold time.Time `json:"late_told,omitzero"` // the fire time of the last run of which an alert told that it is late
	Reminded time.Time `json:"reminded,omitzero"`  // the last reminder

	CheckAt time.Time `json:"-"` // when to validate the next run; zero: never
	// Quota bounds the jobs of the owner that are active or paused, this one included, when it is stored as one of them. 0 means no bound.
	Quota int `json:"-"`
	// Alerts are new changes of Health. A store saves them together with the job.
	Alerts []*Alert `json:"-"`
}

// ended reports whether a job fires no more.
func (j *Job) ended() bool { return j.State == Completed || j.State == Failed }

// A Spec is a request for a job.
type Spec struct {
	Name      string          `json:"name"` // unique among the jobs of its owner
	Tool      string          `json:"tool"` // SERVER:TOOL
	Arguments json.RawMessage `json:"arguments"`
	Schedule  string          `json:"schedule"`           // see package when
	Zone      string          `json:"timezone,omitempty"` // IANA name; default UTC
	// Except lists local times at which the job does not run: names of calendars, see [Config], and entries as in them.
	Except []string `json:"except,omitempty"`
	// Shift is for runs at such times: "none" leaves them out, "before" moves them to the last day before that is not
	// left out, "after" to the next. Default none.
	Shift       string    `json:"shift,omitempty"`
	Description string    `json:"description,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	FireOnce    bool      `json:"fire_once,omitempty"`
	MaxRuns     int       `json:"max_runs,omitempty"` // by the schedule; 0: any number
	Until       time.Time `json:"end_date,omitzero"`  // no run after it
	Timeout     Duration  `json:"timeout,omitzero"`   // of a run; default 5 min
	Retries     int       `json:"retries,omitempty"`  // of a run that failed; default none
	Backoff     Duration  `json:"backoff,omitzero"`   // before the first retry, doubled for each; default 10 s
	// Overlap is for a run while the one before it has not ended: "skip", which records it as skipped, "queue", which lets it
	// wait, or "allow", which runs both. Default skip.
	Overlap string `json:"overlap,omitempty"`
	// CatchUp is for runs that were missed because no scheduler was running: "none", which records them as missed, "last",
	// which runs the last one late, or "all", which runs the last CatchUpLimit late. Default none.
	CatchUp      string   `json:"catch_up,omitempty"`
	CatchUpLimit int      `json:"catch_up_limit,omitempty"` // default 10
	Jitter       Duration `json:"jitter,omitzero"`          // upper bound of a random delay of each run
	// AtMostOnce is for tools that must not run twice. If the worker of a run dies, the run is reported as
	// lost and not tried again.
	AtMostOnce bool `json:"at_most_once,omitempty"`
	// AlertFailure asks for an alert for each run that fails, not for the first alone, AlertSuccess for each that succeeds.
	AlertFailure bool `json:"alert_failure,omitempty"`
	AlertSuccess bool `json:"alert_success,omitempty"`
	// AlertLate asks for an alert if a run has not begun so long after its fire time, AlertLong if an attempt has run for
	// longer, and AlertReminder for one as often as this while the health of an active job is not [Healthy].
	AlertLate     Duration `json:"alert_late,omitzero"`
	AlertLong     Duration `json:"alert_long,omitzero"`
	AlertReminder Duration `json:"alert_reminder,omitzero"`
}

// An Owner is the identity that made a job. The job's runs are judged as calls of this identity.
type Owner struct {
	Subject string         `json:"subject,omitempty"`
	Claims  map[string]any `json:"claims,omitempty"`
	Roots   []string       `json:"roots,omitempty"`
}

// ownerOf returns the owner of the jobs that a session makes.
func ownerOf(s *call.Session) Owner {
	if s == nil {
		return Owner{}
	}
	return Owner{Subject: s.Subject, Claims: s.Claims, Roots: s.Roots}
}

// session returns the session of a job's calls.
func (o Owner) session(allowWarnings bool) *call.Session {
	return &call.Session{Subject: o.Subject, Claims: o.Claims, Roots: o.Roots, Transport: "schedule", Unattended: true, AllowWarnings: allowWarnings}
}

func (j *Job) session() *call.Session { return j.Owner.session(j.AllowWarnings || j.Unvalidated) }

// Upcoming returns the times of the next runs in the job's zone, the soonest first. There are none if this machine does
// not know the zone.
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

// A Move records that the next run moved, because the clock was set back or the job's time zone got other offsets.
type Move struct {
	At   time.Time `json:"at"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Why  string    `json:"why"`
}

// A Status sums up a job's runs.
type Status string

const (
	Healthy Status = "ok"
	Warned  Status = "warned"  // the next run would be refused now, or lacks something
	Failing Status = "failing" // the last run was refused, lost or missed, or it failed
	// Unavailable means that the next run cannot be judged, because its server has been away for longer than two rechecks.
	Unavailable Status = "unavailable"
)

// Health is the status of a job, with its reason.
type Health struct {
	Status Status    `json:"status"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

// A Verdict is a judgement of a job's call, with digests of the definition and the policy behind it.
type Verdict struct {
	At           time.Time `json:"at"`
	On           string    `json:"on"` // create, update, ahead or fire
	Valid        bool      `json:"valid"`
	Method       string    `json:"method"`
	Errors       []string  `json:"errors,omitempty"`
	Warnings     []string  `json:"warnings,omitempty"`
	Suggestions  []string  `json:"suggestions,omitempty"`
	Missing      []string  `json:"missing,omitempty"`       // those of Warnings about what the call needs and is not there
	Unjudged     time.Time `json:"unjudged,omitzero"`       // since then no validation ahead could judge the call; zero: this one did
	ToolDigest   string    `json:"tool_digest,omitempty"`   // SHA-256 of the tool's definition
	PolicyDigest string    `json:"policy_digest,omitempty"` // SHA-256 of the policy
}

func newVerdict(on string, at time.Time, r toolvet.Validation) *Verdict {
	v := &Verdict{At: at, On: on, Valid: r.Valid, Method: r.Method, Errors: r.Errors, Warnings: r.Warnings, Suggestions: r.Suggestions}
	for _, f := range r.Findings {
		if f.Foreseen && !f.Blocks() {
			v.Missing = append(v.Missing, f.String())
		}
	}
	for _, list := range []*[]string{&v.Errors, &v.Warnings, &v.Suggestions, &v.Missing} { // they may have words of the server
		*list = slices.Clone(*list)
		for i, text := range *list {
			(*list)[i] = storedText(context.Background(), text)
		}
	}
	return v
}

// A RunState is the state of a run.
type RunState string

const (
	Queued    RunState = "queued"
	Running   RunState = "running"
	Succeeded RunState = "succeeded"
	RunFailed RunState = "failed"  // the tool reported an error or was out of reach, and no retry is left
	Refused   RunState = "refused" // the call was a no-go and was not made
	Skipped   RunState = "skipped" // the run before it had not ended
	Missed    RunState = "missed"  // no scheduler was running
	Lost      RunState = "lost"    // its worker died, and it must not run twice
	Cancelled RunState = "cancelled"
)

// Open reports whether a run has not ended.
func (s RunState) Open() bool { return s == Queued || s == Running }

// A Run is one execution of a job, or the record of why there was none.
type Run struct {
	ID    string    `json:"id"`
	Job   string    `json:"job"`  // its id
	Fire  time.Time `json:"fire"` // the time it was scheduled for
	Kind  string    `json:"kind"` // "schedule", or "trigger": on request
	State RunState  `json:"state"`
	// Attempt is the number of times that a worker began it.
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker,omitempty"`
	Ready   time.Time `json:"ready"` // no worker begins it before
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	RunInfo

	Exclusive bool `json:"-"` // it waits for other runs of the job to end

	gone bool // its server ended before it answered, and the call may be made again
}

// Progress is the progress that a server reports of a run. It has numbers alone: words would need a review.
type Progress struct {
	Done  float64 `json:"done"`
	Total float64 `json:"total,omitempty"` // 0: unknown
}

// RunInfo holds the details of a run. Most of them are known when it has ended.
type RunInfo struct {
	Replays   string    `json:"replays,omitempty"`   // the id of the run that it repeats on request
	Reason    string    `json:"reason,omitempty"`    // why it did not succeed
	Progress  *Progress `json:"progress,omitempty"`  // while it runs
	LateAfter Duration  `json:"late_after,omitzero"` // [Spec.AlertLate], when it fired
	// Crashes is the number of times that the server of its tool ended while it and other runs were under way there. Such
	// attempts do not count as retries.
	Crashes   int             `json:"crashes,omitempty"`
	Verdict   *Verdict        `json:"verdict,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`    // the tool's answer, as the output layer left it, without secrets
	Truncated int             `json:"truncated,omitempty"` // size of a result that is not stored: it was too large, or could not be searched for secrets
}
