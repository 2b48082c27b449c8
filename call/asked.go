// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// asked are the requests of servers to clients, and their params (schema.ts: ServerRequest). A server
// may ask unless a rule denies it: allow rules speak of clients.
var asked = describe(map[string]described{
	"ping":       {implied: true},
	"roots/list": {implied: true},
	"sampling/createMessage": {implied: true, properties: `"messages":{},"modelPreferences":{},"systemPrompt":{},"includeContext":{},"temperature":{},` +
		`"maxTokens":{},"stopSequences":{},"metadata":{},"tools":{},"toolChoice":{},"task":{}`},
	"elicitation/create": {implied: true, properties: `"mode":{"type":"string"},"message":{"type":"string"},"requestedSchema":{},"url":{"type":"string"},` +
		`"elicitationId":{"type":"string"},"task":{}`},
})

// DecodeAsked is [DecodeRequest] for a request of the server to the client.
func DecodeAsked(method string, params []byte, limits Limits) (*Call, error) {
	c := &Call{Method: method, Name: method, FromServer: true}
	if c.described() == nil && KnownAsk(method) {
		c.Arguments, c.Raw, c.Tool = map[string]any{}, json.RawMessage("{}"), madeUp(method, anything)
		return c, &Error{Code: InvalidRequest, Message: "some readers take the method for one of MCP: write it in the letters of MCP"}
	}
	return decodeRequest(c, params, limits)
}

// DecodeAnswer reads the client's answer to a request of the server strictly, at every depth. The
// values that a user gave to elicitation/create are the call's Inputs. The call shares no memory with
// result. The error is an *[Error].
func (c *Call) DecodeAnswer(result []byte, limits Limits) (*Call, error) {
	v, err := strictjson.Parse(result, limits)
	if err != nil {
		return nil, jsonError(InvalidParams, `"result"`, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &Error{Code: InvalidParams, Message: `"result" must be an object`}
	}
	a := &Call{Server: c.Server, Method: c.Method, Name: c.Name, Tool: c.Tool, Session: c.Session, FromServer: true, Answering: true,
		Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	content, given := object["content"]
	if c.Method != "elicitation/create" || !given || content == nil {
		return a, nil
	}
	if a.Inputs, ok = content.(map[string]any); !ok {
		return nil, &Error{Code: InvalidParams, Message: `"result.content" must be an object`}
	}
	return a, nil
}

// KnownAsk reports whether MCP has such a request of servers to clients, in any case of its letters.
func KnownAsk(method string) bool {
	for known := range asked() {
		if strings.EqualFold(method, known) {
			return true
		}
	}
	return false
}

// A Question is a request to the client inside another message of the server: an entry of inputRequests
// (MCP 2026-07-28, basic/patterns/mrtr), or a URL that an error wants opened (MCP 2025-11-25,
// client/elicitation).
type Question struct {
	Method string
	Params json.RawMessage // nil if it has none
}

// Questions returns the inputRequests of a result, of a task, or of the params of a notification. They
// count whatever the message says of its type: clients differ in what they look at. Their params are parts of raw.
func Questions(raw []byte, limits Limits) ([]Question, error) {
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

func question(entry []byte, limits Limits) (q Question, err error) {
	parts, err := strictjson.Members(entry, limits)
	if err != nil {
		return q, fmt.Errorf("one of its inputRequests cannot be read: %w", err)
	}
	for _, p := range parts {
		if err := variantError(p.Key, questionKeys, InvalidRequest, "an entry of inputRequests"); err != nil {
			return q, err
		}
		switch p.Key {
		case "method":
			q.Method, _ = stringOf(p.Raw)
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
func ErrorQuestions(raw []byte, limits Limits) ([]Question, error) {
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
func member(object []byte, key string, limits Limits) ([]byte, error) {
	members, err := strictjson.Members(object, limits)
	if err != nil {
		return nil, fmt.Errorf("a message that may ask something cannot be read: %w", err)
	}
	var found []byte
	for _, m := range members {
		if err := variantError(m.Key, []string{key}, InvalidRequest, "a message of the server"); err != nil {
			return nil, err
		}
		if m.Key == key && string(m.Raw) != "null" {
			found = m.Raw
		}
	}
	return found, nil
}
