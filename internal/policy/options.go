// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// options fills in options, a pointer to a struct whose fields have the tag `policy`, and reports its problems. More fields may
// stand beside them.
func (d *decoder) options(n ast.Node, what string, options any, problems func() []check.Problem, more ...field) {
	before := len(d.errs)
	target := reflect.ValueOf(options).Elem()
	at := d.structure(n, what, target, more...)
	if len(d.errs) > before || d.another && d.missing != nil { // nobody uses the options of a server that lacks a variable
		return
	}
	for _, p := range problems() {
		where, found := at[p.Field]
		if !found {
			where = positionOf(n)
		}
		if p.Field == "" {
			d.errorf(where, "%s: %s", what, p.Message)
		} else {
			d.errorf(where, "%q of %s: %s", p.Field, what, p.Message)
		}
	}
}

// structure reads a mapping into a struct, and returns where each field is. The tag secret marks a field for a credential, and the tag variable
// a field for names of environment variables.
func (d *decoder) structure(n ast.Node, what string, target reflect.Value, fields ...field) map[string]position {
	at := map[string]position{}
	for i := range target.NumField() {
		tag := target.Type().Field(i).Tag
		name := tag.Get("policy")
		if name == "" {
			continue
		}
		fields = append(fields, field{key: name, read: func(n ast.Node) {
			at[name] = positionOf(n)
			before := d.secret
			d.secret = before || tag.Get("secret") != ""
			d.value(n, target.Field(i))
			if tag.Get("variable") != "" {
				d.noteNames(target.Field(i))
			}
			d.secret = before
		}})
	}
	if _, empty := bare(n).(*ast.NullNode); empty {
		return at // "path:" alone is the demand with its defaults
	}
	d.object(n, what, fields...)
	return at
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value reads a node into a field of options.
func (d *decoder) value(n ast.Node, target reflect.Value) {
	switch {
	case target.CanAddr() && target.Addr().Type().Implements(textType):
		d.unmarshal(n, target.Addr().Interface().(encoding.TextUnmarshaler))
		return
	case target.Type() == durationType:
		target.SetInt(int64(d.duration(n)))
		return
	}
	switch target.Kind() {
	case reflect.Pointer:
		v := reflect.New(target.Type().Elem())
		d.value(n, v.Elem())
		target.Set(v)
	case reflect.Bool:
		target.SetBool(d.boolean(n))
	case reflect.Int, reflect.Int64:
		v, _ := d.integer(n)
		target.SetInt(int64(v))
	case reflect.Float64:
		target.SetFloat(d.number(n))
	case reflect.String:
		v, _ := d.text(n)
		target.SetString(v)
	case reflect.Slice:
		target.Set(reflect.MakeSlice(target.Type(), 0, 0)) // replaces a default; [] is not "unset"
		d.list(n, "values", func(n ast.Node) {
			v := reflect.New(target.Type().Elem()).Elem()
			d.value(n, v)
			target.Set(reflect.Append(target, v))
		})
	case reflect.Map:
		d.mapping(n, target)
	case reflect.Struct:
		d.structure(n, "the mapping", target)
	case reflect.Interface:
		d.any(n, target)
	default:
		panic("policy: an option of type " + target.Type().String() + " cannot be read")
	}
}

func (d *decoder) mapping(n ast.Node, target reflect.Value) {
	entries, _ := d.entries(n, "values by name")
	target.Set(reflect.MakeMapWithSize(target.Type(), len(entries)))
	for _, e := range entries {
		v := reflect.New(target.Type().Elem()).Elem()
		d.value(e.value, v)
		target.SetMapIndex(reflect.ValueOf(e.key).Convert(target.Type().Key()), v)
	}
}

// any reads any value as a call's arguments are read. Nothing in it is expanded.
func (d *decoder) any(n ast.Node, target reflect.Value) {
	before := len(d.errs)
	text := d.json(n)
	if len(d.errs) > before {
		return
	}
	v, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		d.errorf(positionOf(n), "%v", err)
		return
	}
	if v != nil {
		target.Set(reflect.ValueOf(v))
	}
}

