// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

const (
	wordlists   = "carlospolop/Auto_Wordlists"
	wordlistsAt = "5fed4d72441d2d7406d5e5ada625332a047bfb1f"

	// of the second round
	prometheusAt  = "d15adb9ad7e5d9fbde3a9a8f30200593a5a14d86"
	pydanticAt    = "4fda38988f2939fa6ea9cdefcf120693e10ef491"
	flaskAt       = "2ac89889f4cc330eabd50f295dcef02828522c69"
	readabilityAt = "ab4027a8b37669745016869a37a504727992b2ba"
	awslabsAt     = "100b55b6d92f731bc8d23486ce9efd5bbf90c606"
)

// Rounds are the sources of each corpus, by the round in which they were chosen. None is a source of ../shared/corpora, though the
// lists of payloads share rows with those. A round is fixed before its first run, and seen after it: the next figure needs another.
var rounds = []map[string][]source{firstRound, secondRound, thirdRound}

// firstRound was run on 2026-11-23.
var firstRound = map[string][]source{
	"paths": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/file_inclusion_linux.txt", class: "traversal-linux", rows: lines, label: labelPath},
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/file_inclusion_windows.txt", class: "traversal-windows", rows: lines, label: labelPath},
		{repo: "RedTeamRaiders/Offensive_Payloads", commit: "a7e51902c494a909175d6f0136983bb78b456a20", path: "Directory-Traversal-Payloads/Directory_Traversal.txt", class: "traversal-generated", rows: lines, label: labelPath},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "commixproject/commix", commit: "8530a48964007cb9561da47d45f396d9aef38ced", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "taoyds/spider", commit: "b7b5b8c890cd30e35427348bb9eb8c6d1350ca7c", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", class: "benign-plain", rows: names, label: always(accept)},
	},
	"urls": {
		{repo: "cujanovic/SSRF-Testing", commit: "c26c3df20bcb3d2ecfbe22cdf7ae8f4ff7bc0284", path: "cloud-metadata.txt", class: "metadata", rows: links, label: labelMetadata},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", path: "README.md", class: "benign-link", rows: links, label: always(accept)},
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", path: "README.md", class: "benign-link", rows: links, label: labelLink},
	},
	"commands": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/command_injection.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{repo: "TellinaTool/nl2bash", commit: "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", path: "data/bash/all.cm", class: "benign-cmd", rows: lines, label: labelCommand},
	},
	"secrets": {
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", path: "pkg/detectors/*_test.go", class: "detector", rows: detected, label: always(flagged)},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", path: "README.md", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "commixproject/commix", commit: "8530a48964007cb9561da47d45f396d9aef38ced", path: "*.py", class: "clean-code", rows: lines, label: always(clean)},
		{repo: "TellinaTool/nl2bash", commit: "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", path: "data/bash/all.cm", class: "clean-command", rows: lines, label: always(clean)},
	},
	"sql": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/sqli.txt", class: "inj-list", rows: lines, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/advanced.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/error.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/union.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/time_based.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "taoyds/spider", commit: "b7b5b8c890cd30e35427348bb9eb8c6d1350ca7c", path: "evaluation_examples/gold_example.txt", class: "select-sqlite", rows: beforeTab, label: always(accept), dialect: "sqlite"},
	},
}

// secondRound was run on 2026-11-27: other secrets, and texts with orders that hide or disguise themselves, beside whole documents
// without any.
var secondRound = map[string][]source{
	"secrets": {
		{repo: "praetorian-inc/noseyparker", commit: "2e6e7f36ce36619852532bbe698d8cb7a26d2da7", path: "crates/noseyparker/data/default/builtin/rules/*.yml", class: "rule-example", rows: examples, label: always(flagged)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "cmd/*.go", class: "clean-go", rows: lines, label: always(clean)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "docs/*.md", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "documentation/*.yml", class: "clean-configuration", rows: lines, label: always(clean)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "go.sum", class: "clean-lock-file", rows: lines, label: always(clean)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "web/ui/*package-lock.json", class: "clean-lock-file", rows: lines, label: always(clean)},
		{repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "pydantic_ai_slim/*.py", class: "clean-python", rows: lines, label: always(clean)},
		{repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "uv.lock", class: "clean-lock-file", rows: lines, label: always(clean)},
		{repo: "expressjs/express", commit: "a3714473feb3d2908add734d340e7755fd85e0a3", path: "*.js", class: "clean-javascript", rows: lines, label: always(clean)},
		{repo: "pallets/flask", commit: flaskAt, path: "docs/*.rst", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "tstack/lnav", commit: "bb0005f96c8dc486ee0b9005a4562be0ef61c878", path: "test/logfile*", class: "clean-log", rows: lines, label: always(clean)},
	},
	"injection": {
		{repo: "tbartel74/Vigil-Guard", commit: "02e26ff197cb85d296e557f32f0722560b965ab7", path: "services/workflow/tests/fixtures/owasp-aitg-app-02.json", class: "indirect", rows: texts, label: always(flagged)},
		{repo: "opena2a-org/open-agent-security-benchmark", commit: "fc8554852ee8e10d97254cdf6f84d0201e33c783", path: "corpus/batch-stego.json", class: "steganography", rows: texts, label: always(flagged)},
		{repo: "opena2a-org/open-agent-security-benchmark", commit: "fc8554852ee8e10d97254cdf6f84d0201e33c783", path: "corpus/batch-injection.json", class: "definition", rows: texts, label: labelDisguised},
		{repo: "fr4nk3nst1ner/aiml-testing", commit: "b3b130f2edd15a3df2cacda3cffffb115994868e", path: "prompt-injection-tests/0*.md", class: "issue", rows: fenced, label: labelDisguised},
		{repo: "gtech/moltshield", commit: "8bba101b7dfc57052c43ea17960eaccd2f15aaa8", path: "tests/benchmarks/framework/datasets.ts", class: "scenario", rows: malicious, label: labelDisguised},
		{repo: "bountyyfi/invisible-prompt-injection", commit: "c669bb2c70ca33fdf15f6b4827d680e15f5e95b0", path: "poisoned/Readme.md", class: "readme", rows: whole, label: always(flagged)},

		{repo: "mozilla/readability", commit: readabilityAt, path: "test/test-pages/*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "mozilla/readability", commit: readabilityAt, path: "test/test-pages/*.json", class: "json", rows: whole, label: always(clean)},
		{repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "microsoft/autogen", commit: "027ecf0a379bcc1d09956d46d12d44a3ad9cee14", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "langchain-ai/langgraph", commit: "f09cfe8ffc1eeffd68f4b628ed69c30f7cad229f", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "openai/openai-agents-python", commit: "7f7a44f8dc0650296bd5ab6c745c9bcbaa6ac3b7", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "awslabs/mcp", commit: awslabsAt, path: "*.md", class: "server-document", rows: whole, label: always(clean)},
		{repo: "awslabs/mcp", commit: awslabsAt, path: "*.json", class: "json", rows: whole, label: always(clean)},
		{repo: "apache/maven", commit: "540897d3d3c329a38e4df9648249c9d407dbc8c2", path: "*.xml", class: "xml", rows: whole, label: always(clean)},
		{repo: "pallets/flask", commit: flaskAt, path: "*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "pallets/flask", commit: flaskAt, path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{repo: "prometheus/prometheus", commit: prometheusAt, path: "*.md", class: "document", rows: whole, label: always(clean)},
	},
}

// thirdRound was run on 2026-11-27, after the checks were mended for the second. Half of kingfisher's examples are those of noseyparker, which
// the second round has, and left out.
var thirdRound = map[string][]source{
	"secrets": {
		{repo: "mongodb/kingfisher", commit: "ee7c0db3ef87575768f817820c24736249ffcdef", path: "data/rules/*.yml", class: "rule-example", rows: kingfisher, label: always(flagged), without: secondRound["secrets"][:1]},
		{repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.py", class: "clean-python", rows: lines, label: always(clean)},
		{repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.md", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.rb", class: "clean-ruby", rows: lines, label: always(clean)},
		{repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.md", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.java", class: "clean-java", rows: lines, label: always(clean)},
		{repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.xml", class: "clean-configuration", rows: lines, label: always(clean)},
		{repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.yml", class: "clean-configuration", rows: lines, label: always(clean)},
		{repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "packages/*.ts", class: "clean-typescript", rows: lines, label: always(clean)},
		{repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "pnpm-lock.yaml", class: "clean-lock-file", rows: lines, label: always(clean)},
		{repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.toml", class: "clean-configuration", rows: lines, label: always(clean)},
	},
	"injection": {
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/obfuscation.jsonl", class: "obfuscation", rows: userInputs, label: always(flagged)},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/obfuscation_advanced.jsonl", class: "obfuscation", rows: userInputs, label: always(flagged)},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/tool_agent_abuse.jsonl", class: "tool-agent-abuse", rows: userInputs, label: labelDisguised},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/data_exfiltration.jsonl", class: "data-exfiltration", rows: userInputs, label: labelDisguised},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/instruction_override.jsonl", class: "instruction-override", rows: userInputs, label: labelDisguised},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/instruction_override_advanced.jsonl", class: "instruction-override", rows: userInputs, label: labelDisguised},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/context_inconsistency.jsonl", class: "context-inconsistency", rows: userInputs, label: labelDisguised},
		{repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/context_inconsistency_advanced.jsonl", class: "context-inconsistency", rows: userInputs, label: labelDisguised},
		{repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/injection.ts", class: "injection", rows: prompts, label: labelDisguised},
		{repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/encoding.ts", class: "encoding", rows: prompts, label: labelDisguised},
		{repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/tool-abuse.ts", class: "tool-abuse", rows: prompts, label: labelDisguised},
		{repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/bypass.ts", class: "bypass", rows: prompts, label: labelDisguised},
		{repo: "gocko1004/ai-prompt-injection-lab", commit: "df7b10ce8260bfb2cde999aae847ad1d8165595c", path: "attacks/*.md", class: "report", rows: fenced, label: labelDisguised},
		{repo: "gocko1004/ai-prompt-injection-lab", commit: "df7b10ce8260bfb2cde999aae847ad1d8165595c", path: "reports/*.md", class: "report", rows: fenced, label: labelDisguised},
		{repo: "screem500/prompt-injection-auditor", commit: "30c34b5114bb873ea81cec4382341ac2a73ef91c", path: "references/test-payloads.md", class: "payload", rows: fenced, label: labelDisguised},
		{repo: "adbar/trafilatura", commit: "e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "microsoft/semantic-kernel", commit: "b39d95a34435f4c1d55dd00c86120ce118d847e1", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{repo: "microsoft/semantic-kernel", commit: "b39d95a34435f4c1d55dd00c86120ce118d847e1", path: "*.json", class: "json", rows: whole, label: always(clean)},
		{repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.json", class: "json", rows: whole, label: always(clean)},
		{repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.html", class: "page", rows: whole, label: always(clean)},
	},
}

func always(label string) func(string) string { return func(string) string { return label } }

func lines(text string) []string { return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") }

func names(text string) []string { return strings.Split(text, "\x00") }

func beforeTab(text string) (found []string) {
	for line := range strings.Lines(text) {
		query, _, _ := strings.Cut(line, "\t")
		found = append(found, query)
	}
	return found
}

var (
	link    = regexp.MustCompile("https?://[^\\s<>\"'`()\\[\\]]+")
	literal = regexp.MustCompile(`(?m)^\s+r?"((?:[^"\\]|\\.)*)",?$`)
)

// detected is a text with a secret in the test of a detector: the first that it must find.
var firstInput = regexp.MustCompile("input:\\s*`([^`]*)`,\\s*want:\\s*\\[\\]string\\{\"")

func detected(text string) (found []string) {
	if m := firstInput.FindStringSubmatch(text); m != nil {
		found = append(found, m[1])
	}
	return found
}

func links(text string) []string { return link.FindAllString(text, -1) }

// literals are the strings of a list in Python.
func literals(text string) (found []string) {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]))
	}
	return found
}

// whole is a document as one row.
func whole(text string) []string { return []string{text} }

// examples are those of a rule of noseyparker that finds secrets, and no names or hosts.
func examples(text string) (found []string) {
	var file struct {
		Rules []struct {
			Examples, Categories []string
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil
	}
	for _, r := range file.Rules {
		if slices.Contains(r.Categories, "secret") {
			found = append(found, r.Examples...)
		}
	}
	return found
}

// kingfisher are the examples of a rule of kingfisher that finds secrets: one without "visible: false", which names a part of another.
func kingfisher(text string) (found []string) {
	var file struct {
		Rules []struct {
			Examples []string
			Visible  *bool
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil
	}
	for _, r := range file.Rules {
		if r.Visible == nil || *r.Visible {
			found = append(found, r.Examples...)
		}
	}
	return found
}

// userInputs are the members "user_input" of lines of JSON.
func userInputs(text string) (found []string) {
	for line := range strings.Lines(text) {
		var row struct {
			UserInput string `json:"user_input"`
		}
		if err := json.Unmarshal([]byte(line), &row); err == nil {
			found = append(found, row.UserInput)
		}
	}
	return found
}

// texts are the strings of a JSON document's arrays, and the members "content" of objects.
func texts(text string) (found []string) {
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil
	}
	var walk func(v any, counts bool)
	walk = func(v any, counts bool) {
		switch v := v.(type) {
		case string:
			if counts {
				found = append(found, v)
			}
		case []any:
			for _, e := range v {
				walk(e, true)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], name == "content")
			}
		}
	}
	walk(document, false)
	return found
}

var fence = regexp.MustCompile("(?ms)^```[^\n]*\n(.*?)^```")

// fenced are the blocks of code of a Markdown document.
func fenced(text string) (found []string) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

const stringMember = ":\\s*(?:`([^`]*)`|\"((?:[^\"\\\\]|\\\\.)*)\")"

var (
	maliciousContent = regexp.MustCompile("(?s)maliciousContent" + stringMember)
	prompt           = regexp.MustCompile("(?s)prompt" + stringMember)
)

// malicious are the members "maliciousContent" of objects in TypeScript.
func malicious(text string) []string { return members(maliciousContent, text) }

// prompts are the members "prompt".
func prompts(text string) []string { return members(prompt, text) }

func members(name *regexp.Regexp, text string) (found []string) {
	for _, m := range name.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(m[1]+m[2]))
	}
	return found
}
