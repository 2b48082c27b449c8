// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/schedule"
)

// chromium starts the browser, and ends it with the test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		need.Chromium.Missing(t, "no browser is on PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	return ctx
}

func run[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// look shows pages in a colour scheme.
func look(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// tooFaint lists texts of a page with less contrast than 4.5 to 1 (WCAG 2.2, 1.4.3).
const tooFaint = `(() => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const part = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
	const light = ([r, g, b]) => .2126 * part(r) + .7152 * part(g) + .0722 * part(b);
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] === 1) return c;
		}
		return [255, 255, 255];
	};
	const list = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || !e.checkVisibility() || e.matches('.skip, option, .button.primary:hover')) continue;
		const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) list.push(walk.currentNode.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
	}
	return list.join('; ');
})()`

// TestLooks shows every page in a real browser, wide and narrow, light and dark. Each page has its style, fits the
// width of the screen, and has readable text. With -artifacts, the test keeps the screenshots.
func TestLooks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	jobs := f.town()
	ctx := chromium(t)
	kept := flag.Lookup("test.artifacts").Value.String() == "true"
	locked := newFixture(t, withTokens(t, map[string]string{"ann": annToken}))
	backup := jobs["nightly-backup"].ID
	runs, err := f.jobs.Runs(t.Context(), schedule.RunFilter{Job: backup, State: schedule.Succeeded, Limit: 1})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	if kept { // docs/pictures
		for name, address := range map[string]string{"pages": "", "job": "jobs/" + backup, "run": "runs/" + runs[0].ID, "calendar": "calendar?zone=Europe%2FVienna", "form": "new"} {
			err := chromedp.Do(ctx, look("light"), chromedp.EmulateViewport(1080, 760), chromedp.Navigate(f.server.URL+"/schedule/"+address))
			if err != nil {
				t.Fatal(err)
			}
			keep(t, "scheduler-"+name, run(t, ctx, chromedp.CaptureScreenshot()))
		}
	}
	hostile := f.hostile()
	addresses := map[string]string{
		"login": locked.server.URL + "/schedule/",
		"jobs":  "", "filtered": "?health=warned", "none": "?q=nothing+is+like+that", "calendar": "calendar?zone=Europe%2FVienna", "job": "jobs/" + backup,
		"older": "jobs/" + backup + "?before=" + runs[0].ID, "run": "runs/" + runs[0].ID, "hostile-job": "jobs/" + hostile.Job, "hostile-run": "runs/" + hostile.ID, "missing": "jobs/none",
		"new": "new", "edit": "jobs/" + backup + "/edit", "hostile-edit": "jobs/" + hostile.Job + "/edit", "workers": "workers",
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			if err := chromedp.Do(ctx, look(scheme), chromedp.EmulateViewport(width, 844)); err != nil {
				t.Fatal(err)
			}
			for name, address := range addresses {
				what := fmt.Sprintf("%s-%s-%d", name, scheme, width)
				if name != "login" {
					address = f.server.URL + "/schedule/" + address
				}
				if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
					t.Fatal(what, err)
				}
				if title := run(t, ctx, chromedp.Title()); title == "owned" {
					t.Errorf("%s: what a job says has run", what)
				}
				if wide := run(t, ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth")); wide > width {
					t.Errorf("%s is %d pixels wide", what, wide)
				}
				if faint := run(t, ctx, chromedp.Evaluate[string](tooFaint)); faint != "" {
					t.Errorf("%s is hard to read: %s", what, faint)
				}
				if styled := run(t, ctx, chromedp.Evaluate[bool]("getComputedStyle(document.querySelector('.bar')).borderBottomWidth === '1px'")); !styled {
					t.Errorf("%s has no style", what)
				}
				if !kept {
					continue // screenshots take most of the time
				}
				keep(t, what, run(t, ctx, chromedp.FullScreenshot(100)))
			}
		}
	}
}

// keep stores a picture among the artifacts of the test.
func keep(t *testing.T, name string, picture []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestClicks uses the pages with a mouse and a keyboard.
func TestClicks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	jobs := f.town()
	ctx := chromium(t)
	state := func(name string) schedule.State {
		j, err := f.store.Job(t.Context(), jobs[name].ID)
		if err != nil {
			t.Fatal(err)
		}
		return j.State
	}
	err := chromedp.Do(ctx, chromedp.Navigate(f.server.URL+"/schedule/"), chromedp.SendKeys("#q", "sales\r"), chromedp.WaitVisible(".filter a.button"),
		chromedp.Click(`button[aria-label="Pause: sales report"]`), chromedp.WaitVisible(".done:not(.idle)"))
	if err != nil {
		t.Fatal(err)
	}
	if got := state("sales report"); got != schedule.Paused {
		t.Errorf("the job is %s after a click on Pause", got)
	}
	if got := run(t, ctx, chromedp.Location()); got != f.server.URL+"/schedule/?done=pause&q=sales" {
		t.Errorf("a click on Pause leads to %s", got)
	}
	err = chromedp.Do(ctx, chromedp.Click("a.name"), chromedp.WaitVisible("#verdict"), chromedp.Click(`button[aria-label="Resume: sales report"]`), chromedp.WaitVisible(".done:not(.idle)"))
	if err != nil {
		t.Fatal(err)
	}
	if got := state("sales report"); got != schedule.Active {
		t.Errorf("the job is %s after a click on Resume", got)
	}
	err = chromedp.Do(ctx, chromedp.Click(`button[aria-label="Run now: sales report"]`), chromedp.WaitVisible(".badge.big.busy"))
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := f.jobs.Runs(t.Context(), schedule.RunFilter{Job: jobs["sales report"].ID}); err != nil || len(runs) != 1 || runs[0].Kind != "trigger" {
		t.Errorf("after a click on Run now, there are the runs %v, %v", runs, err)
	}
}
