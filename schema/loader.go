// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/jsonschema"
	"github.com/toolvet/toolvet/internal/jsonschema/kind"
)

var errOutside = errors.New("only the same document may be referred to")

// noLoader refuses every document. The metaschemas are built into the library
// and do not pass through it.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errOutside }

// explainCompile turns the library's error into one that names the place.
// refs are the references of the document.
func explainCompile(err error, refs []mention) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return explainMeta(e)
	}
	if e, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &CompileError{
			Pointer: placeOfRef(refs, e.URL),
			Reason:  "the reference leads out of the schema, and nothing is fetched; put what it refers to under $defs",
		}
	}
	if missing := missingTarget(err); missing != "" {
		return &CompileError{Pointer: placeOfRef(refs, missing), Reason: "the reference leads nowhere in the schema"}
	}
	return &CompileError{Reason: printable(strings.ReplaceAll(err.Error(), documentURL, ""), maxPrintedFault)}
}

// missingTarget returns the target of a reference that leads nowhere.
func missingTarget(err error) string {
	if e, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return e.URL
	}
	if e, ok := errors.AsType[*jsonschema.InvalidJsonPointerError](err); ok {
		return e.URL
	}
	if e, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		return e.Reference
	}
	if e, ok := errors.AsType[*jsonschema.ParseURLError](err); ok {
		return e.URL
	}
	return ""
}

// placeOfRef finds the reference that was resolved to target: the longest text
// that target ends in, as base URIs only ever go in front.
func placeOfRef(refs []mention, target string) string {
	var best mention
	for _, ref := range refs {
		if len(ref.text) > len(best.text) && strings.HasSuffix(unescaped(target), unescaped(ref.text)) {
			best = ref
		}
	}
	if best.text != "" {
		return best.pointer
	}
	for _, ref := range refs { // without its fragment
		document, _, _ := strings.Cut(ref.text, "#")
		if document != "" && strings.HasSuffix(unescaped(target), unescaped(strings.TrimLeft(document, "./"))) {
			return ref.pointer
		}
	}
	return ""
}

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// explainMeta reports the deepest fault that the metaschema finds: the others
// are consequences of it, or alternatives to it.
func explainMeta(e *jsonschema.SchemaValidationError) error {
	verr, ok := errors.AsType[*jsonschema.ValidationError](e.Err)
	if !ok {
		return &CompileError{Reason: printable(e.Error(), maxPrintedFault)}
	}
	leaf := slices.MinFunc(leaves(verr, nil), func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(
			cmp.Compare(len(b.InstanceLocation), len(a.InstanceLocation)),
			slices.Compare(a.InstanceLocation, b.InstanceLocation),
			strings.Compare(faultText(a.ErrorKind), faultText(b.ErrorKind)))
	})
	return &CompileError{
		Pointer: pointerOfLocation(e.URL) + pointerOf(leaf.InstanceLocation),
		Reason:  printable(faultText(leaf.ErrorKind), maxPrintedFault),
	}
}

// faultText says what the metaschema expects. The texts are such that, of two
// for one place, the more telling one sorts first.
func faultText(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Enum:
		return "expected " + (&enumeration{values: k.Want}).text(maxListed)
	case *kind.Type:
		return "expected type " + listed(k.Want, len(kindNames), "or")
	default: // the library's English text, without the place in front of it
		text := (&jsonschema.ValidationError{ErrorKind: k}).Error()
		return "not valid: " + strings.TrimPrefix(text, "at '': ")
	}
}

func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, named := e.ErrorKind.(*kind.PropertyNames); len(e.Causes) == 0 || named {
		return append(out, e)
	}
	for _, cause := range e.Causes {
		out = leaves(cause, out)
	}
	return out
}
