// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// A Demand is a kind of demand that a policy can make on an argument, such as "path: {exists:
// true}". One or more checks answer it: usually one looks at the value alone, and another, of
// level Runtime, looks at the world.
type Demand struct {
	// Name is the demand's key in a policy.
	Name string
	// Options makes the demand's options, a pointer to a struct that holds the defaults.
	// A policy fills in the fields that have a tag `policy:"name"`; the tag `doc` tells
	// editors what they mean. Such a field is an encoding.TextUnmarshaler, a time.Duration, a bool, int,
	// int64, float64, string or any, a struct with such fields, or a pointer to, a slice of, or a map by strings of
	// one of these.
	Options func() any
	// Problems prepares options that are filled in, and returns their faults. Nil: there are none.
	Problems func(options any) []Problem
	// Lists says that the demand is about a whole array, such as the words of a command.
	// Otherwise each element of an array is a target of its own.
	Lists bool
	// Everywhere marks a demand on all arguments of every call. Its check runs on every call, once, and
	// its targets are the places for which a policy chooses options.
	Everywhere bool
	// Results marks a demand on results instead of arguments. Its default options apply if no
	// policy makes it.
	Results bool
}

// Validate reports a demand that no policy could make: one without a name, or with options that cannot be read.
func (d *Demand) Validate() error {
	switch {
	case d == nil:
		return errors.New("has a nil demand")
	case d.Name == "":
		return errors.New("has a demand without a name")
	case d.Options == nil:
		return errors.New("has a demand without options: let Options make a pointer to a struct, which may be empty")
	}
	options := reflect.ValueOf(d.Options())
	if options.Kind() != reflect.Pointer || options.IsNil() || options.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("has a demand %q whose Options make no pointer to a struct", d.Name)
	}
	if why := unreadable(options.Type().Elem(), nil); why != "" {
		return fmt.Errorf("has a demand %q that no policy could make: the option %s", d.Name, why)
	}
	return nil
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// unreadable says why a policy cannot fill in a value of type t, which lies within others; "" if it can.
func unreadable(t reflect.Type, within []reflect.Type) string {
	if reflect.PointerTo(t).Implements(textType) {
		return ""
	}
	if slices.Contains(within, t) {
		return fmt.Sprintf("is of type %s, which contains itself", t)
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.String:
		return ""
	case reflect.Pointer, reflect.Slice:
		return unreadable(t.Elem(), within)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return unreadable(t.Elem(), within)
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return ""
		}
	case reflect.Struct:
		var names []string
		for i := range t.NumField() {
			f := t.Field(i)
			name := f.Tag.Get("policy")
			if name == "" {
				continue
			}
			if slices.Contains(names, name) {
				return fmt.Sprintf("%q stands at two fields", name)
			}
			names = append(names, name)
			if !f.IsExported() {
				return fmt.Sprintf("%q is the field %s, which is not exported", name, f.Name)
			}
			if why := unreadable(f.Type, within); why != "" {
				return fmt.Sprintf("%q %s", name, why)
			}
		}
		return ""
	}
	return fmt.Sprintf("is of type %s: see check.Demand.Options", t)
}

// hides reports whether a policy that names the demand o gets d.
func (d *Demand) hides(o *Demand) bool {
	return d != nil && o != nil && d != o && d.Name == o.Name && d.Results == o.Results
}

// A Problem says what is wrong with a demand's options.
type Problem struct {
	Field   string // the policy's name of the option; "" is the demand as a whole
	Message string
}

// A Target is a place in the arguments of one call with a demand on it.
type Target struct {
	Pointer string // JSON Pointer into the arguments; "" for a demand of the whole tool
	Value   any    // the call's value there, as package call decodes it
	Options any    // made by the demand's Options
}

// A World describes the server's environment to checks.
type World struct {
	// Remote means that the server's files, programs and environment are elsewhere. Checks of
	// them must skip.
	Remote bool
	// Platform says whose paths the server's are: "posix" or "windows"; "" if it is not known. It need not be toolvet's own.
	Platform string
	// Base is the absolute directory that the server resolves relative paths against;
	// "" if it is not known.
	Base string
	// Roots are the absolute directories that the server is confined to, as the policy,
	// the server's own arguments or the client say; empty if it is not known.
	Roots []string
	// Resolver is the DNS server that the server asks for names, an IP address and a port;
	// "" is this machine's own.
	Resolver string
}
