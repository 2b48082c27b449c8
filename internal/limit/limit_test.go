// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	second := Rate{10, time.Second}
	for _, tt := range []struct {
		name  string
		limit Limit
		want  string // fields, and the beginnings of messages
	}{
		{"all", Limit{Name: "a-1_b", Tools: []string{"github:*", "*:delete_*"}, Per: []Dimension{Session, ClientAddress}, Rate: second, Burst: 3, Concurrency: 2, Quota: Quota{5, Month}, Timezone: "Europe/Vienna"}, ""},
		{"rate alone", Limit{Name: "a", Rate: second}, ""},
		{"together", Limit{Name: "a", Rate: second, Per: []Dimension{}}, ""},
		{"fastest", Limit{Name: "a", Rate: Rate{10000, time.Second}}, ""},
		{"empty", Limit{}, "name: must begin; : must have a rate"},
		{"name", Limit{Name: "A", Rate: second}, "name: must begin"},
		{"long name", Limit{Name: strings.Repeat("a", 65), Rate: second}, "name: must begin"},
		{"patterns", Limit{Name: "a", Rate: second, Tools: []string{"github", ":x", "x:", "", "a?:b", "a:[b]", `a:\b`, "a:b"}},
			strings.TrimSuffix(strings.Repeat("tools: must be server:tool; ", 7), "; ")},
		{"no patterns", Limit{Name: "a", Rate: second, Tools: []string{}}, "tools: must name something"},
		{"dimension", Limit{Name: "a", Rate: second, Per: []Dimension{0, 9, 255}}, "per: must hold only identity, session, server, tool, client_address"},
		{"burst alone", Limit{Name: "a", Burst: 2, Concurrency: 1}, "burst: needs a rate"},
		{"negative burst", Limit{Name: "a", Rate: second, Burst: -1}, "burst: must be a number"},
		{"negative concurrency", Limit{Name: "a", Concurrency: -1}, "concurrency: must be a number"},
		{"great concurrency", Limit{Name: "a", Concurrency: maxCalls + 1}, "concurrency: must be a number"},
		{"negative rate", Limit{Name: "a", Rate: Rate{-1, time.Second}}, "rate: must be a number"},
		{"no time", Limit{Name: "a", Rate: Rate{1, 0}}, "rate: must have a number"},
		{"no calls", Limit{Name: "a", Rate: Rate{0, 1}}, "rate: must have a number"},
		{"too fast", Limit{Name: "a", Rate: Rate{10001, time.Second}}, "rate: must be at most 10000 a second"},
		{"too slow", Limit{Name: "a", Rate: Rate{1, 367 * 24 * time.Hour}}, "rate: is too slow"},
		{"too slow a burst", Limit{Name: "a", Rate: Rate{1, 24 * time.Hour}, Burst: 367}, "rate: is too slow"},
		{"quota without period", Limit{Name: "a", Quota: Quota{1, 0}}, "quota: must have"},
		{"quota without calls", Limit{Name: "a", Quota: Quota{0, Day}}, "quota: must have"},
		{"period", Limit{Name: "a", Quota: Quota{1, 77}}, "quota: must have"},
		{"negative quota", Limit{Name: "a", Quota: Quota{-1, Day}}, "quota: must be a number"},
		{"zone", Limit{Name: "a", Quota: Quota{1, Day}, Timezone: "Mars/Olympus"}, "timezone: must be the name"},
		{"the machine's zone", Limit{Name: "a", Quota: Quota{1, Day}, Timezone: "Local"}, "timezone: must be the name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range tt.limit.Problems() {
				got = append(got, p.Field+": "+p.Message)
			}
			want := strings.Split(tt.want, "; ")
			if tt.want == "" {
				want = nil
			}
			if len(got) != len(want) {
				t.Fatalf("got %q, want %q", got, want)
			}
			for i := range want {
				if !strings.HasPrefix(got[i], want[i]) {
					t.Errorf("got %q, want %q…", got[i], want[i])
				}
			}
			if _, err := New([]Limit{tt.limit}, nil); (err == nil) != (want == nil) {
				t.Errorf("New: %v", err)
			}
		})
	}
}

func TestNewTellsEverything(t *testing.T) {
	t.Parallel()
	ok := Limit{Name: "calls", Concurrency: 1}
	_, err := New([]Limit{ok, {Name: "calls", Burst: -1, Concurrency: 1}, {Name: "B", Rate: Rate{1, time.Second}}}, nil)
	want := `limit "calls": burst: must be a number of calls from 1 to 1000000000
limit "calls": name: must be another than that of the limits before
limit "B": name: must begin with a letter from a to z, and hold at most 64 of a to z, 0 to 9, - and _`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSharedProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shared Shared
		want   string // fields
	}{
		{Shared{URL: "redis://127.0.0.1:6379/2"}, ""},
		{Shared{URL: "rediss://user:secret@redis.example?addr=b.example:6379", Prefix: "team_1", WhenAway: Local}, ""},
		{Shared{URL: "unix:///run/redis.sock"}, ""},
		{Shared{}, "url"},
		{Shared{URL: "http://user:secret@redis.example"}, "url"},
		{Shared{URL: "redis://user:sec ret@\x7f"}, "url"},
		{Shared{URL: "redis://a", Prefix: "{b}", WhenAway: 2}, "prefix when_away"},
	} {
		var fields []string
		for _, p := range tt.shared.Problems() {
			fields = append(fields, p.Field)
			if strings.Contains(p.Message, "secret") {
				t.Errorf("tells the password: %s", p.Message)
			}
		}
		if got := strings.Join(fields, " "); got != tt.want {
			t.Errorf("%+v: problems of %q, want %q", tt.shared, got, tt.want)
		}
	}
}
