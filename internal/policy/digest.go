// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/goccy/go-yaml"
)

// Rules returns a digest of a policy's text, apart from its section log, which cannot be the same for two processes. A text
// that cannot be read counts as it stands.
func Rules(text []byte) string {
	var all map[string]any
	if yaml.Unmarshal(text, &all) == nil {
		delete(all, "log")
		if said, err := json.Marshal(all); err == nil { // sorts names
			text = said
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
