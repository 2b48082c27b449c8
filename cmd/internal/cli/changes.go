// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// replayCounts end the output of --json.
type replayCounts struct {
	Judged    int            `json:"judged"`
	Denied    int            `json:"allowToDeny"` // now denied
	Allowed   int            `json:"denyToAllow"` // now allowed
	Asked     int            `json:"toAsk,omitempty"`
	NotJudged map[string]int `json:"notJudged"` // by the reason
	Faults    int            `json:"faults"`    // unreadable lines
}

// A change is a call whose new verdict differs from the recorded one.
type change struct {
	Time    time.Time         `json:"time"`
	Change  string            `json:"change"`
	Server  string            `json:"server,omitempty"`
	Tool    string            `json:"tool"`
	Subject string            `json:"subject,omitempty"`
	Request string            `json:"request,omitempty"` // the id in JSON-RPC
	Was     []calllog.Finding `json:"was"`               // refused it
	Now     []check.Finding   `json:"now"`               // refuse it

	findings []check.Finding // as in Now
}

// The decisions that a change leads from and to.
const (
	allows = "allow"
	asks   = "ask"
	denies = "deny"
)

// decisionOf is what a verdict comes to.
func decisionOf(v *toolvet.Verdict) string {
	switch {
	case v.Go:
		return allows
	case v.Ask:
		return asks
	}
	return denies
}

func (r *replay) tell(w io.Writer, c *change) error {
	if r.flags.json {
		return writeJSON(w, c)
	}
	name := c.Tool
	if c.Server != "" {
		name = c.Server + ":" + name
	}
	_, err := terminal.Fprintf(w, "%s  %s  %s\n", c.Time.UTC().Format(time.RFC3339), c.Change, strictjson.Printable(name, maxDescription))
	if len(c.findings) == 0 {
		for _, f := range c.Was {
			terminal.Fprintf(w, "  was refused by %s\n", strictjson.Printable(reason(f), maxDescription))
		}
		return err
	}
	for _, f := range c.findings {
		terminal.Fprintf(w, "  %s [%s]\n", f, f.Check)
	}
	return err
}

// reason names the rule or the check that refused a call, and the place.
func reason(f calllog.Finding) string {
	s := "the check " + f.Check
	if f.Check == ruleCheck && f.Source != "" {
		s = "the rule " + f.Source
	}
	if f.Pointer != "" {
		s += " at " + f.Pointer
	}
	return s
}

// sum writes the counts.
func (r *replay) sum(w io.Writer) error {
	n := r.counts
	if r.flags.json {
		return writeJSON(w, n)
	}
	asked := ""
	if n.Asked > 0 {
		asked = fmt.Sprintf("%d to ask, ", n.Asked)
	}
	_, err := terminal.Fprintf(w, "%s judged: %d allow→deny, %d deny→allow, %s%d as before%s\n", count(n.Judged, "call"),
		n.Denied, n.Allowed, asked, n.Judged-n.Denied-n.Allowed-n.Asked, leftOut(r.policy, false))
	for _, why := range slices.Sorted(maps.Keys(n.NotJudged)) {
		_, err = terminal.Fprintf(w, "%s not judged: %s\n", count(n.NotJudged[why], "call"), why)
	}
	return err
}

// outcome returns the exit code as an error, or the reason why there is none.
func (r *replay) outcome() error {
	switch n := r.counts; {
	case n.Judged == 0:
		return errors.New("no call could be judged")
	case n.Faults > 0:
		return fmt.Errorf("%s of the log could not be read", count(n.Faults, "line"))
	case n.Denied+n.Allowed+n.Asked > 0:
		return exitCode(exitNoGo)
	}
	return nil
}
