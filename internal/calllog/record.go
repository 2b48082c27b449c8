// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Kind is the subject of a record.
type Kind string

// The kinds that callers append.
const (
	KindStart    Kind = "start"    // toolvet begins to record
	KindStop     Kind = "stop"     // and ends in order
	KindCall     Kind = "call"     // a live call was judged; written before it is forwarded
	KindResult   Kind = "result"   // the tool returned, or did not
	KindValidate Kind = "validate" // a dry run was judged
	KindList     Kind = "list"     // the server's tools, when they are learnt
)

// The kinds that the log itself writes.
const (
	KindRecovered Kind = "recovered" // the log went on after a crash, or without its end; Torn has the rest of a torn line
	KindLost      Kind = "lost"      // Count records could not be written, here or shortly before
)

// A Verdict is the outcome of the judgement of a call.
type Verdict string

// The verdicts.
const (
	Go       Verdict = "go"
	NoGo     Verdict = "no-go"
	Ask      Verdict = "ask"      // made if a person consents
	Observed Verdict = "observed" // would have been refused, but the policy only observes
)

// A Change is a place in the arguments where the tool got a canonical value.
type Change struct {
	Pointer string `json:"pointer"`
	Why     string `json:"why"` // default: it was missing; resolved: a path
}

// A Record is one line of the log. Long texts are cut (see [Log.Append]). Zero members are left out.
type Record struct {
	Time    time.Time `json:"time"` // UTC, RFC 3339 with nanoseconds; Append replaces the zero Time by its own
	Kind    Kind      `json:"kind"`
	Session string    `json:"session,omitempty"` // names the session of the client
	Subject string    `json:"subject,omitempty"` // the principal behind the call
	Server  string    `json:"server,omitempty"`
	Tool    string    `json:"tool,omitempty"`    // as listed; an unlisted name is replaced by its length and digest
	Inner   []string  `json:"inner,omitempty"`   // the tools that the arguments of a meta-tool call, as Tool
	Method  string    `json:"method,omitempty"`  // of a request other than tools/call, in place of the tool; an unknown one is replaced likewise
	Point   string    `json:"point,omitempty"`   // where the verdict was applied: proxy, validate, library
	Request string    `json:"request,omitempty"` // the id of the JSON-RPC request, as spelt; a long one is replaced by its length and digest
	Trace   string    `json:"trace,omitempty"`   // trace id (W3C Trace Context)

	Verdict  Verdict   `json:"verdict,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Skipped  []string  `json:"skipped,omitempty"` // checks that could not do their work

	ArgumentsDigest string `json:"arguments_digest,omitempty"` // see Log.Digest
	ArgumentsBytes  int    `json:"arguments_bytes,omitempty"`
	ResultDigest    string `json:"result_digest,omitempty"` // see Log.Digest
	ResultBytes     int    `json:"result_bytes,omitempty"`
	ResultError     bool   `json:"result_error,omitempty"` // the tool reported an error or returned nothing
	DurationUS      int64  `json:"duration_us,omitempty"`  // of the judgement (call, validate) or of the tool (result), in microseconds

	Changes      []Change    `json:"changes,omitempty"` // where the tool got canonical values
	Redactions   []Redaction `json:"redactions,omitempty"`
	PolicyDigest string      `json:"policy_digest,omitempty"` // Fingerprint of the policy in force
	SchemaDigest string      `json:"schema_digest,omitempty"` // Fingerprint of the tool's definition
	Version      string      `json:"version,omitempty"`       // of toolvet, in start

	// Arguments and Roots complete the record for a replay. They hold values: set them only if the policy says
	// "arguments: recorded". Arguments above MaxArguments bytes are left out, with Omitted.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Roots     []string        `json:"roots,omitempty"`
	// Tools are the subject of a list record. A definition is the server's own text, not a value of a call.
	// Definitions above MaxArguments bytes in total are left out.
	Tools   []Tool `json:"tools,omitempty"`
	Omitted bool   `json:"omitted,omitempty"` // something was too long, or there was too much of it

	Count     int64  `json:"count,omitempty"`      // in lost: how many
	Headed    bool   `json:"headed,omitempty"`     // in recovered: the file of the head agrees with the log, so a crash ended it
	Torn      []byte `json:"torn,omitempty"`       // in recovered: beginning of the torn line, base64
	TornBytes int64  `json:"torn_bytes,omitempty"` // in recovered: its length

	// The log sets the following members itself.
	Chain string `json:"chain,omitempty"` // names the chain, in 16 hexadecimal digits
	Seq   uint64 `json:"seq,omitempty"`   // number in the chain, from 1
	Prev  string `json:"prev,omitempty"`  // Hash of the record before; zeros for the first
	Hash  string `json:"hash,omitempty"`  // SHA-256, or with a key HMAC-SHA256, of the line without this member
}

// A Finding is a finding of a check, without its words. The check's documentation has the words, and they change with
// versions. Nobody could promise that the words of other authors' checks hold no values.
type Finding struct {
	Check    string `json:"check"`
	Code     string `json:"code"`              // SCHEMA, SEMANTIC, POLICY, RATE_LIMIT, OUTPUT
	Level    string `json:"level,omitempty"`   // syntax, semantic, runtime, security
	Severity string `json:"severity"`          // error, warning
	Pointer  string `json:"pointer,omitempty"` // JSON Pointer into the arguments or the result
	Source   string `json:"source,omitempty"`  // access rule, limit, effect or pattern behind it
	Observed bool   `json:"observed,omitempty"`
}

// A Redaction tells the place and the size of a text that was taken out of a result, never the text.
type Redaction struct {
	Pointer string `json:"pointer"`
	Pattern string `json:"pattern"`
	Bytes   int    `json:"bytes"` // of the text that was taken out
}

// A Tool is a tool in a list record.
type Tool struct {
	Name       string          `json:"name"`
	Digest     string          `json:"digest"`               // Fingerprint of the definition
	Definition json.RawMessage `json:"definition,omitempty"` // as the server sent it
}

// maxPlace bounds a place, in characters.
const maxPlace = 400

// Findings converts findings to their form in the log.
func Findings(list []check.Finding) []Finding {
	if len(list) == 0 {
		return nil
	}
	out := make([]Finding, len(list))
	for i, f := range list {
		out[i] = Finding{
			Check: f.Check, Code: cmp.Or(f.Code, f.Stage.Code()), Level: f.Level.String(), Severity: f.Severity.String(),
			Pointer: strictjson.Printable(f.Pointer, maxPlace), Source: f.Source, Observed: f.Observed,
		}
	}
	return out
}
