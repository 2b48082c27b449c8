// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/upstream"
)

// initFlags are the flags of "toolvet init".
type initFlags struct {
	out     string
	force   bool
	timeout time.Duration
}

func (a *app) initCommand() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init [flags] -- SERVER-COMMAND...",
		Short: "Write a policy for a server, to read and tighten",
		Long: `Write a first policy for a server: start it, read its tools, prompts and resources, guess
which arguments are paths, URLs, commands and so on, and write a demand on each. A comment
gives the reason for each guess. Read the file, and tighten it; 'toolvet policy lint' lists what it leaves
open.

The server's command becomes part of the file. Keep secrets out of it: write
${NAME} for the value of an environment variable.`,
		Example: `  toolvet init -- npx -y @modelcontextprotocol/server-filesystem /srv/data`,
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := serverCommand(cmd, args)
			switch {
			case err != nil:
				return err
			case len(server) == 0:
				return usageError(cmd, "no server command: give it after --")
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.init(cmd, flags, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.out, "out", "o", policyFile, "`FILE` to write; - is standard output")
	f.BoolVar(&flags.force, "force", false, "replace the file if it exists")
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long the server may take to start, and to list its tools")
	return cmd
}

func (a *app) init(cmd *cobra.Command, flags initFlags, command []string) error {
	if _, err := os.Lstat(flags.out); err == nil && !flags.force {
		return existsError(flags.out) // before the server is started
	}
	end := a.working("starting the server")
	listed, err := a.listedBy(cmd.Context(), upstream.Command{Args: command}, flags.timeout, servers.Prompts, servers.ResourceTemplates, servers.Resources)
	end()
	if err != nil {
		return err
	}
	text := (&drafting{checks: a.checks, command: command, listed: listed}).text()
	p, err := policy.Parse(flags.out, text, a.checks.Demands()...)
	if err == nil {
		err = p.Validate(a.checks)
	}
	if err != nil {
		return fmt.Errorf("the policy that was drafted cannot be read, so that it is not written: %w", err)
	}
	if flags.out == "-" {
		_, err := a.stdout.Write(text)
		return err
	}
	if err := writePolicy(flags.out, text, flags.force); err != nil {
		return err
	}
	_, err = terminal.Fprintf(a.stdout, "wrote %s: read it, tighten it, and use it with\n  toolvet proxy --policy %s -- SERVER-COMMAND\n", flags.out, flags.out)
	return err
}

// listedBy starts a server and returns its tools and the wanted lists, by their methods. It fails without the tools; of the other lists, it leaves out
// with a warning what cannot be had.
func (a *app) listedBy(ctx context.Context, server upstream.Dialer, timeout time.Duration, wanted ...servers.List) (map[string]*call.Catalog, error) {
	client, err := startServer(ctx, server, timeout)
	if err != nil {
		return nil, err
	}
	defer client.Close(ctx)
	tools, err := a.listTools(ctx, client)
	if err != nil {
		return nil, err
	}
	listed := map[string]*call.Catalog{pin.Tools: tools}
	for _, list := range wanted {
		if err := a.listEntries(ctx, client, listed, list); err != nil {
			a.warn("%v", err)
		}
	}
	return listed, nil
}

func existsError(file string) error {
	return enforce.WithHint(fmt.Errorf("%s exists and is left as it is", file), "write -o FILE before the server's command, 'toolvet init -o FILE -- SERVER-COMMAND', or --force there to replace the file")
}

// writePolicy writes a file as a whole. It replaces an existing one only with force.
func writePolicy(file string, text []byte, force bool) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".toolvet-init-")
	if err != nil {
		return fmt.Errorf("writing the policy: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	switch {
	case err != nil:
	case force:
		err = os.Rename(temporary.Name(), file)
	default:
		if err = os.Link(temporary.Name(), file); errors.Is(err, fs.ErrExist) {
			return existsError(file)
		}
	}
	if err != nil {
		return fmt.Errorf("writing the policy: %w", err)
	}
	return nil
}
