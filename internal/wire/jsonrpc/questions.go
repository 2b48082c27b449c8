// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Question is a request to the client inside another message of the server: an entry of inputRequests
// (MCP 2026-07-28, basic/patterns/mrtr), or a URL that an error wants opened (MCP 2025-11-25,
// client/elicitation).
type Question struct {
	Method string
	Params json.RawMessage // nil if it has none
}

// Questions returns the inputRequests of a result, of a task, or of the params of a notification. They
// count whatever the message says of its type: clients differ in what they look at. Their params are parts of raw.
func Questions(raw []byte, limits strictjson.Limits) ([]Question, error) {
	list, err := member(raw, "inputRequests", limits)
	if err != nil || list == nil {
		return nil, err
	}
	entries, err := strictjson.Members(list, limits)
	if err != nil {
		return nil, fmt.Errorf("its inputRequests cannot be read: %w", err)
	}
	questions := make([]Question, 0, len(entries))
	for _, e := range entries {
		q, err := question(e.Raw, limits)
		if err != nil {
			return nil, err
		}
		questions = append(questions, q)
	}
	return questions, nil
}

func question(entry []byte, limits strictjson.Limits) (q Question, err error) {
	parts, err := strictjson.Members(entry, limits)
	if err != nil {
		return q, fmt.Errorf("one of its inputRequests cannot be read: %w", err)
	}
	for _, p := range parts {
		if err := VariantError(p.Key, questionKeys, InvalidRequest, "an entry of inputRequests"); err != nil {
			return q, err
		}
		switch p.Key {
		case "method":
			q.Method, _ = String(p.Raw)
		case "params":
			q.Params = p.Raw
		}
	}
	if q.Method == "" {
		return q, errors.New("one of its inputRequests has no method")
	}
	return q, nil
}

var questionKeys = []string{"method", "params"}

// ErrorQuestions returns the elicitations in the data of an error, whatever its code. Their params are parts of raw.
func ErrorQuestions(raw []byte, limits strictjson.Limits) ([]Question, error) {
	data, err := member(raw, "data", limits)
	if err != nil || len(data) == 0 || data[0] != '{' {
		return nil, err
	}
	list, err := member(data, "elicitations", limits)
	if err != nil || list == nil {
		return nil, err
	}
	entries, err := strictjson.Elements(list, limits)
	if err != nil {
		return nil, fmt.Errorf("its elicitations cannot be read: %w", err)
	}
	questions := make([]Question, len(entries))
	for i, e := range entries {
		questions[i] = Question{"elicitation/create", e}
	}
	return questions, nil
}

// member returns a member of an object, or nil if there is none or it is null. A variant of its name is an error.
func member(object []byte, key string, limits strictjson.Limits) ([]byte, error) {
	members, err := strictjson.Members(object, limits)
	if err != nil {
		return nil, fmt.Errorf("a message that may ask something cannot be read: %w", err)
	}
	var found []byte
	for _, m := range members {
		if err := VariantError(m.Key, []string{key}, InvalidRequest, "a message of the server"); err != nil {
			return nil, err
		}
		if m.Key == key && string(m.Raw) != "null" {
			found = m.Raw
		}
	}
	return found, nil
}
