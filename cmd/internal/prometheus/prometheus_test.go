// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/telemetry"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	_, span := m.Start(t.Context(), telemetry.Call{Server: "files"})
	span.End(telemetry.Outcome{Verdict: "go"})
	scraped := httptest.NewRecorder()
	m.Handler().ServeHTTP(scraped, httptest.NewRequest("GET", "/metrics", nil))
	for _, name := range []string{"\ngo_goroutines ", "\nprocess_open_fds ", "\ntoolvet_calls_total{"} {
		if !strings.Contains(scraped.Body.String(), name) {
			t.Errorf("%q is not served", name)
		}
	}
}
