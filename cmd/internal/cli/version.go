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
	var verify bool
	cmd := &cobra.Command{
		Use:   "version [--verify SHA256SUMS]",
		Short: "Print the version, or compare this program with a release",
		Long: `Print the versions of toolvet, of its validation protocol and of its build.

With --verify, print what this program says of its own build, and compare its SHA-256 with
a release's SHA256SUMS or provenance. Nothing is downloaded. A program that somebody has
replaced can print anything: take the list from the release itself, and for more certainty
check its signature with 'gh attestation verify', or compare with sha256sum.

Exit codes with --verify: 0 the list has this program, 1 it does not, 2 nothing to compare with.`,
		Example: `  toolvet version
  toolvet version --verify SHA256SUMS
  toolvet version --verify toolvet_0.1.0_provenance.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !verify && len(args) > 0:
				return usageError(cmd, "version takes no arguments without --verify")
			case len(args) > 1:
				return usageError(cmd, "version --verify compares with one file")
			}
			if _, err := terminal.Fprintf(a.stdout, "toolvet %s\nvalidation protocol %s\n%s %s/%s\n",
				toolvet.Version, protocol.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil || !verify {
				return err
			}
			return a.verify(args)
		},
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "compare this program with a release's list")
	return cmd
}
