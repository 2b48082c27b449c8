// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/npm"
)

// A triple is a question that a reference answers, too.
type triple struct {
	Expression string    `json:"expression"`
	Zone       string    `json:"zone"`
	Start      time.Time `json:"start"`
	N          int       `json:"n"`
}

var referenceZones = strings.Fields(`UTC Europe/Vienna Europe/Dublin America/New_York America/Sao_Paulo America/St_Johns America/Santiago
	America/Havana Asia/Kolkata Asia/Kathmandu Asia/Beirut Africa/Cairo Australia/Sydney Australia/Lord_Howe Pacific/Auckland
	Pacific/Chatham Asia/Tokyo Europe/London America/Asuncion Atlantic/Azores`)

// howMany is 3,000 in full, which takes half a minute.
func howMany() int {
	if os.Getenv("TOOLVET_CRON_FULL") == "1" {
		return 3000
	}
	return 200
}

// triples returns random questions; half of them begin a day before the clock is moved.
func triples(t *testing.T, n int) (list []triple) {
	r := rand.New(rand.NewPCG(16, 17))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	number := func(low, high int) string { return fmt.Sprint(low + r.IntN(high-low+1)) }
	item := func(low, high int) string {
		switch r.IntN(9) {
		case 0, 1:
			return "*"
		case 2:
			return "*/" + number(1, (high-low)/2)
		case 3:
			a := low + r.IntN(high-low)
			return fmt.Sprintf("%d-%s", a, number(a, high))
		case 4:
			a := low + r.IntN(high-low)
			return fmt.Sprintf("%d-%s/%s", a, number(a, high), number(1, high-low))
		case 5:
			return number(low, high) + "," + number(low, high)
		}
		return number(low, high)
	}
	for range n {
		name := pick(referenceZones...)
		start := time.Date(2026, 1, 1, 0, 0, r.IntN(4*365*86400), 0, time.UTC)
		if z := changes(zone(t, name), 2026+r.IntN(4)); len(z) > 0 && r.IntN(2) == 0 {
			start = z[r.IntN(len(z))].Add(-time.Duration(r.IntN(86400)) * time.Second)
		}
		days, months, weekdays := "*", "*", "*"
		switch r.IntN(6) {
		case 0:
			days = item(1, 28)
		case 1:
			weekdays = item(0, 6)
		case 2:
			days, weekdays = item(1, 28), item(0, 6)
		case 3:
			weekdays = pick("mon-fri", "sat,sun", "7", "wed")
		}
		if r.IntN(6) == 0 {
			months = item(1, 12)
		}
		hours := item(0, 23)
		if r.IntN(2) == 0 {
			hours = pick("1", "2", "3", "1-3", "0-23", "*/1", "*/2", "0,2", "1-2/5")
		}
		list = append(list, triple{strings.Join([]string{item(0, 59), hours, days, months, weekdays}, " "), name, start.UTC(), 6})
	}
	return list
}

// TestVixie compares the times of two weeks with those of cron 3.0 of Paul Vixie, as Debian has it. The test has its
// rules anew: how entry.c reads fields into bits and star flags, and how cron.c finds jobs, minute by minute, and goes
// on when the clock is moved by up to three hours.
func TestVixie(t *testing.T) {
	t.Parallel()
	compared, refused := 0, 0
	for _, q := range triples(t, howMany()) {
		z := zone(t, q.Zone)
		s, err := Parse(q.Expression, z, q.Start)
		if err != nil {
			refused++
			if _, ok := readVixie(q.Expression); ok && !strings.Contains(err.Error(), "no such date") && !strings.Contains(err.Error(), "runs backward") {
				t.Errorf("%v: %v", q, err)
			}
			continue
		}
		v, ok := readVixie(q.Expression)
		if !ok {
			t.Errorf("%v: vixie refuses it", q)
			continue
		}
		compared++
		end := q.Start.Add(14 * 24 * time.Hour)
		got, want := until(s, q.Start, end), v.run(q.Start, end, z)
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %s, vixie %s", q, firstDifference(got, want), firstDifference(want, got))
		}
	}
	t.Logf("compared %d, refused %d", compared, refused)
}

