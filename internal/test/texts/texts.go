// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package texts has texts of the kinds that tools return, for benchmarks of what reads them: a scanner reads xxxx twice as
// fast as real text.
package texts

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

//go:embed document.txt
var markdown string

//go:embed program.txt
var code string

// English is public domain: the beginning of "The Origin of Species" (Charles Darwin, 1859).
const English = `When on board H.M.S. Beagle as naturalist, I was much struck with certain facts in the distribution of the inhabitants
of South America, and in the geological relations of the present to the past inhabitants of that continent. These facts
seemed to me to throw some light on the origin of species, that mystery of mysteries, as it has been called by one of our
greatest philosophers. On my return home, it occurred to me, in 1837, that something might perhaps be made out on this
question by patiently accumulating and reflecting on all sorts of facts which could possibly have any bearing on it.
`

// All returns the text of each kind, which repeats to any size.
func All() map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	var logs strings.Builder
	var rows []map[string]any
	picture := make([]byte, 30<<10)
	for i := range picture {
		picture[i] = byte(random.Uint32())
	}
	for i := range 200 {
		fmt.Fprintf(&logs, "2026-11-22T08:%02d:%02dZ INFO request method=GET path=/items/%d status=200 took=%dµs client=10.0.3.%d\n", i%60, i*7%60, random.IntN(9000), random.IntN(9000), i%250)
		rows = append(rows, map[string]any{"id": i, "name": fmt.Sprintf("item %d", i), "tags": []string{"new", "blue"}, "price": float64(random.IntN(10000)) / 100, "note": English[i : i+40]})
	}
	data, _ := json.MarshalIndent(rows, "", "  ") // it cannot fail: plain values
	return map[string]string{
		"prose": English, "log": logs.String(), "code": code, "JSON": string(data), "Markdown": markdown,
		"base64": base64.StdEncoding.EncodeToString(picture),
		// One word each made scans run to the end of the text once.
		"prose with curl": "curl -s example%20\n" + English,
	}
}

// Kinds are the names of texts, in the order of tables.
var Kinds = []string{"prose", "log", "code", "JSON", "Markdown", "base64", "prose with curl"}

// Of returns a text of a kind and a size in bytes.
func Of(kind string, size int) string {
	text := All()[kind]
	return strings.Repeat(text, size/len(text)+1)[:size]
}
