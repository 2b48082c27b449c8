// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxText bounds each text of a report, in characters.
const maxText = 2000

// clean makes a text fit to be printed: neither servers nor their code can be trusted.
func clean(s string) string { return strictjson.Printable(s, maxText) }

// cleanFacts makes all texts of facts fit to be printed.
func cleanFacts(facts []Fact) []Fact {
	facts = slices.Clone(facts)
	for i := range facts {
		f := &facts[i]
		f.Tool, f.Param, f.Kind, f.Why, f.Engine = clean(f.Tool), clean(f.Param), clean(f.Kind), clean(f.Why), clean(f.Engine)
		f.Flow = withoutRepeats(f.Flow)
		for j := range f.Flow {
			f.Flow[j].File, f.Flow[j].Note = clean(f.Flow[j].File), clean(f.Flow[j].Note)
		}
		if f.Proof != nil {
			p := *f.Proof
			p.Arguments, p.Seen = clean(p.Arguments), clean(p.Seen)
			f.Proof = &p
		}
	}
	return facts
}

// withoutRepeats is a flow without its silent places: those without a note, in front of another
// place on the same line.
func withoutRepeats(flow []Place) []Place {
	var list []Place
	for i, p := range flow {
		if p.Note == "" && i+1 < len(flow) && flow[i+1].File == p.File && flow[i+1].Line == p.Line {
			continue
		}
		list = append(list, p)
	}
	return list
}
