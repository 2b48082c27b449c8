// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"strings"
)

// aGo is the answer of a server that finds nothing wrong.
const aGo = `{"valid":true,"errors":[],"warnings":[],"suggestions":[]}`

// furtherFlaws are broken servers beside basicFlaws: those that differ from a good one in a detail of a form.
var furtherFlaws = map[string]flaw{
	// The capability and the tools.
	"announces version 1":               {"capability-version", "", both(func(c object) { c["version"] = "1" })},
	"announces version 1.0.0":           {"capability-version", "", both(func(c object) { c["version"] = "1.0.0" })},
	"announces version v1.0":            {"capability-version", "", both(func(c object) { c["version"] = "v1.0" })},
	"announces its version as a number": {"capability-required-options", "", both(func(c object) { c["version"] = 1.0 })},
	"judges under a bare name": {"tool-of-another-name-says-that-it-judges", "", func(x *exchanged) {
		x.announced(func(c object) { c["method"] = "judge" })
		x.listed("validate", func(t object) {
			t["name"] = "judge"
			delete(t, "outputSchema")
			delete(t, "annotations")
		})
	}},
	"says nothing of reading batches": {"batch-tool-annotations", "", definition("validate_batch", func(t object) { delete(t["annotations"].(object), "readOnlyHint") })},

	// Results and their texts.
	"says valid as a text":      {"core-members", "", verdicts(func(v object) { v["valid"] = "true" })},
	"writes errors as one text": {"core-members", "", verdicts(func(v object) { v["errors"] = "" })},
	"writes errors as objects": {"core-members", "", verdicts(func(v object) {
		for i, e := range v["errors"].([]any) {
			v["errors"].([]any)[i] = object{"message": e}
		}
	})},
	"proposes the caller's values": {"no-value-of-the-arguments", "", func(x *exchanged) {
		x.verdict(func(v object) { eachObject(v["findings"], func(f object) { f["value"] = x.arguments()["mode"] }) })
	}},
	"writes places without a slash": {"errors-begin-with-a-place", "", texts(func(s string) string { return strings.TrimPrefix(s, "/") })},
	"writes places as fragments": {"errors-begin-with-a-place", "", texts(func(s string) string {
		if strings.HasPrefix(s, "/") {
			return "#" + s
		}
		return s
	})},
	"escapes no slash":           {"places-are-escaped", "", texts(func(s string) string { return strings.Replace(s, "/a~1b", "/a/b", 1) })},
	"escapes no tilde":           {"places-are-escaped", "", texts(func(s string) string { return strings.Replace(s, "/m~0n", "/m~n", 1) })},
	"escapes what it escaped":    {"places-are-escaped", "", texts(func(s string) string { return strings.Replace(s, "/a~1b", "/a~01b", 1) })},
	"reads escapes in a name":    {"places-are-escaped", "", texts(func(s string) string { return strings.Replace(s, "/~01", "/~1", 1) })},
	"has no place for no name":   {"place-of-an-empty-name", "", texts(func(s string) string { return strings.TrimPrefix(s, "/: ") })},
	"begins lines with a colon":  {"all-of-the-arguments-is-no-place", "", texts(func(s string) string { return ": " + s })},
	"takes a list for arguments": {"arguments-that-are-no-object", "", verdicts(func(v object) { v["valid"], v["errors"] = true, []any{} })},
	"forgives half a dry run":    {"validate-is-judged-by-its-schema", "", verdicts(func(v object) { v["valid"], v["errors"] = true, []any{} })},
	"takes the last of two keys": {"key-given-twice-in-a-dry-run", "", verdicts(func(v object) { v["valid"], v["errors"] = true, []any{} })},

	// Requests of the wrong form.
	"takes dry runs without arguments":     {"dry-run-without-its-own-arguments", "", passDryRun},
	"takes dry runs of nothing":            {"dry-run-without-a-tool", "", passDryRun},
	"reads members in any case":            {"members-in-another-case", "", passDryRun},
	"judges one of two tools":              {"dry-run-with-a-member-twice", "", passDryRun},
	"refuses dry runs without the key":     {"refused-dry-run", "", func(x *exchanged) { onRefusal(x, func(r object) { delete(r, "_meta") }) }},
	"refuses dry runs with a structure":    {"refused-dry-run", "", func(x *exchanged) { onRefusal(x, func(r object) { r["structuredContent"] = object{"valid": false} }) }},
	"takes unknown tools live":             {"unknown-tool-live", "", func(x *exchanged) { passWhere(x, x.tool == "no_such_tool_of_anybody") }},
	"takes unknown methods":                {"every-request-is-answered", "", func(x *exchanged) { passWhere(x, x.method == "no/such/method") }},
	"lets wrong numbers in live":           {"dry-and-live-see-the-same", "", func(x *exchanged) { letInWhere(x, "/retries") }},
	"refuses without a type of the result": {"refused-call-is-complete", "2026-07-28", refusals(func(r object) { delete(r, "resultType") })},

	// Batches.
	"judges the first three calls": {"batch-of-many", "", batches(func(v object) { passFrom(v, 3) })},
	"answers the first three calls": {"batch-of-many", "", batches(func(v object) {
		list := v["results"].([]any)
		v["results"] = list[:min(3, len(list))]
	})},
	"counts calls from one": {"batch-texts-name-their-entry", "", batches(func(v object) {
		v["errors"] = eachText(v["errors"], func(s string) string { return strings.Replace(s, "calls/1", "calls/2", 1) })
	})},
	"writes other things about a batch": {"batch-text-equals-structure", "", func(x *exchanged) { proseOf(x, "validate_batch") }},
	"has no type of a batch's result":   {"batch-result-is-complete", "2026-07-28", func(x *exchanged) { deleteOf(x, "validate_batch", "resultType") }},
	"forgives entries of a wrong type":  {"batch-entry-of-the-wrong-shape", "", batches(func(v object) { passFrom(v, 2) })},
	"forgives foreign members of calls": {"batch-entry-with-another-member", "", batches(func(v object) { passFrom(v, 0) })},
	"takes batches of any length":       {"batch-too-long", "", passBatch},

	// Ids and progress.
	"takes digits for a number": {"ids-of-every-kind", "", func(x *exchanged) {
		if x.answer["id"] == "1001" {
			x.answer["id"] = 1001
		}
	}},
	"has no texts for ids": {"ids-of-every-kind", "", func(x *exchanged) { forget(x, func(id any) bool { _, text := id.(string); return text }) }},
	"has 32 bits for ids":  {"ids-that-are-large", "", func(x *exchanged) { forget(x, func(id any) bool { n, _ := id.(float64); return n > 1<<32 }) }},
	"takes id 0 for none":  {"id-zero", "", func(x *exchanged) { forget(x, func(id any) bool { return id == 0.0 }) }},
	"streams nothing":      {"progress-is-sent", "", func(x *exchanged) { onProgress(x, func(object) { x.answer = nil }) }},
	"streams under a token of its own": {"progress-increases", "", func(x *exchanged) {
		onProgress(x, func(p object) { p["progressToken"] = "mine" })
	}},
	"streams under its token as text": {"progress-of-a-number", "", func(x *exchanged) {
		onProgress(x, func(p object) { p["progressToken"] = "7001" })
	}},
	"streams backwards":     {"progress-increases", "", func(x *exchanged) { onProgress(x, func(p object) { p["progress"] = -p["progress"].(float64) }) }},
	"counts past its total": {"progress-increases", "", func(x *exchanged) { onProgress(x, func(p object) { p["total"] = 0 }) }},
	"streams checks of a batch": {"progress-of-a-batch", "", func(x *exchanged) {
		onProgress(x, func(p object) { p["message"] = "input-schema" })
	}},

	// Tokens.
	"spells numbers alike":          {"token-of-another-spelling", "", letIn},
	"takes null for no token":       {"token-is-null", "", letIn},
	"takes true for a token":        {"token-is-no-string", "", letIn},
	"gives tokens for any word":     {"token-only-for-true", "", func(x *exchanged) { retoken(x, func(any) any { return aToken }) }},
	"gives tokens of some levels":   {"token-not-of-levels", "", func(x *exchanged) { retoken(x, func(any) any { return aToken }) }},
	"gives tokens of dry runs":      {"token-not-of-a-dry-run", "", func(x *exchanged) { retoken(x, func(any) any { return aToken }) }},
	"lets another tool in":          {"token-of-another-tool", "", letIn},
	"gives tokens without an end":   {"token-of-a-go", "", func(x *exchanged) { retoken(x, func(any) any { return object{"token": "toolvet-0123456789abcdef"} }) }},
	"gives tokens as texts":         {"token-of-a-go", "", func(x *exchanged) { retoken(x, func(any) any { return "toolvet-0123456789abcdef" }) }},
	"spends tokens on refusals":     {"token-outlives-a-refusal", "", spendToken},
	"takes a token for its verdict": {"token-is-no-permission", "", func(x *exchanged) { letInWhere(x, "/retries") }},
}

