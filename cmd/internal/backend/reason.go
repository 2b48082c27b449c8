// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// Reason says in a few words why a server is down. Anybody may read them: they hold no text of the server or of the policy, other than
// names of environment variables.
func Reason(err error) string {
	var unset *policy.UnsetError
	var unanswered *jsonrpc.Unanswered
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
	case errors.As(err, &unanswered) && unanswered.Status == http.StatusUnauthorized:
		return "unauthorized (401)"
	case errors.As(err, &unanswered) && unanswered.Status == http.StatusForbidden:
		return "forbidden (403)"
	case errors.As(err, &unanswered) && unanswered.Status != 0:
		return "HTTP " + strconv.Itoa(unanswered.Status)
	case errors.As(err, &unanswered) && unanswered.Kind != "", errors.As(err, new(net.Error)):
		return "not reachable"
	case errors.As(err, new(*upstream.RefusedError)):
		return "refused the connection's first requests"
	}
	return "did not start"
}
