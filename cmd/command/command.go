// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package command is the program toolvet, for those who build it with checks of their own:
//
//	package main
//
//	import (
//		"context"
//
//		"github.com/toolvet/toolvet/cmd/command"
//		"example.org/checks/ticket"
//	)
//
//	func main() { command.Main(context.Background(), ticket.Check) }
//
// The program has all commands of toolvet, and each knows the check: proxy, serve, check and schedule run it,
// rehearse runs it before a sandbox starts, policies can name it and its demand, "policy lint" and "policy schema" know
// both, and explain prints its documentation. The directory cmd/examples/owncheck is a whole program with its tests.
//
// A program that wants gates alone, without commands, needs the library only: toolvet.WithMoreChecks, or package policyfile.
package command

import (
	_ "time/tzdata" // zones of schedules and rules, where the machine has none

	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/cli"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/terminal"
)

// notJudged is the exit code without a verdict, as package cli documents it.
const notJudged = 2

// Main runs toolvet with the arguments and the streams of the process, and ends the process with the exit code: 0 go,
// 1 no-go, 2 not judged. It never returns, so deferred calls of main do not run.
//
// The checks run behind those of toolvet in their stage, and replace none. With a check that [check.Validate] refuses,
// or with the name of one of toolvet's checks or demands, every command fails: Main says why on standard error and ends
// with 2. A check may answer a demand of toolvet's if it has that very *[check.Demand].
//
// Main hears SIGINT and SIGTERM: toolvet then stops the servers that it has started. A second one ends the process at
// once. The end of ctx does the same as the first. Toolvet starts its own program again as the supervisor of servers and to
// build sandboxes, with arguments that Main reads. So main calls it first, and reads no arguments itself.
func Main(ctx context.Context, checks ...*check.Check) {
	// With SIGPIPE heard, writing to a closed pipe is an error, and the servers that
	// were started are stopped before the end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	all, err := behindOurs(checks)
	if err != nil {
		for fault := range strings.Lines(err.Error()) {
			terminal.Fprintf(os.Stderr, "toolvet: error: %s\n", strings.TrimSuffix(fault, "\n"))
		}
		os.Exit(notJudged)
	}
	os.Exit(cli.Main(ctx, all, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// behindOurs returns the checks of toolvet, and own ones behind them.
func behindOurs(own []*check.Check) ([]*check.Check, error) {
	var errs []error
	ours := slices.Concat(enforce.Checks(backend.DefaultChecks()).Nameable(), server.Checks(),
		[]*check.Check{rehearsal.NewCheck(policy.Rehearsal{}, nil)}) // it does not run
	for _, c := range own {
		if c != nil && slices.ContainsFunc(ours, func(o *check.Check) bool { return o.Name == c.Name }) {
			errs = append(errs, fmt.Errorf("check %q has the name of a check of toolvet: choose another name", c.Name))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, check.Validate(slices.Concat(ours, own)))
	}
	return slices.Concat(backend.DefaultChecks(), own), errors.Join(errs...)
}
