// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/toolvet/toolvet/check"
)

//go:embed template
var templates embed.FS

// targets are the files of a check, with their templates.
var targets = map[string]string{
	"check.go":            "template/check.go.tmpl",
	"check_test.go":       "template/check_test.go.tmpl",
	"README.md":           "template/README.md.tmpl",
	"testdata/NAME.txtar": "template/cases.txtar.tmpl",
}

// A scaffold is a new check with only a name.
type scaffold struct {
	Name    string // known-tool
	Package string // knowntool
}

// taken lists packages other than checks, and names that Go does not allow for imports.
var taken = []string{"suite", "testdata", "vendor", "internal", "main", "init"}

func newScaffold(name string) (*scaffold, error) {
	s := &scaffold{Name: name, Package: strings.ReplaceAll(name, "-", "")}
	if err := validName(name); err != nil {
		return nil, err
	}
	if token.IsKeyword(s.Package) || slices.Contains(taken, s.Package) {
		return nil, fmt.Errorf("a package cannot be called %q: choose another name", s.Package)
	}
	return s, nil
}

// validName leaves the rule to check.Validate.
func validName(name string) error {
	return check.Validate([]*check.Check{{
		Name: name, Doc: "# " + name + "\n\nText.\n", Stage: check.Schema, Level: check.SyntaxLevel,
		Run: func(context.Context, *check.Pass) error { return nil },
	}})
}

// write makes the directory of the check below dir. It fails if the directory exists, and a failure
// leaves nothing behind.
func (s *scaffold) write(dir string) (err error) {
	own := filepath.Join(dir, s.Package)
	if err := os.Mkdir(own, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: choose another name", filepath.ToSlash(own))
	} else if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(own))
		}
	}()
	for target, source := range targets {
		text, err := s.render(source)
		if err != nil {
			return err
		}
		path := filepath.Join(own, filepath.FromSlash(strings.Replace(target, "NAME", s.Name, 1)))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *scaffold) render(source string) ([]byte, error) {
	t, err := template.ParseFS(templates, source)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, s)
	return b.Bytes(), err
}

// next lists the remaining steps.
func (s *scaffold) next() string {
	return fmt.Sprintf(`checks/%[2]s is made, with a demand of its name and a case that fails. What is left:
 1. say in checks/%[2]s/README.md what the check looks for, and why
 2. write it in checks/%[2]s/check.go; choose its stage, level, severity and options
 3. write cases in checks/%[2]s/testdata/%[1]s.txtar: for each option one with findings
    and one without; go test ./checks/%[2]s -update writes down what is found: read it
 4. add %[2]s.Check to Default in checks/suite/suite.go, in its place
 5. go generate ./checks/suite, which renews docs/checks.md
`, s.Name, s.Package)
}
