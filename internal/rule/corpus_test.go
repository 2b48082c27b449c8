// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

var plain = regexp.MustCompile(`^[A-Za-z0-9_./ -]+$`)

// TestRealSchemas holds that the arguments of every real tool have types, and that rules can name
// every declared argument.
func TestRealSchemas(t *testing.T) {
	t.Parallel()
	set := mustCompile(t, Rule{Name: "a", Tools: []string{"read"}, When: "true"})
	tools, arguments, typedArguments, named := 0, 0, 0, 0
	corpora.Lines(t, "schemas", func(line []byte) {
		var row struct {
			ID     string
			Kind   string
			Schema json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		env, err := set.env.typed(string(row.Schema))
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
			return
		}
		tools++
		var declared struct{ Properties map[string]json.RawMessage }
		_ = json.Unmarshal(row.Schema, &declared) // a schema of another form declares nothing
		var conditions []string
		for name := range declared.Properties {
			arguments++
			if root := env.provider.objects[argumentsType]; root != nil && root.fields[name] != anything {
				typedArguments++
			}
			if plain.MatchString(name) {
				named++
				conditions = append(conditions, "has(args.`"+name+"`)")
			}
			conditions = append(conditions, strconv.Quote(name)+" in args")
		}
		if len(conditions) == 0 {
			return
		}
		if _, faults := env.condition(strings.Join(conditions, " || "), defaultCost, false); faults != nil {
			t.Errorf("%s: %v", row.ID, faults)
		}
	})
	t.Logf("%d schemas, %d arguments, of which %d have a type and %d can be named with a point", tools, arguments, typedArguments, named)
}

// TestValidArguments holds that values allowed by a schema have the type that rules assume: a
// rule must not break over a valid call.
func TestValidArguments(t *testing.T) {
	t.Parallel()
	d := mustCompile(t).env.provider.dynamic
	cases := 0
	corpora.Lines(t, "schema_cases", func(line []byte) {
		var row struct {
			Schema, Arguments json.RawMessage
			Valid             bool
		}
		if err := json.Unmarshal(line, &row); err != nil || !row.Valid {
			return
		}
		args, err := call.DecodeArguments(row.Arguments, call.Limits{})
		if err != nil {
			return // refused before any rule sees it
		}
		s := shaper{}
		root, err := s.arguments(row.Schema)
		if err != nil {
			return // likewise
		}
		cases++
		if where := misfit(typed{root, d}, args, ""); where != "" {
			t.Errorf("%s is not of its type: %s of %s", where, row.Arguments, row.Schema)
		}
	})
	t.Logf("%d valid calls", cases)
}

// misfit returns the place of a value with a type other than the known one, or "".
func misfit(t typed, v any, at string) string {
	if err, ok := t.NativeToValue(v).(*types.Err); ok && !errors.Is(err, errRange) {
		return at + "/"
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if t.fields == nil || t.field(name) == nil {
				continue
			}
			if where := misfit(typed{t.field(name), t.dynamic}, e, at+"/"+name); where != "" {
				return where
			}
		}
	case []any:
		for i, e := range v {
			if t.elem == nil {
				break
			}
			if where := misfit(typed{t.elem, t.dynamic}, e, at+"/"+strconv.Itoa(i)); where != "" {
				return where
			}
		}
	}
	return ""
}
