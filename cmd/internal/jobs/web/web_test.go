// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/web"
	"github.com/toolvet/toolvet/schedule"
)

func TestJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.wants(f.get("/schedule/"), 200, "There are no jobs yet", "toolvet schedule create")
	f.town()
	f.wants(f.get("/schedule/"), 200, "10 all jobs", "1 will be refused", "1 last run failed", "1 paused", "1 completed",
		"nightly-backup files:missing Copies the orders of the day to the archive, and keeps two weeks of them.",
		"Sun 22 Nov, 03:00 CET in 16 h 30 min at 03:00, every day will be refused /path: does not exist Validate Pause Run now",
		"Mon 23 Nov, 09:00 EST", "weekly-digest files:read none at 08:00, every Monday paused Validate Resume Run now",
		"warehouse count", "cannot be judged the server is not available", "last run failed the run failed: the tool reports an error: HTTP 503")
	for query, want := range map[string][]string{
		"q=BACKUP":               {"nightly-backup", "!heartbeat", "Clear"},
		"tag=critical":           {"nightly-backup", "invoice-sync", "!heartbeat"},
		"state=paused":           {"weekly-digest", "!heartbeat"},
		"health=warned":          {"nightly-backup", "!invoice-sync"},
		"health=failing":         {"invoice-sync", "!nightly-backup"},
		"server=down":            {"warehouse count", "!heartbeat"},
		"q=%25":                  {"No job matches"},
		"state=nonsense":         {"heartbeat"},
		"after=zzz":              {"No job matches", "First page"},
		"q=sales&health=failing": {"No job matches"},
	} {
		f.wants(f.get("/schedule/?"+query), 200, want...)
	}
}

// TestAway: a job whose server stays away has a tile, a filter and an outlook.
func TestAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.create(schedule.Spec{Name: "well"}, nil)
	j := f.create(schedule.Spec{Name: "lonely", Tool: "down:tool"}, func(j *schedule.Job) {
		j.Health = sick(schedule.Unavailable, "its call cannot be judged since noon")
		j.Verdict = &schedule.Verdict{At: now, On: "ahead", Errors: []string{"the server is not available"}}
	})
	f.wants(f.get("/schedule/"), 200, "1 server unavailable", "lonely", "well")
	f.wants(f.get("/schedule/?health=unavailable"), 200, "lonely", "!well")
	f.wants(f.get("/schedule/jobs/"+j.ID), 200, "server unavailable Its server has been unavailable", "its call cannot be judged since noon")
}

// TestIdle: the pages say that no scheduler is running.
func TestIdle(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const idle = "No scheduler is running"
	j := f.create(schedule.Spec{Name: "job"}, nil)
	for _, path := range []string{"/schedule/", "/schedule/calendar", "/schedule/jobs/" + j.ID} {
		f.wants(f.get(path), 200, idle)
	}
	if err := f.store.Heartbeat(t.Context(), &schedule.Worker{ID: "worker"}, time.Hour, true); err != nil {
		t.Fatal(err)
	}
	f.wants(f.get("/schedule/"), 200, "!"+idle)
	if err := f.store.Leave(t.Context(), "worker"); err != nil {
		t.Fatal(err)
	}
	f.wants(f.get("/schedule/"), 200, idle)
}

// TestWorkers: a page shows the schedulers, and none of them to visitors with jobs of their own.
func TestWorkers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.wants(f.get("/schedule/workers"), 200, "No scheduler is running")
	for _, w := range []*schedule.Worker{
		{ID: "here/1/a", Started: now, Servers: []string{"files", "<mail>"}, Policy: "6ec1", Since: now},
		{ID: "there/2/b", Started: now, Skew: schedule.Duration(-30 * time.Minute)},
		{ID: "there/3/c", Started: now, Servers: []string{}, Skew: schedule.Duration(time.Second)},
	} {
		if err := f.store.Heartbeat(t.Context(), w, time.Hour, true); err != nil {
			t.Fatal(err)
		}
	}
	p := f.get("/schedule/workers")
	f.wants(p, 200, "here/1/a", "files", "<mail>", "6ec1", "clock is 30m0s behind", "any", "none", "!clock is 1s")
	apart := newFixture(t, func(c *web.Config) { c.Apart = func() bool { return true } })
	apart.wants(apart.get("/schedule/workers"), 404)
	apart.wants(apart.get("/schedule/"), 200, "!Schedulers")
}

