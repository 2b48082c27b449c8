// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/jobs/web"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
	"github.com/toolvet/toolvet/upstream"
)

// now is the time on the clock of all tests: a Saturday.
var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// A fake is a caller. Calls of files:missing are a no-go, and the server down is not available.
type fake struct{}

func (fake) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	v := toolvet.Verdict{Go: true}
	switch tool {
	case "files:missing":
		v = toolvet.Verdict{Findings: []check.Finding{{Check: "path-state", Stage: check.Semantic, Level: check.RuntimeLevel, Pointer: "/path", Message: "does not exist", Suggestion: "make the directory, or correct the path"}}}
	case "down:tool":
		v.Go = false
		return protocol.NewResult(tool, v).Validation, errors.New("the server is not available")
	}
	return protocol.NewResult(tool, v).Validation, nil
}

func (fake) Call(context.Context, string, json.RawMessage, ...upstream.CallOption) (*upstream.Outcome, error) {
	return nil, errors.New("no run is made in these tests")
}

func (fake) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return call.NewCatalog(nil), nil
}

// A fixture is a site with a store of its own, and a browser without scripts in front.
type fixture struct {
	t      testing.TB
	place  string // of the store
	store  schedule.Store
	jobs   *schedule.Scheduler
	server *httptest.Server
	client *http.Client
}

func newFixture(t testing.TB, change func(*web.Config)) *fixture {
	t.Helper()
	return newFixtureAt(t, now, change)
}

// newFixtureAt makes a fixture at another time.
func newFixtureAt(t testing.TB, at time.Time, change func(*web.Config)) *fixture {
	t.Helper()
	return newFixtureIn(t, filepath.Join(t.TempDir(), "schedule.db"), at, change)
}

