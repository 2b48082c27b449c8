// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Bits are attacks that are excluded. Each bit stands for a family of values, and is set where an
// argument cannot be one of them. Guards are not recognised by their look: they are tried on the
// values of each family (predicate.go, probe.go). A guard that forgets a family leaves its bit
// unset, and the report can name the gap.
//
//	host !== "localhost" && !host.startsWith("10.")   // bitLocalhost, bitTen; but not bitLoopback
type Bits uint64

// Families of paths.
const (
	// climbs with ".."
	bitDots Bits = 1 << iota
	// leads elsewhere from the root: "/etc/passwd"
	bitAbs
	// begins as the allowed folder does: "/root-evil" passes startsWith("/root")
	bitSibling
	// not a family: symbolic links were resolved before the check
	bitReal

	// Families of a shell's words.
	bitSemi
	bitDollar
	bitTick
	bitPipe
	bitAmp
	bitNewline
	// ends double quotes
	bitQuote
	// ends single quotes
	bitSingle
	bitSpace
	bitDash

	// Families of hosts.
	bitLocalhost
	bitLoopback
	bitTen
	bitOneSevenTwo
	bitOneNineTwo
	bitLinkLocal
	bitZero
	bitLoopback6
	bitMapped6
	// any host of the internet
	bitPublic
	// begins or ends as an allowed host does: "allowed.evil.example"
	bitHostPrefix

	// not a family: somebody looked at the type
	bitTyped

	// continues a host that stands directly in front: "@evil.example/" behind "https://allowed.example"
	bitTail
)

// The families of hosts stand a second time, shifted by dnsShift, for the addresses that a name
// resolves to: excluding "127.0.0.1" does not exclude a name that resolves to it. Three more bits
// are no families:
//
//	bitRootSlash          the root of a path ends with a slash (known of the origin 0)
//	bitCheckedAtConnect   the HTTP agent looks at the address when it connects
//	bitAddress            a host is an address and no name, so it resolves to itself
const (
	dnsShift                 = 30
	bitRootSlash        Bits = 1 << 58
	bitCheckedAtConnect Bits = 1 << 59
	bitAddress          Bits = 1 << 60
)

// bitsCore are the ranges without which a guard of internal addresses counts as incomplete. A gap
// among the others makes no weakness of its own.
const (
	bitsPath    = bitDots | bitAbs | bitSibling
	bitsShell   = bitSemi | bitDollar | bitTick | bitPipe | bitAmp | bitNewline
	bitsPrivate = bitLocalhost | bitLoopback | bitTen | bitOneSevenTwo | bitOneNineTwo | bitLinkLocal | bitZero | bitLoopback6 | bitMapped6
	bitsHost    = bitsPrivate | bitPublic | bitHostPrefix
	bitsCore    = bitLoopback | bitTen | bitOneSevenTwo | bitOneNineTwo | bitLinkLocal
	bitsAll     = ^Bits(0)
)

// facts are the knowledge about the arguments at one point of the program, or for one alternative
// of a value. They form a lattice: nothing known is the bottom, and (both hold) goes up, or (one
// of both holds) goes down.
//
// The list is sorted by origin and never changed, so facts can be shared. Most values know
// nothing; facts are therefore a single pointer, nil for nothing. Comparing two facts with ==
// compares these pointers: equal pointers mean equal facts, but not the other way round.
type facts struct{ list *[]fact }

// A fact holds the bits of one origin. They are never all zero.
type fact struct {
	origin int
	bits   Bits
}

// factsOf takes over a sorted list.
func factsOf(list []fact) facts {
	if len(list) == 0 {
		return facts{}
	}
	return facts{&list}
}

// all returns the list, sorted by origin.
func (f facts) all() []fact {
	if f.list == nil {
		return nil
	}
	return *f.list
}

// of returns the bits that are known of one origin.
func (f facts) of(origin int) Bits {
	for _, x := range f.all() {
		if x.origin == origin {
			return x.bits
		}
	}
	return 0
}

// known returns facts about one origin.
func known(origin int, bits Bits) facts {
	if bits == 0 {
		return facts{}
	}
	return factsOf([]fact{{origin, bits}})
}

// and returns the facts of a point where both hold: the union of bits.
func (f facts) and(other facts) facts {
	if other.list == nil {
		return f
	}
	if f.list == nil {
		return other
	}
	f1, f2 := f.all(), other.all()
	out := make([]fact, 0, len(f1)+len(f2))
	i, j := 0, 0
	for i < len(f1) || j < len(f2) {
		switch {
		case j == len(f2) || i < len(f1) && f1[i].origin < f2[j].origin:
			out = append(out, f1[i])
			i++
		case i == len(f1) || f2[j].origin < f1[i].origin:
			out = append(out, f2[j])
			j++
		default:
			out = append(out, fact{f1[i].origin, ofAddress(f1[i].bits | f2[j].bits)})
			i++
			j++
		}
	}
	return factsOf(out)
}

// ofAddress completes the facts about a host that is an address: it resolves to itself, so all
// that is excluded of its text is excluded of the address, too.
//
//	if (net.isIP(host) && !isPrivate(host)) …   // also covers the DNS families
func ofAddress(b Bits) Bits {
	if b&bitAddress != 0 {
		b |= b & bitsPrivate << dnsShift
	}
	return b
}

// ofAddresses does the same with the facts that a condition is going to add: where it proves a
// host to be an address, earlier checks of its text extend to the address.
func (st *state) ofAddresses(v Value) Value {
	for i := range v {
		v[i].yes, v[i].no = v[i].yes.ofAddresses(st.facts), v[i].no.ofAddresses(st.facts)
	}
	return v
}

// ofAddresses is ofAddresses for the facts of one side; before are the facts in front of the
// condition.
func (f facts) ofAddresses(before facts) facts {
	out := f
	for _, x := range f.all() {
		if x.bits&bitAddress != 0 {
			out = out.and(known(x.origin, before.of(x.origin)&bitsPrivate<<dnsShift))
		}
	}
	return out
}

// or returns the knowledge common to both, for a point where either may hold: the bits in both.
func (f facts) or(other facts) facts {
	if f == other {
		return f
	}
	var out []fact
	f1, f2 := f.all(), other.all()
	for i, j := 0, 0; i < len(f1) && j < len(f2); {
		switch {
		case f1[i].origin < f2[j].origin:
			i++
		case f2[j].origin < f1[i].origin:
			j++
		default:
			if b := f1[i].bits & f2[j].bits; b != 0 {
				out = append(out, fact{f1[i].origin, b})
			}
			i++
			j++
		}
	}
	return factsOf(out)
}
