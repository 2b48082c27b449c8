// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// maxTexts bounds the text of one result, in bytes.
const maxTexts = 32 << 20

// read gathers all texts of a result, with those in base64, and reports whether the tool claims
// to have failed.
func read(raw json.RawMessage) (text, decoded string, failed bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", "", false
	}
	var g gathered
	g.gather(v, 0)
	result, _ := v.(map[string]any)
	failed, _ = result["isError"].(bool)
	content, _ := result["content"].([]any)
	if len(content) > 0 {
		block, _ := content[0].(map[string]any)
		first, _ := block["text"].(string)
		failed = failed || errorText.MatchString(strings.TrimSpace(first))
	}
	return g.text.String(), g.decoded.String(), failed
}

type gathered struct{ text, decoded strings.Builder }

func (g *gathered) gather(v any, depth int) {
	if g.text.Len() > maxTexts || depth > 100 {
		return
	}
	switch v := v.(type) {
	case string:
		g.text.WriteString(v)
		g.text.WriteByte('\n')
		if decoded, err := base64.StdEncoding.DecodeString(v); err == nil && len(v) >= 16 {
			g.decoded.Write(decoded)
			g.decoded.WriteByte('\n')
		}
	case []any:
		for _, e := range v {
			g.gather(e, depth+1)
		}
	case map[string]any:
		for key, e := range v { // the order does not matter: the text is only searched
			g.text.WriteString(key)
			g.text.WriteByte('\n')
			g.gather(e, depth+1)
		}
	case float64:
		fmt.Fprintf(&g.text, "%.0f\n", v)
	}
}

// errorText is the beginning of an error reported as a result.
var errorText = lazyregexp.New(`(?i)^\W{0,12}(error|failed|failure|invalid|exception|cannot|could not|unable|unknown|not found|denied|missing|validation|traceback|required)\b`)
