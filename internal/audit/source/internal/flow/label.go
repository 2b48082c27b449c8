// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// A Label says what a guard found out about a value, or what an operation made of it.
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
	HostFixed                     // something that is not the caller's stands where the host does
	HostAllow                     // the host is one of a list
	HostWeak                      // the host was looked at, in a way that looks bypassable
	ChkLoop                       // the address is no loopback one
	ChkPriv                       // nor a private one
	ChkLink                       // nor a link-local one
	Resolved                      // the address comes from a look-up of the name
	DNSChecked                    // the addresses that the name has were checked
	Hooked                        // the connection checks the address when it is made
	Quoted                        // quoted for a shell
	NoMeta                        // has no character that a shell understands
	MetaWeak                      // some such characters were looked for
	NoDash                        // does not begin with a dash
	Parted                        // cut into words
	Chosen                        // one of a closed set
	Mangled                       // what a library made of it, and of more
	Optional                      // the guard is there only if the server is set up so
	HostLooked                    // an address was looked at, but perhaps not on this way
	RelOf                         // relative to a root that it was compared with
	Answer                        // a part of what a function gave of which nothing is known
	Denied                        // not below some directories, of which there is a list
	Local                         // it was looked for among the files of this machine
	Refused                       // Denied, after normalisation
	Unseen                        // it was given to something that checks it by its name, and whose code is not there

	private = ChkLoop | ChkPriv | ChkLink
	// all is what a value of a closed set has: every good label.
	all = Chosen | Contain | ContainReal | NoDotDot | Relative | HostAllow | private | DNSChecked | Quoted | NoMeta | NoDash
	// Closed is what a value of a closed set has.
	Closed = all
	// Private are the checks that keep an address out of private networks.
	Private = private

	pathLabels = Contain | ContainReal | PrefixSep | PrefixWeak | NoDotDot
	guards     = Chosen | Contain | ContainReal | NoDotDot | PrefixSep | HostAllow | private | DNSChecked | Quoted | NoMeta
	hostLabels = HostAllow | HostWeak | private | DNSChecked
)

// A Deriv is how a value came from another.
type Deriv uint8

// Derivations.
const (
	FromArgs   Deriv = iota // the argument itself
	Whole                   // changed as a whole: trimmed, joined, made absolute, converted
	Through                 // a function of which nothing is known
	Part                    // a part of it, of which a check says nothing about the whole
	Word                    // one of the words of it
	Char                    // one of its characters
	Host                    // the host of a URL
	Address                 // the address that a host is, or has
	Ancestors               // the directories above a path
	CommonRoot              // of a path and a root
	Decoded                 // what was encoded may come to light
	Baked                   // the labels of a branch
	Entry                   // a name within the archive that a path names, or a text is
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
	entry  bool // some of it is what an archive holds by name
}

// down are the labels that a value has because what it was made of has them.
func (n *node) down(l Label) Label {
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

// answered reports that what a value was made of is what a function gave of which nothing is
// known, as it is: a part of it is hardly the caller's.
func (n *node) answered() bool {
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

// ofAnswer is Answer, if each of the nodes is an answer.
func ofAnswer(nodes []*node) Label {
	for _, n := range nodes {
		if !n.answered() {
			return 0
		}
	}
	return Answer
}

// up are the labels that what a value was made of has because the value has been checked.
func (n *node) up(l Label) Label {
	out := n.upwards(l)
	if out != 0 {
		out |= l & Optional
	}
	return out
}

// upwards are the labels that what a value was made of has because the value has been checked,
// but for Optional.
func (n *node) upwards(l Label) Label {
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
