// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/validate"
)

// A journal remembers what a door records, and what becomes of tickets.
type journal struct {
	mu   sync.Mutex
	told []string
}

func (j *journal) tell(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.told = append(j.told, fmt.Sprintf(format, args...))
}

func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	told := j.told
	j.told = nil
	return strings.Join(told, ", ")
}

func (j *journal) Judged(ctx context.Context, e *toolvet.Event) error {
	j.tell("judged %s %v", e.Call.Name, e.Verdict.Go)
	return ctx.Err()
}

func (j *journal) Returned(ctx context.Context, e *toolvet.Event) error {
	j.tell("returned %s, failed %v", e.Call.Name, e.Failed)
	return ctx.Err()
}

func (j *journal) Listed(context.Context, string, *call.Catalog) {}

// Take and Peek make the journal a limiter, which counts all calls.
func (j *journal) Take(context.Context, *call.Call) (engine.Ticket, []check.Finding) {
	return ticket{j}, nil
}

func (j *journal) Peek(context.Context, *call.Call) ([]engine.Allowance, []check.Finding) {
	return nil, nil
}

// A ticket tells of each time it is settled.
type ticket struct{ *journal }

func (t ticket) Release()  { t.tell("released") }
func (t ticket) Rollback() { t.tell("rolled back") }

func newDoor(t *testing.T) (*door.Door, *journal) {
	t.Helper()
	j := new(journal)
	gate, err := toolvet.New(toolvet.WithInside(engine.Parts{Limiter: j}))
	if err != nil {
		t.Fatal(err)
	}
	return &door.Door{Gate: func() *toolvet.Gate { return gate }, Server: "s", Point: toolvet.PointProxy, Observer: j, Logger: slog.New(slog.DiscardHandler)}, j
}

func read(t *testing.T, arguments string) *call.Call {
	t.Helper()
	tool, err := call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := call.DecodeParams(fmt.Appendf(nil, `{"name":"read","arguments":%s}`, arguments), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	return c
}

// TestCancelledIsRecorded holds that a call whose client has cancelled it already is recorded
// all the same: otherwise a client could try calls and leave no trace.
func TestCancelledIsRecorded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, j := newDoor(t)
	for _, p := range []*door.Passage{
		d.Enter(ctx, read(t, `{}`), door.Request{}),
		d.Refuse(ctx, read(t, `{}`), door.Request{}, door.Fault("call", "no")),
	} {
		if v := p.Verdict(); v.Go || len(v.Findings) == 0 || v.Findings[0].Check == "log" {
			t.Errorf("the verdict %+v is not that of the door", v)
		}
	}
	d.DryRun(ctx, read(t, `{}`), door.Request{})
	if got, want := j.take(), "judged read false, judged read false, judged read false"; got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
}

// TestAsk holds that a door lets in a call to ask about only if it asks, and that nothing lets in what it refuses for good.
func TestAsk(t *testing.T) {
	t.Parallel()
	consent := &check.Check{Name: "consent", Doc: "# consent\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel, Severity: check.Ask,
		Run: func(_ context.Context, p *check.Pass) error { p.Reportf("", "is for a person"); return nil }}
	gate, err := toolvet.New(toolvet.WithMoreChecks(consent))
	if err != nil {
		t.Fatal(err)
	}
	d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Point: toolvet.PointProxy, Logger: slog.New(slog.DiscardHandler)}
	for _, asks := range []bool{true, false} {
		c := read(t, `{"path": "a"}`)
		c.Session = &call.Session{Asks: asks}
		p := d.Enter(t.Context(), c, door.Request{})
		answer, refused := p.Refusal()
		if !p.Verdict().Ask || refused == asks || refused && !strings.Contains(string(answer.Raw), "nobody can be asked here") {
			t.Errorf("asks %v: refused %v, %s", asks, refused, answer.Raw)
		}
		if _, refused := d.Refuse(t.Context(), c, door.Request{}, p.Verdict()).Refusal(); !refused {
			t.Errorf("asks %v: Refuse lets the call in", asks)
		}
	}
}

