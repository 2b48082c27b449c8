// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/otel"
	"github.com/toolvet/toolvet/cmd/internal/prometheus"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/observe"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/telemetry"
)

// exporters receive metrics and traces of calls.
type exporters struct {
	observer telemetry.Observer
	metrics  *prometheus.Metrics // nil if none are served
	stops    []func()
}

// follow exports which policy is in force. The watcher may be nil.
func (e *exporters) follow(w *policy.Watcher) {
	if w == nil {
		return
	}
	observe.ExportPolicy(e.observer, func() observe.Policy {
		now := w.InForce()
		return observe.Policy{Digest: now.Digest, Since: now.Since, Refused: now.Problem != ""}
	})
}

func (e *exporters) stop() {
	for _, stop := range e.stops {
		stop()
	}
}

// openExportersAt serves metrics for Prometheus at an address, unless it is "", and opens the exporters of
// the environment.
func openExportersAt(ctx context.Context, address string, log *slog.Logger) (*exporters, error) {
	if address == "" {
		return openExporters(ctx, log)
	}
	metrics, err := prometheus.New()
	if err != nil {
		return nil, err
	}
	stop, err := serveMetrics(address, metrics.Handler(), log)
	if err != nil {
		return nil, err
	}
	e, err := openExporters(ctx, log, metrics)
	if err != nil {
		stop()
		return nil, err
	}
	e.metrics, e.stops = metrics, append(e.stops, stop)
	return e, nil
}

// openExporters joins the exporters of the list with OpenTelemetry, if the environment names an endpoint.
func openExporters(ctx context.Context, log *slog.Logger, list ...telemetry.Observer) (*exporters, error) {
	e := &exporters{}
	if hasEndpoint() {
		otel.LogTo(log)
		exporter, err := otel.New(ctx, toolvet.Version)
		if err != nil {
			return nil, err
		}
		list, e.stops = append(list, exporter), append(e.stops, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			if err := exporter.Shutdown(ctx); err != nil {
				log.Warn("some telemetry was not sent", "err", err)
			}
		})
	}
	e.observer = telemetry.Join(list...)
	return e, nil
}

// hasEndpoint reports whether the environment names an endpoint for OpenTelemetry.
func hasEndpoint() bool {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
		if os.Getenv(name) != "" && os.Getenv("OTEL_SDK_DISABLED") != "true" {
			return true
		}
	}
	return false
}

func serveMetrics(address string, handler http.Handler, log *slog.Logger) (stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if _, _, bad := net.SplitHostPort(address); bad != nil {
		return nil, enforce.WithHint(errors.New("the address for metrics must be HOST:PORT, such as 127.0.0.1:9464"), "%s", lonePort("metrics", address, 9464))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot serve metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	go func() {
		if err := server.Serve(listener); err != nil && err != http.ErrServerClosed {
			log.Error("metrics are no longer served", "err", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
