// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"log/slog"

	"go.opentelemetry.io/otel"
)

// LogTo gives what goes wrong in OpenTelemetry's SDK, such as an endpoint that nobody listens
// at, to a log. Without LogTo the SDK writes to standard error. It holds for the whole program,
// so it is for programs to call, not for libraries.
func LogTo(log *slog.Logger) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry", "err", err) }))
}