func (d *decoder) unmarshal(n ast.Node, target encoding.TextUnmarshaler) {
	s, ok := d.scalar(n)
	if !ok {
		return
	}
	err := target.UnmarshalText([]byte(s))
	if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
		err = fmt.Errorf("must be a regular expression in RE2's syntax: %s: `%s`", bad.Code, bad.Expr)
	}
	if err != nil {
		d.errorf(positionOf(n), "%v", err)
	}
}

func (d *decoder) duration(n ast.Node) time.Duration {
	s, ok := d.scalar(n)
	if !ok {
		return 0
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		d.errorf(positionOf(n), "must be a duration such as 300ms, 2s or 1h30m")
	}
	return v
}

func (d *decoder) number(n ast.Node) float64 {
	switch v := bare(n).(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		if f, err := strconv.ParseFloat(v.GetToken().Value, 64); err == nil {
			return f
		}
	}
	d.mismatch(n, "a number")
	return 0
}

// list reads a sequence, or a single value in its place.
func (d *decoder) list(n ast.Node, what string, read func(n ast.Node)) {
	switch v := bare(n).(type) {
	case *ast.SequenceNode:
		for _, e := range v.Values {
			read(e)
		}
	case ast.MapNode, *ast.NullNode:
		d.mismatch(n, "a list of "+what)
	default:
		read(n)
	}
}

func (d *decoder) texts(n ast.Node) []string {
	var texts []string
	d.list(n, "strings", func(n ast.Node) {
		s, _ := d.text(n)
		texts = append(texts, s)
	})
	return texts
}

// scalar reads the text of a string or a number as it is written.
func (d *decoder) scalar(n ast.Node) (string, bool) {
	switch v := bare(n).(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return v.GetToken().Value, true
	}
	return d.text(n)
}

// text reads a string. ${NAME} in it becomes the environment's value, $$ a dollar sign.
func (d *decoder) text(n ast.Node) (string, bool) {
	raw, ok := d.raw(n)
	return d.expand(n, raw), ok
}

// raw reads a string as it is written.
func (d *decoder) raw(n ast.Node) (string, bool) {
	switch v := bare(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	d.mismatch(n, "a string")
	return "", false
}

var variable = lazyregexp.New(`\$\$|\$\{([^}]*)\}?|\$`)

const unclosed = "${ must be followed by the name of an environment variable and }; write $$ for a dollar sign"

// unknownValue stands for a text that lacks a variable. It is valid as a word, a URL and the value of a header.
const unknownValue = "https://variable.invalid/"

// keysOf is the way to a value: servers.files.roots[0].
func keysOf(n ast.Node) string { return strings.TrimPrefix(n.GetPath(), "$.") }

// place tells a person where a value stands.
func (d *decoder) place(n ast.Node) string {
	return keysOf(n) + ", line " + strconv.Itoa(positionOf(n).line) + " of " + d.file.name
}

// expand never shows what a variable holds: it may be a secret.
func (d *decoder) expand(n ast.Node, s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var missing []string
	expanded := variable.ReplaceAllStringFunc(s, func(found string) string {
		name, closed := strings.CutSuffix(strings.TrimPrefix(found, "${"), "}")
		switch {
		case found == "$$":
			return "$"
		case found == "$":
			return found
		case !closed || name == "":
			d.errorf(positionOf(n), "%s", unclosed)
			return ""
		}
		d.note(name)
		v, ok := d.lookup(name)
		if !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		return v
	})
	if missing == nil {
		return expanded
	}
	if d.another {
		d.missing = append(d.missing, missing...)
		d.lacking = cmp.Or(d.lacking, d.place(n))
	} else {
		for _, name := range missing {
			d.errorf(positionOf(n), "the environment variable %s is not set: set it where toolvet starts, or change %s", quote(name), keysOf(n))
		}
	}
	d.unset = positionOf(n)
	return unknownValue
}
