// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/test/need"
)

// browse opens a page as a browser does, and runs its script.
func browse(_ string, a map[string]any) (string, error) { return browseWith(http.DefaultClient, a) }

func browseWith(client *http.Client, a map[string]any) (string, error) {
	if path, ok := strings.CutPrefix(text(a, "url"), "file://"); ok {
		return readFile(path)
	}
	r, err := http.NewRequest(http.MethodGet, text(a, "url"), nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Upgrade-Insecure-Requests", "1")
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if strings.Contains(string(page), "<script>") {
		at := *answer.Request.URL
		name := []byte(strings.TrimPrefix(at.Path, "/"))
		slices.Reverse(name)
		at.Path = "/" + string(name)
		if picture, err := client.Get(at.String()); err == nil {
			picture.Body.Close()
		}
	}
	return string(page), err
}

// browseGuarded opens pages of one public host only.
func browseGuarded(_ string, a map[string]any) (string, error) {
	if u, err := url.Parse(text(a, "url")); err != nil || u.Host != publicHost || u.Scheme == "file" {
		return "", errors.New("not allowed")
	}
	return browseWith(noRedirects, a)
}

// TestChromium holds that a tool which opens the caller's page in a browser is graded as one, and that a request with the
// headers of a browser alone is none.
func TestChromium(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	need.Chromium.Program(t, "chromium")
	for how, want := range map[string][]string{
		"pages":   {"browser-by-design", "browser-private"},
		"fetch":   {"ssrf-dns", "ssrf-loopback", "ssrf-metadata", "ssrf-private", "ssrf-redirect", "ssrf-spelling"},
		"pretend": {"ssrf-dns", "ssrf-loopback", "ssrf-metadata", "ssrf-private", "ssrf-redirect", "ssrf-spelling"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := run(t, Config{Command: behind(t, "browser", how), CallTimeout: time.Minute, Budget: 10 * time.Minute})
			var kinds []string
			for _, f := range r.Facts {
				if f.Class == audit.URL && f.Verdict == audit.Vulnerable && !slices.Contains(kinds, f.Kind) {
					kinds = append(kinds, f.Kind)
				}
			}
			slices.Sort(kinds)
			if diff := cmp.Diff(want, kinds); diff != "" {
				t.Errorf("%s\n%v\n%v", diff, inAll(r.Facts), r.Notes)
			}
			explained(t, r.Facts)
		})
	}
}

// TestDefaults holds that the absence of an argument with a default breaks no schema, whatever the schema requires.
func TestDefaults(t *testing.T) {
	t.Parallel()
	w := &world{at: "/data"}
	u := understand(&call.Tool{Name: "shot", InputSchema: []byte(`{"type":"object","required":["scale","name"],"properties":{"scale":{"type":"string","default":"css"},"name":{"type":"string"}}}`)})
	var got []string
	for _, v := range u.violations(w) {
		got = append(got, v.kind+" "+v.param)
	}
	if diff := cmp.Diff([]string{"missing-required name", "wrong-type scale", "wrong-type name"}, got); diff != "" {
		t.Error(diff)
	}
}
