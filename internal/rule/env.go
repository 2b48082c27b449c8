// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/toolvet/toolvet/schema"
)

// maxExpression bounds an expression, in characters.
const maxExpression = 64 << 10

// An environment is what expressions are checked and run in.
type environment struct {
	*cel.Env
	provider *provider
}

// newEnvironment makes the environment that all rules share: everything but args.
func newEnvironment(more ...cel.EnvOption) (*environment, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	d := dynamic{registry}
	p := &provider{Provider: registry, properties: properties(), dynamic: d}
	options := []cel.EnvOption{
		cel.StdLib(),
		ext.Network(),
		cel.CustomTypeProvider(p),
		cel.CustomTypeAdapter(d),
		cel.Variable("session", sessionType),
		cel.Variable("server", serverType),
		cel.Variable("tool", toolType),
		cel.Variable("request", requestType),
		cel.Variable("now", cel.TimestampType),
		cel.EnableIdentifierEscapeSyntax(), // args.`my-name`
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ASTValidators(literals{}),
	}
	env, err := cel.NewCustomEnv(slices.Concat(options, doors(), functions(), more)...)
	if err != nil {
		return nil, err
	}
	return &environment{env, p}, nil
}

// untyped adds args whose fields nothing is known of.
func (e *environment) untyped() (*environment, error) {
	env, err := e.Extend(cel.Variable("args", cel.DynType))
	return &environment{env, e.provider}, err
}

// typed adds args as a tool's input schema declares them.
func (e *environment) typed(inputSchema string) (*environment, error) {
	s := shaper{objects: map[string]*shape{}}
	args, err := s.arguments([]byte(inputSchema))
	if err != nil {
		return nil, fmt.Errorf("the tool's input schema cannot be read: %w", err)
	}
	p := *e.provider
	p.objects = s.objects
	env, err := e.Extend(cel.CustomTypeProvider(&p), cel.Variable("args", args.typ))
	return &environment{env, &p}, err
}

// doors let args be asked by index for names that the tool does not declare. They need no
// implementation: arguments are a map when a rule runs.
func doors() []cel.EnvOption {
	args := cel.ObjectType(argumentsType)
	return []cel.EnvOption{
		cel.Function(operators.Index, cel.Overload("index_args", []*cel.Type{args, cel.StringType}, cel.DynType)),
		cel.Function(operators.In, cel.Overload("in_args", []*cel.Type{cel.StringType, args}, cel.BoolType)),
	}
}

// A condition is an expression that is ready to run. The zero condition is always true.
type condition struct {
	program cel.Program // nil: always true
	guard   guard
	loops   bool // it has a comprehension, which looks at the context
}

// condition compiles an expression. It is parsed each time, because checking changes what
// was parsed. An expression that is to be compiled again for a tool may be of any type where
// args is.
func (e *environment) condition(when string, costLimit uint64, again bool) (condition, []fault) {
	checked, issues := e.Compile(when)
	if issues.Err() != nil {
		return condition{}, e.faults(issues, common.NewTextSource(when))
	}
	if again && checked.OutputType().IsDyn() {
		return condition{}, nil
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return condition{}, []fault{{1, 1, fmt.Sprintf("a condition must be of type bool, and this is of type %s: compare it, as in … == true", cel.FormatCELType(t)), ""}}
	}
	program, err := e.Program(checked,
		cel.EvalOptions(cel.OptOptimize), patterns(),
		cel.CostTracking(meter{}), cel.CostLimit(costLimit), cel.InterruptCheckFrequency(interruptEvery))
	if err != nil {
		return condition{}, []fault{{1, 1, err.Error(), ""}}
	}
	return condition{program, guardOf(checked.NativeRep()), loops(checked.NativeRep())}, nil
}

// loops reports whether an expression has a comprehension: CEL looks at the context nowhere else.
func loops(checked *ast.AST) bool {
	found := false
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.ComprehensionKind
	}))
	return found
}

// interruptEvery is how many rounds of a comprehension go by between two looks at the
// context.
const interruptEvery = 64

// A fault is one thing that is wrong with an expression.
type fault struct {
	line, column int // in characters, from 1
	message      string
	excerpt      string
}

func (e *environment) faults(issues *cel.Issues, source cel.Source) []fault {
	var list []fault
	for _, issue := range issues.Errors() {
		_, excerpt, _ := strings.Cut(issue.ToDisplayString(source), "\n")
		list = append(list, fault{
			line: max(issue.Location.Line(), 1), column: max(issue.Location.Column(), 0) + 1,
			message: issue.Message + e.provider.advice(issue.Message), excerpt: excerpt,
		})
	}
	return list
}

// advice says how to mend what CEL complains of, or nothing. An issue of CEL has words and a place, and no code.
func (p *provider) advice(message string) string {
	if field, ok := strings.CutPrefix(message, "undefined field '"); ok {
		return p.hint(strings.TrimSuffix(field, "'"))
	}
	if strings.HasSuffix(message, "applied to '(double, int)'") || strings.HasSuffix(message, "applied to '(int, double)'") {
		return ": a double is written with a point, as 5.0"
	}
	return ""
}

// hint names the field that was probably meant.
func (p *provider) hint(field string) string {
	var names []string
	for _, property := range p.properties[sessionType.TypeName()] {
		names = append(names, property.name)
	}
	for _, o := range p.objects {
		for name := range o.fields {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if near := schema.Nearest(field, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}
