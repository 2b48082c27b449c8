// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// Bounds of a record, so that no single call fills the disk. Omitted marks a record that was cut.
const (
	// MaxArguments bounds recorded arguments, and the definitions of a list, in bytes.
	MaxArguments = 1 << 20

	maxText = 512     // bytes of a text
	maxList = 100     // findings, redactions, skipped checks, roots
	maxBody = 4 << 20 // bytes of a whole record
)

// encode writes the record to b as JSON, without the members of the chain.
func (r Record) encode(b *bytes.Buffer) error {
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	r.Time = r.Time.UTC().Round(0)
	r.Chain, r.Seq, r.Prev, r.Hash = "", 0, "", ""
	r.bound()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&r); err != nil {
		return fmt.Errorf("calllog: a record of kind %q cannot be written as JSON: recorded arguments and definitions must be JSON themselves", r.Kind)
	}
	b.Truncate(b.Len() - 1) // the encoder's line feed
	if b.Len() > maxBody {
		return fmt.Errorf("calllog: a record of kind %q has %d bytes, more than %d", r.Kind, b.Len(), maxBody)
	}
	return nil
}

// bound cuts long members. It copies the caller's slices before it changes them.
func (r *Record) bound() {
	for _, s := range []*string{
		(*string)(&r.Kind), &r.Session, &r.Subject, &r.Server, &r.Tool, &r.Method, &r.Point, &r.Request, &r.Trace, (*string)(&r.Verdict),
		&r.ArgumentsDigest, &r.ResultDigest, &r.PolicyDigest, &r.SchemaDigest, &r.Version,
	} {
		r.cut(s)
	}
	if len(r.Arguments) > MaxArguments {
		r.Arguments, r.Omitted = nil, true
	}
	r.Findings = boundList(r, r.Findings, func(f *Finding) []*string {
		return []*string{&f.Check, &f.Code, &f.Level, &f.Severity, &f.Pointer, &f.Source}
	})
	r.Redactions = boundList(r, r.Redactions, func(x *Redaction) []*string { return []*string{&x.Pointer, &x.Pattern} })
	r.Inner = boundList(r, r.Inner, func(s *string) []*string { return []*string{s} })
	r.Skipped = boundList(r, r.Skipped, func(s *string) []*string { return []*string{s} })
	if r.Roots != nil && r.Arguments == nil {
		r.Roots = nil // a replay needs them only with the arguments
	}
	r.Roots = boundList(r, r.Roots, func(s *string) []*string { return []*string{s} })
	r.boundTools()
}

// boundList cuts a list to maxList and the texts of its elements to maxText.
func boundList[T any](r *Record, list []T, texts func(*T) []*string) []T {
	if len(list) > maxList {
		list, r.Omitted = list[:maxList], true
	}
	copied := false
	for i := range list {
		long := false
		for _, s := range texts(&list[i]) {
			long = long || len(*s) > maxText
		}
		if !long {
			continue
		}
		if !copied {
			list, copied = append([]T(nil), list...), true
		}
		for _, s := range texts(&list[i]) {
			r.cut(s)
		}
	}
	return list
}

func (r *Record) cut(s *string) {
	if len(*s) <= maxText {
		return
	}
	end := maxText - len("…")
	for end > 0 && !utf8.RuneStart((*s)[end]) {
		end--
	}
	*s, r.Omitted = (*s)[:end]+"…", true
}

// boundTools drops the definitions if they are too long together. It keeps names and digests.
func (r *Record) boundTools() {
	const maxTools = 4096
	if len(r.Tools) > maxTools {
		r.Tools, r.Omitted = r.Tools[:maxTools], true
	}
	total := 0
	for _, t := range r.Tools {
		total += len(t.Definition)
	}
	list := append([]Tool(nil), r.Tools...)
	for i := range list {
		if total > MaxArguments {
			list[i].Definition, r.Omitted = nil, true
		}
		r.cut(&list[i].Name)
		r.cut(&list[i].Digest)
	}
	r.Tools = list
}