// merged are all flaws of several maps.
func merged[F any](all ...map[string]F) map[string]F {
	out := map[string]F{}
	for _, m := range all {
		for name, f := range m {
			if _, has := out[name]; has {
				panic("two broken peers are called " + name)
			}
			out[name] = f
		}
	}
	return out
}

// texts changes the errors of dry runs.
func texts(f func(string) string) func(*exchanged) {
	return verdicts(func(v object) { v["errors"] = eachText(v["errors"], f) })
}

// passWhere makes an answer look like that of a tool that ran.
func passWhere(x *exchanged, where bool) {
	if where {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": "written"}}}
		delete(x.answer, "error")
	}
}

// passDryRun makes a refused dry run a go.
func passDryRun(x *exchanged) {
	if x.tool == "validate" && x.result()["isError"] == true {
		x.answer["result"] = object{"content": []any{object{"type": "text", "text": aGo}}}
	}
}

// onRefusal calls f with the result of a refused dry run.
func onRefusal(x *exchanged, f func(result object)) {
	if x.tool == "validate" && x.result()["isError"] == true {
		f(x.result())
	}
}

// passFrom makes the results of a batch from one on a go.
func passFrom(v object, from int) {
	list := v["results"].([]any)
	for _, r := range list[min(from, len(list)):] {
		r.(object)["valid"], r.(object)["errors"] = true, []any{}
	}
}

// forget answers without the id that the request has.
func forget(x *exchanged, which func(id any) bool) {
	if which(x.answer["id"]) {
		x.answer["id"] = nil
	}
}

// onProgress calls f with the params of a notification of progress.
func onProgress(x *exchanged, f func(params object)) {
	if x.answer["method"] == "notifications/progress" {
		f(x.answer["params"].(object))
	}
}

// spendToken refuses what was let in with a token.
func spendToken(x *exchanged) {
	params, _ := x.request["params"].(object)
	if x.tool == "conformance_write" && orEmpty(params["_meta"])[tokenKey] != nil && x.result()["isError"] != true {
		x.answer["result"] = object{"isError": true, "content": []any{object{"type": "text", "text": "the token was used"}},
			"_meta": object{"io.github.toolvet/verdict": object{"valid": false, "errors": []any{"the token was used"}, "warnings": []any{}, "suggestions": []any{}}}}
	}
}
