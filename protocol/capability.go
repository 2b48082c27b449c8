// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// A Capability is what announces the protocol: the same object in
// capabilities.experimental[Experimental] and in capabilities.extensions[Extension].
type Capability struct {
	Supported       bool     `json:"supported"`
	Method          string   `json:"method"` // the validate tool's name
	Version         string   `json:"version"`
	Async           bool     `json:"async"`
	Streaming       bool     `json:"streaming"`
	ContextAware    bool     `json:"contextAware"`
	Cacheable       bool     `json:"cacheable"`
	Levels          []string `json:"levels"`
	BatchValidation bool     `json:"batchValidation"`
	MaxBatchSize    int      `json:"maxBatchSize"` // 0 without BatchValidation
	Caching         bool     `json:"caching"`
}

// NewCapability announces a validate tool called method that takes looks of the
// given levels. The options that this version does not have are false.
func NewCapability(method string, levels []check.Level) Capability {
	c := Capability{Supported: true, Method: method, Version: Version, Levels: make([]string, len(levels))}
	for i, l := range levels {
		c.Levels[i] = l.String()
	}
	return c
}

// Announced returns the name of the validate tool that a server's capabilities
// announce, or "". Capabilities are those of its initialize or server/discover result;
// nil and what cannot be read announce nothing. Of the two places the first counts
// that announces support for version 1, experimental before extensions.
func Announced(capabilities json.RawMessage) string {
	for _, place := range [][2]string{{"experimental", Experimental}, {"extensions", Extension}} {
		method := announced(member(member(capabilities, place[0]), place[1]))
		if method != "" {
			return method
		}
	}
	return ""
}

func announced(capability json.RawMessage) string {
	if string(member(capability, "supported")) != "true" {
		return ""
	}
	version := textOr(member(capability, "version"), Version)
	if !strings.HasPrefix(version, majorVersion) {
		return ""
	}
	return textOr(member(capability, "method"), ToolName)
}

// majorVersion begins the versions that this one understands.
const majorVersion = "1."

// textOr is the string that raw holds, absent if raw is nil, and "" for anything else.
func textOr(raw json.RawMessage, absent string) string {
	if raw == nil {
		return absent
	}
	v, err := strictjson.Parse(raw, strictjson.Limits{})
	s, ok := v.(string)
	if err != nil || !ok {
		return ""
	}
	return s
}

// member returns the member of an object called key, or nil. Keys match exactly, and an
// object that has one twice has none.
func member(object json.RawMessage, key string) json.RawMessage {
	members, err := strictjson.Members(object, strictjson.Limits{})
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Key == key {
			return m.Raw
		}
	}
	return nil
}
