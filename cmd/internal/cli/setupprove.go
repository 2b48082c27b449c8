// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/diagnose"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/cmd/internal/hook/semantics"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/upstream"
)

// proveEntry starts the server of an entry as its client would, and puts the entry back if toolvet does not work in front of it.
func (s *setupRun) proveEntry(ctx context.Context, f *setupFile, e *clientconfig.Entry) error {
	title := f.place.Client + ", " + oneLine(e.Name(), 64)
	launch, err := s.rewriter.Launch(e.AfterJSON, f.launching())
	if err == nil && len(launch.Unknown) > 0 {
		_, err := terminal.Fprintf(s.stdout, "%s: behind toolvet, not tried: only %s knows %s\n", title, f.place.Client, strings.Join(launch.Unknown, ", "))
		return err
	}
	var proof string
	if err == nil {
		end := s.working("trying " + title)
		proof, err = s.proveServer(ctx, launch)
		if err != nil && ctx.Err() == nil {
			err = s.withoutToolvet(ctx, f, e, err)
		}
		end()
	}
	if err == nil {
		_, err = terminal.Fprintf(s.stdout, "%s: %s\n", title, proof)
		return err
	}
	failure := err
	s.failed++
	if err := s.putBack(f, e); err != nil {
		return err
	}
	e.Left = "it does not work behind toolvet"
	s.passing = append(s.passing, title)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = terminal.Fprintf(s.stdout, "%s: put back as it was: %s\n", title, errorText(failure))
	if unanswered, ok := errors.AsType[*jsonrpc.Unanswered](failure); err == nil && ok && unanswered.Status == http.StatusUnauthorized {
		_, err = terminal.Fprintf(s.stdout, "  if %s logs in to this server by itself (OAuth), toolvet cannot do that for it\n", f.place.Client)
	}
	return err
}

func (f *setupFile) launching() clientconfig.Launching {
	return clientconfig.Launching{Client: f.place.ID, File: f.place.File, Lookup: os.LookupEnv}
}

// withoutToolvet returns the error of a server that does not start by itself, either, in the place of the error behind toolvet.
func (s *setupRun) withoutToolvet(ctx context.Context, f *setupFile, e *clientconfig.Entry, failure error) error {
	launch, err := s.rewriter.Launch(e.BeforeJSON, f.launching())
	if err != nil || len(launch.Unknown) > 0 { // it is behind a URL
		return failure
	}
	client, err := s.launch(ctx, launch)
	if err != nil {
		return fmt.Errorf("it does not work without toolvet, either: %w", err)
	}
	client.Close(ctx)
	return failure
}

func (s *setupRun) launch(ctx context.Context, l *clientconfig.Launch) (servers.Client, error) {
	return startServer(ctx, upstream.Command{Args: l.Args, Env: append(os.Environ(), l.Env...), Dir: l.Dir}, s.flags.timeout)
}

// noSuchTool is called to be refused. A server that got the call would not know it, either.
const noSuchTool = "toolvet-setup-no-such-tool"

// proveServer has a proxy refuse one call and judge one good one.
func (s *setupRun) proveServer(ctx context.Context, l *clientconfig.Launch) (proof string, err error) {
	client, err := s.launch(ctx, l)
	if err != nil {
		return "", err
	}
	defer client.Close(ctx)
	tools, _, err := client.Tools(ctx)
	if err != nil {
		return "", fmt.Errorf("listing its tools: %w", err)
	}
	result, err := client.Call(ctx, noSuchTool, json.RawMessage(`{}`))
	if err != nil {
		return "", fmt.Errorf("a call that toolvet has to refuse: %w", err)
	}
	if !refusedByToolvet(result) {
		return "", errors.New("toolvet did not refuse a call of a tool that the server does not have")
	}
	method, ok := client.NativeValidation()
	if !ok {
		return "", errors.New("it has no tool for dry runs: toolvet does not stand in front of it")
	}
	names := slices.DeleteFunc(tools.Names(), func(name string) bool { return name == method || name == protocol.BatchName(method) })
	proof = fmt.Sprintf("behind toolvet, %s; a call of an unknown tool was refused", count(len(names), "tool"))
	running := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !runsUnbounded(new(policy.Policy), new(policy.Server), tools.Tool(name))
	})
	good, err := dryRun(ctx, client, tools, names, method)
	switch {
	case err != nil:
		return "", fmt.Errorf("a dry run: %w", err)
	case good != "":
		proof += fmt.Sprintf("; a dry run of %s is a go", oneLine(good, 64))
	default:
		proof += "; setup knows no harmless call of its tools"
	}
	if len(running) > 0 {
		proof += fmt.Sprintf("; %s may run any program: 'toolvet audit --write-policy FILE -- COMMAND' drafts a policy that bounds it", oneLine(strings.Join(running, ", "), 200))
	}
	return proof, nil
}

func refusedByToolvet(result json.RawMessage) bool {
	var said struct {
		IsError bool `json:"isError"`
		Meta    map[string]struct {
			Valid *bool `json:"valid"`
		} `json:"_meta"`
	}
	err := json.Unmarshal(result, &said)
	verdict := said.Meta["io.github.toolvet/verdict"].Valid
	return err == nil && said.IsError && verdict != nil && !*verdict
}

