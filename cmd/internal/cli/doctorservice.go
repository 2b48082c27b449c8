// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/userservice"
)

// inBackground names the purpose of a service.
const inBackground = "jobs in the background (toolvet schedule install)"

// diagnoseServices reports the state of each service that runs jobs. Having none is no fault.
func diagnoseServices(ctx context.Context) []diagnosis {
	none := diagnosis{What: inBackground, OK: true, How: "not installed", Fix: "toolvet schedule install --policy toolvet.yaml, if jobs are to run while nobody serves them"}
	manager, err := userservice.For(runtime.GOOS)
	if err != nil {
		none.How, none.Fix = "not on this machine: "+err.Error(), "have something else run 'toolvet schedule serve --background'"
		return []diagnosis{none}
	}
	home, err := os.UserHomeDir()
	var names []string
	if err == nil {
		names, err = manager.Installed(home)
	}
	switch {
	case err != nil:
		return []diagnosis{{What: inBackground, Why: err.Error()}}
	case len(names) == 0:
		return []diagnosis{none}
	}
	var list []diagnosis
	for _, name := range names {
		list = append(list, diagnoseService(ctx, manager, home, name))
	}
	return list
}

func diagnoseService(ctx context.Context, manager *userservice.Manager, home, name string) diagnosis {
	d := diagnosis{What: inBackground + ", " + name}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	status, err := manager.Status(ctx, name)
	file := manager.File(home, name)
	start := strings.Join(manager.Start(name, file), "; ")
	switch {
	case err != nil:
		d.Why, d.Fix = "it is installed, and how it stands cannot be asked: "+err.Error(), start
	case !status.Running:
		d.Why, d.Fix = "it is installed, and does not run: "+status.Said, start+"; what it says: "+strings.Join(manager.Log(name, file), "; ")
	case !status.Enabled:
		d.OK, d.How, d.Fix = true, "runs, and is not begun again when you log in or the machine starts", start
	default:
		d.OK, d.How = true, "runs"
	}
	return d
}
