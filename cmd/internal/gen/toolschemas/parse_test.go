// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `/* eslint-disable */
export type Inputs =
  | FileReadInput
  | BashInput;
// a remark
export interface FileReadInput {
  /**
   * The absolute path of the file. Long texts
   * are cut.
   */
  file_path: string;
  "-A"?: number;
  mode?: "text" | "binary" | null;
  [k: string]: { name: string; };
}
export interface BashInput {
  command: string;
  env?: { name: string; value?: unknown; }[];
  /**
   * One or two.
   *
   * @minItems 1
   */
  pair?: [string] | [string, string];
  flags?: (1 | 2 | true)[];
  some?: [string, ...(string)[]];
}
export interface BashOutput {
  text: string;
}
`

const want = `[{"name":"Read","description":"Reads a file.","inputSchema":{"type":"object","properties":{
"-A":{"type":"number"},
"file_path":{"type":"string","description":"The absolute path of the file."},
"mode":{"anyOf":[{"type":"string","enum":["text","binary"]},{"type":"null"}]}},"required":["file_path"]}},
{"name":"Bash","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{
"command":{"type":"string"},
"env":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"value":{}},"required":["name"]}},
"flags":{"type":"array","items":{"anyOf":[{"type":"number","enum":[1,2]},{"type":"boolean","enum":[true]}]}},
"pair":{"type":"array","description":"One or two.","items":{"type":"string"},"minItems":1,"maxItems":2},
"some":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["command"]}}]`

func TestConvert(t *testing.T) {
	tools, err := convert(sample)
	if err != nil {
		t.Fatal(err)
	}
	if last := tools[len(tools)-1]; last.Name != "PowerShell" || last.InputSchema != tools[1].InputSchema {
		t.Errorf("the last tool is %+v", last)
	}
	got, err := json.Marshal(tools[:len(tools)-1])
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(want, "\n", ""), string(got)); d != "" {
		t.Error(d)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no interface whose name ends in Input",
		"export interface A { a: string; }": "no interface whose name ends in Input",
		"interface AInput {}":               `line 1: "interface" stands where "export" is expected`,
		"export class AInput {}":            `is expected`,
		"export interface AInput {\n a string; }": `line 2: "string" stands where ":" is expected`,
		"export interface AInput { a: ; }":        "a type before it",
		"export interface AInput { a: string":     `"" stands where ";" is expected`,
		"export interface AInput { a: [string":    "is expected",
	} {
		if _, err := convert(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(_ *testing.T, text string) {
		if len(text) < 1000 && strings.Count(text, "(")+strings.Count(text, "[") < 100 {
			_, _ = convert(text)
		}
	})
}
