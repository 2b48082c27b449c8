// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package jobspec has what toolvet's own packages know of the scheduler, and programs need not: how texts describe jobs, and
// settings beside those of schedule.Config.
package jobspec

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Tuning is what the policy of toolvet's own program sets. Zero values mean the defaults.
type Tuning struct {
	// PolicyDigest returns the digest of the policy in force, for verdicts. Nil means no digest.
	PolicyDigest func() string
	// Bases returns the directories to which a server's relative paths may refer. The scheduler watches files there
	// that arguments name. Nil: it watches absolute paths only.
	Bases func(server string) []string
	// Serves returns the servers whose jobs run here, nil for any, and a digest of the rules for them. Schedulers of one store
	// compare theirs. A nil function means any server and no rules.
	Serves func() (servers []string, rules string)
	// Ran hears the state of each run that ended here, and how long after its fire time it began. Nil hears nothing.
	Ran func(state string, lag time.Duration)

	Ahead     time.Duration // how long before a run its validation begins; default 6 h
	Recheck   time.Duration // between two validations ahead; default 15 min
	Away      time.Duration // how long a server may be unavailable before the health of its jobs says so; default two rechecks
	Lease     time.Duration // a worker is dead so long after its last heartbeat; the same for all that serve the store; default 15 s
	Drain     time.Duration // how long runs under way may take at the end; default 30 s
	MaxResult int           // a larger result is not stored, in bytes; default 64 KiB
}

// WithDefaults returns t without zero values, apart from Bases.
func (t Tuning) WithDefaults() Tuning {
	t.Ahead = cmp.Or(max(t.Ahead, 0), 6*time.Hour)
	t.Recheck = cmp.Or(max(t.Recheck, 0), 15*time.Minute)
	t.Away = cmp.Or(max(t.Away, 0), 2*t.Recheck)
	t.Lease = cmp.Or(max(t.Lease, 0), 15*time.Second)
	t.Drain = cmp.Or(max(t.Drain, 0), 30*time.Second)
	t.MaxResult = cmp.Or(max(t.MaxResult, 0), 64<<10)
	if t.Serves == nil {
		t.Serves = func() ([]string, string) { return nil, "" }
	}
	if t.Ran == nil {
		t.Ran = func(string, time.Duration) {}
	}
	if t.PolicyDigest == nil {
		t.PolicyDigest = func() string { return "" }
	}
	return t
}

// ErrSpec reports a text that does not describe a job.
var ErrSpec = errors.New("the job cannot be read")

// maxName bounds a name in a message, in bytes.
const maxName = 128

// Decode reads JSON strictly into a schedule.Spec. Fields without a key in the text keep their values. It returns what the text
// says.
func Decode(text []byte, into any) (said map[string]any, err error) {
	v, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	said, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: it must be a JSON object", ErrSpec)
	}
	known := fields(reflect.TypeOf(into).Elem())
	for name := range said { // the decoder would accept NAME for name
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%w: unknown field %q: write one of %s", ErrSpec, strictjson.Printable(name, maxName), strings.Join(known, ", "))
		}
	}
	err = json.Unmarshal(text, into)
	var date *time.ParseError
	var misfit *json.UnmarshalTypeError
	switch {
	case err == nil:
		return said, nil
	case errors.As(err, &misfit):
		return nil, fmt.Errorf("%w: %s", ErrSpec, Misfit(misfit))
	case errors.As(err, &date):
		return nil, fmt.Errorf("%w: end_date must be a date and time such as 2026-12-24T18:00:00Z", ErrSpec)
	}
	return nil, fmt.Errorf("%w: %s", ErrSpec, strings.TrimPrefix(err.Error(), "json: "))
}

// fields returns the names of the fields of a struct, as JSON has them.
func fields(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Misfit describes a member with a value of the wrong type, in terms of JSON.
func Misfit(e *json.UnmarshalTypeError) string {
	want := "an object"
	switch e.Type.Kind() {
	case reflect.Int:
		want = "a whole number, written without fraction and exponent"
	case reflect.String:
		want = "a string"
	case reflect.Bool:
		want = "true or false"
	case reflect.Slice:
		want = "an array"
	}
	return fmt.Sprintf("%s must be %s", e.Field[strings.LastIndex(e.Field, ".")+1:], want)
}

// NextRuns returns the first n times in the format of RFC 3339.
func NextRuns(times iter.Seq[time.Time], n int) []string {
	list := []string{}
	for at := range times {
		if len(list) == n {
			break
		}
		list = append(list, at.Format(time.RFC3339))
	}
	return list
}

// IsID reports whether a text has the form of an id of a job or a run.
func IsID(text string) bool {
	return len(text) == 23 && strings.Trim(text, "0123456789abcdef") == ""
}

// PageSize returns the number of entries on a page when a filter asks for limit.
func PageSize(limit int) int {
	if limit <= 0 {
		return 50
	}
	return min(limit, 1000)
}

// NewID makes an id of a job or a run. Ids sort in the order in which they are made, to the millisecond.
func NewID(now time.Time) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%011x%s", now.UnixMilli(), hex.EncodeToString(b[:]))
}
