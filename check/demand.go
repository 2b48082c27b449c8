// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

// A Demand is a kind of demand that a policy can make on an argument, such as "path: {exists:
// true}". One or more checks answer it: usually one looks at the value alone, and another, of
// level Runtime, looks at the world.
type Demand struct {
	// Name is the demand's key in a policy.
	Name string
	// Options makes the demand's options, a pointer to a struct that holds the defaults.
	// A policy fills in the fields that have a tag `policy:"name"`; the tag `doc` tells
	// editors what they mean. If the struct has the method Problems() []Problem, it is
	// called once they are filled in.
	Options func() any
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

// hides reports whether a policy that names the demand o gets d.
func (d *Demand) hides(o *Demand) bool {
	return d != nil && o != nil && d != o && d.Name == o.Name && d.Results == o.Results
}

// Problems prepares filled-in options and returns their faults.
func Problems(options any) []Problem {
	if o, ok := options.(interface{ Problems() []Problem }); ok {
		return o.Problems()
	}
	return nil
}

// A Problem says what is wrong with a demand's options.
type Problem struct {
	Field   string // the policy's name of the option; "" is the demand as a whole
	Message string
}

// A Target is a place in the arguments of one call with a demand on it.
type Target struct {
	Pointer  string // JSON Pointer into the arguments; "" for a demand of the whole tool
	Value    any    // the call's value there, as package call decodes it
	Options  any    // made by the demand's Options
	Inferred string // why toolvet takes the place for one of this kind; "" if a policy says so
}

// A World describes the server's environment to checks.
type World struct {
	// Remote means that the server's files, programs and environment are elsewhere. Checks of
	// them must skip.
	Remote bool
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