// TestActsOnRuns cancels a run that waits, and repeats it.
func TestActsOnRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.create(schedule.Spec{Name: "job"}, nil)
	r, err := f.jobs.Trigger(t.Context(), "job")
	if err != nil {
		t.Fatal(err)
	}
	page := f.get("/schedule/runs/" + r.ID)
	f.wants(page, 200, "queued", "Cancel", "!Run again")
	f.wants(f.post("/schedule/runs/"+r.ID, "/schedule/runs/"+r.ID+"/cancel"), 303)
	page = f.get("/schedule/runs/" + r.ID + "?done=cancel")
	f.wants(page, 200, "The run is being cancelled.", "cancelled", "it was cancelled before it began", "Run again")
	f.wants(f.post("/schedule/runs/"+r.ID, "/schedule/runs/"+r.ID+"/cancel"), 409, "the run has ended already")
	f.wants(f.post("/schedule/runs/"+r.ID, "/schedule/runs/"+r.ID+"/delete"), 404)
	f.wants(f.post("/schedule/runs/"+r.ID, "/schedule/jobs/job/cancel"), 404)
	f.wants(f.post("/schedule/runs/"+r.ID, "/schedule/runs/"+r.ID+"/replay"), 303)
	list, err := f.jobs.Runs(t.Context(), schedule.RunFilter{Job: "job"})
	list = slices.DeleteFunc(list, func(other *schedule.Run) bool { return other.ID == r.ID })
	if err != nil || len(list) != 1 || list[0].Replays != r.ID {
		t.Fatalf("the other runs are %v, %v", list, err)
	}
	f.wants(f.get("/schedule/runs/"+list[0].ID), 200, "Repeats "+r.ID)
}

func TestPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.crowd(119)
	seen := map[string]bool{}
	pages := 0
	for next := "/schedule/?q=job"; next != ""; pages++ {
		p := f.get(next)
		f.wants(p, 200)
		for _, name := range regexp.MustCompile(`job \d{5}`).FindAllString(p.plainText(), -1) {
			seen[name] = true
		}
		next = ""
		if more := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(p.body); more != nil {
			next = strings.ReplaceAll(more[1], "&amp;", "&")
		}
	}
	if len(seen) != 119 || pages != 3 {
		t.Errorf("%d pages show %d of 119 jobs", pages, len(seen))
	}
}

func TestJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	backup := f.town()["nightly-backup"]
	p := f.get("/schedule/jobs/" + backup.ID)
	f.wants(p, 200, "nightly-backup files:missing · at 03:00, every day", "will be refused As of now, its next run will be refused. Sun 22 Nov, 03:00 CET in 16 h 30 min",
		"make the directory, or correct the path", "Health: warned since Sat 21 Nov, 07:30 CET", "And then Mon 23 Nov, 03:00 CET",
		"no-go judged ahead of the run, Sat 21 Nov, 10:26 CET 4 min ago", "SHA-256 of the policy 91ce91ce", `"path": "/data/orders"`, "Time-out 10m0s", "Retries 2", "Runs so far 212",
		"Sat 21 Nov, 03:00 CET 7 h 30 min ago refused 12 ms /path: does not exist", "missed – missed, because no scheduler was running", "failed 46 s 3 attempts the tool reports an error: no space left on device")
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(p.body)
	if older == nil {
		t.Fatal("there is no link to older runs")
	}
	f.wants(f.get(strings.ReplaceAll(older[1], "&amp;", "&")), 200, "Sun 1 Nov, 03:00 CET", "!Sat 21 Nov, 03:00 CET 7 h", "Newest")
	f.wants(f.get("/schedule/jobs/"+backup.ID+"?state=missed"), 200, "Thu 19 Nov, 03:00 CET", "!Sat 21 Nov, 03:00 CET 7 h")
	f.wants(f.get("/schedule/jobs/"+backup.ID+"?state=lost"), 200, "No run is like that")
	f.wants(f.get("/schedule/jobs/nightly-backup"), 200, "Copies the orders")
}

// TestMoved: the page tells why a run has moved, as long as it is the next.
func TestMoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	moved := func(j *schedule.Job) {
		j.Moved = &schedule.Move{At: now, From: j.Next.Add(-time.Hour), To: j.Next, Why: "the offsets of its time zone changed"}
	}
	j := f.create(schedule.Spec{Name: "moved"}, moved)
	f.wants(f.get("/schedule/jobs/"+j.ID), 200, "It was to be at Sun 22 Nov, 02:00 UTC – the offsets of its time zone changed.")
	j = f.create(schedule.Spec{Name: "fired since"}, func(j *schedule.Job) { moved(j); j.Next = j.Next.AddDate(0, 0, 1) })
	f.wants(f.get("/schedule/jobs/"+j.ID), 200, "!It was to be")
}

func TestRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	j := f.create(schedule.Spec{Name: "job", Zone: "Asia/Tokyo"}, nil)
	began := now.Add(-time.Hour)
	done := f.run(j, schedule.Run{Fire: began, Started: began.Add(time.Second), Ended: began.Add(2500 * time.Millisecond), Worker: "host/1/x",
		RunInfo: schedule.RunInfo{Result: []byte(`{"content":[{"type":"text","text":"all\nis <b>well</b>"},{"type":"image","mimeType":"image/png","data":"AAAA"}]}`),
			Verdict: &schedule.Verdict{At: began, On: "fire", Valid: true, Method: "checks", Warnings: []string{"/x: is large"}}}})
	p := f.get("/schedule/runs/" + done.ID)
	f.wants(p, 200, "Run succeeded", "all is <b>well</b>", "image image/png", "As JSON", "Scheduled for Sat 21 Nov, 17:30 JST 1 h ago Started Sat 21 Nov, 17:30:01 JST", "Took 1.5 s",
		"Asked for by its schedule Attempts 1 Worker host/1/x", "go judged when it ran", "/x: is large")
	if strings.Contains(p.body, `http-equiv="refresh"`) {
		t.Error("the page of a run that has ended is loaded again and again")
	}
	open := f.run(j, schedule.Run{Fire: now, Started: now.Add(-time.Minute), State: schedule.Running, Kind: "trigger"})
	p = f.get("/schedule/runs/" + open.ID)
	f.wants(p, 200, "Run running", "It has not ended", "Took 1 min so far", "Asked for on request")
	if !strings.Contains(p.body, `http-equiv="refresh" content="2"`) {
		t.Error("the page of a run under way is not loaded again")
	}
	large := f.run(j, schedule.Run{Fire: now.Add(time.Second), RunInfo: schedule.RunInfo{Truncated: 1 << 20}})
	f.wants(f.get("/schedule/runs/"+large.ID), 200, "The result had 1048576 bytes, more than are stored")
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.wants(f.get("/schedule/calendar"), 200, "0 runs.")
	f.town()
	f.wants(f.get("/schedule/calendar"), 200, "Times are those of UTC", "1 job will be refused nightly-backup at 02:00 , in 16 h 30 min /path: does not exist",
		"All the time 09:35 heartbeat", "Saturday 21 November 09:00", "22:00 22:00 warehouse count 23:00 CET cannot be judged",
		"Sunday 22 November 00:00", "02:00 nightly-backup 03:00 CET will be refused", "08:00 index-refresh 09:00 none", "!weekly-digest", "!migrate archive", "!sales report")
	f.wants(f.get("/schedule/calendar?zone=Asia/Kathmandu"), 200, "Times are those of Asia/Kathmandu", "Saturday 21 November 15:00", "07:45 nightly-backup 03:00 CET")
	for _, zone := range []string{"Mars/Olympus", "Local", "../../etc/passwd", strings.Repeat("x", 5000)} {
		f.wants(f.get("/schedule/calendar?zone="+url.QueryEscape(zone)), 200, "there is no time zone", "Times are those of UTC")
	}
}

// TestLostZone: the page shows a job even if this machine does not know its zone.
func TestLostZone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	j := f.create(schedule.Spec{Name: "job"}, func(j *schedule.Job) { j.Zone = "Nowhere/Land" })
	f.run(j, schedule.Run{Fire: now})
	f.wants(f.get("/schedule/"), 200, "Sun 22 Nov, 03:00 UTC")
	f.wants(f.get("/schedule/jobs/"+j.ID), 200, "Sat 21 Nov, 09:30 UTC")
	f.wants(f.get("/schedule/calendar"), 200, "0 runs")
}

// TestUnspeakable: no question to the store has a text that PostgreSQL refuses.
func TestUnspeakable(t *testing.T) {
	t.Parallel()
	var asked []any
	f := newFixture(t, func(cfg *web.Config) {
		cfg.Permit = func(_ context.Context, _ call.Session, _ string, arguments any) error {
			asked = append(asked, arguments)
			return nil
		}
	})
	f.create(schedule.Spec{Name: "job"}, nil)
	p := f.get("/schedule/?q=jo%00b%ff&after=%00")
	f.wants(p, 200, "job files:read")
	if !strings.Contains(p.body, `name="q" type="search" value="job"`) {
		t.Error("what cannot be asked about is asked about")
	}
	f.get("/schedule/jobs/x%00%ffy")
	f.get("/schedule/runs/x%00%ffy")
	if diff := cmp.Diff([]any{map[string]string{}, map[string]string{"job": "xy"}, map[string]string{"run": "xy"}}, asked); diff != "" {
		t.Error(diff)
	}
}

