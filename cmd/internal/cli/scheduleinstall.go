// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/machine/userservice"
	"github.com/toolvet/toolvet/internal/terminal"
)

// installFlags are the flags of "toolvet schedule install".
type installFlags struct {
	name      string
	listen    string
	dryRun    bool
	uninstall bool
}

func (a *app) scheduleInstall(flags *scheduleFlags) *cobra.Command {
	var own installFlags
	cmd := &cobra.Command{
		Use: "install", Short: "Run jobs in the background: write a systemd user unit or a launchd agent", Args: cobra.NoArgs,
		Long: `Write a systemd user unit (Linux) or a launchd agent (macOS) that runs 'toolvet schedule
serve' in the background. Install starts nothing; it prints the commands that do.

The service works in this directory, with the PATH of this shell. Variables that the
policy names must be in the service's environment; on Linux, in the file that the unit
names.`,
		Example: `  toolvet schedule install --policy toolvet.yaml --dry-run
  toolvet schedule install --policy toolvet.yaml --listen 127.0.0.1:8080
  toolvet schedule install --uninstall`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			manager, err := userservice.For(runtime.GOOS)
			if err != nil {
				return enforce.WithHint(err, "run 'toolvet schedule serve --background' by other means")
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("looking for the directory of services: %w", err)
			}
			if own.uninstall {
				return a.uninstallService(manager, home, own)
			}
			return a.installService(cmd, manager, home, flags, own)
		},
	}
	f := cmd.Flags()
	f.StringVar(&own.name, "name", "toolvet-schedule", "`NAME` of the service, to tell several apart")
	f.StringVar(&own.listen, "listen", "", "`ADDRESS` for clients and web pages; default: none")
	f.BoolVar(&own.dryRun, "dry-run", false, "print the file, and write nothing")
	f.BoolVar(&own.uninstall, "uninstall", false, "delete the file")
	return cmd
}

func (a *app) installService(cmd *cobra.Command, manager *userservice.Manager, home string, flags *scheduleFlags, own installFlags) error {
	service, err := a.service(cmd, flags, own)
	if err != nil {
		return err
	}
	if own.dryRun {
		file, text, err := manager.Render(home, service)
		if err != nil {
			return err
		}
		_, err = terminal.Fprintf(a.stdout, "would write %s:\n\n%s", file, terminal.Text(text))
		return err
	}
	file, replaced, err := manager.Install(home, service)
	if err != nil {
		return foreign(err, file)
	}
	word := "wrote"
	if replaced {
		word = "replaced"
	}
	terminal.Fprintf(a.stdout, "%s %s\n", word, file)
	a.say("to start it:", manager.Start(own.name, file))
	a.say("what it says:", manager.Log(own.name, file))
	return nil
}

func (a *app) uninstallService(manager *userservice.Manager, home string, own installFlags) error {
	if own.dryRun {
		return errors.New("--dry-run and --uninstall do not go together")
	}
	file, err := manager.Uninstall(home, own.name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no service to delete: no file %s", file)
	}
	if err != nil {
		return foreign(err, file)
	}
	terminal.Fprintf(a.stdout, "deleted %s\n", file)
	a.say("to stop what still runs:", manager.Stop(own.name, file))
	return nil
}

func (a *app) say(what string, commands []string) {
	terminal.Fprintf(a.stdout, "%s\n  %s\n", what, terminal.Text(strings.Join(commands, "\n  ")))
}

// foreign adds a hint about a file that toolvet did not write.
func foreign(err error, file string) error {
	if errors.Is(err, userservice.ErrForeign) {
		return enforce.WithHint(fmt.Errorf("%w: %s", err, file), "move it, or give this service another name with --name")
	}
	return err
}

// service describes the service. The policy must be valid.
func (a *app) service(cmd *cobra.Command, flags *scheduleFlags, own installFlags) (*userservice.Service, error) {
	given := flags.store
	p, err := a.plan(flags)
	if err != nil {
		return nil, err
	}
	if p.Source.Policy == "" {
		return nil, enforce.WithHint(errors.New("no policy, so there would be no servers"), "name the policy with --policy")
	}
	if own.listen != "" {
		if err := daemon.CheckListen(own.listen, p.Policy.Authorization); err != nil {
			return nil, fmt.Errorf("--listen: %w", err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("looking for toolvet's own program: %w", err)
	}
	policy, err := filepath.Abs(p.Source.Policy)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	command := []string{program, "schedule", "serve", "--policy", policy}
	if given != "" {
		if !strings.Contains(given, "://") {
			if given, err = filepath.Abs(given); err != nil {
				return nil, err
			}
		}
		command = append(command, "--store", given)
	}
	if own.listen == "" {
		command = append(command, "--background")
	} else {
		command = append(command, "--listen", own.listen)
	}
	return &userservice.Service{
		Name: own.name, Description: "toolvet schedule: runs tool calls at set times", Command: command, Dir: dir,
		Environment: []string{"PATH=" + os.Getenv("PATH"), "PWD=" + dir},
		Stop:        30*time.Second + 3*daemon.ShutdownTime, // the scheduler's drain, and the steps after it
	}, nil
}
