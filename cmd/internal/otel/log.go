// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"log/slog"

	"go.opentelemetry.io/otel"
)

// LogTo writes the errors of OpenTelemetry's SDK, such as an unreachable endpoint, to a log. Without LogTo, the SDK
// writes to standard error. LogTo affects the whole program: programs may call it, libraries should not.
func LogTo(log *slog.Logger) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry", "err", err) }))
}
