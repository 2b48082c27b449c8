// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// A Label is a guard's knowledge of a value, or the effect of an operation on it.
type Label uint32

// Labels.
const (
	Contain     Label = 1 << iota // below a root, after normalisation
	ContainReal                   // the same, and symbolic links were resolved before
	PrefixSep                     // begins with a root and a separator, but was not normalised
	PrefixWeak                    // begins with a root, but nothing ends the name
	Realpath                      // symbolic links are resolved
	Normal                        // has no .. segments that lead upwards unseen
	NoDotDot                      // .. was looked for
	Relative                      // an absolute path cannot replace the root
	HostFixed                     // something other than the caller's text stands in place of the host
	HostAllow                     // the host is one of a list
	HostWeak                      // the host was looked at, but the check looks bypassable
	ChkLoop                       // the address is no loopback one
	ChkPriv                       // nor a private one
	ChkLink                       // nor a link-local one
	Resolved                      // the address comes from a look-up of the name
	DNSChecked                    // the addresses of the name were checked
	Quoted                        // quoted for a shell
	NoMeta                        // has no metacharacter of a shell
	MetaWeak                      // some such characters were looked for
	NoDash                        // does not begin with a dash
	Parted                        // cut into words
	Chosen                        // one of a closed set
	Mangled                       // made by a library of it and other things
	Optional                      // the guard is there only if the server is set up so
	HostLooked                    // an address was looked at, but perhaps not on this way
	RelOf                         // relative to a root, after a comparison with it
	Answer                        // a part of an unknown function's result
	Denied                        // not below the directories of a deny list
	Local                         // it was looked for among the files of this machine
	Refused                       // Denied, after normalisation
	Unseen                        // passed to a function without code that checks it, going by its name
	Slash                         // begins with a slash

	private = ChkLoop | ChkPriv | ChkLink
	// all are the labels of a value from a closed set: every good one.
	all = Chosen | Contain | ContainReal | NoDotDot | Relative | HostAllow | private | DNSChecked | Quoted | NoMeta | NoDash
	// Closed are the labels of a value from a closed set.
	Closed = all
	// Private are the checks that keep an address out of private networks.
	Private = private

	guards     = Chosen | Contain | ContainReal | NoDotDot | PrefixSep | HostAllow | private | DNSChecked | Quoted | NoMeta
	hostLabels = HostAllow | HostWeak | private | DNSChecked
)

// A Deriv is the way in which a value came from another.
type Deriv uint8

// Derivations.
const (
	FromArgs   Deriv = iota // the argument itself
	Whole                   // changed as a whole: trimmed, joined, made absolute, converted
	Through                 // an unknown function
	Part                    // a part of it; a check of the part says nothing about the whole
	Word                    // one of the words of it
	Char                    // one of its characters
	Host                    // the host of a URL
	Address                 // the address of a host
	Ancestors               // the directories above a path
	CommonRoot              // of a path and a root
	Decoded                 // decoded: hidden characters may come to light
	Baked                   // the labels of a branch
	Entry                   // a name in an archive; the path or the text of the archive is the caller's
)

// A Source is an argument of a tool.
type Source struct {
	Tool  string
	Param string // JSON Pointer
	Pos   Pos
}

// A node is the taint of a value by one source.
type node struct {
	id     int
	src    *Source
	how    Deriv
	in     []*node
	labels Label
	pos    Pos
	note   string
	entry  bool // some of it is a name in an archive
}

// down are the labels that a value inherits from its origins.
func (n *node) down(l Label) Label {
	if n.how != Baked { // something may stand in front of it now
		l &^= Slash
	}
	switch n.how {
	case Part, Word:
		return l & (NoMeta | NoDotDot | Contain | ContainReal | Quoted | Answer | Resolved | Unseen)
	case Entry:
		return 0
	case Decoded:
		return l & (HostFixed | Relative | Answer)
	case Host, Address:
		return l & (hostLabels | HostFixed | Resolved | Answer | Unseen)
	}
	return l
}

// isAnswer reports that a value's origin is the unchanged result of an unknown function: a part of such a
// result is hardly the caller's.
func (n *node) isAnswer() bool {
	for range 20 {
		if n.how == Through {
			return true
		}
		if n.how != Baked || len(n.in) == 0 {
			return false
		}
		n = n.in[0]
	}
	return false
}

// ofAnswer is Answer, if each of the nodes is one.
func ofAnswer(nodes []*node) Label {
	for _, n := range nodes {
		if !n.isAnswer() {
			return 0
		}
	}
	return Answer
}

// up are the labels that the origins of a value get when the value is checked.
func (n *node) up(l Label) Label {
	out := n.upwards(l)
	if out != 0 {
		out |= l & Optional
	}
	return out
}

// upwards is up without Optional.
func (n *node) upwards(l Label) Label {
	if n.how != Baked {
		l &^= Slash
	}
	switch n.how {
	case Part:
		return 0
	case Word:
		return l & (NoDotDot | private | DNSChecked)
	case Char:
		if l&(Chosen|NoMeta) != 0 {
			return Contain | ContainReal | NoDotDot | Relative | NoMeta | l&Chosen
		}
		return l & (Contain | ContainReal | NoDotDot | hostLabels)
	case Host:
		return hostUp(l)
	case Address:
		return l & (private | DNSChecked)
	case Ancestors, CommonRoot:
		if l&Chosen != 0 {
			return Contain | l&ContainReal
		}
		return 0
	case Decoded:
		return l & hostLabels
	case FromArgs, Entry:
		return 0
	}
	return l
}

func hostUp(l Label) Label {
	up := l & (hostLabels | HostFixed)
	if l&Chosen != 0 {
		up |= HostAllow | private | DNSChecked
	}
	if l&(PrefixSep|PrefixWeak|NoMeta) != 0 {
		up |= HostWeak
	}
	return up
}
