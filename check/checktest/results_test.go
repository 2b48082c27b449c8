// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"bytes"
	"context"
	"testing"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
)

// starsOptions are those of stars.
type starsOptions struct {
	Note string `policy:"note" doc:"what the model is told"`
}

// stars changes "secret" in a result to stars, and does what the result says.
var stars = &check.Check{
	Name:     "stars",
	Doc:      starsDoc,
	Stage:    check.Output,
	Level:    check.SecurityLevel,
	Severity: check.Warning,
	Demand:   &check.Demand{Name: "stars", Options: func() any { return new(starsOptions) }, Results: true},
	Run: func(_ context.Context, pass *check.Pass) error {
		r := pass.Result
		if at := bytes.Index(r.Raw, []byte("secret")); at >= 0 {
			pass.Reportf("/text", "a secret in an answer to %s", r.Method)
			pass.Change(r.Replace(at, at+len("secret"), "***")...)
		}
		if at := bytes.Index(r.Raw, []byte("leaking")); at >= 0 {
			pass.Reportf("/text", "%s", r.Raw[at:at+len("leaking")])
		}
		if bytes.Contains(r.Raw, []byte("break")) {
			pass.Change(result.Edit{Start: 1, End: 3})
		}
		if bytes.Contains(r.Raw, []byte("write")) {
			r.Raw[0] = ' '
		}
		if bytes.Contains(r.Raw, []byte("schema")) {
			e, err := pass.Evaluate()
			if err != nil {
				return err
			}
			pass.Reportf("/structuredContent", "breaks %d rules", len(e.Violations))
		}
		for _, t := range pass.Targets {
			if o, ok := t.Options.(*starsOptions); ok && o.Note != "" {
				pass.Note(o.Note)
			}
		}
		return nil
	},
}

const starsDoc = `# stars

Results hold no secrets.

## Why

It is a test.

## Example

    /text: a secret in an answer to tools/call

## Options

None to speak of.

## How to mend it

Leave it out.
`

// starsFile has a case of each kind of a check of results.
const starsFile = `What the check makes of results.

-- tool --
{"name": "get", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["n"]}}
-- result found --
{"text": "a secret text", "n": 1.0}
    warning /text: a secret in an answer to tools/call
    becomes: {"text": "a *** text", "n": 1.0}
{"text": "fine"} "fine"
    ok
-- result of resources/read: another method --
{"text": "my secret"}
    warning /text: a secret in an answer to resources/read
    becomes: {"text": "my ***"}
-- result the output schema --
{"text": "schema", "structuredContent": {}}
    warning /structuredContent: breaks 1 rules
-- stars: {note: "take care"} --
{}
    note: take care
-- stars: {other: 1} --
    policy: unknown key "other": must be "note"
`

func TestRunResults(t *testing.T) {
	t.Parallel()
	const becomes = "    becomes: {\"text\": \"a *** text\", \"n\": 1.0}\n"
	scenarios(t, starsFile, []string{"CHECKTEST_RESULTS=1"}, map[string]change{
		"good":               {},
		"other method":       {"of resources/read:", "of prompts/get:", []string{"+    warning /text: a secret in an answer to prompts/get"}},
		"missing change":     {becomes, "", []string{"+" + becomes[:20]}},
		"other change":       {"a *** text", "a ** text", []string{"-    becomes"}},
		"surplus note":       more("-- result more --\n{}\n    note: x\n", "-    note: x", "+    ok"),
		"missing note":       {"    note: take care\n", "    ok\n", []string{"+    note: take care"}},
		"no method":          {"of resources/read:", "of : ", []string{`must be "result NAME"`}},
		"no result":          more("-- result none --\n", "has no result"),
		"no result demanded": more("-- stars: {} --\n", "has no result"),
		"refused with one":   more("-- stars: {more: 1} --\n{}\n", "there must be no result"),
		"a value leaks":      more("-- result leak --\n{\"text\": \"leaking\"}\n    warning /text: leaking\n", "repeats"),
		"change is no JSON":  more("-- result broken --\n{\"text\": \"break\"}\n    ok\n", "the check's changes cannot be made"),
		"result changed":     more("-- result changed --\n{\"text\": \"write\"}\n    ok\n", "the check changed the call, or the result"),
	})
}
