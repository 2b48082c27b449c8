// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	hookjudge "github.com/toolvet/toolvet/cmd/internal/hook/judge"
)

func (a *app) hookRecordCommand() *cobra.Command {
	var stop bool
	cmd := &cobra.Command{
		Use:   "record DIR",
		Short: "Write down what hosts tell their hooks",
		Long: `Write down what hosts tell their hooks, to see a host's real format, or to report a fault
in how toolvet reads it. Each payload becomes a file in DIR, HOST-EVENT-TIME.json, until
'toolvet hook record --stop'. Hosts must ask toolvet already: see 'toolvet hook install'.

Payloads hold commands, files and results as they are, also their secrets. Read them before
you show them to anybody.`,
		Example: `  toolvet hook record payloads
  toolvet hook record --stop`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if stop != (len(args) == 0) || len(args) > 1 {
				return usageError(cmd, "name a directory, or say --stop")
			}
			state, err := fast.Dir()
			if err != nil {
				return err
			}
			if !stop {
				if err := hookjudge.StartRecording(state, args[0]); err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "From now on, what hosts tell goes to %s.\n", args[0])
				return nil
			}
			dir, err := hookjudge.StopRecording(state)
			switch {
			case err != nil:
				return err
			case dir == "":
				fmt.Fprintln(a.stdout, "Nothing was being recorded.")
			default:
				fmt.Fprintf(a.stdout, "Recording ended. The payloads are in %s: they may hold secrets.\n", dir)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&stop, "stop", false, "record no more")
	return cmd
}