// TestManyFindings: the length of a page is bounded.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var errs []string
	for i := range 5000 {
		errs = append(errs, fmt.Sprintf("finding %d", i))
	}
	j := f.create(schedule.Spec{Name: "job"}, func(j *schedule.Job) {
		j.Health, j.Verdict = sick(schedule.Warned, "no"), &schedule.Verdict{At: now, On: "ahead", Errors: errs}
	})
	f.wants(f.get("/schedule/jobs/"+j.ID), 200, "finding 49 and 4950 more", "!finding 50 ")
	f.wants(f.get("/schedule/"), 200, "finding 0 and 4999 more", "!finding 1 ")
}

// TestCalendarShift: a day on which the clock changes has all of its hours, and shows all runs.
func TestCalendarShift(t *testing.T) {
	t.Parallel()
	for day, want := range map[string][]string{
		"2026-03-28": {"01:00 01:00 tick 01:30 tock 03:00 03:00 tick 03:30 tock", "!02:00"},
		"2026-10-24": {"02:00 02:00 tick 02:30 tock 02:00 02:00 tick 02:30 tock 03:00"},
	} {
		at, err := time.Parse("2006-01-02T15:04", day+"T20:00")
		if err != nil {
			t.Fatal(err)
		}
		f := newFixtureAt(t, at, nil)
		f.create(schedule.Spec{Name: "tick", Schedule: "0 * * * *", Zone: "Europe/Vienna"}, nil)
		f.create(schedule.Spec{Name: "tock", Schedule: "30 * * * *", Zone: "Europe/Vienna"}, nil)
		f.wants(f.get("/schedule/calendar?zone=Europe/Vienna"), 200, append(want, "47 runs")...)
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	jobs := f.town()
	job := func(name string) *schedule.Job {
		j, err := f.store.Job(t.Context(), jobs[name].ID)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	path := func(name string) string { return "/schedule/jobs/" + jobs[name].ID }

	p := f.post(path("heartbeat"), path("heartbeat")+"/pause")
	if got, want := p.header.Get("Location"), path("heartbeat")+"?done=pause"; p.status != http.StatusSeeOther || got != want || job("heartbeat").State != schedule.Paused {
		t.Errorf("pause: %d to %q, the job is %s", p.status, got, job("heartbeat").State)
	}
	f.wants(f.get(p.header.Get("Location")), 200, "The job is paused.")
	p = f.post("/schedule/?q=heart&tag=", "/schedule/jobs/"+jobs["heartbeat"].ID+"/resume", "from", "jobs", "query", "q=heart&evil=https://evil.example")
	if got := p.header.Get("Location"); got != "/schedule/?done=resume&q=heart" || job("heartbeat").State != schedule.Active {
		t.Errorf("resume leads to %q, the job is %s", got, job("heartbeat").State)
	}
	before := job("nightly-backup").Verdict.At
	p = f.post(path("nightly-backup"), path("nightly-backup")+"/validate")
	if v := job("nightly-backup").Verdict; p.status != http.StatusSeeOther || v.At.Equal(before) || v.Valid {
		t.Errorf("validate: %d, the verdict is %+v", p.status, v)
	}
	p = f.post(path("sales report"), path("sales report")+"/trigger", "from", "jobs")
	runs, err := f.jobs.Runs(t.Context(), schedule.RunFilter{Job: jobs["sales report"].ID})
	if err != nil || len(runs) != 1 {
		t.Fatalf("trigger: %d, runs %v, %v", p.status, runs, err)
	}
	if got, want := p.header.Get("Location"), "/schedule/runs/"+runs[0].ID+"?done=trigger"; got != want {
		t.Errorf("trigger leads to %q, want %q", got, want)
	}
	f.wants(f.post(path("migrate archive"), path("migrate archive")+"/pause"), http.StatusConflict, "the job is completed")
	f.wants(f.post(path("heartbeat"), path("heartbeat")+"/delete"), http.StatusNotFound)
	f.wants(f.post("/schedule/", "/schedule/jobs/nobody/pause"), http.StatusNotFound, "There is no such job")
}

// TestForgery: a form has an effect only if a page of this site sent it.
func TestForgery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	j := f.create(schedule.Spec{Name: "job"}, nil)
	word := f.word("/schedule/")
	other := newFixture(t, nil)
	other.create(schedule.Spec{Name: "job"}, nil)
	path := "/schedule/jobs/" + j.ID + "/pause"
	for name, change := range map[string]func(*http.Request){
		"another site":            func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another port":            func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an old browser":          func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.example") },
		"no origin":               func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "null") },
		"no word":                 func(r *http.Request) { setForm(r, "") },
		"a wrong word":            func(r *http.Request) { setForm(r, "form="+strings.Repeat("0", 64)) },
		"the word in the query":   func(r *http.Request) { setForm(r, ""); r.URL.RawQuery = "form=" + word },
		"another process's word":  func(r *http.Request) { setForm(r, "form="+other.word("/schedule/")) },
		"another kind of body":    func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"a body that is too long": func(r *http.Request) { setForm(r, "form="+word+"&x="+strings.Repeat("x", 300<<10)) },
	} {
		r := f.request(http.MethodPost, path, "")
		setForm(r, "form="+word)
		change(r)
		if p := f.do(r); p.status != http.StatusForbidden && p.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, p.status, p.plainText())
		}
	}
	if now, err := f.store.Job(t.Context(), j.ID); err != nil || now.State != schedule.Active {
		t.Fatalf("a forged form did something: %v %v", now, err)
	}
	if p := f.post("/schedule/", path); p.status != http.StatusSeeOther {
		t.Errorf("the genuine form: %d", p.status)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for _, host := range []string{"evil.example", "127.0.0.1.evil.example", "127.0.0.2"} {
		r := f.request(http.MethodGet, "/schedule/", "")
		r.Host = host
		if p := f.do(r); p.status != http.StatusForbidden {
			t.Errorf("a request for %s is answered: %d", host, p.status)
		}
	}
}

