// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package otel exports the traces and metrics of package export/otel, by OTLP over HTTP.
//
//	observer, err := otel.New(ctx, toolvet.Version)
//	defer observer.Shutdown(ctx) // with a deadline
//
// The environment configures it, as OpenTelemetry specifies: OTEL_EXPORTER_OTLP_ENDPOINT (default
// http://localhost:4318) and its variants, OTEL_SERVICE_NAME (default toolvet), OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_SAMPLER, OTEL_BSP_*, OTEL_METRIC_EXPORT_INTERVAL. OTEL_SDK_DISABLED=true, OTEL_TRACES_EXPORTER=none and
// OTEL_METRICS_EXPORTER=none turn exports off.
package otel

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolvet/toolvet/export/otel"
	"github.com/toolvet/toolvet/record/telemetry"
)

// An Observer is a telemetry.Observer that exports in the background. It drops data that it cannot send in time; no
// call waits for it. It is safe for concurrent use.
type Observer struct {
	*otel.Observer
	shutdown []func(context.Context) error
}

var _ telemetry.PolicyObserver = (*Observer)(nil)

// New makes an Observer for this version of toolvet, configured by the environment. A faulty environment is an error;
// an unreachable endpoint is not. The caller must call [Observer.Shutdown].
func New(ctx context.Context, version string) (*Observer, error) {
	on, err := enabled()
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "toolvet"), attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("otel: reading OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	o := &Observer{}
	traces, traceErr := o.traces(ctx, on.traces, about)
	meters, meterErr := o.metrics(ctx, on.metrics, about)
	if err := errors.Join(traceErr, meterErr); err != nil {
		return nil, fmt.Errorf("otel: %w", errors.Join(err, o.Shutdown(ctx)))
	}
	if o.Observer, err = otel.New(otel.WithTracerProvider(traces), otel.WithMeterProvider(meters), otel.WithVersion(version)); err != nil {
		return nil, errors.Join(err, o.Shutdown(ctx))
	}
	return o, nil
}

func (o *Observer) traces(ctx context.Context, on bool, about *resource.Resource) (trace.TracerProvider, error) {
	if !on {
		return tracenoop.NewTracerProvider(), nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithBatcher(exporter))
	o.shutdown = append(o.shutdown, p.Shutdown)
	return p, nil
}

func (o *Observer) metrics(ctx context.Context, on bool, about *resource.Resource) (metric.MeterProvider, error) {
	if !on {
		return metricnoop.NewMeterProvider(), nil
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, err
	}
	p := sdkmetric.NewMeterProvider(sdkmetric.WithResource(about), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
	o.shutdown = append(o.shutdown, p.Shutdown)
	return p, nil
}

// Shutdown sends the remaining data, and ends. It returns at the latest when ctx is done.
func (o *Observer) Shutdown(ctx context.Context) error {
	var errs []error
	for _, f := range o.shutdown {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}

// signals are the enabled exports.
type signals struct{ traces, metrics bool }

// enabled reads the variables that the SDK leaves to its users.
func enabled() (signals, error) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return signals{}, nil
	}
	traces, traceErr := exporter("TRACES")
	metrics, metricErr := exporter("METRICS")
	return signals{traces, metrics}, errors.Join(traceErr, metricErr)
}

// exporter reports whether an export is enabled.
func exporter(signal string) (bool, error) {
	name := "OTEL_" + signal + "_EXPORTER"
	switch os.Getenv(name) {
	case "none":
		return false, nil
	case "", "otlp":
	default:
		return false, fmt.Errorf("otel: %s must be otlp or none", name)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch os.Getenv(name) {
		case "":
			continue
		case "http/protobuf":
			return true, nil
		}
		return false, fmt.Errorf("otel: %s must be http/protobuf: toolvet speaks no other protocol", name)
	}
	return true, nil
}