func firstDifference(a, b []string) string {
	for i, s := range a {
		if i >= len(b) || b[i] != s {
			return fmt.Sprint(i, " ", a[i:min(i+3, len(a))])
		}
	}
	return "a part"
}

// A vixie is an entry of a crontab.
type vixie struct {
	minute, hour, dom, month, dow              uint64
	minuteStar, hourStar, domStar, weekdayStar bool
}

func readVixie(text string) (v vixie, ok bool) {
	f := strings.Fields(text)
	var list [5]uint64
	for i, bounds := range [][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}} {
		if list[i], ok = vixieBits(f[i], bounds[0], bounds[1]); !ok {
			return v, false
		}
	}
	if list[4]&(1|1<<7) != 0 {
		list[4] |= 1 | 1<<7
	}
	star := func(s string) bool { return s[0] == '*' }
	return vixie{list[0], list[1], list[2], list[3], list[4], star(f[0]), star(f[1]), star(f[2]), star(f[4])}, true
}

func vixieBits(field string, low, high int) (bits uint64, ok bool) {
	names := strings.Fields("sun mon tue wed thu fri sat")
	value := func(s string) int {
		if i := slices.Index(names, s); i >= 0 {
			return i
		}
		var n int
		if _, err := fmt.Sscan(s, &n); err != nil {
			return -1
		}
		return n
	}
	for item := range strings.SplitSeq(field, ",") {
		span, text, stepped := strings.Cut(item, "/")
		first, last, ranged := strings.Cut(span, "-")
		from, to, step := low, high, 1
		if span != "*" {
			from, to = value(first), value(first)
			if ranged {
				to = value(last)
			} else if stepped {
				return 0, false
			}
		}
		if stepped {
			step = value(text)
		}
		if from < low || to > high || from > to || step < 1 {
			return 0, false
		}
		for n := from; n <= to; n += step {
			bits |= 1 << n
		}
	}
	return bits, true
}

// matches is find_jobs: virtual is the time that a clock shows.
func (v vixie) matches(virtual time.Time, wild, fixed bool) bool {
	on := func(bits uint64, n int) bool { return bits&(1<<n) != 0 }
	if !on(v.minute, virtual.Minute()) || !on(v.hour, virtual.Hour()) || !on(v.month, int(virtual.Month())) {
		return false
	}
	dom, dow := on(v.dom, virtual.Day()), on(v.dow, int(virtual.Weekday()))
	if v.domStar || v.weekdayStar {
		dom = dom && dow
	} else {
		dom = dom || dow
	}
	return dom && (fixed && !(v.minuteStar || v.hourStar) || wild && (v.minuteStar || v.hourStar))
}

// run is the loop of cron.c, which wakes up each minute.
func (v vixie) run(from, to time.Time, zone *time.Location) (list []string) {
	begin := from.UTC().Add(-26 * time.Hour).Truncate(time.Minute)
	virtual := naive(begin.In(zone))
	var until time.Time
	var offset time.Duration
	for t := begin; t.Before(to); t = t.Add(time.Minute) {
		if !t.Before(until) {
			_, seconds := t.In(zone).Zone()
			until, offset = t.Truncate(15*time.Minute).Add(15*time.Minute), time.Duration(seconds)*time.Second
		}
		running := t.Add(offset)
		fired := false
		switch behind := running.Sub(virtual); {
		case behind < -3*time.Hour, behind > 3*time.Hour: // the clock is set anew
			virtual = running
			fired = v.matches(virtual, true, true)
		case behind <= 0: // put back: only wild jobs, until the clock shows what it has shown
			fired = v.matches(running, true, false)
		case behind > 5*time.Minute: // put forward: wild jobs of this minute, the others of all minutes between
			fired = v.matches(running, true, false)
			for virtual.Before(running) {
				virtual = virtual.Add(time.Minute)
				fired = v.matches(virtual, false, true) || fired
			}
		default:
			for ; virtual.Before(running); virtual = virtual.Add(time.Minute) {
				fired = v.matches(virtual.Add(time.Minute), true, true) || fired
			}
		}
		if fired && t.After(from) {
			list = append(list, t.In(zone).Format(time.RFC3339))
		}
	}
	return list
}

