// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// The functions with a pattern, which is compiled with the rule. A pattern that is made when a
// call comes in could be made by the call.
const (
	matchesFunction = "matches"
	globFunction    = "glob"
)

const (
	// maxPattern bounds a compiled pattern, in instructions.
	maxPattern = 1000
	// maxSteps bounds the work of a pattern on a text: instructions times bytes. It takes
	// some tenths of a second at most.
	maxSteps = 32 << 20
)

var (
	errPattern = errors.New("a pattern must be a literal: what a call or a session says could change what it means")
	errLong    = errors.New("a text is too long for the pattern that it is matched with")
)

// patterns has the patterns of matches and glob compiled once, and their work bounded.
func patterns() cel.ProgramOption {
	optimization := func(function, overload string, translate func(string) string) *interpreter.RegexOptimization {
		return &interpreter.RegexOptimization{Function: function, OverloadID: overload, RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
				return plan(call, translate(pattern))
			}}
	}
	same := func(s string) string { return s }
	return cel.OptimizeRegex(
		optimization(matchesFunction, "matches", same),
		optimization(matchesFunction, "matches_string", same),
		optimization(globFunction, "glob_string_string", translateGlob),
	)
}

func plan(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
	re, err := types.CompileRegexWithLimit(pattern, maxPattern)
	if err != nil {
		return nil, err
	}
	size, err := types.RegexProgramSize(pattern)
	if err != nil {
		return nil, err
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
		s, ok := args[0].(types.String)
		switch {
		case !ok:
			return types.MaybeNoSuchOverloadErr(args[0])
		case len(s) > maxSteps/size:
			return types.WrapErr(errLong)
		}
		return types.Bool(re.MatchString(string(s)))
	}), nil
}

// translateGlob writes a glob as a regular expression: ** stands for any characters, * and ?
// for any and for one other than the slash, everything else for itself.
func translateGlob(glob string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for glob != "" {
		n := 1
		switch {
		case strings.HasPrefix(glob, "**"):
			n = 2
			b.WriteString(".*")
		case glob[0] == '*':
			b.WriteString("[^/]*")
		case glob[0] == '?':
			b.WriteString("[^/]")
		default:
			if n = strings.IndexAny(glob, "*?"); n < 0 {
				n = len(glob)
			}
			b.WriteString(regexp.QuoteMeta(glob[:n]))
		}
		glob = glob[n:]
	}
	b.WriteString(`\z`)
	return b.String()
}

// A literals validator refuses what is wrong with the literal arguments of some functions: a
// malformed pattern, a root of within that is not clean.
type literals struct{}

// Name implements cel.ASTValidator.
func (literals) Name() string { return "toolvet.literals" }

// Validate implements cel.ASTValidator.
func (literals) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		args := call.Args()
		if len(args) == 0 {
			return
		}
		last := args[len(args)-1]
		s, literal := last.AsLiteral().(types.String)
		switch call.FunctionName() {
		case matchesFunction, globFunction:
			if err := faultOf(call.FunctionName(), string(s), literal); err != nil {
				issues.ReportErrorAtID(last.ID(), "%s", err)
			}
		case withinFunction:
			if literal && !clean(string(s)) {
				issues.ReportErrorAtID(last.ID(), "%s", errRoot)
			}
		}
	}))
}

func faultOf(function, pattern string, literal bool) error {
	if !literal {
		return errPattern
	}
	if function == globFunction {
		pattern = translateGlob(pattern)
	}
	_, err := types.CompileRegexWithLimit(pattern, maxPattern)
	return err
}
