// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolvet/toolvet/export/prometheus"
	"github.com/toolvet/toolvet/record/telemetry"
)

func Example() {
	registry := client.NewRegistry() // the program's own
	metrics, err := prometheus.New(prometheus.WithRegisterer(registry))
	if err != nil {
		log.Fatal(err)
	}
	ctx, span := metrics.Start(context.Background(), telemetry.Call{Server: "files", Tool: "read_text_file", Known: true})
	metrics.Checked(ctx, "path", 40*time.Microsecond)
	span.End(telemetry.Outcome{Verdict: "no-go", Codes: []string{"SEMANTIC"}, Added: 90 * time.Microsecond})

	scraped := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(scraped, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(scraped.Body.String()) {
		if strings.HasPrefix(line, "toolvet_calls_total{") {
			fmt.Print(line)
		}
	}
	// Output:
	// toolvet_calls_total{code="SEMANTIC",server="files",tool="read_text_file",verdict="no-go"} 1
}
