// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/check"
)

// A judgement is that of one path.
type judgement struct {
	*Options
	*confines
	first walk // of the literal reading
	buf   [256]byte
}

// judge says what is wrong with a path. Of several readings it tells of the first that
// is refused, or else of the first with a warning.
func (o *Options) judge(world check.World, path string) []check.Finding {
	j := judgement{Options: o, confines: o.confinesFor(world)}
	if limit := j.platform.maxLength(); len(path) > limit {
		return []check.Finding{{Level: check.SyntaxLevel, Message: fmt.Sprintf("must not be longer than %d bytes: no file has a longer path", limit)}}
	}
	r := literally(path, j.platform)
	faults := j.read(r)
	if refused(faults) {
		return faults
	}
	for _, r := range readings(path, j.platform) {
		switch more := j.read(r); {
		case refused(more):
			return more
		case len(faults) == 0:
			faults = more
		}
	}
	return faults
}

func refused(faults []check.Finding) bool {
	return slices.ContainsFunc(faults, func(f check.Finding) bool { return f.Severity == check.Error })
}

// read judges one reading. After a fault that refuses the path it looks no further.
func (j *judgement) read(r reading) (faults []check.Finding) {
	if f, bad := j.form(r); bad {
		return []check.Finding{f}
	}
	if f, bad := j.custom(r); bad {
		faults = append(faults, f)
	}
	if refused(faults) {
		return faults
	}
	w := walk{platform: j.platform, literal: r.literal, at: j.buf[:0]}
	w.resolve(r.text, j.start)
	if f, bad := j.place(r, &w); bad {
		return append(faults, f)
	}
	return append(faults, j.demands(r, &w)...)
}

// place judges where a reading leads.
func (j *judgement) place(r reading, w *walk) (check.Finding, bool) {
	switch {
	case !j.known:
		return j.unconfined(r, w)
	case !w.absolute && !j.started:
		return check.Finding{Message: "is relative" + r.how + ", and the directory in which the server opens such paths is not known: " + j.allowed(), Suggestion: "give an absolute path"}, true
	case j.rootOf(w.at, !r.literal) >= 0:
		return check.Finding{}, false
	}
	f, _ := r.fault("leads out of the allowed directories", ": "+j.allowed(), "")
	f.Source = "outside"
	if !w.absolute && !j.within {
		f.Suggestion = "give an absolute path: relative ones start in " + j.base
	}
	return f, true
}

// unconfined judges a reading where the allowed directories are not known: a path must
// not hide where it leads, nor lead above the base that the demand names.
func (j *judgement) unconfined(r reading, w *walk) (check.Finding, bool) {
	if r.literal {
		j.first = walk{platform: j.platform}
		j.first.resolve(r.text, "") // backslashes count, or they would seem hidden below
	}
	bare := walk{platform: j.platform, literal: r.literal}
	bare.resolve(r.text, "") // without a start, which would take steps up
	switch hidden := !r.plain; {
	case hidden && w.absolute && !j.first.absolute:
		return r.fault("becomes an absolute path", "", plainly)
	case hidden && (w.absolute && bare.ups > j.first.ups || !w.absolute && bare.above > j.first.above):
		return r.fault(`leads upwards by ".." in disguise`, "", plainly)
	case !w.absolute && j.started && j.Options.Base != "" && !below(w.at, j.start):
		return r.fault("leads above the starting directory of relative paths", ": "+j.base, "")
	}
	return check.Finding{}, false
}

// below reports whether a clean path is dir or lies in it.
func below(path []byte, dir string) bool {
	return len(path) >= len(dir) && string(path[:len(dir)]) == dir && (len(path) == len(dir) || path[len(dir)] == '/')
}