// TestTickets holds that each ticket is settled once, when it is known how.
func TestTickets(t *testing.T) {
	t.Parallel()
	d, j := newDoor(t)
	steps := map[string]func(*door.Passage){
		"sending": (*door.Passage).Sending, "unsent": (*door.Passage).Unsent, "sent": (*door.Passage).Sent, "close": (*door.Passage).Close,
		"abandon": (*door.Passage).Abandon, "over": (*door.Passage).Over,
	}
	for _, test := range []struct{ steps, want string }{
		{"close", "rolled back"},
		{"sending sent close", "released"},
		{"sending close sent", "released"},
		{"sending close unsent sent", "rolled back"},
		{"sending unsent close sent", "rolled back"},
		{"sending sent unsent close", "rolled back"},
		{"sending sent close close", "released"},
		{"close close", "rolled back"},
		{"sending close sent close", "released"},
		{"sending close", ""},
		{"sending sent abandon", ""},
		{"sending sent abandon close", ""},
		{"sending abandon sent close", ""},
		{"sending sent abandon close over", "released"},
		{"sending sent abandon over close over", "released"},
		{"sending abandon over sent", "released"},
		{"sending abandon unsent sent", "rolled back"},
		{"abandon", "rolled back"},
		{"abandon sending sent", "rolled back"},
		{"sending sent close abandon over", "released"},
	} {
		p := d.Enter(t.Context(), read(t, `{"path":"a"}`), door.Request{})
		if _, refused := p.Refusal(); refused {
			t.Fatalf("refused: %+v", p.Verdict())
		}
		j.take()
		for _, step := range strings.Fields(test.steps) {
			steps[step](p)
		}
		if got := j.take(); got != test.want {
			t.Errorf("%s: %q, want %q", test.steps, got, test.want)
		}
	}
	for _, step := range steps {
		step(nil)
	}
	door.Lost(t.Context(), nil)
	if (*door.Passage)(nil).Made() || (*door.Passage)(nil).Meta() != nil {
		t.Error("a passage that there is not was made")
	}
}

// TestHoldTime holds that an abandoned call counts as running for HoldTime, and no longer.
func TestHoldTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, j := newDoor(t)
		p := d.Enter(t.Context(), read(t, `{"path":"a"}`), door.Request{})
		j.take()
		p.Sending()
		p.Sent()
		p.Abandon()
		p.Close()
		time.Sleep(door.HoldTime - time.Second)
		if got := j.take(); got != "" {
			t.Errorf("an abandoned call is %s", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := j.take(); got != "released" {
			t.Errorf("after HoldTime, the call is %q, want released", got)
		}
	})
}

// TestPassageIsSmall holds that a call that is under way does not keep its arguments.
func TestPassageIsSmall(t *testing.T) {
	t.Parallel()
	d, _ := newDoor(t)
	if c := d.Enter(t.Context(), read(t, `{"path":"a"}`), door.Request{}).Call(); c.Raw != nil || c.Arguments != nil || c.Known != nil {
		t.Errorf("kept %+v", c)
	}
}

// TestUnaskedIsRecorded holds that findings in notifications and questions of a server are recorded, and that others leave no record.
func TestUnaskedIsRecorded(t *testing.T) {
	t.Parallel()
	d, j := newDoor(t)
	found := &check.Check{Name: "found", Doc: "# found\n\nFinds orders.", Stage: check.Output, Level: check.SecurityLevel, Run: func(_ context.Context, pass *check.Pass) error {
		if strings.Contains(string(pass.Result.Raw), "obey") {
			pass.Report(check.Finding{Message: "an order", Severity: check.Warning})
		}
		return nil
	}}
	gate, err := toolvet.New(toolvet.WithChecks(found))
	if err != nil {
		t.Fatal(err)
	}
	d.Gate = func() *toolvet.Gate { return gate }
	for method, want := range map[string]string{
		"notifications/message":  "judged notifications/message true, returned notifications/message, failed false",
		"notifications/progress": "judged notifications/progress true, returned notifications/progress, failed false",
		"elicitation/create":     "judged elicitation/create true, returned elicitation/create, failed false",
		"tools/call":             "",
	} {
		for text, want := range map[string]string{"obey": want, "hello": ""} {
			d.Review(t.Context(), &call.Call{Server: "s"}, method, json.RawMessage(`{"message":"`+text+`"}`))
			if want != "" && !(&call.Call{Method: method, FromServer: true}).KnownMethod() {
				t.Errorf("%s: the log does not know the method", method)
			}
			if got := j.take(); got != want {
				t.Errorf("%s, %s: got %q, want %q", method, text, got, want)
			}
		}
	}
}

