// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A Variable is one of a server's environment. Its value may refer to variables of ours,
// which are looked up when the server is started: a policy for many servers can be read
// where only one has its secrets.
type Variable struct {
	Name  string
	value string // as it is written, with ${NAME}
	at    string // its place in the policy
}

// Environ returns the additions to the environment of the server: NAME=VALUE, in the order of the
// file. Lookup tells our own variables, as os.LookupEnv does. The error names those that are not
// set, also those of the command, the url and the credentials; see [ParseFor].
func (s *Server) Environ(lookup func(name string) (string, bool)) ([]string, error) {
	var list []string
	missing, at := slices.Clone(s.missing), s.lacking
	for _, v := range s.Env {
		value := expandWith(v.value, func(name string) string {
			value, ok := lookup(name)
			if !ok && !slices.Contains(missing, name) {
				missing, at = append(missing, name), cmp.Or(at, v.at)
			}
			return value
		})
		list = append(list, v.Name+"="+value)
	}
	if len(missing) > 0 {
		return nil, &UnsetError{s, missing, at}
	}
	return list, nil
}

// An UnsetError reports variables that the policy needs for a server and that are not set.
type UnsetError struct {
	server *Server
	Names  []string
	at     string // the place that needs the first
}

func (e *UnsetError) Error() string {
	return fmt.Sprintf("the server %q needs %s, which is not set in the environment: set it where toolvet starts, or change %s", e.server.Name, strings.Join(e.Names, ", "), e.at)
}

// Lacks reports that nobody reaches the server, because the policy needs a variable for it that is not set. Environ names it.
func (s *Server) Lacks() bool { return s.missing != nil }

// Unplaced reports a variable that is not set and that the policy needs for the server's directories: its calls cannot be judged, also by
// a program that does not reach it.
func (s *Server) Unplaced() error {
	if !s.unplaced {
		return nil
	}
	return &UnsetError{s, s.missing, s.lacking}
}

// expandWith replaces ${NAME} by what value tells, and $$ by a dollar sign.
func expandWith(s string, value func(name string) string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		name, closed := strings.CutSuffix(strings.TrimPrefix(found, "${"), "}")
		switch {
		case found == "$$":
			return "$"
		case found == "$", !closed, name == "":
			return found // refused where the policy was read
		}
		return value(name)
	})
}

// environment reads variables. No error shows a line of it, which may hold a secret.
func (d *decoder) environment(n ast.Node) []Variable {
	before := len(d.errs)
	entries, _ := d.entries(n, "values by the name of an environment variable")
	var list []Variable
	for _, e := range entries {
		v := Variable{Name: e.key}
		if e.key == "" || strings.ContainsAny(e.key, "=\x00") {
			d.errorf(e.at, "is not the name of an environment variable")
		}
		if d.secret = holdsCredential(e.key); d.secret {
			d.note(e.key) // toolvet's own variable of this name is another one, and a credential, too
		}
		v.value, v.at = d.template(e.value), d.place(e.value)
		d.secret = false
		list = append(list, v)
	}
	for _, e := range d.errs[before:] {
		e.Source = ""
	}
	return list
}

// template reads a string whose ${NAME} is replaced later.
func (d *decoder) template(n ast.Node) string {
	switch v := bare(n).(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return v.GetToken().Value
	}
	raw, ok := d.raw(n)
	for _, found := range variable.FindAllStringSubmatch(raw, -1) {
		switch {
		case !strings.HasPrefix(found[0], "${"):
		case found[1] == "" || !strings.HasSuffix(found[0], "}"):
			d.errorf(positionOf(n), "%s", unclosed)
		default:
			d.note(found[1])
		}
	}
	if ok && strings.ContainsRune(raw, 0) {
		d.errorf(positionOf(n), "must not hold the character NUL")
	}
	return raw
}

// note remembers a variable to which the policy refers.
func (d *decoder) note(name string) {
	if name != "" && (d.private || d.secret || holdsCredential(name)) && !slices.Contains(everyday, strings.ToUpper(name)) {
		d.held = append(d.held, name)
	}
	if !d.private {
		d.named = append(d.named, name)
	}
}

// noteNames notes the variables that a string, or each value of a map of strings, names.
func (d *decoder) noteNames(v reflect.Value) {
	if v.Kind() == reflect.String {
		d.note(v.String())
		return
	}
	for _, key := range v.MapKeys() {
		d.note(v.MapIndex(key).String())
	}
}

// everyday are variables that programs need, and that are no credentials, wherever a policy refers to them.
var everyday = strings.Fields("PATH HOME USER LOGNAME USERNAME SHELL PWD TERM LANG LC_ALL TZ TMPDIR TEMP TMP HOSTNAME USERPROFILE APPDATA LOCALAPPDATA " +
	"SYSTEMROOT COMSPEC PATHEXT HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_OPTIONS")

// credentialWords are in the names of variables that hold credentials, such as GITHUB_TOKEN. Those with a line are at the end.
var credentialWords = strings.Fields("TOKEN SECRET PASSW PASSPHRASE CREDENTIAL APIKEY AUTHORIZATION COOKIE DATABASE_URL CONNECTION_STRING _AUTH _KEY _PAT _DSN _PASS _PWD")

func holdsCredential(name string) bool {
	name = "_" + strings.ToUpper(name)
	return slices.ContainsFunc(credentialWords, func(word string) bool {
		return strings.Contains(name, word) && (word[0] != '_' || strings.HasSuffix(name, word))
	})
}

// withhold keeps the credentials of toolvet and of each server from the other servers.
func (p *Policy) withhold(held []string) {
	slices.Sort(held)
	held = slices.Compact(held)
	p.Withheld = held
	for _, s := range p.Servers {
		s.Withheld = slices.DeleteFunc(slices.Clone(held), func(name string) bool { return slices.Contains(s.named, name) })
	}
}
