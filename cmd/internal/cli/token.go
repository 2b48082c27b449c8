// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
)

// tokenFlags are the flags of "toolvet token".
type tokenFlags struct {
	subject string
	policy  string // "": none is known
	stdin   bool
	json    bool
}

func (a *app) tokenCommand() *cobra.Command {
	var flags tokenFlags
	cmd := &cobra.Command{
		Use:   "token [flags]",
		Short: "Make a static bearer token, and its entry for a policy",
		Long: `Make a static bearer token, and its entry for a policy.

The policy holds only the token's SHA-256. Toolvet prints the token once and keeps it
nowhere. If the policy has a section "authorization", the new entry fits into that.`,
		Example: `  toolvet token --subject ci
  toolvet token --subject ci --stdin <token.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usageError(cmd, "token takes no arguments: give the holder's name with --subject %s", args[0])
			case flags.subject == "":
				return usageError(cmd, "no holder: give the name that rules, limits and the log know the holder by, with --subject NAME")
			case flags.policy == "" && isFile(policyFile):
				flags.policy = policyFile
			}
			return a.token(flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.subject, "subject", "", "`NAME` of the token's holder")
	f.StringVar(&flags.policy, "policy", "", "`FILE` to which you will add the entry; default: "+policyFile+", if it is here")
	f.BoolVar(&flags.stdin, "stdin", false, "read a token from standard input instead of making one")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

// minted is the output of "toolvet token".
type minted struct {
	Token   string        `json:"token,omitempty"` // "" if it came from standard input
	SHA256  policy.Digest `json:"sha256"`
	Subject string        `json:"subject"`
}

func (a *app) token(flags tokenFlags) error {
	m := minted{Token: auth.NewToken(), Subject: flags.subject}
	m.SHA256 = auth.Digest(m.Token)
	if flags.stdin {
		token, err := a.givenToken()
		if err != nil {
			return err
		}
		m.Token, m.SHA256 = "", auth.Digest(token)
	}
	if flags.json {
		return writeJSON(a.stdout, m)
	}
	if m.Token != "" {
		if _, err := terminal.Fprintf(a.stdout, "%s\n\nGive the token to its holder: it is shown once, and kept nowhere.\n", m.Token); err != nil {
			return err
		}
	}
	entry := fmt.Sprintf("    - {sha256: %x, subject: %q}\n", m.SHA256, m.Subject)
	if flags.policy != "" {
		p, err := policy.LoadEach(flags.policy, a.checks.Demands()...)
		switch {
		case err != nil:
			a.warn("the policy cannot be read yet: %v", err)
		case p.Authorization != nil:
			_, err := terminal.Fprintf(a.stdout, "Add this line to the tokens of the section authorization in %s:\n%s", flags.policy, terminal.Text(entry))
			return err
		}
	}
	_, err := terminal.Fprintf(a.stdout, `Put this into the policy. If it has tokens already, add only the last line to them:
authorization:
  resource: http://127.0.0.1:8080/mcp # the URL that clients are given: the address of --listen, or of the proxy before it
  tokens:
%s`, terminal.Text(entry))
	return err
}

// A given token must be long, because a reader of the policy can try digests.
const (
	minGiven = 32
	maxGiven = 16 << 10
)

func (a *app) givenToken() (string, error) {
	text, err := io.ReadAll(io.LimitReader(a.stdin, maxGiven+1))
	if err != nil {
		return "", fmt.Errorf("reading the token from standard input: %w", err)
	}
	token := strings.TrimRight(string(text), "\r\n")
	if len(token) < minGiven || len(text) > maxGiven || !auth.IsToken(token) {
		return "", errors.New("a token must have 32 characters to 16 KiB, of A-Z, a-z, 0-9 and -._~+/, and may end with =")
	}
	return token, nil
}
