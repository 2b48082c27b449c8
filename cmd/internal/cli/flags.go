// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"
	"github.com/toolvet/toolvet/internal/enforce"
)

// addGateFlags adds the flags of commands that judge calls of one server.
func (a *app) addGateFlags(cmd *cobra.Command, source *enforce.Source) {
	a.addPolicyFlags(cmd, source)
	cmd.Flags().StringVar(&source.Server, "server", "",
		"`NAME` of the server in the policy; default: the only one, or the one with the same command")
}

// addPolicyFlags adds the flags that concern the policy as a whole.
func (a *app) addPolicyFlags(cmd *cobra.Command, source *enforce.Source) {
	source.Checks = a.checks
	flags := cmd.Flags()
	flags.StringVar(&source.Policy, "policy", "", "policy `FILE` (toolvet.yaml)")
	flags.StringVar(&source.Preset, "preset", "",
		"demands on arguments that the policy does not mention: `observe|standard|strict|none`; default: the policy's preset, or standard")
	flags.StringVar(&source.Subject, "subject", "", "`NAME` of the caller, for rules of the policy; default: the policy's")
}
