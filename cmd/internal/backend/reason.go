// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/upstream"
)

// status matches how package streamable reports a status of HTTP.
var status = lazyregexp.New(`answers with HTTP ([1-5][0-9][0-9]) `)

// Reason says in a few words why a server is down. Anybody may read them: they hold no text of the server or of the policy, other than
// names of environment variables.
func Reason(err error) string {
	var unset *policy.UnsetError
	var refused *upstream.RefusedError
	var gone *upstream.GoneError
	switch {
	case err == nil:
		return "not known"
	case errors.As(err, &unset):
		if len(unset.Names) == 1 {
			return "variable " + unset.Names[0] + " is missing"
		}
		return "variables " + strings.Join(unset.Names, ", ") + " are missing"
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "did not start: a file or directory cannot be used"
	case errors.As(err, &gone):
		return "ended before it answered"
	case errors.As(err, &refused):
		return refusal(refused.Message)
	case errors.As(err, new(net.Error)):
		return "not reachable"
	}
	return "did not start"
}

// refusal classes an error that a server, or the client of its URL, gives for an answer.
func refusal(message string) string {
	found := status.FindStringSubmatch(message)
	switch {
	case strings.HasPrefix(message, "the server cannot be reached"):
		return "not reachable"
	case found == nil:
		return "refused the connection's first requests"
	case found[1] == "401":
		return "unauthorized (401)"
	case found[1] == "403":
		return "forbidden (403)"
	}
	return "HTTP " + found[1]
}
