// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"
)

const (
	wordlists   = "carlospolop/Auto_Wordlists"
	wordlistsAt = "5fed4d72441d2d7406d5e5ada625332a047bfb1f"
)

// The sources of each corpus. None is a source of ../shared/corpora, though the lists of payloads share rows with those.
var sources = map[string][]source{
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
