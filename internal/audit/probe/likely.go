// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"

	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// likely is a guess at a parameter unknown to package infer, or "". That package is for policies, and
// a wrong guess there refuses legitimate calls. Here a wrong guess costs some calls, and a miss hides
// a gap: a likely parameter counts as inconclusive if no control call works.
func (u *tool) likely(p parameter) infer.Kind {
	said := cmp.Or(p.description, u.Description)
	switch {
	case elsewhere.MatchString(p.description):
	case saysPath.MatchString(p.description), u.moves(p):
		return infer.Path
	case aboutOne.MatchString(p.description):
	case fileName.MatchString(p.name), placeName.MatchString(p.name) && aboutFiles.MatchString(said):
		return infer.Path
	case hostWords.MatchString(p.name):
		return infer.URL
	}
	return ""
}

var (
	// fileName finds names of files, and of places to save something.
	fileName = lazyregexp.New(`(^|[_-])(?i:files?|folders?)$|[a-z](Files?|Folders?)$|(?i)(save|write|download|store|dump)[_-]?(to|into|location)$|save[_-]?as$`)
	// placeName finds names that mean files if something else says so.
	placeName = lazyregexp.New(`(?i)(^|[_-])(destination|dest|dst|target|source|src|input|output|out|location|attachments?|export[_-]?to)$`)
	// hostWords finds names of things to connect to.
	hostWords = lazyregexp.New(`(^|[_-])(?i:host|hostname|website|web_?page)$|[a-z](Host|Hostname|Website)$`)

	// saysPath finds descriptions that begin with "path", or clearly speak of one.
	saysPath = lazyregexp.New(`(?i)^\W*((optional|required|the|an?|full|absolute|relative|local|output|input|target|source|destination|file ?system)\W+)*((file|directory|folder|disk)[ -]?)?(path|filename|file name|directory)\b( (to|of|for|where|in|on|under|from|that|which|inside)\b|\W*$|[.,;:(]| \()` +
		`|\b(absolute|local|file ?system) (file )?path\b|\bpath (to|of) (the |an? )?([a-z-]+ ){0,2}(file|directory|folder)\b|\bfile ?path\b`)
	// elsewhere finds descriptions of paths and files outside of file systems.
	elsewhere = lazyregexp.New(`(?i)\b(json ?path|xpath|json pointer|dot[- ]notation|(css|json|ur[il]|http|request|api|route|import|module|field|object|property|vault|secret|menu) path|bucket|google drive|dropbox|figma|slack|notion|blob storage)\b|\b(s3|gs)://`)
	// aboutOne finds descriptions of a property of a file or host, other than its place.
	aboutOne = lazyregexp.New(`(?i)\b(ids?|identifier|uuid|key|token|base64|contents?|format|type|extension)\b`)
)
