// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// A patternSet is a file of patterns.
type patternSet struct {
	Allow        []Allow   `json:"allow"`         // for all patterns
	AllowGeneric []Allow   `json:"allow_generic"` // for those that know no issuer
	Patterns     []Pattern `json:"patterns"`
}

//go:generate sh -c "go mod download -json github.com/betterleaks/betterleaks@v1.7.0 github.com/zricethezav/gitleaks/v8@v8.30.1 | go run github.com/toolvet/toolvet/cmd/internal/gen/patterns -o patterns"

var (
	//go:embed patterns/vendored.json
	vendored []byte

	//go:embed patterns/own.json
	own []byte
)

// builtin reads the patterns that come with the package.
func builtin() (patternSet, error) {
	var all patternSet
	for i, data := range [][]byte{vendored, own} {
		var set patternSet
		if err := json.Unmarshal(data, &set); err != nil {
			return patternSet{}, fmt.Errorf("file %d of patterns: %w", i+1, err)
		}
		all.Allow = append(all.Allow, set.Allow...)
		all.AllowGeneric = append(all.AllowGeneric, set.AllowGeneric...)
		all.Patterns = append(all.Patterns, set.Patterns...)
	}
	return all, nil
}
