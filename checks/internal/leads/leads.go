// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package leads is what packages pathstate and urlstate ask packages path and url: where a text leads.
package leads

import (
	"errors"
	"net/netip"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Host is where a URL leads. A reference without a host leads to the zero Host.
type Host struct {
	Scheme string
	Name   string     // the host in ASCII and lower case, without a dot at its end; "" if it is an address
	Addr   netip.Addr // the host if it is an address
	Port   uint16     // the scheme's own if none is given; 0 if that is not known
}

// URLs are the inside of options for URLs.
type URLs interface {
	// Judge says where a URL leads and what is wrong with it, without asking the network. The
	// findings have no pointer. The Host counts only if none of them is an error.
	Judge(raw string) (Host, []check.Finding)
	// JudgeAddr judges an address that a host turned out to have. The subject begins the
	// message: "the host resolves to". The result is nil if the address is allowed.
	JudgeAddr(subject string, addr netip.Addr) *check.Finding
}

// OfURLs returns the inside of options of package url.
func OfURLs(o interface{ Inside() any }) URLs { return o.Inside().(URLs) }

// ErrRefused reports a path that is refused by its text alone.
var ErrRefused = errors.New("the path is refused by its text alone")

// A Place is where a path leads by its text alone, taken as it stands.
type Place struct {
	// Path is absolute. It is not clean, so that a ".." behind a symbolic link can be
	// followed as the system does.
	Path string
	// Root is the allowed directory that it lies in; "" if none are known.
	Root string
	Confines
}

// Confines are the allowed directories of a server.
type Confines interface {
	// Confined reports whether they are known.
	Confined() bool
	// Roots are all of them, as they were given. They must not be changed.
	Roots() []string
	// RootOf returns the one that an absolute path lies in by its text.
	RootOf(path string) (root string, ok bool)
}

// Paths are the inside of options for paths.
type Paths interface {
	// Place says where a path leads in a world. With ErrRefused nothing must be asked of the file system: its answers would tell
	// about places outside the allowed directories. Another error means that it is not known.
	Place(world check.World, path string) (Place, error)
	// Worlds are the world of the path at a pointer into a call's arguments, as often as there are directories in which it may begin, with each as
	// the base. The path must be fit for each of them. There are none if the directories are too many to be judged.
	Worlds(world check.World, c *call.Call, pointer, path string) []check.World
	// Leads returns the places that a path leads to by its text alone, one for each way in which programs
	// read it: clean, absolute and with slashes, the literal reading first. Paths of Windows are in lower case.
	// Leads asks nothing of the file system.
	//
	// The error is ErrRefused for a text that no program should take for a path, such as one with a NUL
	// or a URL. It is another one for a relative path in a world without a base.
	Leads(world check.World, path string) ([]string, error)
	// Named says what is wrong with the names below an allowed directory that a path leads to through links: a part of a
	// sentence, "" if nothing is. The names have slashes.
	Named(names string) string
}

// OfPaths returns the inside of options of package path.
func OfPaths(o interface{ Inside() any }) Paths { return o.Inside().(Paths) }
