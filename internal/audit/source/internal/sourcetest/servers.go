// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sourcetest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/classes/suite"
	"github.com/toolvet/toolvet/internal/audit/source"
)

// A Server is a case of a class: the files of a small server, and the expected facts.
type Server struct {
	Name  string // "path/javascript/plain"
	Files []txtar.File
	want  []want
}

// A want is a fact that must be there: "read_file /path path traced traversal".
type want struct {
	fact string
	at   string // "server.py:12", where its flow ends; "": anywhere
}

// Servers are the cases in audit/classes/*/testdata/LANGUAGE.txtar. A section is a file of a server,
// SERVER/FILE. A comment "want: " holds facts, between semicolons: behind code, it is the place where
// the flow ends; on a line of its own, it may be anywhere. Any other fact is an error.
func Servers(t *testing.T, language string) []Server {
	t.Helper()
	files, err := filepath.Glob("../../classes/*/testdata/" + language + ".txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", language, err)
	}
	var list []Server
	for _, name := range files {
		list = append(list, ServersIn(t, name, filepath.Base(filepath.Dir(filepath.Dir(name)))+"/"+language)...)
	}
	return list
}

// ServersIn are the cases in one archive of the same form.
func ServersIn(t *testing.T, archive, prefix string) []Server {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var list []Server
	for _, f := range a.Files {
		server, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			t.Fatalf("%s: the section %s must be SERVER/FILE", archive, f.Name)
		}
		server = prefix + "/" + server
		i := slices.IndexFunc(list, func(s Server) bool { return s.Name == server })
		if i < 0 {
			list = append(list, Server{Name: server})
			i = len(list) - 1
		}
		f.Name = file
		list[i].Files = append(list[i].Files, f)
		list[i].want = append(list[i].want, wants(f)...)
	}
	return list
}

var wantComment = regexp.MustCompile(`^(.*?)(?://|#) want: (.*)$`)

func wants(f txtar.File) []want {
	var list []want
	for i, line := range strings.Split(string(f.Data), "\n") {
		m := wantComment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := ""
		if strings.TrimSpace(m[1]) != "" {
			at = fmt.Sprintf("%s:%d", f.Name, i+1)
		}
		for _, fact := range strings.Split(m[2], "; ") {
			list = append(list, want{fact, at})
		}
	}
	return list
}

// Check compares a result with the case, and demands that its facts can be shown and explained.
// places tells whether places are compared: those of a minified server differ.
func (s Server) Check(t *testing.T, res source.Result, places bool) {
	t.Helper()
	if len(res.Tools) == 0 || len(res.Unread) > 0 {
		t.Errorf("%s: tools: %d, unread: %v", s.Name, len(res.Tools), res.Unread)
	}
	var got, wanted []string
	for _, f := range res.Facts {
		if says(f) {
			got = append(got, InShort(f)+s.place(f, places))
		}
	}
	for _, w := range s.want {
		if line := w.fact; places && w.at != "" {
			wanted = append(wanted, line+" "+w.at)
		} else {
			wanted = append(wanted, line)
		}
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", s.Name, diff)
	}
	Explained(t, res.Facts)
}

// place is the end of a flow, if a case asks for it.
func (s Server) place(f audit.Fact, places bool) string {
	if n := len(f.Flow); places && n > 0 {
		at := fmt.Sprintf("%s:%d", f.Flow[n-1].File, f.Flow[n-1].Line)
		if !slices.Contains(s.want, want{InShort(f), ""}) {
			return " " + at
		}
	}
	return ""
}

// Said are the telling facts of a result, as the cases write them.
func Said(res source.Result) []string {
	var list []string
	for _, f := range res.Facts {
		if says(f) {
			list = append(list, InShort(f))
		}
	}
	slices.Sort(list)
	return list
}

// says reports whether a fact says more than "reaches nothing".
func says(f audit.Fact) bool {
	return f.Verdict != audit.NoEvidence || f.Kind != "" && f.Kind != "nothing"
}

// InShort is a fact as the cases write it: tool, parameter, class, confidence or verdict, kind.
func InShort(f audit.Fact) string {
	verdict := string(f.Verdict)
	if f.Confidence != "" {
		verdict = string(f.Confidence)
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", f.Tool, f.Param, f.Class, verdict, f.Kind)), " ")
}

// Explained demands of each fact a reason, a place, and a documented kind.
func Explained(t *testing.T, facts []audit.Fact) {
	t.Helper()
	for _, f := range facts {
		if says(f) && f.Verdict != audit.Inconclusive && (f.Why == "" || len(f.Flow) == 0 || f.Flow[len(f.Flow)-1].Line < 1 || f.Method != audit.Static) {
			t.Errorf("an incomplete fact: %+v", f)
		}
		if c := suite.Find(string(f.Class)); f.Verdict == audit.Vulnerable && (c == nil || c.Kind(f.Kind) == nil) {
			t.Errorf("the kind %q is not in audit/classes/%s: document it there", f.Kind, f.Class)
		}
	}
}
