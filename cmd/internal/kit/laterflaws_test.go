// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

// laterFlaws are broken servers that were found by changing a good server's code: a scenario beside theirs looked at one case alone.
var laterFlaws = map[string]flaw{
	"lets any call of a batch in":              {"token-of-a-batch-binds-its-call", "", letIn},
	"gives tokens in a batch that let none in": {"token-of-a-batch-lets-its-call-in", "", spendToken},
	"gives tokens of some levels in a batch": {"token-not-of-levels-in-a-batch", "", func(x *exchanged) {
		retokenOf(x, "validate_batch", func(any) any { return []any{aToken, aToken} })
	}},
	"spends tokens on calls that are not valid": {"token-outlives-a-call-that-is-not-valid", "", spendToken},
	"looks at the shape for syntax alone":       {"levels-with-shape-for-every-choice", "", verdicts(isAGo)},
	"takes the looks that it leaves out": {"levels-leave-out-their-findings", "", verdicts(func(v object) {
		v["warnings"] = []any{"an odd path"}
		v["findings"] = []any{object{"code": "SEMANTIC", "check": "odd", "level": "semantic", "severity": "warning", "pointer": "", "message": "an odd path"}}
	})},
	"warns outside of its findings": {"levels-warn-in-findings", "", verdicts(func(v object) { v["findings"] = []any{} })},
	"runs the batch in a dry run":   {"batch-in-a-dry-run-is-not-judged", "", verdicts(func(v object) { v["valid"], v["errors"] = false, []any{"calls/0: no"} })},
	"takes null for no arguments":   {"arguments-that-are-null", "", verdicts(isAGo)},
	"writes errors on two lines":    {"errors-are-lines", "", texts(func(s string) string { return s + "\nsee above" })},
	"finds tools in any case":       {"names-in-another-case-are-no-tools", "", verdicts(isAGo)},
	"reads digits as numbers":       {"digits-are-no-number", "", verdicts(isAGo)},
	"repeats values in the verdict of a refusal": {"refused-call-has-no-values-in-its-verdict", "", refusals(func(r object) {
		r["_meta"].(object)["io.github.toolvet/verdict"].(object)["warnings"] = []any{"got hunter2-Zebra-7731"}
	})},
	"reports faults without their id": {"faults-have-their-id", "", func(x *exchanged) {
		if x.answer["error"] != nil {
			x.answer["id"] = nil
		}
	}},
}

func isAGo(v object) { v["valid"], v["errors"] = true, []any{} }

// laterClientFlaws are broken clients that were found in the same way.
var laterClientFlaws = map[string]clientFlaw{
	"takes what is not complete":     {"client-native-is-not-complete", func(r map[string]any) { r["method"] = "native" }, nil},
	"wants three members":            {"client-native-lacks-suggestions", func(r map[string]any) { r["method"] = "native" }, nil},
	"drops the server's doubts":      {"client-keeps-native-texts", func(r map[string]any) { r["warnings"] = []any{} }, nil},
	"reads the last text":            {"client-reads-the-first-text", func(r map[string]any) { r["valid"] = true }, nil},
	"tries the other object":         {"client-ignores-the-other-without-a-tool", nil, func(list []any) []any { return append(list, called("validate")) }},
	"asks a tool that wants more":    {"client-asks-no-tool-that-wants-more", nil, func(list []any) []any { return append(list, called("validate")) }},
	"asks about what does not fit":   {"client-asks-only-what-fits", nil, func(list []any) []any { return append(list, called("validate")) }},
	"asks a batch tool that changes": {"client-asks-no-batch-tool-that-changes", nil, func(list []any) []any { return append(list, called("dry_run_batch")) }},
	"sends batches of any length": {"client-batch-within-its-size", nil, func(list []any) []any {
		call := called("dry_run_batch")
		call.(object)["params"].(object)["arguments"] = object{"calls": []any{object{}, object{}}}
		return append(list, call)
	}},
	"believes in results that are missing": {"client-batch-lacks-results", func(r map[string]any) {
		last := r["results"].([]any)[1].(map[string]any)
		last["valid"], last["method"] = true, "native"
	}, nil},
}
