// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/pathstate"
	"github.com/toolvet/toolvet/internal/jsonpointer"
)

// The functions that read a text as a path of the server. Their answers depend on the server's
// working directory and on symbolic links, so they are bound when a call is judged.
const (
	withinFunction  = "within"
	resolveFunction = "resolve"
)

var (
	errRoot      = errors.New("the second argument of within must be an absolute directory without . and .., empty steps or a slash at its end")
	errAmbiguous = &pathError{errors.New("it leads to another place, depending on how a server reads it")}
)

// errRoundabout is for a path with steps that a comparison of texts does not follow.
var errRoundabout = &pathError{errors.New("it is compared as text, and has steps (such as ..) that a text does not follow")}

// A pathError says why a rule cannot tell where a path leads. Its text holds nothing of the path.
type pathError struct{ err error }

func (e *pathError) Error() string { return e.err.Error() }

func (e *pathError) Unwrap() error { return e.err }

// files are the paths of one call. A path is followed once, however many rules ask for it.
// files is for one goroutine.
type files struct {
	ctx    context.Context
	world  check.World
	note   func(asked string) // may be nil
	places map[question]found
}

// A question is a path to follow.
type question struct {
	path    string
	windows bool
}

// found is where a path leads.
type found struct {
	places []string
	err    error
}

// bind returns a function that rules call, or false for an unknown one.
func (f *files) bind(function string) (cel.LateBoundFunction, bool) {
	switch function {
	case withinFunction:
		return func(_ string, args ...ref.Val) ref.Val {
			inside, err := f.within(string(args[0].(types.String)), string(args[1].(types.String)))
			return result(types.Bool(inside), err)
		}, true
	case resolveFunction:
		return func(_ string, args ...ref.Val) ref.Val {
			place, err := f.resolve(string(args[0].(types.String)))
			return result(types.String(place), err)
		}, true
	}
	return nil, false
}

// within reports whether a path leads to root or below it, links included. If readers of the path disagree
// about that, it is an error: a rule that allows and a rule that denies must both refuse.
//
// A root that is not clean is an error: it may be made of a session's own words, such as
// "/srv/" + session.subject.
func (f *files) within(file, root string) (bool, error) {
	if !clean(root) {
		return false, errRoot
	}
	windows := drive(root)
	base, err := f.leads(root, windows)
	if err != nil {
		return false, err
	}
	places, err := f.leads(file, windows)
	if err != nil {
		return false, err
	}
	inside := 0
	for _, place := range places {
		if below(place, base[0]) || pathstate.Below(f.world, place, base[0], f.noted) {
			inside++
		}
	}
	switch inside {
	case 0:
		return false, nil
	case len(places):
		return true, nil
	}
	return false, errAmbiguous
}

// resolve returns where a path leads, links included: absolute, clean and with slashes.
func (f *files) resolve(file string) (string, error) {
	places, err := f.leads(file, false)
	switch {
	case err != nil:
		return "", err
	case len(places) > 1:
		return "", errAmbiguous
	}
	return places[0], nil
}

// leads returns where readers of a path are led. Windows says that it is one of Windows, if nothing is known of the
// server's directories.
func (f *files) leads(path string, windows bool) ([]string, error) {
	asked := question{path, windows && f.world.Base == "" && len(f.world.Roots) == 0}
	known, ok := f.places[asked]
	if !ok {
		if known.places, known.err = f.follow(asked); known.err != nil {
			known.err = &pathError{known.err}
		}
		if f.places == nil {
			f.places = map[question]found{}
		}
		f.places[asked] = known
	}
	return known.places, known.err
}

func (f *files) follow(asked question) ([]string, error) {
	name, err := ofURI(asked.path)
	if err != nil {
		return nil, err
	}
	world := f.world
	if asked.windows {
		world.Roots = []string{`C:\`}
	}
	return pathstate.Leads(f.ctx, world, name, f.noted)
}

func (f *files) noted(asked string) {
	if f.note != nil {
		f.note(asked)
	}
}

// ofURI returns the path in a file URI (RFC 8089), as resources have them, and any other text as it stands.
func ofURI(text string) (string, error) {
	const scheme = "file://"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return text, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host != "" && !strings.EqualFold(u.Host, "localhost") || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("it is a file URI that names more than a path on this machine")
	}
	return u.Path, nil
}

// roundabout reports whether a value at an address looks like a path whose text is not the shortest for its place. Rules that
// compare texts cannot judge such a path: /srv/ann/../bob begins with /srv/ann. Links are not asked for here; within and
// resolve follow them.
func roundabout(value any, address string) bool {
	switch v := value.(type) {
	case string:
		return address == "" && winding(v)
	case map[string]any:
		step, rest, deeper := strings.Cut(strings.TrimPrefix(address, "/"), "/")
		if deeper {
			rest = "/" + rest
		}
		if address == "" {
			return false
		}
		if step == "*" { // an index that is not known beforehand
			for _, member := range v {
				if roundabout(member, rest) {
					return true
				}
			}
			return false
		}
		return roundabout(v[jsonpointer.Unescape(step)], rest)
	case []any:
		_, rest, deeper := strings.Cut(strings.TrimPrefix(address, "/"), "/")
		if deeper {
			rest = "/" + rest
		}
		for _, element := range v {
			if roundabout(element, rest) || address == "" && roundabout(element, "") {
				return true
			}
		}
	}
	return false
}

// winding reports whether a text is a path with an empty step, a step . or .., or such a step in another spelling. A path may
// hold blanks: a text is one if its first word has a slash.
func winding(text string) bool {
	first, _, _ := strings.Cut(strings.Map(blank, text), " ")
	if !strings.ContainsAny(first, `/\`) {
		return false // a name, or words such as "see a/../b"
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		if !strings.EqualFold(scheme, "file") {
			return false // a URL; host reads it
		}
		text = rest
	}
	steps := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == '/' || r == '\\' })
	for _, step := range steps {
		if step == "." || step == ".." || strings.Contains(step, "%2e") || strings.Contains(step, "%2f") || strings.Contains(step, "%5c") {
			return true
		}
	}
	return strings.Contains(strings.TrimSuffix(text, "/"), "//")
}

// blank makes every white space a blank.
func blank(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// clean reports whether a root is absolute, and as short as can be.
func clean(root string) bool {
	rest := root
	if drive(root) {
		rest = strings.ReplaceAll(root[2:], `\`, "/")
	}
	return strings.HasPrefix(rest, "/") && path.Clean(rest) == rest && !strings.ContainsFunc(rest, unicode.IsControl)
}

// drive reports whether a path begins with a Windows drive.
func drive(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z')
}

// below reports whether a clean place is root or leads below it.
func below(place, root string) bool {
	return place == root || strings.HasPrefix(place, strings.TrimSuffix(root, "/")+"/")
}