// TestCroner compares the next times with those of croner, of npm. docs/figures/scheduler.md has the differences.
func TestCroner(t *testing.T) {
	t.Parallel()
	list := triples(t, howMany())
	var in, out bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, q := range list {
		if err := encoder.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	words := npm.Script(t, "croner.mjs")
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Stdin, command.Stdout = &in, &out
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(&out)
	count := map[string]int{}
	for _, q := range list {
		var a struct {
			Times []time.Time `json:"times"`
			Error string      `json:"error"`
		}
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		s, err := Parse(q.Expression, zone(t, q.Zone), q.Start)
		why := difference(q, s, err, a.Times, a.Error)
		count[why]++
		if why == "" {
			var got []time.Time
			if s != nil {
				got = s.Times(q.Start, q.N)
			}
			t.Errorf("%v: got %v %v, croner %v %s", q, got, err, a.Times, a.Error)
		}
	}
	t.Log(count)
}

// difference names the reason of a difference from croner; "equal" for none, and "" for one that is not understood.
func difference(q triple, s *Schedule, err error, times []time.Time, fault string) string {
	switch {
	case err != nil && (fault != "" || len(times) == 0):
		return "equal"
	case err != nil || fault != "":
		return ""
	}
	got := s.Times(q.Start, q.N)
	if slices.EqualFunc(got, times, time.Time.Equal) {
		return "equal"
	}
	f := strings.Fields(q.Expression)
	if star(f[2]) != star(f[4]) || star(f[2]) && restricted(f[2]) && restricted(f[4]) {
		// both of the days, and not either: croner's times are those of the one day and those of the other
		var either []time.Time
		for _, i := range []int{2, 4} {
			one := slices.Clone(f)
			one[i] = "*"
			if s, err := Parse(strings.Join(one, " "), s.Zone(), q.Start); err == nil {
				either = append(either, s.Times(q.Start, q.N)...)
			}
		}
		slices.SortFunc(either, time.Time.Compare)
		either = slices.CompactFunc(either, time.Time.Equal)
		if either = either[:min(q.N, len(either))]; shiftsOnly(either, times, s.Zone()) && shiftsOnly(times, either, s.Zone()) {
			return "both of the days"
		}
	}
	if shiftsOnly(got, times, s.Zone()) && shiftsOnly(times, got, s.Zone()) {
		if shifts := changes(s.Zone(), got[0].Year()); len(shifts) > 0 && isGap(shifts, got[0]) {
			return "clock put forward"
		}
		return "clock put back"
	}
	return ""
}

// shiftsOnly reports whether all times of a list that another lacks, in its range, are near a change of the clock.
func shiftsOnly(list, other []time.Time, zone *time.Location) bool {
	for _, at := range list {
		if slices.ContainsFunc(other, at.Equal) || at.After(other[len(other)-1]) {
			continue
		}
		_, before := at.Add(-3 * time.Hour).In(zone).Zone()
		_, after := at.Add(3 * time.Hour).In(zone).Zone()
		if before == after {
			return false
		}
	}
	return true
}

// isGap reports whether the change next to a time puts the clock forward.
func isGap(changes []time.Time, near time.Time) bool {
	nearest := slices.MinFunc(changes, func(a, b time.Time) int { return int(a.Sub(near).Abs() - b.Sub(near).Abs()) })
	_, before := nearest.Add(-time.Minute).Zone()
	_, after := nearest.Add(time.Minute).Zone()
	return after > before
}
