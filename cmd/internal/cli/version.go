// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/terminal"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the versions of toolvet, of its validation protocol and of its build.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "version takes no arguments")
			}
			_, err := terminal.Fprintf(a.stdout, "toolvet %s\nvalidation protocol %s\n%s %s/%s\n",
				toolvet.Version, protocol.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
