// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Capability announces the protocol. The same object stands in
// capabilities.experimental[Experimental] and in capabilities.extensions[Extension].
type Capability struct {
	Supported       bool            `json:"supported"`
	Method          string          `json:"method"` // the validate tool's name
	Version         string          `json:"version"`
	Async           bool            `json:"async"`
	Streaming       bool            `json:"streaming"`
	ContextAware    bool            `json:"contextAware"`
	Cacheable       bool            `json:"cacheable"`
	Levels          map[string]bool `json:"levels"` // by the name of each level: whether a check of it is enabled
	BatchValidation bool            `json:"batchValidation"`
	MaxBatchSize    int             `json:"maxBatchSize"` // 0 without BatchValidation
	Caching         Caching         `json:"caching"`      // zero without Cacheable
	Tokens          bool            `json:"tokens"`       // a dry run gives a token that binds the call, if asked
}

// Caching states how long a client may cache a verdict. The zero Caching, which is not enabled,
// forbids it.
type Caching struct {
	TTL          time.Duration // at most; a result says how long it can be kept itself
	InvalidateOn []string      // what ends a verdict earlier
}

// Events that invalidate a verdict early.
const (
	ToolUpdate     = "tool_update"     // notifications/tools/list_changed
	ResourceChange = "resource_change" // notifications/resources/updated and list_changed
)

// A caching is the form of a Caching in the protocol.
type caching struct {
	Enabled      bool     `json:"enabled"`
	TTL          *int64   `json:"ttl,omitempty"` // seconds
	InvalidateOn []string `json:"invalidateOn,omitempty"`
}

// MarshalJSON encodes c in the protocol's form, with the time in whole seconds, rounded up.
func (c Caching) MarshalJSON() ([]byte, error) {
	if c.TTL <= 0 {
		return json.Marshal(caching{})
	}
	seconds := int64((c.TTL + time.Second - 1) / time.Second)
	return json.Marshal(caching{Enabled: true, TTL: &seconds, InvalidateOn: c.InvalidateOn})
}

// UnmarshalJSON reads what MarshalJSON writes. A life time that is none is an error.
func (c *Caching) UnmarshalJSON(raw []byte) error {
	*c = Caching{}
	var wire caching
	if err := json.Unmarshal(raw, &wire); err != nil || !wire.Enabled {
		return err
	}
	if wire.TTL == nil || *wire.TTL < 0 || *wire.TTL > math.MaxInt64/int64(time.Second) {
		return errors.New(`"caching" needs a "ttl" in seconds if it is enabled`)
	}
	c.TTL, c.InvalidateOn = time.Duration(*wire.TTL)*time.Second, wire.InvalidateOn
	return nil
}

// NewCapability announces a validate tool called method with checks of the given levels.
// Options that this version lacks are false.
func NewCapability(method string, levels []check.Level) Capability {
	c := Capability{Supported: true, Method: method, Version: Version, Levels: map[string]bool{RehearseLevel: false}}
	for l := check.SyntaxLevel; l <= check.SecurityLevel; l++ {
		c.Levels[l.String()] = slices.Contains(levels, l)
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

// AnnouncedBatch reports whether the validate tool that [Announced] names has a batch tool
// beside it.
func AnnouncedBatch(capabilities json.RawMessage) bool {
	for _, place := range [][2]string{{"experimental", Experimental}, {"extensions", Extension}} {
		capability := member(member(capabilities, place[0]), place[1])
		if announced(capability) != "" {
			return string(member(capability, "batchValidation")) == "true"
		}
	}
	return false
}

func announced(capability json.RawMessage) string {
	if string(member(capability, "supported")) != "true" {
		return ""
	}
	if !known.MatchString(textOr(member(capability, "version"), Version)) {
		return ""
	}
	return textOr(member(capability, "method"), ToolName)
}

// known are the versions that this one understands: two numbers, and no other form.
var known = lazyregexp.New(`^1\.[0-9]+$`)

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
