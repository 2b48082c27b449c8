// Copyright the authors of github.com/santhosh-tekuri/jsonschema; changed by the toolvet authors, see doc.go
// SPDX-License-Identifier: Apache-2.0

package jsonschema

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	gourl "net/url"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/packed"
)

// URLLoader knows how to load json from given url.
type URLLoader interface {
	// Load loads json from given absolute url.
	Load(url string) (any, error)
}

// --

// noLoader loads nothing: what a schema refers to is added to the compiler, or is a metaschema.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("nothing is loaded")
}

// --

//go:embed metaschemas.json.gz
var metaPacked string

var metaText = packed.Text(metaPacked)

// metaschemas has the text of each metaschema by its path below json-schema.org. They are unpacked when a schema names the first.
var metaschemas = lazy.Pair(func() (all map[string]json.RawMessage, err error) {
	return all, json.Unmarshal([]byte(metaText()), &all)
})

// openMeta returns the text of a metaschema; nil if the URL is that of none.
func openMeta(url string) (json.RawMessage, error) {
	u, meta := strings.CutPrefix(url, "http://json-schema.org/")
	if !meta {
		u, meta = strings.CutPrefix(url, "https://json-schema.org/")
	}
	if !meta {
		return nil, nil
	}
	if u == "schema" {
		return openMeta(draftLatest.url)
	}
	all, err := metaschemas()
	return all[u], err
}

func isMeta(url string) bool {
	text, err := openMeta(url)
	return err != nil || text != nil
}

func loadMeta(url string) (any, error) {
	text, err := openMeta(url)
	if err != nil || text == nil {
		return nil, err
	}
	return UnmarshalJSON(bytes.NewReader(text))
}

// --

type defaultLoader struct {
	docs   map[url]any // docs loaded so far
	loader URLLoader
}

func (l *defaultLoader) add(url url, doc any) bool {
	if _, ok := l.docs[url]; ok {
		return false
	}
	l.docs[url] = doc
	return true
}

func (l *defaultLoader) load(url url) (any, error) {
	if doc, ok := l.docs[url]; ok {
		return doc, nil
	}
	doc, err := loadMeta(url.String())
	if err != nil {
		return nil, err
	}
	if doc != nil {
		l.add(url, doc)
		return doc, nil
	}
	if l.loader == nil {
		return nil, &LoadURLError{url.String(), errors.New("no URLLoader set")}
	}
	doc, err = l.loader.Load(url.String())
	if err != nil {
		return nil, &LoadURLError{URL: url.String(), Err: err}
	}
	l.add(url, doc)
	return doc, nil
}

func (l *defaultLoader) getDraft(up urlPtr, doc any, defaultDraft *Draft, cycle map[url]struct{}) (*Draft, error) {
	obj, ok := doc.(map[string]any)
	if !ok {
		return defaultDraft, nil
	}
	sch, ok := strVal(obj, "$schema")
	if !ok {
		return defaultDraft, nil
	}
	if draft := draftFromURL(sch); draft != nil {
		return draft, nil
	}
	sch, _ = split(sch)
	if _, err := gourl.Parse(sch); err != nil {
		return nil, &InvalidMetaSchemaURLError{up.String(), err}
	}
	schUrl := url(sch)
	if up.ptr.isEmpty() && schUrl == up.url {
		return nil, &UnsupportedDraftError{schUrl.String()}
	}
	if _, ok := cycle[schUrl]; ok {
		return nil, &MetaSchemaCycleError{schUrl.String()}
	}
	cycle[schUrl] = struct{}{}
	doc, err := l.load(schUrl)
	if err != nil {
		return nil, err
	}
	return l.getDraft(urlPtr{schUrl, ""}, doc, defaultDraft, cycle)
}

func (l *defaultLoader) getMetaVocabs(doc any, draft *Draft, vocabularies map[string]*Vocabulary) ([]string, error) {
	obj, ok := doc.(map[string]any)
	if !ok {
		return nil, nil
	}
	sch, ok := strVal(obj, "$schema")
	if !ok {
		return nil, nil
	}
	if draft := draftFromURL(sch); draft != nil {
		return nil, nil
	}
	sch, _ = split(sch)
	if _, err := gourl.Parse(sch); err != nil {
		return nil, &ParseURLError{sch, err}
	}
	schUrl := url(sch)
	doc, err := l.load(schUrl)
	if err != nil {
		return nil, err
	}
	return draft.getVocabs(schUrl, doc, vocabularies)
}

// --

type LoadURLError struct {
	URL string
	Err error
}

func (e *LoadURLError) Error() string {
	return fmt.Sprintf("failing loading %q: %v", e.URL, e.Err)
}

// --

type UnsupportedURLSchemeError struct {
	url string
}

func (e *UnsupportedURLSchemeError) Error() string {
	return fmt.Sprintf("no URLLoader registered for %q", e.url)
}

// --

type ResourceExistsError struct {
	url string
}

func (e *ResourceExistsError) Error() string {
	return fmt.Sprintf("resource for %q already exists", e.url)
}

// --

// UnmarshalJSON unmarshals into [any] without losing
// number precision using [json.Number].
func UnmarshalJSON(r io.Reader) (any, error) {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	var doc any
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err == nil || err != io.EOF {
		return nil, fmt.Errorf("invalid character after top-level value")
	}
	return doc, nil
}
