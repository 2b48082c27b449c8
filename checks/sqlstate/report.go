// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/sqltext"
	"github.com/toolvet/toolvet/schema"
)

// A report collects what is found about one argument.
type report struct {
	findings []check.Finding
	skipped  string // why something was not looked at, or ""
}

func (r *report) skip(why string) { r.skipped = why }

// fault is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *report) fault(mend, format string, args ...any) {
	r.findings = append(r.findings, check.Finding{Message: fmt.Sprintf(format, args...), Suggestion: mend})
}

func (r *report) warn(mend, format string, args ...any) {
	r.findings = append(r.findings, check.Finding{Severity: check.Warning, Message: fmt.Sprintf(format, args...), Suggestion: mend})
}

// syntax tells that the database cannot parse the statement, and where, or −1.
func (r *report) syntax(q *question, at int) {
	r.findings = append(r.findings, check.Finding{Level: check.SyntaxLevel,
		Message: "is no SQL of this database" + q.at(at), Suggestion: "correct the syntax there"})
}

// failed tells that a database could not be asked, because the tool will not reach it either, or
// because nothing is known of the statement then. If the context ended before, its error goes to
// the check's driver.
func (r *report) failed(ctx context.Context, where string, err error) error {
	var u *unusable
	switch {
	case err == nil:
	case errors.As(err, &u):
		r.fault(u.mend, "cannot be checked: %s %s", where, u.what)
	case ended(ctx):
		return fmt.Errorf("%s did not answer in time: %w", where, ctx.Err())
	case errors.Is(err, errUnfinished):
		r.fault("try again, or give the policy's statement_timeout more time", "cannot be checked: %s did not answer in time", where)
	default:
		r.fault("look at the database, and at the policy's dsn", "cannot be checked: %s broke the connection", where)
	}
	return nil
}

// ended reports whether ctx is done. A connection's own deadline, taken from ctx, may be over a
// moment before.
func ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// missing tells that a table or column does not exist.
func (r *report) missing(q *question, what string, name sqltext.Name, candidates []string) {
	mend := ""
	if near := schema.Nearest(name.Last, candidates); near != "" {
		mend = "did you mean " + strconv.Quote(near) + "?"
	}
	r.fault(mend, "names a %s%s that does not exist in the database", what, q.at(name.At))
}