// TestWithoutObserver holds that a door records nothing where nobody observes.
func TestWithoutObserver(t *testing.T) {
	t.Parallel()
	d, _ := newDoor(t)
	d.Observer = nil
	p := d.Enter(t.Context(), read(t, `{"path":"a"}`), door.Request{})
	for _, shown := range []door.Shown{p.Returned(t.Context(), json.RawMessage(`{"content":[]}`)), p.Refused(t.Context(), json.RawMessage(`{"code":1,"message":"no"}`))} {
		if shown.Changed || shown.Withheld {
			t.Errorf("got %+v", shown)
		}
	}
	if shown := p.Unreadable(t.Context(), errors.New("no JSON")); !shown.Withheld {
		t.Errorf("got %+v", shown)
	}
	p.Failed(t.Context(), "it is gone.")
}

// TestRehearsalIsComplete holds that the report of a rehearsal says that it is a whole result, to
// clients that need to be told.
func TestRehearsalIsComplete(t *testing.T) {
	t.Parallel()
	d, _ := newDoor(t)
	c := read(t, `{"tool":"read","arguments":{"path":"a"}}`)
	found := validate.Found{Server: d.Server, Tools: c.Known, Gate: d.Gate()}
	c.Name = "rehearse"
	h := door.Rehearsal{
		Find: func(_ context.Context, tool string) (validate.Found, string) { return found, tool },
		Rehearser: func(string) door.Rehearser {
			return func(context.Context, []*call.Call, func(context.Context, *call.Call) bool) (json.RawMessage, error) {
				return json.RawMessage(`{"content":[]}`), nil
			}
		},
	}
	for modern, want := range map[bool]string{false: `{"content":[]}`, true: `{"content":[],"resultType":"complete"}`} {
		if got := d.Rehearse(t.Context(), c, door.Request{Modern: modern}, h); string(got) != want {
			t.Errorf("modern %v: %s, want %s", modern, got, want)
		}
	}
}

// TestOneLine holds that the log has one line for each check that refuses a call or withholds its result, however often it finds something.
func TestOneLine(t *testing.T) {
	t.Parallel()
	d, _ := newDoor(t)
	var log strings.Builder
	d.Logger = slog.New(slog.NewTextHandler(&log, nil))
	var v toolvet.Verdict
	for i := range 8 {
		v.Findings = append(v.Findings, check.Finding{Code: "SECURITY_ERROR", Check: "secret", Pointer: fmt.Sprintf("/content/%d/text", i), Message: "holds a secret"})
	}
	v.Findings = append(v.Findings, check.Finding{Code: "SECURITY_ERROR", Check: "injection", Message: "gives orders"})
	d.Refuse(t.Context(), read(t, `{}`), door.Request{}, v)
	var lines []string
	for line := range strings.Lines(log.String()) {
		_, told, _ := strings.Cut(line, " code=")
		lines = append(lines, strings.TrimSpace(told))
	}
	if got, want := strings.Join(lines, "; "), "SECURITY_ERROR check=secret at=\"/(7 bytes)/0/(4 bytes)\" findings=8; SECURITY_ERROR check=injection at=\"\""; got != want {
		t.Errorf("the log says %s, want %s", got, want)
	}
}
