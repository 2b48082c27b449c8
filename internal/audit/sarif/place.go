// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// A place is a place in a file, as an engine names it.
type place struct {
	// absolute is the path of the file, if the run says where its paths begin. relative is the path without that
	// beginning: an engine often ran on another machine.
	absolute, relative string

	line, col, endLine, endCol int  // from 1; 0: not known
	points                     bool // columns count Unicode code points
}

// maxBases bounds the bases of a base.
const maxBases = 16

// place reads a location. ok: it names a file. A region that is missing, or has no line, leaves the line unknown.
func (u *run) place(l *location, at string) (p place, ok bool, err error) {
	at += "/physicalLocation/artifactLocation"
	a := l.Physical.Artifact
	if a.URI == "" && a.Index != nil && *a.Index >= 0 {
		if *a.Index >= len(u.files) {
			return p, false, fmt.Errorf("%s/index: the run has no such artifact", at)
		}
		var file struct {
			Location artifact `json:"location"`
		}
		if err := u.decode(u.files[*a.Index], fmt.Sprintf("%s/artifacts/%d", u.at, *a.Index), &file); err != nil {
			return p, false, err
		}
		a = file.Location
	}
	if a.URI == "" {
		return p, false, nil
	}
	p.absolute, p.relative, err = u.resolve(a)
	if err != nil {
		return p, false, fmt.Errorf("%s/uri: %w", at, err)
	}
	if r := l.Physical.Region; r.StartLine > 0 {
		p.line, p.col, p.endLine, p.endCol = r.StartLine, max(r.StartColumn, 0), max(r.EndLine, r.StartLine), max(r.EndColumn, 0)
		p.points = u.points
	}
	return p, p.absolute != "" || p.relative != "", nil
}

// resolve returns the path of a file, absolute if its bases say so, and relative to them. Both are empty if the URI is
// not of a file.
func (u *run) resolve(a artifact) (absolute, relative string, err error) {
	for range maxBases {
		name, ok, err := filePath(a.URI)
		switch {
		case err != nil:
			return "", "", err
		case !ok:
			return "", "", nil
		}
		whole := name
		if relative != "" {
			whole = path.Join(name, relative)
		}
		if path.IsAbs(name) {
			return path.Clean(whole), relative, nil
		}
		relative = path.Clean(whole)
		base, known := u.bases[a.BaseID]
		if !known || a.BaseID == "" || base.URI == "" {
			return "", relative, nil
		}
		a = base
	}
	return "", "", fmt.Errorf("has more than %d bases, or they lead in circles", maxBases)
}

// filePath is the path of a URI of a file.
func filePath(uri string) (name string, ok bool, err error) {
	parsed, err := url.Parse(uri)
	if err != nil {
		return "", false, fmt.Errorf("is no URI (percent-encode what is not allowed in one)")
	}
	switch {
	case parsed.Scheme != "" && !strings.EqualFold(parsed.Scheme, "file"), parsed.Host != "" && parsed.Host != "localhost", parsed.Opaque != "":
		return "", false, nil
	case parsed.Path == "" || strings.ContainsRune(parsed.Path, 0):
		return "", false, nil
	}
	return parsed.Path, true, nil
}
