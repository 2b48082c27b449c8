// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/toolvet/toolvet/check"
)

// A Kind says what a record is about.
type Kind string

// The kinds that callers append.
const (
	KindStart    Kind = "start"    // toolvet begins to record
	KindStop     Kind = "stop"     // and ends in order
	KindCall     Kind = "call"     // a live call was judged; written before it is forwarded
	KindResult   Kind = "result"   // the tool returned, or did not
	KindValidate Kind = "validate" // a dry run was judged
	KindList     Kind = "list"     // the server's tools, when they are learnt
	KindReload   Kind = "reload"   // another policy is in force
)

// The kinds that the log itself writes.
const (
	KindRecovered Kind = "recovered" // the line before was torn; Torn holds what was left of it
	KindLost      Kind = "lost"      // Count records could not be written, here or shortly before
)

// A Verdict says what became of a call.
type Verdict string

// The verdicts.
const (
	Go       Verdict = "go"
	NoGo     Verdict = "no-go"
	Observed Verdict = "observed" // would have been refused, but the policy only observes
)

// A Record is one line of the log. Texts that are longer than they need to be are cut
// (see [Log.Append]); absent members are left out.
type Record struct {
	Time    time.Time `json:"time"` // UTC, RFC 3339 with nanoseconds; the zero Time becomes that of Append
	Kind    Kind      `json:"kind"`
	Session string    `json:"session,omitempty"` // names the session of the client
	Subject string    `json:"subject,omitempty"` // who makes the call
	Server  string    `json:"server,omitempty"`
	Tool    string    `json:"tool,omitempty"`    // as listed; of one that the server does not list, length and digest
	Point   string    `json:"point,omitempty"`   // where the verdict was applied: proxy, validate, library
	Request string    `json:"request,omitempty"` // the id of the JSON-RPC request, as it is spelt; of a long one, length and digest
	Trace   string    `json:"trace,omitempty"`   // trace id (W3C Trace Context)

	Verdict  Verdict   `json:"verdict,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Skipped  []string  `json:"skipped,omitempty"` // checks that could not look

	ArgumentsDigest string `json:"arguments_digest,omitempty"` // see Log.Digest
	ArgumentsBytes  int    `json:"arguments_bytes,omitempty"`
	ResultDigest    string `json:"result_digest,omitempty"` // see Log.Digest
	ResultBytes     int    `json:"result_bytes,omitempty"`
	ResultError     bool   `json:"result_error,omitempty"` // the tool said that it failed, or returned nothing
	DurationUS      int64  `json:"duration_us,omitempty"`  // of the judgement (call, validate) or of the tool (result), in microseconds

	Redactions   []Redaction `json:"redactions,omitempty"`
	PolicyDigest string      `json:"policy_digest,omitempty"` // Fingerprint of the policy in force
	SchemaDigest string      `json:"schema_digest,omitempty"` // Fingerprint of the tool's definition
	Version      string      `json:"version,omitempty"`       // of toolvet, in start

	// Arguments and Roots are what a replay needs beside the rest. They hold values: set
	// them only where the policy says "arguments: recorded". Arguments above
	// MaxArguments bytes are left out, and Omitted says so.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Roots     []string        `json:"roots,omitempty"`
	// Tools are what a list record is about. A definition is the server's own text, no
	// value of a call. Together above MaxArguments bytes they are left out.
	Tools   []Tool `json:"tools,omitempty"`
	Omitted bool   `json:"omitted,omitempty"` // something was too long or too much to be recorded whole

	Count     int64  `json:"count,omitempty"`      // in lost: how many
	Torn      []byte `json:"torn,omitempty"`       // in recovered: how the torn line began, base64
	TornBytes int64  `json:"torn_bytes,omitempty"` // in recovered: its length

	// The log writes these; what a caller sets is ignored.
	Chain string `json:"chain,omitempty"` // names the chain, in 16 hexadecimal digits
	Seq   uint64 `json:"seq,omitempty"`   // number in the chain, from 1
	Prev  string `json:"prev,omitempty"`  // Hash of the record before; zeros for the first
	Hash  string `json:"hash,omitempty"`  // SHA-256, or with a key HMAC-SHA256, of the line without this member
}

// A Finding is what a check found, without its words: they can be had from the check's
// documentation, change with versions, and with checks of other authors nobody could
// promise that they hold no value.
type Finding struct {
	Check    string `json:"check"`
	Code     string `json:"code"`              // SCHEMA, SEMANTIC, POLICY, RATE_LIMIT, OUTPUT
	Level    string `json:"level,omitempty"`   // syntax, semantic, runtime, security
	Severity string `json:"severity"`          // error, warning
	Pointer  string `json:"pointer,omitempty"` // JSON Pointer into the arguments or the result
	Source   string `json:"source,omitempty"`  // access rule, limit, effect or pattern behind it
	Observed bool   `json:"observed,omitempty"`
}

// A Redaction says what was taken out of a result, never what it was.
type Redaction struct {
	Pointer string `json:"pointer"`
	Pattern string `json:"pattern"`
	Bytes   int    `json:"bytes"` // length of what was taken out
}

// A Tool is a tool as a list record has it.
type Tool struct {
	Name       string          `json:"name"`
	Digest     string          `json:"digest"`               // Fingerprint of the definition
	Definition json.RawMessage `json:"definition,omitempty"` // as the server sent it
}

// Findings puts what checks found into the log's words.
func Findings(list []check.Finding) []Finding {
	if len(list) == 0 {
		return nil
	}
	out := make([]Finding, len(list))
	for i, f := range list {
		out[i] = Finding{
			Check: f.Check, Code: cmp.Or(f.Code, f.Stage.Code()), Level: f.Level.String(), Severity: f.Severity.String(),
			Pointer: f.Place(), Source: f.Source, Observed: f.Observed,
		}
	}
	return out
}
