// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/terminal"
)

func (a *app) logCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Work on logs of calls: verify that nothing was changed",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return usageError(cmd, "log needs a command: verify")
		},
	}
	cmd.AddCommand(a.logVerifyCommand())
	return cmd
}

// logVerifyFlags are the flags of "toolvet log verify".
type logVerifyFlags struct {
	key    string
	expect string
	json   bool
}

func (a *app) logVerifyCommand() *cobra.Command {
	var flags logVerifyFlags
	cmd := &cobra.Command{
		Use:   "verify [flags] FILE...",
		Short: "Find what was changed in a log of calls since it was written",
		Long: `Find lines of a log of calls that were changed, removed, inserted or moved since it
was written. Give all files of a log, rotated ones too, in any order.

Records that were removed at the end leave no trace in the log itself: note the hash
that is printed as "head" elsewhere, and later look for it with --expect. Without a
key, who can write to the log can also make all its hashes anew.

Exit codes: 0 nothing is wrong, 1 something is, 2 the log could not be read.`,
		Example: `  toolvet log verify log*.jsonl
  toolvet log verify --key-file log.key --expect 5f1c… log.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError(cmd, "name a file of the log")
			case flags.expect != "" && !isHash(flags.expect):
				return usageError(cmd, "--expect must be a hash: 64 hexadecimal digits in lower case")
			}
			return a.logVerify(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.key, "key-file", "", "`FILE` with the key of the log")
	f.StringVar(&flags.expect, "expect", "", "`HASH` of a record that must be there")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON")
	return cmd
}

func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

func (a *app) logVerify(cmd *cobra.Command, flags logVerifyFlags, files []string) error {
	o := calllog.VerifyOptions{Expect: flags.expect}
	if flags.key != "" {
		var err error
		if o.Key, err = calllog.LoadKey(flags.key); err != nil {
			return err
		}
	}
	r, err := calllog.Verify(cmd.Context(), o, files...)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		return fmt.Errorf("%s: cannot open: %w", missing.Path, missing.Err)
	}
	if err != nil {
		return err
	}
	if flags.json {
		err = writeJSON(a.stdout, &r)
	} else {
		err = writeLogReport(a.stdout, &r)
	}
	switch {
	case err != nil:
		return fmt.Errorf("writing the report: %w", err)
	case !r.OK():
		return exitCode(exitNoGo)
	}
	return nil
}

// writeLogReport writes a report for people: the faults, then a summary of each chain.
func writeLogReport(w io.Writer, r *calllog.Report) error {
	b := bufio.NewWriter(w)
	for _, f := range r.Faults {
		fmt.Fprintln(b, f)
	}
	if more := r.FaultCount - len(r.Faults); more > 0 {
		terminal.Fprintf(b, "and %d faults more\n", more)
	}
	for i := range r.Chains {
		writeChain(b, &r.Chains[i])
	}
	if r.OK() {
		fmt.Fprintln(b, "nothing is wrong")
	}
	return b.Flush()
}

func writeChain(w io.Writer, c *calllog.Chain) {
	terminal.Fprintf(w, "%s: records %d to %d, %s to %s\n", strings.Join(c.Files, ", "), c.FirstSeq, c.LastSeq,
		c.FirstTime.Format(time.RFC3339), c.LastTime.Format(time.RFC3339))
	terminal.Fprintf(w, "  head %s\n", c.Head)
	if c.FirstSeq > 1 {
		terminal.Fprintf(w, "  records before %d are not in these files\n", c.FirstSeq)
	}
	if c.Lost > 0 {
		terminal.Fprintf(w, "  %d records could not be written\n", c.Lost)
	}
	if c.Torn > 0 {
		terminal.Fprintf(w, "  %d lines were torn by crashes\n", c.Torn)
	}
	if c.Crashes > 0 {
		terminal.Fprintf(w, "  %d times before, a crash ended the log\n", c.Crashes)
	}
	if c.LastKind != calllog.KindStop {
		fmt.Fprintln(w, "  the log was not closed: it is in use, or a crash ended it, or it was cut off")
	}
}
