// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

// TestCorpus reviews each text of the corpus as a result, and holds that harmless ones pass. With the corpora of
// cmd/internal/gen/unseen it counts attacks that hide or disguise themselves, and whole documents.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var score corpora.Score
	harmless, marked := 0, 0
	for _, row := range corpora.Read[struct{ Input, Class, Expect string }](t, "injection") {
		text, err := json.Marshal(row.Input)
		if err != nil {
			t.Fatal(err)
		}
		r, err := result.Read("tools/call", json.RawMessage(`{"content":[{"type":"text","text":`+string(text)+`}]}`))
		if err != nil {
			t.Fatal(err)
		}
		places, err := new(Options).search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		found := len(places) > 0
		score.Add(map[string]string{"flag": "reject", "clean": "accept"}[row.Expect], found)
		if row.Expect == "clean" && !strings.HasSuffix(row.Class, "-instruction-file") && !strings.HasSuffix(row.Class, "-attack-doc") { // disputable
			harmless++
			if found {
				marked++
			}
		}
	}
	t.Log(&score)
	if marked*100 > harmless {
		t.Errorf("%d of %d harmless texts are marked, more than one in a hundred", marked, harmless)
	}
}
