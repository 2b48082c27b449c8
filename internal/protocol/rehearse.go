// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// RehearseName is the name of the tool that rehearses a call, and the level that announces it.
const (
	RehearseName  = "rehearse"
	RehearseLevel = "rehearsal"
)

// MaxRehearsed bounds the calls of a rehearsal.
const MaxRehearsed = 20

const rehearsedCall = `"tool":{"type":"string","minLength":1,"description":"Name of the tool of this server that would be called"},` +
	`"arguments":{"type":"object","description":"The arguments that it would be called with; {} for none"}`

var rehearseInput = `{"type":"object","properties":{` + rehearsedCall + `,` +
	`"calls":{"type":"array","minItems":1,"maxItems":` + strconv.Itoa(MaxRehearsed) + `,` +
	`"description":"Several calls in the place of one: they are made in this order, each with what those before it changed",` +
	`"items":{"type":"object","properties":{` + rehearsedCall + `},"required":["tool"],"additionalProperties":false}}},` +
	`"additionalProperties":false}`

// DecodeRehearsal reads the arguments of a call of the rehearse tool, after its schema has accepted
// them. It returns the undecoded arguments of the validate tool for each call.
func DecodeRehearsal(arguments json.RawMessage, limits call.Limits) ([]json.RawMessage, error) {
	members, err := strictjson.Members(arguments, limits)
	if err != nil {
		return nil, fmt.Errorf("the arguments of rehearse: %w", err)
	}
	if !slices.ContainsFunc(members, func(m strictjson.Member) bool { return m.Key == "calls" }) {
		return []json.RawMessage{arguments}, nil
	}
	if len(members) != 1 {
		return nil, errors.New("rehearse takes either tool and arguments, or calls")
	}
	calls, err := DecodeBatch(arguments, limits)
	if err == nil && len(calls) > MaxRehearsed {
		err = fmt.Errorf("rehearse takes at most %d calls", MaxRehearsed)
	}
	return calls, err
}

// NewRehearseTool defines the tool that rehearses a call.
func NewRehearseTool() Tool {
	return Tool{
		Name:  RehearseName,
		Title: "Rehearse a tool call",
		Description: "Runs another tool of this server in a sandbox and tells what the call would do: its result, the files that it would " +
			"create, change and delete, the programs that it would start and whom it would connect to. Nothing is changed for real. " +
			"Takes either tool and arguments, or calls: a list of them, made one after the other.",
		InputSchema: json.RawMessage(rehearseInput),
		Annotations: json.RawMessage(annotations),
	}
}