func TestWrongRequests(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	j := f.create(schedule.Spec{Name: "job"}, nil)
	for _, tt := range []struct {
		method, path string
		want         int
		allow        string
	}{
		{"GET", "/schedule/nothing", 404, ""},
		{"GET", "/schedule/jobs/", 404, ""},
		{"GET", "/schedule/jobs/nobody", 404, ""},
		{"GET", "/schedule/jobs/a%2Fb", 404, ""},
		{"GET", "/schedule/jobs/%00", 404, ""},
		{"GET", "/schedule/jobs/" + j.ID + "%0d%0aSet-Cookie:x=y", 404, ""},
		{"GET", "/schedule/runs/nobody", 404, ""},
		{"GET", "/schedule/jobs/" + j.ID + "/pause", 405, "POST"},
		{"GET", "/schedule/logout", 405, "POST"},
		{"POST", "/schedule/", 405, "GET"},
		{"DELETE", "/schedule/jobs/" + j.ID, 405, "GET"},
		{"PUT", "/schedule/login", 405, "GET, POST"},
		{"OPTIONS", "/schedule/", 405, "GET"},
		{"HEAD", "/schedule/", 200, ""},
		{"GET", "/schedule", 307, ""},
		{"GET", "/schedule//evil.example", 307, ""},
		{"GET", "/schedule/../schedule/", 307, ""},
	} {
		r := f.request(tt.method, tt.path, "")
		if tt.method == "OPTIONS" {
			r.Header.Del("Origin")
		}
		p := f.do(r)
		if p.status != tt.want && (tt.want != 307 || p.status != 301) || p.header.Get("Allow") != tt.allow {
			t.Errorf("%s %s: %d %q, want %d %q", tt.method, tt.path, p.status, p.header.Get("Allow"), tt.want, tt.allow)
		}
		if to := p.header.Get("Location"); to != "" && !strings.HasPrefix(to, "/schedule/") {
			t.Errorf("%s %s leads to %s", tt.method, tt.path, to)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for path, cached := range map[string]string{"": "no-store", "calendar": "no-store", "login": "no-store", "nothing": "no-store", "style.css": "no-store", "icon.svg": "no-store"} {
		h := f.get("/schedule/" + path).header
		want := map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": cached,
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		}
		got := map[string]string{}
		for name := range want {
			got[name] = h.Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	style := regexp.MustCompile(`href="(/schedule/style.css[^"]+)"`).FindStringSubmatch(f.get("/schedule/").body)
	if style == nil {
		t.Fatal("the page has no style")
	}
	if p := f.get(style[1]); p.status != 200 || !strings.Contains(p.header.Get("Cache-Control"), "immutable") || p.header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("the style: %d %v", p.status, p.header)
	}
}

// TestBrokenStore: the page reports a failure, without its reason.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.create(schedule.Spec{Name: "job"}, nil)
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "calendar", "jobs/x", "runs/x"} {
		p := f.get("/schedule/" + path)
		f.wants(p, 500, "This page could not be made", "!sql")
	}
}

// setForm sets the form of a request.
func setForm(r *http.Request, body string) {
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}
