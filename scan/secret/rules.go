// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// A ruleSet is a file of rules.
type ruleSet struct {
	Allow        []Allow `json:"allow"`         // for all rules
	AllowGeneric []Allow `json:"allow_generic"` // for those that know no issuer
	Rules        []Rule  `json:"rules"`
}

//go:generate sh -c "go mod download -json github.com/betterleaks/betterleaks@v1.7.0 github.com/zricethezav/gitleaks/v8@v8.30.1 | go run ./internal/update -o rules"

var (
	//go:embed rules/vendored.json
	vendored []byte

	//go:embed rules/own.json
	own []byte
)

// builtin reads the rules that come with the package.
func builtin() (ruleSet, error) {
	var all ruleSet
	for i, data := range [][]byte{vendored, own} {
		var set ruleSet
		if err := json.Unmarshal(data, &set); err != nil {
			return ruleSet{}, fmt.Errorf("file %d of rules: %w", i+1, err)
		}
		all.Allow = append(all.Allow, set.Allow...)
		all.AllowGeneric = append(all.AllowGeneric, set.AllowGeneric...)
		all.Rules = append(all.Rules, set.Rules...)
	}
	return all, nil
}