// dryRuns bounds the dry runs for one server.
const dryRuns = 16

// dryRun has toolvet judge calls that setup makes up, until one is a go. It returns the tool's name; "" if none was.
func dryRun(ctx context.Context, client servers.Client, tools *call.Catalog, names []string, method string) (string, error) {
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Compare(required(tools.Tool(x).InputSchema), required(tools.Tool(y).InputSchema))
	})
	for _, name := range names[:min(len(names), dryRuns)] {
		arguments, ok := sampleOf(tools.Tool(name).InputSchema)
		if !ok {
			continue
		}
		ask, err := json.Marshal(map[string]any{"tool": name, "arguments": arguments})
		if err != nil {
			return "", err
		}
		result, err := client.Call(ctx, method, ask)
		if err != nil {
			return "", err
		}
		var said struct {
			Structured struct {
				Valid *bool `json:"valid"`
			} `json:"structuredContent"`
		}
		if err := json.Unmarshal(result, &said); err != nil || said.Structured.Valid == nil {
			return "", errors.New("the answer is no verdict")
		}
		if *said.Structured.Valid {
			return name, nil
		}
	}
	return "", nil
}

// A sampleSchema is the part of a JSON Schema that sampleOf understands.
type sampleSchema struct {
	Type       any                        `json:"type"`
	Const      any                        `json:"const"`
	Default    any                        `json:"default"`
	Enum       []any                      `json:"enum"`
	Examples   []any                      `json:"examples"`
	Minimum    *json.Number               `json:"minimum"`
	MinLength  int                        `json:"minLength"`
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func required(schema json.RawMessage) int {
	var s sampleSchema
	_ = json.Unmarshal(schema, &s) // then nothing is known to be required
	return len(s.Required)
}

// maxSampleDepth bounds nested objects.
const maxSampleDepth = 8

// sampleOf makes arguments that a simple schema allows: what it requires, and no more. A wrong guess is a no-go of the dry run.
func sampleOf(schema json.RawMessage) (any, bool) {
	if len(schema) == 0 {
		return map[string]any{}, true
	}
	v, ok := sample(schema, maxSampleDepth)
	_, isObject := v.(map[string]any)
	return v, ok && isObject
}

func sample(schema json.RawMessage, depth int) (any, bool) {
	var s sampleSchema
	if depth == 0 || json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	switch {
	case s.Const != nil:
		return s.Const, true
	case s.Default != nil:
		return s.Default, true
	case len(s.Enum) > 0:
		return s.Enum[0], true
	case len(s.Examples) > 0:
		return s.Examples[0], true
	}
	kind, _ := s.Type.(string)
	if list, ok := s.Type.([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "string":
		return strings.Repeat("a", max(1, min(s.MinLength, 1000))), true
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum, true
		}
		return 1, true
	case "boolean":
		return false, true
	case "array":
		return []any{}, true
	case "null":
		return nil, true
	case "object":
	default:
		return nil, false
	}
	out := map[string]any{}
	for _, name := range s.Required {
		v, ok := sample(s.Properties[name], depth-1)
		if !ok {
			return nil, false
		}
		out[name] = v
	}
	return out, true
}

// proveHook runs the installed hook of a host with two calls, and takes it out again if it does not work.
func (s *setupRun) proveHook(ctx context.Context, h *hook.Host) error {
	own, ok := install.Before(s.installer.Status(h).In(install.User))
	if !ok {
		_, err := terminal.Fprintf(s.stdout, "%s: the hook is installed, not tried\n", h.Title)
		return err
	}
	end := s.working("trying the hook of " + h.Title)
	report, err := diagnose.Calls(ctx, h, own, s.dir)
	end()
	var fault string
	switch {
	case ctx.Err() != nil:
		fault = "interrupted"
	case err != nil:
		_, err := terminal.Fprintf(s.stdout, "%s: the hook is installed, not tried: %v\n", h.Title, err)
		return err
	case report.Harmless.Outcome == semantics.Blocked:
		fault = fmt.Sprintf("it refused %q: %s", diagnose.Harmless, oneLine(report.Harmless.Said, 200))
	case report.Dangerous.Outcome == semantics.Allowed:
		fault = fmt.Sprintf("it let %q pass", diagnose.Dangerous)
	default:
		_, err := terminal.Fprintf(s.stdout, "%s: the hook works: %q %s, %q is %s\n", h.Title, diagnose.Harmless, outcomeWords[report.Harmless.Outcome], diagnose.Dangerous,
			outcomeWords[report.Dangerous.Outcome])
		return err
	}
	s.failed++
	changes, err := s.installer.Uninstall(h, install.User)
	if err != nil {
		return hookError(err)
	}
	for _, c := range changes {
		if err := s.installer.Apply(c); err != nil {
			return err
		}
	}
	if err := s.ledger.forgetHooks([]string{h.Name}); err != nil {
		return err
	}
	s.retireJudges(s.installer)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = terminal.Fprintf(s.stdout, "%s: the hook is taken out again: %s\n", h.Title, fault)
	return err
}
