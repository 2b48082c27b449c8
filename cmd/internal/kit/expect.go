// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"encoding/json"
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// vocabulary are the variables of expectations.
var vocabulary = map[string]string{
	"revision":   "the revision of MCP in use",
	"handshake":  "the result of initialize or server/discover",
	"tools":      "all tools that the server lists",
	"capability": "the first object that announces the protocol",
	"validate":   "the name of the validate tool",
	"answer":     "the answer to the step's request, a JSON-RPC message",
	"answers":    "the answers of the scenario so far",
	"verdict":    "the answer's verdict: its structuredContent, or the JSON in its first text",
	"text":       "the answer's first text",
	"refusal":    "the verdict in the _meta of the answer; null: none",
	"notes":      "the notifications of the peer during the step",
	"late":       "the notifications of the scenario that came while the kit had asked for nothing",
	"rising":     "whether the progress in notes rises, and stays within its total",
	"ran":        "how often conformance_write ran since the scenario began",
	"behind":     "the requests that a proxy or a client made to the server that the kit plays",
	"reply":      "the reply of a client",
	"log":        "the lines that a client logged",
}

var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.Function("json", cel.Overload("json_string", []*cel.Type{cel.StringType}, cel.DynType, cel.UnaryBinding(parsed))),
	}
	for name := range vocabulary {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	return cel.NewEnv(options...)
})

// parsed is the function json of expectations: the value of a JSON text.
func parsed(text ref.Val) ref.Val {
	var v any
	if err := json.Unmarshal([]byte(text.Value().(string)), &v); err != nil {
		return types.NewErr("no JSON: %v", err)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

func compile(expression string) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(ast)
}

// holds evaluates an expectation. The error says how it fails.
func holds(expression string, facts map[string]any) error {
	program, err := compile(expression)
	if err != nil {
		return fmt.Errorf("the scenario is wrong: %w", err)
	}
	complete := make(map[string]any, len(vocabulary))
	for name := range vocabulary {
		complete[name] = facts[name]
	}
	value, _, err := program.Eval(complete)
	switch {
	case err != nil:
		return fmt.Errorf("does not hold: %s (%v)%s", expression, err, shown(facts))
	case value != types.True:
		return fmt.Errorf("does not hold: %s%s", expression, shown(facts))
	}
	return nil
}

// maxShown bounds what a failure quotes.
const maxShown = 700

func shown(facts map[string]any) string {
	for _, name := range []string{"reply", "answer", "handshake"} {
		v, ok := facts[name]
		if !ok || v == nil {
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			continue
		}
		if len(text) > maxShown {
			text = append(text[:maxShown], "…"...)
		}
		return fmt.Sprintf("; %s: %s", name, text)
	}
	return ""
}
