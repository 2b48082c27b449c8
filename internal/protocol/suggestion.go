// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// suggestions lists what findings suggest: each text once, behind the places that it
// mends. A misspelt property is found twice, as missing and as not allowed, and one
// repair mends both.
func suggestions(findings []check.Finding) []string {
	places := mendedPlaces(findings)
	list := []string{}
	for i := range findings {
		text := findings[i].Suggestion
		if mended, ok := places[text]; ok {
			list = append(list, at(strings.Join(mended, ", "), text))
			delete(places, text)
		}
	}
	return list
}

// mendedPlaces returns, for each suggestion, the places of the findings that make it,
// each once and in their order. The arguments as a whole are no place.
func mendedPlaces(findings []check.Finding) map[string][]string {
	places := map[string][]string{}
	for i := range findings {
		f := &findings[i]
		if f.Suggestion == "" {
			continue
		}
		mended := places[f.Suggestion]
		if f.Pointer != "" && !slices.Contains(mended, f.Pointer) {
			mended = append(mended, f.Pointer)
		}
		places[f.Suggestion] = mended
	}
	return places
}

// alsoAt names the places beside one that a suggestion mends.
func alsoAt(places []string, but string) string {
	others := slices.DeleteFunc(slices.Clone(places), func(p string) bool { return p == but })
	if len(others) == 0 {
		return ""
	}
	return " (for " + strings.Join(others, ", ") + ", too)"
}