// newFixtureIn makes a fixture with a store at a place.
func newFixtureIn(t testing.TB, place string, at time.Time, change func(*web.Config)) *fixture {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	clock := func() time.Time { return at }
	jobs, err := schedule.New(schedule.Config{Store: store, Caller: fake{}, Now: clock, AllowSkip: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := web.Config{Scheduler: jobs, Zone: time.UTC, Now: clock}
	if change != nil {
		change(&cfg)
	}
	mux := http.NewServeMux()
	mux.Handle("/schedule/", web.New(cfg))
	guarded, err := httpguard.Guard{}.Handler(mux)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, place: place, store: store, jobs: jobs, server: httptest.NewServer(guarded)}
	t.Cleanup(f.server.Close)
	f.client = f.browser()
	return f
}

// browser makes a client with its own cookies that does not follow redirects.
func (f *fixture) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: f.server.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// create makes a job, and changes the fields that only a store can change.
func (f *fixture) create(spec schedule.Spec, change func(*schedule.Job)) *schedule.Job {
	f.t.Helper()
	return f.createAs(nil, spec, change)
}

func (f *fixture) createAs(who *call.Session, spec schedule.Spec, change func(*schedule.Job)) *schedule.Job {
	f.t.Helper()
	if spec.Tool == "" {
		spec.Tool = "files:read"
	}
	if spec.Schedule == "" {
		spec.Schedule = "every day at 3am"
	}
	j, _, err := f.jobs.Create(f.t.Context(), spec, who, schedule.How{SkipValidation: spec.Tool != "files:read"})
	if err != nil {
		f.t.Fatal(err)
	}
	j, err = f.store.UpdateJob(f.t.Context(), j.ID, func(j *schedule.Job) error {
		j.Unvalidated = false
		if change != nil {
			change(j)
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return j
}

// run stores a run of a job.
func (f *fixture) run(j *schedule.Job, r schedule.Run) *schedule.Run {
	f.t.Helper()
	r.ID, r.Job = jobspec.NewID(r.Fire), j.ID
	if r.Kind == "" {
		r.Kind = "schedule"
	}
	if r.State == "" {
		r.State = schedule.Succeeded
	}
	if r.Attempt == 0 {
		r.Attempt = 1
	}
	if err := f.store.AddRun(f.t.Context(), &r, 1000); err != nil {
		f.t.Fatal(err)
	}
	return &r
}

// A page is an answer of the site.
type page struct {
	status int
	header http.Header
	body   string
}

// plainText returns the visible text of a page in one line.
func (p page) plainText() string {
	body := p.body
	if _, after, ok := strings.Cut(body, "<main"); ok {
		body = after[strings.Index(after, ">")+1:]
	}
	text := regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(body, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

func (f *fixture) do(r *http.Request) page {
	f.t.Helper()
	resp, err := f.client.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return page{resp.StatusCode, resp.Header, string(body)}
}

func (f *fixture) request(method, path, body string) *http.Request {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.server.URL+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", f.server.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return r
}

func (f *fixture) get(path string) page {
	f.t.Helper()
	return f.do(f.request(http.MethodGet, path, ""))
}

// word returns the proof in a form that a page made it.
func (f *fixture) word(path string) string {
	f.t.Helper()
	p := f.get(path)
	found := regexp.MustCompile(`name="form" value="([0-9a-f]+)"`).FindStringSubmatch(p.body)
	if found == nil {
		f.t.Fatalf("%s has no form: %d %s", path, p.status, p.plainText())
	}
	return found[1]
}

// post sends the form of a page.
func (f *fixture) post(from, to string, fields ...string) page {
	f.t.Helper()
	form := url.Values{"form": {f.word(from)}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return f.do(f.request(http.MethodPost, to, form.Encode()))
}

func (f *fixture) wants(p page, status int, texts ...string) {
	f.t.Helper()
	said := p.plainText()
	if p.status != status {
		f.t.Errorf("status %d, want %d: %s", p.status, status, said)
	}
	for _, text := range texts {
		if without, no := strings.CutPrefix(text, "!"); no == strings.Contains(said, without) {
			f.t.Errorf("%q in a page that says: %s", text, said)
		}
	}
}

func sick(status schedule.Status, reason string) schedule.Health {
	return schedule.Health{Status: status, Since: now.Add(-3 * time.Hour), Reason: reason}
}

// town fills a store with realistic jobs.
func (f *fixture) town() map[string]*schedule.Job {
	jobs := map[string]*schedule.Job{}
	add := func(spec schedule.Spec, change func(*schedule.Job)) {
		jobs[spec.Name] = f.create(spec, change)
	}
	add(schedule.Spec{Name: "nightly-backup", Tool: "files:missing", Arguments: []byte(`{"path":"/data/orders","compress":true,"keep":14}`), Schedule: "every day at 3am", Zone: "Europe/Vienna",
		Description: "Copies the orders of the day to the archive, and keeps two weeks of them.", Tags: []string{"archive", "critical"}, Timeout: schedule.Duration(10 * time.Minute), Retries: 2},
		func(j *schedule.Job) {
			j.Health = sick(schedule.Warned, "the run at 2026-11-22 03:00:00 CET will be refused: /path: does not exist")
			j.Verdict = &schedule.Verdict{At: now.Add(-4 * time.Minute), On: "ahead", Method: "native+checks", Errors: []string{"/path: does not exist"}, Suggestions: []string{"make the directory, or correct the path"},
				ToolDigest: strings.Repeat("5d3b", 16), PolicyDigest: strings.Repeat("91ce", 16)}
			j.Fired = 212
		})
	add(schedule.Spec{Name: "sales report", Schedule: "every weekday at 9am", Zone: "America/New_York", Description: "Sends the sales of the day before to the team.", Tags: []string{"reports"}}, nil)
	add(schedule.Spec{Name: "index-refresh", Schedule: "every 90m", Tags: []string{"search"}}, nil)
	add(schedule.Spec{Name: "heartbeat", Schedule: "*/5 * * * *"}, nil)
	add(schedule.Spec{Name: "invoice-sync", Schedule: "every day at 6:30pm", Zone: "Asia/Tokyo", Tags: []string{"billing", "critical"}}, func(j *schedule.Job) {
		j.Health = sick(schedule.Failing, "the run failed: the tool reports an error: HTTP 503 from the billing service")
	})
	add(schedule.Spec{Name: "certificate check", Schedule: "0 */6 * * *", Tags: []string{"security"}}, nil)
	add(schedule.Spec{Name: "weekly-digest", Schedule: "every monday at 8am", Zone: "Europe/London"}, func(j *schedule.Job) { j.State, j.Next = schedule.Paused, time.Time{} })
	add(schedule.Spec{Name: "warehouse count", Tool: "down:tool", Schedule: "every day at 11pm", Zone: "Europe/Vienna"}, func(j *schedule.Job) {
		j.Verdict = &schedule.Verdict{At: now.Add(-11 * time.Minute), On: "ahead", Errors: []string{"the server is not available"}}
	})
	add(schedule.Spec{Name: "migrate archive", Schedule: "2026-11-21T09:31:00Z"}, func(j *schedule.Job) { j.State, j.Next, j.Fired = schedule.Completed, time.Time{}, 1 })
	add(schedule.Spec{Name: "thumbnail sweep", Schedule: "every 2 hours", Tags: []string{"media"}}, nil)
	b := jobs["nightly-backup"]
	for i := range 64 {
		fire := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC).AddDate(0, 0, i-63)
		r := schedule.Run{Fire: fire, Started: fire.Add(40 * time.Millisecond), Ended: fire.Add(41*time.Second + time.Duration(i%7)*1300*time.Millisecond)}
		r.Result = json.RawMessage(`{"content":[{"type":"text","text":"archived 1,204 orders\n14 archives are kept"}],"structuredContent":{"orders":1204}}`)
		switch {
		case i == 60:
			r.State, r.Reason, r.Attempt = schedule.RunFailed, "the tool reports an error: no space left on device", 3
		case i == 61:
			r.State, r.Reason, r.Started = schedule.Missed, "missed, because no scheduler was running", time.Time{}
		case i == 63:
			r.State, r.Reason = schedule.Refused, "/path: does not exist"
			r.Ended, r.Result = r.Started.Add(12*time.Millisecond), nil
			r.Verdict = &schedule.Verdict{At: r.Started, On: "fire", Errors: []string{"/path: does not exist"}, Suggestions: []string{"make the directory, or correct the path"}}
		}
		f.run(b, r)
	}
	return jobs
}

// crowd makes n jobs without validation.
func (f *fixture) crowd(n int) {
	f.t.Helper()
	first := f.create(schedule.Spec{Name: "first of many"}, nil)
	for i := range n {
		j := *first
		j.ID, j.Name = jobspec.NewID(now.Add(time.Duration(i)*time.Millisecond)), fmt.Sprintf("job %05d", i)
		if err := f.store.CreateJob(f.t.Context(), &j); err != nil {
			f.t.Fatal(err)
		}
	}
}
