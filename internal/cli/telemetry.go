// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/record/telemetry"
	"github.com/toolvet/toolvet/record/telemetry/otel"
	"github.com/toolvet/toolvet/record/telemetry/prometheus"
)

// watchers are those who are told of calls beside the log.
type watchers struct {
	observer telemetry.Observer
	stops    []func()
}

func (w *watchers) stop() {
	for _, stop := range w.stops {
		stop()
	}
}

// watchers opens what the flags and the environment ask for: metrics for Prometheus, and
// OpenTelemetry where one of its variables names an endpoint.
func (f proxyFlags) watchers(ctx context.Context, log *slog.Logger) (*watchers, error) {
	if f.metrics == "" {
		return watchersOf(ctx, log)
	}
	metrics, err := prometheus.New()
	if err != nil {
		return nil, err
	}
	stop, err := serveMetrics(f.metrics, metrics.Handler(), log)
	if err != nil {
		return nil, err
	}
	w, err := watchersOf(ctx, log, metrics)
	if err != nil {
		stop()
		return nil, err
	}
	w.stops = append(w.stops, stop)
	return w, nil
}

// watchersOf are those in the list, and OpenTelemetry where the environment names an endpoint.
func watchersOf(ctx context.Context, log *slog.Logger, list ...telemetry.Observer) (*watchers, error) {
	w := &watchers{observer: telemetry.Discard{}}
	if exports() {
		otel.LogTo(log)
		exporter, err := otel.New(ctx, toolvet.Version)
		if err != nil {
			return nil, err
		}
		list, w.stops = append(list, exporter), append(w.stops, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			if err := exporter.Shutdown(ctx); err != nil {
				log.Warn("not all telemetry was sent", "err", err)
			}
		})
	}
	if len(list) > 0 {
		w.observer = telemetry.Join(list...)
	}
	return w, nil
}

// exports reports whether the environment names an endpoint for OpenTelemetry.
func exports() bool {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
		if os.Getenv(name) != "" && os.Getenv("OTEL_SDK_DISABLED") != "true" {
			return true
		}
	}
	return false
}

func serveMetrics(address string, handler http.Handler, log *slog.Logger) (stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics cannot be served: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	go func() {
		if err := server.Serve(listener); err != nil && err != http.ErrServerClosed {
			log.Error("metrics are not served any more", "err", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
